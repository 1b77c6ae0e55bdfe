//! A taxonomy as it was, from where its nodes were written one after the other.

use std::collections::HashMap;

use super::builder::{MOST_NODES, MOST_RANKS, ends};
use super::{Node, Strings, Taxid, Taxonomy, index};
use crate::text::has_control_characters;
use crate::{Error, ErrorKind, Result};

/// A node as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredNode<'a> {
    /// Of the node.
    pub taxid: Taxid,
    /// The node above, whose number is lower; that of the root is the root.
    pub parent: Node,
    /// Its rank.
    pub rank: &'a str,
    /// Its name.
    pub name: &'a str,
}

impl Taxonomy {
    /// All nodes by number: what [`from_stored`](Self::from_stored) takes.
    pub fn stored(&self) -> impl ExactSizeIterator<Item = StoredNode<'_>> {
        self.nodes().map(|node| StoredNode {
            taxid: self.taxid(node),
            parent: self.parents[index(node)],
            rank: self.rank(node),
            name: self.name(node),
        })
    }

    /// The taxonomy whose nodes, by number, are `nodes`, and whose old taxids are `merged`, rising.
    ///
    /// Nothing is taken on trust: that numbers are depth first by taxid, that each taxid is there once and is not 0, that
    /// names and ranks would not break a report. Cost: linear, but for sorting taxids; nodes are not put in order again as
    /// by [`TaxonomyBuilder`](super::TaxonomyBuilder).
    ///
    /// # Errors
    /// Any of this is not so, there are no nodes, or too many nodes or ranks.
    pub fn from_stored<'a>(
        nodes: impl IntoIterator<Item = StoredNode<'a>>,
        merged: impl IntoIterator<Item = (Taxid, Node)>,
    ) -> Result<Self> {
        let mut taxonomy = Self {
            taxids: Vec::new(),
            parents: Vec::new(),
            ends: Vec::new(),
            ranks: Vec::new(),
            rank_names: Strings::default(),
            species_rank: None,
            names: Strings::default(),
            by_taxid: Vec::new(),
            merged: Vec::new(),
            deleted: Vec::new(),
        };
        let mut rank_numbers = HashMap::new();
        for node in nodes {
            (taxonomy.push(node, &mut rank_numbers)).map_err(Error::new)?;
        }
        if taxonomy.taxids.is_empty() {
            return Err(Error::new(ErrorKind::NoNodes));
        }
        taxonomy.species_rank = rank_numbers.get("species").copied();
        taxonomy.ends = ends(&taxonomy.parents);
        taxonomy.by_taxid = taxonomy
            .taxids
            .iter()
            .copied()
            .zip((0..).map(Node))
            .collect();
        taxonomy.by_taxid.sort_unstable();
        let twice = taxonomy
            .by_taxid
            .windows(2)
            .find(|pair| pair[0].0 == pair[1].0);
        if let Some(pair) = twice {
            return Err(Error::new(ErrorKind::OutOfOrder { node: pair[1].1.0 }));
        }
        taxonomy.with_merged(merged)
    }

    /// The same, which knows these old taxids, rising, in place of others.
    pub(crate) fn with_merged(
        mut self,
        merged: impl IntoIterator<Item = (Taxid, Node)>,
    ) -> Result<Self> {
        self.merged.clear();
        for (old, node) in merged {
            let is_rising = self.merged.last().is_none_or(|(last, _)| *last < old);
            if !is_rising || !self.contains(node) {
                return Err(Error::new(ErrorKind::OutOfOrder { node: node.0 }));
            }
            self.merged.push((old, node));
        }
        Ok(self)
    }

    fn push<'a>(
        &mut self,
        node: StoredNode<'a>,
        rank_numbers: &mut HashMap<&'a str, u16>,
    ) -> Result<(), ErrorKind> {
        let number = self.taxids.len();
        if number == MOST_NODES {
            return Err(ErrorKind::TooManyNodes { limit: MOST_NODES });
        }
        if node.taxid == Taxid(0) || !self.may_be_next(&node) {
            return Err(ErrorKind::OutOfOrder {
                node: number as u32,
            });
        }
        for (what, text) in [("the rank", node.rank), ("the name", node.name)] {
            if has_control_characters(text) {
                let found = text.to_owned();
                return Err(ErrorKind::BadText { what, found });
            }
        }
        let rank = match rank_numbers.get(node.rank) {
            Some(rank) => *rank,
            None if rank_numbers.len() == MOST_RANKS => {
                return Err(ErrorKind::TooManyRanks { limit: MOST_RANKS });
            }
            None => {
                let rank = self.rank_names.len() as u16;
                self.rank_names.push(node.rank);
                rank_numbers.insert(node.rank, rank);
                rank
            }
        };
        self.taxids.push(node.taxid);
        self.parents.push(node.parent);
        self.ranks.push(rank);
        self.names.push(node.name);
        Ok(())
    }

    /// Whether a node keeps the order: its parent is the one before it or above that, and what is right below the parent on
    /// the way there has a lower taxid.
    fn may_be_next(&self, node: &StoredNode) -> bool {
        let Some(last) = self.taxids.len().checked_sub(1) else {
            return node.parent == Self::ROOT;
        };
        // All nodes that are passed here have got all that is below them: none is passed twice.
        let mut above = Node(last as u32);
        let mut below = None;
        while above != node.parent {
            if above == Self::ROOT {
                return false;
            }
            below = Some(above);
            above = self.parents[index(above)];
        }
        below.is_none_or(|below| self.taxids[index(below)] < node.taxid)
    }
}
