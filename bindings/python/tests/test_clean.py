"""Cleaned reads, beside the command."""

from __future__ import annotations

import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
from typing import Any

import pytest
import thalweg
from conftest import fastq
from test_jobs import COMMAND, needs_command


def told(report: dict[str, Any]) -> dict[str, Any]:
    """But for the command line, which a script has none of."""
    return {key: value for key, value in report.items() if key != "command"}


@needs_command
@pytest.mark.parametrize(
    "steps",
    [
        {},
        {"cut_right": True, "cut_mean_quality": 25, "length_required": 40},
        {"disable_adapter_trimming": True, "trim_front1": 3, "max_len1": 90, "dedup": True},
        {"adapter_sequence": "AGATCGGAAGAGC", "low_complexity_filter": True, "average_qual": 20, "trim_poly_x": True},
        {"umi": True, "umi_loc": "read1", "umi_len": 6, "n_base_limit": 0},
    ],
)
def test_single_reads_are_the_commands(tmp_path: pathlib.Path, steps: dict[str, Any]) -> None:
    path = tmp_path / "reads.fastq.gz"
    path.write_bytes(gzip.compress(fastq(8000), 4))
    names = {side: [tmp_path / f"{side}.{name}" for name in ("out.fq.gz", "failed.fq", "json")] for side in ("ours", "theirs")}
    options = []
    for name, value in steps.items():
        options += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    out, failed, report = names["theirs"]
    command = [COMMAND, "qc", path, "-o", out, "--failed_out", failed, "-j", report, "--quiet", *options]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    expected = json.loads(report.read_text()), gzip.decompress(out.read_bytes()), failed.read_bytes()
    out, failed, report = names["ours"]
    cleaned = thalweg.qc(path, out1=out, failed_out=failed, json=report, **steps)  # type: ignore[arg-type]
    assert gzip.decompress(out.read_bytes()) == expected[1] and failed.read_bytes() == expected[2]
    assert report.read_text() == cleaned.json
    assert told(cleaned.report) == told(expected[0])
    assert cleaned.passed == cleaned.report["summary"]["after_filtering"]["total_reads"] > 0


@needs_command
def test_pairs_are_the_commands(mates_gz: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path) -> None:
    out = [tmp_path / name for name in ("1.fq", "2.fq", "u.fq", "m.fq", "theirs.json")]
    command = [COMMAND, "qc", *mates_gz, "-o", out[0], "-O", out[1], "--unpaired1", out[2], "-j", out[4], "--quiet", "--correction"]
    subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
    expected = [path.read_bytes() for path in out[:3]]
    ours = [tmp_path / f"ours.{name}" for name in ("1.fq", "2.fq", "u.fq")]
    cleaned = thalweg.qc(*mates_gz, out1=ours[0], out2=ours[1], unpaired1=ours[2], correction=True, threads=3)
    assert [path.read_bytes() for path in ours] == expected
    assert told(cleaned.report) == told(json.loads(out[4].read_text()))
    assert cleaned.adapters == (None, None) and "pass" in repr(cleaned)


@needs_command
def test_lists_in_files_are_the_commands(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "reads.fastq"
    # A third of the comments names an index.
    path.write_bytes(fastq(3000))
    front, first, second = tmp_path / "front.fasta", tmp_path / "first.txt", tmp_path / "second.txt"
    front.write_text(">front\nACGTACGTACGT\n")
    first.write_text("ACGA\n")
    second.write_text("TTTT\n")
    lists: dict[str, Any] = {"adapter_fasta_5p": front, "filter_by_index1": first, "filter_by_index2": second}
    out, report = tmp_path / "theirs.fq", tmp_path / "theirs.json"
    passed = []
    for threshold in (0, 1):
        options = [part for name, value in lists.items() for part in (f"--{name}", value)]
        options += ["--filter_by_index_threshold", str(threshold)]
        command = [COMMAND, "qc", path, "-o", out, "-j", report, "--quiet", *options]
        subprocess.run(command, check=True, capture_output=True, cwd=tmp_path)
        ours = tmp_path / "ours.fq"
        cleaned = thalweg.qc(path, out1=ours, **lists, filter_by_index_threshold=threshold)
        assert ours.read_bytes() == out.read_bytes()
        assert told(cleaned.report) == told(json.loads(report.read_text()))
        passed.append(cleaned.passed)
    # One letter is another one.
    assert 0 < passed[1] < passed[0]
    with pytest.raises(FileNotFoundError, match="none.txt"):
        thalweg.qc(path, filter_by_index1=tmp_path / "none.txt")


def test_what_makes_no_sense(tmp_path: pathlib.Path, mates_gz: tuple[pathlib.Path, pathlib.Path]) -> None:
    path = tmp_path / "reads.fastq"
    path.write_bytes(fastq(10))
    with pytest.raises(TypeError, match="'cut_rigth'"):
        thalweg.qc(path, cut_rigth=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'length_required'"):
        thalweg.qc(path, length_required="long")  # type: ignore[arg-type]
    for name, value in (("average_qual", 1000), ("trim_front1", -1), ("umi_loc", "nowhere"), ("compression", 0)):
        with pytest.raises(ValueError, match=f"'{name}'"):
            thalweg.qc(path, **{name: value})  # type: ignore[arg-type]
    with pytest.raises(thalweg.UsageError):
        thalweg.qc(path, merge=True)
    with pytest.raises(FileNotFoundError):
        thalweg.qc(tmp_path / "none.fq")
    out = tmp_path / "out.fq"
    with pytest.raises(thalweg.Error, match="input"):
        thalweg.qc(path, out1=path)
    short = tmp_path / "short.fastq"
    short.write_bytes(fastq(4999, mate="/2"))
    with pytest.raises(thalweg.MatesError):
        thalweg.qc(mates_gz[0], short, out1=out, out2=tmp_path / "out2.fq")
    assert not out.exists()


def test_it_is_interrupted(tmp_path: pathlib.Path) -> None:
    place, out = tmp_path / "pipe", tmp_path / "out.fq"
    os.mkfifo(place)
    # What comes is not all: the pipe stays open.
    script = f"import time; pipe = open({str(place)!r}, 'w'); pipe.write('@a\\nA\\n+\\nI\\n' * 100000); pipe.flush(); time.sleep(60)"
    writer = subprocess.Popen([sys.executable, "-c", script])
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            thalweg.qc(place, out1=out)
    finally:
        timer.cancel()
        writer.kill()
        writer.wait()
    assert not out.exists()
