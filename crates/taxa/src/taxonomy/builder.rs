//! From nodes in any order to a tree whose nodes are numbered depth first.

use std::collections::HashMap;
use std::path::PathBuf;

use super::{Node, Strings, Taxid, Taxonomy};
use crate::{Error, ErrorKind, Result};

/// Collects nodes, names and old taxids in any order; [`finish`](Self::finish) makes a tree of them.
///
/// A node is the root if it is its own parent, has none, or has taxid 1 (as for kraken2). A node may stand twice if it is the
/// same both times. Of several names the last one counts, as for kraken2; names of taxids that are no nodes do not.
///
/// Names and ranks are taken as they are: who has them from elsewhere than this crate's readers sees to it that they have no
/// tabs, line ends or other control characters.
///
/// What kraken2 passes over silently, leaving out the sequences of the taxa concerned, is an error: nodes without their
/// parent, circles, and a second root.
///
/// Memory: some 60 bytes for a node and twice its name, while the tree is made; cost of n nodes: n log n.
#[derive(Debug, Default)]
pub struct TaxonomyBuilder {
    nodes: Vec<Entry>,
    rank_names: Strings,
    rank_numbers: HashMap<Box<str>, u16>,
    /// Taxid, and the number of the name.
    named: Vec<(Taxid, u32)>,
    names: Strings,
    merged: Vec<(Taxid, Taxid)>,
    deleted: Vec<Taxid>,
    /// The file that nodes come from, for messages.
    pub(super) path: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    taxid: Taxid,
    /// Its own taxid, if it is a root.
    parent: Taxid,
    rank: u16,
    /// 1-based, or 0 if it is of no file.
    line: u32,
}

/// Numbers of nodes, of names and of ranks must fit their types; one is left to stand for none.
pub(super) const MOST_NODES: usize = u32::MAX as usize - 1;
pub(super) const MOST_RANKS: usize = u16::MAX as usize;

impl TaxonomyBuilder {
    /// One without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node; `None` is the parent of the root.
    ///
    /// # Errors
    /// There are too many nodes, or too many ranks.
    pub fn add_node(&mut self, taxid: Taxid, parent: Option<Taxid>, rank: &str) -> Result<()> {
        (self.add_node_of_line(taxid, parent, rank, 0)).map_err(|kind| self.error(kind, 0))
    }

    pub(super) fn add_node_of_line(
        &mut self,
        taxid: Taxid,
        parent: Option<Taxid>,
        rank: &str,
        line: u64,
    ) -> Result<(), ErrorKind> {
        if self.nodes.len() == MOST_NODES {
            return Err(ErrorKind::TooManyNodes { limit: MOST_NODES });
        }
        let is_root = taxid == Taxid(1);
        let parent = parent.filter(|_| !is_root).unwrap_or(taxid);
        let rank = self.rank_number(rank)?;
        self.nodes.push(Entry {
            taxid,
            parent,
            rank,
            line: u32::try_from(line).unwrap_or(0),
        });
        Ok(())
    }

    fn rank_number(&mut self, rank: &str) -> Result<u16, ErrorKind> {
        if let Some(number) = self.rank_numbers.get(rank) {
            return Ok(*number);
        }
        let number = self.rank_names.len();
        if number == MOST_RANKS {
            return Err(ErrorKind::TooManyRanks { limit: MOST_RANKS });
        }
        self.rank_names.push(rank);
        self.rank_numbers.insert(rank.into(), number as u16);
        Ok(number as u16)
    }

    /// Says what a taxon is called.
    ///
    /// # Errors
    /// There are too many names.
    pub fn add_name(&mut self, taxid: Taxid, name: &str) -> Result<()> {
        let number = self.names.len();
        if number == MOST_NODES {
            return Err(self.error(ErrorKind::TooManyNodes { limit: MOST_NODES }, 0));
        }
        self.names.push(name);
        self.named.push((taxid, number as u32));
        Ok(())
    }

    /// Says that a taxon has another taxid now. Where that was merged too, the last of the chain counts; where it leads to no
    /// node, the old one is unknown.
    pub fn add_merged(&mut self, old: Taxid, new: Taxid) {
        self.merged.push((old, new));
    }

    /// Says that a taxid was given up.
    pub fn add_deleted(&mut self, taxid: Taxid) {
        self.deleted.push(taxid);
    }

    /// How many nodes were added.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Whether any of the nodes has a name. Cost: linear.
    pub(super) fn has_names(&self) -> bool {
        let mut taxids: Vec<_> = self.nodes.iter().map(|node| node.taxid).collect();
        taxids.sort_unstable();
        let is_node = |taxid| taxids.binary_search(taxid).is_ok();
        self.named.iter().any(|(taxid, _)| is_node(taxid))
    }

    /// The tree.
    ///
    /// # Errors
    /// There is no node; a node stands twice; its parent is missing; there are two roots, or circles.
    pub fn finish(mut self) -> Result<Taxonomy> {
        self.sort_nodes()?;
        let nodes = &self.nodes;
        if nodes.is_empty() {
            return Err(self.error(ErrorKind::NoNodes, 0));
        }
        let parents = self.parents()?;
        let root = self.root(&parents)?;
        let order = depth_first(root, &parents);
        if order.len() < nodes.len() {
            return Err(self.circle(&parents, &order));
        }

        // From places by taxid to numbers of nodes.
        let mut numbers = vec![0_u32; nodes.len()];
        for (number, &place) in order.iter().enumerate() {
            numbers[place as usize] = number as u32;
        }
        let place = |place: u32| nodes[place as usize];
        let parents: Vec<_> = (order.iter())
            .map(|&place| Node(numbers[parents[place as usize] as usize]))
            .collect();
        let by_taxid: Vec<_> = (nodes.iter().zip(&numbers))
            .map(|(node, &number)| (node.taxid, Node(number)))
            .collect();
        let species = self.rank_numbers.get("species").copied();
        Ok(Taxonomy {
            taxids: order.iter().map(|&at| place(at).taxid).collect(),
            ends: ends(&parents),
            parents,
            ranks: order.iter().map(|&at| place(at).rank).collect(),
            species_rank: species,
            names: names_of(&order, nodes, self.named, &self.names),
            merged: resolved(self.merged, &by_taxid),
            deleted: {
                self.deleted.sort_unstable();
                self.deleted.dedup();
                self.deleted
            },
            by_taxid,
            rank_names: self.rank_names,
        })
    }

    /// Nodes by taxid, each once.
    fn sort_nodes(&mut self) -> Result<()> {
        self.nodes.sort_by_key(|node| node.taxid);
        let twice = self.nodes.windows(2).find(|pair| {
            pair[0].taxid == pair[1].taxid
                && (pair[0].parent, pair[0].rank) != (pair[1].parent, pair[1].rank)
        });
        if let Some(&[first, second]) = twice {
            let kind = ErrorKind::NodeTwice {
                taxid: second.taxid,
                first: (first.line > 0).then_some(u64::from(first.line)),
            };
            return Err(self.error(kind, second.line));
        }
        self.nodes.dedup_by_key(|node| node.taxid);
        Ok(())
    }

    /// The place of each node's parent.
    fn parents(&self) -> Result<Vec<u32>> {
        let place = |node: &Entry| {
            let found = (self.nodes).binary_search_by_key(&node.parent, |node| node.taxid);
            found.map(|place| place as u32).map_err(|_| {
                let kind = ErrorKind::MissingParent {
                    taxid: node.taxid,
                    parent: node.parent,
                };
                self.error(kind, node.line)
            })
        };
        self.nodes.iter().map(place).collect()
    }

    /// The place of the only node that is its own parent.
    fn root(&self, parents: &[u32]) -> Result<u32> {
        let mut roots = (0..)
            .zip(parents)
            .filter(|(place, parent)| place == *parent);
        let mut next = || roots.next().map(|(place, _)| place);
        let Some(root) = next() else {
            // All nodes are on circles, or below them.
            return Err(self.circle(parents, &[]));
        };
        match next() {
            None => Ok(root),
            Some(second) => {
                let [first, second] = [root, second].map(|place| self.nodes[place as usize]);
                let kind = ErrorKind::TwoRoots {
                    first: first.taxid,
                    second: second.taxid,
                };
                Err(self.error(kind, second.line))
            }
        }
    }

    /// The error for the circle that keeps nodes from being `reached` from the root.
    fn circle(&self, parents: &[u32], reached: &[u32]) -> Error {
        let mut is_seen = vec![false; parents.len()];
        for &place in reached {
            is_seen[place as usize] = true;
        }
        let lost = is_seen.iter().position(|is_seen| !is_seen).unwrap_or(0);
        // Upwards from there, the first that is met again is on the circle.
        let mut place = lost;
        while !std::mem::replace(&mut is_seen[place], true) {
            place = parents[place] as usize;
        }
        let node = self.nodes[place];
        self.error(ErrorKind::Cycle { taxid: node.taxid }, node.line)
    }

    fn error(&self, kind: ErrorKind, line: u32) -> Error {
        let error = Error::new(kind).at_line(line.into());
        match &self.path {
            Some(path) => error.in_file(path),
            None => error,
        }
    }
}

/// Places in depth-first order, children by place. What cannot be reached from the root is left out.
fn depth_first(root: u32, parents: &[u32]) -> Vec<u32> {
    // Children one behind the other, those of place p from starts[p] to starts[p + 1].
    let mut starts = vec![0_u32; parents.len() + 1];
    for &parent in parents {
        starts[parent as usize + 1] += 1;
    }
    starts[root as usize + 1] -= 1;
    for place in 0..parents.len() {
        starts[place + 1] += starts[place];
    }
    let mut next = starts.clone();
    let mut children = vec![0_u32; parents.len() - 1];
    for (place, &parent) in (0..).zip(parents) {
        if place != root {
            let at = &mut next[parent as usize];
            children[*at as usize] = place;
            *at += 1;
        }
    }

    let mut order = Vec::with_capacity(parents.len());
    let mut to_do = vec![root];
    while let Some(place) = to_do.pop() {
        order.push(place);
        let of_place = starts[place as usize] as usize..starts[place as usize + 1] as usize;
        to_do.extend(children[of_place].iter().rev());
    }
    order
}

/// One behind the last node below each.
pub(super) fn ends(parents: &[Node]) -> Vec<u32> {
    let mut ends: Vec<u32> = (1..=parents.len() as u32).collect();
    // From the last: all below a node come before it.
    for number in (1..parents.len()).rev() {
        let parent = parents[number].0 as usize;
        ends[parent] = ends[parent].max(ends[number]);
    }
    ends
}

/// Names by number of node.
fn names_of(
    order: &[u32],
    nodes: &[Entry],
    mut named: Vec<(Taxid, u32)>,
    names: &Strings,
) -> Strings {
    const NONE: u32 = u32::MAX;
    // The sort is stable: of the same taxid the last one is the last given.
    named.sort_by_key(|(taxid, _)| *taxid);
    let mut of_place = vec![NONE; nodes.len()];
    let mut place = 0;
    for (taxid, name) in named {
        while nodes.get(place).is_some_and(|node| node.taxid < taxid) {
            place += 1;
        }
        match nodes.get(place) {
            Some(node) if node.taxid == taxid => of_place[place] = name,
            Some(_) => {}
            None => break,
        }
    }
    let mut all = Strings::default();
    for &place in order {
        match of_place[place as usize] {
            NONE => all.push(&format!("taxid {}", nodes[place as usize].taxid)),
            name => all.push(names.get(name as usize)),
        }
    }
    all
}

/// Old taxids with the nodes that they lead to.
fn resolved(mut merged: Vec<(Taxid, Taxid)>, by_taxid: &[(Taxid, Node)]) -> Vec<(Taxid, Node)> {
    // Of the same old taxid the last one given counts.
    merged.reverse();
    merged.sort_by_key(|(old, _)| *old);
    merged.dedup_by_key(|(old, _)| *old);
    let step = |taxid| {
        let found = merged.binary_search_by_key(&taxid, |(old, _)| *old);
        found.ok().map(|at| merged[at].1)
    };
    let node = |new| {
        // A chain as long as this is a circle.
        const LONGEST: usize = 100;
        let chain = std::iter::successors(Some(new), |&taxid| step(taxid)).take(LONGEST);
        chain
            .filter_map(|taxid| super::look_up(by_taxid, taxid))
            .next()
    };
    let nodes = merged
        .iter()
        .filter_map(|&(old, new)| Some((old, node(new)?)));
    nodes.collect()
}
