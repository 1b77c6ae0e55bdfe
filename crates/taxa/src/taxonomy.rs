//! What a classifier needs of a taxonomy, as a value.
//!
//! ```text
//! nodes.dmp ─► Taxdump ──┐
//! lineages ──► Lineages ─┼─► Builder ──► Taxonomy ──► restricted_to ──► write_nodes, write_names
//! whatever else ─────────┘   one root,      │  ▲
//!                            no circles  stored  from_stored ── a database
//! ```
//!
//! Whatever it comes from, a [`Taxonomy`] is a tree: one root, no circles, every node once. [`TaxonomyBuilder`] is where that is
//! checked, and [`Taxonomy::from_stored`] for what was a taxonomy already.

mod builder;
mod lineages;
mod rank_code;
mod stored;
mod strings;
mod taxdump;
mod union;

use std::fmt;

pub use builder::TaxonomyBuilder;
pub use lineages::{Lineages, OfLineages};
pub use rank_code::RankCode;
pub use stored::StoredNode;
pub use taxdump::{Taxdump, write_merged, write_names, write_nodes};

use strings::Strings;

/// The number that a taxonomy's makers gave to a taxon, as it stands in reports: 1 to 2^32 - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taxid(pub u32);

/// The place of a taxon in one [`Taxonomy`]: 0 is the root, and below it they are numbered depth first, children by
/// rising taxid.
///
/// So the number of a node is greater than that of its parent, what is below a node has the numbers behind its own, and
/// numbers follow from the tree alone, whatever the order in which nodes were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

/// A tree of taxa, each with a taxid, a rank and a name.
///
/// Methods that take a [`Node`] panic if it is of a larger taxonomy; [`contains`](Self::contains) tells. Memory: 34 bytes
/// for a node and its name.
#[derive(Clone, Debug)]
pub struct Taxonomy {
    taxids: Vec<Taxid>,
    /// The root's is itself.
    parents: Vec<Node>,
    /// One behind the last node below.
    ends: Vec<u32>,
    ranks: Vec<u16>,
    rank_names: Strings,
    /// Which rank is `species`, if any is.
    species_rank: Option<u16>,
    names: Strings,
    /// Rising.
    by_taxid: Vec<(Taxid, Node)>,
    /// Rising. What a taxid was merged into.
    merged: Vec<(Taxid, Node)>,
    /// Rising.
    deleted: Vec<Taxid>,
}

/// What a taxid is to a taxonomy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// That of a node.
    Node(Node),
    /// An old one of this node.
    Merged(Node),
    /// One that was given up.
    Deleted,
    /// None that it knows.
    Unknown,
}

impl Taxonomy {
    /// The node that has no parent.
    pub const ROOT: Node = Node(0);

    /// Nodes that it has, at least one. They are numbered from 0.
    #[expect(clippy::len_without_is_empty, reason = "there is always a root")]
    pub fn len(&self) -> usize {
        self.taxids.len()
    }

    /// Whether `node` is one of these.
    pub fn contains(&self, node: Node) -> bool {
        index(node) < self.len()
    }

    /// All of them, by number.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node> + ExactSizeIterator + use<> {
        (0..self.len() as u32).map(Node)
    }

    /// The node of a taxid, also of one that was merged into another. Cost: logarithmic.
    pub fn node(&self, taxid: Taxid) -> Option<Node> {
        match self.find(taxid) {
            Found::Node(node) | Found::Merged(node) => Some(node),
            Found::Deleted | Found::Unknown => None,
        }
    }

    /// What is known of a taxid. Cost: logarithmic.
    pub fn find(&self, taxid: Taxid) -> Found {
        if let Some(node) = look_up(&self.by_taxid, taxid) {
            Found::Node(node)
        } else if let Some(node) = look_up(&self.merged, taxid) {
            Found::Merged(node)
        } else if self.deleted.binary_search(&taxid).is_ok() {
            Found::Deleted
        } else {
            Found::Unknown
        }
    }

    /// Its number for people and files.
    #[inline]
    pub fn taxid(&self, node: Node) -> Taxid {
        self.taxids[index(node)]
    }

    /// The node right above; `None` above the root.
    #[inline]
    pub fn parent(&self, node: Node) -> Option<Node> {
        (node != Self::ROOT).then(|| self.parents[index(node)])
    }

    /// Its rank in the words of the taxonomy: `species`, `no rank`, `serotype` …
    pub fn rank(&self, node: Node) -> &str {
        self.rank_names.get(usize::from(self.ranks[index(node)]))
    }

    /// Its scientific name; `taxid N` if it has none.
    pub fn name(&self, node: Node) -> &str {
        self.names.get(index(node))
    }

    /// Whether its rank is `species`.
    #[inline]
    pub fn is_species(&self, node: Node) -> bool {
        Some(self.ranks[index(node)]) == self.species_rank
    }

    /// The numbers of the node and of all below it.
    #[inline]
    pub fn range(&self, node: Node) -> std::ops::Range<u32> {
        node.0..self.ends[index(node)]
    }

    /// Whether `node` is `ancestor` or below it. Cost: constant.
    #[inline]
    pub fn is_below(&self, node: Node, ancestor: Node) -> bool {
        self.range(ancestor).contains(&node.0)
    }

    /// Whether nothing is below it.
    #[inline]
    pub fn is_leaf(&self, node: Node) -> bool {
        self.ends[index(node)] == node.0 + 1
    }

    /// The lowest node that has both below it, or is one of them and has the other. Cost: steps from `one` up to it.
    #[inline]
    pub fn lca(&self, one: Node, other: Node) -> Node {
        let mut above = one;
        while !self.is_below(other, above) {
            above = self.parents[index(above)];
        }
        above
    }

    /// The node itself, its parent, and so on to the root.
    pub fn path_to_root(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        std::iter::successors(Some(node), |&node| self.parent(node))
    }

    /// Nodes above it: 0 of the root. Cost: as many steps.
    pub fn depth(&self, node: Node) -> usize {
        self.path_to_root(node).count() - 1
    }

    /// Numbers of nodes above each node, by number. Cost: linear, however deep the tree.
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = Vec::<u32>::with_capacity(self.len());
        for node in self.nodes() {
            let above = self.parent(node);
            depths.push(above.map_or(0, |above| depths[index(above)] + 1));
        }
        depths
    }

    /// The node itself if it is a species, else the nearest above that is one. Cost: steps up to it, or to the root.
    pub fn species(&self, node: Node) -> Option<Node> {
        self.path_to_root(node).find(|&node| self.is_species(node))
    }

    /// The nodes right below, by number (and taxid).
    pub fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let range = self.range(node);
        let child = move |number| (number < range.end).then_some(Node(number));
        let first = child(node.0 + 1);
        std::iter::successors(first, move |&node| child(self.ends[index(node)]))
    }

    /// Old taxids and the nodes that have new ones, by old taxid.
    pub fn merged(&self) -> &[(Taxid, Node)] {
        &self.merged
    }

    /// Those of `nodes`, all that is above them, and the root, numbered anew.
    ///
    /// Taxids that were merged into one of these are still known; deleted ones are not.
    pub fn restricted_to(&self, nodes: impl IntoIterator<Item = Node>) -> Self {
        let mut is_kept = vec![false; self.len()];
        is_kept[0] = true;
        for node in nodes {
            let path = self.path_to_root(node);
            let new = path.take_while(|&node| !std::mem::replace(&mut is_kept[index(node)], true));
            new.for_each(drop);
        }
        self.only(&is_kept)
    }

    /// The nodes that are kept, of which each has its parent among them.
    fn only(&self, is_kept: &[bool]) -> Self {
        // Depth-first order stays one when nodes are left out; `renumbered` also has one behind the last.
        let mut kept = 0;
        let mut renumbered = Vec::with_capacity(self.len() + 1);
        for is_kept in is_kept {
            renumbered.push(kept);
            kept += u32::from(*is_kept);
        }
        renumbered.push(kept);
        let new = |node: Node| Node(renumbered[index(node)]);
        let old = || self.nodes().filter(|&node| is_kept[index(node)]);
        let still = |list: &[(Taxid, Node)]| {
            let kept = list.iter().filter(|(_, node)| is_kept[index(*node)]);
            kept.map(|&(taxid, node)| (taxid, new(node))).collect()
        };
        Self {
            taxids: old().map(|node| self.taxid(node)).collect(),
            parents: old().map(|node| new(self.parents[index(node)])).collect(),
            ends: old()
                .map(|node| renumbered[self.ends[index(node)] as usize])
                .collect(),
            ranks: old().map(|node| self.ranks[index(node)]).collect(),
            rank_names: self.rank_names.clone(),
            species_rank: self.species_rank,
            names: old().map(|node| self.name(node)).collect(),
            by_taxid: still(&self.by_taxid),
            merged: still(&self.merged),
            deleted: Vec::new(),
        }
    }
}

/// Where the node's values lie.
#[inline]
fn index(node: Node) -> usize {
    node.0 as usize
}

fn look_up(list: &[(Taxid, Node)], taxid: Taxid) -> Option<Node> {
    let found = list.binary_search_by_key(&taxid, |&(taxid, _)| taxid);
    found.ok().map(|at| list[at].1)
}

impl fmt::Display for Taxid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
