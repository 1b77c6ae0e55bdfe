"""What is measured of `thalweg taxa build` and `classify`, beside kraken2."""

import hashlib
import struct
import subprocess

from .counting import made, ratio
from .measure import Check, Entry, Group, strings

# Both read all genomes from one file, with taxids in the names; what thalweg makes of the compressed ones is beside.
BUILD_TIME, CLASSIFY_TIME, SIZE = 0.30, 0.20, 1.05
BYTES_PER_KMER = {31: 2.2, 24: 2.8, 20: 3.3}
BYTES_PER_KMER_OF_STRAINS = 2.8
MADE_BY_KRAKEN = ("hash.k2d", "taxo.k2d", "opts.k2d", "seqid2taxid.map", "estimated_capacity", "unmapped.txt")


def groups(tools, data, scratch):
    """Databases of all genomes, without masking on either side, and labels of pairs from the same genomes."""
    taxa = data / "taxa"
    library, taxonomy, genomes = taxa / "library.fna", taxa / "taxonomy", taxa / "genomes"
    yield build(tools, made(scratch / "taxa-build"), library, taxonomy, genomes)
    yield sizes(tools, made(scratch / "taxa-size"), library, taxonomy, taxa / "strains")
    for name, ending, loading in (("classify", "fastq", ()), ("classify-gzip", "fastq.gz", ()), ("classify-preload", "fastq", ("--preload",))):
        pairs = [data / f"pairs-hiseq_R{mate}.{ending}" for mate in (1, 2)]
        yield classify(tools, made(scratch / name), name, library, taxonomy, pairs, data / "pairs-hiseq_R1.fastq", loading)


def build(tools, folder, library, taxonomy, genomes):
    entries, checks = [], []
    database = folder / "kraken2"
    for threads in (1, 2):
        ours = folder / f"ours-{threads}.tht"
        entries.append(Entry(f"thalweg taxa build, {threads}", ours_of(tools, library, taxonomy, ours, threads), threads, output=ours, fresh=[ours]))
        entries.append(Entry(f"thalweg taxa build of .fna.gz, {threads}", ours_of(tools, genomes, taxonomy, ours, threads), threads, output=ours,
                             fresh=[ours]))
        command = ["kraken2-build", "--build", "--no-masking", "--db", database, "--threads", threads]
        entries.append(Entry(f"kraken2-build, {threads}", command, threads, [library_of_kraken(library, taxonomy, database)],
                             output=database / "hash.k2d", fresh=[database / name for name in MADE_BY_KRAKEN],
                             note="its library is there"))
        for label in (f"thalweg taxa build, {threads}", f"thalweg taxa build of .fna.gz, {threads}"):
            checks.append(ratio(f"{label}: time / kraken2-build", label, [f"kraken2-build, {threads}"], BUILD_TIME))
    checks.append(Check("size / hash.k2d", size_ratio("thalweg taxa build, 2", "kraken2-build, 2"), SIZE))
    return Group("taxa-build", f"database of {library.name}", entries, checks, [library], size_of(library))


def sizes(tools, folder, library, taxonomy, strains):
    """Bytes for each k-mer, all told."""
    entries, checks, kmers = [], [], {}

    def add(label, command, out, title, most, text):
        entries.append(Entry(label, command, 2, verify=kmers_counted(label, command, out, kmers), output=out, fresh=[out], text_bytes=size_of(text)))
        checks.append(Check(title, lambda all: all[label].output_bytes / kmers[label] if label in all else None, most))

    for k, most in BYTES_PER_KMER.items():
        out = folder / f"genomes-{k}.tht"
        add(f"thalweg taxa build -k {k}, 2", [*ours_of(tools, library, taxonomy, out, 2), "-k", k], out, f"bytes per k-mer, k = {k}", most, library)
    out, sequences = folder / "strains.tht", strains / "strains.fna"
    add("thalweg taxa build of 500 strains, 2", ours_of(tools, sequences, strains / "taxonomy", out, 2), out,
        "bytes per k-mer of 500 strains, k = 31", BYTES_PER_KMER_OF_STRAINS, sequences)
    return Group("taxa-size", f"databases of {library.name} and of {sequences.name}", entries, checks, [library, sequences], size_of(library))


def classify(tools, folder, name, library, taxonomy, pairs, plain, loading):
    """Labels to the standard output, databases in the page cache; kraken2 reads its own into memory."""
    ours, theirs = folder / "ours.tht", folder / "kraken2"
    entries, checks, digests = [], [], {}
    for threads in (1, 2):
        command = [tools.thalweg, "classify", ours, *pairs, *loading, "--threads", threads, "--quiet"]
        entries.append(Entry(f"thalweg classify, {threads}", command, threads, [ours_of(tools, library, taxonomy, ours, 2)],
                             labels_agree("thalweg", command, plain, digests)))
        command = ["kraken2", "--db", theirs, "--threads", threads, "--paired", *pairs]
        entries.append(Entry(f"kraken2, {threads}", command, threads, [whole_kraken(library, taxonomy, theirs)],
                             labels_agree("kraken2", command, plain, digests)))
        checks.append(ratio(f"{threads} thread{'s'[:threads > 1]}: time / kraken2", f"thalweg classify, {threads}", [f"kraken2, {threads}"], CLASSIFY_TIME))
    how = f", {loading[0]}" if loading else ""
    return Group(name, f"labels of {pairs[0].name} and its mate{how}", entries, checks, [library, *pairs, plain], 2 * size_of(plain))


def ours_of(tools, sequences, taxonomy, out, threads):
    return [tools.thalweg, "taxa", "build", "--taxonomy", taxonomy, sequences, "--no-masking", "-o", out, "--threads", threads, "--tmp", out.parent, "--quiet"]


def library_of_kraken(library, taxonomy, database):
    """The command that gives kraken2-build its sequences and taxonomy, once."""
    script = """test -d "$2/library" && exit; mkdir -p "$2/taxonomy" && cp "$1"/n*.dmp "$2/taxonomy" &&
        kraken2-build --no-masking --add-to-library "$0" --db "$2" """
    return ["sh", "-c", script, library, taxonomy, database]


def whole_kraken(library, taxonomy, database):
    """The command that makes kraken2's database, once."""
    _, _, script, *words = library_of_kraken(library, taxonomy, database)
    return ["sh", "-c", f'test -s "$2/hash.k2d" && exit; ( {script} ) && kraken2-build --build --no-masking --db "$2" --threads 2', *words]


def labels_agree(program, command, plain, digests):
    """Each pair has a label, in the order of the file, and a program's labels are the same for any number of threads."""

    def check():
        with open(plain, "rb") as file:
            names = [line[1:].split()[0] for number, line in enumerate(file) if number % 4 == 0]
        done = subprocess.run(strings(command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if done.returncode:
            return f"exit code {done.returncode}"
        lines = done.stdout.splitlines()
        if [line.split(b"\t", 2)[1] for line in lines] != [name.removesuffix(b"/1") for name in names]:
            return "its labels are not of these pairs"
        if sum(line.startswith(b"C") for line in lines) < 0.9 * len(names):
            return "it knows less than nine tenths of the pairs, which come from the genomes of the database"
        digest = hashlib.blake2b(done.stdout).hexdigest()
        return None if digests.setdefault(program, digest) == digest else "other labels with another number of threads"

    return check


def size_ratio(ours, theirs):
    def value(all):
        return all[ours].output_bytes / all[theirs].output_bytes if ours in all and theirs in all else None
    return value


def kmers_counted(label, command, out, kmers):
    """Notes how many k-mers the database has: by its header (docs/formats/taxa.md) a u64 at 32."""

    def check():
        done = subprocess.run(strings(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode:
            return f"exit code {done.returncode}"
        with open(out, "rb") as file:
            kmers[label] = struct.unpack_from("<Q", file.read(40), 32)[0]
        return None

    return check


def size_of(path):
    return path.stat().st_size if path.exists() else 0
