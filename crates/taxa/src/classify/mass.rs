//! Weights of taxa in the order of the tree, and the deepest node that has enough of them.

use std::ops::Range;

use crate::taxonomy::{Node, Taxonomy};

/// Weights of numbered taxa, whose nodes ascend with their numbers, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Mass {
    /// Ascending, none empty.
    spans: Vec<Span>,
    total: f64,
}

/// Consecutive numbers of the same weight.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    end: u32,
    /// Of each.
    weight: f64,
    /// Of all that come before.
    before: f64,
}

impl Mass {
    /// Of nothing.
    pub(super) fn clear(&mut self) {
        self.spans.clear();
        self.total = 0.0;
    }

    /// Adds some whose numbers are behind those that are there; each has `weight`.
    #[inline]
    pub(super) fn push(&mut self, numbers: Range<u32>, weight: f64) {
        self.spans.push(Span {
            start: numbers.start,
            end: numbers.end,
            weight,
            before: self.total,
        });
        self.total += f64::from(numbers.end - numbers.start) * weight;
    }

    /// The deepest node that has at least `share`, more than a half, of all weight, itself and below.
    ///
    /// Those that have as much lie on one path, and the taxon at which half of the weight is reached is below all of them:
    /// each has a range of numbers of more than half of the weight.
    pub(super) fn deepest(&self, taxonomy: &Taxonomy, nodes: &[Node], share: f64) -> Node {
        let mut node = nodes[self.middle() as usize];
        while self.share(taxonomy, nodes, node) < share {
            match taxonomy.parent(node) {
                Some(parent) => node = parent,
                None => break,
            }
        }
        node
    }

    /// The number at which half of the weight is reached.
    fn middle(&self) -> u32 {
        let half = self.total / 2.0;
        let behind = (self.spans).partition_point(|span| span.before <= half);
        let span = &self.spans[behind.saturating_sub(1)];
        let inside = match span.weight > 0.0 {
            true => ((half - span.before) / span.weight) as u32,
            false => 0,
        };
        // Rounding may have led one too far.
        span.start + inside.min(span.end - span.start - 1)
    }

    /// Of all weight, that of a node and what is below it: 0 to 1.
    pub(super) fn share(&self, taxonomy: &Taxonomy, nodes: &[Node], node: Node) -> f64 {
        let range = taxonomy.range(node);
        let start = self.before(nodes, range.start);
        let end = self.before(nodes, range.end);
        (end - start) / self.total
    }

    /// The weight of all whose nodes are before one.
    fn before(&self, nodes: &[Node], node: u32) -> f64 {
        let of = |number: u32| nodes[number as usize].0;
        let behind = (self.spans).partition_point(|span| of(span.start) < node);
        let Some(last) = behind.checked_sub(1) else {
            return 0.0;
        };
        let Span {
            start,
            end,
            weight,
            before,
        } = self.spans[last];
        if of(end - 1) < node {
            // As the sum went on, so that all of it is the total.
            return match self.spans.get(behind) {
                Some(next) => next.before,
                None => self.total,
            };
        }
        let inside = &nodes[start as usize..end as usize];
        let inside = inside.partition_point(|inside| inside.0 < node);
        before + inside as f64 * weight
    }

    /// The one of the greatest weight among those that are not at or below a node, with its share of all weight. Of equal
    /// ones the first.
    pub(super) fn best_outside(
        &self,
        taxonomy: &Taxonomy,
        nodes: &[Node],
        node: Node,
    ) -> Option<(Node, f64)> {
        let range = taxonomy.range(node);
        let mut best = None;
        for span in &self.spans {
            let other = nodes[span.start as usize];
            let is_better = best.is_none_or(|(_, weight)| span.weight > weight);
            if is_better && !range.contains(&other.0) {
                best = Some((other, span.weight));
            }
        }
        best.map(|(other, weight)| (other, weight / self.total))
    }

    /// Bytes that it has.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.spans.capacity() * size_of::<Span>()
    }
}
