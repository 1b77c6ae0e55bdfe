"""Made of Rust: see package `thalweg`. The documentation is that of the module itself: ``help(thalweg.open)``."""

import os
from collections.abc import Sequence
from typing import Any, Literal, Protocol, Self, TypeAlias, TypedDict, Unpack, final, overload

from typing_extensions import Buffer, disjoint_base

_Path: TypeAlias = str | os.PathLike[str]
_Paths: TypeAlias = _Path | Sequence[_Path]
_IndexUse: TypeAlias = Literal["auto", "never", "require"]
# An array of numpy where that is there, a memoryview elsewhere.
_Numbers: TypeAlias = Any

# Such an array, for whoever checks types for a Python before 3.12, where it is no Buffer.
class _Array(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

__version__: str

@overload
def open(
    paths: _Paths,
    *,
    threads: int = 0,
    index: _IndexUse = "auto",
    interleaved: Literal[False] = False,
    check_end: bool = True,
) -> Reads: ...
@overload
def open(
    paths: _Paths,
    *,
    threads: int = 0,
    index: _IndexUse = "auto",
    interleaved: Literal[True],
    check_end: bool = True,
) -> Mates: ...
def open_mates(
    *paths: _Paths,
    threads: int = 0,
    index: _IndexUse = "auto",
    check_names: bool = True,
    check_end: bool = True,
) -> Mates: ...
def restore(
    sets: list[list[_Path]],
    interleaved: bool,
    check_names: bool,
    check_end: bool,
    threads: int,
    index: str,
    part: tuple[str, int, int] | None,
    stamps: list[tuple[int, int] | None],
) -> Source: ...
def restore_record(header: bytes, sequence: bytes, quality: bytes | None, rank: int | None) -> Record: ...
def select(source: Source, columns: list[str], records: int | None) -> Selection: ...
def index(
    path: _Path,
    *,
    output: _Path | None = None,
    force: bool = False,
    span: int | None = None,
    threads: int = 0,
) -> Index: ...
def verify(path: _Path, *, full: bool = True, index: _IndexUse = "auto", threads: int = 0) -> dict[str, Any]: ...
def stats(
    paths: _Paths, *, quality: bool = False, threads: int = 0, index: _IndexUse = "auto"
) -> dict[str, Any]: ...
def count(
    paths: _Paths,
    k: int,
    *,
    output: _Path | None = None,
    format: Literal["thk", "jellyfish", "kmc", "tsv", "fasta"] = "thk",
    canonical: bool = True,
    min_count: int = 1,
    max_count: int | None = None,
    min_quality: int = 0,
    memory: int | str | None = None,
    provenance: bool = True,
    threads: int = 0,
) -> Database: ...
def open_database(path: _Path) -> Database: ...
def classify(
    database: _Path,
    reads: Reads | Mates,
    *,
    output: _Path | None = None,
    rule: Literal["posterior", "lca"] = "posterior",
    confidence: float = 0.0,
    preload: bool = False,
) -> dict[str, Any]: ...

class _Steps(TypedDict, total=False):
    phred64: bool
    fix_mgi_id: bool
    disable_adapter_trimming: bool
    adapter_sequence: str | None
    adapter_sequence_r2: str | None
    adapter_sequence_5p: str | list[str]
    adapter_sequence_5p_r2: str | list[str]
    detect_adapter_for_pe: bool
    allow_gap_overlap_trimming: bool
    dimer_max_len: int
    trim_front1: int
    trim_tail1: int
    trim_front2: int | None
    trim_tail2: int | None
    max_len1: int
    max_len2: int | None
    trim_poly_g: bool | None
    poly_g_min_len: int
    trim_poly_a: bool
    poly_a_min_len: int
    trim_poly_x: bool
    poly_x_min_len: int
    cut_front: bool
    cut_tail: bool
    cut_right: bool
    cut_window_size: int
    cut_mean_quality: int
    cut_front_window_size: int | None
    cut_front_mean_quality: int | None
    cut_tail_window_size: int | None
    cut_tail_mean_quality: int | None
    cut_right_window_size: int | None
    cut_right_mean_quality: int | None
    disable_quality_filtering: bool
    qualified_quality_phred: int
    unqualified_percent_limit: int
    n_base_limit: int
    average_qual: int
    disable_length_filtering: bool
    length_required: int
    length_limit: int
    low_complexity_filter: bool
    complexity_threshold: int
    dust: int | None
    filter_by_index_threshold: int
    correction: bool
    overlap_len_require: int
    overlap_diff_limit: int
    overlap_diff_percent_limit: int
    merge: bool
    include_unmerged: bool
    umi: bool
    umi_loc: str
    umi_len: int
    umi_prefix: str
    umi_skip: int
    umi_delim: str
    dedup: bool

def qc(
    in1: _Paths,
    in2: _Paths | None = None,
    *,
    out1: _Path | None = None,
    out2: _Path | None = None,
    unpaired1: _Path | None = None,
    unpaired2: _Path | None = None,
    merged_out: _Path | None = None,
    failed_out: _Path | None = None,
    json: _Path | None = None,
    html: _Path | None = None,
    title: str | None = None,
    interleaved: bool = False,
    ignore_names: bool = False,
    reads_to_process: int = 0,
    adapter_fasta: _Path | None = None,
    adapter_fasta_5p: _Path | None = None,
    filter_by_index1: _Path | None = None,
    filter_by_index2: _Path | None = None,
    compression: int = 4,
    index: _IndexUse = "auto",
    memory: int | str | None = None,
    threads: int = 0,
    **steps: Unpack[_Steps],
) -> Cleaned: ...

@final
class Cleaned:
    @property
    def json(self) -> str: ...
    @property
    def report(self) -> dict[str, Any]: ...
    @property
    def passed(self) -> int: ...
    @property
    def adapters(self) -> tuple[str | None, str | None]: ...

@disjoint_base
class Source:
    @property
    def paths(self) -> list[list[str]]: ...
    @property
    def threads(self) -> int: ...
    @property
    def format(self) -> str | None: ...
    @property
    def indexed(self) -> bool: ...
    def count(self) -> int: ...
    def record_counts(self) -> list[int] | None: ...
    def shard(self, number: int, of: int) -> Self: ...
    def records(self, start: int, end: int | None = None) -> Self: ...
    def batches(self, columns: Sequence[str] | None = None, records: int | None = None) -> BatchIterator: ...
    def select(self, columns: Sequence[str] | None = None, records: int | None = None) -> Selection: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Reads(Source):
    def __iter__(self, /) -> RecordIterator: ...

@final
class Mates(Source):
    def __iter__(self, /) -> PairIterator: ...

@final
class Selection:
    @property
    def columns(self) -> list[str]: ...
    @property
    def types(self) -> list[str]: ...
    def __iter__(self, /) -> BatchIterator: ...
    def tables(self) -> TableIterator: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Record:
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def header(self) -> str: ...
    @property
    def sequence(self) -> str: ...
    @property
    def quality(self) -> str | None: ...
    @property
    def header_bytes(self) -> memoryview: ...
    @property
    def sequence_bytes(self) -> memoryview: ...
    @property
    def quality_bytes(self) -> memoryview | None: ...
    @property
    def rank(self) -> int | None: ...
    def __len__(self, /) -> int: ...

@final
class RecordIterator:
    def __iter__(self, /) -> Self: ...
    def __next__(self, /) -> Record: ...
    def close(self) -> None: ...

@final
class PairIterator:
    def __iter__(self, /) -> Self: ...
    def __next__(self, /) -> tuple[Record, ...]: ...
    def close(self) -> None: ...

@final
class Batch:
    @property
    def columns(self) -> list[str]: ...
    def __len__(self, /) -> int: ...
    # A record, or a tuple of mates.
    def __getitem__(self, index: int, /) -> Any: ...
    def __iter__(self, /) -> Items: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Items:
    def __iter__(self, /) -> Self: ...
    def __next__(self, /) -> Any: ...

@final
class BatchIterator:
    def __iter__(self, /) -> Self: ...
    def __next__(self, /) -> Batch: ...
    def close(self) -> None: ...

@final
class TableRows:
    @property
    def columns(self) -> list[str]: ...
    def __len__(self, /) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class TableIterator:
    def __iter__(self, /) -> Self: ...
    def __next__(self, /) -> TableRows: ...
    def close(self) -> None: ...

@final
class ByteStream:
    def __new__(cls, path: _Path, *, threads: int = 0, index: _IndexUse = "auto") -> Self: ...
    def read(self, most: int) -> bytes: ...
    def close(self) -> None: ...

@final
class View: ...

@final
class Index:
    @property
    def path(self) -> str: ...
    @property
    def records(self) -> int | None: ...
    @property
    def compressed_size(self) -> int: ...
    @property
    def uncompressed_size(self) -> int: ...
    @property
    def checkpoints(self) -> int: ...
    @property
    def blake3(self) -> str | None: ...

@final
class Database:
    @property
    def path(self) -> str: ...
    @property
    def k(self) -> int: ...
    @property
    def canonical(self) -> bool | None: ...
    @property
    def distinct(self) -> int | None: ...
    @property
    def total(self) -> int | None: ...
    def __getitem__(self, kmer: str | int, /) -> int: ...
    def get_many(self, kmers: Sequence[str] | Buffer | _Array) -> _Numbers: ...
    def load(self, *, threads: int = 0) -> None: ...
    def histogram(self) -> tuple[_Numbers, _Numbers]: ...
    def batches(self, records: int = 65536) -> KmerBatches: ...
    def __iter__(self, /) -> KmerIterator: ...

@final
class KmerBatches:
    def __iter__(self, /) -> Self: ...
    def __next__(self, /) -> tuple[_Numbers, _Numbers]: ...

@final
class KmerIterator:
    def __iter__(self, /) -> Self: ...
    def __next__(self, /) -> tuple[str, int]: ...
