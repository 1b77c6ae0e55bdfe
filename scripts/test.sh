#!/usr/bin/env bash
# Every check that a commit must pass; the last line sums up. Exit code 1 if any of them failed.
#
# All steps run even after one has failed, so that one run shows everything.
set -u -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}
# A test reads thousands of small files, each with buffers of 256 KiB and more. The allocator keeps them from one to the
# next: to ask the system for them every time took most of some tests' time, in page faults. (Read by glibc only.)
export MALLOC_MMAP_THRESHOLD_=$((32 << 20)) MALLOC_TRIM_THRESHOLD_=$((1 << 30))
# `--all`: what takes longer, too.
mpi_arguments=()
[ "${1:-}" = --all ] && mpi_arguments=(--all)
passed=() failed=() tests=0 ignored=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

step() { # title, command...
    local title=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$title"
    if "$@" 2>&1 | tee "$log"; then passed+=("$title"); else failed+=("$title"); fi
    tests=$((tests + $(count passed)))
    ignored=$((ignored + $(count ignored)))
    printf -- '-- %s: %d s\n' "$title" $((SECONDS - start))
}
# Sums what cargo says at the end of each test binary: "test result: ok. 12 passed; 0 failed; 1 ignored; ...".
count() { # passed|ignored
    grep -a '^test result: ' "$log" | grep -oE "[0-9]+ $1" | awk '{ sum += $1 } END { print sum + 0 }'
}

loom() {
    # --cfg loom swaps the standard library's locks for ones that the model checker schedules.
    RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="$target/loom" cargo test --locked --quiet --package thalweg-flow --test loom
}
documentation() (
    export RUSTDOCFLAGS="-D warnings"
    cargo doc --locked --quiet --workspace --exclude thalweg-mpi --no-deps
)
simulator() {
    local name manifest
    for name in simulate taxa-layouts trace-layers; do
        manifest=bench/$name/Cargo.toml
        cargo fmt --manifest-path "$manifest" --check &&
            cargo clippy --locked --quiet --manifest-path "$manifest" --target-dir "$target/simulate" --all-targets -- -D warnings ||
            return
    done
}

mpi() {
    # Counts of 1 to 3 ranks with each MPI; `make test-all` has more ranks, and ranks that fail.
    if ! command -v mpicc >/dev/null; then
        echo "SKIPPED: no mpicc: run 'apt-get install openmpi-bin libopenmpi-dev mpich libmpich-dev'"
        return
    fi
    cargo clippy --locked --quiet --package thalweg-mpi --all-targets -- -D warnings &&
        cargo test --locked --quiet --package thalweg-mpi &&
        cargo build --locked --quiet --package thalweg &&
        scripts/mpi-test.py "$target/debug/thalweg" "${mpi_arguments[@]}"
}

workflows() {
    # Jobs of Snakemake and Nextflow, on real reads.
    cargo build --locked --quiet --package thalweg && scripts/workflows-test.sh "$target/debug/thalweg"
}

fuzz_targets() {
    # That they compile: whoever changes what they call runs them seldom.
    if ! command -v c++ >/dev/null; then
        echo "SKIPPED: no C++ compiler, which libFuzzer needs: run 'apt-get install g++'"
        return
    fi
    cargo check --locked --quiet --manifest-path fuzz/Cargo.toml --target-dir "$target/fuzz"
}

# What fastp 1.3.6 wrote, where the collection is there: it may not be redistributed.
golden=../shared/golden/fastp-1.3.6.tar.xz
if [ -f "$golden" ]; then
    mkdir -p "$target/golden"
    tar -xJf "$golden" -C "$target/golden"
    export THALWEG_FASTP_GOLDEN=$target/golden/fastp-1.3.6
else
    echo "no $golden: tests against it skip"
fi

# What FastQC 0.12.1 wrote of reads that may not be redistributed either.
golden=../shared/golden/fastqc-0.12.1.tar.xz
if [ -f "$golden" ]; then
    mkdir -p "$target/golden"
    tar -xJf "$golden" -C "$target/golden"
    export THALWEG_FASTQC_GOLDEN=$target/golden/fastqc-0.12.1
else
    echo "no $golden: tests against it skip"
fi

if [ -x "$target/multiqc/bin/multiqc" ]; then
    export THALWEG_MULTIQC=$target/multiqc/bin/multiqc
fi

if [ -x "$target/trace-python/bin/python" ]; then
    export THALWEG_TRACE_PYTHON=$target/trace-python/bin/python
fi

step "formatting" cargo fmt --all --check
step "imports" bash -c "scripts/check-imports --self-test && scripts/check-imports"
step "words" bash -c "scripts/check-words --self-test && scripts/check-words"
# `mpi` needs the compiler of an MPI, and has a step of its own.
step "lints" cargo clippy --locked --quiet --workspace --exclude thalweg-mpi --all-targets -- -D warnings
step "tests" cargo test --locked --workspace --exclude thalweg-mpi
step "mpi" mpi
[ "${1:-}" = --all ] && step "workflows" workflows
step "loom" loom
step "documentation" documentation
step "simulator" simulator
step "fuzz targets" fuzz_targets
step "bench harness" python3 -m compileall -q bench/harness bench/run

echo
summary="$tests tests passed, $ignored ignored; ${#passed[@]} of $((${#passed[@]} + ${#failed[@]})) steps passed in $SECONDS s"
if ((${#failed[@]})); then
    printf 'make test: FAILED: %s; %s\n' "$(printf '%s, ' "${failed[@]}" | sed 's/, $//')" "$summary"
    exit 1
fi
printf 'make test: ok: %s\n' "$summary"
