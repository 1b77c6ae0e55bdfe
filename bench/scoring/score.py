"""What labels are worth: per pair, and by the species that a report lists."""

import collections
import csv
import dataclasses


@dataclasses.dataclass
class Score:
    """Pairs of one kind. At the rank of species, each is right, wrong, above (called, but at no species) or none."""

    pairs: int = 0
    right: int = 0
    wrong: int = 0
    above: int = 0
    none: int = 0
    genus_right: int = 0
    genus_wrong: int = 0
    # Truth and call of the wrong ones, by name of the species.
    confused: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def share(self, field):
        """In percent of the pairs."""
        return 100 * getattr(self, field) / self.pairs if self.pairs else 0

    @property
    def called(self):
        return self.pairs - self.none

    def __add__(self, other):
        return Score(*(getattr(self, field.name) + getattr(other, field.name) for field in dataclasses.fields(self)))


def labels(path):
    """Name and taxid of each line of Kraken's; 0 is no call."""
    with open(path) as file:
        for line in file:
            _, name, taxid, _ = line.split("\t", 3)
            yield name, int(taxid)


def of_labels(found, truth_of, kind_of, taxonomy):
    """Kind -> Score. `truth_of(name)` is the genome of a pair, or None if it comes from none."""
    scores = collections.defaultdict(Score)
    ranks = {}

    def lifted(taxid):
        if taxid not in ranks:
            ranks[taxid] = taxonomy.at_rank(taxid, "species"), taxonomy.at_rank(taxid, "genus")
        return ranks[taxid]

    for name, taxid in found:
        truth, score = truth_of(name), scores[kind_of(name)]
        score.pairs += 1
        if taxid == 0:
            score.none += 1
            continue
        species, genus = lifted(taxid)
        if species is None:
            score.above += 1
        elif truth is not None and species == truth.species:
            score.right += 1
        else:
            score.wrong += 1
            if truth is not None:
                score.confused[taxonomy.name[truth.species], taxonomy.name[species]] += 1
        if genus is not None:
            is_right = truth is not None and genus == truth.genus
            score.genus_right += is_right
            score.genus_wrong += not is_right
    return scores


def true_and_false(counts, true, least):
    """How many species with as many reads or more are of the true ones, and how many are not."""
    found = {species for species, reads in counts.items() if species is not None and reads >= least}
    return len(found & true), len(found - true)


def species_present(path):
    """Species -> reads, of those that a table of `classify --presence` finds present."""
    with open(path) as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {int(row["taxid"]): int(row["reads"]) for row in rows if row["rank"] == "species" and row["present"] == "yes"}
