//! Databases against a map of sets that is filled one k-mer at a time, whole and damaged.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use thalweg_superkmers::minimizer::exact::Strand;
use thalweg_superkmers::sequence::{Cutter, Ties};
use thalweg_superkmers::{Kernel, Kmer, Scheme, kmer::Alphabet};
use thalweg_taxa::database::{
    Contents, MOST_RECORDS, Making, NodeStatistics, Reference, ReferenceSequences, TaxonDatabase,
    TaxonDatabaseWriter, WriterPlan,
};
use thalweg_taxa::lookup::{LONG, Places, Run, TaxonLookup};
use thalweg_taxa::record::{Entry, RecordLayout};
use thalweg_taxa::set::{LeafSet, Species};
use thalweg_taxa::taxonomy::StoredNode;
use thalweg_taxa::{Node, Taxid, Taxonomy};

use crate::extent::some_of;

/// A generator that needs no seed from outside.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    pub(crate) fn letters(&mut self, number: usize) -> Vec<u8> {
        (0..number).map(|_| b"ACGT"[self.below(4)]).collect()
    }

    /// The same with one of `every` letters replaced by another one.
    pub(crate) fn mutated(&mut self, letters: &[u8], every: usize) -> Vec<u8> {
        let mut mutated = letters.to_vec();
        for letter in &mut mutated {
            if self.below(every) == 0 {
                let others = b"ACGT".iter().filter(|other| *other != letter);
                *letter = *others.clone().nth(self.below(3)).unwrap();
            }
        }
        mutated
    }
}

pub(crate) fn reverse_complement(letters: &[u8]) -> Vec<u8> {
    let other = |&letter: &u8| match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => other,
    };
    letters.iter().rev().map(other).collect()
}

/// 0 root, 1 genus, 2 species, 3 to 6 its strains, 7 and 8 species; leaves are at 1, 3 to 6, 7 and 8.
fn taxonomy() -> (Taxonomy, Species) {
    let node = |(taxid, parent, rank, name)| StoredNode {
        taxid: Taxid(taxid),
        parent: Node(parent),
        rank,
        name,
    };
    let nodes = [
        (1, 0, "no rank", "root"),
        (20, 0, "genus", "A"),
        (30, 1, "species", "A a"),
        (41, 2, "strain", "A a 1"),
        (42, 2, "strain", "A a 2"),
        (43, 2, "strain", "A a 3"),
        (44, 2, "strain", "A a 4"),
        (50, 1, "species", "A b"),
        (60, 1, "species", "A c"),
    ];
    let merged = [(Taxid(2), Node(1)), (Taxid(99), Node(8))];
    let taxonomy = Taxonomy::from_stored(nodes.map(node), merged).unwrap();
    let leaves = [1, 3, 4, 5, 6, 7, 8].map(Node);
    let species = Species::new(&taxonomy, leaves);
    (taxonomy, species)
}

const LEAVES: usize = 7;

/// Related genomes: each leaf has parts of those before, with changes; one has a heavy repeat.
pub(crate) fn genomes(random: &mut Random, bases: usize) -> Vec<Vec<u8>> {
    let mut genomes: Vec<Vec<u8>> = Vec::new();
    for leaf in 0..LEAVES {
        let mut genome = random.letters(bases);
        if leaf > 0 {
            let other = genomes[random.below(leaf)].clone();
            let start = random.below(other.len() / 2);
            let end = start + random.below(other.len() - start);
            let mut part = other[start..end].to_vec();
            for _ in 0..part.len() / 40 {
                let at = random.below(part.len());
                part[at] = b"ACGT"[random.below(4)];
            }
            genome.extend(match random.below(2) {
                0 => part,
                _ => reverse_complement(&part),
            });
        }
        if leaf % 3 == 1 {
            // The same minimizer again and again, its neighbours different; palindromes; runs of one letter.
            let core = random.letters(11);
            for _ in 0..40 {
                genome.extend(&core);
                let between = 3 + random.below(9);
                genome.extend(random.letters(between));
            }
            genome.extend([b'A'; 60]);
            genome.extend(b"ACACACACACACACACACACACACACACACACACACACACAC");
            let half = random.letters(30);
            genome.extend(&half);
            genome.extend(reverse_complement(&half));
        }
        let at = random.below(genome.len());
        genome[at] = b'N';
        genomes.push(genome);
    }
    genomes
}

type Sets = HashMap<u64, BTreeSet<u32>>;

/// The leaves of every canonical k-mer.
fn sets_of(genomes: &[Vec<u8>], k: usize) -> Sets {
    let mut sets = Sets::new();
    for (leaf, genome) in genomes.iter().enumerate() {
        for letters in genome.windows(k) {
            if let Some(kmer) = u64::from_letters(letters) {
                let set = sets.entry(kmer.canonical(k)).or_default();
                set.insert(leaf as u32);
            }
        }
    }
    sets
}

/// Entries of one k-mer each, or of all consecutive ones of a super-k-mer with the same set; the slow way.
fn entries(
    genomes: &[Vec<u8>],
    scheme: Scheme,
    layout: &RecordLayout,
    ids: &HashMap<u64, u32>,
    joined: bool,
) -> Vec<Entry> {
    let (k, m) = (scheme.k(), scheme.m());
    let f = k - m;
    // By value, turned k-mer and place of the minimizer.
    let mut kmers: BTreeMap<(u64, u64, usize), u32> = BTreeMap::new();
    let mut runs: BTreeSet<Vec<(u64, u64, usize)>> = BTreeSet::new();
    let mut cutter = Cutter::new(scheme, Kernel::SCALAR, Alphabet::Acgtu);
    for genome in genomes {
        cutter.visit(genome, Ties::All, |super_kmer| {
            let minimizer = super_kmer.minimizer();
            let mut run = Vec::new();
            for start in super_kmer.start()..super_kmer.start() + super_kmer.kmers() {
                let forward = u64::from_letters(&genome[start..start + k]).unwrap();
                let (turned, j) = match minimizer.strand {
                    Strand::Forward => (forward, minimizer.position - start),
                    Strand::Backward => {
                        let behind = start + k - minimizer.position - m;
                        (forward.reverse_complement(k), behind)
                    }
                };
                let mer = turned >> (2 * (f - j)) & (u64::MAX >> (64 - 2 * m));
                assert_eq!(scheme.value(mer), minimizer.value);
                let key = (minimizer.value, turned, j);
                kmers.insert(key, ids[&forward.canonical(k)]);
                run.push(key);
            }
            if joined {
                runs.insert(run);
            }
        });
    }
    let base = |turned: u64, at: usize| turned >> (2 * (k - 1 - at)) & 3;
    let entry = |run: &[(u64, u64, usize)]| {
        let (value, _, _) = run[0];
        let (mut flanks, mut lo, mut hi) = (0, f, 0);
        for &(_, turned, j) in run {
            (0..j).for_each(|out| flanks |= base(turned, j - 1 - out) << (2 * out));
            (0..f - j).for_each(|out| flanks |= base(turned, j + m + out) << (2 * f + 2 * out));
            (lo, hi) = (lo.min(j), hi.max(j));
        }
        Entry {
            value,
            flanks,
            lo: lo as u8,
            hi: hi as u8,
            set: kmers[&run[0]],
        }
    };
    let mut entries = Vec::new();
    let mut done = BTreeSet::new();
    for run in &runs {
        for run in run.chunk_by(|one, next| kmers[one] == kmers[next]) {
            if run.iter().any(|key| !done.contains(key)) {
                done.extend(run.iter().copied());
                entries.push(entry(run));
            }
        }
    }
    if !joined {
        entries = kmers.keys().map(|&key| entry(&[key])).collect();
    }
    entries.sort_unstable();
    entries.dedup();
    assert!(
        entries
            .iter()
            .all(|entry| usize::from(entry.hi) <= layout.flank())
    );
    entries
}

/// What a database is made of.
pub(crate) struct Made {
    sets: Sets,
    entries: Vec<Entry>,
    by_id: Vec<LeafSet>,
    references: ReferenceSequences,
    plan: WriterPlan,
    taxonomy: Taxonomy,
    species: Species,
}

impl Made {
    pub(crate) fn new(
        seed: u64,
        k: usize,
        m: usize,
        bases: usize,
        joined: bool,
        most_strains: usize,
    ) -> Self {
        let mut random = Random(seed);
        let genomes = genomes(&mut random, bases);
        let (taxonomy, species) = taxonomy();
        let sets = sets_of(&genomes, k);
        let mut numbers: BTreeMap<LeafSet, u64> = BTreeMap::new();
        let set_of = |leaves: &BTreeSet<u32>| {
            let leaves = Vec::from_iter(leaves.iter().copied());
            LeafSet::of_leaves(&leaves, &species, most_strains)
        };
        for leaves in sets.values() {
            *numbers.entry(set_of(leaves)).or_default() += 1;
        }
        let mut by_id = Vec::from_iter(numbers);
        by_id.sort_by_key(|(_, kmers)| std::cmp::Reverse(*kmers));
        let by_id = Vec::from_iter(by_id.into_iter().map(|(set, _)| set));
        let ids = HashMap::from_iter(sets.iter().map(|(&kmer, leaves)| {
            let set = set_of(leaves);
            let at = by_id.iter().position(|other| *other == set).unwrap();
            (kmer, at as u32 + 1)
        }));
        let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
        let id_bits = by_id.len().ilog2() + 1;
        let directory_bits =
            RecordLayout::directory_bits_for(scheme, id_bits, sets.len() as u64 / 4);
        let layout = RecordLayout::new(scheme, directory_bits, id_bits).unwrap();
        let entries = entries(&genomes, scheme, &layout, &ids, joined);
        let references = ReferenceSequences {
            files: vec!["a.fa".to_owned(), "b.fa".to_owned()],
            sequences: Vec::from_iter(genomes.iter().enumerate().map(|(leaf, genome)| Reference {
                file: leaf as u32 % 2,
                leaf: leaf as u32,
                bases: genome.len() as u64,
                name: format!("sequence {leaf}"),
            })),
        };
        Self {
            sets,
            entries,
            by_id,
            references,
            plan: WriterPlan {
                scheme,
                directory_bits,
                id_bits,
            },
            taxonomy,
            species,
        }
    }

    fn write(&self, path: &Path, portions: &[usize]) {
        let mut writer = TaxonDatabaseWriter::create(path, &self.plan).unwrap();
        let mut rest = &self.entries[..];
        for &portion in portions {
            let (first, behind) = rest.split_at(portion.min(rest.len()));
            writer.push(first).unwrap();
            rest = behind;
        }
        writer.push(rest).unwrap();
        let statistics =
            Vec::from_iter((0..self.taxonomy.len() as u64).map(|node| NodeStatistics {
                bases: node,
                sequences: 2 * node,
                genomes: 3 * node,
                specific: 4 * node,
                by_gc: std::array::from_fn(|gc| if gc < 9 { node } else { 0 }),
            }));
        writer
            .finish(&Contents {
                taxonomy: &self.taxonomy,
                species: &self.species,
                references: &self.references,
                sets: &self.by_id,
                statistics: &statistics,
                log: "{\"k\": \"ä\"}",
                kmers: self.sets.len() as u64,
                is_folded: false,
                making: Making::default(),
            })
            .unwrap();
    }

    pub(crate) fn file(&self, directory: &Path) -> PathBuf {
        let path = directory.join("a.tht");
        self.write(&path, &[]);
        path
    }

    /// The runs that there must be.
    fn expected(&self, read: &[u8], most_strains: usize) -> Vec<Run> {
        let k = self.plan.scheme.k();
        let mut runs: Vec<Run> = Vec::new();
        let mut seen = BTreeSet::new();
        for (start, letters) in read.windows(k).enumerate() {
            let Some(kmer) = u64::from_letters(letters) else {
                continue;
            };
            let set = self.sets.get(&kmer.canonical(k)).map_or(0, |leaves| {
                let leaves = Vec::from_iter(leaves.iter().copied());
                let set = LeafSet::of_leaves(&leaves, &self.species, most_strains);
                let at = self.by_id.iter().position(|other| *other == set);
                at.unwrap() as u32 + 1
            });
            let distinct = u32::from(seen.insert(kmer.canonical(k)));
            match runs.last_mut() {
                Some(run) if run.set == set && run.start + run.kmers as usize == start => {
                    run.kmers += 1;
                    run.distinct += distinct;
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

    pub(crate) fn is_heavy(&self) -> bool {
        let mut by_value = self.entries.chunk_by(|one, next| one.value == next.value);
        by_value.any(|entries| entries.len() > MOST_RECORDS)
    }
}

/// Pieces of the genomes and others, on both strands, some with N, some shorter than k, with lower case and U.
pub(crate) fn reads(random: &mut Random, genomes: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut reads = vec![Vec::new(), b"ACGT".to_vec(), vec![b'N'; 50], vec![b'A'; 90]];
    for number in 0..120 {
        let genome = &genomes[random.below(genomes.len())];
        let start = random.below(genome.len());
        let end = (start + random.below(220)).min(genome.len());
        let mut read = genome[start..end].to_vec();
        if number % 3 == 0 {
            read = reverse_complement(&read);
        }
        if number % 4 == 0 {
            let more = 5 + random.below(40);
            read.extend(random.letters(more));
        }
        if number % 5 == 0 && !read.is_empty() {
            let at = random.below(read.len());
            read[at] = b"NAC"[random.below(3)];
        }
        reads.push(read);
    }
    // Longer than a segment.
    reads.push(genomes.concat());
    reads
}

fn agrees(made: &Made, database: &TaxonDatabase, seed: u64, bases: usize, most_strains: usize) {
    let mut random = Random(seed);
    let genomes = genomes(&mut random, bases);
    let reads = reads(&mut random, &genomes);
    let mut lookup = TaxonLookup::new(database, Kernel::best());
    let mut turned = TaxonLookup::new(database, Kernel::SCALAR);
    let k = made.plan.scheme.k();
    // In batches, of which some go on.
    for batch in reads.chunks(29) {
        lookup.clear();
        let (first, second) = batch.split_at(batch.len() / 2);
        for part in [first, second] {
            part.iter().for_each(|read| lookup.push([read]));
            lookup.look_up().unwrap();
        }
        assert_eq!(lookup.sequences(), batch.len());
        turned.clear();
        batch
            .iter()
            .for_each(|read| turned.push([reverse_complement(read)]));
        turned.look_up().unwrap();
        for (i, read) in batch.iter().enumerate() {
            let expected = made.expected(read, most_strains);
            assert_eq!(
                lookup.runs(i),
                expected,
                "read {}",
                String::from_utf8_lossy(read)
            );
            // Which of equal k-mers comes first is another question there, but not how many are distinct.
            let back = turned.runs(i).iter().rev().map(|run| Run {
                start: read.len() + 1 - k - run.start - run.kmers as usize,
                distinct: 0,
                ..*run
            });
            let forward = expected.iter().map(|run| Run {
                distinct: 0,
                ..*run
            });
            assert!(back.eq(forward));
            let distinct = |runs: &[Run]| runs.iter().map(|run| run.distinct).sum::<u32>();
            assert_eq!(distinct(turned.runs(i)), distinct(&expected));
        }
    }
}

fn check(seed: u64, k: usize, m: usize, joined: bool, most_strains: usize) -> bool {
    let bases = 600;
    let made = Made::new(seed, k, m, bases, joined, most_strains);
    let directory = tempfile::tempdir().unwrap();
    let path = made.file(directory.path());
    let database = TaxonDatabase::open(&path).unwrap();
    database.verify().unwrap();
    agrees(&made, &database, seed, bases, most_strains);
    database.populate();
    let preloaded = TaxonDatabase::preload(&path).unwrap();
    agrees(&made, &preloaded, seed, bases, most_strains);

    let sets = database.sets();
    assert_eq!(sets.len(), made.by_id.len());
    for (set, id) in made.by_id.iter().zip(1..) {
        assert_eq!(sets.species(id), Vec::from_iter(set.species()));
        assert_eq!(sets.species_of_list(sets.list(id)), sets.species(id));
        let places = |detail: thalweg_taxa::set::Detail| detail.places().map(Vec::from_iter);
        let of_set = set
            .details()
            .map(|(species, detail)| (species, places(detail)));
        let stored = sets
            .details(id)
            .map(|(species, detail)| (species, places(detail)));
        assert!(of_set.eq(stored));
    }
    assert!(sets.species(0).is_empty());
    let mut kmers = HashMap::new();
    database
        .each_kmer(|kmer, set| {
            assert_eq!(kmers.insert(kmer, set), None);
            Ok(())
        })
        .unwrap();
    assert_eq!(kmers.len(), made.sets.len());
    made.is_heavy()
}

#[test]
fn every_kmer_has_the_set_that_it_should() {
    let mut heavy = 0;
    for k in 16..=31 {
        for m in [3, 5, 7, 9, 11, 13, 15, 17, 19] {
            if m < k && k - m <= 16 {
                heavy += u32::from(check((k * m) as u64, k, m, k % 2 == 0, 16));
            }
        }
    }
    assert!(heavy > 10, "{heavy}");
}

/// Runs without the distinct k-mers of those that are not in the database, which are not told of long reads.
fn of_found(runs: &[Run]) -> Vec<Run> {
    let run = |run: &Run| match run.set {
        0 => Run {
            distinct: 0,
            ..*run
        },
        _ => *run,
    };
    runs.iter().map(run).collect()
}

/// Looks up reads of more letters than are looked up at once, between short ones, alone and as mates of each other.
fn long_reads_agree(k: usize, m: usize) {
    let mut random = Random((k * m) as u64);
    let made = Made::new(random.0, k, m, 600, true, 16);
    let letters = genomes(&mut Random((k * m) as u64), 600);
    let directory = tempfile::tempdir().unwrap();
    let database = TaxonDatabase::open(&made.file(directory.path())).unwrap();
    let mut parts = reads(&mut random, &letters);
    for period in [1, 2, 3, 7, 12, 19, 25, 40, 90] {
        let unit = random.letters(period);
        parts.push(unit.iter().copied().cycle().take(250).collect());
    }
    // Parts of genomes come again and again, on both strands, between others.
    let mut long = Vec::new();
    while long.len() <= LONG {
        long.extend(&parts[random.below(parts.len())]);
        let others = random.below(300);
        long.extend(random.letters(others));
        long.extend(reverse_complement(&parts[random.below(parts.len())]));
    }
    let nothing_found = random.letters(LONG + 1);
    let short = [parts[10].clone(), Vec::new(), parts[20].clone()];
    let mates = [&long, &short[0], &short[1], &nothing_found];
    let pair = [&long[..LONG / 2 + 100], &long[LONG / 3..]];
    let joined = pair.join(&b'N');
    let of_joined = of_found(&made.expected(&joined, 16));
    let second = pair[0].len() + 1;
    let of_pair = [0, 1].map(|mate| {
        let is_of_mate = |run: &&Run| (run.start >= second) == (mate == 1);
        let runs = of_joined.iter().filter(is_of_mate);
        let start = |run: &Run| run.start - mate * second;
        Vec::from_iter(runs.map(|run| Run {
            start: start(run),
            ..*run
        }))
    });
    for sweeps in [false, true] {
        let mut lookup = match sweeps {
            false => TaxonLookup::new(&database, Kernel::best()),
            true => TaxonLookup::of_large(&database, Kernel::best()),
        };
        for _ in 0..2 {
            lookup.clear();
            lookup.push([&short[0]]);
            mates.iter().for_each(|read| lookup.push([read]));
            lookup.push(pair);
            lookup.push([&short[2]]);
            match sweeps {
                false => lookup.look_up(),
                true => lookup.sweep(),
            }
            .unwrap();
            let all = [&short[0]].into_iter().chain(mates);
            for (i, read) in all.enumerate() {
                let expected = of_found(&made.expected(read, 16));
                assert_eq!(of_found(lookup.runs(i)), expected, "k {k}, m {m}, read {i}");
            }
            assert_eq!(lookup.sequences(), 8);
            for mate in [0, 1] {
                assert_eq!(
                    of_found(lookup.runs(5 + mate)),
                    of_pair[mate],
                    "k {k}, m {m}"
                );
            }
            let expected = made.expected(&short[2], 16);
            assert_eq!(lookup.runs(7), expected);
        }
    }
}

#[test]
fn long_reads_have_the_runs_of_others() {
    for (k, m) in [(31, 15), (31, 19), (21, 5), (16, 3), (27, 13)] {
        long_reads_agree(k, m);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn random_databases_agree_with_a_map(
        seed: u64, k in 16..=31_usize, half in 1..=9_usize, joined: bool, most_strains in 0..4_usize,
    ) {
        let m = 2 * half + 1;
        if m < k && k - m <= 16 {
            check(seed, k, m, joined, most_strains);
        }
    }
}

#[test]
fn what_is_told_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let made = Made::new(5, 31, 15, 500, true, 16);
    let database = TaxonDatabase::open(&made.file(directory.path())).unwrap();
    assert!(database.taxonomy().stored().eq(made.taxonomy.stored()));
    assert_eq!(database.taxonomy().merged(), made.taxonomy.merged());
    assert_eq!(*database.species(), made.species);
    assert_eq!(database.references().unwrap(), made.references);
    assert_eq!(database.log().unwrap(), "{\"k\": \"ä\"}");
    let header = database.header();
    assert_eq!(header.kmers, made.sets.len() as u64);
    assert_eq!(header.bases, made.references.bases());
    assert_eq!(header.sequences, 7);
    assert_eq!(database.statistics()[3].specific, 12);
    assert_eq!(header.layout.scheme(), made.plan.scheme);
    let bytes: u64 = header.sections().map(|(_, section)| section.length).sum();
    assert!(bytes <= header.file_bytes && bytes > 14 * header.records);
    let is_shared = |_: &(dyn Send + Sync)| {};
    is_shared(&database);
}

#[test]
fn a_dump_has_every_kmer_with_its_leaves() {
    let directory = tempfile::tempdir().unwrap();
    for most_strains in [16, 1] {
        let made = Made::new(6, 21, 11, 400, true, most_strains);
        let database = TaxonDatabase::open(&made.file(directory.path())).unwrap();
        let mut text = Vec::new();
        database.dump(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let mut lines = Vec::from_iter(text.lines());
        lines.sort_unstable();
        let taxids = [20, 41, 42, 43, 44, 50, 60];
        let mut expected = Vec::from_iter(made.sets.iter().map(|(kmer, leaves)| {
            let strains = leaves.iter().filter(|leaf| (1..=4).contains(*leaf)).count();
            let mut members = Vec::new();
            for &leaf in leaves {
                let taxid = taxids[leaf as usize];
                match (1..=4).contains(&leaf) && strains > most_strains {
                    true => members.push("30*".to_owned()),
                    false => members.push(taxid.to_string()),
                }
            }
            members.dedup();
            format!("{}\t{}", kmer.to_text(21), members.join(","))
        }));
        expected.sort_unstable();
        assert_eq!(lines, expected);
    }
}

#[test]
fn portions_do_not_matter() {
    let directory = tempfile::tempdir().unwrap();
    for (k, m) in [(31, 15), (17, 5)] {
        let made = Made::new(7, k, m, 500, false, 16);
        let (one, other) = (directory.path().join("one"), directory.path().join("other"));
        made.write(&one, &[]);
        made.write(&other, &[0, 1, 1, 70, 3, 500, 0, 64]);
        let bytes = std::fs::read(&one).unwrap();
        assert!(bytes == std::fs::read(&other).unwrap());
        made.write(&other, &vec![1; made.entries.len()]);
        assert!(bytes == std::fs::read(&other).unwrap());
    }
}

#[test]
fn large_directories_are_read_in_groups() {
    let directory = tempfile::tempdir().unwrap();
    for directory_bits in [8, 15, 16, 17, 20] {
        let mut made = Made::new(13, 31, 15, 300, true, 16);
        made.plan.directory_bits = directory_bits;
        made.plan.id_bits = 32;
        let database = TaxonDatabase::open(&made.file(directory.path())).unwrap();
        database.verify().unwrap();
        agrees(&made, &database, 13, 300, 16);
    }
}

#[test]
fn an_empty_database_is_one() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(8, 31, 15, 100, true, 16);
    made.entries.clear();
    made.sets.clear();
    made.by_id.clear();
    let database = TaxonDatabase::open(&made.file(directory.path())).unwrap();
    database.verify().unwrap();
    let mut lookup = TaxonLookup::new(&database, Kernel::best());
    lookup.push([[b'C'; 100]]);
    lookup.look_up().unwrap();
    let none = Run {
        start: 0,
        kmers: 70,
        distinct: 1,
        set: 0,
    };
    assert_eq!(lookup.runs(0), [none]);
}

/// Whatever happens to a file, it is refused, or it can be used, and that without a panic; what look-ups take for damage is
/// damage.
fn use_damaged(database: thalweg_taxa::Result<TaxonDatabase>, reads: &[Vec<u8>]) -> (bool, bool) {
    let Ok(database) = database else {
        return (false, false);
    };
    let mut lookup = TaxonLookup::new(&database, Kernel::best());
    reads.iter().for_each(|read| lookup.push([read]));
    let are_sound = lookup.look_up().is_ok();
    for i in 0..reads.len() {
        for run in lookup.runs(i) {
            let members = database.sets().members(run.set, database.species());
            assert!(members.count() <= LEAVES);
            for &species in database.sets().species(run.set) {
                let places = database
                    .sets()
                    .places(run.set, species)
                    .into_iter()
                    .flatten();
                let leaves = database.species().leaves_of(species).len();
                assert!(places.count() <= leaves);
            }
        }
    }
    let mut places = Places::new(&database, Kernel::best());
    for read in reads {
        places.visit(read, |place, set| {
            assert!(place < Places::number(&database));
            assert!(set as usize <= database.sets().len());
        });
    }
    let _ = database.dump(&mut std::io::sink());
    let is_sound = database.verify().is_ok();
    assert!(are_sound || !is_sound);
    (true, is_sound)
}

#[test]
fn damaged_files_are_refused_or_harmless() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged");
    let mut random = Random(9);
    let mut opened = 0;
    for (k, m) in [(31, 15), (16, 3)] {
        let made = Made::new(9, k, m, 120, true, 16);
        let whole = std::fs::read(made.file(directory.path())).unwrap();
        let genomes = genomes(&mut Random(9), 120);
        let reads = &reads(&mut random, &genomes)[..40];
        let damage = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let outcome = use_damaged(TaxonDatabase::open(&path), reads);
            let (is_open, is_sound) = use_damaged(TaxonDatabase::preload(&path), reads);
            assert!(outcome.0 || !is_open);
            assert_eq!(outcome.1, is_sound);
            outcome
        };
        assert_eq!(damage(&whole), (true, true));
        for _ in some_of(4, 0..100) {
            let end = random.below(whole.len());
            assert_eq!(damage(&whole[..end]), (false, false), "{end}");
        }
        let mut longer = whole.clone();
        longer.push(0);
        assert_eq!(damage(&longer), (false, false));
        for _ in some_of(4, 0..1500) {
            let mut bytes = whole.clone();
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
            let (is_open, is_sound) = damage(&bytes);
            assert!(!is_sound, "{at}");
            opened += u32::from(is_open);
        }
    }
    assert!(opened > 25, "{opened}");
}

/// With checksums that are right, so that what lies behind them is reached.
#[test]
fn hostile_files_are_refused_or_harmless() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random(11);
    let (mut opened, mut sound) = (0, 0);
    for (k, m) in [(31, 15), (16, 3), (20, 9)] {
        let made = Made::new(11, k, m, 100, true, 16);
        let whole = std::fs::read(made.file(directory.path())).unwrap();
        let genomes = genomes(&mut Random(11), 100);
        let reads = &reads(&mut random, &genomes)[..40];
        for _ in some_of(4, 0..2500) {
            let mut bytes = whole.clone();
            for _ in 0..1 + random.below(3) {
                // Also in the header, and in what is not zero.
                let mut at = random.below(bytes.len());
                for _ in 0..200 {
                    if bytes[at] == 0 || random.below(30) == 0 {
                        at = random.below(bytes.len());
                    }
                }
                bytes[at] = match random.below(4) {
                    0 => bytes[at].wrapping_add(1),
                    1 => 0xff,
                    2 => bytes[at] ^ 1 << random.below(8),
                    _ => random.below(256) as u8,
                };
            }
            mend(&mut bytes);
            let database = TaxonDatabase::from_bytes(Path::new("hostile"), bytes);
            let (is_open, is_sound) = use_damaged(database, reads);
            opened += u32::from(is_open);
            sound += u32::from(is_sound);
        }
    }
    assert!(opened > 125, "{opened}");
    // Names, for example, may be others.
    assert!(sound > 0);
}

/// Makes all checksums right, as far as the table of sections can be followed.
pub(crate) fn mend(bytes: &mut [u8]) {
    let number = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
    };
    let section = |bytes: &[u8], entry: usize| {
        let at = 128 + 32 * entry;
        let (offset, length) = (number(bytes, at + 8), number(bytes, at + 16));
        let end = offset.checked_add(length).filter(|&end| end <= bytes.len());
        end.map(|end| offset..end)
    };
    let mut sums = Vec::new();
    for entry in 6..9 {
        let mut of_section = Vec::new();
        if let Some(range) = section(bytes, entry) {
            for piece in bytes[range].chunks(4096) {
                of_section.extend(crc32fast::hash(piece).to_le_bytes());
            }
        }
        let crc = crc32fast::hash(&of_section).to_le_bytes();
        bytes[128 + 32 * entry + 24..][..4].copy_from_slice(&crc);
        sums.extend(of_section);
    }
    if let Some(range) =
        section(bytes, 9).filter(|range| range.len() == sums.len() && range.start >= 4096)
    {
        bytes[range].copy_from_slice(&sums);
    }
    for entry in [0, 1, 2, 3, 4, 5, 9] {
        if let Some(range) = section(bytes, entry) {
            let crc = crc32fast::hash(&bytes[range]).to_le_bytes();
            bytes[128 + 32 * entry + 24..][..4].copy_from_slice(&crc);
        }
    }
    let crc = crc32fast::hash(&bytes[..4092]).to_le_bytes();
    bytes[4092..4096].copy_from_slice(&crc);
}

#[test]
fn what_is_no_file_of_ours_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other");
    let told = |path: &Path| TaxonDatabase::open(path).unwrap_err().to_string();
    assert!(told(&path).contains("No such file"));
    assert!(told(directory.path()).contains("directory"));
    for (bytes, expected) in [
        (&b""[..], "the database is damaged: it has 0 bytes"),
        (
            b"@r\nACGT\n+\n!!!!\n",
            "this is not a taxon database (.tht)",
        ),
        (&[0; 5000], "this is not a taxon database (.tht)"),
    ] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(told(&path), format!("{}: {expected}", path.display()));
    }
}

#[test]
fn an_unfinished_database_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let made = Made::new(12, 31, 15, 100, true, 16);
    let path = directory.path().join("a.tht");
    let mut writer = TaxonDatabaseWriter::create(&path, &made.plan).unwrap();
    writer.push(&made.entries).unwrap();
    drop(writer);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    let nowhere = Path::new("/nowhere/at/all.tht");
    let error = TaxonDatabaseWriter::create(nowhere, &made.plan).unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/at/all.tht: "));
}
