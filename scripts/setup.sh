#!/usr/bin/env bash
# Installs what thalweg needs and this machine lacks; touches nothing that is there already.
#
#   scripts/setup.sh [build|test|all]      default: test
#
# build: a Rust toolchain, a C compiler and linker (the compressors' libraries are C).
# test:  also rustfmt and clippy, and programs that serve the tests as oracles and rivals (samtools, bgzip,
#        seqkit ...). Tests whose oracle is missing say so and skip.
# all:   also what `make test-all` needs besides: Miri, the oldest Rust, cargo-deny, mdbook, actionlint, emulators of other CPUs. What cannot
#        be had is said, and left out there.
#
# FastQC is left to bench/install-rivals.sh: it brings Java, and its recorded reports are an oracle, too.
#
# Packages are installed with apt when this user may (root, or sudo without a password); otherwise the
# command to run is printed. Without a network, what is there is used. Exit code 1 only if something without
# which nothing can be built is missing.
set -u -o pipefail

level=${1:-test} more=no
[ "$level" = all ] && level=test more=yes
say() { printf 'setup: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# program:debian-package
required=(cc:gcc make:make git:git)
[ "$level" = test ] && required+=(python3:python3)
oracles=(gzip:gzip bgzip:tabix samtools:samtools seqkit:seqkit seqtk:seqtk pigz:pigz
    igzip:isal fastp:fastp jellyfish:jellyfish kmc:kmc kraken2-build:kraken2 dustmasker:ncbi-blast+
    bzip2:bzip2 xz:xz-utils zstd:zstd lz4:lz4 c++:g++ pkg-config:pkg-config
    mpirun.openmpi:openmpi-bin mpicc.openmpi:libopenmpi-dev mpirun.mpich:mpich mpicc.mpich:libmpich-dev)

lacking() { # pairs...: prints the packages of the programs that are not there
    local pair
    for pair in "$@"; do have "${pair%%:*}" || echo "${pair#*:}"; done
}

install_packages() { # packages...
    (($#)) || return 0
    local root=()
    if [ "$(id -u)" != 0 ]; then root=(sudo -n); fi
    if ! have apt-get || { ((${#root[@]})) && ! sudo -n true 2>/dev/null; }; then
        say "missing: $*; on Debian or Ubuntu: sudo apt-get install $*"
        return 0
    fi
    say "installing $*"
    "${root[@]}" apt-get update -qq >&2 || say "apt-get update failed; trying with the lists that are there"
    local package
    for package in "$@"; do
        # One by one: a package that this release lacks must not keep out the others.
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
            say "could not install $package; run: apt-get install $package"
    done
}

# Reports are read by the real MultiQC, in an environment of its own.
install_multiqc() {
    local place=${CARGO_TARGET_DIR:-$PWD/target}/multiqc
    have multiqc && return 0
    [ -x "$place/bin/multiqc" ] && return 0
    say "installing MultiQC from PyPI"
    if ! { python3 -m venv "$place" && "$place/bin/pip" install --quiet --disable-pip-version-check multiqc==1.35; } >/dev/null 2>&1; then
        rm -rf "$place"
        say "could not; the test that needs it will skip: python3 -m venv $place && $place/bin/pip install multiqc"
    fi
}

# Traces are read by the lines of Python in their documentation, with these packages, in an environment of its own.
install_trace_python() {
    local place=${CARGO_TARGET_DIR:-$PWD/target}/trace-python
    [ -x "$place/bin/python" ] && return 0
    say "installing msgpack and lz4 from PyPI"
    if ! { python3 -m venv "$place" && "$place/bin/pip" install --quiet --disable-pip-version-check msgpack==1.2.4 lz4==4.4.5; } >/dev/null 2>&1; then
        rm -rf "$place"
        say "could not; the test that needs them will skip: python3 -m venv $place && $place/bin/pip install msgpack lz4"
    fi
}

# What the package for Python is compared with, and checked by, in an environment of its own.
install_python_packages() {
    local place=${CARGO_TARGET_DIR:-$PWD/target}/python-venv
    local pip=("$place/bin/pip" install --quiet --disable-pip-version-check)
    if ! "$place/bin/python" -c 'import dnaio, duckdb, mypy, numpy, polars, pyarrow, pysam, pytest' 2>/dev/null; then
        say "installing packages of Python from PyPI"
        if ! { python3 -m venv "$place" && "${pip[@]}" dnaio==1.2.4 duckdb==2.0.1 mypy==2.4.1 numpy==2.4.6 polars==2.1.0 \
            pyarrow==26.0.1 pyarrow-stubs==20.0.0.20260819 pysam==0.24.1 pytest==9.2.0; } >/dev/null 2>&1; then
            rm -rf "$place"
            say "could not; step python will skip: it needs Python 3.11, and dnaio, duckdb, mypy, numpy, polars, pyarrow, pysam, pytest"
            return 0
        fi
    fi
    # For the pictures of one example: all else is tested without it.
    "$place/bin/python" -c 'import matplotlib' 2>/dev/null && return 0
    say "installing matplotlib from PyPI"
    "${pip[@]}" matplotlib==3.11.2 >/dev/null 2>&1 ||
        say "could not; the example with pictures will be skipped: ${pip[*]} matplotlib"
}

check_rust() {
    [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ] && PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
    if ! have cargo; then
        say "no Rust: install it from https://rustup.rs, then run this again"
        return 1
    fi
    # The oldest version that the workspace promises to build with is written once, in Cargo.toml.
    local needed found
    needed=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)
    found=$(rustc --version | cut -d' ' -f2)
    if [ "$(printf '%s\n%s\n' "$needed" "$found" | sort -V | head -n1)" != "$needed" ]; then
        say "rustc $found is older than $needed: run 'rustup update stable'"
        return 1
    fi
    [ "$level" = build ] && return 0
    local component
    for component in rustfmt clippy; do
        have "cargo-${component/rustfmt/fmt}" && continue
        if ! have rustup || ! rustup component add "$component" >&2; then
            say "no $component: run 'rustup component add $component'"
            return 1
        fi
    done
}

# What `make test-all` runs besides.
install_more_tools() {
    local tools=${CARGO_TARGET_DIR:-$PWD/target}/tools oldest
    oldest=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)
    [ -e /usr/aarch64-linux-gnu/lib/Scrt1.o ] || install_packages libc6-dev-arm64-cross
    if have rustup; then
        rustup toolchain install "$oldest" --profile minimal >/dev/null 2>&1 || say "no Rust $oldest"
        rustup toolchain install nightly --profile minimal --component miri,rust-src >/dev/null 2>&1 || say "no Miri"
        rustup target add aarch64-unknown-linux-gnu >/dev/null 2>&1 || say "no standard library for aarch64"
    fi
    if ! have cargo-deny && ! [ -x "$tools/bin/cargo-deny" ]; then
        say "building cargo-deny"
        cargo install --quiet --locked cargo-deny --root "$tools" >&2 || say "no cargo-deny"
    fi
    if ! have mdbook && ! [ -x "$tools/bin/mdbook" ]; then
        say "building mdbook"
        cargo install --quiet --locked mdbook --root "$tools" >&2 || say "no mdbook"
    fi
    if ! have actionlint && ! [ -x "$tools/actionlint" ] && have go; then
        say "building actionlint"
        GOBIN=$tools go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 >/dev/null 2>&1 || say "no actionlint"
    fi
}

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
wanted=("${required[@]}")
[ "$more" = yes ] && wanted+=(qemu-x86_64:qemu-user aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu)
[ "$level" = test ] && wanted+=("${oracles[@]}")
mapfile -t packages < <(lacking "${wanted[@]}")
# A header: no program tells whether it is there.
[ "$level" = test ] && [ ! -e /usr/include/zlib.h ] && packages+=(zlib1g-dev)
install_packages ${packages[@]+"${packages[@]}"}
if ! have cc && ! have gcc && ! have clang; then
    say "no C compiler: install gcc or clang"
    exit 1
fi
if [ "$level" = test ]; then
    mapfile -t packages < <(lacking "${oracles[@]}")
    ((${#packages[@]})) && say "tests that need these will skip: ${packages[*]}"
    install_multiqc
    install_trace_python
    install_python_packages
fi
check_rust || exit
if [ "$more" = yes ]; then install_more_tools; fi
