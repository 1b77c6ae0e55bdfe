//! Calls against plain definitions: k-mers as text, sets as sets, sums over all taxa.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proptest::prelude::*;
use thalweg_superkmers::Kernel;
use thalweg_taxa::classify::{
    Call, Classifier, Hits, Lca, Posterior, Reason, Rule, Run, Sets, Stored,
};
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::lookup::TaxonLookup;
use thalweg_taxa::taxonomy::{Node, Taxid, Taxonomy, TaxonomyBuilder};

use crate::database;

/// Genomes of a tree, with all their k-mers.
pub(crate) struct World {
    pub(crate) k: usize,
    pub(crate) taxonomy: Taxonomy,
    pub(crate) leaves: Vec<Node>,
    pub(crate) species: Vec<Node>,
    /// Leaves of each k-mer, which is the lesser of both strands.
    pub(crate) kmers: BTreeMap<Vec<u8>, BTreeSet<u32>>,
    /// Sets are folded, as in databases, if they have more leaves of a species.
    most_strains: usize,
    ids: BTreeMap<Vec<u8>, u32>,
    pub(crate) sets: PlainSets,
}

/// Leaves by species, by set; `None` where only the species is known.
#[derive(Default)]
pub(crate) struct PlainSets {
    species: Vec<Vec<u32>>,
    pub(crate) leaves: Vec<BTreeMap<u32, Option<Vec<u32>>>>,
}

impl Sets for PlainSets {
    fn number(&self) -> usize {
        self.species.len()
    }

    fn species(&self, set: u32) -> &[u32] {
        &self.species[set as usize]
    }

    fn visit_leaves(&self, set: u32, species: u32, mut each: impl FnMut(Range<u32>)) -> bool {
        let leaves = &self.leaves[set as usize][&species];
        for &leaf in leaves.iter().flatten() {
            each(leaf..leaf + 1);
        }
        leaves.is_some()
    }
}

/// The lesser of both strands, in capitals; `None` with another letter.
fn canonical(kmer: &[u8]) -> Option<Vec<u8>> {
    let kmer = kmer.to_ascii_uppercase();
    let other: Option<Vec<u8>> = (kmer.iter().rev())
        .map(|letter| match letter {
            b'A' => Some(b'T'),
            b'C' => Some(b'G'),
            b'G' => Some(b'C'),
            b'T' => Some(b'A'),
            _ => None,
        })
        .collect();
    Some(other?.min(kmer))
}

impl World {
    pub(crate) fn new(
        k: usize,
        taxonomy: Taxonomy,
        genomes: &[(Node, Vec<u8>)],
        most_strains: usize,
    ) -> Self {
        let leaves: BTreeSet<Node> = genomes.iter().map(|(node, _)| *node).collect();
        let leaves: Vec<Node> = leaves.into_iter().collect();
        let of_leaf = |leaf: &Node| taxonomy.species(*leaf).unwrap_or(*leaf);
        let species: BTreeSet<Node> = leaves.iter().map(of_leaf).collect();
        let species: Vec<Node> = species.into_iter().collect();
        let mut kmers = BTreeMap::<_, BTreeSet<u32>>::new();
        for (node, letters) in genomes {
            let leaf = leaves.binary_search(node).unwrap() as u32;
            for kmer in letters.windows(k).filter_map(canonical) {
                kmers.entry(kmer).or_default().insert(leaf);
            }
        }
        let mut world = Self {
            k,
            taxonomy,
            leaves,
            species,
            kmers,
            most_strains,
            ids: BTreeMap::new(),
            sets: PlainSets::default(),
        };
        world.number_sets();
        world
    }

    fn number_sets(&mut self) {
        // No set.
        self.sets.species.push(Vec::new());
        self.sets.leaves.push(BTreeMap::new());
        let mut numbers = BTreeMap::new();
        for (kmer, leaves) in &self.kmers {
            let by_species = self.by_species(leaves);
            let next = self.sets.species.len() as u32;
            let id = *numbers.entry(by_species.clone()).or_insert(next);
            if id == next {
                self.sets.species.push(by_species.keys().copied().collect());
                self.sets.leaves.push(by_species);
            }
            self.ids.insert(kmer.clone(), id);
        }
    }

    fn by_species(&self, leaves: &BTreeSet<u32>) -> BTreeMap<u32, Option<Vec<u32>>> {
        let mut by_species = BTreeMap::<u32, Vec<u32>>::new();
        for &leaf in leaves {
            by_species
                .entry(self.species_of(leaf))
                .or_default()
                .push(leaf);
        }
        let fold = |leaves: Vec<u32>| (leaves.len() <= self.most_strains).then_some(leaves);
        (by_species.into_iter())
            .map(|(species, leaves)| (species, fold(leaves)))
            .collect()
    }

    /// The number of a leaf's species.
    fn species_of(&self, leaf: u32) -> u32 {
        let node = self.leaves[leaf as usize];
        let node = self.taxonomy.species(node).unwrap_or(node);
        self.species.binary_search(&node).unwrap() as u32
    }

    pub(crate) fn classifier(&self, rule: Rule) -> Classifier<'_, PlainSets> {
        Classifier::new(
            &self.taxonomy,
            self.k,
            &self.species,
            &self.leaves,
            &self.sets,
            rule,
        )
    }

    /// What a look-up finds of the mates of a read.
    pub(crate) fn look_up<const N: usize>(&self, mates: [&[u8]; N]) -> [Found; N] {
        let mut seen = BTreeSet::new();
        mates.map(|letters| Found {
            letters: letters.to_vec(),
            runs: self.runs(letters, &mut seen),
        })
    }

    fn runs(&self, letters: &[u8], seen: &mut BTreeSet<Vec<u8>>) -> Vec<Run> {
        let mut runs = Vec::<Run>::new();
        for (start, kmer) in letters.windows(self.k).enumerate() {
            let Some(kmer) = canonical(kmer) else {
                continue;
            };
            let set = self.ids.get(&kmer).copied().unwrap_or(0);
            let distinct = u32::from(seen.insert(kmer));
            match runs.last_mut() {
                Some(last) if last.set == set && last.start + last.kmers as usize == start => {
                    last.kmers += 1;
                    last.distinct += distinct;
                }
                _ => runs.push(Run {
                    start,
                    kmers: 1,
                    distinct,
                    set,
                }),
            }
        }
        runs
    }
}

pub(crate) struct Found {
    letters: Vec<u8>,
    pub(crate) runs: Vec<Run>,
}

impl Found {
    pub(crate) fn hits(&self) -> Hits<'_> {
        Hits {
            letters: &self.letters,
            runs: &self.runs,
        }
    }
}

/// Distinct k-mers of a read that are in the database, and how many k-mers it has.
pub(crate) fn kmers_of<'a>(world: &'a World, mates: &[&[u8]]) -> (Vec<(&'a [u8], u32)>, u32) {
    let mut distinct = BTreeMap::new();
    let mut valid = 0;
    for kmer in mates.iter().flat_map(|mate| mate.windows(world.k)) {
        let Some(kmer) = canonical(kmer) else {
            continue;
        };
        valid += 1;
        if let Some((kmer, &id)) = world.ids.get_key_value(&kmer) {
            distinct.insert(kmer.as_slice(), id);
        }
    }
    (distinct.into_iter().collect(), valid)
}

/// Of weights by node: the deepest that has 0.8 of all at and below it, with its share.
fn deepest(taxonomy: &Taxonomy, weights: &BTreeMap<Node, f64>) -> (Node, f64) {
    let total: f64 = weights.values().sum();
    let share = |node: Node| {
        let below = weights
            .iter()
            .filter(|(below, _)| taxonomy.is_below(**below, node));
        below.map(|(_, weight)| weight).sum::<f64>() / total
    };
    let enough = taxonomy.nodes().filter(|&node| share(node) >= 0.8);
    let node = enough.max_by_key(|&node| taxonomy.depth(node)).unwrap();
    (node, share(node))
}

/// The posterior rule: node, score, support, reason.
fn posterior(world: &World, mates: &[&[u8]]) -> (Option<Node>, f64, u32, Reason) {
    let World { taxonomy, k, .. } = world;
    let (kmers, valid) = kmers_of(world, mates);
    let mut counts = BTreeMap::<u32, u32>::new();
    for (_, id) in &kmers {
        for &species in &world.sets.species[*id as usize] {
            *counts.entry(species).or_default() += 1;
        }
    }
    let most = counts.values().copied().max().unwrap_or(0);
    let none = |reason| (None, 0.0, most, reason);
    if valid == 0 {
        return none(Reason::TooShort);
    } else if most == 0 {
        return none(Reason::NotFound);
    } else if ((most + *k as u32 - 1) as f64) < 35_f64.max((f64::from(valid) / 30.0).ceil() + 30.0)
    {
        return none(Reason::TooFew);
    }
    let beta = 12.0 / *k as f64;
    let weigh = |most: u32, count: u32| (-beta * f64::from(most - count)).exp();
    let weights: BTreeMap<Node, f64> = (counts.iter())
        .map(|(species, count)| (world.species[*species as usize], weigh(most, *count)))
        .collect();
    let (mut node, mut score) = deepest(taxonomy, &weights);
    let is_numbered = world.species.contains(&node);
    let is_species = taxonomy.species(node).is_some() || is_numbered && taxonomy.is_leaf(node);
    if is_species && (f64::from(most) / f64::from(valid)).powf(1.0 / *k as f64) < 0.91 {
        node = taxonomy.parent(node).unwrap_or(node);
        while taxonomy.species(node).is_some() {
            node = taxonomy.parent(node).unwrap();
        }
        let total: f64 = weights.values().sum();
        let below = weights
            .iter()
            .filter(|(below, _)| taxonomy.is_below(**below, node));
        let share = below.map(|(_, weight)| weight).sum::<f64>() / total;
        return (Some(node), share, most, Reason::Distant);
    }
    if !is_numbered {
        return (Some(node), score, most, Reason::Shared);
    }
    // Strains: each leaf of the species with the k-mers that may be of it.
    let species = world.species.binary_search(&node).unwrap() as u32;
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    let of_species =
        (0..world.leaves.len() as u32).filter(|&leaf| world.species_of(leaf) == species);
    for leaf in of_species {
        let may_be = |id: &u32| match world.sets.leaves[*id as usize].get(&species) {
            Some(Some(leaves)) => leaves.contains(&leaf),
            Some(None) => true,
            None => false,
        };
        let count = kmers.iter().filter(|(_, id)| may_be(id)).count();
        if count > 0 {
            counts.insert(leaf, count as u32);
        }
    }
    let most_of_leaf = counts.values().copied().max().unwrap();
    let weights = (counts.iter())
        .map(|(leaf, count)| (world.leaves[*leaf as usize], weigh(most_of_leaf, *count)))
        .collect();
    let (strain, share) = deepest(taxonomy, &weights);
    if taxonomy.is_below(strain, node) {
        node = strain;
        score *= share;
    }
    (Some(node), score, most, Reason::Direct)
}

/// kraken2's `ResolveTree`, as it walks: node, hits at and below it, and all k-mers.
fn resolve_tree(world: &World, mates: &[&[u8]], confidence: f64) -> (Option<Node>, u32, u32) {
    let taxonomy = &world.taxonomy;
    let mut hits = BTreeMap::<Node, u32>::new();
    let mut valid = 0;
    for kmer in mates.iter().flat_map(|mate| mate.windows(world.k)) {
        let Some(kmer) = canonical(kmer) else {
            continue;
        };
        valid += 1;
        if let Some(&id) = world.ids.get(&kmer) {
            *hits.entry(lca_of(world, id)).or_default() += 1;
        }
    }
    let mut best: Option<Node> = None;
    let mut most = 0;
    for &taxon in hits.keys() {
        let above = hits
            .iter()
            .filter(|(above, _)| taxonomy.is_below(taxon, **above));
        let score: u32 = above.map(|(_, hits)| hits).sum();
        if score > most {
            most = score;
            best = Some(taxon);
        } else if score == most {
            best = best.map(|best| taxonomy.lca(best, taxon));
        }
    }
    let below = |node: Node| {
        let below = hits
            .iter()
            .filter(|(below, _)| taxonomy.is_below(**below, node));
        below.map(|(_, hits)| hits).sum::<u32>()
    };
    let needed = (confidence * f64::from(valid)).ceil() as u32;
    let mut call = best;
    while let Some(node) = call
        && below(node) < needed
    {
        call = taxonomy.parent(node);
    }
    (call, call.map_or(0, below), valid)
}

/// The lowest above the leaves that are known, and the species of others.
fn lca_of(world: &World, id: u32) -> Node {
    let by_species = &world.sets.leaves[id as usize];
    let mut all = Vec::new();
    for (&species, leaves) in by_species {
        match leaves {
            Some(leaves) if by_species.len() == 1 => {
                all.extend(leaves.iter().map(|&leaf| world.leaves[leaf as usize]));
            }
            _ => all.push(world.species[species as usize]),
        }
    }
    let lca = all
        .into_iter()
        .reduce(|one, other| world.taxonomy.lca(one, other));
    lca.unwrap()
}

pub(crate) fn reverse_complement(letters: &[u8]) -> Vec<u8> {
    let partner = |letter: &u8| match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => *other,
    };
    letters.iter().rev().map(partner).collect()
}

/// Six species of two genera, one of them of one genome, one of four, and genomes at a genus and at no rank.
pub(crate) fn tree() -> (Taxonomy, Vec<Node>) {
    let rows = [
        (1, 1, "no rank"),
        (2, 1, "superkingdom"),
        (10, 2, "genus"),
        (11, 10, "species"),
        (12, 10, "species"),
        (13, 10, "species"),
        (20, 2, "genus"),
        (21, 20, "species"),
        (22, 20, "species"),
        (30, 1, "no rank"),
        (111, 11, "strain"),
        (112, 11, "strain"),
        (113, 11, "no rank"),
        (114, 113, "strain"),
        (115, 113, "strain"),
        (121, 12, "strain"),
        (122, 12, "strain"),
        (211, 21, "strain"),
    ];
    let mut builder = TaxonomyBuilder::new();
    for (taxid, parent, rank) in rows {
        let parent = (parent != taxid).then_some(Taxid(parent));
        builder.add_node(Taxid(taxid), parent, rank).unwrap();
        // MultiQC looks for this one.
        let name = match taxid {
            1 => "root".to_owned(),
            _ => format!("taxon {taxid}"),
        };
        builder.add_name(Taxid(taxid), &name).unwrap();
    }
    let taxonomy = builder.finish().unwrap();
    let leaves = [111, 112, 114, 115, 121, 122, 13, 211, 22, 20, 30];
    let leaves = leaves.map(|taxid| taxonomy.node(Taxid(taxid)).unwrap());
    (taxonomy, leaves.to_vec())
}

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    pub(crate) fn letters(&mut self, number: usize) -> Vec<u8> {
        (0..number).map(|_| b"ACGT"[self.below(4)]).collect()
    }

    /// The letters with one of so many changed.
    pub(crate) fn changed(&mut self, letters: &[u8], one_of: usize) -> Vec<u8> {
        let mut letters = letters.to_vec();
        for letter in &mut letters {
            if self.below(one_of) == 0 {
                *letter = b"ACGT"[self.below(4)];
            }
        }
        letters
    }
}

/// Genomes as they come about: copies of their parents with changes, fewer the deeper.
pub(crate) fn genomes(
    random: &mut Random,
    taxonomy: &Taxonomy,
    leaves: &[Node],
    length: usize,
) -> Vec<(Node, Vec<u8>)> {
    let mut of_node = BTreeMap::<Node, Vec<u8>>::new();
    for node in taxonomy.nodes() {
        let letters = match taxonomy.parent(node) {
            Some(parent) => {
                let one_of = [8, 12, 20, 60, 150, 150][taxonomy.depth(node).min(5)];
                random.changed(&of_node[&parent], one_of)
            }
            None => random.letters(length),
        };
        of_node.insert(node, letters);
    }
    let genome = |leaf: &Node| (*leaf, of_node[leaf].clone());
    leaves.iter().map(genome).collect()
}

/// Parts of genomes, on either strand, whole and changed; overlapping mates; repeats, others, and short ones.
pub(crate) fn reads(
    random: &mut Random,
    genomes: &[(Node, Vec<u8>)],
    number: usize,
) -> Vec<[Vec<u8>; 2]> {
    let part = |random: &mut Random, genome: &[u8], length: usize| {
        let length = length.min(genome.len());
        let start = random.below(genome.len() - length + 1);
        genome[start..start + length].to_vec()
    };
    let mut reads = Vec::new();
    for _ in 0..number {
        let genome = &genomes[random.below(genomes.len())].1;
        let length = 20 + random.below(130);
        let mut mates = match random.below(8) {
            // Mates that overlap, or are the same.
            0 => {
                let first = part(random, genome, length);
                [first.clone(), reverse_complement(&first)]
            }
            // A repeat.
            1 => {
                let period = 1 + random.below(5).pow(2);
                let unit = random.letters(period);
                let repeat: Vec<u8> = unit.iter().copied().cycle().take(length).collect();
                [part(random, genome, length), repeat]
            }
            // Its own reverse complement.
            2 => {
                let half = part(random, genome, length / 2);
                let turned = reverse_complement(&half);
                [[half, turned].concat(), part(random, genome, length)]
            }
            3 => [random.letters(length), random.letters(30)],
            _ => [part(random, genome, length), part(random, genome, length)],
        };
        let one_of = [10, 30, 100, 1000][random.below(4)];
        for mate in &mut mates {
            *mate = random.changed(mate, one_of);
            if random.below(4) == 0 {
                *mate = reverse_complement(mate);
            }
            if random.below(6) == 0 && !mate.is_empty() {
                let at = random.below(mate.len());
                mate[at] = b'N';
            }
        }
        reads.push(mates);
    }
    reads
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn calls_agree_with_the_definition(seed in any::<u64>(), k in 16..=31_usize, most_strains in 1..5_usize) {
        let mut random = Random(seed);
        let (taxonomy, leaves) = tree();
        let genomes = genomes(&mut random, &taxonomy, &leaves, 400);
        let reads = reads(&mut random, &genomes, 40);
        let world = World::new(k, taxonomy, &genomes, most_strains);
        let confidence = [0.0, 0.05, 0.3, 0.7, 1.0][random.below(5)];
        let by_posterior = world.classifier(Rule::Posterior(Posterior::new(k)));
        let by_lca = world.classifier(Rule::Lca(Lca::with_confidence(confidence).unwrap()));
        let [mut one, mut other] = [&by_posterior, &by_lca].map(Classifier::workspace);
        for [first, second] in &reads {
            let letters = [first.as_slice(), second];
            // Of a read alone the first mate is what it is of both.
            let found = world.look_up(letters);
            let turned = [second, first].map(|mate| reverse_complement(mate));
            let turned = world.look_up(turned.each_ref().map(Vec::as_slice));
            for number in [1, 2] {
                let hits = found.each_ref().map(Found::hits);
                let hits = &hits[..number];
                let call = by_posterior.call(&mut one, hits);
                let (node, score, support, reason) = posterior(&world, &letters[..number]);
                prop_assert_eq!((call.node, call.support, call.reason), (node, support, reason));
                prop_assert!((call.score - score).abs() < 1e-9, "{:?}, {}", call, score);
                prop_assert!(call.runner_up.is_none_or(|(other, score)| is_beside(&world, &call, other) && score <= 0.2 + 1e-9));

                let by_walk = resolve_tree(&world, &letters[..number], confidence);
                let walked = by_lca.call(&mut other, hits);
                prop_assert_eq!((walked.node, walked.valid), (by_walk.0, by_walk.2));
                prop_assert_eq!(walked.valid, call.valid);
                if walked.node.is_some() {
                    prop_assert_eq!(walked.support, by_walk.1);
                }
                let is_sound = walked.runner_up.is_none_or(|(other, score)| {
                    let (taxonomy, node) = (&world.taxonomy, walked.node.unwrap());
                    let is_beside = !taxonomy.is_below(other, node) && !taxonomy.is_below(node, other);
                    is_beside && score <= 1.0 - walked.score + 1e-9
                });
                prop_assert!(is_sound);
                if number == 2 {
                    let turned = turned.each_ref().map(Found::hits);
                    prop_assert_eq!(call, by_posterior.call(&mut one, &turned));
                    prop_assert_eq!(walked, by_lca.call(&mut other, &turned));
                }
            }
            for run in found[0].runs.iter().filter(|run| run.set != 0) {
                // Whether it was asked for before or not.
                prop_assert_eq!(by_lca.node_of_set(&mut other, run.set), lca_of(&world, run.set));
                prop_assert_eq!(by_posterior.node_of_set(&mut one, run.set), lca_of(&world, run.set));
            }
        }
    }
}

fn is_beside(world: &World, call: &Call, other: Node) -> bool {
    let taxonomy = &world.taxonomy;
    let of_species = |node: Node| taxonomy.species(node).unwrap_or(node);
    let node = of_species(call.node.unwrap());
    !taxonomy.is_below(other, node)
}

/// Each reason comes about, and what is called is what was meant.
#[test]
fn calls_are_at_the_rank_that_is_supported() {
    let mut random = Random(7);
    let (taxonomy, leaves) = tree();
    let mut genomes = genomes(&mut random, &taxonomy, &leaves, 3000);
    // What both genera have, and what all strains of a species have.
    let shared = random.letters(200);
    let of_species = random.letters(200);
    for (node, letters) in &mut genomes {
        if [111, 22].contains(&taxonomy.taxid(*node).0) {
            letters.extend(&shared);
        }
        if taxonomy.is_below(*node, taxonomy.node(Taxid(11)).unwrap()) {
            letters.extend(&of_species);
        }
    }
    let of = |taxid: u32| {
        let found = genomes
            .iter()
            .find(|(node, _)| taxonomy.taxid(*node) == Taxid(taxid));
        found.unwrap().1.clone()
    };
    let at = |letters: &[u8]| letters[500..650].to_vec();
    let mut distant = random.letters(150);
    distant[..36].copy_from_slice(&at(&of(22))[..36]);
    distant[35] = if distant[35] == b'A' { b'C' } else { b'A' };
    let cases = [
        (at(&of(211)), Some(211), Reason::Direct),
        (of_species[20..170].to_vec(), Some(11), Reason::Direct),
        (shared[20..170].to_vec(), Some(2), Reason::Shared),
        (distant, None, Reason::Distant),
        (random.letters(150), None, Reason::NotFound),
        (at(&of(22))[..34].to_vec(), None, Reason::TooFew),
        (at(&of(22))[..30].to_vec(), None, Reason::TooShort),
        (Vec::new(), None, Reason::TooShort),
    ];
    let world = World::new(31, taxonomy, &genomes, 16);
    let classifier = world.classifier(Rule::Posterior(Posterior::new(31)));
    let mut workspace = classifier.workspace();
    for (i, (read, taxid, reason)) in cases.iter().enumerate() {
        let [found] = world.look_up([read]);
        let call = classifier.call(&mut workspace, &[found.hits()]);
        let called = call.node.map(|node| world.taxonomy.taxid(node).0);
        assert_eq!(call.reason, *reason, "{i}: {call:?}");
        if taxid.is_some() || call.reason != Reason::Distant {
            assert_eq!(called, *taxid, "{i}: {call:?}");
        }
        // Nothing is a species at less identity.
        if call.reason == Reason::Distant {
            assert!(world.taxonomy.species(call.node.unwrap()).is_none());
            assert!(call.identity(31) < 0.91);
        }
    }
}

/// A whole way: a file, look-ups, calls; reads with what another oracle has for them.
#[test]
fn calls_by_a_database_are_those_by_its_sets() {
    for (k, m, most_strains) in [(31, 15, 16), (24, 15, 2), (16, 11, 1)] {
        let made = database::Made::new(k as u64, k, m, 600, true, most_strains);
        let mut random = database::Random(k as u64);
        let letters = database::genomes(&mut random, 600);
        let mut reads = database::reads(&mut random, &letters);
        // Short repeats, in which k-mers have their minimizer twice, and longer ones, in which super-k-mers come again.
        for period in [1, 2, 3, 7, 12, 19, 25, 40, 90] {
            let unit = random.letters(period);
            reads.push(unit.iter().copied().cycle().take(250).collect());
        }
        let folder = tempfile::tempdir().unwrap();
        let database = TaxonDatabase::open(&made.file(folder.path())).unwrap();
        let (taxonomy, species) = (database.taxonomy(), database.species());
        let genomes: Vec<_> = (species.leaf_nodes().iter().copied())
            .zip(letters)
            .collect();
        let world = World::new(k, taxonomy.clone(), &genomes, most_strains);
        assert_eq!(world.species, species.nodes());

        let stored = Stored {
            sets: database.sets(),
            species,
        };
        let (nodes, leaves) = (species.nodes(), species.leaf_nodes());
        let mut lookup = TaxonLookup::new(&database, Kernel::best());
        // The last one is not short.
        let turned: Vec<_> = (reads.iter())
            .map(|read| database::reverse_complement(read))
            .collect();
        let pairs: Vec<_> = (0..reads.len())
            .flat_map(|i| {
                let mates = [i, 0, i / 2, reads.len() - 1 - i].map(|mate| &reads[mate]);
                let overlapping = [&turned[i], &turned[i / 2]];
                let mates = mates.into_iter().chain(overlapping);
                mates.map(|mate| [&reads[i], mate]).collect::<Vec<_>>()
            })
            .collect();
        pairs.iter().for_each(|pair| lookup.push(pair));
        lookup.look_up().unwrap();
        for rule in [Rule::Posterior(Posterior::new(k)), Rule::Lca(Lca::new())] {
            let by_sets = world.classifier(rule.clone());
            let by_database = Classifier::new(taxonomy, k, nodes, leaves, &stored, rule);
            let mut one = by_sets.workspace();
            let mut other = by_database.workspace();
            for (i, &[first, second]) in pairs.iter().enumerate() {
                let hits = |letters, number| Hits {
                    letters,
                    runs: lookup.runs(number),
                };
                let hits = [hits(first, 2 * i), hits(second, 2 * i + 1)];
                let call = by_database.call(&mut other, &hits);
                let plain = [first, second].map(|read| {
                    let letter = |letter: &u8| match letter {
                        b'u' | b'U' => b'T',
                        letter => *letter,
                    };
                    read.iter().map(letter).collect::<Vec<_>>()
                });
                let plain = world.look_up(plain.each_ref().map(Vec::as_slice));
                for (hits, plain) in hits.iter().zip(&plain) {
                    let distinct = |runs: &[Run]| {
                        let in_database = runs.iter().filter(|run| run.set != 0);
                        in_database.map(|run| run.distinct).sum::<u32>()
                    };
                    assert_eq!(
                        distinct(hits.runs),
                        distinct(&plain.runs),
                        "k = {k}, pair {i}"
                    );
                }
                let expected = by_sets.call(&mut one, &plain.each_ref().map(Found::hits));
                assert_eq!(call, expected, "k = {k}, pair {i}");
            }
        }
    }
}
