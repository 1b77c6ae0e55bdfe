//! How many k-mers each node has.

use crate::database::GC_BINS;
use crate::{Node, Taxonomy};

/// Canonical k-mers of a node, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeKmers {
    /// Those that no sequence has which is neither of the node nor of any below it.
    pub specific: u64,
    /// Those of sequences of the node or of any below it, by how many of their bases are G or C.
    pub by_gc: [u64; GC_BINS],
}

/// Those of the nodes of a taxonomy, while they are counted.
#[derive(Debug)]
pub(super) struct Statistics<'a> {
    taxonomy: &'a Taxonomy,
    of_nodes: Vec<NodeKmers>,
    /// By node: the last set that it was counted for.
    seen: Vec<u32>,
    sets: u32,
}

/// Bytes for each node.
pub(super) const BYTES_OF_NODE: u64 = size_of::<NodeKmers>() as u64 + size_of::<u32>() as u64;

impl<'a> Statistics<'a> {
    pub(super) fn new(taxonomy: &'a Taxonomy) -> Self {
        Self {
            taxonomy,
            of_nodes: vec![NodeKmers::default(); taxonomy.len()],
            seen: vec![0; taxonomy.len()],
            sets: 0,
        }
    }

    /// Adds k-mers that the sequences of these nodes have, one or more, in rising order: how many have so many G and C.
    pub(super) fn add(
        &mut self,
        nodes: impl DoubleEndedIterator<Item = Node> + Clone,
        kmers: &[(u8, u64)],
    ) {
        let (Some(first), Some(last)) = (nodes.clone().next(), nodes.clone().next_back()) else {
            return;
        };
        let all: u64 = kmers.iter().map(|(_, kmers)| kmers).sum();
        // Nodes are numbered depth first: what the first and the last have in common, all have.
        let above = self.taxonomy.lca(first, last);
        for node in self.taxonomy.path_to_root(above) {
            let statistics = &mut self.of_nodes[node.0 as usize];
            statistics.add(kmers);
            statistics.specific += all;
        }
        if self.sets == u32::MAX {
            self.seen.fill(0);
            self.sets = 0;
        }
        self.sets += 1;
        self.seen[above.0 as usize] = self.sets;
        for node in nodes {
            for node in self.taxonomy.path_to_root(node) {
                let at = node.0 as usize;
                if self.seen[at] == self.sets {
                    break;
                }
                self.seen[at] = self.sets;
                self.of_nodes[at].add(kmers);
            }
        }
    }

    /// By node.
    pub(super) fn finish(self) -> Vec<NodeKmers> {
        self.of_nodes
    }
}

impl NodeKmers {
    /// Those of sequences of the node or of any below it.
    pub fn kmers(&self) -> u64 {
        self.by_gc.iter().sum()
    }

    fn add(&mut self, kmers: &[(u8, u64)]) {
        for &(gc, kmers) in kmers {
            self.by_gc[usize::from(gc)] += kmers;
        }
    }
}

impl std::ops::AddAssign for NodeKmers {
    fn add_assign(&mut self, other: Self) {
        self.specific += other.specific;
        for (sum, more) in self.by_gc.iter_mut().zip(other.by_gc) {
            *sum += more;
        }
    }
}
