#!/usr/bin/env bash
# Counts the k-mers of the real reads of data/ by two ranks of each MPI that is there, and by one process, and compares.
set -eu -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
reads=(data/*.fq.gz data/*.fq.bz2 data/*.fna.gz)
mapfile -t programs < <(scripts/mpi-build.sh --release)
if ((${#programs[@]} == 0)); then
    echo "no MPI is here: apt-get install openmpi-bin libopenmpi-dev mpich libmpich-dev"
    exit 1
fi
cargo build --locked --quiet --release --package thalweg
thalweg=$target/release/thalweg
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "\$ thalweg count -k 31 ${reads[*]} -o one.thk"
"$thalweg" count -k 31 "${reads[@]}" -o "$work/one.thk"
for program in "${programs[@]}"; do
    library=${program##*.}
    flags=()
    [ "$library" = openmpi ] && flags=(--oversubscribe)
    [ "$library" = openmpi ] && [ "$(id -u)" = 0 ] && flags+=(--allow-run-as-root)
    echo
    echo "\$ mpirun.$library -n 2 thalweg-mpi count -k 31 ${reads[*]} -o counts/"
    # A launcher may wait for ever.
    timeout -k 5 300 "mpirun.$library" "${flags[@]}" -n 2 "$program" count -k 31 -t 1 "${reads[@]}" -o "$work/counts"
    ls "$work/counts"
    if cmp <("$thalweg" kmers dump "$work/one.thk") <("$thalweg" kmers dump "$work/counts"); then
        echo "the same $("$thalweg" kmers dump "$work/counts" | wc -l) k-mers and counts as of one process"
    else
        exit 1
    fi
    rm -r "$work/counts"
done
