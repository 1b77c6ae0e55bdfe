//! Weights of the leaves of one species.
//!
//! A set has them as ranges, and a species may have thousands: what is counted are spans of leaves between the ends of
//! ranges, which all have the same k-mers.

use std::ops::Range;

use super::{Classifier, Mass, Posterior, Sets, counts::Counts};
use crate::taxonomy::{Node, Taxonomy};

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Where ranges begin and end, and how many k-mers come or go there.
    ends: Vec<(u32, i64)>,
}

impl Room {
    /// Weighs the leaves of a species in which k-mers were found; `None` if no set tells of any.
    ///
    /// k-mers of which only the species is known may be in each of its leaves, and count for all.
    pub(super) fn weigh<S: Sets>(
        &mut self,
        classifier: &Classifier<'_, S>,
        rule: &Posterior,
        counts: &Counts,
        species: u32,
        mass: &mut Mass,
    ) -> Option<()> {
        let all = &classifier.leaves_of[species as usize];
        self.ends.clear();
        let mut is_any_folded = false;
        for &(set, kmers) in &counts.sets {
            if classifier
                .sets
                .species(set)
                .binary_search(&species)
                .is_err()
            {
                continue;
            }
            let is_known = classifier.sets.visit_leaves(set, species, |leaves| {
                self.ends.push((leaves.start, i64::from(kmers)));
                self.ends.push((leaves.end, -i64::from(kmers)));
            });
            is_any_folded |= !is_known;
        }
        if is_any_folded {
            self.ends.push((all.start, 0));
            self.ends.push((all.end, 0));
        }
        self.ends.sort_unstable();
        let most = self.spans().map(|(_, kmers)| kmers).max()?;
        mass.clear();
        for (leaves, kmers) in self.spans() {
            if kmers > 0 || is_any_folded {
                let less = u32::try_from(most - kmers).unwrap_or(u32::MAX);
                mass.push(leaves, rule.weight(less));
            }
        }
        Some(())
    }

    /// The leaves between two ends, with their k-mers.
    fn spans(&self) -> impl Iterator<Item = (Range<u32>, i64)> {
        let mut kmers = 0;
        let pairs = self.ends.windows(2);
        pairs.filter_map(move |pair| {
            kmers += pair[0].1;
            (pair[0].0 < pair[1].0).then_some((pair[0].0..pair[1].0, kmers))
        })
    }

    /// Bytes that it has.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<(u32, i64)>()
    }
}

/// The numbers of the leaves that are a species or below it. Of what is no species itself, it alone.
pub(super) fn leaves_of(taxonomy: &Taxonomy, leaves: &[Node], species: Node) -> Range<u32> {
    let range = match taxonomy.is_species(species) {
        true => taxonomy.range(species),
        false => species.0..species.0 + 1,
    };
    let before = |node: u32| leaves.partition_point(|leaf| leaf.0 < node) as u32;
    before(range.start)..before(range.end)
}
