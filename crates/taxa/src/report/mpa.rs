//! Reads by taxon as lines of a path and a number, as kraken2 writes them with `--use-mpa-style`.
//!
//! ```text
//! d__Bacteria|p__Proteobacteria|c__Gammaproteobacteria  9678
//! ```
//! Only taxa of the principal ranks have a line, and a place in the paths below them. The number is of the reads that are of
//! the taxon or below.

use std::io::{self, Write};
use std::path::Path;

use super::{CallTally, Listed};
use crate::Result;
use crate::taxonomy::{Node, Taxonomy};
use crate::text;

impl CallTally {
    /// Writes these lines. `path` is for messages.
    ///
    /// # Errors
    /// What the system said.
    pub fn write_mpa(
        &self,
        taxonomy: &Taxonomy,
        listed: Listed,
        mut output: impl Write,
        path: &Path,
    ) -> Result<()> {
        text::written(self.write_paths(taxonomy, listed, &mut output), path)?;
        text::written(output.flush(), path)
    }

    fn write_paths(
        &self,
        taxonomy: &Taxonomy,
        listed: Listed,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let clades = self.clades(taxonomy);
        let clade = |node: Node| clades[node.0 as usize];
        let is_listed = |node: &Node| listed == Listed::All || clade(*node) > 0;
        let mut path = String::new();
        // What is to come, the next one last, with the length of the path above it.
        let mut open = vec![(Taxonomy::ROOT, 0)];
        open.retain(|(node, _)| is_listed(node));
        while let Some((node, above)) = open.pop() {
            path.truncate(above);
            if let Some(letter) = letter(taxonomy.rank(node)) {
                let bar = if path.is_empty() { "" } else { "|" };
                path.push_str(&format!("{bar}{letter}__{}", taxonomy.name(node)));
                writeln!(output, "{path}\t{}", clade(node))?;
            }
            let first = open.len();
            let children = taxonomy.children(node).filter(is_listed);
            open.extend(children.map(|child| (child, path.len())));
            open[first..].sort_by_key(|&(child, _)| (clade(child), std::cmp::Reverse(child)));
        }
        Ok(())
    }
}

/// The letter of a principal rank.
fn letter(rank: &str) -> Option<char> {
    Some(match rank {
        "superkingdom" | "domain" => 'd',
        "kingdom" => 'k',
        "phylum" => 'p',
        "class" => 'c',
        "order" => 'o',
        "family" => 'f',
        "genus" => 'g',
        "species" => 's',
        _ => return None,
    })
}
