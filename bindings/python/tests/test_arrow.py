"""Tables, as pyarrow, polars and DuckDB see them."""

from __future__ import annotations

import gzip
import math
import pathlib
import pickle
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
import thalweg
import thalweg.polars
from conftest import fastq

COLUMNS = ["name", "description", "sequence", "quality", "length", "mean_quality", "quality_of_mean_error", "gc", "rank", "mate"]


MEANS = ("mean_quality", "quality_of_mean_error", "gc")


def plain(reads: thalweg.Reads | thalweg.Mates) -> list[dict[str, Any]]:
    """The rows, one by one, by obvious ways."""
    rows = []
    for group in reads:
        for mate, read in enumerate(group if isinstance(group, tuple) else (group,)):
            bases, quality = read.sequence, read.quality
            errors = None if quality is None else sum(10 ** (-(ord(letter) - 33) / 10) for letter in quality)
            rows.append(
                {
                    "name": read.name,
                    "description": read.description,
                    "sequence": bases,
                    "quality": quality,
                    "length": len(bases),
                    "mean_quality": None if not quality else sum(ord(letter) - 33 for letter in quality) / len(quality),
                    "quality_of_mean_error": None if errors is None or not bases else -10 * math.log10(errors / len(bases)),
                    "gc": sum(bases.upper().count(base) for base in "GC") / len(bases) if bases else None,
                    "rank": read.rank,
                    "mate": mate,
                }
            )
    return rows


def same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert len(found) == len(expected)
    for row, other in zip(found, expected):
        for column in MEANS:
            assert (row[column] is None) == (other[column] is None)
            assert row[column] is None or math.isclose(row[column], other[column], rel_tol=1e-9, abs_tol=1e-12)
        rest = [name for name in COLUMNS if name not in MEANS]
        assert [row[name] for name in rest] == [other[name] for name in rest]


@pytest.mark.parametrize("threads", [1, 3])
def test_tables_have_what_records_have(reads_gz: pathlib.Path, threads: int) -> None:
    reads = thalweg.open(reads_gz, threads=threads)
    expected = plain(reads)
    for records in (1000, 65536):
        table = pa.table(reads.select(COLUMNS, records=records))
        table.validate(full=True)
        same(table.to_pylist(), expected)
    whole = pa.table(reads)
    assert whole.schema.names == ["name", "sequence", "quality"]
    assert whole.schema.types == [pa.utf8()] * 3
    assert whole.to_pylist() == [{name: row[name] for name in whole.schema.names} for row in expected]
    for batch in reads.batches(["sequence", "rank"], records=3000):
        record_batch = pa.record_batch(batch)
        record_batch.validate(full=True)
        assert record_batch.column("sequence").to_pylist() == [read.sequence for read in batch]
        assert record_batch.column("rank").to_pylist() == [read.rank for read in batch]


def test_mates_have_a_row_each(mates_gz: tuple[pathlib.Path, pathlib.Path]) -> None:
    mates = thalweg.open_mates(*mates_gz)
    table = pa.table(mates.select(COLUMNS, records=700))
    table.validate(full=True)
    same(table.to_pylist(), plain(mates))


def test_sequences_on_lines_and_none_at_all(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.fasta"
    path.write_text(">a x\nACG\nTT\n>b\n>c\nGGGG\n")
    table = pa.table(thalweg.open(path).select(COLUMNS))
    table.validate(full=True)
    same(table.to_pylist(), plain(thalweg.open(path)))
    assert table["sequence"].to_pylist() == ["ACGTT", "", "GGGG"]
    assert table["quality"].null_count == 3 and table["gc"].null_count == 1


def test_polars_and_duckdb_read_them(reads_gz: pathlib.Path) -> None:
    reads = thalweg.open(reads_gz)
    expected = plain(reads)
    frame = pl.DataFrame(reads.select(["name", "length"]))
    assert frame.rows() == [(row["name"], row["length"]) for row in expected]
    found = duckdb.sql("select count(*), sum(length(sequence)) from reads").fetchall()
    assert found == [(len(expected), sum(row["length"] for row in expected))]


def test_what_is_not_asked_for_is_not_there(reads_gz: pathlib.Path) -> None:
    selection = thalweg.open(reads_gz).select(["gc"])
    assert selection.columns == ["gc"]
    assert pa.table(pickle.loads(pickle.dumps(selection))).equals(pa.table(selection))
    with pytest.raises(ValueError, match="'colour'"):
        thalweg.open(reads_gz).select(["colour"])
    with pytest.raises(ValueError, match="columns"):
        thalweg.open(reads_gz).select([])


def test_names_that_are_no_text(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "latin.fastq.gz"
    path.write_bytes(gzip.compress("@a\nA\n+\nI\n@gr\u00fcn\nC\n+\nI\n".encode() + b"@gr\xfcn\nC\n+\nI\n"))
    reads = thalweg.open(path)
    assert [read.name for read in reads] == ["a", "gr\u00fcn", "gr\udcfcn"]
    with pytest.raises(thalweg.DataError) as caught:
        pa.record_batch(next(reads.batches()))
    assert caught.value.record == 2 and caught.value.path == str(path)
    assert pa.table(reads.select(["sequence"])).num_rows == 3


def test_faults_come_through_the_stream(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cut.fastq.gz"
    path.write_bytes(gzip.compress(fastq(20_000), 4)[:-5000])
    with pytest.raises(OSError, match="cut.fastq.gz.*hint"):
        pa.table(thalweg.open(path))
    with pytest.raises(Exception, match="cut.fastq.gz"):
        pl.DataFrame(thalweg.open(path))
    # One that nobody reads to its end, or at all.
    reader = pa.RecordBatchReader.from_stream(thalweg.open(path).select(records=100))
    assert reader.read_next_batch().num_rows == 100
    del reader
    thalweg.open(path).__arrow_c_stream__()


def test_lazy_frames(reads_gz: pathlib.Path, mates_gz: tuple[pathlib.Path, pathlib.Path]) -> None:
    reads = thalweg.open(reads_gz)
    expected = plain(reads)
    lazy = thalweg.polars.scan(reads_gz)
    assert lazy.select(pl.col("length").sum()).collect().item() == sum(row["length"] for row in expected)
    long = lazy.filter(pl.col("length") > 100).select("name").collect()["name"].to_list()
    assert long == [row["name"] for row in expected if row["length"] > 100]
    assert lazy.head(10).collect()["name"].to_list() == [row["name"] for row in expected[:10]]
    same(lazy.select(COLUMNS).collect().to_dicts(), expected)
    pairs = thalweg.polars.scan(thalweg.open_mates(*mates_gz))
    assert pairs.select(pl.len()).collect().item() == 10_000

    # With an index, rows are counted without reading one.
    selected = lazy.select("rank", "mate").collect()
    assert selected.rows() == [(row["rank"], row["mate"]) for row in expected]
    # With an index, rows are counted without decoding one: where that would fail, it does not.
    damaged = reads_gz.with_name("damaged.fastq.gz")
    whole = bytearray(reads_gz.read_bytes())
    thalweg_index = reads_gz.with_name("damaged.fastq.gz.thw")
    thalweg_index.write_bytes(reads_gz.with_name(reads_gz.name + ".thw").read_bytes())
    middle = slice(len(whole) // 2, len(whole) // 2 + 100)
    whole[middle] = bytes(100)
    damaged.write_bytes(whole)
    lazy = thalweg.polars.scan(damaged)
    assert lazy.select(pl.len()).collect().item() == len(expected)
    with pytest.raises(Exception, match="damaged.fastq.gz"):
        lazy.select("name").collect()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_tables_that_threads_make(reads_gz: pathlib.Path, mates_gz: tuple[pathlib.Path, pathlib.Path], threads: int) -> None:
    for reads in (
        thalweg.open(reads_gz, threads=threads),
        thalweg.open([reads_gz, mates_gz[0]], threads=threads),
        thalweg.open_mates(*mates_gz, threads=threads),
        thalweg.open(reads_gz, threads=threads).records(777, 9999),
    ):
        expected = plain(reads)
        tables = [pa.record_batch(rows) for rows in reads.select(COLUMNS).tables()]
        for table in tables:
            table.validate(full=True)
        same(pa.Table.from_batches(tables).to_pylist(), expected)
        same(pa.table(reads.select(COLUMNS)).to_pylist(), expected)
    # How many there are depends on the index, and not on threads.
    rows = [len(rows) for rows in thalweg.open(reads_gz, threads=threads).select(["name"]).tables()]
    assert rows == [len(rows) for rows in thalweg.open(reads_gz, threads=1).select(["name"]).tables()]
    assert sum(rows) == 20_000 and len(rows) > 5


def test_memory_of_tables_is_used_again_only_when_nobody_has_it(reads_gz: pathlib.Path) -> None:
    reads = thalweg.open(reads_gz)
    kept = []
    for number, rows in enumerate(reads.select(["name", "sequence"]).tables()):
        # One array of two, and of some nothing: the others stay as they are.
        batch = pa.record_batch(rows)
        again = pa.record_batch(rows)
        assert batch.equals(again)
        if number % 3:
            kept.append((number, batch.column("sequence")))
        del batch, again, rows
    for number, rows in enumerate(reads.select(["sequence"]).tables()):
        for kept_number, column in kept:
            if kept_number == number:
                assert column.equals(pa.record_batch(rows).column("sequence"))


def test_tables_tell_faults_and_can_be_left(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cut.fastq.gz"
    path.write_bytes(gzip.compress(fastq(40_000), 4)[:-5000])
    tables = thalweg.open(path).select().tables()
    with pytest.raises(thalweg.DataError) as caught:
        for _ in tables:
            pass
    assert caught.value.path == str(path)
    assert list(tables) == []
    tables = thalweg.open(path).select().tables()
    tables.close()
    assert list(tables) == []
    latin = tmp_path / "latin.fastq"
    latin.write_bytes(b"@a\nA\n+\nI\n@gr\xfcn\nC\n+\nI\n")
    with pytest.raises(thalweg.DataError, match="UTF-8"):
        list(thalweg.open(latin).select().tables())


@pytest.mark.parametrize("records, given", [(2, 2), (3, 3), (4, 0), (None, 0)])
def test_a_fault_is_the_end_of_tables(records: int | None, given: int, tmp_path: pathlib.Path) -> None:
    names = [b"r%d" % number for number in range(10)]
    names[3] = b"gr\xfcn"
    path = tmp_path / "latin.fastq"
    path.write_bytes(b"".join(b"@%s\nACGT\n+\nIIII\n" % name for name in names))
    reader = pa.RecordBatchReader.from_stream(thalweg.open(path).select(["name"], records=records))
    found: list[bytes] = []
    with pytest.raises(OSError, match="latin.fastq: the name is not UTF-8"):
        for batch in reader:
            found += (name.as_py().encode() for name in batch.column("name"))
    # Whole tables before the one with the fault; of that one nothing, and nothing behind.
    assert found == names[:given]
    with pytest.raises(StopIteration):
        reader.read_next_batch()
