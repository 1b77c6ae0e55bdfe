"""What users write, for mypy: it is checked, not run."""

from __future__ import annotations

import sys

import numpy as np
import thalweg


def main(paths: list[str]) -> None:
    reads = thalweg.open(paths, threads=2)
    bases = sum(len(read.sequence) for read in reads)
    views = sum(len(read.sequence_bytes) for read in reads.shard(0, 2))
    print(bases, views, reads.count(), reads.indexed)
    for batch in reads.batches(["name", "length"], records=1000):
        print(len(batch), batch.columns)
    for first, second in thalweg.open_mates(paths[0], paths[1]):
        assert first.name == second.name
    for left, right in thalweg.open(paths[0], interleaved=True):
        print(left.quality or "", right.rank)
    with thalweg.open_raw(paths[0]) as file:
        print(file.readline())
    try:
        print(thalweg.verify(paths[0])["records"], thalweg.stats(paths)["files"], thalweg.index(paths[0]).records)
    except thalweg.DataError as error:
        print(error.path, error.record, error.hint)
    database = thalweg.count(paths, 21, memory="2G")
    print(database["A" * 21], database.get_many(["A" * 21]), *database.histogram())
    print(database.get_many(np.array([27, 228], dtype=np.uint64)))
    for kmer, count in database:
        print(kmer, count)


if __name__ == "__main__":
    main(sys.argv[1:])
