"""What is wrong is an exception that says where."""

from __future__ import annotations

import gzip
import pathlib
import pickle
import struct
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
import thalweg
from conftest import fastq


def drain(reads: Any) -> None:
    for _ in reads:
        pass


@pytest.mark.parametrize("threads", [1, 3])
def test_damage_is_told_with_its_place(threads: int, tmp_path: pathlib.Path) -> None:
    text = fastq(20_000)
    whole = gzip.compress(text, 4)
    cut = tmp_path / "cut.fastq.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    middle = text.index(b"\n+\n", len(text) // 2)
    malformed = tmp_path / "malformed.fastq"
    malformed.write_bytes(text[:middle] + b"\nX\n" + text[middle + 3 :])
    rank = text[:middle].count(b"\n") // 4
    for path, kind, record in [(cut, "Compressed", None), (malformed, "Format", rank)]:
        with pytest.raises(thalweg.DataError) as caught:
            drain(thalweg.open(path, threads=threads))
        error = caught.value
        assert error.path == str(path) and error.kind == kind and str(path) in str(error)
        assert error.record == record if record is not None else error.offset is not None
        assert error.hint and any(error.hint in note for note in error.__notes__)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and again.__dict__ == error.__dict__ and str(again) == str(error)


def test_mates_that_do_not_match(mates_gz: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path) -> None:
    shorter = tmp_path / "shorter.fastq"
    shorter.write_bytes(fastq(4000, 2, mate="/2"))
    with pytest.raises(thalweg.MatesError) as caught:
        drain(thalweg.open_mates(mates_gz[0], shorter))
    assert caught.value.kind == "UnequalFiles" and caught.value.record == 4000
    other = tmp_path / "other.fastq"
    other.write_bytes(fastq(5000, 2, mate="/2").replace(b"@read4321/2", b"@reed4321/2"))
    with pytest.raises(thalweg.MatesError, match="reed4321") as caught:
        drain(thalweg.open_mates(mates_gz[0], other))
    assert caught.value.record == 4321
    assert sum(1 for _ in thalweg.open_mates(mates_gz[0], other, check_names=False)) == 5000


def test_what_the_system_refuses_is_an_os_error(tmp_path: pathlib.Path) -> None:
    missing = tmp_path / "missing.fastq"
    jobs: list[Callable[[], Any]] = [
        lambda: thalweg.open(missing),
        lambda: thalweg.open_mates(missing, missing),
        lambda: thalweg.open_raw(missing),
        lambda: thalweg.stats(missing),
        lambda: thalweg.index(missing),
        lambda: thalweg.verify(missing),
        lambda: thalweg.count(missing, 21),
        lambda: thalweg.open_database(missing),
    ]
    for job in jobs:
        with pytest.raises(FileNotFoundError) as caught:
            job()
        assert caught.value.filename == str(missing)


def test_wrong_types_name_the_parameter(reads_gz: pathlib.Path) -> None:
    reads: Any = thalweg.open(reads_gz)
    module: Any = thalweg
    wrong: list[tuple[str, Callable[[], Any]]] = [
        ("paths", lambda: module.open(3)),
        ("paths", lambda: module.open(b"reads.fq")),
        ("paths", lambda: module.open_mates("a", 4)),
        ("threads", lambda: module.open(reads_gz, threads="2")),
        ("index", lambda: module.open(reads_gz, index=1)),
        ("columns", lambda: reads.select("name")),
        ("records", lambda: reads.batches(records="x")),
        ("records", lambda: reads.select(records=1.5)),
        ("start", lambda: reads.records("a")),
        ("end", lambda: reads.records(0, "b")),
        ("of", lambda: reads.shard(0, None)),
        ("interleaved", lambda: module.open(reads_gz, interleaved=2)),
        ("quality", lambda: module.stats(reads_gz, quality=3)),
        ("in1", lambda: module.qc(4)),
        ("out1", lambda: module.qc(reads_gz, out1=4)),
        ("database", lambda: module.classify(7, reads)),
        ("reads", lambda: module.classify("x.tht", "reads.fastq")),
        ("number", lambda: reads.shard("a", 2)),
        ("k", lambda: module.count(reads_gz, "21")),
        ("memory", lambda: module.count(reads_gz, 21, memory=[])),
        ("path", lambda: module.index(5)),
    ]
    for parameter, call in wrong:
        with pytest.raises(TypeError) as caught:
            call()
        said = [str(caught.value), *getattr(caught.value, "__notes__", [])]
        assert any(f"'{parameter}'" in text for text in said), (parameter, said)


def test_absurd_numbers_are_refused(reads_gz: pathlib.Path) -> None:
    reads = thalweg.open(reads_gz)
    calls: list[tuple[str, Callable[[int], Any]]] = [
        ("threads", lambda number: thalweg.open(reads_gz, threads=number)),
        ("threads", lambda number: thalweg.open_raw(reads_gz, threads=number)),
        ("threads", lambda number: thalweg.stats(reads_gz, threads=number)),
        ("threads", lambda number: thalweg.count(reads_gz, 21, threads=number)),
        ("threads", lambda number: thalweg.qc(reads_gz, threads=number)),
        ("number", lambda number: reads.shard(number, 3)),
        ("end", lambda number: reads.records(number + 1, 3)),
    ]
    for parameter, call in calls:
        for number in (1025, 10**9, 2**63):
            with pytest.raises(ValueError, match=f"'{parameter}'"):
                call(number)
    for records in (2**40, 2**63):
        assert [len(batch) for batch in reads.batches(records=records)] == [20_000]
        assert [len(batch) for batch in reads.select(records=records)] == [20_000]


def test_other_files_are_refused(tmp_path: pathlib.Path, reads_gz: pathlib.Path) -> None:
    nothing = tmp_path / "nothing.txt"
    nothing.write_text("hello\n")
    with pytest.raises(thalweg.DataError):
        drain(thalweg.open(nothing))
    alone = tmp_path / "alone.fastq.gz"
    alone.write_bytes(gzip.compress(fastq(10)))
    with pytest.raises(thalweg.IndexFileError) as caught:
        thalweg.open(alone, index="require")
    assert caught.value.kind == "NoIndex"
    # The file was changed behind its index.
    copy = tmp_path / "copy.fastq.gz"
    copy.write_bytes(reads_gz.read_bytes())
    thalweg.index(copy)
    copy.write_bytes(gzip.compress(fastq(20_001)))
    with pytest.raises(thalweg.IndexFileError) as caught:
        thalweg.open(copy)
    assert caught.value.kind == "OtherFile"


def test_a_file_that_is_another_or_gone(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "reads.fastq"
    path.write_bytes(fastq(2000))
    reads = thalweg.open(path, threads=1)
    # What a process has in hand, and what another one is given.
    part = pickle.loads(pickle.dumps(reads.shard(1, 2)))
    assert 0 < sum(1 for _ in part) < sum(1 for _ in reads) == 2000
    path.write_bytes(fastq(3000))
    for again in (reads, reads.records(0, 10), part):
        with pytest.raises(thalweg.DataError, match="changed since") as caught:
            drain(again)
        assert caught.value.path == str(path) and caught.value.kind == "Changed" and caught.value.hint
    assert sum(1 for _ in thalweg.open(path)) == 3000
    path.rename(tmp_path / "elsewhere.fastq")
    with pytest.raises(FileNotFoundError):
        drain(part)


def test_a_file_that_changes_meanwhile(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "growing.fastq"
    path.write_bytes(fastq(20_000))
    reads = iter(thalweg.open(path, threads=1))
    next(reads)
    with path.open("ab") as file:
        file.write(fastq(1))
    with pytest.raises(thalweg.DataError, match="changed"):
        drain(reads)


def test_numbers_out_of_range_name_the_parameter(reads_gz: pathlib.Path, tmp_path: pathlib.Path) -> None:
    reads = thalweg.open(reads_gz)
    database = thalweg.count(reads_gz, 21, threads=1)
    calls: list[tuple[str, Callable[[], object]]] = [
        ("threads", lambda: thalweg.open(reads_gz, threads=-1)),
        ("threads", lambda: thalweg.open_mates(reads_gz, reads_gz, threads=-1)),
        ("threads", lambda: thalweg.open_raw(reads_gz, threads=-1)),
        ("threads", lambda: thalweg.stats(reads_gz, threads=-1)),
        ("threads", lambda: thalweg.verify(reads_gz, threads=-1)),
        ("threads", lambda: thalweg.qc(reads_gz, threads=-1)),
        ("threads", lambda: thalweg.count(reads_gz, 21, threads=-1)),
        ("threads", lambda: database.load(threads=-1)),
        ("threads", lambda: thalweg.index(reads_gz, output=tmp_path / "a.thw", threads=-1)),
        ("span", lambda: thalweg.index(reads_gz, output=tmp_path / "a.thw", span=-1)),
        ("records", lambda: reads.batches(records=-1)),
        ("records", lambda: reads.select(records=-1)),
        ("records", lambda: reads.select(records=0)),
        ("records", lambda: database.batches(records=-1)),
        ("number", lambda: reads.shard(-1, 2)),
        ("of", lambda: reads.shard(0, -2)),
        ("start", lambda: reads.records(-1)),
        ("end", lambda: reads.records(0, -1)),
        ("k", lambda: thalweg.count(reads_gz, -21)),
        ("min_count", lambda: thalweg.count(reads_gz, 21, min_count=-1)),
        ("max_count", lambda: thalweg.count(reads_gz, 21, max_count=-1)),
        ("min_quality", lambda: thalweg.count(reads_gz, 21, min_quality=256)),
        ("compression", lambda: thalweg.qc(reads_gz, compression=300)),
        ("compression", lambda: thalweg.qc(reads_gz, compression=-1)),
        ("reads_to_process", lambda: thalweg.qc(reads_gz, reads_to_process=-1)),
        ("interleaved", lambda: thalweg.qc(reads_gz, reads_gz, interleaved=True)),
    ]
    for parameter, call in calls:
        with pytest.raises(ValueError, match=f"argument '{parameter}'"):
            call()
    assert not (tmp_path / "a.thw").exists()


def _with_mim(path: pathlib.Path) -> pathlib.Path:
    """Two chunks of reads, with an index of another program: it has no checksums of them."""
    text = fastq(2_000)
    first = text[: len(text) // 2]
    rank = first.count(b"\n") // 4 + 1
    offset = len(b"".join(text.splitlines(keepends=True)[: 4 * rank]))
    compressor = zlib.compressobj(4, zlib.DEFLATED, 31)
    start = compressor.compress(first) + compressor.flush(zlib.Z_SYNC_FLUSH)
    whole = start + compressor.compress(text[len(first) :]) + compressor.flush()
    path.write_bytes(whole)

    def entry(place: int, output: int, window: bytes, record: int, record_offset: int) -> bytes:
        head = struct.pack("<qBqQ", place, 0, output, len(window))
        return head + window + struct.pack("<QQ", record, record_offset)

    entries = [
        entry(10, 0, b"", 0, 0),
        entry(len(start), len(first), first[-32_768:], rank, offset),
        entry(len(whole), len(text), b"", 2_000, len(text)),
    ]
    metadata = b"\xa1\x6duser_metadata\xf6"
    head = struct.pack("<8sQ32sIqqQ", b"MIMINDEX", 0, bytes(32), 3, len(text), 2_000, len(metadata))
    table = gzip.compress(struct.pack("<Q", len(entries)) + b"".join(entries))
    path.with_name(path.name + ".mim").write_bytes(head + metadata + bytes(8) + table)
    return path


def test_parts_that_no_checksum_covers_are_warned_of(tmp_path: pathlib.Path) -> None:
    reads = thalweg.open(_with_mim(tmp_path / "a.fastq.gz"))
    assert reads.indexed
    expected = [read.name for read in reads]
    for part, names in ((reads.records(1_500, 1_600), expected[1_500:1_600]), (reads.records(1_900), expected[1_900:])):
        with pytest.warns(UserWarning, match=r"a\.fastq\.gz\.mim, which has no checksums of chunks") as told:
            assert [read.name for read in part] == names
        assert len(told) == 1 and told[0].filename == __file__
        with pytest.warns(UserWarning, match="no checksums"):
            assert part.count() == len(names)
        with pytest.warns(UserWarning, match="no checksums"):
            assert pa.table(part).num_rows == len(names)
    with pytest.warns(UserWarning, match="no checksums"):
        list(reads.shard(1, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # All of it is checked by the checksum of the member.
        assert reads.count() == len(list(reads)) == 2_000
        with pytest.raises(UserWarning, match="no checksums"):
            list(reads.records(1_500, 1_600))
        with pytest.raises(thalweg.IndexFileError, match="no checksums"):
            list(thalweg.open(tmp_path / "a.fastq.gz", index="require").records(1_500, 1_600))
        thalweg.index(tmp_path / "a.fastq.gz", span=100_000)
        assert [read.name for read in thalweg.open(tmp_path / "a.fastq.gz").records(1_500, 1_600)] == expected[1_500:1_600]
