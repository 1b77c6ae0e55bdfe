"""Looks at a file of reads: qualities by cycle, lengths, GC and the spectrum of its k-mers, as one picture.

    python look.py reads.fastq.gz look.png

The cells (``# %%``) are those of a notebook: editors and Jupyter take them one by one. It needs numpy, polars and matplotlib.
"""

# %%
import sys

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import thalweg

path = sys.argv[1] if len(sys.argv) > 1 else "reads.fastq.gz"
picture = sys.argv[2] if len(sys.argv) > 2 else "look.png"
K = 21

# %% Statistics by cycle, as `thalweg qc` has them. No output is named, so nothing is written.
cleaned = thalweg.qc(path)
before = cleaned.report["read1_before_filtering"]
print(before["total_reads"], "reads,", before["total_bases"], "bases;", cleaned.passed, "pass")

# %% A table with what the plots need, and no text.
frame = pl.DataFrame(thalweg.open(path).select(["length", "mean_quality", "gc"]))
print(frame.describe())

# %% k-mers: how many there are of each number of occurrences. Errors are rare k-mers, the genome is the peak.
occurrences, kmers = thalweg.count(path, K).histogram()
print(int(kmers.sum()), f"different {K}-mers,", int(kmers[occurrences == 1].sum()), "of them once")

# %%
figure, ((cycles, qualities), (shares, spectrum)) = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
for base, curve in before["quality_curves"].items():
    cycles.plot(np.arange(1, len(curve) + 1), curve, label=base, lw=2 if base == "mean" else 0.7)
cycles.set(xlabel="cycle", ylabel="mean quality", title="Qualities by cycle")
cycles.legend(fontsize="small")

bases = frame.filter(pl.col("length") > 0)
points = qualities.hexbin(bases["length"].to_numpy(), bases["mean_quality"].to_numpy(), gridsize=40, mincnt=1, bins="log")
figure.colorbar(points, ax=qualities, label="reads")
qualities.set(xlabel="length", ylabel="mean quality", title="Reads")

shares.hist(bases["gc"].to_numpy(), bins=100, range=(0, 1))
shares.set(xlabel="share of G and C", ylabel="reads", title="GC")

spectrum.step(occurrences, kmers, where="mid")
spectrum.set(xlabel="occurrences", ylabel=f"different {K}-mers", title="Spectrum", xscale="log", yscale="log")

figure.savefig(picture, dpi=120)
print("written:", picture)
