//! The rule of LMAT: the best lineage, as far down as no other one comes near.
//!
//! ```text
//! strain of a species = that of its leaves which has the most distinct k-mers of the read, or of both mates
//! n(t)     = distinct k-mers that are in such a strain at or below t
//! r(t)     = what is by chance: the most of all candidates of t's rank and below (null), and 0.0001; 1 of the root
//! score(t) = ln (n(t) / k-mers / r(t))
//! d        = the standard deviation of the positive scores if there are more than 3, else of all
//! lineage  = the best, and those that follow while all are on one path; what is between has no score
//! marks    : of each other one, by falling score, all of the lineage that it is not below, from the deepest up;
//!            until one of these has a score that is more than d greater
//! call     = the deepest of the lineage if nothing is marked, else the deepest that is not
//! nothing, if there are less than 30 k-mers, or the best score of the lineage is less than 0
//! ```
//! Scores that differ by less than a thousandth are equal: the deeper one comes first then. Plasmids, PhiX and human have no
//! rules of their own here.

use std::sync::Arc;

use super::{Call, Classifier, Hits, NullModel, Reason, Sets, counts::Counts};
use crate::taxonomy::{Node, RankCode, Taxonomy};

/// The rule, for the taxa and k-mers of one database.
#[derive(Clone, Debug)]
pub struct Lmat {
    null: Arc<NullModel>,
    /// By node.
    classes: Arc<[u8]>,
    /// The number of nodes above each node.
    depths: Arc<[u32]>,
    least_score: f64,
    deviations: f64,
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Distinct k-mers by leaf of a species: species, leaf, k-mers.
    of_leaves: Vec<(u32, u32, u32)>,
    /// Of each species the leaf that stands for it, or `NO_LEAF`; by rising species.
    strains: Vec<(u32, u32)>,
    /// By node: its k-mers, and the last set for which it was counted. All without k-mers between reads.
    kmers: Vec<(u32, u32)>,
    candidates: Vec<Candidate>,
    /// The candidates of the lineage, from the deepest up, each with the best score so far.
    lineage: Vec<(Node, f64)>,
}

#[derive(Clone, Copy, Debug)]
struct Candidate {
    node: Node,
    depth: u32,
    kmers: u32,
    score: f64,
}

/// None of a species' leaves is known: the species stands for itself.
const NO_LEAF: u32 = u32::MAX;

/// Letters of ranks, from species up; strains are below, and the root above.
const CLASSES: [char; 9] = ['S', 'G', 'F', 'O', 'C', 'P', 'K', 'D', 'R'];

/// What is added to what is by chance.
const MORE: f64 = 1e-4;

/// Differences of scores that are greater by less are equal: sums of floating point numbers are not exact.
const ROUNDING: f64 = 1e-9;

/// k-mers that a read needs.
const LEAST_KMERS: u32 = 30;

impl Lmat {
    /// With what is by chance for each node of the taxonomy.
    pub fn new(taxonomy: &Taxonomy, null: NullModel) -> Self {
        Self {
            null: Arc::new(null),
            classes: taxonomy.rank_codes().into_iter().map(class).collect(),
            depths: taxonomy.depths().into(),
            least_score: 0.0,
            deviations: 1.0,
        }
    }

    /// With another score that a call needs.
    #[must_use]
    pub fn with_least_score(self, least_score: f64) -> Self {
        Self {
            least_score,
            ..self
        }
    }

    /// With another number of standard deviations by which a lineage has to be better.
    #[must_use]
    pub fn with_deviations(self, deviations: f64) -> Self {
        Self { deviations, ..self }
    }
}

/// 0 of what is below species, then by rank.
fn class(code: RankCode) -> u8 {
    let place = CLASSES.iter().position(|letter| *letter == code.letter);
    match (code.letter, code.steps) {
        ('S', 1..) => 0,
        _ => 1 + place.unwrap_or(CLASSES.len() - 1) as u8,
    }
}

impl<S: Sets> Classifier<'_, S> {
    pub(super) fn call_by_lmat(
        &self,
        rule: &Lmat,
        counts: &Counts,
        mates: &[Hits<'_>],
        room: &mut Room,
    ) -> Call {
        let valid = counts.valid;
        if valid < LEAST_KMERS {
            return Call::none(Reason::TooShort, valid, 0);
        }
        if counts.sets.is_empty() {
            return Call::nothing_found(valid);
        }
        self.choose_strains(counts, room);
        self.count_candidates(rule, counts, room);
        self.score(rule, mates, valid, room);
        let by_score = |candidate: &Candidate| {
            let thousandths = (1000.0 * candidate.score).round() as i64;
            std::cmp::Reverse((thousandths, candidate.depth))
        };
        (room.candidates).sort_unstable_by_key(|candidate| (by_score(candidate), candidate.node));
        self.select(rule, &room.candidates, &mut room.lineage, valid)
    }

    /// Which leaf stands for each species: of equal ones the first.
    fn choose_strains(&self, counts: &Counts, room: &mut Room) {
        room.of_leaves.clear();
        for &(set, kmers) in &counts.sets {
            for &species in self.sets.species(set) {
                let of_leaves = &mut room.of_leaves;
                // k-mers of which only the species is known are in all of its leaves: they decide nothing.
                let is_known = self.sets.visit_leaves(set, species, |leaves| {
                    of_leaves.extend(leaves.map(|leaf| (species, leaf, kmers)));
                });
                if !is_known {
                    of_leaves.push((species, NO_LEAF, 0));
                }
            }
        }
        room.of_leaves.sort_unstable();
        room.of_leaves.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            is_same
        });
        room.strains.clear();
        for of_species in room.of_leaves.chunk_by(|one, next| one.0 == next.0) {
            let known = of_species.iter().filter(|(_, leaf, _)| *leaf != NO_LEAF);
            // The first of the greatest: the last by rising counts, from the back.
            let best = known.rev().max_by_key(|(_, _, kmers)| *kmers);
            let leaf = best.map_or(NO_LEAF, |(_, leaf, _)| *leaf);
            room.strains.push((of_species[0].0, leaf));
        }
    }

    /// k-mers of all taxa that have any.
    fn count_candidates(&self, rule: &Lmat, counts: &Counts, room: &mut Room) {
        let taxonomy = self.taxonomy;
        room.kmers.resize(taxonomy.len(), (0, 0));
        room.candidates.clear();
        for (&(set, kmers), number) in counts.sets.iter().zip(1..) {
            for &species in self.sets.species(set) {
                let at = (room.strains).binary_search_by_key(&species, |(species, _)| *species);
                let Ok(at) = at else {
                    continue;
                };
                let (_, strain) = room.strains[at];
                let mut has_strain = strain == NO_LEAF;
                let is_known = (self.sets).visit_leaves(set, species, |leaves| {
                    has_strain |= leaves.contains(&strain);
                });
                if is_known && !has_strain {
                    continue;
                }
                let node = match strain {
                    NO_LEAF => self.species[species as usize],
                    leaf => self.leaves[leaf as usize],
                };
                for node in taxonomy.path_to_root(node) {
                    let (of_node, last) = &mut room.kmers[node.0 as usize];
                    if *of_node > 0 && *last == number {
                        break;
                    }
                    if *of_node == 0 {
                        room.candidates.push(Candidate {
                            node,
                            depth: rule.depths[node.0 as usize],
                            kmers: 0,
                            score: 0.0,
                        });
                    }
                    *of_node = of_node.saturating_add(kmers);
                    *last = number;
                }
            }
        }
        for candidate in &mut room.candidates {
            candidate.kmers = std::mem::take(&mut room.kmers[candidate.node.0 as usize]).0;
        }
    }

    fn score(&self, rule: &Lmat, mates: &[Hits<'_>], valid: u32, room: &mut Room) {
        let (mut gc, mut bases) = (0, 0);
        for letter in mates.iter().flat_map(|mate| mate.letters) {
            let is_gc = matches!(letter, b'G' | b'C' | b'g' | b'c');
            gc += usize::from(is_gc);
            bases +=
                usize::from(is_gc || matches!(letter, b'A' | b'T' | b'U' | b'a' | b't' | b'u'));
        }
        let step = NullModel::step(gc, bases);
        let mut by_class = [0.0_f64; CLASSES.len() + 1];
        for candidate in &room.candidates {
            let node = candidate.node.0 as usize;
            let chance = rule.null.share(node, step, valid);
            let of_class = &mut by_class[usize::from(rule.classes[node])];
            *of_class = of_class.max(chance);
        }
        let mut most = 0.0_f64;
        for of_class in &mut by_class {
            most = most.max(*of_class);
            *of_class = most;
        }
        for candidate in &mut room.candidates {
            let share = f64::from(candidate.kmers) / f64::from(valid);
            let class = usize::from(rule.classes[candidate.node.0 as usize]);
            let by_chance = match candidate.node {
                Taxonomy::ROOT => 1.0,
                _ => by_class[class] + MORE,
            };
            candidate.score = (share / by_chance).ln();
        }
    }

    /// The call; candidates are in order.
    fn select(
        &self,
        rule: &Lmat,
        candidates: &[Candidate],
        best_up: &mut Vec<(Node, f64)>,
        valid: u32,
    ) -> Call {
        let taxonomy = self.taxonomy;
        let mut deepest = candidates[0];
        let mut together = 0;
        for candidate in candidates {
            if taxonomy.is_below(candidate.node, deepest.node) {
                deepest = *candidate;
            } else if !taxonomy.is_below(deepest.node, candidate.node) {
                break;
            }
            together += 1;
        }
        let (lineage, others) = candidates.split_at(together);
        let is_beside = |other: &&Candidate| !taxonomy.is_below(deepest.node, other.node);
        let mut competitors = others.iter().filter(is_beside).peekable();
        let runner_up = competitors.peek().map(|best| (best.node, best.score));
        let least = rule.deviations * deviation(candidates) + ROUNDING;
        best_up.clear();
        best_up.extend(
            lineage
                .iter()
                .map(|candidate| (candidate.node, candidate.score)),
        );
        // Of nodes on one path, the deeper one has the greater number.
        best_up.sort_unstable_by_key(|(node, _)| std::cmp::Reverse(*node));
        let mut best = f64::NEG_INFINITY;
        for (_, score) in best_up.iter_mut() {
            best = best.max(*score);
            *score = best;
        }
        // The deepest that is not marked: all below it on the lineage are.
        let mut unmarked = deepest.node;
        for competitor in competitors {
            // The first that is so much better, from the deepest up; those that the competitor is below do not matter.
            let first = best_up.partition_point(|(_, best)| best - competitor.score <= least);
            let better = best_up.get(first).map(|(node, _)| *node);
            let better = better.filter(|node| !taxonomy.is_below(competitor.node, *node));
            if let Some(better) = better {
                if taxonomy.is_below(unmarked, better) {
                    unmarked = better;
                }
                break;
            }
            while !taxonomy.is_below(competitor.node, unmarked) {
                unmarked = taxonomy.parent(unmarked).unwrap_or(Taxonomy::ROOT);
            }
        }
        // They are in order.
        let score = lineage[0].score;
        let support = candidates
            .iter()
            .find(|candidate| candidate.node == unmarked);
        let support = support.map_or(0, |candidate| candidate.kmers);
        if score < rule.least_score {
            return Call::none(Reason::TooFew, valid, support);
        }
        Call {
            node: Some(unmarked),
            score: match unmarked == deepest.node {
                true => deepest.score,
                false => score,
            },
            runner_up,
            valid,
            support,
            reason: if unmarked == deepest.node {
                Reason::Direct
            } else if unmarked == lineage[0].node {
                Reason::Partial
            } else {
                Reason::Shared
            },
        }
    }
}

/// The standard deviation of a sample: of the positive scores if there are more than 3, else of all.
fn deviation(candidates: &[Candidate]) -> f64 {
    let of = |is_taken: &dyn Fn(f64) -> bool| {
        let scores = || {
            candidates
                .iter()
                .map(|one| one.score)
                .filter(|score| is_taken(*score))
        };
        let number = scores().count();
        if number < 2 {
            return (number, 0.0);
        }
        let mean = scores().sum::<f64>() / number as f64;
        let squares: f64 = scores().map(|score| (score - mean).powi(2)).sum();
        (number, (squares / (number - 1) as f64).sqrt())
    };
    match of(&|score| score > 0.0) {
        (4.., deviation) => deviation,
        _ => of(&|_| true).1,
    }
}

impl Room {
    /// Node, score and k-mers of all that was weighed, of a read that was scored.
    pub(super) fn weighed(&self) -> impl Iterator<Item = (Node, f64, u32)> {
        let all = self.candidates.iter();
        all.map(|candidate| (candidate.node, candidate.score, candidate.kmers))
    }

    /// Bytes that it has.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        12 * self.of_leaves.capacity()
            + 8 * (self.strains.capacity() + self.kmers.capacity())
            + size_of::<Candidate>() * self.candidates.capacity()
            + size_of::<(Node, f64)>() * self.lineage.capacity()
    }
}
