#!/usr/bin/env bash
# Runs the workflows of docs/workflows on reads of data/, with the engines that are there, and compares their counts with those of
# one `thalweg count`.
#
#   scripts/workflows-test.sh PROGRAM_OF_THALWEG
#
# Snakemake is taken from PATH, or installed into target/snakemake; Nextflow is taken from PATH, as it needs Java.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
thalweg=$(realpath "$1")
target=${CARGO_TARGET_DIR:-$root/target}
# A workflow takes a minute at most; one that hangs ends.
limit=(timeout --kill-after 10 600)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/bin"
ln -s "$thalweg" "$place/bin/thalweg"
export PATH=$place/bin:$PATH
failed=0

reads() { # folder: the same reads in files of several kinds
    mkdir -p "$1"
    cp "$root/data/nanopore.fq.gz" "$1/one.fq.gz"
    bzip2 -dc "$root/data/Illimina1.8.fq.bz2" >"$1/two words.fq"
    cp "$root/data/barcodes.first300.fq.gz" "$1/three.fq.gz"
}

check() { # engine database histogram
    if cmp -s <(thalweg kmers dump "$2") "$place/expected.tsv" && cmp -s "$3" "$place/expected.histo"; then
        echo "$1: ok"
    else
        echo "FAILED: $1: counts differ from those of one process" >&2
        failed=1
    fi
}

snakemake_program() {
    if command -v snakemake; then return; fi
    local venv=$target/snakemake
    if [ ! -x "$venv/bin/snakemake" ]; then
        { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check snakemake; } >/dev/null 2>&1 || return 0
    fi
    echo "$venv/bin/snakemake"
}

reads "$place/one"
thalweg count -q -k 31 "$place"/one/*.f* -o "$place/expected.thk"
thalweg kmers dump "$place/expected.thk" >"$place/expected.tsv"
thalweg kmers histo "$place/expected.thk" >"$place/expected.histo"
[ -s "$place/expected.tsv" ]

snakemake=$(snakemake_program)
if [ -n "$snakemake" ]; then
    reads "$place/snakemake/reads"
    cd "$place/snakemake"
    printf '%s\n' reads/*.fq reads/*.gz >reads.txt
    export XDG_CACHE_HOME=$place/cache
    if "${limit[@]}" "$snakemake" -s "$root/docs/workflows/count.smk" --cores 2 --quiet \
        --config reads=reads.txt kmer=31 shards=5 parts=3 out=counts >"$place/log" 2>&1; then
        check snakemake counts counts.histo
    else
        cat "$place/log" >&2
        failed=1
    fi
else
    echo "SKIPPED: snakemake cannot be installed: python3 -m venv $target/snakemake && $target/snakemake/bin/pip install snakemake"
fi

if command -v nextflow >/dev/null; then
    reads "$place/nextflow/reads"
    cd "$place/nextflow"
    if NXF_OFFLINE=true "${limit[@]}" nextflow run "$root/docs/workflows/count.nf" -ansi-log false --reads 'reads/*' --k 31 \
        --shards 5 --parts 3 --out out -process.cpus=1 >"$place/log" 2>&1; then
        check nextflow out/counts out/counts.histo
    else
        cat "$place/log" >&2
        failed=1
    fi
else
    echo "SKIPPED: no nextflow in PATH: it needs Java 17 or later, and is described at https://www.nextflow.io"
fi
exit $failed
