"""What is measured of `cat` where it chooses or repacks: samples, parts, joins, names and motifs, beside the programs that do one of these."""

import pathlib
import subprocess

from .counting import made
from .measure import Entry, Group, strings
from .ranks import cpu_ratio

# Shares of a rival's processor time that were set as aims.
OF_RASUSA = 0.35
OF_SPLIT2 = 0.25
OF_CAT = 1.3
OF_GREP = 0.05
OF_NAMES = 0.25
# Present about once in 10,000 bases with one mismatch.
MOTIF = "GATTACAGGT"


def groups(tools, data, scratch):
    """A file of single reads, and a pair, compressed and with indexes."""
    packed = data / "pairs-hiseq_R1.fastq.gz"
    folder = made(scratch / "choosing")
    yield sample(tools, folder, packed)
    yield coverage(tools, folder, packed)
    yield parts(tools, folder, [data / f"pairs-hiseq_R{mate}.fastq.gz" for mate in (1, 2)])
    yield join(tools, folder, packed)
    yield names(tools, folder, packed)
    yield motif(tools, folder, packed)
    yield fasta(tools, folder, packed)


def with_index(tools, folder, packed):
    """A link to the file, with its index beside it, and the command that makes that."""
    link = folder / packed.name
    if not link.is_symlink():
        link.symlink_to(packed.resolve())
    return link, [[tools.thalweg, "index", "-q", "--force", link]]


def sample(tools, folder, packed):
    """So many reads, exactly: with an index, without one, and by others."""
    count = 50_000
    link, prepare = with_index(tools, folder, packed)
    entries = []
    for threads in (1, 2):
        command = [tools.thalweg, "cat", "-q", "-t", threads, "--sample", count, link]
        entries.append(Entry(f"thalweg cat --sample, {threads}", command, threads, prepare, has_records(command, count)))
    command = [tools.thalweg, "cat", "-q", "-t", 1, "--index", "never", "--sample", count, packed]
    entries.append(Entry("thalweg, no index, 1", command, 1, verify=has_records(command, count)))
    entries += [
        Entry("rasusa reads -n, 1", [tools.rasusa, "reads", "-n", count, "-o", "/dev/null", packed], 1, note="two passes"),
        Entry("seqtk sample, 1", ["seqtk", "sample", "-s11", packed, count], 1, note="not in the order of the file"),
        Entry("seqtk sample -2, 1", ["seqtk", "sample", "-2", "-s11", packed, count], 1, note="two passes"),
        Entry("seqkit sample -n, 1", ["seqkit", "sample", "-j", 1, "-n", count, packed], 1, note="about so many; all in memory"),
    ]
    checks = [
        cpu_ratio("with an index: processor time / rasusa -n", "thalweg cat --sample, 1", "rasusa reads -n, 1", OF_RASUSA),
        cpu_ratio("without: processor time / rasusa -n", "thalweg, no index, 1", "rasusa reads -n, 1", OF_RASUSA),
        cpu_ratio("with an index: processor time / seqtk -2", "thalweg cat --sample, 1", "seqtk sample -2, 1", 0.2),
    ]
    return Group("cat-sample", f"{count:,} reads of {packed.name}", entries, checks, [packed], 0)


def coverage(tools, folder, packed):
    """So many bases."""
    link, prepare = with_index(tools, folder, packed)
    command = [tools.thalweg, "cat", "-q", "-t", 1, "--sample", "15Mb", link]
    entries = [
        Entry("thalweg cat --sample 15Mb, 1", command, 1, prepare),
        Entry("rasusa reads -b, 1", [tools.rasusa, "reads", "-b", "15mb", "-o", "/dev/null", packed], 1, note="two passes"),
    ]
    checks = [cpu_ratio("processor time / rasusa -b", "thalweg cat --sample 15Mb, 1", "rasusa reads -b, 1", OF_RASUSA)]
    return Group("cat-coverage", f"15 Mb of {packed.name}", entries, checks, [packed], 0)


def parts(tools, folder, mates):
    """Mates to four parts, compressed. seqkit's parts are dealt round robin, and ours consecutive."""
    links = [with_index(tools, folder, mate) for mate in mates]
    prepare = [command for _, commands in links for command in commands]
    outputs = {}
    for label in ("thalweg", "seqkit"):
        outputs[label] = folder / f"parts-{label}"
        outputs[label].mkdir(exist_ok=True)
    entries = []
    for threads in (1, 2):
        command = [tools.thalweg, "cat", "-q", "-t", threads, "--parts", 4, "--mates", *[link for link, _ in links],
                   "-o", outputs["thalweg"] / "1.{}.fq.gz", "-O", outputs["thalweg"] / "2.{}.fq.gz"]
        entries.append(Entry(f"thalweg cat --parts 4, {threads}", command, threads, prepare))
    command = ["seqkit", "split2", "-j", 1, "-f", "-p", 4, "-1", mates[0], "-2", mates[1], "-O", outputs["seqkit"]]
    entries.append(Entry("seqkit split2 -p 4, 1", command, 1))
    checks = [cpu_ratio("processor time / split2", "thalweg cat --parts 4, 1", "seqkit split2 -p 4, 1", OF_SPLIT2)]
    return Group("cat-parts", f"{mates[0].name} and its mates in four parts, .gz", entries, checks, mates, 0)


def join(tools, folder, packed):
    """Four lanes, and the index of all, beside what copies bytes only. Both write to the same folder."""
    link, prepare = with_index(tools, folder, packed)
    whole = folder / "joined.fastq.gz"
    plain = folder / "catted.fastq.gz"
    command = [tools.thalweg, "cat", "-q", "--join", link, link, link, link, "-o", whole]
    script = f"cat {packed} {packed} {packed} {packed} > {plain}"
    entries = [
        Entry("thalweg cat --join", command, 1, prepare, same_bytes(command, script, whole, plain), output=whole,
              note="waits for the disk, and writes the index"),
        Entry("cat", ["sh", "-c", script], 1, output=plain),
        Entry("cat, and sync", ["sh", "-c", f"{script} && sync {plain}"], 1, output=plain, note="waits for the disk"),
    ]
    checks = [cpu_ratio("processor time / cat", "thalweg cat --join", "cat", OF_CAT),
              cpu_ratio("processor time / cat and sync", "thalweg cat --join", "cat, and sync", OF_CAT)]
    return Group("cat-join", f"{packed.name} four times", entries, checks, [packed], 0)


def names(tools, folder, packed):
    """Reads by their names, every tenth."""
    link, prepare = with_index(tools, folder, packed)
    wanted = folder / "names.txt"
    make = ["sh", "-c", f"gzip -dc {packed} | awk 'NR % 40 == 1 {{print substr($1, 2)}}' > {wanted}"]
    ours = [tools.thalweg, "cat", "-q", "-t", 1, "--names", wanted, link]
    theirs = ["seqkit", "grep", "-j", 1, "-f", wanted, packed]
    entries = [
        Entry("thalweg cat --names, 1", ours, 1, [*prepare, make], same_output(ours, theirs)),
        Entry("seqkit grep -f, 1", theirs, 1, [make]),
        Entry("seqtk subseq, 1", ["seqtk", "subseq", packed, wanted], 1, [make]),
    ]
    checks = [cpu_ratio("processor time / seqkit grep -f", "thalweg cat --names, 1", "seqkit grep -f, 1", OF_NAMES)]
    return Group("cat-names", f"a tenth of {packed.name} by name", entries, checks, [packed], 0)


def motif(tools, folder, packed):
    """Reads with a motif on either strand, exactly and with one mismatch."""
    link, prepare = with_index(tools, folder, packed)
    entries, checks = [], []
    for mismatches, target in ((0, None), (1, OF_GREP)):
        ours = [tools.thalweg, "cat", "-q", "-t", 1, "--grep", MOTIF, "--both-strands", "--mismatches", mismatches, link]
        theirs = ["seqkit", "grep", "-j", 1, "-s", "-p", MOTIF, *(["-m", mismatches] if mismatches else []), packed]
        labels = f"thalweg cat --grep, {mismatches}", f"seqkit grep -s, {mismatches}"
        entries += [Entry(labels[0], ours, 1, prepare, same_output(ours, theirs)), Entry(labels[1], theirs, 1)]
        if target:
            checks.append(cpu_ratio("one mismatch: processor time / seqkit grep -s -m 1", *labels, target))
    return Group("cat-grep", f"{MOTIF} in {packed.name}", entries, checks, [packed], 0)


def fasta(tools, folder, packed):
    """FASTA of FASTQ."""
    link, prepare = with_index(tools, folder, packed)
    ours = [tools.thalweg, "cat", "-q", "-t", 1, "--fasta", link]
    theirs = ["seqtk", "seq", "-A", packed]
    entries = [
        Entry("thalweg cat --fasta, 1", ours, 1, prepare, same_output(ours, theirs)),
        Entry("seqtk seq -A, 1", theirs, 1),
        Entry("seqkit fq2fa, 1", ["seqkit", "fq2fa", "-j", 1, packed], 1),
    ]
    return Group("cat-fasta", f"FASTA of {packed.name}", entries, [], [packed], 0)


def has_records(command, count):
    """The command prints FASTQ of so many records."""

    def check():
        with subprocess.Popen(strings(command), stdout=subprocess.PIPE) as child:
            lines = sum(1 for _ in child.stdout)
        if child.returncode:
            return f"exit code {child.returncode}"
        return None if lines == 4 * count else f"{lines} lines, not {4 * count}"

    return check


def same_output(command, other):
    """Two commands print the same."""

    def check():
        found = [subprocess.run(strings(words), stdout=subprocess.PIPE).stdout for words in (command, other)]
        return None if found[0] == found[1] and found[0] else f"it is not what {pathlib.Path(str(other[0])).name} prints"

    return check


def same_bytes(command, script, whole, plain):
    """A command and a script make the same file, which holds what its index says."""

    def check():
        for words in (strings(command), ["sh", "-c", script]):
            if subprocess.run(words).returncode:
                return "it failed"
        if subprocess.run(["cmp", "-s", whole, plain]).returncode:
            return "it is not what cat writes"
        done = subprocess.run(strings([command[0], "verify", "-q", "--full", whole]))
        return f"verify: exit code {done.returncode}" if done.returncode else None

    return check
