"""What is measured of `thalweg kmers filter-reads` and `query --sequence`, beside kmc_tools and Jellyfish."""

import subprocess

from . import verify
from .counting import Truth, faster_than, made, peak
from .measure import Entry, Group, strings

K = 31
# Nothing but the table is what a lookup in memory needs; the rivals have the same k-mers in theirs.
TIMES = 5


def groups(tools, data, scratch):
    """Reads whose k-mers are looked up in a database of twice as many reads, theirs among them."""
    reads, source = data / "hiseq-1of8.fastq", data / "hiseq-2of8.fastq"
    folder = made(scratch / "kmers-lookup")
    truth = Truth(tools, source, K, folder)
    ours, kmc, jellyfish = folder / "ours.thk", folder / "kmc", folder / "jellyfish.jf"
    count = [tools.thalweg, "count", "-k", K, source, "-o", ours, "--quiet"]
    count_kmc = ["kmc", f"-k{K}", "-ci1", "-cs4294967295", "-hp", source, kmc, made(folder / "kmc.tmp")]
    count_jellyfish = ["jellyfish", "count", "-C", "-m", K, "-s", truth.slots_later, "-t", 2, "-o", jellyfish, source]
    entries, checks = [], []
    for threads in (1, 2):
        kept, kept_by_kmc = folder / f"ours-{threads}.fastq", folder / f"kmc-{threads}.fastq"
        command = [tools.thalweg, "kmers", "filter-reads", ours, reads, "-o", kept, "--threads", threads, "--quiet"]
        entries.append(Entry(f"thalweg kmers filter-reads, {threads}", command, threads, [count], verify.file_equals(command, kept, reads)))
        command = ["kmc_tools", f"-t{threads}", "-hp", "filter", kmc, "-ci1", reads, "-ci1", kept_by_kmc]
        entries.append(Entry(f"kmc_tools filter, {threads}", command, threads, [count_kmc], verify.file_equals(command, kept_by_kmc, reads)))
        label = f"thalweg kmers filter-reads, {threads}"
        checks.append(faster_than(label, f"kmc_tools filter, {threads}", TIMES))
        checks.append(peak(label, 1024))
    theirs = ["jellyfish", "query", "-s", reads, jellyfish]
    for threads in (1, 2):
        command = [tools.thalweg, "kmers", "query", ours, "--sequence", reads, "--threads", threads]
        label = f"thalweg kmers query --sequence, {threads}"
        entries.append(Entry(label, command, threads, [count]))
        checks.append(faster_than(label, "jellyfish query -s", TIMES))
    entries.append(Entry("jellyfish query -s", theirs, 1, [count_jellyfish], same_counts(command, theirs)))
    yield Group("kmers-lookup", f"{K}-mers of {reads.name} in those of {source.name}", entries, checks, [reads, source],
                reads.stat().st_size if reads.exists() else 0)


def same_counts(command, other):
    """Both commands print the same counts of the same k-mers, whatever stands between them."""

    def check():
        found = [lines_digest(words) for words in (command, other)]
        return None if found[0] == found[1] else "the two programs found other counts"

    return check


def lines_digest(command):
    with subprocess.Popen(strings(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        with subprocess.Popen(["tr", "\t", " "], stdin=child.stdout, stdout=subprocess.PIPE) as blanks:
            return verify.digest(blanks.stdout)
