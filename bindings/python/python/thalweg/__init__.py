"""Sequencing reads at the speed of all cores, as objects and as Arrow tables.

>>> import thalweg
>>> for read in thalweg.open("reads.fastq.gz"):  # doctest: +SKIP
...     print(read.name, read.sequence, read.quality)

- `open`, `open_mates`: `Reads` and `Mates`, whose iterations give `Record` and tuples of them; ``batches``, and ``select``
  for tables of pyarrow, polars and DuckDB; ``shard`` and ``records`` for parts that other processes can be given.
- `open_raw`: the uncompressed bytes, for all libraries that take a file object.
- `index`, `verify`, `stats`: one pass over files. `qc`: trimming and filtering, with reports. `count`, `open_database`: k-mers. `classify`: organisms.
- `thalweg.polars`: a lazy scan.
"""

from __future__ import annotations

from ._errors import DataError, Error, IndexFileError, MatesError, UsageError
from ._raw import RawFile, open_raw
from ._thalweg import (
    Batch,
    BatchIterator,
    Cleaned,
    Database,
    Index,
    Mates,
    Reads,
    Record,
    Selection,
    TableIterator,
    TableRows,
    classify,
    count,
    index,
    open,
    open_database,
    open_mates,
    qc,
    stats,
    verify,
)
from ._thalweg import __version__ as __version__

__all__ = [
    "Batch",
    "BatchIterator",
    "Cleaned",
    "DataError",
    "Database",
    "Error",
    "Index",
    "IndexFileError",
    "Mates",
    "MatesError",
    "RawFile",
    "Reads",
    "Record",
    "Selection",
    "TableIterator",
    "TableRows",
    "UsageError",
    "classify",
    "count",
    "index",
    "open",
    "open_database",
    "open_mates",
    "open_raw",
    "qc",
    "stats",
    "verify",
]
