# Every target can be run on a fresh clone: it installs what it lacks or says exactly what to install.
#
# CARGO_TARGET_DIR is honoured; what needs other compiler flags builds into folders of its own below it,
# so that switching between targets rebuilds nothing.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup demo demo-mpi install-c test test-all bench fuzz-smoke

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | awk -F ':.*## ' '{ printf "make %-11s %s\n", $$1, $$2 }'

setup: ## install what building and testing need, where it is missing
	@scripts/setup.sh

demo: ## build, index and read the real data of data/, and show how fast
	@scripts/setup.sh build
	@scripts/demo.sh

test: ## formatting, lints, every test, loom, documentation, imports
	@scripts/setup.sh test
	@scripts/test.sh

test-all: ## the same, and what takes longer: MPI, workflows, features, Miri, other CPUs, packages; bench/results/checks.md
	@scripts/setup.sh all
	@scripts/test.sh --all

install-c: ## the library for C, its headers and pkg-config file; PREFIX=/usr/local
	@scripts/setup.sh build
	@scripts/c-library $(or $(PREFIX),/usr/local)

demo-mpi: ## count the real reads of data/ on 2 ranks of each MPI, and compare with one process
	@scripts/setup.sh test
	@scripts/demo-mpi.sh

bench: ## install the rivals, make the data, measure; ARGUMENTS='--runs 9 --only cat'
	@scripts/setup.sh build
	@bench/install-rivals.sh || [ $$? -eq 3 ]
	@bench/make-data
	@cargo build --release --package thalweg
	@scripts/mpi-build.sh --release >/dev/null
	@bench/run --thalweg "$${CARGO_TARGET_DIR:-target}/release/thalweg" $(ARGUMENTS)

fuzz-smoke: ## a minute of fuzzing for every parser; SECONDS_EACH=60
	@scripts/fuzz-smoke.sh $(or $(SECONDS_EACH),60)
