//! How many k-mers each node has.

use crate::{Node, Taxonomy};

/// Canonical k-mers of a node, each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeKmers {
    /// Those of sequences of the node or of any below it.
    pub kmers: u64,
    /// Those among them that no sequence of another node has.
    pub specific: u64,
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

impl<'a> Statistics<'a> {
    pub(super) fn new(taxonomy: &'a Taxonomy) -> Self {
        Self {
            taxonomy,
            of_nodes: vec![NodeKmers::default(); taxonomy.len()],
            seen: vec![0; taxonomy.len()],
            sets: 0,
        }
    }

    /// Adds k-mers that the sequences of these nodes have, one or more, in rising order.
    pub(super) fn add(&mut self, nodes: impl DoubleEndedIterator<Item = Node> + Clone, kmers: u64) {
        let (Some(first), Some(last)) = (nodes.clone().next(), nodes.clone().next_back()) else {
            return;
        };
        // Nodes are numbered depth first: what the first and the last have in common, all have.
        let above = self.taxonomy.lca(first, last);
        for node in self.taxonomy.path_to_root(above) {
            let statistics = &mut self.of_nodes[node.0 as usize];
            statistics.kmers += kmers;
            statistics.specific += kmers;
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
                self.of_nodes[at].kmers += kmers;
            }
        }
    }

    /// By node.
    pub(super) fn finish(self) -> Vec<NodeKmers> {
        self.of_nodes
    }
}

impl std::ops::AddAssign for NodeKmers {
    fn add_assign(&mut self, other: Self) {
        self.kmers += other.kmers;
        self.specific += other.specific;
    }
}
