//! What a sample is of: reads by taxon, as kraken2's report has them.
//!
//! ```text
//!   3.10  310   310  U  0    unclassified
//!  96.90  9690  12   R  1    root
//!  96.78  9678  0    D  2      Bacteria
//! ```
//! Fields are separated by tabs: the percentage of all reads that are of the taxon or below, their number, the number of
//! those that are of itself, the code of its rank, its taxid, and its name, indented by two spaces a level, up to
//! [`MOST_INDENTED`] levels. Of children the
//! one with the most reads comes first; of equal ones, that of the lesser taxid. A pair is one read.
//!
//! Before the code of the rank there can be two more, as with kraken2's `--report-minimizer-data`: k-mers of reads that are
//! found in the taxon and below, and how many different ones that are. Those of kraken2 are minimizers, and estimated.
//!
//! Other shapes of the same: a table of [profiles](crate::sample::Profile::write), [`cami`], [Krona's](CallTally::write_krona)
//! text, and a [`Page`].

pub mod cami;
mod krona;
mod page;
mod presence;

mod mpa;

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

pub use page::Page;

use crate::Result;
use crate::classify::Call;
use crate::sample::Evidence;
use crate::taxonomy::{Node, RankCode, Taxonomy};
use crate::text;

/// Counts calls. Each worker has one, and merged they are the same whoever made which call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTally {
    /// By node: reads that were called so.
    direct: Vec<u64>,
    unclassified: u64,
    letters: u64,
}

/// Levels below the root that names are indented for; those of deeper levels are indented as much, so that the size of a report
/// is linear in the number of taxa. Published taxonomies have 50 levels or fewer.
pub const MOST_INDENTED: u32 = 256;

/// Which taxa a report lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listed {
    /// Those with reads, of themselves or below.
    #[default]
    WithReads,
    /// All, as kraken2's `--report-zero-counts`.
    All,
}

impl CallTally {
    /// Of no calls.
    pub fn new(taxonomy: &Taxonomy) -> Self {
        Self {
            direct: vec![0; taxonomy.len()],
            unclassified: 0,
            letters: 0,
        }
    }

    /// Adds the call of a read, or a pair, of so many letters.
    #[inline]
    pub fn add(&mut self, call: &Call, letters: u64) {
        self.letters += letters;
        match call.node {
            Some(node) => self.direct[node.0 as usize] += 1,
            None => self.unclassified += 1,
        }
    }

    /// Adds what another one of the same taxonomy counted.
    ///
    /// # Panics
    ///
    /// If it is of a taxonomy of another size.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(self.direct.len(), other.direct.len(), "another taxonomy");
        for (own, others) in self.direct.iter_mut().zip(&other.direct) {
            *own += others;
        }
        self.unclassified += other.unclassified;
        self.letters += other.letters;
    }

    /// Reads, or pairs, that were called.
    pub fn reads(&self) -> u64 {
        self.classified() + self.unclassified
    }

    /// Those with a taxon.
    pub fn classified(&self) -> u64 {
        self.direct.iter().sum()
    }

    /// Those that were called to be of this very taxon.
    pub fn direct(&self, node: Node) -> u64 {
        self.direct[node.0 as usize]
    }

    /// Those of each taxon and all below it, by node.
    pub fn clades(&self, taxonomy: &Taxonomy) -> Vec<u64> {
        let mut clades = self.direct.clone();
        // Nodes are behind their parents.
        for node in taxonomy.nodes().rev() {
            if let Some(parent) = taxonomy.parent(node) {
                clades[parent.0 as usize] += clades[node.0 as usize];
            }
        }
        clades
    }

    /// Writes the report. `path` is for messages.
    ///
    /// # Errors
    /// What the system said.
    pub fn write(
        &self,
        taxonomy: &Taxonomy,
        listed: Listed,
        mut output: impl Write,
        path: &Path,
    ) -> Result<()> {
        text::written(self.write_lines(taxonomy, listed, None, &mut output), path)?;
        text::written(output.flush(), path)
    }

    /// The same with k-mers, and distinct ones: `evidence` is that of each taxon and all below it, by node.
    ///
    /// # Errors
    /// What the system said.
    ///
    /// # Panics
    /// If it is of a taxonomy of another size.
    pub fn write_with_kmers(
        &self,
        taxonomy: &Taxonomy,
        listed: Listed,
        evidence: &[Evidence],
        mut output: impl Write,
        path: &Path,
    ) -> Result<()> {
        assert_eq!(evidence.len(), taxonomy.len(), "another taxonomy");
        let written = self.write_lines(taxonomy, listed, Some(evidence), &mut output);
        text::written(written, path)?;
        text::written(output.flush(), path)
    }

    fn write_lines(
        &self,
        taxonomy: &Taxonomy,
        listed: Listed,
        evidence: Option<&[Evidence]>,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let clades = self.clades(taxonomy);
        let clade = |node: Node| clades[node.0 as usize];
        let is_listed = |node: Node| listed == Listed::All || clade(node) > 0;
        let reads = self.reads();
        if listed == Listed::All || self.unclassified > 0 {
            let unclassified = self.unclassified;
            let percent = percent(unclassified, reads);
            let code = RankCode::UNCLASSIFIED;
            let kmers = if evidence.is_some() { "0\t0\t" } else { "" };
            writeln!(
                output,
                "{percent:6.2}\t{unclassified}\t{unclassified}\t{kmers}{code}\t0\tunclassified"
            )?;
        }
        let codes = taxonomy.rank_codes();
        for (node, depth) in in_order(taxonomy, &clades, is_listed) {
            let percent = percent(clade(node), reads);
            let (below, direct) = (clade(node), self.direct(node));
            let (code, taxid) = (codes[node.0 as usize], taxonomy.taxid(node));
            write!(output, "{percent:6.2}\t{below}\t{direct}\t")?;
            if let Some(evidence) = evidence {
                let Evidence { hits, distinct, .. } = evidence[node.0 as usize];
                write!(output, "{hits}\t{distinct}\t")?;
            }
            write!(output, "{code}\t{taxid}\t")?;
            (0..depth.min(MOST_INDENTED)).try_for_each(|_| output.write_all(b"  "))?;
            writeln!(output, "{}", taxonomy.name(node))?;
        }
        Ok(())
    }

    /// What kraken2 says when it is done, in three lines.
    pub fn closing_lines(&self, elapsed: Duration) -> String {
        let (reads, classified) = (self.reads(), self.classified());
        let unclassified = self.unclassified;
        let seconds = elapsed.as_secs_f64();
        let per_minute = |number: f64| match seconds > 0.0 {
            true => number / (seconds / 60.0),
            false => 0.0,
        };
        let megabases = self.letters as f64 / 1e6;
        let kiloreads = reads as f64 / 1e3;
        format!(
            "{reads} sequences ({megabases:.2} Mbp) processed in {seconds:.3}s ({:.1} Kseq/m, {:.2} Mbp/m).\n\
             \x20 {classified} sequences classified ({:.2}%)\n\
             \x20 {unclassified} sequences unclassified ({:.2}%)\n",
            per_minute(kiloreads),
            per_minute(megabases),
            percent(classified, reads),
            percent(unclassified, reads),
        )
    }
}

/// The nodes that are listed, with how many are above each, in the order of reports; `clades` are reads of each and all
/// below. What is below one that is not listed is not either.
fn in_order<'a>(
    taxonomy: &'a Taxonomy,
    clades: &'a [u64],
    is_listed: impl Fn(Node) -> bool + 'a,
) -> impl Iterator<Item = (Node, u32)> + 'a {
    // What is to come, the next one last.
    let mut open = vec![(Taxonomy::ROOT, 0_u32)];
    open.retain(|(node, _)| is_listed(*node));
    std::iter::from_fn(move || {
        let (node, depth) = open.pop()?;
        let first = open.len();
        let children = taxonomy.children(node).filter(|child| is_listed(*child));
        open.extend(children.map(|child| (child, depth + 1)));
        open[first..]
            .sort_by_key(|&(child, _)| (clades[child.0 as usize], std::cmp::Reverse(child)));
        Some((node, depth))
    })
}

/// 0 of nothing.
fn percent(part: u64, all: u64) -> f64 {
    match all {
        0 => 0.0,
        _ => 100.0 * part as f64 / all as f64,
    }
}
