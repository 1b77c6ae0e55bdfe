//! The rule of posteriors: which taxon holds most of what the species could have made.
//!
//! ```text
//! c(s)   = distinct k-mers of the read, or of both mates, that are in a sequence of species s
//! c*     = the greatest c(s)
//! w(s)   = exp(-beta (c* - c(s))),  beta = 12 / k,  of each s with c(s) > 0
//! call   = the deepest node that has a share of at least 0.8 of all w at and below it
//! nothing, if c* is less than 5 31-mers and a 30th of all k-mers are worth, in bases
//! above species, while the identity that c* tells is below 0.91
//! strain = the same among the leaves of the species, if the call is one
//! ```
//! A difference of a whole read's k-mers is never needed: an error costs up to k of them, so that two or three bases that
//! agree with one species alone decide. Strains of a species are counted as one, or else species of many strains would lose
//! to those of few. Distinct k-mers count because repeats are found anywhere.

use super::{Call, Classifier, Mass, Reason, Sets, counts::Counts, strains};
use crate::taxonomy::Node;

/// The weights and bounds of the rule, for k-mers of one length.
#[derive(Clone, Debug)]
pub struct Posterior {
    /// By how many k-mers less than the best has; those behind have none.
    weights: Vec<f64>,
    /// k-mers that are as many bases as five 31-mers are, less five.
    more_kmers: u32,
    /// The share of k-mers that is left where bases agree as they do within species.
    share_within_species: f64,
}

/// What divided by k is beta: then a base that differs has the same weight at every k.
const BETA_BASES: f64 = 12.0;

/// The share of a call.
pub(super) const LEAST_SHARE: f64 = 0.8;

/// The least number of k-mers, at k = 31.
const LEAST_KMERS: u32 = 5;

/// One k-mer of so many has to be found.
const KMERS_FOR_ONE: u32 = 30;

/// Below, two genomes are of different species.
const LEAST_IDENTITY: f64 = 0.91;

/// exp(-45) is less than the least difference that a sum tells.
const NO_WEIGHT: f64 = 45.0;

impl Posterior {
    /// For k-mers of `k` bases.
    pub fn new(k: usize) -> Self {
        let beta = BETA_BASES / k as f64;
        let weights = (NO_WEIGHT / beta).ceil() as u32;
        Self {
            weights: (0..weights)
                .map(|less| (-beta * f64::from(less)).exp())
                .collect(),
            more_kmers: 31_usize.saturating_sub(k) as u32,
            share_within_species: LEAST_IDENTITY.powi(k as i32),
        }
    }

    /// The weight of what has so many k-mers less than the best.
    #[inline]
    pub(super) fn weight(&self, less: u32) -> f64 {
        self.weights.get(less as usize).copied().unwrap_or(0.0)
    }

    /// The k-mers that the best species needs.
    fn least_kmers(&self, valid: u32) -> u32 {
        LEAST_KMERS.max(valid.div_ceil(KMERS_FOR_ONE)) + self.more_kmers
    }
}

impl<S: Sets> Classifier<'_, S> {
    pub(super) fn call_by_posterior(
        &self,
        rule: &Posterior,
        counts: &mut Counts,
        mass: &mut Mass,
        strains: &mut strains::Room,
    ) -> Call {
        let most = counts.count_species(self.sets);
        let valid = counts.valid;
        if most == 0 {
            return Call::nothing_found(valid);
        }
        if most < rule.least_kmers(valid) {
            return Call::none(Reason::TooFew, valid, most);
        }
        // Most reads are of one species alone.
        let only = match *counts.species {
            [(only, _)] => Some(self.species[only as usize]),
            _ => None,
        };
        let held = only.unwrap_or_else(|| {
            mass.clear();
            for &(species, kmers) in &counts.species {
                mass.push(species..species + 1, rule.weight(most - kmers));
            }
            mass.deepest(self.taxonomy, self.species, LEAST_SHARE)
        });
        let above = self.above_species[held.0 as usize];
        let is_distant = f64::from(most) < rule.share_within_species * f64::from(valid);
        let (node, reason) = if above != held && is_distant {
            (above, Reason::Distant)
        } else if self.species.binary_search(&held).is_ok() {
            (held, Reason::Direct)
        } else {
            (held, Reason::Shared)
        };
        let (score, runner_up) = match only {
            Some(_) => (1.0, None),
            None => (
                mass.share(self.taxonomy, self.species, node),
                mass.best_outside(self.taxonomy, self.species, node),
            ),
        };
        let mut call = Call {
            node: Some(node),
            score,
            runner_up,
            valid,
            support: most,
            reason,
        };
        if reason == Reason::Direct
            && let Some((strain, score)) = self.strain(rule, counts, mass, strains, held)
        {
            call.node = Some(strain);
            call.score *= score;
        }
        call
    }

    /// The deepest node within a species that has enough of its leaves' weight, with its share of it.
    fn strain(
        &self,
        rule: &Posterior,
        counts: &Counts,
        mass: &mut Mass,
        strains: &mut strains::Room,
        species: Node,
    ) -> Option<(Node, f64)> {
        let number = self.species.binary_search(&species).ok()?;
        let leaves = &self.leaves_of[number];
        if leaves.len() == 1 {
            return Some((self.leaves[leaves.start as usize], 1.0));
        }
        strains.weigh(self, rule, counts, number as u32, mass)?;
        let node = mass.deepest(self.taxonomy, self.leaves, LEAST_SHARE);
        let share = mass.share(self.taxonomy, self.leaves, node);
        self.taxonomy
            .is_below(node, species)
            .then_some((node, share))
    }
}
