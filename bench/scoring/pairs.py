"""Pairs of which is known where they come from: of genomes, and such as come from none.

The name of a pair begins with the number of its genome and `-`, or with one of `NEGATIVES` and `-`.
"""

import gzip
import itertools
import pathlib
import random
import shutil
import subprocess

LENGTH = 150
FRAGMENT, DEVIATION = 350, 50
COVERAGE = 0.6
SEED = 42
NEGATIVES = {"random": 30_000, "shuffled": 30_000, "low": 10_000}
ART = "art_illumina"


def make(genomes, folder, simulator):
    """Writes pairs_1.fq and pairs_2.fq, and says what made them."""
    by = "art_illumina -ss HS25" if shutil.which(ART) else "bench/simulate --mode hiseq"
    paths = [folder / f"pairs_{mate}.fq" for mate in (1, 2)]
    with open(paths[0], "w") as first, open(paths[1], "w") as second:
        for number, genome in enumerate(genomes):
            text = gzip.decompress(genome.path.read_bytes())
            simulate = with_art if shutil.which(ART) else with_ours
            for mate, records in zip((first, second), simulate(number, genome, text, folder, simulator)):
                mate.writelines(records)
    added = list(itertools.chain.from_iterable(negatives(kind, count, paths) for kind, count in NEGATIVES.items()))
    for mate, path in enumerate(paths):
        with open(path, "a") as file:
            file.writelines(f"@{name}/{mate + 1}\n{mates[mate]}\n+\n{'I' * LENGTH}\n" for name, mates in added)
    return by, paths


def with_art(number, genome, text, folder, _):
    fasta = folder / "genome.fa"
    # art_illumina begins the name of a read with that of its sequence.
    lines = text.decode().splitlines()
    fasta.write_text("".join(f">{number}-{place}\n" if line.startswith(">") else f"{line}\n" for place, line in enumerate(lines)))
    command = [ART, "-ss", "HS25", "-p", "-l", LENGTH, "-f", COVERAGE, "-m", FRAGMENT, "-s", DEVIATION, "-rs", SEED, "-na",
               "-i", fasta, "-o", folder / "art"]
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for mate in (1, 2):
        made = folder / f"art{mate}.fq"
        yield made.read_text().splitlines(keepends=True)
        made.unlink()
    fasta.unlink()


def with_ours(number, genome, text, folder, simulator):
    pairs = max(1, round(genome.bases * COVERAGE / (2 * LENGTH)))
    command = [simulator, "--mode", "hiseq", "--pairs", pairs, "--insert", f"{FRAGMENT},{DEVIATION}", "--seed", SEED + number,
               "--out", folder / "own"]
    subprocess.run([str(word) for word in command], input=text, check=True, stderr=subprocess.DEVNULL)
    for mate in (1, 2):
        made = folder / f"own_R{mate}.fastq"
        lines = made.read_text().splitlines(keepends=True)
        lines[::4] = [f"@{number}-{pair}/{mate}\n" for pair in range(len(lines) // 4)]
        yield lines
        made.unlink()


def negatives(kind, count, paths):
    """Names and mates of pairs that come from no genome."""
    generator = random.Random(f"{SEED} {kind}")
    mates = {"random": of_chance, "shuffled": shuffled(paths, count), "low": repeats}[kind]
    for number in range(count):
        yield f"{kind}-{number}", mates(generator)


def of_chance(generator):
    """A GC content of 25 to 75 %, the same for both mates."""
    gc = generator.uniform(0.25, 0.75) / 2
    weights = [0.5 - gc, gc, gc, 0.5 - gc]
    return tuple("".join(generator.choices("ACGT", weights, k=LENGTH)) for _ in range(2))


def repeats(generator):
    """A motif of 1 to 6 bases over and over, the same for both mates; of each one base in a hundred is another one."""
    motif = "".join(generator.choices("ACGT", k=generator.randint(1, 6)))
    bases = (motif * LENGTH)[:LENGTH]
    return tuple("".join(generator.choice("ACGT") if generator.random() < 0.01 else base for base in bases) for _ in range(2))


def shuffled(paths, count):
    """Pairs of genomes, from all over the files, with the bases of each mate in another order."""
    texts = [pathlib.Path(path).read_text().splitlines()[1::4] for path in paths]
    step = max(1, len(texts[0]) // count)
    pairs = itertools.cycle(zip(texts[0][::step], texts[1][::step]))

    def next_pair(generator):
        return tuple("".join(generator.sample(mate, len(mate))) for mate in next(pairs))

    return next_pair


def kind_of(name):
    """The number of the genome that a pair comes from, or the kind of those that come from none."""
    label = name.split("-", 1)[0]
    if label not in NEGATIVES and not label.isdigit():
        raise ValueError(f"the name of no pair of these: {name}")
    return int(label) if label.isdigit() else label
