//! What samples are of, against sets of k-mers and sums over reads.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use thalweg_flow::Budget;
use thalweg_superkmers::{Kernel, Kmer, kmer::Alphabet};
use thalweg_taxa::build::{BuildOptions, DatabaseBuilder};
use thalweg_taxa::classify::{Call, Classifier, Hits, Lca, Posterior, Rule, Stored};
use thalweg_taxa::database::{GC_BINS, NodeStatistics, TaxonDatabase};
use thalweg_taxa::library::Library;
use thalweg_taxa::lookup::{Places, TaxonLookup};
use thalweg_taxa::report::CallTally;
use thalweg_taxa::sample::{Evidence, Observed, Presence, PresenceTest, Profile, Sample};
use thalweg_taxa::sequences::Sources;
use thalweg_taxa::{Node, Taxid};

use crate::database::{self, Random, reverse_complement};
use crate::made::{self, Row};

/// Reads or pairs.
pub(crate) type Reads = Vec<Vec<Vec<u8>>>;

/// Calls all reads; those of number i are seen by observer i % `threads`.
pub(crate) fn observe(
    database: &TaxonDatabase,
    rule: &Rule,
    reads: &Reads,
    threads: usize,
) -> (CallTally, Observed, Vec<Call>) {
    let (taxonomy, species) = (database.taxonomy(), database.species());
    let stored = Stored {
        sets: database.sets(),
        species,
    };
    let k = database.header().layout.scheme().k();
    let (nodes, leaves) = (species.nodes(), species.leaf_nodes());
    let classifier = Classifier::new(taxonomy, k, nodes, leaves, &stored, rule.clone());
    let sample = Sample::new(database, Kernel::best()).unwrap();
    let mut observers = Vec::from_iter((0..threads).map(|_| sample.observer()));
    let mut workspace = classifier.workspace();
    let mut lookup = TaxonLookup::new(database, Kernel::best());
    let mut tally = CallTally::new(taxonomy);
    let mut calls = Vec::new();
    for (i, mates) in reads.iter().enumerate() {
        lookup.clear();
        lookup.push(mates);
        lookup.look_up().unwrap();
        let hits = mates.iter().enumerate().map(|(i, mate)| Hits {
            letters: mate,
            runs: lookup.runs(i),
        });
        let hits = Vec::from_iter(hits);
        let call = classifier.call(&mut workspace, &hits);
        tally.add(&call, mates.iter().map(|mate| mate.len() as u64).sum());
        observers[i % threads].add(&hits, &call);
        calls.push(call);
    }
    let mut all = observers.pop().unwrap();
    for observer in observers {
        all.merge(observer);
    }
    let observed = all.finish();
    (tally, observed, calls)
}

/// k-mers with their lowest taxa, one look-up each.
fn kmers(database: &TaxonDatabase, mates: &[Vec<u8>]) -> Vec<(u64, Node)> {
    let k = database.header().layout.scheme().k();
    let mut lookup = TaxonLookup::new(database, Kernel::SCALAR);
    let mut found = Vec::new();
    for kmer in mates.iter().flat_map(|mate| mate.windows(k)) {
        let Some(number) = u64::from_letters_of(Alphabet::Acgtu, kmer) else {
            continue;
        };
        lookup.clear();
        lookup.push([kmer]);
        lookup.look_up().unwrap();
        let set = lookup.runs(0)[0].set;
        let species = database.species();
        let members = database.sets().members(set, species);
        let nodes = members.map(|member| match member {
            thalweg_taxa::database::Member::Leaf(leaf) => species.leaf_nodes()[leaf as usize],
            thalweg_taxa::database::Member::Species(number) => species.node(number),
        });
        let above = nodes.reduce(|one, other| database.taxonomy().lca(one, other));
        found.extend(above.map(|node| (number.canonical(k), node)));
    }
    found
}

#[test]
fn evidence_is_that_of_plain_sets() {
    let mut heavy = 0;
    for (k, m, most_strains) in [
        (31, 15, 16),
        (24, 15, 2),
        (16, 11, 1),
        (18, 3, 16),
        (16, 1, 3),
    ] {
        let made = database::Made::new(k as u64, k, m, 600, true, most_strains);
        heavy += usize::from(made.is_heavy());
        let mut random = Random(k as u64);
        let letters = database::genomes(&mut random, 600);
        let mut reads = database::reads(&mut random, &letters);
        reads.extend(Vec::from_iter(
            reads.iter().map(|read| reverse_complement(read)),
        ));
        let folder = tempfile::tempdir().unwrap();
        let database = TaxonDatabase::open(&made.file(folder.path())).unwrap();
        let pairs = Reads::from_iter(reads.chunks(2).map(<[Vec<u8>]>::to_vec));
        let taxonomy = database.taxonomy();
        for rule in [Rule::Posterior(Posterior::new(k)), Rule::Lca(Lca::new())] {
            let (_, observed, calls) = observe(&database, &rule, &pairs, 1);
            let mut direct = vec![Evidence::default(); taxonomy.len()];
            let mut clades = direct.clone();
            let mut seen = HashSet::new();
            for (mates, call) in pairs.iter().zip(&calls) {
                for (kmer, node) in kmers(&database, mates) {
                    direct[node.0 as usize].hits += 1;
                    direct[node.0 as usize].distinct += u64::from(seen.insert(kmer));
                    let Some(called) = call.node else {
                        continue;
                    };
                    for above in taxonomy.nodes() {
                        let has = |node| taxonomy.is_below(node, above);
                        clades[above.0 as usize].specific += u64::from(has(node) && has(called));
                    }
                }
                if let Some(called) = call.node {
                    let of = |mate: &Vec<u8>| {
                        let kmers = mate.windows(k);
                        let valid =
                            |kmer: &&[u8]| u64::from_letters_of(Alphabet::Acgtu, kmer).is_some();
                        kmers.filter(valid).count() as u64
                    };
                    direct[called.0 as usize].valid += mates.iter().map(of).sum::<u64>();
                }
            }
            assert!(seen.len() > 1000);
            for above in taxonomy.nodes() {
                let at = above.0 as usize;
                let below = &direct[at..taxonomy.range(above).end as usize];
                clades[at].valid = below.iter().map(|evidence| evidence.valid).sum();
                clades[at].hits = below.iter().map(|evidence| evidence.hits).sum();
                clades[at].distinct = below.iter().map(|evidence| evidence.distinct).sum();
                let found = observed.direct()[at];
                assert_eq!(
                    (found.valid, found.hits, found.distinct),
                    (direct[at].valid, direct[at].hits, direct[at].distinct),
                    "k = {k}, m = {m}, {above:?}"
                );
            }
            assert_eq!(observed.clades(taxonomy), clades, "k = {k}, m = {m}");
            for threads in [2, 7] {
                assert!(observe(&database, &rule, &pairs, threads).1 == observed);
            }
        }
    }
    assert!(heavy > 0);
}

#[test]
fn equal_kmers_have_equal_numbers() {
    for (k, m) in [(31, 15), (18, 3), (16, 1)] {
        let made = database::Made::new(7, k, m, 600, true, 16);
        let folder = tempfile::tempdir().unwrap();
        let database = TaxonDatabase::open(&made.file(folder.path())).unwrap();
        let genomes = database::genomes(&mut Random(7), 600);
        let mut places = Places::new(&database, Kernel::best());
        let mut numbers = std::collections::HashMap::new();
        let mut used = HashSet::new();
        for genome in genomes
            .iter()
            .flat_map(|genome| [genome.clone(), reverse_complement(genome)])
        {
            let mut found = Vec::new();
            places.visit(&genome, |place, _| found.push(place));
            let kmers = genome.windows(k).filter_map(u64::from_letters);
            let kmers = Vec::from_iter(kmers.map(|kmer| kmer.canonical(k)));
            assert_eq!(kmers.len(), found.len());
            for (kmer, place) in kmers.into_iter().zip(found) {
                assert!(place < Places::number(&database));
                assert_eq!(*numbers.entry(kmer).or_insert(place), place);
                used.insert(place);
            }
        }
        assert_eq!(numbers.len(), used.len());
        assert_eq!(numbers.len() as u64, database.header().kmers);
    }
}

/// Two genera of two species, one with two strains; one species has no genome.
const ROWS: [Row; 9] = [
    (1, 1, "no rank", "root"),
    (2, 1, "domain", "Bacteria"),
    (10, 2, "genus", "Alpha"),
    (11, 10, "species", "Alpha one"),
    (12, 10, "species", "Alpha two"),
    (20, 2, "genus", "Beta <&\">"),
    (21, 20, "species", "Beta one"),
    (211, 21, "strain", "Beta one 1"),
    (212, 21, "strain", "Beta one 2"),
];

/// A database of four genomes in three files, with its genomes by taxid.
pub(crate) fn known(folder: &Path, k: usize) -> (TaxonDatabase, Vec<(u32, Vec<u8>)>) {
    let taxonomy = made::taxonomy(&ROWS).unwrap();
    let mut random = Random(4);
    let one = random.letters(20_000);
    let genomes = vec![
        (11, one.clone()),
        (12, random.mutated(&one, 15)),
        (211, random.letters(40_000)),
    ];
    let strain = random.mutated(&genomes[2].1, 100);
    let genomes = Vec::from_iter(genomes.into_iter().chain([(212, strain)]));
    let options = BuildOptions::new(k).unwrap().with_masking(false);
    let builder = DatabaseBuilder::new(options, Budget::new(1).with_memory(1 << 26)).unwrap();
    let sources = Sources::new();
    let files = ["a.fa", "b.fa", "c.fa"].map(Into::into);
    let library = Library::new(&taxonomy, &sources, files.to_vec());
    let mut listing = library.listing();
    let mut worker = builder.worker().unwrap();
    for (file, (taxid, letters)) in genomes.iter().enumerate() {
        // The two strains are in one file.
        let header = format!("kraken:taxid|{taxid}|x");
        let node = listing.add(file.min(2), file as u64, header.as_bytes(), letters);
        worker.add(node.unwrap(), letters).unwrap();
    }
    let inputs = library.finish([listing]);
    let share = worker.into_share().unwrap();
    let built = builder.finish(vec![share], &taxonomy).unwrap();
    let path = folder.join("known.tht");
    built.write(&path, &inputs, &taxonomy, "{}").unwrap();
    (TaxonDatabase::open(&path).unwrap(), genomes)
}

/// Pairs of a genome, on both strands.
pub(crate) fn pairs_of(random: &mut Random, genome: &[u8], number: usize) -> Reads {
    let pair = |_| {
        let start = random.below(genome.len() - 400);
        let insert = &genome[start..start + 400];
        let mates = vec![insert[..150].to_vec(), reverse_complement(&insert[250..])];
        match random.below(2) {
            0 => mates,
            _ => mates.into_iter().rev().collect(),
        }
    };
    (0..number).map(pair).collect()
}

#[test]
fn what_is_there_is_told_from_its_relatives() {
    let folder = tempfile::tempdir().unwrap();
    for k in [20, 31] {
        let (database, genomes) = known(folder.path(), k);
        let taxonomy = database.taxonomy();
        let mut random = Random(9);
        let mut reads = pairs_of(&mut random, &genomes[0].1, 300);
        reads.extend(pairs_of(&mut random, &genomes[2].1, 200));
        // Something that is a far relative of a species, and four reads of another one.
        let far = random.mutated(&genomes[1].1, 9);
        reads.extend(pairs_of(&mut random, &far, 200));
        let rule = Rule::Posterior(Posterior::new(k));
        let (tally, observed, _) = observe(&database, &rule, &reads, 2);
        let profile = Profile::new(&database, &tally, &observed, PresenceTest::default());
        let row = |taxid| profile.row(taxonomy.node(Taxid(taxid)).unwrap()).unwrap();
        for taxid in [11, 21] {
            let row = row(taxid);
            assert_eq!(row.verdict, Presence::Present, "k = {k}: {row:?}");
            assert!((0.8..1.2).contains(&row.ratio), "k = {k}: {row:?}");
            assert!(row.identity > 0.99);
            let (distinct, expected) = (row.evidence.distinct as f64, row.expected);
            assert!((distinct / expected - 1.0).abs() < 0.15, "k = {k}: {row:?}");
        }
        // Strains that differ by one in a hundred.
        assert_eq!(row(211).verdict, Presence::Present);
        // A ninth of its bases differ.
        let absent = row(12);
        assert!(absent.ratio < 0.25, "k = {k}: {absent:?}");
        assert_eq!(absent.verdict, Presence::Absent);
        assert!((absent.identity - 8.0 / 9.0).abs() < 0.06, "{absent:?}");
        assert_eq!(absent.abundance, Some(0.0));
        assert_eq!(row(10).verdict, Presence::Present);
        assert_eq!(row(211).abundance, None);

        // 300 of 20 kb and 200 of 40 kb: three genomes to one.
        let share = row(11).abundance.unwrap();
        assert!((share - 0.75).abs() < 0.02, "{share}");
        assert_eq!(row(10).abundance, Some(share));
        assert!((row(1).abundance.unwrap() - 1.0).abs() < 1e-12);
        let expected = row(21).expected_reads.unwrap();
        assert!((expected - 200.0).abs() < 1.0, "{expected}");

        // With four reads it is not there; nor with a ratio that nothing has.
        let (tally, observed, _) = observe(&database, &rule, &reads[..4].to_vec(), 1);
        let few = Profile::new(&database, &tally, &observed, PresenceTest::default());
        let verdicts = BTreeSet::from_iter(few.rows().iter().map(|row| row.verdict.word()));
        assert_eq!(Vec::from_iter(verdicts), ["-", "no"]);
        let enough = PresenceTest {
            reads: 4,
            ratio: 0.25,
        };
        let enough = Profile::new(&database, &tally, &observed, enough);
        assert!(
            enough
                .rows()
                .iter()
                .any(|row| row.verdict == Presence::Present)
        );
    }
}

#[test]
fn genomes_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (database, genomes) = known(folder.path(), 25);
    let of = |taxid: u32| {
        let node = database.taxonomy().node(Taxid(taxid)).unwrap();
        database.statistics()[node.0 as usize]
    };
    assert_eq!(
        [1, 10, 11, 21, 211].map(|taxid| of(taxid).genomes),
        [4, 2, 1, 2, 1]
    );
    assert_eq!(of(211).bases, genomes[2].1.len() as u64);
    let NodeStatistics { by_gc, .. } = of(11);
    let mut expected = [0; GC_BINS];
    let distinct = genomes[0].1.windows(25);
    let distinct = distinct.map(|kmer| u64::from_letters(kmer).unwrap().canonical(25));
    for kmer in HashSet::<u64>::from_iter(distinct) {
        let gc = (0..25).filter(|base| matches!(kmer >> (2 * base) & 3, 1 | 2));
        expected[gc.count()] += 1;
    }
    assert_eq!(by_gc, expected);
}

/// One read of 300 kb, and one with more k-mers of a place than a byte, or two, would count.
#[test]
fn long_reads_are_one_read() {
    let folder = tempfile::tempdir().unwrap();
    let (database, genomes) = known(folder.path(), 31);
    let long = genomes[2].1.repeat(8);
    let repeated = genomes[0].1[..100].repeat(2000);
    let reads = vec![vec![long.clone()], vec![repeated.clone()]];
    for rule in [Rule::Posterior(Posterior::new(31)), Rule::Lca(Lca::new())] {
        let (tally, observed, calls) = observe(&database, &rule, &reads, 1);
        assert_eq!(calls[0].valid as usize, long.len() - 30);
        assert_eq!(
            tally.classified(),
            match &rule {
                Rule::Posterior(_) => 1,
                // The other one has but 100 different k-mers.
                _ => 2,
            }
        );
        let clades = observed.clades(database.taxonomy());
        assert!(clades[0].hits as usize > long.len() + repeated.len() / 2);
        assert!(clades[0].distinct < 41_000);
        let profile = Profile::new(&database, &tally, &observed, PresenceTest::default());
        assert!(profile.rows().iter().all(|row| row.identity <= 1.0));
    }
}
