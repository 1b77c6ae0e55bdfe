"""What is measured of tables and checks: `stats --seqkit` beside `seqkit stats -a`, and `verify --mates` beside fq lint."""

import subprocess

from .choosing import with_index
from .counting import made
from .measure import Entry, Group, strings
from .ranks import cpu_ratio

# Shares of a rival's processor time that were set as aims.
OF_SEQKIT = 0.15
OF_FQ = 0.6
# Each name with the number of its line, by how the file is kept.
NUMBERED = "awk 'NR % 4 == 1 { $1 = $1 \".\" NR } 1'"
NUMBER = {"plain": f'{NUMBERED} "$1" > "$2"', "gz": f'gzip -dc "$1" | {NUMBERED} | gzip -4 > "$2"'}
# Columns that mean the same in all versions of seqkit that are about.
COMMON = ["format", "type", "num_seqs", "sum_len", "min_len", "avg_len", "max_len", "sum_gap", "N50", "GC(%)"]


def groups(tools, data, scratch):
    """A file, plain and compressed; a pair, plain and compressed."""
    folder = made(scratch / "judging")
    for kind in ("fastq", "fastq.gz"):
        yield tables(tools, folder, data / f"pairs-hiseq_R1.{kind}")
        yield faults(tools, folder, [data / f"pairs-hiseq_R{mate}.{kind}" for mate in (1, 2)])


def tables(tools, folder, reads):
    """All columns of seqkit's table."""
    link, prepare = with_index(tools, folder, reads) if reads.suffix == ".gz" else (reads, [])
    theirs = ["seqkit", "stats", "-a", "-T", "-j", 1, reads]
    entries = []
    for threads in (1, 2):
        command = [tools.thalweg, "stats", "--seqkit", "-t", threads, link]
        entries.append(Entry(f"thalweg stats --seqkit, {threads}", command, threads, prepare, same_columns(command, theirs)))
    entries += [
        Entry("thalweg, no index, 1", [tools.thalweg, "stats", "--seqkit", "-t", 1, "--index", "never", reads], 1),
        Entry("seqkit stats -a, 1", theirs, 1),
    ]
    checks = [
        cpu_ratio("processor time / seqkit stats -a", "thalweg stats --seqkit, 1", "seqkit stats -a, 1", OF_SEQKIT),
        cpu_ratio("without an index: processor time / seqkit stats -a", "thalweg, no index, 1", "seqkit stats -a, 1", OF_SEQKIT),
    ]
    return Group(f"stats-seqkit-{kind(reads)}", f"seqkit's table of {reads.name}", entries, checks, [reads], size(reads))


def faults(tools, folder, mates):
    """All rules of fq lint, with names of mates and names that come again, of a pair that has no fault.

    A few of a million simulated names come twice: they are numbered here.
    """
    numbered, prepare = [], []
    for mate in mates:
        numbered.append(folder / f"numbered-{mate.name}")
        prepare.append(["sh", "-c", NUMBER[kind(mate)], "number", mate, numbered[-1]])
    if kind(mates[0]) == "gz":
        prepare.append([tools.thalweg, "index", "-q", "--force", *numbered])
    verify = [tools.thalweg, "verify", "--mates", "-t"]
    entries = [
        Entry(f"thalweg verify --mates, {threads}", [*verify, threads, *numbered], threads, prepare if threads == 1 else [])
        for threads in (1, 2)
    ]
    entries += [
        Entry("thalweg, no index, 1", [*verify, 1, "--index", "never", *numbered], 1),
        Entry("fq lint, 1", ["fq", "lint", *numbered], 1, note="if it is there: it is in no registry"),
    ]
    checks = [
        cpu_ratio("processor time / fq lint", "thalweg verify --mates, 1", "fq lint, 1", OF_FQ),
        cpu_ratio("without an index: processor time / fq lint", "thalweg, no index, 1", "fq lint, 1", OF_FQ),
    ]
    return Group(f"verify-mates-{kind(mates[0])}", f"faults of {mates[0].name} and its mates, numbered", entries, checks, mates, size(*mates))


def size(*files):
    """Bytes of text, if it is plain: of compressed files nobody asks here."""
    return sum(file.stat().st_size for file in files if file.exists()) if kind(files[0]) == "plain" else 0


def kind(reads):
    """How a file is kept, for the names of groups."""
    return "gz" if reads.suffix == ".gz" else "plain"


def same_columns(ours, theirs):
    """Both tables say the same where all versions of seqkit do."""
    def verify():
        rows = []
        for command in (ours, theirs):
            text = subprocess.run(strings(command), capture_output=True, text=True, check=True).stdout
            names, values = (line.split("\t") for line in text.splitlines())
            row = dict(zip(names, values))
            rows.append({name: row[name] for name in COMMON})
        return None if rows[0] == rows[1] else f"tables differ: {rows}"
    return verify
