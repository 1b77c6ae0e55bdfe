//! The rule of kraken2: the path from the root that has the most k-mers.
//!
//! ```text
//! n(t)   = k-mers of the read, or of both mates, each as often as it is there, whose set has t as its lowest common ancestor
//! call   = the t with n(t) > 0 of the greatest sum of n over t and what is above it; of several the lowest above all
//! up     = while the sum of n at and below it is less than confidence * all k-mers, its parent, or nothing
//! ```
//! Other than kraken2, all k-mers are those without letters that are no bases, as its manual has it.

use super::{
    Call, Classifier, Reason, SetNodes, Sets,
    counts::{Counts, join_equal},
};
use crate::taxonomy::{Node, Taxonomy};

/// The share of k-mers that a call needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lca {
    confidence: f64,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// k-mers by node, ascending.
    hits: Vec<(u32, u32)>,
    /// Nodes of the path under way: where what is below ends, and the sum down to it.
    path: Vec<(u32, u64)>,
    /// By place in `hits`: the sum from the root.
    sums: Vec<u64>,
}

impl Lca {
    /// Without a share that is needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// With the share of k-mers that must be at or below a call; `None` unless it is from 0 to 1.
    pub fn with_confidence(confidence: f64) -> Option<Self> {
        ((0.0..=1.0).contains(&confidence)).then_some(Self { confidence })
    }
}

impl<S: Sets> Classifier<'_, S> {
    pub(super) fn call_by_lca(
        &self,
        rule: &Lca,
        counts: &Counts,
        room: &mut Room,
        nodes: &mut SetNodes,
    ) -> Call {
        let valid = counts.valid;
        room.hits.clear();
        for &(set, kmers) in &counts.sets {
            room.hits.push((self.node_of(nodes, set).0, kmers));
        }
        join_equal(&mut room.hits);
        if room.hits.is_empty() {
            return Call::nothing_found(valid);
        }
        room.sum_paths(self.taxonomy);
        let (best, is_shared) = room.best(self.taxonomy);
        let needed = (rule.confidence * f64::from(valid)).ceil() as u64;
        let mut node = best;
        let mut support = room.below(self.taxonomy, node);
        while support < needed {
            let Some(parent) = self.taxonomy.parent(node) else {
                return Call::none(Reason::TooFew, valid, clamped(support));
            };
            node = parent;
            support = room.below(self.taxonomy, node);
        }
        let share = |kmers: u64| kmers as f64 / f64::from(valid);
        Call {
            node: Some(node),
            score: share(support),
            runner_up: room
                .best_beside(self.taxonomy, node)
                .map(|other| (other, share(room.below(self.taxonomy, other)))),
            valid,
            support: clamped(support),
            reason: match (node == best, is_shared) {
                (false, _) => Reason::Distant,
                (true, true) => Reason::Shared,
                (true, false) => Reason::Direct,
            },
        }
    }
}

impl Room {
    /// Sums of the paths to all hits, in one pass: nodes come depth first.
    fn sum_paths(&mut self, taxonomy: &Taxonomy) {
        self.path.clear();
        self.sums.clear();
        for &(node, kmers) in &self.hits {
            while self.path.pop_if(|(end, _)| *end <= node).is_some() {}
            let above = self.path.last().map_or(0, |(_, sum)| *sum);
            let sum = above + u64::from(kmers);
            self.path.push((taxonomy.range(Node(node)).end, sum));
            self.sums.push(sum);
        }
    }

    /// The node of the greatest sum, or the lowest above all of these, and whether there are several.
    fn best(&self, taxonomy: &Taxonomy) -> (Node, bool) {
        let mut best = (Taxonomy::ROOT, false);
        let mut most = 0;
        for (&(node, _), &sum) in self.hits.iter().zip(&self.sums) {
            if sum > most {
                most = sum;
                best = (Node(node), false);
            } else if sum == most {
                best = (taxonomy.lca(best.0, Node(node)), true);
            }
        }
        best
    }

    /// The first node of the greatest sum among those that are neither above nor below one.
    fn best_beside(&self, taxonomy: &Taxonomy, call: Node) -> Option<Node> {
        let mut best = None;
        let mut most = 0;
        for (&(node, _), &sum) in self.hits.iter().zip(&self.sums) {
            let node = Node(node);
            let is_beside = !taxonomy.is_below(node, call) && !taxonomy.is_below(call, node);
            if sum > most && is_beside {
                most = sum;
                best = Some(node);
            }
        }
        best
    }

    /// The hits at a node and below.
    fn below(&self, taxonomy: &Taxonomy, node: Node) -> u64 {
        let range = taxonomy.range(node);
        let start = self.hits.partition_point(|(hit, _)| *hit < range.start);
        let inside = self.hits[start..].iter();
        let inside = inside.take_while(|(hit, _)| *hit < range.end);
        inside.map(|(_, kmers)| u64::from(*kmers)).sum()
    }

    /// Each node that has k-mers, with those of the path to it, and its own.
    pub(super) fn weighed(&self) -> impl Iterator<Item = (Node, u64, u32)> {
        let hits = self.hits.iter().zip(&self.sums);
        hits.map(|(&(node, kmers), &sum)| (Node(node), sum, kmers))
    }

    /// Bytes that it has.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        8 * (self.hits.capacity() + self.sums.capacity()) + 16 * self.path.capacity()
    }
}

fn clamped(kmers: u64) -> u32 {
    u32::try_from(kmers).unwrap_or(u32::MAX)
}
