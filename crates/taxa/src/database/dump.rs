//! All k-mers of a database as text.

use std::io::Write;
use std::path::Path;

use thalweg_superkmers::Kmer;

use super::sets::Member;
use super::{TaxonDatabase, walk};
use crate::{Error, Result};

impl TaxonDatabase {
    /// Calls `each` with every canonical k-mer and its set, by rising values of minimizers, and by k-mers for each.
    ///
    /// # Errors
    /// Directory or records are damaged, or were changed meanwhile, or those of `each`.
    pub fn each_kmer(&self, mut each: impl FnMut(u64, u32) -> Result<()>) -> Result<()> {
        self.read_in_order();
        let all = walk::walk(&self.view(), self.header.values(), |kmers| {
            kmers.iter().try_for_each(|&(kmer, set)| each(kmer, set))
        });
        all.map_err(|error| error.in_file(&self.path))?;
        self.check_unchanged()
    }

    /// Writes every canonical k-mer on a line of its own: its letters, tab, the taxids of its leaves with commas between.
    /// A species with `*` behind has the k-mer in some of its leaves, of which it is not told which.
    ///
    /// Databases of the same references with the same k, m and folding have the same lines.
    ///
    /// # Errors
    /// Directory or records are damaged, or what `out` said.
    pub fn dump(&self, out: &mut impl Write) -> Result<()> {
        let k = self.header.layout.scheme().k();
        let mut line = Vec::new();
        // Neighbours often have the same set.
        let (mut latest, mut members) = (0, String::new());
        self.each_kmer(|kmer, set| {
            if set != latest {
                latest = set;
                members = self.members_text(set);
            }
            line.clear();
            kmer.write_letters(k, &mut line);
            line.push(b'\t');
            line.extend(members.as_bytes());
            line.push(b'\n');
            let written = out.write_all(&line);
            written.map_err(|source| Error::io(Path::new(""), source))
        })
    }

    fn members_text(&self, set: u32) -> String {
        let text = |member| match member {
            Member::Leaf(leaf) => {
                let node = self.species.leaf_nodes()[leaf as usize];
                self.taxonomy.taxid(node).to_string()
            }
            Member::Species(species) => {
                format!("{}*", self.taxonomy.taxid(self.species.node(species)))
            }
        };
        let members = self.sets.members(set, &self.species).map(text);
        Vec::from_iter(members).join(",")
    }
}
