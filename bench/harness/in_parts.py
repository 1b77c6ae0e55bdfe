"""What is measured of counting and merging by jobs of their own: all on one machine, one after the other."""

from .counting import Truth, bytes_of, made, ratio, thalweg_agrees
from .measure import Entry, Group, prepare as run_first

K = 31
SHARDS = 4
PARTS = 4
# Merging what is disjoint, of the time of the count.
COPYING = 0.4


def groups(tools, data, scratch):
    for coverage, text in (("high", data / "deep.fastq"), ("low", data / "hiseq.fastq")):
        yield merging(tools, scratch, f"kmers-parts-{coverage}", text)


def merging(tools, scratch, name, text):
    folder = made(scratch / name)
    truth = Truth(tools, text, K, folder)
    shards = [folder / f"shard.{number}.thk" for number in range(1, SHARDS + 1)]
    parts = [made(folder / "set") / f"part.{number}.thk" for number in range(1, PARTS + 1)]
    count = [tools.thalweg, "count", "-q", "-k", K, text, "-t", 2]
    merge = [tools.thalweg, "kmers", "merge", "-q", "-t", 2]
    join = [tools.thalweg, "kmers", "join", "-q", *parts]
    prepare = [[*count, "--shard", f"{number}/{SHARDS}", "-o", shard] for number, shard in enumerate(shards, 1)]
    jobs = [[*merge, *shards, "--partition", f"{number}/{PARTS}", "-o", part] for number, part in enumerate(parts, 1)]
    whole, merged, copied = (folder / f"{word}.thk" for word in ("whole", "merged", "copied"))

    def of(database):
        return lambda: thalweg_agrees(tools, truth, database)

    def after(command, database):
        # The database is there once the command has run.
        first = Entry("", command, prepare=[command, [tools.thalweg, "kmers", "verify", database]])
        return lambda: run_first(first) or of(database)()

    one = Entry("thalweg count, 2", [*count, "-o", whole], 2, verify=after([*count, "-o", whole], whole), output=whole)
    all_at_once = [*merge, *shards, "-o", merged]
    # Not that of the set: the manifest does not know a part that is made anew.
    one_part = [*jobs[0][:-1], folder / "part.thk"]
    copy = [*merge, parts[0].parent, "-o", copied]
    entries = [
        one,
        Entry(f"kmers merge of {SHARDS} shards, 2", all_at_once, 2, prepare, after(all_at_once, merged), output=merged),
        Entry(f"kmers merge --partition 1/{PARTS}, 2", one_part, 2, [*jobs, join], of(parts[0].parent), output=folder / "part.thk"),
        Entry("kmers merge of the set, 2", copy, 2, verify=after(copy, copied), output=copied),
    ]
    checks = [ratio("time of merging disjoint parts / count", "kmers merge of the set, 2", ["thalweg count, 2"], COPYING)]
    return Group(name, f"{K}-mers of {text.name}, counted in {SHARDS} shards and merged in {PARTS} parts", entries, checks, [text],
                 bytes_of(text))
