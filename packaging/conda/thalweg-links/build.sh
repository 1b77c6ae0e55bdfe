#!/usr/bin/env bash
# What conda-build runs for thalweg-links: the names of other programs, as links to thalweg.
set -euo pipefail

packaging/install-links "$PREFIX/bin"
