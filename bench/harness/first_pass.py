"""What is measured of gzip files that have no index: every command, beside the same with an index and beside other decoders."""

import pathlib
import statistics
import subprocess

from . import verify
from .measure import Check, Entry, Group, strings

# Of the text of each file, processor time of two threads as a multiple of one stream's.
WORK = {"hiseq": 1.05, "novaseq": 1.25}


def groups(tools, data, scratch):
    """A simulated file of each instrument, one member by `gzip -6`; real ones are small, and have no targets."""
    for kind, work in WORK.items():
        yield first_pass(tools, scratch, f"first-pass-{kind}", data / f"{kind}.fastq.gz", data / f"{kind}.fastq", work)
    for real in ("novaseq", "unbinned", "binned8", "long"):
        yield first_pass(tools, scratch, f"first-pass-real-{real}", data / f"real-{real}.fastq.gz", None, None)


def first_pass(tools, scratch, name, packed, plain, work):
    """`cat`, `stats`, `qc` and `index`. One thread decodes one stream; two, and more, decode legs."""
    folder = scratch / name
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / packed.name
    if packed.exists() and not link.exists():
        link.symlink_to(packed)
    make_index = [tools.thalweg, "index", link, "--force"]
    entries = []
    for threads in (1, 2):
        cat = [tools.thalweg, "cat", "--index", "never", link, "--threads", threads]
        entries.append(Entry(f"thalweg cat, {threads}", cat, threads, verify=plain and verify.stdout_equals(cat, plain)))
        for how, prepare in (("never", []), ("require", [make_index])):
            label = "" if how == "never" else " with its index"
            stats = [tools.thalweg, "stats", "--index", how, link, "--threads", threads]
            entries.append(Entry(f"thalweg stats{label}, {threads}", stats, threads, prepare=prepare,
                                 verify=plain and verify.letters_equal([*stats, "--json"], plain, verify.from_thalweg)))
            qc = [tools.thalweg, "qc", "-i", link, "--index", how, "--quiet", "-w", threads,
                  "-j", folder / f"qc-{how}.json", "-h", folder / f"qc-{how}.html"]
            entries.append(Entry(f"thalweg qc{label}, {threads}", qc, threads, prepare=prepare))
        written = folder / f"by-{threads}.thw"
        entries.append(Entry(f"thalweg index, {threads}", [tools.thalweg, "index", link, "--force", "--threads", threads, "-o", written],
                             threads, output=written, verify=same_as(tools, link, written, threads)))
        # -f: without it rapidgzip does not decode when it sees that its output is /dev/null.
        rapidgzip = [tools.rapidgzip, "-q", "-d", "-c", "-f", "-P", threads, packed]
        entries.append(Entry(f"rapidgzip, {threads}", rapidgzip, threads, verify=plain and verify.stdout_equals(rapidgzip, plain)))
        rust = [tools.rapidgzip_rust, "-q", "-c", "-P", threads, packed]
        entries.append(Entry(f"rapidgzip-rust, {threads}", rust, threads, verify=plain and verify.stdout_equals(rust, plain)))
    return Group(name, f"{packed.name} without an index", entries, checks(work) if work else [], [packed], text_bytes(packed, plain))


def checks(work):
    """Ratios of medians: of the time, or of the processors' time."""
    return [
        Check("cat: time of 2 threads / of one stream", ratio("thalweg cat, 2", "thalweg cat, 1"), 0.6),
        Check("cat: work of 2 threads / of one stream", ratio("thalweg cat, 2", "thalweg cat, 1", processor_time), work),
        Check("stats, 2 threads: time without / with an index", ratio("thalweg stats, 2", "thalweg stats with its index, 2"), 1.15),
        Check("qc, 2 threads: time without / with an index", ratio("thalweg qc, 2", "thalweg qc with its index, 2"), 1.15),
        Check("index: time of 2 threads / of one", ratio("thalweg index, 2", "thalweg index, 1"), 0.65),
        Check("cat, 2 threads: work / rapidgzip's", ratio("thalweg cat, 2", "rapidgzip, 2", processor_time), 0.25),
    ]


def processor_time(samples):
    return statistics.median(samples.cpu)


def ratio(ours, theirs, of=lambda samples: samples.median):
    def value(all):
        return of(all[ours]) / of(all[theirs]) if ours in all and theirs in all else None
    return value


def same_as(tools, link, written, threads):
    """The index has the same bytes as that of one thread."""
    def verified():
        made = []
        for number, out in ((1, written.with_name("by-one.thw")), (threads, written)):
            command = [tools.thalweg, "index", link, "--force", "--threads", number, "-o", out]
            if (code := subprocess.run(strings(command), stderr=subprocess.DEVNULL).returncode) != 0:
                return f"exit code {code}"
            made.append(pathlib.Path(out).read_bytes())
        return None if made[0] == made[1] else "it is another index than that of one thread"
    return verified


def text_bytes(packed, plain):
    if plain is not None:
        return plain.stat().st_size if plain.exists() else 0
    if not packed.exists():
        return 0
    # Of one member below 4 GiB: the last four bytes (RFC 1952, ISIZE).
    with open(packed, "rb") as file:
        file.seek(-4, 2)
        return int.from_bytes(file.read(4), "little")
