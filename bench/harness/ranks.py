"""What is measured of `thalweg-mpi count`: processor time beside one process, and bytes on the wire.

Programs are those of scripts/mpi-build.sh --release; groups of an MPI that is not there leave themselves out. No database is
written. Wall times of programs that were started in different ways do not compare (the system gives each launcher a share of its
own), so checks are of processor seconds.
"""

import re
import statistics
import subprocess

from .counting import made
from .measure import Check, Entry, Group, strings

MPI = ("openmpi", "mpich")
# Bytes on the wire for each k-mer, had all gone over it.
WIRE = {22: 1.3, 31: 1.2}
# A k-mer is sent if another rank owns it: half of them, of two ranks.
SENT_OF_TWO = 0.5


def groups(tools, data, scratch):
    text = data / "deep.fastq"
    for library in MPI:
        for k in WIRE:
            yield counts(tools, scratch, library, k, text)


def counts(tools, scratch, library, k, text):
    name = f"ranks-{library}-{k}"
    folder = made(scratch / name)
    one_process, entries, wire = [], [], {}
    for threads in (1, 2):
        histo = folder / f"one-{threads}.histo"
        command = [tools.thalweg, "count", "-q", "-k", k, "-t", threads, text, "--histo", histo]
        one_process.append(Entry(f"thalweg count, {threads}", command, threads))
    program = tools.thalweg.parent.parent / "mpi" / f"thalweg-mpi.{library}"
    flags = ["--allow-run-as-root", "--oversubscribe"] if library == "openmpi" else []
    # What is missing is looked for under the name of the command.
    launcher = f"mpirun.{library}" if program.exists() else program
    for ranks in (1, 2, 4):
        histo = folder / f"ranks-{ranks}.histo"
        command = [launcher, *flags, "-n", ranks, program, "count", "-k", k, "-t", 1, text, "--histo", histo]
        entries.append(Entry(f"{ranks} ranks", command, ranks,
                             verify=same_spectrum(one_process[0].command, command, folder / "one-1.histo", histo, wire, ranks)))
    checks = [
        cpu_ratio("1 rank: processor time / thalweg count -t 1", "1 ranks", "thalweg count, 1", 1.10),
        cpu_ratio("2 ranks: processor time / thalweg count -t 2", "2 ranks", "thalweg count, 2", 1.15),
        Check(f"bytes on the wire per k-mer, k = {k}", lambda _: wire.get(2), WIRE[k]),
    ]
    size = text.stat().st_size if text.exists() else 0
    return Group(name, f"{k}-mers of {text.name} by ranks of {library}, no output", one_process + entries, checks, [text], size)


def same_spectrum(one, ranks, expected, found, wire, number):
    """Counts of ranks are those of one process; what went over the wire is noted."""
    def verify():
        subprocess.run(strings(one), check=True, capture_output=True)
        done = subprocess.run(["timeout", "-k", "5", "300", *strings(ranks)], capture_output=True, text=True)
        if done.returncode:
            return f"exit code {done.returncode}: {done.stderr.strip()[-200:]}"
        sent = sum(float(size) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
                   for size, unit in re.findall(r"sent ([\d.]+) (B|[kMG]B)", done.stderr))
        kmers = int(re.search(r"thalweg-mpi: ([\d,]+) k-mers", done.stderr)[1].replace(",", ""))
        if number == 2:
            wire[number] = sent / (kmers * SENT_OF_TWO)
        return None if expected.read_bytes() == found.read_bytes() else "another spectrum than one process has"
    return verify


def cpu_ratio(title, ours, other, target):
    """Median processor seconds over those of another command."""
    def value(all):
        if ours not in all or other not in all:
            return None
        return statistics.median(all[ours].cpu) / statistics.median(all[other].cpu)
    return Check(title, value, target)
