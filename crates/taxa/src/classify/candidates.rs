//! What a call was chosen from.

use super::{Call, Classifier, Reason, Rule, Sets, Workspace};
use crate::taxonomy::Node;

/// A taxon that a read may be of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The taxon.
    pub node: Node,
    /// Its score, as the rule has it: the posterior of a species; the share of k-mers that are at the taxon and above it; or
    /// LMAT's logarithm of a ratio.
    pub score: f64,
    /// k-mers that speak for it: distinct ones of the species, those whose lowest common ancestor it is, or distinct ones
    /// at it and below.
    pub kmers: u32,
}

impl<S: Sets> Classifier<'_, S> {
    /// What was weighed for a call, which must be the last of this workspace: the best score first, of equal ones the first of
    /// the nodes. Of reads of which nothing was found there are none.
    ///
    /// It is for those who want to see why; calls do without.
    pub fn candidates<'w>(&self, workspace: &'w mut Workspace, call: &Call) -> &'w [Candidate] {
        let Workspace {
            counts,
            lca,
            lmat,
            candidates,
            ..
        } = workspace;
        candidates.clear();
        if matches!(call.reason, Reason::NotFound | Reason::TooShort) {
            // What is there is that of another read.
            return candidates;
        }
        match &self.rule {
            Rule::Posterior(rule) => {
                let species = &counts.species;
                let most = species.iter().map(|(_, kmers)| *kmers).max().unwrap_or(0);
                let all: f64 = (species.iter())
                    .map(|(_, kmers)| rule.weight(most - kmers))
                    .sum();
                candidates.extend(species.iter().map(|&(number, kmers)| Candidate {
                    node: self.species[number as usize],
                    score: rule.weight(most - kmers) / all,
                    kmers,
                }));
            }
            Rule::Lca(_) => {
                let valid = f64::from(call.valid);
                candidates.extend(lca.weighed().map(|(node, sum, kmers)| Candidate {
                    node,
                    score: sum as f64 / valid,
                    kmers,
                }));
            }
            Rule::Lmat(_) => {
                candidates.extend(lmat.weighed().map(|(node, score, kmers)| Candidate {
                    node,
                    score,
                    kmers,
                }));
            }
        }
        let by_score = |one: &Candidate, other: &Candidate| {
            (other.score.total_cmp(&one.score)).then(one.node.0.cmp(&other.node.0))
        };
        candidates.sort_unstable_by(by_score);
        candidates
    }
}
