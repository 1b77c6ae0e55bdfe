"""Lazy frames of polars over files of reads.

>>> import thalweg.polars
>>> frame = thalweg.polars.scan("reads.fastq.gz")  # doctest: +SKIP
>>> frame.filter(pl.col("length") > 100).select("name").collect()  # doctest: +SKIP

Columns that a query does not need are not made, and a count of rows alone decodes nothing where there is an index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from polars.io.plugins import register_io_source

from ._thalweg import Mates, Reads
from ._thalweg import open as open_reads

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence
    from typing import Literal

__all__ = ["scan"]

#: By Arrow's names of types.
_TAG_TYPES: dict[str, pl.DataType] = {"utf8": pl.String(), "int64": pl.Int64(), "float64": pl.Float64()}

#: The first stands for all where polars only wants to know how many rows there are: ranks are told by indexes.
_TYPES: dict[str, pl.DataType] = {
    "rank": pl.UInt64(),
    "mate": pl.UInt8(),
    "name": pl.String(),
    "description": pl.String(),
    "sequence": pl.String(),
    "quality": pl.String(),
    "length": pl.UInt32(),
    "mean_quality": pl.Float64(),
    "quality_of_mean_error": pl.Float64(),
    "gc": pl.Float64(),
}


def scan(
    source: str | os.PathLike[str] | list[str] | list[os.PathLike[str]] | Reads | Mates,
    *,
    tags: Sequence[str] = (),
    threads: int = 0,
    index: Literal["auto", "never", "require"] = "auto",
) -> pl.LazyFrame:
    """A lazy frame with a row for each record.

    Parameters
    ----------
    source : str, os.PathLike, list of them, Reads or Mates
        Files that follow one another, or what was opened; mates have a row each, the first before the second.
    tags : list of str, optional
        Columns of tags of BAM besides, as `Reads.select` has them: ``["tag:RX", "tag:qs:f"]``.
    threads : int, default 0
        How many threads decode; 0 for as many as there are cores. Of what was opened, its own.
    index : {'auto', 'never', 'require'}
        What to do about indexes. Of what was opened, its own.

    Returns
    -------
    polars.LazyFrame
        With all columns of `Reads.select`: rank, mate, name, description, sequence, quality, length, mean_quality,
        quality_of_mean_error, gc; and those of `tags`.
    """
    reads = source if isinstance(source, (Reads, Mates)) else open_reads(source, threads=threads, index=index)
    types = dict(_TYPES)
    if tags:
        selection = reads.select(list(tags))
        others = [name for name in tags if name in _TYPES]
        if others:
            raise ValueError(f"argument 'tags': no tags, but columns that are there anyway: {', '.join(others)}")
        types.update((name, _TAG_TYPES[kind]) for name, kind in zip(selection.columns, selection.types))

    def frames(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        left = n_rows
        for frame in _frames(reads, with_columns or list(types), batch_size):
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            yield frame if predicate is None else frame.filter(predicate)
            if left == 0:
                return

    return register_io_source(frames, schema=types, is_pure=True)


def _frames(reads: Reads | Mates, columns: list[str], rows: int | None) -> Iterator[pl.DataFrame]:
    counts = reads.record_counts() if set(columns) <= {"rank", "mate"} else None
    if counts is None:
        # What the threads make that read is as long as it is; few rows are wanted of who looks at the first ones only.
        for part in reads.select(columns).tables() if rows is None else reads.batches(columns, rows):
            yield pl.DataFrame(part)
        return
    width = len(reads.paths[0]) if isinstance(reads, Mates) else 1
    for count in counts:
        yield _places(count, width, interleaved=isinstance(reads, Mates) and width == 1).select(columns)


def _places(count: int, width: int, *, interleaved: bool) -> pl.DataFrame:
    """Ranks and mates of so many records, or groups of them, as iterations give them."""
    mates = 2 if interleaved else width
    rows = pl.select(row=pl.int_range(count * mates, dtype=pl.UInt64))
    return rows.select(
        rank=pl.col("row") if interleaved else pl.col("row") // mates,
        mate=(pl.col("row") % mates).cast(pl.UInt8),
    )
