"""What is measured: the groups of commands, and the targets that hang on them."""

import pathlib
import shutil
import subprocess

from . import choosing, cleaning, combining, counting, first_pass, in_parts, judging, labelling, looking_up, ranks, ranks_limits, reporting, unaligned, verify
from .measure import Check, Entry, Group

SPAN = 32_000_000  # Uncompressed bytes between checkpoints where indexes are compared: mim's default.
MIB = 1024  # in KiB


class Tools:
    """Where the programs are."""

    def __init__(self, directory, thalweg):
        self.thalweg = pathlib.Path(thalweg).resolve()
        self.mim = directory.resolve() / "bin/mim"
        self.rapidgzip_rust = directory.resolve() / "bin/rapidgzip-rust"
        self.rapidgzip = directory.resolve() / "venv/bin/rapidgzip"
        self.chelae = directory.resolve() / "bin/chelae"
        self.rasusa = directory.resolve() / "bin/rasusa"
        self.deacon = directory.resolve() / "bin/deacon"

    def versions(self):
        """Name and version of each program that is there."""
        asked = {
            "thalweg": [self.thalweg, "--version"],
            "mim": [self.mim, "--version"],
            "rapidgzip-rust": [self.rapidgzip_rust, "--version"],
            "rapidgzip (PyPI)": [self.rapidgzip, "--version"],
            "igzip": ["igzip", "--version"],
            "pigz": ["pigz", "--version"],
            "gzip": ["gzip", "--version"],
            "seqkit": ["seqkit", "version"],
            "seqtk": ["seqtk"],
            "fastp": ["fastp", "--version"],
            "chelae": [self.chelae, "--version"],
            "rasusa": [self.rasusa, "--version"],
            "deacon": [self.deacon, "--version"],
            "KMC": ["kmc", "--version"],
            "Jellyfish": ["jellyfish", "--version"],
            "kraken2": ["kraken2", "--version"],
            "samtools": ["samtools", "--version"],
            "hyperfine": ["hyperfine", "--version"],
        }
        for name, command in asked.items():
            if shutil.which(str(command[0])) is None:
                yield name, "not there"
                continue
            done = subprocess.run(command, capture_output=True, text=True, errors="replace")
            lines = [line for line in (done.stdout + done.stderr).splitlines() if any(map(str.isdigit, line))]
            yield name, lines[0].removeprefix("Version:").strip().split("version ")[-1] if lines else "?"


def groups(tools, data, scratch):
    """All groups; those whose data are not there leave themselves out when they are run."""
    one_member, plain = data / "hiseq.fastq.gz", data / "hiseq.fastq"
    yield from [
        # Five legs of one member are under way with two threads, or wait to be taken: 25 MiB each.
        index(tools, scratch, "index", one_member, plain, {1: 0.8, 2: 0.6}, legs=5),
        index(tools, scratch, "index-bgzf", data / "hiseq.bgzf.fastq.gz", plain, {2: 0.6}, size=1.0),
        # Many members: no window to save, as with BGZF.
        index(tools, scratch, "index-multi", data / "hiseq.multi.fastq.gz", plain, {2: 0.6}, size=1.0),
        stats(tools, scratch, "stats", one_member, plain),
        cat(tools, scratch, "cat", one_member, plain),
        plain_stats(tools, scratch, plain),
        mates_stats(tools, scratch, [data / f"pairs-hiseq_R{mate}.fastq.gz" for mate in (1, 2)],
                    data / "pairs-hiseq_R1.fastq"),
        stats(tools, scratch, "stats-novaseq", data / "novaseq.fastq.gz", data / "novaseq.fastq"),
        cat(tools, scratch, "cat-novaseq", data / "novaseq.fastq.gz", data / "novaseq.fastq"),
    ]
    for real in ("novaseq", "unbinned", "binned8", "long"):
        yield real_reads(tools, scratch, real, data / f"real-{real}.fastq.gz")
    yield from first_pass.groups(tools, data, scratch)
    yield from choosing.groups(tools, data, scratch)
    yield from cleaning.groups(tools, data, scratch)
    yield from counting.groups(tools, data, scratch)
    yield from looking_up.groups(tools, data, scratch)
    yield from combining.groups(tools, data, scratch)
    yield from in_parts.groups(tools, data, scratch)
    yield from labelling.groups(tools, data, scratch)
    yield from reporting.groups(tools, data, scratch)
    yield from judging.groups(tools, data, scratch)
    yield from ranks.groups(tools, data, scratch)
    yield from ranks_limits.groups(tools, data, scratch)
    yield from unaligned.groups(tools, data, scratch)


def index(tools, scratch, name, packed, plain, targets, size=0.6, legs=0):
    """Building an index of the same span: time, size, memory."""
    def ours(threads):
        link = linked(scratch, f"{name}-{threads}", packed)
        out = link.with_name(link.name + ".thw")
        command = [tools.thalweg, "index", link, "--threads", threads, "--span", SPAN, "--force"]
        info = [tools.thalweg, "info", link, "--json"]
        return Entry(f"thalweg index, {threads}", command, threads, output=out,
                     verify=verify.records_indexed(command, info, plain))

    theirs = scratch / f"{name}.mim"
    mim = Entry("mim build", [tools.mim, "build", "-c", SPAN, "-m", theirs, packed], output=theirs)
    entries = [ours(1), ours(2), mim]
    checks = [
        ratio(f"{threads} thread{'s'[:threads > 1]}: time / mim build", f"thalweg index, {threads}", ["mim build"], target)
        for threads, target in targets.items()
    ]
    checks.append(Check("index size / mim's", lambda all: quotient(
        all, "thalweg index, 1", "mim build", lambda samples: samples.output_bytes), size))
    checks += [memory(f"thalweg index, {threads}", 32 * threads + 25 * legs * (threads - 1)) for threads in (1, 2)]
    return Group(name, f"index of {packed.name}", entries, checks, [packed], bytes_of(plain))


def stats(tools, scratch, name, packed, plain):
    """Counting nucleotides with an index that is there."""
    link, mim_index = linked(scratch, name, packed), scratch / f"{name}.mim"
    entries = []
    for threads in (1, 2):
        command = [tools.thalweg, "stats", link, "--threads", threads]
        entries.append(Entry(f"thalweg stats, {threads}", command, threads, prepare=[make_index(tools, link)],
                             verify=verify.letters_equal([*command, "--json"], plain, verify.from_thalweg)))
        command = [tools.mim, "nuc-hist", "-f", packed, "-i", mim_index, threads]
        entries.append(Entry(f"mim nuc-hist, {threads}", command, threads, prepare=[mim_build(tools, packed, mim_index)],
                             verify=verify.letters_equal(command, plain, verify.from_mim)))
    entries.append(Entry("seqkit stats, 2", ["seqkit", "stats", "--threads", 2, packed], 2, note="beside: no index"))
    checks = [ratio(f"{threads} thread{'s'[:threads > 1]}: time / mim nuc-hist", f"thalweg stats, {threads}",
                    [f"mim nuc-hist, {threads}"], 0.45) for threads in (1, 2)]
    checks += [memory(f"thalweg stats, {threads}", 64 + 16 * threads) for threads in (1, 2)]
    return Group(name, f"letters of {packed.name}, with an index", entries, checks, [packed], bytes_of(plain))


def cat(tools, scratch, name, packed, plain):
    """The text to /dev/null with an index that is there."""
    link, mim_index = linked(scratch, name, packed), scratch / f"{name}.mim"
    gzindex, native = scratch / f"{name}.gzindex", scratch / f"{name}.rapidgzip-rust"
    entries = []

    def to_stdout(label, command, threads=1, prepare=(), note=""):
        entries.append(Entry(label, command, threads, list(prepare), verify.stdout_equals(command, plain), note=note))

    for threads in (1, 2):
        to_stdout(f"thalweg cat, {threads}",
                  [tools.thalweg, "cat", link, "--threads", threads], threads, [make_index(tools, link)])
        # -f: without it rapidgzip does not decode when it sees that its output is /dev/null.
        to_stdout(f"rapidgzip, {threads}",
                  [tools.rapidgzip, "-q", "-d", "-c", "-f", "-P", threads, "--import-index", gzindex, packed], threads,
                  [[tools.rapidgzip, "-q", "-f", "-P", 2, "--export-index", gzindex, "-d", "-c", packed]])
        to_stdout(f"rapidgzip-rust, {threads}",
                  [tools.rapidgzip_rust, "-q", "-c", "-P", threads, "--import-index", native, packed], threads,
                  [[tools.rapidgzip_rust, "-q", "-f", "-c", "-P", 2, "--export-index", native, packed]])
    to_stdout("igzip -dc", ["igzip", "-dc", packed], note="beside: no index")
    to_stdout("pigz -dc", ["pigz", "-dc", packed], note="beside: no index; checks and writes on threads of its own")
    unzip = [tools.mim, "unzip", "-j", 1, "-m", mim_index, "-o"]
    text = scratch / f"{name}.text"
    entries.append(Entry("mim unzip -j 1", [*unzip, "/dev/null", packed], prepare=[mim_build(tools, packed, mim_index)],
                         verify=verify.file_equals([*unzip, text, packed], text, plain), note="beside: opens /dev/null itself"))
    checks = [ratio(f"{threads} thread{'s'[:threads > 1]}: time / the faster rapidgzip with its index",
                    f"thalweg cat, {threads}", [f"rapidgzip, {threads}", f"rapidgzip-rust, {threads}"], 0.9)
              for threads in (1, 2)]
    checks.append(ratio("1 thread: time / igzip -dc", "thalweg cat, 1", ["igzip -dc"], 0.75))
    checks.append(ratio("1 thread: time / mim unzip -j 1", "thalweg cat, 1", ["mim unzip -j 1"], 0.5))
    checks.append(Check("1 thread / 2 threads", lambda all: quotient(all, "thalweg cat, 1", "thalweg cat, 2"), 1.9,
                        direction="min"))
    return Group(name, f"{packed.name} to /dev/null, with an index", entries, checks, [packed], bytes_of(plain))


def plain_stats(tools, scratch, plain):
    """Letters of plain text: how fast the scanner is when nothing has to be decoded."""
    entries = []
    for threads in (1, 2):
        command = [tools.thalweg, "stats", plain, "--threads", threads]
        entries.append(Entry(f"thalweg stats, {threads}", command, threads,
                             verify=verify.letters_equal([*command, "--json"], plain, verify.from_thalweg)))
    entries.append(Entry("seqkit stats, 1", ["seqkit", "stats", "--threads", 1, plain], note="beside: no letters"))
    entries.append(seqtk(plain))
    # A floor under everything that reads the file at all.
    entries.append(Entry("wc -l", ["wc", "-l", plain], note="beside: newlines only"))

    def rate(label, threads):
        def value(all):
            samples = all.get(label)
            return plain.stat().st_size / samples.median / threads / 1e9 if samples else None
        return value

    checks = [Check(f"{threads} thread{'s'[:threads > 1]}: text per core", rate(f"thalweg stats, {threads}", threads), 3.0,
                    unit=" GB/s", direction="min") for threads in (1, 2)]
    checks += [memory(f"thalweg stats, {threads}", 64 + 16 * threads) for threads in (1, 2)]
    return Group("stats-plain", f"letters of {plain.name}", entries, checks, [plain], bytes_of(plain))


def mates_stats(tools, scratch, packed, plain):
    """Letters of mates in step: chunks of two files begin with different records, so with indexes some are decoded twice."""
    links = [linked(scratch, "stats-mates", mate) for mate in packed]
    entries = []
    for threads in (1, 2):
        for how, index, prepare in (("", "require", [make_index(tools, link) for link in links]), (" --index never", "never", [])):
            command = [tools.thalweg, "stats", "--mates", "--index", index, *links, "--threads", threads]
            entries.append(Entry(f"thalweg stats{how}, {threads}", command, threads, prepare=prepare,
                                 verify=verify.letters_equal([*command, "--json"], plain, verify.from_thalweg)))
    entries.append(Entry("seqkit stats, 2", ["seqkit", "stats", "--threads", 2, *packed], 2, note="beside: one after the other"))
    checks = [ratio("2 threads: time with indexes / without", "thalweg stats, 2", ["thalweg stats --index never, 2"], 1.0)]
    checks += [memory(f"thalweg stats, {threads}", 64 + 16 * threads) for threads in (1, 2)]
    return Group("stats-mates", f"letters of {packed[0].name} and its mate", entries, checks, packed, 2 * bytes_of(plain))


def real_reads(tools, scratch, name, packed):
    """Real files are small here: one table for each class of instrument, without targets."""
    link, mim_index = linked(scratch, f"real-{name}", packed), scratch / f"real-{name}.mim"
    span = 4_000_000  # At the default span files of this size have two or three chunks.
    build = make_index(tools, link, span)
    mim = [tools.mim, "build", "-c", span, "-m", mim_index, packed]
    entries = [Entry("thalweg index, 1", [*build, "--threads", 1], output=link.with_name(link.name + ".thw")), Entry("mim build", mim, output=mim_index)]
    for threads in (1, 2):
        entries.append(Entry(f"thalweg stats, {threads}",
                             [tools.thalweg, "stats", link, "--threads", threads], threads, [build]))
        entries.append(Entry(f"mim nuc-hist, {threads}", [tools.mim, "nuc-hist", "-f", packed, "-i", mim_index, threads],
                             threads, [mim]))
    entries.append(Entry("igzip -dc", ["igzip", "-dc", packed], note="beside: no index"))
    checks = [ratio("index, 1 thread: time / mim build", "thalweg index, 1", ["mim build"], 0.8),
              Check("index size / mim's", lambda all: quotient(
                  all, "thalweg index, 1", "mim build", lambda samples: samples.output_bytes), 0.6)]
    checks += [ratio(f"stats, {threads} thread{'s'[:threads > 1]}: time / mim nuc-hist", f"thalweg stats, {threads}",
                     [f"mim nuc-hist, {threads}"], 0.7) for threads in (1, 2)]
    return Group(f"real-{name}", f"{packed.name}: real reads", entries, checks, [packed], gzip_text_bytes(packed))


def linked(scratch, name, packed):
    """A link to `packed` in a folder of its own: thalweg's index lies beside the name that it is given."""
    link = scratch / name / packed.name
    link.parent.mkdir(parents=True, exist_ok=True)
    if packed.exists() and not link.exists():
        link.symlink_to(packed)
    return link


def make_index(tools, link, span=None):
    """An index as users make it, unless a span is given."""
    return [tools.thalweg, "index", link, "--force"] + (["--span", span] if span else [])


def mim_build(tools, packed, out):
    return [tools.mim, "build", "-c", SPAN, "-m", out, packed]


def seqtk(plain):
    """`seqtk size` came with 1.4; older ones have only `comp`, which counts letters too."""
    if shutil.which("seqtk") is None or b"size" in subprocess.run(["seqtk"], capture_output=True).stderr:
        return Entry("seqtk size", ["seqtk", "size", plain], note="beside: no letters")
    return Entry("seqtk comp", ["seqtk", "comp", plain], note="beside: this seqtk has no `size`; a line for each read")


def ratio(title, ours, rivals, target):
    """Our median over the best median among `rivals`."""
    def value(all):
        medians = [all[rival].median for rival in rivals if rival in all]
        return all[ours].median / min(medians) if medians and ours in all else None
    return Check(title, value, target)


def quotient(all, numerator, denominator, of=lambda samples: samples.median):
    if numerator not in all or denominator not in all:
        return None
    return of(all[numerator]) / of(all[denominator])


def memory(label, target_mib):
    def value(all):
        measured = label in all and all[label].peak_kib is not None
        return all[label].peak_kib / MIB if measured else None
    return Check(f"peak memory of {label}", value, target_mib, unit=" MiB")


def bytes_of(plain):
    return plain.stat().st_size if plain.exists() else 0


def gzip_text_bytes(packed):
    """Size of the text of a one-member file below 4 GiB: the last four bytes (RFC 1952, ISIZE)."""
    if not packed.exists():
        return 0
    with open(packed, "rb") as file:
        file.seek(-4, 2)
        return int.from_bytes(file.read(4), "little")
