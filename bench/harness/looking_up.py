"""What is measured of `thalweg kmers filter-reads`, `query --sequence` and `qc --remove`, beside kmc_tools, Jellyfish and deacon."""

import statistics
import subprocess
from pathlib import Path

from . import verify
from .counting import Truth, faster_than, made, peak
from .measure import Check, Entry, Group, strings
from .ranks import cpu_ratio

K = 31
PHIX = Path(__file__).parents[2] / "crates/thalweg/src/databases/phix.fa"
# Nothing but the table is what a lookup in memory needs; the rivals have the same k-mers in theirs.
TIMES = 5
# Share of deacon's processor time that was set as aim.
OF_DEACON = 0.9
# The same of what removing adds to cleaning.
ADDED = 0.5


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
    genomes = data / "taxa/genomes"
    small = [genomes / "Blochmanniella_vafra_BVAF_GCF_000185985.2.fna.gz"]
    # Some ten million k-mers.
    large = [genomes / "Escherichia_coli_K-12_MG1655_NC_000913.3.fna.gz", genomes / "Klebsiella_pneumoniae_MGH-78578_CP000647.1.fna.gz"]
    for name, hosts in (("host-small", small), ("host-large", large)):
        yield without_host(tools, made(scratch / name), name, hosts, reads)
    for name, hosts in (("qc-remove-phix", []), ("qc-remove-small", small), ("qc-remove-large", large)):
        yield beside_cleaning(tools, made(scratch / name), name, hosts, reads)


def without_host(tools, folder, name, genomes, reads):
    """Reads without those of one or two genomes. The rival looks minimizers up, and takes two of them and a hundredth for enough."""
    host, ours, theirs = folder / "host.fna.gz", folder / "host.thk", folder / "host.idx"
    host.write_bytes(b"".join(genome.read_bytes() for genome in genomes if genome.exists()))
    count = [tools.thalweg, "count", "-k", K, host, "-o", ours, "--quiet"]
    index = [tools.deacon, "index", "build", host, "-o", theirs, "-q"]
    entries = []
    for threads in (1, 2):
        command = [tools.thalweg, "kmers", "filter-reads", ours, reads, "--invert", "--fraction", 0.01, "-t", threads, "--quiet"]
        entries.append(Entry(f"thalweg kmers filter-reads, {threads}", command, threads, [count], loses_some(command, reads)))
        command = [tools.deacon, "filter", "-d", "-t", threads, "-q", theirs, reads]
        entries.append(Entry(f"deacon filter -d, {threads}", command, threads, [index], loses_some(command, reads)))
    checks = [cpu_ratio("processor time / deacon", "thalweg kmers filter-reads, 1", "deacon filter -d, 1", OF_DEACON)]
    title = f"{reads.name} without the reads of {len(genomes)} of their genomes"
    return Group(name, title, entries, checks, [reads, *genomes], reads.stat().st_size if reads.exists() else 0)


def beside_cleaning(tools, folder, name, genomes, reads):
    """What leaving out the reads of some genomes, or of PhiX, adds to cleaning. The rival filters what is not cleaned."""
    ours, theirs, host = folder / "host.thk", folder / "host.idx", folder / "host.fna.gz"
    out, removed, before = folder / "clean.fastq", "phix", []
    sources = genomes or [PHIX]
    host.write_bytes(b"".join(genome.read_bytes() for genome in sources if genome.exists()))
    if genomes:
        removed, before = ours, [[tools.thalweg, "count", "-k", K, host, "-o", ours, "--quiet"]]
    clean = [tools.thalweg, "qc", reads, "-o", out, "-j", folder / "fastp.json", "-h", folder / "fastp.html", "--no_sync", "--quiet"]
    remove = ["--remove", removed, *(["--remove-fraction", 0.01] if genomes else [])]
    entries = []
    for threads in (1, 2):
        for label, more in (("thalweg qc", []), ("thalweg qc --remove", remove)):
            command = [*clean, "-w", threads, *more]
            entries.append(Entry(f"{label}, {threads}", command, threads, before if more else [], output=out, fresh=[out]))
    index = [tools.deacon, "index", "build", host, "-o", theirs, "-q"]
    entries.append(Entry("deacon filter -d, 1", [tools.deacon, "filter", "-d", "-t", 1, "-q", theirs, reads], 1, [index]))

    def added(all):
        without, removing, rival = (all.get(label) for label in ("thalweg qc, 1", "thalweg qc --remove, 1", "deacon filter -d, 1"))
        if not (without and removing and rival):
            return None
        more = statistics.median(removing.cpu) - statistics.median(without.cpu)
        return more / statistics.median(rival.cpu)

    checks = [Check("processor time that --remove adds / deacon", added, ADDED)]
    what = f"{len(genomes)} of their genomes" if genomes else "PhiX, of which there are none"
    title = f"{reads.name} cleaned, without the reads of {what}"
    return Group(name, title, entries, checks, [reads, *sources], reads.stat().st_size if reads.exists() else 0)


def loses_some(command, reads):
    """The command prints some of the reads, and not all."""

    def check():
        done = subprocess.run(strings(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode:
            return f"exit code {done.returncode}"
        return None if 0 < len(done.stdout) < reads.stat().st_size else "it keeps all reads or none"

    return check


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
