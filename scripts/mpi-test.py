#!/usr/bin/env python3
"""Counts by ranks of each MPI that is there, against one process; and with --all, what happens when ranks fail.

    scripts/mpi-test.py PROGRAM_OF_THALWEG [--all]

Programs are those of scripts/mpi-build.sh. Every job has a limit of time, as a launcher may wait for ever. TMPDIR is never set for
one: Open MPI keeps what ranks tell each other there.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 60
# A rank that fails ends the job in so many seconds.
SOON = 5
failures = []


def main():
    thalweg = sys.argv[1]
    programs = subprocess.run([ROOT / "scripts/mpi-build.sh"], stdout=subprocess.PIPE, text=True, check=True)
    programs = programs.stdout.split()
    if not programs:
        print("SKIPPED: no MPI: apt-get install openmpi-bin libopenmpi-dev mpich libmpich-dev")
        return 0
    if len(programs) < 2:
        print(f"note: one MPI of two is there: {programs[0]}")
    with tempfile.TemporaryDirectory(prefix="thalweg-mpi-test-") as directory:
        directory = pathlib.Path(directory)
        reads = [make_reads(directory / "a.fq"), ROOT / "data/nanopore.fq.gz", make_reads(directory / "b.fq", 5000, 72)]
        one = expected(thalweg, reads, directory)
        for program in programs:
            for ranks in (1, 2, 3, 4, 8) if "--all" in sys.argv else (1, 2, 3):
                counts(program, ranks, reads, one, thalweg, directory)
            if "--all" in sys.argv:
                faults(program, reads, directory)
        if len(programs) == 2:
            crossed(programs, reads, directory)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    print("mpi: ok" if not failures else f"mpi: {len(failures)} failed")
    return 1 if failures else 0


def make_reads(path, number=20_000, length=150):
    """FASTQ of a genome that is the same each time, some of it of one letter."""
    source = random.Random(number)
    genome = "".join(source.choices("ACGT", k=100_000))
    with open(path, "w") as file:
        for i in range(number):
            start = source.randrange(len(genome) - length)
            read = genome[start : start + length] if i % 5 else "A" * length
            file.write(f"@{i}\n{read}\n+\n{'I' * length}\n")
    return path


def dump(thalweg, database):
    return subprocess.run([thalweg, "kmers", "dump", database], stdout=subprocess.PIPE, check=True).stdout


def expected(thalweg, reads, directory):
    one = {}
    for k in (31, 22):
        path = directory / f"{k}.thk"
        subprocess.run([thalweg, "count", "-q", "-k", str(k), "-o", path, *reads], check=True)
        one[k] = dump(thalweg, path)
    return one


def command(program, ranks, *arguments):
    library = program.rsplit(".", 1)[1]
    flags = ["--allow-run-as-root", "--oversubscribe"] if library == "openmpi" else []
    return [f"mpirun.{library}", *flags, "-n", str(ranks), program, "count", "-k", "31", *map(str, arguments)]


def counts(program, ranks, reads, one, thalweg, directory):
    for k, threads, memory in ((31, 1, "256Mi"), (22, 2, "256Mi"), (31, 1, "28Mi")):
        what = f"{program.rsplit('.', 1)[1]}, {ranks} ranks, k = {k}, {threads} threads, {memory}"
        output = directory / "set"
        arguments = ["-t", threads, "--memory", memory, "--chunk", "300K", "-k", k, "-o", output, *reads]
        job = command(program, ranks, *arguments)
        # The first -k is that of faults.
        del job[job.index("-k") : job.index("-k") + 2]
        done = subprocess.run(["timeout", "-k", "5", str(LIMIT), *job], stderr=subprocess.PIPE, text=True)
        check(done.returncode == 0, f"{what}: exit code {done.returncode}: {done.stderr}")
        if done.returncode == 0:
            check(dump(thalweg, output) == one[k], f"{what}: other k-mers than one process has")
            check(len(list(output.iterdir())) == ranks + 1, f"{what}: {list(output.iterdir())}")
            lines = re.findall(r"^rank \d+ .*sent", done.stderr, re.MULTILINE)
            check(len(lines) == ranks, f"{what}: a line for each rank: {done.stderr}")
        shutil.rmtree(output, ignore_errors=True)
        print(f"counted: {what}", flush=True)


def faults(program, reads, directory):
    library = program.rsplit(".", 1)[1]
    damaged = directory / "damaged.fq.gz"
    damaged.write_bytes((ROOT / "data/nanopore.fq.gz").read_bytes()[:900_000])
    malformed = directory / "malformed.fq"
    malformed.write_bytes(reads[0].read_bytes()[:-700] + b"@@@@\n" * 20)
    full = directory / "full"
    full.mkdir(exist_ok=True)
    is_mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "tmpfs", full], stderr=subprocess.DEVNULL).returncode == 0
    large = make_reads(directory / "large.fq", 60_000, 150)
    table = [
        ("a file that is cut short", 1, "damaged.fq.gz", [damaged]),
        ("a file with a fault", 1, "malformed.fq", [malformed]),
        ("a file that is not there", 2, "nowhere.fq", ["nowhere.fq"]),
        ("the standard input of several ranks", 2, "one reader", ["-"]),
        ("too little memory", 2, "memory", ["--memory", "1Mi"]),
        ("a directory of something else", 2, "is not empty", ["-o", directory]),
    ]
    if is_mounted:
        table.append(("a full disk", 2, "No space left", [large, "-t", "1", "--memory", "28Mi", "--tmp", full]))
    else:
        print("SKIPPED: a full disk: tmpfs cannot be mounted")
    for name, code, words, arguments in table:
        output = directory / "set"
        where = [] if "-o" in arguments else ["-o", output]
        begin = time.monotonic()
        threads = [] if "-t" in arguments else ["-t", "2"]
        job = command(program, 3, *threads, "--chunk", "300K", *where, *reads, *arguments)
        done = subprocess.run(["timeout", "-k", "5", str(LIMIT), *job], stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        judge(f"{library}: {name}", done.returncode, code, done.stderr, words, time.monotonic() - begin, output)
        check("rank " in done.stderr, f"{library}: {name}: no rank is named")
    if is_mounted:
        subprocess.run(["umount", full], check=True)
    killed(program, [large], directory)


def crossed(programs, reads, directory):
    """Ranks that the launcher of the other MPI has started would each count all, to one place."""
    for program, other in (programs, programs[::-1]):
        job = command(other, 2, "-t", "1", "-o", directory / "set", *reads)
        job[job.index(other)] = program
        begin = time.monotonic()
        done = subprocess.run(["timeout", "-k", "5", str(LIMIT), *job], stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        what = f"{pathlib.Path(program).name} by {job[0]}"
        judge(what, done.returncode, None, done.stderr, "MPI knows of this one alone", time.monotonic() - begin, directory / "set")


def killed(program, reads, directory):
    """A rank that is killed cannot say so: the launcher ends the job."""
    library = program.rsplit(".", 1)[1]
    output = directory / "set"
    begin = time.monotonic()
    # So many small claims take some seconds.
    job = subprocess.Popen(
        ["timeout", "-k", "5", str(LIMIT), *command(program, 3, "-t", "1", "--chunk", "1K", "-o", output, *reads * 20)],
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )
    victim = None
    while victim is None and job.poll() is None and time.monotonic() - begin < 20:
        ranks = children(job.pid, os.path.basename(program))
        if len(ranks) == 3:
            time.sleep(0.5)
            victim = ranks[1]
            os.kill(victim, signal.SIGKILL)
        else:
            time.sleep(0.05)
    begin = time.monotonic()
    _, said = job.communicate()
    check(victim is not None, f"{library}: no rank to kill")
    judge(f"{library}: a rank that is killed", job.returncode, None, said, "", time.monotonic() - begin, output)


def children(root, name):
    """The processes below `root` that run a program of this name."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state = (entry / "stat").read_text()
                program = (entry / "cmdline").read_bytes().split(b"\0")[0].decode()
            except OSError:
                continue
            parents[int(entry.name)] = (int(state.rsplit(")", 1)[1].split()[1]), os.path.basename(program))
    def is_below(process):
        while process in parents and process != root:
            process = parents[process][0]
        return process == root
    return sorted(process for process in parents if parents[process][1] == name and is_below(process))


def judge(what, found, code, said, words, seconds, output):
    check(found not in (0, 124, 137) or (code is None and found == 137), f"{what}: exit code {found}: {said}")
    check(code is None or found == code, f"{what}: exit code {found} instead of {code}: {said}")
    check(words in said, f"{what}: does not say '{words}': {said}")
    check(seconds < SOON, f"{what}: took {seconds:.1f} s")
    check(not (output / "manifest.json").exists(), f"{what}: has a manifest")
    # A rank that another one aborts, or a signal ends, cannot remove its lock: the system takes that back, and the next run the file.
    left = [path.name for path in output.glob("*") if not path.name.endswith(".unfinished") and path.name != "thalweg.lock"]
    check(not left, f"{what}: {left} is left")
    shutil.rmtree(output, ignore_errors=True)
    print(f"failed as it should, after {seconds:.1f} s: {what}", flush=True)


def check(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
