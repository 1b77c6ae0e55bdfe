"""Threads, signals and forks."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pytest
import thalweg
from conftest import fastq
from thalweg import _thalweg as records_module


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def settles_at(number: int) -> bool:
    for _ in range(200):
        if threads() <= number:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_threads_live_as_long_as_an_iteration(reads_gz: pathlib.Path) -> None:
    pa.table(thalweg.open(reads_gz, threads=1))
    before = threads()
    reads = thalweg.open(reads_gz, threads=3)
    assert threads() == before
    iteration = iter(reads)
    next(iteration)
    assert threads() > before
    del iteration
    gc.collect()
    assert settles_at(before)
    iteration = iter(reads)
    next(iteration)
    iteration.close()
    assert settles_at(before) and list(iteration) == []
    stream = pa.RecordBatchReader.from_stream(reads.select(records=100))
    stream.read_next_batch()
    del stream
    gc.collect()
    assert settles_at(before)
    # Values lie ready that nobody takes.
    tables = reads.select().tables()
    next(tables)
    time.sleep(0.1)
    assert threads() > before
    del tables
    gc.collect()
    assert settles_at(before)
    tables = reads.select().tables()
    next(tables)
    tables.close()
    assert settles_at(before) and list(tables) == []


def test_others_run_meanwhile(tmp_path: pathlib.Path) -> None:
    # A pipe of which nothing comes holds up nobody else.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    names: list[str] = []
    reader = threading.Thread(target=lambda: names.extend(read.name for read in thalweg.open(pipe)))
    reader.start()
    with pipe.open("wb") as file:
        file.write(fastq(2000))
        file.flush()
        start = time.monotonic()
        while time.monotonic() < start + 0.2:
            sum(range(1000))
        assert reader.is_alive()
    reader.join(10)
    assert len(names) == 2000


def test_a_pipe_is_read_once(tmp_path: pathlib.Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(fastq(100)))
    writer.start()
    reads = thalweg.open(pipe)
    assert sum(1 for _ in reads) == 100
    writer.join()
    with pytest.raises(thalweg.UsageError, match="once"):
        iter(reads)


SCRIPTS = {
    "iteration": "for read in thalweg.open(path): pass",
    "opening": "thalweg.open(path)",
    "tables": "for rows in thalweg.open(path).select(['length']).tables(): pass",
    "batches": "import pyarrow; pyarrow.table(thalweg.open(path))",
    "count": "thalweg.count(path, 21)",
    "statistics": "thalweg.stats(path)",
    "bytes": "thalweg.open_raw(path).read()",
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_interrupts_are_heard(what: str, tmp_path: pathlib.Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = f"import thalweg; path = {str(pipe)!r}; print('begun', flush=True)\n{SCRIPTS[what]}"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"begun\n"
        writer = os.open(pipe, os.O_RDWR)
        if what != "opening":
            os.write(writer, fastq(100))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        errors = process.stderr.read()
        process.wait(20)
        os.close(writer)
        assert b"KeyboardInterrupt" in errors, errors
        assert time.monotonic() - start < 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_is_told_and_does_not_hang(reads_gz: pathlib.Path) -> None:
    reads = thalweg.open(reads_gz, threads=2)
    iteration = iter(reads)
    next(iteration)
    tables = reads.select(["length"]).tables()
    rows = len(next(tables))
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        outcome = b"nothing"
        try:
            for _ in iteration:
                pass
        except RuntimeError as error:
            outcome = b"told" if "forked" in str(error) else repr(error).encode()
        try:
            next(tables)
            outcome += b", no error"
        except RuntimeError:
            pass
        try:
            del iteration, tables
            # What was only described can be read there.
            outcome += b" %d" % sum(1 for _ in reads)
        finally:
            os.write(sender, outcome)
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as file:
        assert file.read() == b"told 20000"
    os.waitpid(child, 0)
    assert 1 + sum(1 for _ in iteration) == 20_000
    assert rows + sum(len(more) for more in tables) == 20_000


def lengths(reads: thalweg.Reads) -> int:
    return sum(len(read) for read in reads)


def test_shards_go_to_other_processes(reads_gz: pathlib.Path) -> None:
    reads = thalweg.open(reads_gz, threads=1)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        parts = pool.map(lengths, [reads.shard(number, 4) for number in range(4)])
        ranks = pool.map(lengths, [reads.records(0, 5000), reads.records(5000, 5001), reads.records(5001)])
    assert sum(parts) == sum(ranks) == lengths(reads) and all(parts) and all(ranks)


def run(script: str, *arguments: object) -> str:
    """What it prints; one that hangs, or that ends in another way than by its end, fails."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def test_threads_of_python_share_a_description(reads_gz: pathlib.Path) -> None:
    script = """
import sys, threading, thalweg
reads = thalweg.open(sys.argv[1], threads=1)
found = []
def begin():
    for _ in range(50):
        found.append(next(iter(reads)).name)
        reads.indexed
threads = [threading.Thread(target=begin) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(found), set(found))
"""
    assert run(script, reads_gz) == "200 {'read0'}\n"


@pytest.mark.parametrize("kept", ["iter(reads)", "reads.select().tables()", "reads.batches()", "pa.RecordBatchReader.from_stream(reads)"])
def test_the_interpreter_ends_with_iterations_under_way(kept: str, reads_gz: pathlib.Path) -> None:
    script = f"""
import sys, pyarrow as pa, thalweg
reads = thalweg.open(sys.argv[1], threads=3)
kept = {kept}
next(iter(kept))
# In a circle, which is let go of at the very end.
class Holder: pass
holder = Holder()
holder.itself, holder.kept = holder, kept
print("over")
"""
    assert run(script, reads_gz) == "over\n"


def fields(record: thalweg.Record) -> tuple[object, ...]:
    views = (record.header_bytes, record.sequence_bytes, record.quality_bytes)
    text = (record.name, record.description, record.header, record.sequence, record.quality)
    return (*text, *[view and bytes(view) for view in views], record.rank, len(record))


def test_records_are_pickled_and_copied(tmp_path: pathlib.Path) -> None:
    fastq_path, fasta_path = tmp_path / "a.fq", tmp_path / "a.fa"
    fastq_path.write_bytes(b"@a b\xff c\r\r\nACGTN\r\n+\n!~I+@\n@b\n\n+\n\n@c\nT\n+\n@\n")
    fasta_path.write_bytes(b">a b\nACG\r\nTA\n>b\n>c")
    for path in (fastq_path, fasta_path):
        records = list(thalweg.open(path, threads=1))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(records, protocol))
            assert [fields(record) for record in again] == [fields(record) for record in records]
        for one in (copy.copy, copy.deepcopy):
            assert [fields(one(record)) for record in records] == [fields(record) for record in records]
    pairs = list(thalweg.open_mates(fastq_path, fastq_path, check_names=False, threads=1))
    again = pickle.loads(pickle.dumps(pairs))
    assert [len(pair) for pair in again] == [2, 2, 2]
    assert [fields(mate) for pair in again for mate in pair] == [fields(mate) for pair in pairs for mate in pair]


def test_records_go_to_a_pool(reads_gz: pathlib.Path) -> None:
    records = list(thalweg.open(reads_gz))[:50]
    expected = [fields(record) for record in records]
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(fields, records) == expected


def test_what_is_no_record_is_not_restored() -> None:
    restore = records_module.restore_record
    for header, sequence, quality in [
        (b"a", b"AC", b"I"),
        (b"a\nA\n>b", b"A", None),
        (b"a", b"AC\nGT", None),
        (b"a", b"A\n+\nI\n@b\nA", b"I"),
    ]:
        with pytest.raises(ValueError):
            restore(header, sequence, quality, None)
