"""Genomes, and which of them a database is built without.

The rule is fixed before anything is seen, and set N differs from the others by nothing but its number:

- strains: of each species with two genomes or more, one genome is left out;
- species: of each of three genera with two species or more, one species is left out with all its genomes;
- genera: three other genera are left out whole.

Whatever may be drawn is put in the order of the SHA-256 of "N kind name", and the first ones are taken: genera after the
species, which are after the strains, and nothing of a genus that something was drawn from before. Genomes of less than
100,000 bases give too few pairs to be drawn; they are in every database.

Nor is Shigella drawn, unless it is asked for: by sequence it is Escherichia coli, with 97 to 98 % of equal bases, like
other strains of it. No label can be right at the species if one of the two is left out, whatever the rule.
"""

import dataclasses
import gzip
import hashlib
import pathlib

SMALLEST = 100_000
SPECIES = 3
GENERA = 3
NO_GENUS = "Shigella"


@dataclasses.dataclass(frozen=True)
class Genome:
    path: pathlib.Path
    taxid: int
    species: int
    genus: int
    bases: int

    @property
    def name(self):
        return self.path.name.removesuffix(".fna.gz")


def genomes(folder, taxonomy, map_path):
    """All genomes of the folder, with the taxon of their first sequence."""
    taxids = dict(line.split() for line in map_path.read_text().splitlines())
    for path in sorted(folder.glob("*.fna.gz")):
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        taxid = int(taxids[lines[0][1:].split()[0]])
        bases = sum(len(line) for line in lines if not line.startswith(">"))
        species = taxonomy.at_rank(taxid, "species")
        yield Genome(path, taxid, species, taxonomy.at_rank(taxid, "genus"), bases)


def draw(all_genomes, taxonomy, number, with_shigella=False):
    """Genome -> "strain", "species" or "genus", of those that are left out of set `number`."""
    large = [genome for genome in all_genomes if genome.bases >= SMALLEST]
    of_species, of_genus = {}, {}
    for genome in large:
        of_species.setdefault(genome.species, []).append(genome)
        of_genus.setdefault(genome.genus, []).append(genome)
    left_out = {}
    touched = set() if with_shigella else {genus for genus in of_genus if taxonomy.name[genus] == NO_GENUS}
    for members in of_species.values():
        if len(members) > 1:
            genome = min(members, key=lambda genome: order(number, "strain", genome.name))
            left_out[genome] = "strain"
            touched.add(genome.genus)

    def first(kind, wanted, candidates):
        free = [taxid for taxid in candidates if taxid not in touched]
        found = sorted(free, key=lambda taxid: order(number, kind, taxonomy.name[taxid]))[:wanted]
        touched.update(found)
        return found

    several = [genus for genus, members in of_genus.items() if len({genome.species for genome in members}) > 1]
    for genus in first("species", SPECIES, several):
        choice = {genome.species for genome in of_genus[genus]}
        species = min(choice, key=lambda taxid: order(number, "species", taxonomy.name[taxid]))
        left_out.update({genome: "species" for genome in of_species[species]})
    for genus in first("genus", GENERA, of_genus):
        left_out.update({genome: "genus" for genome in of_genus[genus]})
    return left_out


def order(number, kind, name):
    return hashlib.sha256(f"{number} {kind} {name}".encode()).digest()
