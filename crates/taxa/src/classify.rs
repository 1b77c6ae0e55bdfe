//! The taxon of a read or a pair, of what its k-mers were found in.
//!
//! ```text
//! Hits of each mate: runs of k-mers ─► set ids ──┬─ distinct k-mers by species ─► posterior (─► strains) ─┬─► Call
//!                                     (counts)   │  of the best strains ─► lmat (null) ───────────────────┤
//!                                                └─ k-mers by lowest common ancestor ─► lca ──────────────┘
//! ```
//! A [`Classifier`] is shared by all workers, and each has a [`Workspace`] of its own. A call depends on the k-mers of the
//! read alone: neither on what came before, nor on the strand from which it was read.

mod candidates;
mod counts;
mod lca;
mod lmat;
mod mass;
mod null;
mod posterior;
mod stored;
mod strains;

use std::ops::Range;

pub use candidates::Candidate;
pub use lca::Lca;
pub use lmat::Lmat;
pub use null::NullModel;
pub use posterior::Posterior;
pub use stored::Stored;

pub use crate::lookup::Run;

use crate::taxonomy::{Node, Taxonomy};
use counts::Counts;
use mass::Mass;

/// What was found of one read.
#[derive(Clone, Copy, Debug)]
pub struct Hits<'a> {
    /// The read.
    pub letters: &'a [u8],
    /// All k-mers of letters that are bases, in order: those between runs have another letter.
    pub runs: &'a [Run],
}

impl Hits<'_> {
    /// Those of no read.
    pub const NONE: Self = Self {
        letters: &[],
        runs: &[],
    };
}

/// The sets of taxa that k-mers are in, by number.
///
/// Species have numbers of their own, and so have leaves, the taxa that sequences were given to: both in the order of
/// their nodes.
pub trait Sets {
    /// One more than the greatest number of a set. Number 0 is no set, and is not asked for.
    fn number(&self) -> usize;

    /// The numbers of the species of a set, ascending, at least one. All are less than the number of species.
    fn species(&self, set: u32) -> &[u32];

    /// Shows the leaves of one of its species that are in a set, as ranges of numbers, ascending; or none, and returns
    /// `false`, if only the species is known.
    fn visit_leaves(&self, set: u32, species: u32, each: impl FnMut(Range<u32>)) -> bool;
}

/// How a read is called.
#[derive(Clone, Debug)]
pub enum Rule {
    /// By the posterior of species.
    Posterior(Posterior),
    /// By weights of paths from the root, as kraken2 does.
    Lca(Lca),
    /// By scores against what is by chance, as LMAT does.
    Lmat(Lmat),
}

/// What a read is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// Its taxon, if there is enough to tell.
    pub node: Option<Node>,
    /// How sure that is, as the rule has it: the posterior of the taxon, or the share of k-mers at it and below, from 0 to 1;
    /// or LMAT's logarithm of a ratio. 0 without a taxon.
    pub score: f64,
    /// The best of what the call leaves out, with its score: a species, or any taxon neither above nor below, as the rule
    /// has it.
    pub runner_up: Option<(Node, f64)>,
    /// k-mers without letters that are no bases, all told.
    pub valid: u32,
    /// k-mers that speak for it: distinct ones of the best species, or all that are at the taxon and below, as the rule
    /// has it.
    pub support: u32,
    /// Why it is this taxon, or none.
    pub reason: Reason,
}

/// Why a read was called as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The taxon is the one that most speaks for.
    Direct,
    /// Several taxa share what was found: it is the one above them.
    Shared,
    /// The same, and the one above them has the best score itself: of LMAT's rule.
    Partial,
    /// Too little agrees for a species, or for the confidence asked for: it is one above.
    Distant,
    /// No taxon: k-mers were found, but too few, or the score is too low.
    TooFew,
    /// No taxon: none of the k-mers was found.
    NotFound,
    /// No taxon: there is no k-mer, or for LMAT's rule less than 30.
    TooShort,
}

/// Calls reads by a rule.
#[derive(Debug)]
pub struct Classifier<'a, S> {
    taxonomy: &'a Taxonomy,
    k: usize,
    /// By number, ascending.
    species: &'a [Node],
    /// By number, ascending.
    leaves: &'a [Node],
    sets: &'a S,
    rule: Rule,
    /// By node: the parent of the species that it is or is in; itself where it is in none.
    above_species: Vec<Node>,
    /// By number of the species: the numbers of its leaves.
    leaves_of: Vec<Range<u32>>,
}

/// What a worker needs to call reads: memory that is used again.
#[derive(Debug)]
pub struct Workspace {
    counts: Counts,
    mass: Mass,
    lca: lca::Room,
    lmat: lmat::Room,
    strains: strains::Room,
    nodes: SetNodes,
    candidates: Vec<Candidate>,
}

/// The nodes of sets, where they were asked for before.
#[derive(Debug)]
struct SetNodes {
    /// By set: one more than the node, or 0. Of the first sets only, which most k-mers are in.
    known: Vec<u32>,
}

/// Sets whose nodes are remembered, at most: 4 MiB of them.
const MOST_KNOWN: usize = 1 << 20;

impl<'a, S: Sets> Classifier<'a, S> {
    /// For k-mers of `k` bases, 1 to 31, in `sets`, whose numbers of species and leaves are places in `species` and
    /// `leaves`, which ascend.
    ///
    /// # Panics
    ///
    /// If `k` is another number. Calls panic where sets have numbers that are too great.
    pub fn new(
        taxonomy: &'a Taxonomy,
        k: usize,
        species: &'a [Node],
        leaves: &'a [Node],
        sets: &'a S,
        rule: Rule,
    ) -> Self {
        assert!((1..=31).contains(&k), "k-mers of {k} bases");
        Self {
            taxonomy,
            k,
            species,
            leaves,
            sets,
            rule,
            above_species: above_species(taxonomy, species),
            leaves_of: (species.iter())
                .map(|&species| strains::leaves_of(taxonomy, leaves, species))
                .collect(),
        }
    }

    /// What one worker needs.
    pub fn workspace(&self) -> Workspace {
        Workspace {
            counts: Counts::new(self.species.len()),
            mass: Mass::default(),
            lca: lca::Room::default(),
            lmat: lmat::Room::default(),
            strains: strains::Room::default(),
            nodes: SetNodes {
                known: vec![0; self.sets.number().min(MOST_KNOWN)],
            },
            candidates: Vec::new(),
        }
    }

    /// The taxonomy of its nodes.
    pub fn taxonomy(&self) -> &'a Taxonomy {
        self.taxonomy
    }

    /// Bases of a k-mer.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Calls a read, or both mates of a pair as one. Allocates nothing once it has seen the longest ones.
    pub fn call(&self, workspace: &mut Workspace, mates: &[Hits<'_>]) -> Call {
        let Workspace {
            counts,
            mass,
            lca,
            lmat,
            strains,
            nodes,
            candidates: _,
        } = workspace;
        match &self.rule {
            Rule::Posterior(rule) => {
                counts.count_distinct(mates);
                self.call_by_posterior(rule, counts, mass, strains)
            }
            Rule::Lca(rule) => {
                counts.count_all(mates);
                self.call_by_lca(rule, counts, lca, nodes)
            }
            Rule::Lmat(rule) => {
                counts.count_distinct(mates);
                self.call_by_lmat(rule, counts, mates, lmat)
            }
        }
    }

    /// The lowest taxon that has all of a set at or below it: what a hit list shows.
    ///
    /// Of leaves of one species it is the lowest above these, where they are known, else the species; of several species
    /// the lowest above these.
    #[inline]
    pub fn node_of_set(&self, workspace: &mut Workspace, set: u32) -> Node {
        self.node_of(&mut workspace.nodes, set)
    }

    /// How many distinct k-mers of a read, or of both mates, are in each species: by number, ascending.
    pub fn species_kmers<'w>(
        &self,
        workspace: &'w mut Workspace,
        mates: &[Hits<'_>],
    ) -> &'w [(u32, u32)] {
        let counts = &mut workspace.counts;
        counts.count_distinct(mates);
        counts.count_species(self.sets);
        &counts.species
    }

    #[inline]
    fn node_of(&self, nodes: &mut SetNodes, set: u32) -> Node {
        match nodes.known.get_mut(set as usize) {
            Some(0) | None => {
                let node = self.lowest_above(set);
                if let Some(known) = nodes.known.get_mut(set as usize) {
                    *known = node.0 + 1;
                }
                node
            }
            Some(known) => Node(*known - 1),
        }
    }

    /// Nodes are numbered depth first: the first and the last of some have the same lowest common ancestor as all.
    fn lowest_above(&self, set: u32) -> Node {
        match *self.sets.species(set) {
            [only] => {
                let mut ends = None;
                self.sets.visit_leaves(set, only, |leaves| {
                    let first = ends.map_or(leaves.start, |(first, _)| first);
                    ends = Some((first, leaves.end - 1));
                });
                match ends {
                    Some((first, last)) => self.lca_of(self.leaves, first, last),
                    None => self.species[only as usize],
                }
            }
            [first, .., last] => self.lca_of(self.species, first, last),
            [] => Taxonomy::ROOT,
        }
    }

    fn lca_of(&self, nodes: &[Node], first: u32, last: u32) -> Node {
        let [first, last] = [first, last].map(|number| nodes[number as usize]);
        self.taxonomy.lca(first, last)
    }
}

impl Call {
    /// Without a taxon, for this reason.
    fn none(reason: Reason, valid: u32, support: u32) -> Self {
        Self {
            node: None,
            score: 0.0,
            runner_up: None,
            valid,
            support,
            reason,
        }
    }

    /// Of a read of which nothing was found.
    fn nothing_found(valid: u32) -> Self {
        let reason = match valid {
            0 => Reason::TooShort,
            _ => Reason::NotFound,
        };
        Self::none(reason, valid, 0)
    }

    /// The share of bases that agree, estimated from the share of k-mers that do: 0 to 1.
    pub fn identity(&self, k: usize) -> f64 {
        match self.valid {
            0 => 0.0,
            valid => (f64::from(self.support) / f64::from(valid)).powf(1.0 / k as f64),
        }
    }
}

impl Reason {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Shared => "shared",
            Self::Partial => "partial",
            Self::Distant => "distant",
            Self::TooFew => "few",
            Self::NotFound => "none",
            Self::TooShort => "short",
        }
    }
}

/// Where a call goes that must not be a species, by node.
///
/// What is in no species, but has a number as if it were one and nothing below it, is taken for one.
fn above_species(taxonomy: &Taxonomy, species: &[Node]) -> Vec<Node> {
    let mut above = Vec::<Node>::with_capacity(taxonomy.len());
    let mut numbered = species.iter().copied().peekable();
    for node in taxonomy.nodes() {
        let has_number = numbered.next_if_eq(&node).is_some();
        let parent = taxonomy.parent(node).unwrap_or(Taxonomy::ROOT);
        let above_parent = match node == Taxonomy::ROOT {
            true => node,
            false => above[parent.0 as usize],
        };
        above.push(if above_parent != parent {
            above_parent
        } else if taxonomy.is_species(node) || has_number && taxonomy.is_leaf(node) {
            parent
        } else {
            node
        });
    }
    above
}

#[cfg(test)]
mod tests;
