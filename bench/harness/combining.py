"""What is measured of `thalweg kmers merge` and `intersect`, beside kmc_tools and Jellyfish."""

import subprocess

from .counting import Truth, faster_than, made, peak
from .looking_up import lines_digest
from .measure import Entry, Group, strings

K = 31
TIMES = 2


def groups(tools, data, scratch):
    """Databases of two samples, of which one has all k-mers of the other; that of a union has those of the larger one."""
    small, large = data / "hiseq-2of8.fastq", data / "hiseq-4of8.fastq"
    folder = made(scratch / "kmers-combine")
    slots = Truth(tools, large, K, folder).slots_later
    inputs, count, count_kmc, count_jellyfish = {}, [], [], []
    for name, source in (("small", small), ("large", large)):
        ours, kmc, jellyfish = folder / f"{name}.thk", folder / f"{name}-kmc", folder / f"{name}.jf"
        inputs[name] = (ours, kmc, jellyfish)
        count.append([tools.thalweg, "count", "-k", K, source, "-o", ours, "--quiet"])
        count_kmc.append(["kmc", f"-k{K}", "-ci1", "-cs4294967295", "-hp", source, kmc, made(folder / "kmc.tmp")])
        count_jellyfish.append(["jellyfish", "count", "-C", "-m", K, "-s", slots, "-t", 2, "-o", jellyfish, source])
    (ours_a, kmc_a, jellyfish_a), (ours_b, kmc_b, jellyfish_b) = inputs["small"], inputs["large"]
    entries, checks = [], []
    for ours, theirs, more in (("merge", "union", []), ("intersect", "intersect", ["--count", "min"])):
        for threads in (1, 2):
            label, rival = f"thalweg kmers {ours}, {threads}", f"kmc_tools {theirs}, {threads}"
            out, out_kmc = folder / f"{ours}-{threads}.thk", folder / f"{ours}-{threads}-kmc"
            command = [tools.thalweg, "kmers", ours, ours_a, ours_b, *more, "-o", out, "--threads", threads, "--quiet"]
            entries.append(Entry(label, command, threads, count, output=out))
            command = ["kmc_tools", f"-t{threads}", "-hp", "simple", kmc_a, "-ci1", kmc_b, "-ci1", theirs, out_kmc, "-cs4294967295"]
            verify = same_counts([tools.thalweg, "kmers", "dump", out], command, out_kmc)
            entries.append(Entry(rival, command, threads, count_kmc, verify, output=out_kmc.with_name(f"{out_kmc.name}.kmc_suf")))
            checks.append(faster_than(label, rival, TIMES))
            checks.append(peak(label, 256))
    out = folder / "merge.jf"
    command = ["jellyfish", "merge", jellyfish_a, jellyfish_b, "-o", out]
    entries.append(Entry("jellyfish merge", command, 1, count_jellyfish, output=out))
    checks.append(faster_than("thalweg kmers merge, 1", "jellyfish merge", TIMES))
    yield Group("kmers-combine", f"{K}-mers of {small.name} and of {large.name}", entries, checks, [small, large], 0)


def same_counts(dump, command, made_by_kmc):
    """What `dump` prints is what kmc_tools dumps of the database that its command makes."""

    def check():
        text = made_by_kmc.with_name(f"{made_by_kmc.name}.txt")
        for words in (command, ["kmc_tools", "-hp", "transform", made_by_kmc, "dump", "-s", text]):
            done = subprocess.run(strings(words), capture_output=True)
            if done.returncode:
                return f"exit code {done.returncode} of {words[0]}"
        found = [lines_digest(words) for words in (dump, ["cat", text])]
        text.unlink()
        return None if found[0] == found[1] else "the two programs found other counts"

    return check
