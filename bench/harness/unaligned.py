"""What is measured of BAM as an input: FASTQ made of it, beside samtools."""

import itertools
import pathlib
import subprocess
import sys

from . import verify
from .counting import made, ratio
from .measure import Entry, Group, strings
from .ranks import cpu_ratio

MAKE_SAM = pathlib.Path(__file__).resolve().parent.parent / "make-nanopore-sam"


def groups(tools, data, scratch):
    """Short reads without tags, and long ones with those of a basecaller."""
    folder = made(scratch / "bam")
    reads = data / "hiseq-2of8.fastq"
    short = folder / "short.bam"
    make = [["samtools", "import", "-0", reads, "-o", short]]
    yield group("bam-short", f"FASTQ of BAM of {reads.name}", tools, short, make, [reads], {"": 0.65},
                lambda command: without_comments(command, reads))
    packed = data / "real-long.fastq.gz"
    sam, long = folder / "long.sam", folder / "long.bam"
    make = [[sys.executable, MAKE_SAM, packed, sam], ["samtools", "view", "-b", "-o", long, sam]]
    yield group("bam-long", f"FASTQ of BAM of {packed.name}, with a basecaller's tags", tools, long, make, [packed],
                {"": 0.80, " -T '*'": 0.65}, lambda command: as_samtools(command, long))


def group(name, title, tools, bam, make, warm, targets, verified):
    """`targets` are of processor time on one thread, by option."""
    entries, checks = [], []
    for option, target in targets.items():
        words = ["-T", "*"] if option else []
        for threads in (1, 2):
            command = [tools.thalweg, "cat", "--threads", threads, *words, bam]
            entries.append(Entry(f"thalweg cat{option}, {threads}", command, threads, make, verified(command)))
            command = ["samtools", "fastq", *words, "-@", 0 if threads == 1 else threads, bam]
            entries.append(Entry(f"samtools fastq{option}, {threads}", command, threads, make,
                                 note="" if threads == 1 else "a thread more, which writes FASTQ"))
        checks.append(cpu_ratio(f"cat{option}, 1 thread: processor time / samtools fastq", f"thalweg cat{option}, 1",
                                f"samtools fastq{option}, 1", target))
        checks.append(ratio(f"cat{option}, 2 threads: time / samtools fastq -@ 2", f"thalweg cat{option}, 2",
                            [f"samtools fastq{option}, 2"], 0.70))
    # What both must do at least.
    entries.append(Entry("bgzip -dc", ["bgzip", "-dc", bam], 1, make, note="beside: decompresses only"))
    return Group(name, title, entries, checks, warm, 0)


def without_comments(command, reads):
    """The command prints all reads, with nothing behind their names."""

    def check():
        with open(reads, "rb") as text, subprocess.Popen(strings(command), stdout=subprocess.PIPE) as child:
            for number, (line, found) in enumerate(itertools.zip_longest(text, child.stdout, fillvalue=b"")):
                expected = line if number % 2 else b"+\n" if number % 4 else line.split()[0] + b"\n"
                if found != expected:
                    child.kill()
                    return f"line {number + 1} is {found[:60]!r}, not {expected[:60]!r}"
        return None if child.returncode == 0 else f"exit code {child.returncode}"

    return check


def as_samtools(command, bam):
    """The command prints what samtools prints with the same options."""

    def check():
        words = ["samtools", "fastq", *(["-T", "*"] if "*" in command else []), bam]
        found = []
        for asked in (command, words):
            with subprocess.Popen(strings(asked), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
                found.append(verify.digest(child.stdout))
        return None if found[0] == found[1] else "its output is not samtools'"

    return check
