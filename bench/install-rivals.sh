#!/usr/bin/env bash
# Installs the programs that thalweg is measured against, and says which it got.
#
#   bench/install-rivals.sh [DEST]        DEST defaults to bench/tools (git-ignored)
#
# What is already there is left alone, so a second run costs nothing. What cannot be installed (no
# network, no root) is named on stderr with the command that would do it, and the rest goes on; the
# runner then leaves those columns out. Exit code: 0 if every rival is there, 3 if some are missing.
set -u -o pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
destination=${1:-$here/tools}
mkdir -p "$destination/bin" || exit 2
destination=$(cd "$destination" && pwd)
export PATH="$destination/bin:$PATH"
missing=()

say() { printf '%s\n' "$*" >&2; }

# apt names differ from the names of the programs: package:program.
debian=(isal:igzip pigz:pigz seqkit:seqkit seqtk:seqtk hyperfine:hyperfine samtools:samtools
    tabix:bgzip bzip2:bzip2 xz-utils:xz zstd:zstd fastp:fastp fastqc:fastqc
    kmc:kmc jellyfish:jellyfish kraken2:kraken2 time:/usr/bin/time gzip:gzip)

install_debian() {
    local wanted=() pair
    for pair in "${debian[@]}"; do
        command -v "${pair#*:}" >/dev/null 2>&1 || wanted+=("${pair%%:*}")
    done
    ((${#wanted[@]})) || return 0
    local root=()
    if [ "$(id -u)" != 0 ]; then
        if sudo -n true 2>/dev/null; then root=(sudo -n); else root=(false); fi
    fi
    if command -v apt-get >/dev/null && [ "${root[*]-}" != false ]; then
        # Package lists may be empty (fresh container), and one unknown package must not stop the others.
        "${root[@]}" apt-get update -qq >&2 || say "rivals: apt-get update failed"
        local package
        for package in "${wanted[@]}"; do
            "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >&2 ||
                say "rivals: apt-get install $package failed"
        done
    fi
    for pair in "${debian[@]}"; do
        command -v "${pair#*:}" >/dev/null 2>&1 || missing+=("${pair#*:}: apt-get install ${pair%%:*}")
    done
}

# --locked: mim-index 0.1.1 does not compile with newer dependencies than its lock file names.
install_crate() { # crate version program
    [ -x "$destination/bin/$3" ] && return 0
    say "rivals: building $1 $2"
    # A target directory of its own: the caller's may belong to another build.
    CARGO_TARGET_DIR="$destination/target" cargo install --quiet --locked --version "$2" --root "$destination" "$1" >&2 ||
        missing+=("$3: cargo install --locked --version $2 --root $destination $1")
    rm -rf "$destination/target"
}

install_python() {
    local venv="$destination/venv"
    if [ ! -x "$venv/bin/rapidgzip" ]; then
        say "rivals: installing rapidgzip from PyPI"
        { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check rapidgzip==0.16.1; } >&2 ||
            { python3 -m venv --clear "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check rapidgzip; } >&2
    fi
    [ -x "$venv/bin/rapidgzip" ] ||
        missing+=("rapidgzip: python3 -m venv $venv && $venv/bin/pip install rapidgzip")
}

version() { # label, command...
    local label=$1 text
    shift
    text=$("$@" 2>&1 </dev/null | grep -m1 -E '[0-9]+\.[0-9]+' | tr -d '\r')
    printf '%-18s %s\n' "$label" "${text:-?}"
}

versions() {
    command -v igzip >/dev/null && version igzip igzip --version
    command -v pigz >/dev/null && version pigz pigz --version
    command -v gzip >/dev/null && version gzip gzip --version
    command -v bgzip >/dev/null && version bgzip bgzip --version
    command -v samtools >/dev/null && version samtools samtools --version
    command -v seqkit >/dev/null && version seqkit seqkit version
    command -v seqtk >/dev/null && version seqtk bash -c 'seqtk 2>&1 | grep Version'
    command -v hyperfine >/dev/null && version hyperfine hyperfine --version
    [ -x "$destination/bin/mim" ] && version mim "$destination/bin/mim" --version
    command -v fastp >/dev/null && version fastp fastp --version
    command -v fastqc >/dev/null && version fastqc fastqc --version
    command -v kmc >/dev/null && version kmc kmc --version
    command -v jellyfish >/dev/null && version jellyfish jellyfish --version
    command -v kraken2 >/dev/null && version kraken2 kraken2 --version
    [ -x "$destination/bin/chelae" ] && version chelae "$destination/bin/chelae" --version
    [ -x "$destination/bin/rasusa" ] && version rasusa "$destination/bin/rasusa" --version
    [ -x "$destination/bin/deacon" ] && version deacon "$destination/bin/deacon" --version
    [ -x "$destination/bin/rapidgzip-rust" ] && version rapidgzip-rust "$destination/bin/rapidgzip-rust" --version
    [ -x "$destination/venv/bin/rapidgzip" ] && version "rapidgzip (PyPI)" "$destination/venv/bin/rapidgzip" --version
}

install_debian
install_crate mim-index 0.1.1 mim
install_crate rapidgzip-rust-cli "0.3.1" rapidgzip-rust
install_crate chelae "0.2.1" chelae
install_crate rasusa "5.1.0" rasusa
# It does not build without AVX2, or what else the processor has.
RUSTFLAGS="-C target-cpu=native" install_crate deacon "0.19.1" deacon
install_python

versions | tee "$destination/versions.txt"
if ((${#missing[@]})); then
    say ""
    say "rivals: could not install; to have them too, run:"
    printf '  %s\n' "${missing[@]}" >&2
    exit 3
fi
