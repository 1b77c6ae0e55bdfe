"""NCBI's dump of a taxonomy, as far as scoring needs it: parents, ranks and names."""

ROOT = 1


class Taxonomy:
    def __init__(self, folder):
        self.parent, self.rank, self.name = {}, {}, {}
        for fields in rows(folder / "nodes.dmp"):
            taxid = int(fields[0])
            self.parent[taxid], self.rank[taxid] = int(fields[1]), fields[2]
        for fields in rows(folder / "names.dmp"):
            if fields[3] == "scientific name":
                self.name[int(fields[0])] = fields[1]

    def at_rank(self, taxid, rank):
        """The taxon of `rank` at or above this one, or None."""
        while taxid in self.parent:
            if self.rank[taxid] == rank:
                return taxid
            if taxid == ROOT:
                break
            taxid = self.parent[taxid]
        return None


def rows(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\n").removesuffix("\t|").split("\t|\t")
