"""Real reads to compare with, and what makes files of them."""

from __future__ import annotations

import gzip
import pathlib
import random
import signal

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "data"


def _files() -> list[pathlib.Path]:
    found = sorted(ROOT.glob("data/*.f*q.gz"))
    if SHARED.is_dir():
        found += sorted(path for path in SHARED.glob("reads/*/*") if path.suffix in (".gz", ".bz2", ".zst", ".fastq", ".fq"))
    return found


FILES = _files()


def pytest_configure() -> None:
    # A shell has what it runs in the background ignore Ctrl-C, and what that starts inherits it: tests of interrupts would wait.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "real_file" in metafunc.fixturenames:
        metafunc.parametrize("real_file", FILES, ids=[path.name for path in FILES])


def fastq(records: int, seed: int = 1, *, mate: str = "") -> bytes:
    """Reads with names, comments, qualities and lengths of all kinds."""
    chance = random.Random(seed)
    lines = []
    for number in range(records):
        length = chance.choice([1, 35, 100, 100, 150, 151])
        bases = "".join(chance.choices("ACGTN", weights=[8, 8, 8, 8, 1], k=length))
        quality = "".join(chance.choices("!#,:FI~", k=length))
        comment = chance.choice(["", " 1:N:0:ACGT", "\ttab"])
        lines.append(f"@read{number}{mate}{comment}\n{bases}\n+\n{quality}\n")
    return "".join(lines).encode()


@pytest.fixture(scope="session")
def reads_gz(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """20,000 reads in one gzip member, with an index of many checkpoints."""
    import thalweg

    path = tmp_path_factory.mktemp("reads") / "reads.fastq.gz"
    path.write_bytes(gzip.compress(fastq(20_000), 4))
    thalweg.index(path, span=200_000)
    return path


@pytest.fixture(scope="session")
def mates_gz(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, pathlib.Path]:
    """Mates of different lengths, without indexes."""
    folder = tmp_path_factory.mktemp("mates")
    paths = folder / "r1.fastq.gz", folder / "r2.fastq.gz"
    for number, path in enumerate(paths, 1):
        path.write_bytes(gzip.compress(fastq(5_000, number, mate=f"/{number}"), 4))
    return paths
