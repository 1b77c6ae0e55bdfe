"""Jobs on files, beside the command and plain Python."""

from __future__ import annotations

import gzip
import io
import json
import pathlib
import pickle
import shutil
import subprocess
import sys
from collections import Counter

import numpy
import pytest
import thalweg
from conftest import FILES, fastq

COMMAND = pathlib.Path(sys.executable).with_name("thalweg")
needs_command = pytest.mark.skipif(not COMMAND.exists(), reason="the command is not installed beside Python")


@needs_command
def test_the_command_is_there() -> None:
    run = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert thalweg.__version__ in run.stdout  # type: ignore[attr-defined]


@needs_command
def test_statistics_are_the_commands() -> None:
    paths = [str(path) for path in FILES[:4]]
    run = subprocess.run([COMMAND, "stats", "--json", "--quality", *paths], capture_output=True, text=True, check=True)
    assert thalweg.stats(paths, quality=True) == json.loads(run.stdout)


def test_an_index_is_made_once(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "reads.fastq.gz"
    text = fastq(5000)
    path.write_bytes(gzip.compress(text, 4))
    index = thalweg.index(path, span=100_000)
    assert (index.records, index.uncompressed_size) == (5000, len(text))
    assert index.compressed_size == path.stat().st_size and index.checkpoints > 3
    before = pathlib.Path(index.path).stat()
    again = thalweg.index(path)
    assert again.blake3 == index.blake3 and pathlib.Path(index.path).stat() == before
    assert thalweg.index(path, force=True, span=10_000_000).checkpoints < index.checkpoints
    report = thalweg.verify(path)
    assert report["indexed"] and report["hash_matches"] and report["records"] == 5000
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(thalweg.Error):
        thalweg.verify(path)


def test_bytes_are_what_gzip_has(real_file: pathlib.Path) -> None:
    if real_file.suffix != ".gz":
        pytest.skip("for gzip only")
    with gzip.open(real_file) as file, thalweg.open_raw(real_file) as ours:
        expected = file.read()
        assert ours.read(1000) == expected[:1000]
        room = bytearray(70_000)
        got = ours.readinto(room)
        assert room[:got] == expected[1000 : 1000 + got]
        assert ours.read() == expected[1000 + got :]
        assert ours.read() == b""
    with thalweg.open_raw(real_file) as ours:
        lines = io.TextIOWrapper(ours, encoding="latin-1", newline="").readlines()
    assert "".join(lines).encode("latin-1") == expected


def kmers(path: pathlib.Path, k: int) -> Counter[str]:
    """Canonical k-mers, by obvious ways."""
    turn = str.maketrans("ACGT", "TGCA")
    counts: Counter[str] = Counter()
    for read in thalweg.open(path):
        bases = read.sequence.upper()
        for start in range(len(bases) - k + 1):
            kmer = bases[start : start + k]
            if set(kmer) <= set("ACGT"):
                counts[min(kmer, kmer.translate(turn)[::-1])] += 1
    return counts


def number(kmer: str) -> int:
    value = 0
    for base in kmer:
        value = value << 2 | "ACGT".index(base)
    return value


@pytest.mark.parametrize("k", [5, 21, 41])
def test_counts_are_those_of_a_dictionary(k: int, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "reads.fastq"
    path.write_bytes(fastq(1500, 3))
    expected = kmers(path, k)
    database = thalweg.count(path, k, threads=2, memory="1G")
    assert (database.k, database.canonical, database.distinct) == (k, True, len(expected))
    assert database.total == expected.total()
    assert dict(database) == expected
    turn = str.maketrans("ACGT", "TGCA")
    some = list(expected)[:500]
    absent = "A" * (k - 1) + "C"
    for loaded in (False, True):
        if loaded:
            database.load()
        assert database[some[0]] == database[some[0].translate(turn)[::-1]] == expected[some[0]]
        found = database.get_many([*some, absent])
        assert isinstance(found, numpy.ndarray) and found.dtype == numpy.uint64
        assert found.tolist() == [expected[kmer] for kmer in some] + [expected.get(absent, 0)]
        if k <= 32:
            numbers = numpy.array([number(kmer) for kmer in some], dtype=numpy.uint64)
            assert database.get_many(numbers).tolist() == found.tolist()[:-1]
            assert database[number(some[0])] == expected[some[0]]
    counts, how_many = database.histogram()
    assert dict(zip(counts.tolist(), how_many.tolist())) == Counter(expected.values())
    if k <= 32:
        pairs = [pair for rows in database.batches(1000) for pair in zip(*(column.tolist() for column in rows))]
        assert dict(pairs) == {number(kmer): count for kmer, count in expected.items()}
    else:
        with pytest.raises(ValueError, match="letters"):
            database.batches()
    for wrong in ("ACGTN"[:k].ljust(k, "N"), "A"):
        if len(wrong) != k or "N" in wrong:
            with pytest.raises(ValueError, match="not a k-mer"):
                database[wrong]
    with pytest.raises(TypeError):
        database.get_many("ACGT")
    with pytest.raises(TypeError):
        pickle.dumps(database)


def test_databases_stay_or_go(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "reads.fastq"
    path.write_bytes(fastq(300, 4))
    for format in ("thk", "jellyfish", "kmc", "tsv", "fasta"):
        output = tmp_path / f"counts.{format}"
        database = thalweg.count(path, 7, output=output, format=format, min_count=2)  # type: ignore[arg-type]
        expected = {kmer: count for kmer, count in kmers(path, 7).items() if count > 1}
        assert dict(database) == expected, format
        assert dict(pickle.loads(pickle.dumps(database))) == expected
        kmer = next(iter(expected))
        assert thalweg.open_database(output)[kmer] == expected[kmer]
    temporary = thalweg.count(path, 7)
    place = pathlib.Path(temporary.path)
    assert place.exists()
    del temporary
    assert not place.parent.exists()
    shutil.rmtree(place.parent, ignore_errors=True)
    with pytest.raises(ValueError, match="memory"):
        thalweg.count(path, 7, memory="much")
    with pytest.raises(thalweg.Error):
        thalweg.count(path, 999)


@needs_command
def test_labels_are_the_commands(tmp_path: pathlib.Path) -> None:
    from conftest import ROOT

    genomes = sorted(ROOT.glob("data/*.fna.gz"))
    database = tmp_path / "genomes.tht"
    build = [COMMAND, "taxa", "build", "-k", "20", "--taxonomy", ROOT / "data/taxonomy", *genomes, "-o", database]
    subprocess.run(build, capture_output=True, check=True)
    reads = ROOT / "data/barcodes.first300.fq.gz"
    for rule in ("posterior", "lca"):
        labels, report = tmp_path / "labels.tsv", tmp_path / "report"
        command = [COMMAND, "classify", database, reads, "--rule", rule, "-o", labels, "--report", report]
        subprocess.run(command, capture_output=True, check=True)
        ours = tmp_path / "ours.tsv"
        found = thalweg.classify(database, thalweg.open(reads), output=ours, rule=rule)  # type: ignore[arg-type]
        assert ours.read_text() == labels.read_text() and found["report"] == report.read_text()
        lines = labels.read_text().splitlines()
        assert found["reads"] == len(lines) == 300
        assert found["classified"] == sum(line.startswith("C") for line in lines)
        called = Counter(int(line.split("\t")[2]) for line in lines if line.startswith("C"))
        assert {taxon["taxid"]: taxon["direct"] for taxon in found["taxa"] if taxon["direct"]} == called
    before = reads.read_bytes()
    with pytest.raises(thalweg.Error, match="input"):
        thalweg.classify(database, thalweg.open(reads), output=reads)
    assert reads.read_bytes() == before
    with pytest.raises(thalweg.Error):
        thalweg.classify(reads, thalweg.open(reads))
    with pytest.raises(ValueError, match="'rule'"):
        thalweg.classify(database, thalweg.open(reads), rule="best")  # type: ignore[arg-type]

    # Each page is checked before it is used, mapped or preloaded; nothing is written by one that is damaged.
    preloaded = thalweg.classify(database, thalweg.open(reads), preload=True)
    assert preloaded["report"] == thalweg.classify(database, thalweg.open(reads))["report"]
    damaged = bytearray(database.read_bytes())
    records = int.from_bytes(damaged[128 + 32 * 7 + 8 :][:8], "little")
    size = int.from_bytes(damaged[128 + 32 * 7 + 16 :][:8], "little")
    damaged[records : records + size] = bytes(size)
    database.write_bytes(damaged)
    ours.unlink()
    for preload in (False, True):
        with pytest.raises(thalweg.Error, match="RECS: the checksum of the page at byte"):
            thalweg.classify(database, thalweg.open(reads), output=ours, preload=preload)
        assert not ours.exists()
