//! Numbers of sets as the database has them: the more k-mers, the lower; and which sets do not tell strains, so that
//! the numbers fit.
//!
//! ```text
//! all sets ─► are there more than records have room for? ─► of those with fewer than r k-mers, only the species
//!          ─► by falling number of k-mers, then by their bytes: 1, 2, 3 …
//! ```
//! r is the least that does. Nothing of this depends on which thread has found a set first.

use std::{
    cmp::Reverse,
    collections::{HashMap, hash_map},
};

use super::sets::Shard;
use crate::set::LeafSet;

/// Sets in the order of their numbers, of which the first is 1.
#[derive(Debug)]
pub(super) struct Renumbered {
    pub(super) sets: Vec<LeafSet>,
    /// Canonical k-mers of each.
    pub(super) kmers: Vec<u64>,
    /// By shard and number in it.
    pub(super) numbers: Vec<Vec<u32>>,
    pub(super) folded: Folded,
}

/// What was left out so that the numbers of sets fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Of sets with fewer k-mers, only the species are told; 0 if all is told.
    pub least_kmers: u64,
    /// Sets of which that is so, and that had told more.
    pub sets: u64,
    /// Their k-mers.
    pub kmers: u64,
}

/// Numbers the sets, at most `most` of them; `None` if these do not do even where only species are told.
pub(super) fn renumber(shards: &[Shard], most: u64) -> Option<Renumbered> {
    let all = || shards.iter().flat_map(Shard::sets);
    let least_kmers = least_kmers(all().collect(), most)?;
    let mut folded = Folded {
        least_kmers,
        ..Folded::default()
    };
    let mut merged: HashMap<LeafSet, u64> = HashMap::new();
    for (bytes, kmers) in all() {
        let set = told(bytes);
        if kmers < least_kmers && !set.is_folded() {
            folded.sets += 1;
            folded.kmers += kmers;
        }
        *merged.entry(kept(set, kmers, least_kmers)).or_default() += kmers;
    }
    let mut sets = Vec::from_iter(merged);
    sets.sort_unstable_by(|(one, of_one), (other, of_other)| {
        (Reverse(of_one), one.to_bytes()).cmp(&(Reverse(of_other), other.to_bytes()))
    });
    let number_of = (sets.iter().zip(1..)).map(|((set, _), number)| (set.to_bytes(), number));
    let number_of: HashMap<&[u8], u32> = number_of.collect();
    let numbers_in = |shard: &Shard| {
        let sets = shard.sets();
        let sets = sets.map(|(bytes, kmers)| kept(told(bytes), kmers, least_kmers));
        sets.map(|set| number_of[set.to_bytes()]).collect()
    };
    let numbers = shards.iter().map(numbers_in).collect();
    drop(number_of);
    let (sets, kmers) = sets.into_iter().unzip();
    Some(Renumbered {
        sets,
        kmers,
        numbers,
        folded,
    })
}

fn told(bytes: &[u8]) -> LeafSet {
    LeafSet::from_bytes(bytes).expect("these are bytes of a set")
}

/// The set as it is stored.
fn kept(set: LeafSet, kmers: u64, least_kmers: u64) -> LeafSet {
    match kmers < least_kmers {
        true => set.folded(),
        false => set,
    }
}

/// The least number of k-mers that a set must have to tell more than species, so that there are at most `most` different ones.
fn least_kmers(mut sets: Vec<(&[u8], u64)>, most: u64) -> Option<u64> {
    if sets.len() as u64 <= most {
        return Some(0);
    }
    sets.sort_unstable_by_key(|&(bytes, kmers)| (kmers, bytes));
    // How many of the sets become this one.
    let mut different: HashMap<Box<[u8]>, u32> =
        (sets.iter()).map(|&(bytes, _)| (bytes.into(), 1)).collect();
    for of_equal_size in sets.chunk_by(|one, next| one.1 == next.1) {
        for (bytes, _) in of_equal_size {
            let folded = told(bytes).folded();
            if let hash_map::Entry::Occupied(mut own) = different.entry((*bytes).into()) {
                *own.get_mut() -= 1;
                if *own.get() == 0 {
                    own.remove();
                }
            }
            *different.entry(folded.to_bytes().into()).or_default() += 1;
        }
        if different.len() as u64 <= most {
            return Some(of_equal_size[0].1 + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::sets::{self, Sets};
    use crate::set::Species;
    use crate::taxonomy::{Taxid, TaxonomyBuilder};
    use std::collections::BTreeSet;

    /// Three species of eight strains each.
    fn species() -> Species {
        let mut builder = TaxonomyBuilder::new();
        builder.add_node(Taxid(1), None, "no rank").unwrap();
        for species in [10, 20, 30] {
            let root = Some(Taxid(1));
            builder.add_node(Taxid(species), root, "species").unwrap();
            for strain in 10 * species..10 * species + 8 {
                let species = Some(Taxid(species));
                builder.add_node(Taxid(strain), species, "strain").unwrap();
            }
        }
        let taxonomy = builder.finish().unwrap();
        let strains = taxonomy.nodes().filter(|&node| taxonomy.is_leaf(node));
        Species::new(&taxonomy, Vec::from_iter(strains))
    }

    /// Sets of up to five of the leaves, most of few k-mers, in an order of their own.
    fn some_sets(species: &Species, seed: u64) -> Vec<(LeafSet, u64)> {
        let mut state = seed;
        let mut below = |bound: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            (state >> 33) % bound
        };
        let mut sets = HashMap::new();
        for _ in 0..300 {
            let leaves = Vec::from_iter((0..=below(5)).map(|_| below(24) as u32));
            let set = LeafSet::of_leaves(&leaves, species, 3);
            sets.insert(set, 1 + below(4) * below(30));
        }
        Vec::from_iter(sets)
    }

    #[test]
    fn the_least_is_dropped_that_makes_numbers_fit() {
        let species = species();
        for seed in 0..5 {
            let sets = some_sets(&species, seed);
            let different = |least: u64| {
                let kept = sets
                    .iter()
                    .map(|(set, kmers)| kept(set.clone(), *kmers, least));
                kept.collect::<BTreeSet<_>>().len() as u64
            };
            for most in [0, 6, 7, 8, 20, 50, 100, 150, 200, 1000] {
                let expected = (0..=100).find(|&least| different(least) <= most);
                let all = Sets::new(1 << 20);
                let number = |(set, kmers): &(LeafSet, u64)| all.add(set.to_bytes(), *kmers);
                let numbers = Vec::from_iter(sets.iter().map(|set| number(set).unwrap()));
                let renumbered = renumber(&all.into_shards(), most);
                assert_eq!(renumbered.is_some(), expected.is_some(), "{most}");
                let (Some(renumbered), Some(expected)) = (renumbered, expected) else {
                    continue;
                };
                assert_eq!(renumbered.folded.least_kmers, expected, "{most}");
                let mut kmers_of_sets = vec![0; renumbered.sets.len()];
                let mut folded = Folded {
                    least_kmers: expected,
                    ..Folded::default()
                };
                for ((set, kmers), number) in sets.iter().zip(numbers) {
                    let (shard, number) = sets::split(number);
                    let number = renumbered.numbers[shard][number] as usize - 1;
                    let kept = kept(set.clone(), *kmers, expected);
                    assert_eq!(renumbered.sets[number], kept);
                    kmers_of_sets[number] += kmers;
                    if kept != *set {
                        folded.sets += 1;
                        folded.kmers += kmers;
                    }
                }
                assert_eq!(renumbered.folded, folded);
                assert_eq!(renumbered.kmers, kmers_of_sets);
                let order =
                    |number: usize| (Reverse(kmers_of_sets[number]), &renumbered.sets[number]);
                assert!((1..kmers_of_sets.len()).all(|number| order(number - 1) < order(number)));
            }
        }
    }
}
