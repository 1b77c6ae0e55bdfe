"""What is measured of `thalweg qc`, beside fastp and chelae."""

import statistics

from .measure import Check, Entry, Group

MIB = 1024  # in KiB


def groups(tools, data, scratch):
    """Pairs in, pairs out: gzip at fastp's default level and at the fastest, and plain."""
    for kind in ("novaseq", "hiseq"):
        plain = [data / f"pairs-{kind}_R{mate}.fastq" for mate in (1, 2)]
        packed = [data / f"pairs-{kind}_R{mate}.fastq.gz" for mate in (1, 2)]
        yield cleaning(tools, scratch, f"qc-{kind}-gzip-4", packed, 4, {"fastp": 4})
        yield cleaning(tools, scratch, f"qc-{kind}-gzip-1", packed, 1, {"fastp": 6, "chelae": 1}, cpu=4)
        yield cleaning(tools, scratch, f"qc-{kind}-plain", plain, None, {"fastp": 8}, cpu=2)


def cleaning(tools, scratch, name, inputs, level, targets, cpu=None):
    """One kind of input and output; `targets` are times faster than the rival, `cpu` µs per pair."""
    ending = ".fq" if level is None else ".fq.gz"
    folder = scratch / name
    folder.mkdir(exist_ok=True)
    entries = []

    def outputs(label):
        return [folder / f"{label}_{mate}{ending}" for mate in (1, 2)]

    def reports(label):
        return ["-j", folder / f"{label}.json", "-h", folder / f"{label}.html"]

    compress = [] if level is None else ["-z", level]
    for threads in (1, 2):
        out = outputs("thalweg")
        files = ["-i", inputs[0], "-I", inputs[1], "-o", out[0], "-O", out[1], *compress]
        entries.append(Entry(f"thalweg qc, {threads}", [tools.thalweg, "qc", *files, *reports("thalweg"), "--no_sync", "--quiet", "-w", threads],
                             threads, output=out[0], fresh=out))
        entries.append(Entry(f"thalweg qc --no_report, {threads}", [tools.thalweg, "qc", *files, "--no_report", "--no_sync", "--quiet", "-w", threads],
                             threads, output=out[0], fresh=out, note="no statistics"))
        out = outputs("fastp")
        files = ["-i", inputs[0], "-I", inputs[1], "-o", out[0], "-O", out[1], *compress]
        entries.append(Entry(f"fastp, {threads}", ["fastp", *files, *reports("fastp"), "-w", threads], threads, output=out[0], fresh=out,
                             note="reading and writing threads besides"))
        out = outputs("chelae")
        squeeze = [] if level is None else ["-c", level]
        entries.append(Entry(f"chelae, {threads}", [tools.chelae, "trim", "-i", *inputs, "-o", *out, *squeeze, "-t", threads],
                             threads, output=out[0], fresh=out, note="no statistics by cycle, no report; reading and writing threads besides"))

    def faster(rival, threads):
        def value(all):
            ours, theirs = all.get(f"thalweg qc, {threads}"), all.get(f"{rival}, {threads}")
            return theirs.median / ours.median if ours and theirs else None
        return value

    checks = [Check(f"{threads} thread{'s'[:threads > 1]}: times as fast as {rival}", faster(rival, threads), times, direction="min")
              for rival, times in targets.items() for threads in (1, 2)]
    if cpu:
        def per_pair(all):
            samples = all.get("thalweg qc, 1")
            return statistics.median(samples.cpu) / pairs(inputs[0]) * 1e6 if samples else None
        checks.append(Check("CPU time of a pair, 1 thread", per_pair, cpu, unit=" µs"))
    for threads in (1, 2):
        def peak(all, label=f"thalweg qc, {threads}"):
            measured = label in all and all[label].peak_kib is not None
            return all[label].peak_kib / MIB if measured else None
        checks.append(Check(f"peak memory of thalweg qc, {threads}", peak, 200 + 16 * threads, unit=" MiB"))
    return Group(name, f"{inputs[0].name} and its mates", entries, checks, inputs, text_bytes(inputs))


def pairs(path):
    """Number of pairs: `make-data` writes it beside them."""
    return int((path.parent / "PAIRS").read_text())


def text_bytes(inputs):
    """Uncompressed bytes of both mates."""
    texts = [path.with_name(path.name.removesuffix(".gz")) for path in inputs]
    return sum(path.stat().st_size for path in texts if path.exists())
