"""What is measured of FastQC's reports: the link named `fastqc`, and `qc --fastqc`, beside FastQC and falco."""

import statistics

from .cleaning import text_bytes
from .measure import Check, Entry, Group

# Processor time of FastQC and falco, and threads, that were set as aims.
OF_FASTQC = 14
OF_FALCO = 1 / 0.8
TWO_THREADS = 1 / 0.6


def groups(tools, data, scratch):
    """Read 1 of the pairs that are cleaned, compressed, without an index and with one."""
    for kind in ("novaseq", "hiseq"):
        reads = data / f"pairs-{kind}_R1.fastq.gz"
        yield reporting(tools, scratch, f"fastqc-{kind}", reads)
        yield beside_cleaning(tools, scratch, f"qc-fastqc-{kind}", reads)


def reporting(tools, scratch, name, reads):
    """A report on one file."""
    folder = scratch / name
    link = folder / "bin" / "fastqc"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(tools.thalweg)

    def into(label):
        directory = folder / label
        directory.mkdir(exist_ok=True)
        return directory, directory / f"{reads.name.removesuffix('.fastq.gz')}_fastqc.zip"

    entries = []
    for threads in (1, 2):
        directory, archive = into("thalweg")
        entries.append(Entry(f"thalweg's fastqc, {threads}", [link, "-q", "-t", threads, "-o", directory, reads],
                             threads, output=archive, fresh=[archive]))
    directory, archive = into("fastqc")
    entries.append(Entry("FastQC, 1", ["fastqc", "-q", "-o", directory, reads], 1, output=archive, fresh=[archive],
                         note="one thread for a file, and Java's own"))
    directory, _ = into("falco")
    entries.append(Entry("falco, 1", ["falco", "-q", "-o", directory, reads], 1, note="if it is there: no package has its newest"))

    def less(rival):
        def value(all):
            ours, theirs = all.get("thalweg's fastqc, 1"), all.get(rival)
            return statistics.median(theirs.cpu) / statistics.median(ours.cpu) if ours and theirs else None
        return value

    def of_two(all):
        one, two = all.get("thalweg's fastqc, 1"), all.get("thalweg's fastqc, 2")
        return one.median / two.median if one and two else None

    checks = [
        Check("processor time of FastQC, times", less("FastQC, 1"), OF_FASTQC, direction="min"),
        Check("processor time of falco, times", less("falco, 1"), OF_FALCO, direction="min"),
        Check("two threads: times as fast as one", of_two, TWO_THREADS, direction="min"),
    ]
    return Group(name, reads.name, entries, checks, [reads], text_bytes([reads]))


def beside_cleaning(tools, scratch, name, reads):
    """What reports before and after cleaning add to cleaning."""
    folder = scratch / name
    folder.mkdir(exist_ok=True)
    entries = []
    for label, more in (("thalweg qc", []), ("thalweg qc --fastqc", ["--fastqc", folder])):
        out = folder / "clean.fastq"
        entries.append(Entry(f"{label}, 1", [tools.thalweg, "qc", reads, "-o", out, "-j", folder / "fastp.json", "-h", folder / "fastp.html",
                                             "--no_sync", "--quiet", "-w", 1, *more], 1, output=out, fresh=[out]))

    def added(all):
        without, reports = all.get("thalweg qc, 1"), all.get("thalweg qc --fastqc, 1")
        if not (without and reports):
            return None
        return (statistics.median(reports.cpu) - statistics.median(without.cpu)) / statistics.median(without.cpu)

    checks = [Check("processor time that reports add, of that of qc", added, 1.0)]
    return Group(name, f"reads of {reads.name}", entries, checks, [reads], text_bytes([reads]))
