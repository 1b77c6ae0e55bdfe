#!/usr/bin/env bash
# Every check that a commit must pass; the last line sums up. Exit code 1 if any of them failed.
#
#   scripts/test.sh                 what every change can break
#   scripts/test.sh --all           what takes longer, too; the results go to bench/results/checks.md
#   scripts/test.sh --only TITLE    one step of either
#
# All steps run even after one has failed, so that one run shows everything.
set -u -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-auto}
# A test reads thousands of small files, each with buffers of 256 KiB and more. The allocator keeps them from one to the
# next: to ask the system for them every time took most of some tests' time, in page faults. (Read by glibc only.)
export MALLOC_MMAP_THRESHOLD_=$((32 << 20)) MALLOC_TRIM_THRESHOLD_=$((1 << 30))
# Many tests wait: for processes, pipes and clocks.
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((2 * $(getconf _NPROCESSORS_ONLN)))}
mpi_arguments=() all=no only=''
# Random cases of each property; libraries' own number, 256, with --all.
export PROPTEST_CASES=64
case ${1:-} in
    '') ;;
    --all)
        all=yes mpi_arguments=(--all)
        # More cases of the kinds that are tested anyhow.
        export THALWEG_TEST_ALL=1 PROPTEST_CASES=256
        ;;
    --only) only=${2:?which step?} all=yes ;;
    *) echo "test: unknown: $1" >&2 && exit 2 ;;
esac
passed=() failed=() skipped=() tests=0 ignored=0 results=''
log=$(mktemp)
trap 'rm -f "$log"' EXIT

step() { # title, command...
    local title=$1 start=$SECONDS result=passed
    shift
    [ -n "$only" ] && [ "$only" != "$title" ] && return
    printf '\n== %s\n' "$title"
    if "$@" 2>&1 | tee "$log"; then passed+=("$title"); else failed+=("$title") result=FAILED; fi
    tests=$((tests + $(count passed)))
    ignored=$((ignored + $(count ignored)))
    # What a step could not do here it says in lines of its own; of single tests these are many.
    local left_out
    left_out=$(grep -a '^SKIPPED: ' "$log" | sort -u | head -n 3 | sed 's/^SKIPPED: //; s/|/\\|/g' | paste -sd';')
    [ -n "$left_out" ] && skipped+=("$title")
    results+="| $title | $result${left_out:+, without: $left_out} | $(count passed) | $((SECONDS - start)) |"$'\n'
    printf -- '-- %s: %d s\n' "$title" $((SECONDS - start))
}
# The same, of what takes longer.
long_step() {
    if [ "$all" = yes ]; then step "$@"; fi
}
# Sums what cargo says at the end of each test binary: "test result: ok. 12 passed; 0 failed; 1 ignored; ...".
count() { # passed|ignored
    grep -a '^test result: ' "$log" | grep -oE "[0-9]+ $1" | awk '{ sum += $1 } END { print sum + 0 }'
}

# Packages of one step: with other packages, or without those of tests, dependencies have other features, and all is built again.
members=(--workspace)
command -v mpicc >/dev/null || members+=(--exclude thalweg-mpi)
# Naming an example gives dependencies the features that they have in tests; so after step `tests` nothing is left to do.
BESIDE_TESTS=(--example gc_of_pairs)
build_command() { # target/debug/thalweg
    cargo build --locked --quiet "${members[@]}" --bin thalweg "${BESIDE_TESTS[@]}"
}

loom() {
    # --cfg loom swaps the standard library's locks for ones that the model checker schedules.
    RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="$target/loom" cargo test --locked --quiet --package thalweg-flow --test loom
}
documentation() (
    export RUSTDOCFLAGS="-D warnings"
    scripts/check-names --self-test &&
        cargo doc --locked --quiet --workspace --exclude thalweg-mpi --no-deps && scripts/check-names "$target/doc"
)
# Workspaces of their own take the profile of this one, and its folder: what they have in common is compiled once, C libraries above all.
apart() { # command...
    CARGO_PROFILE_DEV_OPT_LEVEL=2 CARGO_PROFILE_DEV_LTO=off CARGO_PROFILE_DEV_DEBUG=${CARGO_PROFILE_DEV_DEBUG:-line-tables-only} "$@"
}
bench_programs() { # folders of bench/...
    local name manifest
    for name in "$@"; do
        manifest=bench/$name/Cargo.toml
        cargo fmt --manifest-path "$manifest" --check &&
            apart cargo clippy --locked --quiet --manifest-path "$manifest" --target-dir "$target" --all-targets -- -D warnings ||
            return
    done
}

mpi() {
    # Counts of 1 to 3 ranks with each MPI; `make test-all` has more ranks, and ranks that fail.
    if ! command -v mpicc >/dev/null; then
        echo "SKIPPED: no mpicc: run 'apt-get install openmpi-bin libopenmpi-dev mpich libmpich-dev'"
        return
    fi
    build_command &&
        scripts/mpi-test.py "$target/debug/thalweg" "${mpi_arguments[@]}"
}

workflows() {
    # Jobs of Snakemake and Nextflow, on real reads.
    build_command && scripts/workflows-test.sh "$target/debug/thalweg"
}

metadata() {
    scripts/project --self-test && scripts/project --check && scripts/workflow-lint
}
features() {
    # What a library may leave out: each feature alone, none, and what crates say of codecs that were left out.
    local feature
    for feature in '' qc fastqc kmers taxa trace zstd bzip2 xz cli; do
        echo "features: ${feature:-none}"
        cargo clippy --locked --quiet --package thalweg --no-default-features --features "$feature" -- -D warnings || return
    done
    cargo test --locked --quiet --no-default-features --lib --package thalweg-reads --package thalweg-write feature
}
oldest_in_clippy() {
    # What the standard library has only since a later version than rust-version.
    cargo clippy --locked --quiet "${members[@]}" --all-targets -- -D clippy::incompatible_msrv
}
oldest_rust() {
    local oldest
    oldest=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)
    if ! cargo "+$oldest" --version >/dev/null 2>&1; then
        echo "SKIPPED: no Rust $oldest: run 'rustup toolchain install $oldest --profile minimal'"
        return
    fi
    cargo "+$oldest" check --locked --quiet --workspace --exclude thalweg-mpi --target-dir "$target/oldest"
}
tool() { # program: prints where it is: in PATH, or below target/tools
    command -v "$1" || { [ -x "$target/tools/bin/$1" ] && echo "$target/tools/bin/$1"; }
}
deny() {
    local deny
    if ! deny=$(tool cargo-deny); then
        echo "SKIPPED: no cargo-deny: run 'cargo install --locked cargo-deny --root $target/tools'"
        return
    fi
    "$deny" --locked check licenses bans sources || return
    # Its list of advisories comes from a repository.
    if ! "$deny" --locked fetch db >/dev/null 2>&1; then
        echo "SKIPPED: the list of advisories cannot be had here"
        return
    fi
    "$deny" --locked check advisories
}
miri() {
    # What SAFETY.md of inflate and of scan cites.
    if ! cargo +nightly miri --version >/dev/null 2>&1; then
        echo "SKIPPED: no Miri: run 'rustup toolchain install nightly --component miri,rust-src'"
        return
    fi
    # The kernel makes addresses of numbers, whose provenance it exposes (SAFETY.md of inflate); Miri warns of each otherwise.
    MIRIFLAGS=-Zmiri-permissive-provenance \
        cargo +nightly miri test --locked --quiet --target-dir "$target/miri" --package thalweg-inflate --test miri &&
        cargo +nightly miri test --locked --quiet --target-dir "$target/miri" --package thalweg-scan --lib every_length &&
        RUSTFLAGS=-Ctarget-feature=+avx2,+bmi1,+bmi2,+lzcnt,+popcnt cargo +nightly miri test --locked --quiet \
            --target-dir "$target/miri-avx2" --package thalweg-scan --lib every_length
}
# Tests of whatever chooses code by the CPU, as `runner` runs them.
KERNELS=(--package thalweg-scan --package thalweg-inflate --package thalweg-superkmers --lib)
portable() {
    # A CPU of 2008, emulated: it has SSE 4.2, and neither AVX2 nor BMI.
    if [ "$(uname -m)" != x86_64 ] || ! command -v qemu-x86_64 >/dev/null; then
        echo "SKIPPED: no qemu-x86_64: run 'apt-get install qemu-user'"
        return
    fi
    local cpu='qemu-x86_64 -cpu Nehalem'
    CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=$cpu cargo test --locked --quiet "${KERNELS[@]}" &&
        build_command && same_on "$cpu $target/debug/thalweg"
}
aarch64() {
    local triple=aarch64-unknown-linux-gnu
    if ! command -v qemu-aarch64 >/dev/null || ! command -v aarch64-linux-gnu-gcc >/dev/null || ! [ -e /usr/aarch64-linux-gnu/lib/Scrt1.o ] ||
        ! [ -d "$(rustc --print sysroot)/lib/rustlib/$triple" ]; then
        echo "SKIPPED: run 'rustup target add $triple' and 'apt-get install qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross'"
        return
    fi
    (
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER='qemu-aarch64 -L /usr/aarch64-linux-gnu'
        cargo test --locked --quiet --target "$triple" --package thalweg-scan --lib &&
            cargo build --locked --quiet --target "$triple" --package thalweg
    ) && build_command &&
        same_on "qemu-aarch64 -L /usr/aarch64-linux-gnu $target/$triple/debug/thalweg"
}
same_on() { # command line of a thalweg: it makes of real reads what the one for this machine does
    local folder=$target/same-on here=$target/debug/thalweg side line
    rm -rf "$folder"
    for side in here there; do
        mkdir -p "$folder/$side"
        line=$here
        [ $side = there ] && line=$1
        (
            cd "$folder/$side" &&
                cp "$OLDPWD"/data/nanopore.fq.gz . &&
                $line index nanopore.fq.gz --span 500000 --quiet &&
                $line stats nanopore.fq.gz >stats.txt &&
                $line qc nanopore.fq.gz -o clean.fq.gz -j qc.json -h qc.html --quiet &&
                $line count -k 21 nanopore.fq.gz -o counts.thk --quiet &&
                $line kmers dump counts.thk >counts.txt &&
                gzip -dc clean.fq.gz >clean.fq && sed -i '/"command": /d' qc.json && rm -f qc.html counts.thk clean.fq.gz
        ) || return
    done
    diff -r "$folder/here" "$folder/there" && echo "$1: indexes, statistics, cleaned reads and counts are the same"
}
packages() {
    cargo publish --dry-run --workspace --locked --no-verify --allow-dirty --quiet 2>&1 |
        { grep -v -e 'no documentation, homepage or repository' -e '^ *|$' -e 'package-metadata' -e 'aborting upload due to dry run' || true; }
    [ "${PIPESTATUS[0]}" = 0 ] && scripts/package-test
}
write_results() { # summary
    local file=bench/results/checks.md
    {
        echo "# Checks: \`make test-all\`"
        echo
        echo "$(date -u +%Y-%m-%d), commit $(git rev-parse --short HEAD)$(git diff --quiet HEAD -- ':!bench/results' || echo ' and changes'), $(uname -sm)," \
            "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(getconf _NPROCESSORS_ONLN) cores, $(rustc --version)."
        echo
        echo "$1."
        echo
        echo "| step | result | tests | seconds |"
        echo "|---|---|--:|--:|"
        printf '%s' "$results"
        echo
        echo "[Fuzzing](fuzzing.md) is apart: $(sed -n 3p bench/results/fuzzing.md)"
    } >"$file"
    echo "results: $file"
}

python() {
    # What the wheel holds, put where pip would put it: maturin would build all with features of its own.
    local venv=$target/python-venv site
    if ! "$venv/bin/python" -c 'import dnaio, duckdb, mypy, numpy, polars, pyarrow, pysam, pytest' 2>/dev/null; then
        echo "SKIPPED: no packages of Python to test with: run 'scripts/setup.sh test'"
        return
    fi
    cargo build --locked --quiet "${members[@]}" --lib --bin thalweg "${BESIDE_TESTS[@]}" || return
    site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    # A copied environment may be without what makes it one, and then names the machine's own packages.
    case $(realpath "$site") in
        "$(realpath "$venv")"/*) ;;
        *) echo "$venv is no environment of its own: remove it, and run 'scripts/setup.sh test'" && return 1 ;;
    esac
    rm -rf "$site/thalweg" && cp -r bindings/python/python/thalweg "$site/" &&
        cp "$target/debug/lib_thalweg.so" "$site/thalweg/_thalweg.abi3.so" && cp "$target/debug/thalweg" "$venv/bin/thalweg" || return
    (
        cd bindings/python && export PYTHONDONTWRITEBYTECODE=1
        "$venv/bin/python" -m pytest -q -p no:cacheprovider &&
            "$venv/bin/python" -m mypy --cache-dir "$target/mypy" --strict -p thalweg &&
            "$venv/bin/python" -m mypy --cache-dir "$target/mypy" --strict tests/example.py &&
            python_with_pictures "$venv/bin/python" "$target/mypy" &&
            "$venv/bin/python" -m mypy.stubtest thalweg --allowlist tests/stubtest-allowed.txt --ignore-unused-allowlist
    )
}
python_with_pictures() { # python cache
    if ! "$1" -c 'import matplotlib' 2>/dev/null; then
        echo "SKIPPED: no matplotlib for the example with pictures: run 'scripts/setup.sh test'"
        return
    fi
    "$1" -m mypy --cache-dir "$2" --strict examples/look.py
}
c_library() {
    # What the step `python` builds, beside which the library for C is built already.
    cargo build --locked --quiet "${members[@]}" --lib --bin thalweg "${BESIDE_TESTS[@]}" &&
        scripts/c-test "$target/debug/libthalweg_c.a" "$target/debug/thalweg"
}
examples() {
    # What README and the guide show, command by command.
    scripts/check-examples --self-test && build_command &&
        PATH=$PATH:$target/multiqc/bin scripts/check-examples "$target/debug/thalweg"
}
book() {
    local mdbook
    scripts/book-links --self-test || return
    if ! mdbook=$(tool mdbook); then
        echo "SKIPPED: no mdbook: run 'cargo install --locked mdbook --root $target/tools'"
        return
    fi
    "$mdbook" build docs --dest-dir "$target/book" && echo "the guide as a book: $target/book/index.html"
}
fuzz_targets() {
    # That they compile: whoever changes what they call runs them seldom.
    # Nothing is linked: a name in the place of libFuzzer saves compiling that, which is C++.
    CUSTOM_LIBFUZZER_PATH=$target/none/libfuzzer.a \
        apart cargo check --locked --quiet --manifest-path fuzz/Cargo.toml --target-dir "$target"
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
step "metadata" metadata
step "imports" bash -c "scripts/check-imports --self-test && scripts/check-imports"
step "words" bash -c "scripts/check-words --self-test && scripts/check-words"
step "lints" cargo clippy --locked --quiet "${members[@]}" --all-targets -- -D warnings
step "tests" cargo test --locked --no-fail-fast "${members[@]}"
step "examples" examples
step "python" python
step "c" c_library
step "mpi" mpi
long_step "workflows" workflows
step "loom" loom
step "documentation" documentation
step "simulator" bench_programs simulate taxa-layouts
step "fuzz targets" fuzz_targets
step "bench harness" bash -c "python3 -m compileall -q bench/harness bench/run && bench/summarize --check"
long_step "layers of traces" bench_programs trace-layers
long_step "features" features
long_step "oldest Rust in clippy" oldest_in_clippy
long_step "oldest Rust" oldest_rust
long_step "dependencies" deny
long_step "miri" miri
long_step "portable" portable
long_step "aarch64" aarch64
long_step "book" book
long_step "packages" packages

echo
summary="$tests tests passed, $ignored ignored; ${#passed[@]} of $((${#passed[@]} + ${#failed[@]})) steps passed in $SECONDS s"
if [ -n "$only" ] && ((${#passed[@]} + ${#failed[@]} == 0)); then
    echo "test: no step is called $only" >&2
    exit 2
fi
in_list() { printf '%s, ' "$@" | sed 's/, $//'; }
# Parts for want of a program are easily missed in pages of output.
in_red() { if [ -t 1 ]; then printf '\033[31m%s\033[0m\n' "$1"; else printf '%s\n' "$1"; fi; }
if [ "$all" = yes ] && [ -z "$only" ]; then
    write_results "$summary${skipped:+; with parts that could not be run here: $(in_list "${skipped[@]}")}"
fi
if ((${#skipped[@]})); then
    in_red "make test: parts of these steps could not be run here: $(in_list "${skipped[@]}")"
fi
if ((${#failed[@]})); then
    in_red "make test: FAILED: $(in_list "${failed[@]}"); $summary"
    exit 1
fi
printf 'make test: ok: %s\n' "$summary"
