#!/usr/bin/env bash
# What the image holds: the command, its man pages and completions, and the licences.
#
#   packaging/image.sh PREFIX [cargo's arguments]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
prefix=$1
shift
cargo build --locked --package thalweg --profile "${THALWEG_PROFILE:-release}" "$@"
folder=${THALWEG_PROFILE:-release}
[ "$folder" = dev ] && folder=debug
mkdir -p "$prefix/bin" "$prefix/share/doc/thalweg"
install -m 755 "${CARGO_TARGET_DIR:-target}/$folder/thalweg" "$prefix/bin/thalweg"
packaging/install-documents "$prefix/bin/thalweg" "$prefix"
cp LICENSE-MIT LICENSE-APACHE README.md "$prefix/share/doc/thalweg"
packaging/third-party-licences >"$prefix/share/doc/thalweg/THIRD-PARTY.txt"
