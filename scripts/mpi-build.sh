#!/usr/bin/env bash
# Builds thalweg-mpi with each MPI that is there, and prints the name of each program: target/mpi/thalweg-mpi.LIBRARY.
#
#   scripts/mpi-build.sh [--release]
#
# Without --release it takes what `cargo test --workspace` has built: naming all packages, and an example, gives dependencies
# the same features.
set -u -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
target=${CARGO_TARGET_DIR:-$PWD/target}
profile=debug arguments=(--workspace --bin thalweg-mpi --example gc_of_pairs)
[ "${1:-}" = --release ] && profile=release arguments=(--package thalweg-mpi --release)
mkdir -p "$target/mpi"
for library in openmpi mpich; do
    command -v "mpicc.$library" >/dev/null && command -v "mpirun.$library" >/dev/null || continue
    MPICC=mpicc.$library cargo build --locked --quiet "${arguments[@]}" >&2 || exit 1
    # One folder for both: what does not depend on MPI is built once.
    cp "$target/$profile/thalweg-mpi" "$target/mpi/thalweg-mpi.$library" || exit 1
    echo "$target/mpi/thalweg-mpi.$library"
done
