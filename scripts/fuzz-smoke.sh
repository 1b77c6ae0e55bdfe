#!/usr/bin/env bash
# Runs every fuzz target for a while: scripts/fuzz-smoke.sh [SECONDS] [TARGET ...]
#
# Needs a nightly compiler and cargo-fuzz; installs cargo-fuzz if it can, and otherwise says what to run.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
shift || true

if ! cargo +nightly --version >/dev/null 2>&1; then
    if ! command -v rustup >/dev/null || ! rustup toolchain install nightly --profile minimal; then
        echo "fuzz-smoke: no nightly compiler: run 'rustup toolchain install nightly'" >&2
        exit 1
    fi
fi
if ! cargo fuzz --version >/dev/null 2>&1 && ! cargo install --quiet --locked cargo-fuzz; then
    echo "fuzz-smoke: no cargo-fuzz: run 'cargo install --locked cargo-fuzz'" >&2
    exit 1
fi
if ! command -v c++ >/dev/null; then
    echo "fuzz-smoke: no C++ compiler, which libFuzzer needs: run 'apt-get install g++'" >&2
    exit 1
fi

targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(find fuzz/fuzz_targets -name '*.rs' -printf '%f\n' | sed 's/\.rs$//' | sort)
((${#targets[@]})) || { echo "fuzz-smoke: no targets in fuzz/fuzz_targets" >&2; exit 1; }

# libdeflate compiles one C template twice, and its static tables look to the sanitizer like one symbol.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_odr_violation=0"

# Some targets write small files for the parser to open: in memory they are a few times as fast.
if [ -z "${TMPDIR:-}" ] && [ -d /dev/shm ] && [ -w /dev/shm ]; then
    export TMPDIR=/dev/shm
fi

failed=()
for target in "${targets[@]}"; do
    echo "== $target: $seconds s"
    mkdir -p "fuzz/corpus/$target"
    # What earlier runs found worth keeping, in few and small inputs.
    [ -f "fuzz/corpora/$target.tar.xz" ] && tar -xJf "fuzz/corpora/$target.tar.xz" -C fuzz/corpus --skip-old-files
    seeds=()
    [ -d "fuzz/seeds/$target" ] && seeds=("fuzz/seeds/$target")
    # 2 GiB: an input that makes a parser allocate without bound is a find. 10 s: so is one that it hangs on.
    cargo +nightly fuzz run "$target" "fuzz/corpus/$target" ${seeds[@]+"${seeds[@]}"} -- \
        -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=65536 -print_final_stats=1 \
        2>&1 | tee "fuzz/$target.log" | grep -E 'ERROR|panicked|SUMMARY|stat::number_of_executed_units|Test unit written|error(\[|:)' || true
    if ! grep -q 'stat::number_of_executed_units' "fuzz/$target.log" || grep -qE 'ERROR: |panicked|SUMMARY: ' "fuzz/$target.log"; then
        failed+=("$target")
        tail -n 30 "fuzz/$target.log"
    else
        rm -f "fuzz/$target.log"
    fi
done
if ((${#failed[@]})); then
    echo "fuzz-smoke: FAILED: ${failed[*]} (inputs in fuzz/artifacts, output in fuzz/*.log)"
    exit 1
fi
echo "fuzz-smoke: ok: ${#targets[@]} targets, $seconds s each"
