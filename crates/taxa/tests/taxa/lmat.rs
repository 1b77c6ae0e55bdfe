//! The rule of LMAT, word by word.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use thalweg_taxa::classify::{Lmat, NullModel, Reason, Rule};
use thalweg_taxa::database::GC_BINS;
use thalweg_taxa::{Node, Taxonomy};

use crate::calls::{Found, Random, World, genomes, kmers_of, reads, reverse_complement, tree};

/// Distinct k-mers of each node and all below it, by G and C.
fn by_gc(world: &World) -> Vec<[u64; GC_BINS]> {
    let mut by_gc = vec![[0; GC_BINS]; world.taxonomy.len()];
    for (kmer, leaves) in &world.kmers {
        let gc = kmer.iter().filter(|letter| b"GC".contains(letter)).count();
        let leaves = leaves.iter().map(|leaf| world.leaves[*leaf as usize]);
        let nodes = leaves.flat_map(|leaf| world.taxonomy.path_to_root(leaf));
        for node in nodes.collect::<BTreeSet<_>>() {
            by_gc[node.0 as usize][gc] += 1;
        }
    }
    by_gc
}

/// The least m for which more than m k-mers have a probability of 1e-7 at most: clumps by Poisson's law, each by the
/// geometric one, put together one by one.
fn quantile(mean_clumps: f64, goes_on: f64, most: usize) -> usize {
    let size = |n: usize| (1.0 - goes_on) * goes_on.powi(n as i32 - 1);
    let mut all = vec![0.0; most + 1];
    // The law of so many clumps, and how probable that number is.
    let mut of_clumps = vec![0.0; most + 1];
    of_clumps[0] = 1.0;
    let mut probability = (-mean_clumps).exp();
    for number in 1..=most + 1 {
        for (sum, one) in all.iter_mut().zip(&of_clumps) {
            *sum += probability * one;
        }
        probability *= mean_clumps / number as f64;
        let mut next = vec![0.0; most + 1];
        for (before, one) in of_clumps.iter().enumerate() {
            for n in 1..=most - before {
                next[before + n] += one * size(n);
            }
        }
        of_clumps = next;
    }
    let mut sum = 0.0;
    for (kmers, one) in all.iter().enumerate() {
        sum += one;
        if 1.0 - sum <= 1e-7 {
            return kmers;
        }
    }
    most
}

/// What is by chance, as a share of the k-mers of a read.
fn chance(world: &World, by_gc: &[u64; GC_BINS], letters: &[&[u8]], valid: u32) -> f64 {
    let count = |of: &[u8]| {
        letters
            .concat()
            .iter()
            .filter(|letter| of.contains(letter))
            .count()
    };
    let (gc, at) = (count(b"GC"), count(b"AT"));
    let step = match gc + at {
        0 => 5,
        all => (10 * gc / all).min(9),
    };
    let gc = (step as f64 + 0.5) / 10.0;
    let mut hit = 0.0;
    for (n, kmers) in by_gc[..=world.k].iter().enumerate() {
        let one = (gc / 2.0).powi(n as i32) * ((1.0 - gc) / 2.0).powi((world.k - n) as i32);
        hit += *kmers as f64 * 2.0 * one;
    }
    let goes_on = (gc * gc + (1.0 - gc) * (1.0 - gc)) / 2.0;
    let clumps = f64::from(valid) * hit * (1.0 - goes_on);
    quantile(clumps, goes_on, 24) as f64 / f64::from(valid)
}

fn class(taxonomy: &Taxonomy, node: Node) -> usize {
    if taxonomy
        .species(node)
        .is_some_and(|species| species != node)
    {
        return 0;
    }
    let ranks = [
        "species",
        "genus",
        "family",
        "order",
        "class",
        "phylum",
        "kingdom",
        "superkingdom",
    ];
    let of = |node: Node| ranks.iter().position(|rank| *rank == taxonomy.rank(node));
    let above = taxonomy.path_to_root(node).find_map(of);
    above.map_or(9, |place| place + 1)
}

type Told = (Option<Node>, f64, u32, Reason);

fn lmat(world: &World, letters: &[&[u8]], deviations: f64, least_score: f64) -> Told {
    let taxonomy = &world.taxonomy;
    let (kmers, valid) = kmers_of(world, letters);
    if valid < 30 {
        return (None, 0.0, 0, Reason::TooShort);
    } else if kmers.is_empty() {
        return (None, 0.0, 0, Reason::NotFound);
    }
    // 2: the strain of each species that has the most k-mers, and the lineages of these alone.
    let mut of_strains = BTreeMap::<u32, BTreeMap<u32, u32>>::new();
    for (_, id) in &kmers {
        for (species, leaves) in &world.sets.leaves[*id as usize] {
            let of_species = of_strains.entry(*species).or_default();
            for leaf in leaves.iter().flatten() {
                *of_species.entry(*leaf).or_default() += 1;
            }
        }
    }
    let strains = of_strains.into_iter().map(|(species, leaves)| {
        let most = leaves.values().max();
        let first = leaves.iter().find(|(_, kmers)| Some(*kmers) == most);
        (species, first.map(|(leaf, _)| *leaf))
    });
    let strains = BTreeMap::from_iter(strains);
    let mut found = BTreeMap::<Node, u32>::new();
    for (_, id) in &kmers {
        let mut nodes = BTreeSet::new();
        for (species, leaves) in &world.sets.leaves[*id as usize] {
            let node = match (strains[species], leaves) {
                (None, _) => world.species[*species as usize],
                (Some(strain), Some(leaves)) if !leaves.contains(&strain) => continue,
                (Some(strain), _) => world.leaves[strain as usize],
            };
            nodes.extend(taxonomy.path_to_root(node));
        }
        for node in nodes {
            *found.entry(node).or_default() += 1;
        }
    }
    // 3 to 5.
    let by_gc = by_gc(world);
    let mut chances = [0.0_f64; 10];
    for node in found.keys() {
        let chance = chance(world, &by_gc[node.0 as usize], letters, valid);
        // Also of all ranks above.
        for above in &mut chances[class(taxonomy, *node)..] {
            *above = above.max(chance);
        }
    }
    let score = |node: Node| {
        let share = f64::from(found[&node]) / f64::from(valid);
        let chance = match node {
            Taxonomy::ROOT => 1.0,
            _ => chances[class(taxonomy, node)] + 0.0001,
        };
        (share / chance).ln()
    };
    let scores = BTreeMap::from_iter(found.keys().map(|node| (*node, score(*node))));
    // 6.
    let positive = scores.values().copied().filter(|score| *score > 0.0);
    let mut sample = Vec::from_iter(positive);
    if sample.len() <= 3 {
        sample = scores.values().copied().collect();
    }
    let mean = sample.iter().sum::<f64>() / sample.len() as f64;
    let squares = sample
        .iter()
        .map(|score| (score - mean).powi(2))
        .sum::<f64>();
    let deviation = match sample.len() {
        1 => 0.0,
        number => (squares / (number - 1) as f64).sqrt(),
    };
    // 8.
    let mut order = Vec::from_iter(scores.keys().copied());
    let rounded = |node: &Node| (1000.0 * scores[node]).round() as i64;
    order.sort_by_key(|node| (-rounded(node), usize::MAX - taxonomy.depth(*node), *node));
    let is_path = |nodes: &[Node]| {
        nodes.iter().all(|one| {
            (nodes.iter())
                .all(|other| taxonomy.is_below(*one, *other) || taxonomy.is_below(*other, *one))
        })
    };
    let together = (1..=order.len())
        .take_while(|number| is_path(&order[..*number]))
        .last();
    let lineage = &order[..together.unwrap()];
    let deepest = *lineage
        .iter()
        .max_by_key(|node| taxonomy.depth(**node))
        .unwrap();
    let path = Vec::from_iter(taxonomy.path_to_root(deepest));
    let in_lineage = |node: Node| match lineage.contains(&node) {
        true => scores[&node],
        false => -10_000.0,
    };
    let mut is_marked = vec![false; path.len()];
    let competitors = order.iter().filter(|node| !path.contains(node));
    'all: for competitor in competitors {
        for (place, node) in path.iter().enumerate() {
            if taxonomy.is_below(*competitor, *node) {
                break;
            }
            // Four scores of which one differs are two deviations apart exactly: rounding does not decide.
            if in_lineage(*node) - scores[competitor] > deviations * deviation + 1e-9 {
                break 'all;
            }
            is_marked[place] = true;
        }
    }
    let call = path[is_marked.iter().position(|marked| !marked).unwrap()];
    let top = scores[&lineage[0]];
    if top < least_score {
        return (None, 0.0, found[&call], Reason::TooFew);
    }
    let (score, reason) = if call == deepest {
        (scores[&call], Reason::Direct)
    } else if call == lineage[0] {
        (top, Reason::Partial)
    } else {
        (top, Reason::Shared)
    };
    (Some(call), score, found[&call], reason)
}

/// How often which reason came about.
fn check(
    seed: u64,
    k: usize,
    most_strains: usize,
) -> Result<BTreeMap<&'static str, u32>, TestCaseError> {
    let mut random = Random(seed);
    let (taxonomy, leaves) = tree();
    let genomes = genomes(&mut random, &taxonomy, &leaves, 400);
    let reads = reads(&mut random, &genomes, 40);
    let world = World::new(k, taxonomy, &genomes, most_strains);
    let deviations = [0.0, 0.5, 1.0, 2.0][random.below(4)];
    let least_score = [-5.0, 0.0, 1.0, 4.0][random.below(4)];
    let rule = Lmat::new(&world.taxonomy, NullModel::new(by_gc(&world), k));
    let rule = rule
        .with_deviations(deviations)
        .with_least_score(least_score);
    let classifier = world.classifier(Rule::Lmat(rule));
    let mut workspace = classifier.workspace();
    let mut reasons = BTreeMap::new();
    for [first, second] in &reads {
        let letters = [first.as_slice(), second];
        let found = world.look_up(letters);
        let turned = [second, first].map(|mate| reverse_complement(mate));
        let turned = world.look_up(turned.each_ref().map(Vec::as_slice));
        for number in [1, 2] {
            let hits = found.each_ref().map(Found::hits);
            let call = classifier.call(&mut workspace, &hits[..number]);
            let (node, score, support, reason) =
                lmat(&world, &letters[..number], deviations, least_score);
            prop_assert_eq!(
                (call.node, call.reason, call.support),
                (node, reason, support)
            );
            prop_assert!((call.score - score).abs() < 1e-9, "{:?} {}", call, score);
            *reasons.entry(call.reason.word()).or_default() += 1;
            if number == 2 {
                let turned = turned.each_ref().map(Found::hits);
                prop_assert_eq!(call, classifier.call(&mut workspace, &turned));
            }
        }
    }
    Ok(reasons)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn calls_agree_with_the_words(seed in any::<u64>(), k in 16..=31_usize, most_strains in 1..5_usize) {
        check(seed, k, most_strains)?;
    }
}

#[test]
fn scores_that_are_as_far_apart_as_asked_are_near() {
    // A read of these has four scores, three of them equal, and two deviations are asked for.
    check(7134185445860521413, 28, 3).unwrap();
}

#[test]
fn all_reasons_come_about() {
    let mut all = BTreeMap::<_, u32>::new();
    for seed in 0..8 {
        for (reason, number) in check(seed, 20, 16).unwrap() {
            *all.entry(reason).or_default() += number;
        }
    }
    for reason in ["direct", "shared", "partial", "few", "none", "short"] {
        assert!(all.contains_key(reason), "{reason}: {all:?}");
    }
}
