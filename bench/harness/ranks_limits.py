"""What is measured of `thalweg-mpi count` beside its processor time: a slow rank, memory, the thread that exchanges."""

import json
import pathlib
import re
import statistics
import subprocess
import sys

from .counting import bytes_of, made
from .measure import Check, Entry, Group, strings
from .ranks import MPI

K = 31
RUNS = 7
# How many times as slow as the other one of two ranks is.
SLOWED = 10
LIMITS_MIB = (128, 256)
UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def groups(tools, data, scratch):
    text = data / "deep.fastq"
    for library in MPI:
        yield limits(tools, scratch, library, text)


def limits(tools, scratch, library, text):
    name = f"ranks-limits-{library}"
    folder = made(scratch / name)
    program = tools.thalweg.parent.parent / "mpi" / f"thalweg-mpi.{library}"
    flags = ["--allow-run-as-root", "--oversubscribe"] if library == "openmpi" else []
    launcher = f"mpirun.{library}" if program.exists() else program
    watch = [sys.executable, pathlib.Path(__file__).with_name("watch_rank.py"), "--out", folder]
    count = [program, "count", "-k", K, "-t", 1, "--no-progress", text, "--histo", folder / "ranks.histo"]
    job = [launcher, *flags, "-n"]
    one, two = [*job, 1, *watch, *count], [*job, 2, *watch, *count]
    slowed = [*job, 2, *watch, "--slow", 1, "--times", SLOWED, *count]
    found = {}

    def in_turns():
        """One rank alone, two, and two of which one is slow."""
        alone, slow, shares = [], [], []
        for _ in range(RUNS):
            said, problem = run(one)
            if problem is None:
                alone.append(reading(said))
                said, problem = run(two)
            if problem is None:
                ranks = [json.loads((folder / f"{rank}.json").read_text()) for rank in (0, 1)]
                shares.append(sum(rank["exchange"] for rank in ranks) / sum(rank["all"] for rank in ranks))
                said, problem = run(slowed)
            if problem is not None:
                return problem
            slow.append(reading(said))
        # Two ranks, of which one does a tenth, read as fast as 1.1 ranks.
        found["slow"] = statistics.median(slow) * (1 + 1 / SLOWED) / statistics.median(alone)
        found["share"] = statistics.median(shares)
        return None

    entries = [Entry("2 ranks, watched", two, 2, verify=in_turns, note="watch_rank.py has a part of the processor time"),
               Entry(f"2 ranks, one {SLOWED} times as slow", slowed, 2)]
    checks = [
        Check(f"time of reading, one of 2 ranks {SLOWED} times as slow / ideal", lambda _: found.get("slow"), 1.3),
        Check("processor time of threads that exchange / all", lambda _: found.get("share"), 0.08),
    ]
    for limit in LIMITS_MIB:
        command = [*job, 2, *count, "--memory", f"{limit}Mi", "--tmp", folder]
        entries.append(Entry(f"2 ranks --memory {limit}Mi", command, 2, verify=peak_of(command, limit, found)))
        checks.append(Check(f"peak memory of a rank, beyond --memory {limit}Mi", lambda _, limit=limit: found.get(limit), 32, "MiB"))
    return Group(name, f"{K}-mers of {text.name} by ranks of {library}", entries, checks, [text], bytes_of(text))


def run(command):
    """What a job says, or None and what is wrong."""
    done = subprocess.run(["timeout", "-k", "5", "300", *strings(command)], capture_output=True, text=True)
    if done.returncode:
        return None, f"exit code {done.returncode}: {done.stderr.strip()[-200:]}"
    return done.stderr, None


def reading(said):
    """Seconds until all ranks had read everything."""
    return max(float(seconds) for seconds in re.findall(r"stages ([\d.]+) and", said))


def peak_of(command, limit, found):
    def verify():
        said, problem = run(command)
        if problem is not None:
            return problem
        peaks = re.findall(r"peak memory ([\d.]+) (B|[kMG]B)", said)
        found[limit] = max(float(size) * UNITS[unit] for size, unit in peaks) / 2**20 - limit
        return None

    return verify
