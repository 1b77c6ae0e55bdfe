#!/usr/bin/env bash
# What conda-build runs in the source: the command, its man pages and completions into $PREFIX.
set -euo pipefail

if command -v cargo-bundle-licenses >/dev/null; then
    cargo-bundle-licenses --format yaml --output THIRDPARTY.yml
fi
CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_RELEASE_DEBUG=false \
    cargo install --locked --no-track --path crates/thalweg --root "$PREFIX" ${THALWEG_CARGO_ARGUMENTS:-}

# A build for another platform cannot run what it made.
if [ "${CONDA_BUILD_CROSS_COMPILATION:-0}" = 0 ]; then
    packaging/install-documents "$PREFIX/bin/thalweg" "$PREFIX"
fi
