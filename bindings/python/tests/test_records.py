"""Records, beside those of dnaio and pysam."""

from __future__ import annotations

import gzip
import pathlib
import pickle
from collections.abc import Iterator

import dnaio
import pysam
import pytest
import thalweg
from conftest import SHARED, fastq

Row = tuple[str, str, "str | None"]


def rows(reads: thalweg.Reads) -> list[Row]:
    return [(read.header, read.sequence, read.quality) for read in reads]


def of_dnaio(path: pathlib.Path) -> Iterator[Row]:
    with dnaio.open(path) as file:
        for read in file:
            yield read.name, read.sequence, read.qualities if isinstance(read.qualities, str) else None


def of_pysam(path: pathlib.Path) -> Iterator[Row]:
    with pysam.FastxFile(str(path)) as file:
        for read in file:
            yield read.name, read.sequence, read.quality


def test_real_reads_are_those_of_dnaio_and_pysam(real_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    expected = list(of_dnaio(real_file))
    for threads in (1, 3):
        assert rows(thalweg.open(real_file, threads=threads)) == expected, threads
    if real_file.suffix == ".gz":
        names = [(read.name, read.sequence, read.quality) for read in thalweg.open(real_file)]
        # pysam's comment is apart, and what it calls a name is what we do.
        assert names == list(of_pysam(real_file))
        link = tmp_path / real_file.name
        link.symlink_to(real_file)
        index = thalweg.index(link, span=300_000)
        reads = thalweg.open(link, index="require")
        assert reads.indexed and reads.count() == index.records == len(expected)
        assert rows(reads) == expected


def test_genomes_are_those_of_dnaio() -> None:
    genomes = sorted(SHARED.glob("genomes/*.gz"))[:6]
    if not genomes:
        pytest.skip("no shared data")
    for path in genomes:
        reads = thalweg.open(path)
        assert reads.format == "fasta"
        found = [(read.header, read.sequence, read.quality) for read in reads]
        assert found == [(name, sequence, None) for name, sequence, _ in of_dnaio(path)]
        read = next(iter(reads))
        assert bytes(read.sequence_bytes).decode() == read.sequence and read.quality_bytes is None


def test_views_are_what_the_text_is(reads_gz: pathlib.Path) -> None:
    text = gzip.decompress(reads_gz.read_bytes()).split(b"\n")
    kept = []
    for number, read in enumerate(thalweg.open(reads_gz)):
        head, bases, _, quality = text[4 * number : 4 * number + 4]
        assert read.header_bytes == head[1:] and read.sequence_bytes == bases and read.quality_bytes == quality
        assert read.rank == number and len(read) == len(bases)
        name, *rest = head[1:].decode().replace("\t", " ").split(" ", 1)
        assert (read.name, read.description) == (name, rest[0] if rest else "")
        if number % 1000 == 0:
            kept.append((read, read.sequence_bytes, bases))
    # Views outlive the iteration, and cannot be written.
    for read, view, bases in kept:
        assert view == bases and read.sequence.encode() == bases and view.readonly
        with pytest.raises(TypeError):
            view[0] = 65


def test_files_follow_one_another(reads_gz: pathlib.Path, tmp_path: pathlib.Path) -> None:
    other = tmp_path / "other.fastq"
    other.write_bytes(fastq(1000, 7))
    both = rows(thalweg.open([reads_gz, str(other)]))
    assert both == rows(thalweg.open(reads_gz)) + rows(thalweg.open(other))


def test_batches_have_the_records(reads_gz: pathlib.Path) -> None:
    reads = thalweg.open(reads_gz)
    expected = rows(reads)
    for records in (None, 1, 7, 999, 65536):
        batches = list(reads.batches(records=records))
        if records is not None:
            assert all(len(batch) == records for batch in batches[:-1])
        found = [(read.header, read.sequence, read.quality) for batch in batches for read in batch]
        assert found == expected
    batch = next(reads.batches(records=1000))
    assert batch[-1].name == batch[999].name == "read999"
    for beyond in (1000, -1001):
        with pytest.raises(IndexError):
            batch[beyond]


def test_shards_and_selections_are_the_whole(reads_gz: pathlib.Path) -> None:
    reads = thalweg.open(reads_gz)
    expected = rows(reads)
    for of in (1, 2, 5):
        shards = [pickle.loads(pickle.dumps(reads.shard(number, of))) for number in range(of)]
        assert [row for shard in shards for row in rows(shard)] == expected
        assert sum(shard.count() for shard in shards) == len(expected)
    assert rows(reads.records(100, 205)) == expected[100:205]
    assert rows(reads.records(19_990)) == expected[19_990:]
    assert reads.shard(1, 2) == reads.shard(1, 2) != reads.shard(0, 2)
    for wrong in (lambda: reads.shard(2, 2), lambda: reads.records(5, 4), lambda: reads.batches(records=0)):
        with pytest.raises(ValueError, match="argument"):
            wrong()
    with pytest.raises(thalweg.UsageError, match="20000"):
        rows(reads.records(5, 30_000))


def test_mates_come_in_pairs(mates_gz: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path) -> None:
    first, second = (rows(thalweg.open(path)) for path in mates_gz)
    for threads in (1, 3):
        mates = thalweg.open_mates(*mates_gz, threads=threads)
        assert isinstance(mates, thalweg.Mates) and mates.count() == 5000
        pairs = [tuple((read.header, read.sequence, read.quality) for read in pair) for pair in mates]
        assert pairs == list(zip(first, second))
    interleaved = tmp_path / "interleaved.fastq"
    with interleaved.open("w") as file:
        for pair in zip(first, second):
            for header, bases, quality in pair:
                file.write(f"@{header}\n{bases}\n+\n{quality}\n")
    mates = thalweg.open(interleaved, interleaved=True)
    assert isinstance(mates, thalweg.Mates) and mates.count() == 5000
    pairs = [tuple((read.header, read.sequence, read.quality) for read in pair) for pair in mates]
    assert pairs == list(zip(first, second))
    batch = next(mates.batches(records=10))
    assert len(batch) == 10 and batch[9][1].name == "read9/2"
    lanes = thalweg.open_mates([mates_gz[0]] * 2, [mates_gz[1]] * 2)
    assert sum(1 for _ in lanes) == lanes.count() == 10_000
