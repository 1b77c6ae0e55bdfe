# Counts k-mers as independent jobs, each of which may run on another node: index, count shards, merge ranges of k-mers.
#
#   snakemake -s count.smk --cores 8 --config reads=reads.txt kmer=31 shards=8 parts=4 out=counts
#
# `reads` lists files, one in each line. With an executor for a batch system (such as --executor slurm) all nodes need the same
# file system, and `thalweg` in PATH. The result is the database `out`/ and its histogram `out`.histo.
LIST = config["reads"]
K = int(config.get("kmer", 31))
SHARDS = int(config.get("shards", 8))
PARTS = int(config.get("parts", 4))
OUT = config.get("out", "counts")

with open(LIST) as names:
    READS = [name.strip() for name in names if name.strip()]
# Any other file is cut where it stands, or is not cut at all.
GZIP = [name for name in READS if name.endswith(".gz")]


wildcard_constraints:
    i=r"\d+",


localrules:
    all,
    join,


rule all:
    input:
        f"{OUT}.histo",


# A gzip file with an index is read from any place on; without one, by one job as a whole.
rule index:
    input:
        "{name}.gz",
    output:
        "{name}.gz.thw",
    threads: 4
    shell:
        "thalweg index -q --force -t {threads} {input:q} -o {output:q}"


rule count:
    input:
        LIST,
        reads=READS,
        indexes=expand("{name}.thw", name=GZIP),
    output:
        temp(f"{OUT}.shards/{{i}}.thk"),
    threads: 4
    resources:
        mem_mib=4096,
    shell:
        "thalweg count -q -k {K} --shard {wildcards.i}/{SHARDS} --files-from {LIST:q} -t {threads}"
        " --memory {resources.mem_mib}Mi -o {output:q}"


# Each job reads a range of every shard, and makes the part of the result that has these k-mers.
rule merge:
    input:
        expand(f"{OUT}.shards/{{i}}.thk", i=range(1, SHARDS + 1)),
    output:
        f"{OUT}/part.{{i}}.thk",
    threads: 4
    shell:
        "thalweg kmers merge -q {input:q} --partition {wildcards.i}/{PARTS} -t {threads} -o {output:q}"


# Refuses parts that are missing, doubled, or of other shards.
rule join:
    input:
        expand(f"{OUT}/part.{{i}}.thk", i=range(1, PARTS + 1)),
    output:
        f"{OUT}/manifest.json",
    shell:
        "thalweg kmers join -q {input:q}"


rule histogram:
    input:
        f"{OUT}/manifest.json",
    output:
        f"{OUT}.histo",
    params:
        database=OUT,
    shell:
        "thalweg kmers histo {params.database:q} -o {output:q}"
