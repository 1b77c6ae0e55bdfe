"""What is measured of `thalweg count`, beside KMC and Jellyfish."""

import functools
import json
import math
import re
import subprocess

from .measure import Check, Entry, Group, strings

MIB = 1024  # in KiB
LENGTHS = (21, 31, 55)
# How many times as fast as KMC with the same threads, output written: by coverage and k; all of gzip with an index.
FASTER_THAN_KMC = {"high": {21: 10, 31: 10, 55: 5}, "low": {21: 7, 31: 7, 55: 5}}
FASTER_THAN_KMC_GZIP = 8
FASTER_THAN_JELLYFISH = 30
# What a count is limited to where that is tried.
LIMIT = "256Mi"
LIMIT_MIB = 256
# So little that nearly all that passes between the stages goes to temporary files.
NEXT_TO_NOTHING = "36Mi"


def groups(tools, data, scratch):
    """One genome at a hundredfold coverage and many at twofold; growing and skewed input."""
    high, low = data / "deep.fastq", data / "hiseq.fastq"
    for coverage, text in (("high", high), ("low", low)):
        for k in LENGTHS:
            yield plain(tools, scratch, coverage, k, text)
            yield packed(tools, scratch, coverage, k, text)
    for coverage, text in (("high", high), ("low", low)):
        yield scaling(tools, scratch, f"count-scaling-{coverage}", [text.with_stem(f"{text.stem}-{part}of8") for part in (1, 2, 4)] + [text])
    yield skewed(tools, scratch, data / "skewed.fastq", high)


def plain(tools, scratch, coverage, k, text):
    """Plain text in, a database out: ours in every format and within little memory, and the rivals'."""
    name = f"count-{coverage}-{k}-plain"
    folder = made(scratch / name)
    truth = Truth(tools, text, k, folder)
    entries, checks = [], []
    for threads in (1, 2):
        entries.append(ours(tools, truth, folder / f"ours-{threads}.thk", [text], threads))
        for ending in ("jf", "kmc"):
            entry = ours(tools, truth, folder / f"ours-{threads}.{ending}", [text], threads, ending)
            entries.append(entry)
            checks.append(ratio(f"{threads_of(threads)}: time of .{ending} / .thk", entry.label, [f"thalweg count, {threads}"], 2))
    entries.append(ours(tools, truth, folder / "ours-limited.thk", [text], 2, limit=LIMIT))
    for threads in (1, 2):
        entries += [kmc(truth, folder, text, threads), jellyfish(truth, folder, text, threads)]
        checks.append(faster(threads, f"KMC, {threads}", FASTER_THAN_KMC[coverage][k]))
        checks.append(faster(threads, f"Jellyfish, {threads}", FASTER_THAN_JELLYFISH))
        checks.append(peak_ratio(f"{threads_of(threads)}: peak memory / KMC's", f"thalweg count, {threads}", f"KMC, {threads}", 1 / 3))
    checks.append(peak(f"thalweg count --memory {LIMIT}, 2", LIMIT_MIB))
    if k == 31:
        checks.append(Check("bytes per k-mer between the stages, in memory", lambda _: truth.passed("in memory"), 1.6))
        checks.append(Check("bytes per k-mer between the stages, in temporary files", lambda _: truth.passed("in temporary files"), 1.2))
    return Group(name, f"{k}-mers of {text.name}, output written", entries, checks, [text], bytes_of(text))


def packed(tools, scratch, coverage, k, text):
    """gzip in: with an index, and without one beside the decoder alone."""
    name = f"count-{coverage}-{k}-gzip"
    folder = made(scratch / name)
    source = text.with_name(text.name + ".gz")
    link = folder / source.name
    if source.exists() and not link.exists():
        link.symlink_to(source)
    truth = Truth(tools, text, k, folder)
    index = [tools.thalweg, "index", link, "--force"]
    parts, listed, split = halves(text, folder)
    entries, checks = [], []
    for threads in (1, 2):
        entries.append(ours(tools, truth, folder / f"ours-{threads}.thk", [link], threads, prepare=[index]))
        entries.append(ours(tools, truth, folder / f"ours-never-{threads}.thk", [source], threads, extra=["--index", "never"]))
        entries.append(Entry(f"thalweg cat --index never, {threads}", [tools.thalweg, "cat", "--index", "never", source, "--threads", threads],
                             threads, note="a floor: decodes and does nothing else"))
        entries.append(ours(tools, truth, folder / f"ours-halves-{threads}.thk", parts, threads, extra=["--index", "never"], prepare=[split],
                            label="thalweg count of two halves"))
        entries.append(kmc(truth, folder, source, threads))
        entries.append(kmc(truth, folder, f"@{listed}", threads, label="KMC of two halves"))
        checks.append(faster(threads, f"KMC, {threads}", FASTER_THAN_KMC_GZIP))
    # With one thread, decoding and counting take turns; with two, one decodes while the other counts.
    checks.append(ratio("2 threads: time without an index / thalweg cat", "thalweg count --index never, 2", ["thalweg cat --index never, 2"], 1.1))
    return Group(name, f"{k}-mers of {source.name}", entries, checks, [source, text], bytes_of(text))


def halves(text, folder):
    """Two gzip files with half of the records each, the file that lists them for KMC, and the command that makes all three."""
    parts, listed = [folder / f"half-{number}.fastq.gz" for number in (1, 2)], folder / "halves.txt"
    script = """half=$(( $(wc -l < "$0") / 8 * 4 ))
        head -n $half "$0" | gzip -6 > "$1" & tail -n +$((half + 1)) "$0" | gzip -6 > "$2" && wait
        printf '%s\\n' "$1" "$2" > "$3" """
    return parts, listed, ["sh", "-c", script, text, *parts, listed]


def scaling(tools, scratch, name, texts, k=31):
    """An eighth, a quarter, a half of the reads, and all: the time of a k-mer."""
    folder = made(scratch / name)
    truths = [Truth(tools, text, k, folder) for text in texts]
    entries, checks = [], []
    for threads in (1, 2):
        for times, truth in zip((1, 2, 4, 8), truths, strict=True):
            label = f"thalweg count {times}x"
            entries.append(ours(tools, truth, folder / f"{times}-{threads}.thk", [truth.text], threads, label=label))
        for times, truth in list(zip((1, 2, 4, 8), truths, strict=True))[1:]:
            title = f"{threads_of(threads)}: time of a k-mer, {times}x / 1x"
            checks.append(per_kmer(title, (f"thalweg count {times}x, {threads}", truth), (f"thalweg count 1x, {threads}", truths[0]), 1.1))
    return Group(name, f"{k}-mers of {texts[-1].name} and parts of it", entries, checks, texts, bytes_of(texts[-1]))


def skewed(tools, scratch, text, even, k=31):
    """Reads of which half are poly-A, adapters and a satellite, beside even ones."""
    folder = made(scratch / "count-skewed")
    truth, other = Truth(tools, text, k, folder), Truth(tools, even, k, folder)
    entries, checks = [], []
    for threads in (1, 2):
        entries.append(ours(tools, truth, folder / f"ours-{threads}.thk", [text], threads))
        entries.append(ours(tools, other, folder / f"even-{threads}.thk", [even], threads, label=f"thalweg count {even.name}"))
        entries += [kmc(truth, folder, text, threads), jellyfish(truth, folder, text, threads)]
        checks.append(per_kmer(f"{threads_of(threads)}: time of a k-mer / that of {even.name}", (f"thalweg count, {threads}", truth),
                               (f"thalweg count {even.name}, {threads}", other), 1.1))
        checks.append(faster(threads, f"KMC, {threads}", FASTER_THAN_KMC["high"][k]))
    return Group("count-skewed", f"{k}-mers of {text.name}", entries, checks, [text, even], bytes_of(text))


class Truth:
    """How many k-mers a text has, in all and distinct, each by whoever can tell besides thalweg."""

    def __init__(self, tools, text, k, folder):
        self.tools, self.text, self.k, self.folder = tools, text, k, folder
        # What `thalweg count --verbose` said of the bytes between its stages.
        self.stages = {}

    @functools.cached_property
    def total(self):
        """By a plain reader of four-line FASTQ."""
        return sum(number * max(0, length - self.k + 1) for length, number in runs_of_bases(self.text).items())

    @functools.cached_property
    def slots(self):
        """What `jellyfish count -s` is told: room for all k-mers in a table that may be four fifths full."""
        histo = subprocess.run(strings([self.tools.thalweg, "count", "-k", self.k, self.text, "--quiet", "--histo", "-"]),
                               capture_output=True, check=True).stdout
        return math.ceil(sum(int(line.split()[1]) for line in histo.splitlines()) / 0.8)

    @property
    def slots_later(self):
        """That, asked for when it is needed."""
        return Later(lambda: self.slots)

    def differs(self, who, distinct, total):
        """None, or what is wrong with the totals that a program found. All programs that are there must agree."""
        if total != self.total:
            return f"{total} k-mers of {self.total}"
        known = agreed.setdefault((self.text, self.k), (distinct, who))
        return None if known[0] == distinct else f"{distinct} distinct k-mers, but {known[1]} found {known[0]}"

    def passed(self, where):
        """Bytes per k-mer that passed between the stages, or None if none did."""
        return self.stages[where] / self.total if self.stages.get(where) else None


# Distinct k-mers of a text and k, and who told them first.
agreed = {}


@functools.cache
def runs_of_bases(text):
    """How many runs of A, C, G and T of each length there are in the sequences."""
    runs = {}
    with open(text, "rb") as file:
        for number, line in enumerate(file):
            if number % 4 == 1:
                for run in re.findall(rb"[ACGTacgt]+", line):
                    runs[len(run)] = runs.get(len(run), 0) + 1
    return runs


def ours(tools, truth, out, files, threads, ending="thk", limit=None, extra=(), prepare=(), label=None):
    command = [tools.thalweg, "count", "-k", truth.k, *files, "-o", out, "--threads", threads, "--tmp", out.parent, *extra]
    label = " ".join(map(str, [label or "thalweg count", *extra]))
    if ending != "thk":
        label += f" .{ending}"
    if limit:
        command += ["--memory", limit]
        label += f" --memory {limit}"
    # A KMC database is two files; the records are in this one.
    written = out.with_name(f"{out.name}.kmc_suf") if ending == "kmc" else out

    def verify():
        runs = [("in memory", command)] if limit is None else [("in temporary files", [*command[:-1], NEXT_TO_NOTHING]), (None, command)]
        for stage, words in runs:
            done = subprocess.run(strings([*words, "--verbose"]), capture_output=True, text=True)
            if done.returncode:
                return f"exit code {done.returncode}: {done.stderr.strip()[-200:]}"
            for size, unit, where in re.findall(r"([\d.]+) (B|[kMG]B) (in memory|in temporary files)", done.stderr):
                if float(size) > 0 and where == stage:
                    truth.stages[where] = float(size) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
        if ending == "jf":
            return jellyfish_agrees(truth, out) if has("jellyfish") else thalweg_agrees(tools, truth, out)
        return thalweg_agrees(tools, truth, out)

    return Entry(f"{label}, {threads}", [*command, "--quiet"], threads, list(prepare), verify, output=written,
                 text_bytes=bytes_of(truth.text))


def thalweg_agrees(tools, truth, database):
    done = subprocess.run(strings([tools.thalweg, "kmers", "stats", "--json", database]), capture_output=True)
    if done.returncode:
        return f"its output cannot be read: {done.stderr.decode().strip()[-200:]}"
    found = json.loads(done.stdout)["databases"][0]
    return truth.differs("thalweg", found["distinct"], found["total"])


def kmc(truth, folder, text, threads, label="KMC"):
    out, work = folder / f"kmc-{threads}", made(folder / f"kmc-{threads}.tmp")
    command = ["kmc", f"-k{truth.k}", "-ci1", "-cs4294967295", f"-t{threads}", "-hp"]

    def verify():
        summary = folder / "kmc.json"
        done = subprocess.run(strings([*command, f"-j{summary}", text, out, work]), capture_output=True)
        if done.returncode:
            return f"exit code {done.returncode}"
        found = json.loads(summary.read_text())["Stats"]
        return truth.differs("KMC", found["#Unique_k-mers"], found["#Total no. of k-mers"])

    return Entry(f"{label}, {threads}", [*command, text, out, work], threads, verify=verify, output=out.with_name(f"{out.name}.kmc_suf"))


def jellyfish(truth, folder, text, threads):
    out = folder / f"jellyfish-{threads}.jf"
    command = ["jellyfish", "count", "-C", "-m", truth.k, "-s", truth.slots_later, "-t", threads, "-o", out, text]

    def verify():
        done = subprocess.run(strings(command), capture_output=True)
        return f"exit code {done.returncode}" if done.returncode else jellyfish_agrees(truth, out)

    return Entry(f"Jellyfish, {threads}", command, threads, verify=verify, output=out)


def jellyfish_agrees(truth, database):
    done = subprocess.run(strings(["jellyfish", "stats", database]), capture_output=True, text=True)
    found = dict(line.split(":") for line in done.stdout.splitlines() if ":" in line)
    if done.returncode or "Distinct" not in found:
        return f"jellyfish stats cannot read it: {done.stderr.strip()[-200:]}"
    return truth.differs("Jellyfish", int(found["Distinct"]), int(found["Total"]))


class Later:
    """A word of a command that is found out when it is needed: groups are made before their data are there."""

    def __init__(self, find):
        self.find = find

    def __str__(self):
        return str(self.find())


def faster(threads, rival, times):
    def value(all):
        ours, theirs = all.get(f"thalweg count, {threads}"), all.get(rival)
        return theirs.median / ours.median if ours and theirs else None
    return Check(f"{threads_of(threads)}: times as fast as {rival.split(',')[0]}", value, times, direction="min")


def faster_than(ours, rival, times):
    def value(all):
        return all[rival].median / all[ours].median if ours in all and rival in all else None
    return Check(f"{ours}: times as fast as {rival.split(',')[0]}", value, times, direction="min")


def ratio(title, ours, others, target):
    def value(all):
        medians = [all[other].median for other in others if other in all]
        return all[ours].median / min(medians) if medians and ours in all else None
    return Check(title, value, target)


def per_kmer(title, ours, other, target):
    """Labels and truths: the time of a k-mer of the one over that of the other."""
    def value(all):
        if ours[0] not in all or other[0] not in all:
            return None
        return all[ours[0]].median / ours[1].total / (all[other[0]].median / other[1].total)
    return Check(title, value, target)


def peak(label, target_mib):
    def value(all):
        measured = label in all and all[label].peak_kib is not None
        return all[label].peak_kib / MIB if measured else None
    return Check(f"peak memory of {label}", value, target_mib, unit=" MiB")


def peak_ratio(title, ours, other, target):
    def value(all):
        peaks = [all[label].peak_kib if label in all else None for label in (ours, other)]
        return None if None in peaks else peaks[0] / peaks[1]
    return Check(title, value, target)


def threads_of(threads):
    return f"{threads} thread{'s'[:threads > 1]}"


def has(program):
    return Entry(program, [program]).missing() is None


def made(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def bytes_of(text):
    return text.stat().st_size if text.exists() else 0
