#!/usr/bin/env bash
# Indexes and reads the real data of data/ in a temporary folder; prints every command, and how fast it was.
#
#   scripts/demo.sh [THALWEG]      default: builds it
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if (($#)); then
    thalweg=$(realpath "$1")
else
    echo "Building thalweg (a few minutes the first time) ..."
    cargo build --locked --quiet --profile demo --package thalweg --bin thalweg
    thalweg=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)/demo/thalweg
fi
report=$(mkdir -p "${CARGO_TARGET_DIR:-target}/demo" && cd "${CARGO_TARGET_DIR:-target}/demo" && pwd)

work=$(mktemp -d "${TMPDIR:-/tmp}/thalweg-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp -r data/*.gz data/*.bz2 data/taxonomy "$work"
cd "$work"
chmod u+w ./*
threads=$(getconf _NPROCESSORS_ONLN)

# Shows a command, runs it, and says how long it took and how much text per second that is.
run() { # bytes of text (0: do not say), command line
    local text=$1 start end
    shift
    printf '\n$ %s\n' "$*"
    start=$(date +%s%N)
    PATH="$(dirname "$thalweg"):$PATH" bash -o pipefail -c "$*"
    end=$(date +%s%N)
    awk -v ns=$((end - start)) -v bytes="$text" 'BEGIN {
        printf "  (%.0f ms", ns / 1e6
        if (bytes > 0) printf "; %.1f MB of text, %.2f GB/s, start of the process included", bytes / 1e6, bytes / ns
        print ")" }'
}

printf 'Real reads, from Debian packages (data/README.md):\n'
ls -l nanopore.fq.gz Illimina1.8.fq.bz2 Escherichia_coli_536_NC_008253.1.fna.gz | awk '{ print "  " $NF ", " $5 " bytes" }'
nanopore=$(gzip -dc nanopore.fq.gz | wc -c)
genome=$(gzip -dc Escherichia_coli_536_NC_008253.1.fna.gz | wc -c)

run 0 "thalweg index nanopore.fq.gz --span 500000"
run 0 "thalweg info nanopore.fq.gz"
run "$nanopore" "thalweg stats nanopore.fq.gz --threads 1"
run "$nanopore" "thalweg stats nanopore.fq.gz --threads $threads"
run "$nanopore" "thalweg cat nanopore.fq.gz | md5sum"
run "$nanopore" "gzip -dc nanopore.fq.gz | md5sum"
run 0 "thalweg cat nanopore.fq.gz --records 1000..1001 | cut -c 1-72"
run "$nanopore" "thalweg verify --full nanopore.fq.gz"

printf '\nA genome, and reads in a format that has no index:\n'
run "$genome" "thalweg stats Escherichia_coli_536_NC_008253.1.fna.gz"
run 0 "thalweg stats Illimina1.8.fq.bz2"
printf '\nClean reads, and a report:\n'
run 0 "thalweg qc Illimina1.8.fq.bz2 -o clean.fq.gz --json $report/qc.json --html $report/qc.html"
run 0 "thalweg stats clean.fq.gz"
printf '\nWhat became of each read, as records that other programs read:\n'
run 0 "thalweg qc Illimina1.8.fq.bz2 --cut_tail --no_report --trace qc.msgpack.lz4"
run 0 "thalweg trace count qc.msgpack.lz4"
run 0 "thalweg trace show qc.msgpack.lz4 --kind read -n 2"
printf '\nThe reads as unaligned BAM of a read group, and back:\n'
run "$nanopore" "thalweg cat --read-group demo nanopore.fq.gz -o nanopore.bam"
run "$nanopore" "thalweg stats nanopore.bam"
run 0 "thalweg cat -T RG nanopore.bam | head -n 1"
if command -v samtools >/dev/null; then
    run 0 "cmp <(thalweg cat nanopore.bam) <(samtools fastq nanopore.bam 2>/dev/null) && echo 'the same as samtools fastq prints'"
fi
printf '\nAll k-mers of the genome, counted:\n'
run "$genome" "thalweg count -k 31 Escherichia_coli_536_NC_008253.1.fna.gz -o genome.thk"
run 0 "thalweg kmers stats genome.thk"
printf '\nReads of a run of five barcodes, one organism each: labels by three genomes (2017: one base in ten is wrong, hence -k 20):\n'
run 0 "thalweg taxa build -k 20 --taxonomy taxonomy *.fna.gz -o genomes.tht --quiet"
run 0 "thalweg classify genomes.tht barcodes.first300.fq.gz -o labels.tsv --report reads.kreport"
run 0 "cat reads.kreport"
printf '\nLabels by barcode, which the headers tell. 1 is Staphylococcus aureus; 2 and 8 are Escherichia coli; 4 and 6 are in no genome here; with so many wrong bases most reads tell the genus alone:\n'
run 0 "paste <(zcat barcodes.first300.fq.gz | grep -o 'truebc=[0-9]*') <(cut -f 3 labels.tsv) | sort | uniq -c"
printf '\nThe report on the reads: %s\n' "$report/qc.html"
printf '\nAll else ran in a temporary folder that is removed now. Next: thalweg index YOUR.fastq.gz\n'
