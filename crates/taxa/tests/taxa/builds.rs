//! What is built, against a map of all k-mers: over related genomes, threads, memory and partitions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use thalweg_flow::{Budget, run};
use thalweg_superkmers::{
    Kernel, Kmer,
    kmer::{Alphabet, LETTERS},
    minimizer::exact::Strand,
    sequence::{Cutter, Ties},
};
use thalweg_taxa::build::{
    BuildOptions, BuildShare, BuildWorker, Built, DatabaseBuilder, MOST_STRAINS, Strains,
};
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::library::{Library, LibraryInputs};
use thalweg_taxa::lookup::TaxonLookup;
use thalweg_taxa::record::Entry;
use thalweg_taxa::sequences::Sources;
use thalweg_taxa::set::LeafSet;
use thalweg_taxa::{Error, Node, Result, Taxid, Taxonomy, mask};

use crate::made::{self, Row};

/// A genus with species of several strains, and taxa that are below no species.
const ROWS: [Row; 12] = [
    (1, 1, "no rank", "root"),
    (2, 1, "domain", "Bacteria"),
    (10, 2, "genus", "genus A"),
    (11, 10, "species", "species A"),
    (20, 11, "strain", "strain A1"),
    (21, 11, "no rank", "strain A2"),
    (22, 21, "strain", "clone of A2"),
    (12, 10, "species", "species B"),
    (13, 10, "no rank", "unclassified A"),
    (30, 2, "family", "family C"),
    (31, 30, "species", "species C"),
    (99, 31, "strain", "strain that has no sequence"),
];

/// Those that have sequences: also a species with strains, a genus, and one below no species.
const TAXIDS: [u32; 8] = [20, 21, 22, 11, 12, 13, 10, 31];

pub(crate) type Sequences = Vec<(Node, Vec<u8>)>;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        (self.0 >> 33) as usize % bound
    }

    pub(crate) fn letters(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| LETTERS[self.below(4)]).collect()
    }

    /// The same with one of `every` letters replaced, and some left out or doubled.
    pub(crate) fn mutated(&mut self, letters: &[u8], every: usize) -> Vec<u8> {
        let mut mutated = Vec::with_capacity(letters.len());
        for &letter in letters {
            match self.below(every) {
                0 => match self.below(10) {
                    0 => {}
                    1 => mutated.extend([letter; 2]),
                    _ => mutated.push(LETTERS[self.below(4)]),
                },
                _ => mutated.push(letter),
            }
        }
        mutated
    }
}

fn reverse_complement(letters: &[u8]) -> Vec<u8> {
    let turned = |letter: &u8| match letter.to_ascii_uppercase() {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' | b'U' => b'A',
        other => other,
    };
    letters.iter().rev().map(turned).collect()
}

pub(crate) fn taxonomy() -> Taxonomy {
    made::taxonomy(&ROWS).unwrap()
}

/// Related genomes on either strand, with repeats of all kinds, palindromes, letters that are no bases, and lower case.
pub(crate) fn genomes(taxonomy: &Taxonomy, len: usize, seed: u64) -> Sequences {
    let mut random = Random(seed);
    let ancestor = random.letters(len);
    let mut sequences = Sequences::new();
    for (i, taxid) in TAXIDS.into_iter().enumerate() {
        let node = taxonomy.node(Taxid(taxid)).unwrap();
        let mut genome = random.mutated(&ancestor, [1000, 100, 30, 20][i % 4]);
        let part = genome[len / 3..len / 3 + 60].to_vec();
        match i {
            0 => genome.extend(part.repeat(5)),
            1 => genome.extend(reverse_complement(&part).into_iter().chain(part)),
            2 => genome.extend(part[..3].repeat(40)),
            3 => genome = reverse_complement(&genome),
            4 => genome.extend([b'A'; 200]),
            5 => genome.make_ascii_lowercase(),
            6 => genome.extend(part[..17].repeat(9)),
            _ => {
                for letter in genome.iter_mut().filter(|letter| **letter == b'T') {
                    *letter = b'U';
                }
            }
        }
        for place in (0..genome.len()).step_by(701 + i) {
            genome[place] = *b"NRn-".get(i % 4).unwrap();
        }
        // As contigs, one of them too short, and one twice.
        let at = random.below(genome.len());
        sequences.push((node, genome[..at].to_vec()));
        sequences.push((node, genome[at..].to_vec()));
        sequences.push((node, genome[at..].to_vec()));
        sequences.push((node, genome[..10].to_vec()));
        sequences.push((node, Vec::new()));
    }
    sequences
}

/// How a build is done, which must not show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) threads: usize,
    pub(crate) memory: u64,
    pub(crate) partitions: Option<usize>,
    pub(crate) turned: bool,
}

pub(crate) const PLAINLY: How = How {
    threads: 1,
    memory: 1 << 30,
    partitions: None,
    turned: false,
};

pub(crate) fn build(
    options: &BuildOptions,
    taxonomy: &Taxonomy,
    sequences: &Sequences,
    how: How,
) -> Result<Built> {
    let mut options = options.clone();
    if let Some(partitions) = how.partitions {
        options = options.with_partitions(partitions)?;
    }
    let builder = DatabaseBuilder::new(options, Budget::new(how.threads).with_memory(how.memory))?;
    let shares = run::<BuildShare, Error, _>(how.threads, |thread, _| {
        let mut worker = builder.worker()?;
        let mut mine = Vec::from_iter(sequences.iter().skip(thread).step_by(how.threads));
        if how.turned {
            mine.reverse();
        }
        for (node, letters) in mine {
            worker.add(*node, letters)?;
        }
        worker.into_share()
    });
    builder.finish(shares.expect("workers do not fail"), taxonomy)
}

fn entries(built: &Built) -> Vec<Entry> {
    let mut all = Vec::new();
    let see = |entries: &[Entry]| {
        all.extend_from_slice(entries);
        Ok(())
    };
    built.visit_entries(see).unwrap();
    all
}

/// The leaves of each canonical k-mer.
pub(crate) type Oracle = HashMap<u64, BTreeSet<u32>>;

pub(crate) fn oracle(sequences: &Sequences, k: usize) -> Oracle {
    let nodes: BTreeSet<Node> = sequences.iter().map(|(node, _)| *node).collect();
    let mut oracle = Oracle::new();
    for (node, letters) in sequences {
        let leaf = nodes.range(..node).count() as u32;
        for kmer in letters.windows(k) {
            if let Some(kmer) = u64::from_letters_of(Alphabet::Acgtu, kmer) {
                oracle.entry(kmer.canonical(k)).or_default().insert(leaf);
            }
        }
    }
    oracle
}

/// A k-mer at one of its minimizers: the value, the k-mer as that reads forward, and how many bases it has on the left.
type Place = (u64, u64, usize);

/// Where entries have k-mers, by letters, and of which set.
fn places(built: &Built, entries: &[Entry]) -> HashMap<Place, u32> {
    let scheme = built.layout().scheme();
    let (k, m) = (scheme.k(), scheme.m());
    let flank = k - m;
    let mut places = HashMap::new();
    for entry in entries {
        let outward = |shift: usize, number: usize| {
            let code = move |i: usize| entry.flanks >> (shift + 2 * i) & 3;
            (0..number).map(move |i| LETTERS[code(i) as usize])
        };
        let (lo, hi) = (usize::from(entry.lo), usize::from(entry.hi));
        assert!(lo <= hi && hi <= flank);
        let mut letters: Vec<u8> = outward(0, hi).collect();
        letters.reverse();
        scheme.canonical(entry.value).write_letters(m, &mut letters);
        letters.extend(outward(2 * flank, flank - lo));
        for (kmer, left) in letters.windows(k).zip((lo..=hi).rev()) {
            let kmer = u64::from_letters(kmer).unwrap();
            let set = *places.entry((entry.value, kmer, left)).or_insert(entry.set);
            assert_eq!(set, entry.set, "a k-mer has two sets");
        }
        // What is not there is zero.
        let beyond = |shift: usize, number: usize| {
            entry.flanks >> shift & low_bits(2 * flank) & !low_bits(2 * number)
        };
        assert_eq!((beyond(0, hi), beyond(2 * flank, flank - lo)), (0, 0));
    }
    places
}

fn low_bits(bits: usize) -> u64 {
    u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0)
}

/// All minimizers of a k-mer.
fn places_of(kmer: u64, cutter: &mut Cutter) -> BTreeSet<Place> {
    let (k, m) = (cutter.scheme().k(), cutter.scheme().m());
    let mut places = BTreeSet::new();
    cutter.visit(&kmer.to_letters(k), Ties::All, |super_kmer| {
        let minimizer = super_kmer.minimizer();
        places.insert(match minimizer.strand {
            Strand::Forward => (minimizer.value, kmer, minimizer.position),
            Strand::Backward => (
                minimizer.value,
                kmer.reverse_complement(k),
                k - m - minimizer.position,
            ),
        });
    });
    places
}

/// That the database holds what the oracle has, and nothing else; the latter is of sequences without what is masked.
fn check(built: &Built, oracle: &Oracle, most_strains: usize) {
    let scheme = built.layout().scheme();
    let entries = entries(built);
    assert!(entries.is_sorted());
    assert_eq!(built.totals().entries, entries.len() as u64);
    assert_eq!(built.totals().kmers, oracle.len() as u64);
    let mut found = places(built, &entries);
    assert_eq!(built.totals().kmers_by_minimizer, found.len() as u64);

    let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgtu);
    let mut kmers_of_sets = vec![0; built.sets().len()];
    let mut is_tied = false;
    for (&kmer, leaves) in oracle {
        let leaves = Vec::from_iter(leaves.iter().copied());
        let expected = LeafSet::of_leaves(&leaves, built.species(), most_strains);
        let places = places_of(kmer, &mut cutter);
        is_tied |= places.len() > 1;
        let sets: BTreeSet<u32> = (places.iter())
            .map(|place| found.remove(place).expect("a k-mer for each minimizer"))
            .collect();
        let set = *sets.first().unwrap() as usize - 1;
        assert_eq!(sets.len(), 1);
        assert_eq!(built.sets()[set], expected);
        kmers_of_sets[set] += 1;
        if most_strains == usize::MAX {
            assert_eq!(leaves_of(built, set), leaves);
        }
    }
    assert!(found.is_empty(), "k-mers that are nowhere");
    assert!(is_tied || scheme.m() > 9);
    assert_eq!(built.kmers_of_sets(), kmers_of_sets);
    let order = |set: &usize| (u64::MAX - kmers_of_sets[*set], built.sets()[*set].clone());
    assert!((0..kmers_of_sets.len()).is_sorted_by_key(|set| order(&set)));
    assert!(kmers_of_sets.len() as u64 <= built.layout().max_id().into());
    check_statistics(built, oracle);
}

/// The leaves that a set tells.
fn leaves_of(built: &Built, set: usize) -> Vec<u32> {
    let species = built.species();
    let mut leaves = Vec::new();
    for (number, detail) in built.sets()[set].details() {
        let all = species.leaves_of(number);
        match detail.places() {
            Some(places) => leaves.extend(places.map(|place| all[place as usize])),
            None => {
                assert_eq!(all.len(), 1);
                leaves.push(all[0]);
            }
        }
    }
    leaves.sort_unstable();
    leaves
}

fn check_statistics(built: &Built, oracle: &Oracle) {
    let taxonomy = built.taxonomy();
    let mut expected = vec![(0, [0; 32]); taxonomy.len()];
    for (kmer, leaves) in oracle {
        // C is 1 and G is 2.
        let gc = (0..32).filter(|base| matches!(kmer >> (2 * base) & 3, 1 | 2));
        let gc = gc.count();
        let nodes = (leaves.iter()).map(|&leaf| built.species().leaf_nodes()[leaf as usize]);
        let paths = nodes.map(|node| taxonomy.path_to_root(node).collect::<BTreeSet<_>>());
        let paths = Vec::from_iter(paths);
        for node in paths.iter().flatten().collect::<BTreeSet<_>>() {
            expected[node.0 as usize].1[gc] += 1;
            let is_specific = paths.iter().all(|path| path.contains(node));
            expected[node.0 as usize].0 += u64::from(is_specific);
        }
    }
    let found = built.kmers_of_nodes().iter();
    let found = Vec::from_iter(found.map(|node| (node.specific, node.by_gc)));
    assert_eq!(found, expected);
}

/// That nothing of two builds differs but where they were.
fn assert_same(one: &Built, other: &Built, how: How) {
    let apart = |built: &Built| {
        let mut totals = built.totals();
        totals.spilled_bytes = 0;
        (totals, built.layout(), built.folded())
    };
    assert_eq!(apart(one), apart(other), "{how:?}");
    assert!(entries(one) == entries(other), "{how:?}");
    assert!(one.sets() == other.sets(), "{how:?}");
    assert_eq!(one.kmers_of_sets(), other.kmers_of_sets(), "{how:?}");
    assert_eq!(one.kmers_of_nodes(), other.kmers_of_nodes(), "{how:?}");
    assert_eq!(one.species(), other.species(), "{how:?}");
}

#[test]
fn builds_hold_what_a_map_does() {
    let taxonomy = taxonomy();
    for (k, m) in [
        (16, 5),
        (16, 15),
        (19, 7),
        (21, 9),
        (22, 15),
        (24, 15),
        (31, 15),
        (31, 19),
    ] {
        for strains in [Strains::Folded, Strains::All] {
            let options = BuildOptions::new(k).unwrap().with_m(m).unwrap();
            let options = options.with_masking(false).with_strains(strains);
            let sequences = genomes(&taxonomy, 4000, (k + m) as u64);
            let built = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
            // There are fewer strains than are folded.
            check(&built, &oracle(&sequences, k), usize::MAX);
            let leaves = (built.species().leaf_nodes().iter())
                .map(|&node| built.taxonomy().taxid(node).0)
                .collect::<BTreeSet<_>>();
            assert_eq!(leaves, BTreeSet::from(TAXIDS));
            // The root and the domain; family, genus and species that have no sequences.
            assert_eq!(built.taxonomy().len(), TAXIDS.len() + 3);
            assert_eq!(built.totals().sequences, sequences.len() as u64);
        }
    }
}

/// A single partition takes many times the memory that there is for one, and is done in parts.
#[test]
fn builds_do_not_show_how_they_were_done() {
    let taxonomy = taxonomy();
    for (k, m) in [(16, 7), (31, 15)] {
        let options = BuildOptions::new(k).unwrap().with_m(m).unwrap();
        let sequences = genomes(&taxonomy, 3000, 7);
        let plainly = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
        for threads in 1..=3 {
            for partitions in [Some(1), Some(4), Some(64), None] {
                for turned in [false, true] {
                    let how = How {
                        threads,
                        memory: (4 << 20) * threads as u64,
                        partitions,
                        turned,
                    };
                    let built = build(&options, &taxonomy, &sequences, how).unwrap();
                    assert_same(&plainly, &built, how);
                }
            }
        }
    }
}

/// Super-k-mers go to temporary files.
#[test]
fn builds_of_little_memory_are_the_same() {
    let taxonomy = taxonomy();
    let options = BuildOptions::new(31).unwrap();
    let sequences = genomes(&taxonomy, 300_000, 3);
    let plainly = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
    assert_eq!(plainly.totals().spilled_bytes, 0);
    for partitions in [Some(128), None] {
        for threads in [1, 2] {
            let how = How {
                threads,
                memory: 4 << 20 << (threads - 1),
                partitions,
                turned: false,
            };
            let built = build(&options, &taxonomy, &sequences, how).unwrap();
            assert!(threads > 1 || built.totals().spilled_bytes > 0, "{how:?}");
            assert_same(&plainly, &built, how);
        }
    }
}

/// Also where a stretch of low complexity, and what decides about one, lies in two of the pieces that letters are copied by.
#[test]
fn what_is_of_low_complexity_is_left_out() {
    let taxonomy = taxonomy();
    let mut random = Random(5);
    let mut letters = random.letters(1_200_000);
    for start in [
        100,
        524_288 - 50,
        524_288 + 31 + 40,
        1_048_576 - 3000,
        1_048_576 - 300,
    ] {
        letters[start..start + 70].copy_from_slice(&b"ACACACACAC".repeat(7));
    }
    letters[600_000..700_000].fill(b'T');
    let node = taxonomy.node(Taxid(12)).unwrap();
    let mut masked = Vec::new();
    mask::low_complexity(&letters, &mut masked);
    let mut without = letters.clone();
    let mut number = 0;
    for range in masked {
        number += range.len() as u64;
        without[range].fill(b'N');
    }
    assert!(number > 100_300);

    let options = BuildOptions::new(31).unwrap();
    let built = build(&options, &taxonomy, &vec![(node, letters)], PLAINLY).unwrap();
    assert_eq!(built.totals().masked, number);
    let sequences = vec![(node, without)];
    assert_eq!(built.totals().kmers, oracle(&sequences, 31).len() as u64);
    let options = options.with_masking(false);
    let of_masked = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
    assert_eq!(of_masked.totals().masked, 0);
    assert!(entries(&built) == entries(&of_masked));
}

/// A long sequence that is given in parts to several workers, in any order, is what it is as a whole: also where low complexity,
/// and what decides about it, is cut.
#[test]
fn parts_of_sequences_are_the_sequences() {
    let taxonomy = taxonomy();
    let node = taxonomy.node(Taxid(12)).unwrap();
    let mut random = Random(17);
    let border = BuildWorker::parts(usize::MAX).next().unwrap().end;
    let mut letters = random.letters(2 * border + 20);
    for start in [border - 100, border - 30, border + 20, 2 * border - 80] {
        letters[start..start + 24].fill(b'A');
    }
    letters[border - 70..border - 40].copy_from_slice(&b"ACACACACACACACACACACACACACACAC"[..]);
    let options = BuildOptions::new(31).unwrap();
    let sequences = vec![(node, letters.clone())];
    let whole = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
    assert!(whole.totals().masked > 100);
    let budget = Budget::new(3).with_memory(1 << 30);
    let builder = DatabaseBuilder::new(options, budget).unwrap();
    let mut workers = Vec::from_iter((0..3).map(|_| builder.worker().unwrap()));
    let parts = Vec::from_iter(BuildWorker::parts(letters.len()));
    assert_eq!(parts.len(), 3);
    for (worker, part) in workers.iter_mut().zip(parts.into_iter().rev()) {
        worker.add_part(node, &letters, part).unwrap();
    }
    let shares = workers
        .into_iter()
        .map(|worker| worker.into_share().unwrap());
    let built = builder.finish(shares.collect(), &taxonomy).unwrap();
    assert_same(&whole, &built, PLAINLY);
    let is_one = |bases: usize| {
        let mut parts = BuildWorker::parts(bases);
        parts.next() == Some(0..bases) && parts.next().is_none()
    };
    assert!(is_one(0) && is_one(5));
}

/// A species of forty strains, and one of three: of the former, k-mers of more than sixteen tell only the species.
#[test]
fn many_strains_are_folded() {
    let mut rows = vec![
        (1, 1, "no rank", "root"),
        (2, 1, "species", "of many"),
        (3, 1, "species", "of few"),
    ];
    rows.extend((100..140).map(|taxid| (taxid, 2, "strain", "a strain")));
    rows.extend((200..203).map(|taxid| (taxid, 3, "strain", "a strain")));
    let taxonomy = made::taxonomy(&rows).unwrap();
    let mut random = Random(11);
    let ancestor = random.letters(2000);
    let strains = rows[3..]
        .iter()
        .map(|row| taxonomy.node(Taxid(row.0)).unwrap());
    let sequences = Sequences::from_iter(strains.map(|node| (node, random.mutated(&ancestor, 60))));
    let oracle = oracle(&sequences, 21);
    for (strains, most) in [(Strains::Folded, MOST_STRAINS), (Strains::All, usize::MAX)] {
        let options = BuildOptions::new(21).unwrap().with_m(9).unwrap();
        let options = options.with_masking(false).with_strains(strains);
        let built = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
        check(&built, &oracle, most);
        let how = How {
            threads: 3,
            partitions: Some(8),
            ..PLAINLY
        };
        assert_same(
            &built,
            &build(&options, &taxonomy, &sequences, how).unwrap(),
            how,
        );
    }
}

#[test]
fn nothing_becomes_an_empty_database() {
    let taxonomy = taxonomy();
    let options = BuildOptions::new(31).unwrap();
    let node = taxonomy.node(Taxid(12)).unwrap();
    let too_short = vec![(node, b"ACGT".to_vec()), (node, Vec::new())];
    for (sequences, leaves) in [(Sequences::new(), 0), (too_short, 1)] {
        let built = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
        assert_eq!(built.totals().kmers, 0);
        assert_eq!(built.species().leaf_nodes().len(), leaves);
        assert!(entries(&built).is_empty() && built.sets().is_empty());
        assert_eq!(built.temporary_bytes(), 0);
    }
}

#[test]
fn temporary_files_that_cannot_be_are_told() {
    let taxonomy = taxonomy();
    let options = BuildOptions::new(31).unwrap();
    let options = options.with_temporary_directory("/nowhere/at/all");
    let sequences = genomes(&taxonomy, 1000, 1);
    let error = build(&options, &taxonomy, &sequences, PLAINLY).unwrap_err();
    assert!(
        error.to_string().starts_with("/nowhere/at/all: "),
        "{error}"
    );
    assert!(!error.is_data());
}

/// As many entries as there are sets of few k-mers, by number: their k-mers sum up.
#[test]
fn kmers_of_sets_sum_up() {
    let taxonomy = taxonomy();
    let options = BuildOptions::new(25).unwrap();
    let sequences = genomes(&taxonomy, 5000, 2);
    let built = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
    let sum: u64 = built.kmers_of_sets().iter().sum();
    assert_eq!(sum, built.totals().kmers);
    let root = built.kmers_of_nodes()[0];
    assert_eq!((root.kmers(), root.specific), (sum, sum));
    let sets: BTreeMap<u32, u64> = entries(&built).iter().map(|entry| (entry.set, 1)).collect();
    assert_eq!(sets.len(), built.sets().len());
    assert_eq!(*sets.first_key_value().unwrap().0, 1);
}

/// The inputs that these sequences are.
pub(crate) fn inputs(taxonomy: &Taxonomy, sequences: &Sequences) -> LibraryInputs {
    inputs_named(taxonomy, sequences, "")
}

/// The same with names that begin so.
pub(crate) fn inputs_named(
    taxonomy: &Taxonomy,
    sequences: &Sequences,
    prefix: &str,
) -> LibraryInputs {
    let sources = Sources::new();
    let library = Library::new(taxonomy, &sources, vec!["genomes.fa".into()]);
    let mut listing = library.listing();
    for (place, (node, letters)) in sequences.iter().enumerate() {
        let taxid = taxonomy.taxid(*node);
        let header = format!("kraken:taxid|{taxid}|{prefix}{place} a contig");
        let found = listing.add(0, place as u64, header.as_bytes(), letters);
        assert_eq!(found, Some(*node));
    }
    library.finish([listing])
}

/// Files of builds with other threads, memory and partitions are equal, and look-ups of the genomes, on both strands, find what
/// the map has, and of other k-mers nothing.
#[test]
fn databases_find_every_kmer() {
    let taxonomy = taxonomy();
    let folder = tempfile::tempdir().unwrap();
    for (k, m) in [(16, 7), (21, 9), (31, 15)] {
        let options = BuildOptions::new(k).unwrap().with_m(m).unwrap();
        let options = options.with_masking(false);
        let sequences = genomes(&taxonomy, 5000, k as u64);
        let (oracle, inputs) = (oracle(&sequences, k), inputs(&taxonomy, &sequences));
        let path = folder.path().join(format!("{k}.tht"));
        let built = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
        assert!(!built.is_folded());
        built.write(&path, &inputs, &taxonomy, "{}").unwrap();
        let other = folder.path().join("other.tht");
        let how = How {
            threads: 3,
            memory: 12 << 20,
            partitions: Some(2),
            turned: true,
        };
        let built = build(&options, &taxonomy, &sequences, how).unwrap();
        built.write(&other, &inputs, &taxonomy, "{}").unwrap();
        assert!(std::fs::read(&path).unwrap() == std::fs::read(&other).unwrap());

        let database = TaxonDatabase::preload(&path).unwrap();
        assert_eq!(database.header().kmers, oracle.len() as u64);
        assert_eq!(
            database.references().unwrap().sequences.len(),
            sequences.len()
        );
        let root = database.statistics()[0];
        // All are of one file.
        assert_eq!(root.genomes, TAXIDS.len() as u64);
        let bases: usize = sequences.iter().map(|(_, letters)| letters.len()).sum();
        assert_eq!(
            (root.bases, root.sequences),
            (bases as u64, sequences.len() as u64)
        );
        assert_eq!(
            (root.kmers(), root.specific),
            (oracle.len() as u64, oracle.len() as u64)
        );

        let mut reads = Vec::from_iter(sequences.iter().map(|(_, letters)| letters.clone()));
        reads.extend(
            sequences
                .iter()
                .map(|(_, letters)| reverse_complement(letters)),
        );
        reads.push(Random(99).letters(3000));
        let mut lookup = TaxonLookup::new(&database, Kernel::best());
        reads.iter().for_each(|read| lookup.push([read]));
        lookup.look_up().unwrap();
        // So does one that asks for pages before, of what is mapped and of what is not.
        for database in [&database, &TaxonDatabase::open(&path).unwrap()] {
            let mut other = TaxonLookup::of_large(database, Kernel::best());
            reads.iter().for_each(|read| other.push([read]));
            other.look_up().unwrap();
            assert!((0..reads.len()).all(|read| other.runs(read) == lookup.runs(read)));
            // And one that goes through the file once.
            other.clear();
            reads.iter().for_each(|read| other.push([read]));
            other.sweep().unwrap();
            assert_eq!(other.sequences(), reads.len());
            assert!((0..reads.len()).all(|read| other.runs(read) == lookup.runs(read)));
        }
        for (number, read) in reads.iter().enumerate() {
            let mut sets = vec![0; read.len()];
            for run in lookup.runs(number) {
                sets[run.start..][..run.kmers as usize].fill(run.set);
            }
            for (kmer, set) in read.windows(k).zip(sets) {
                let kmer = u64::from_letters_of(Alphabet::Acgtu, kmer);
                let leaves = kmer.and_then(|kmer| oracle.get(&kmer.canonical(k)));
                match leaves {
                    None => assert_eq!(set, 0),
                    Some(leaves) => {
                        let found = leaves_of(&built, set as usize - 1);
                        assert!(found.iter().eq(leaves));
                    }
                }
            }
        }
    }
}

#[test]
fn inputs_that_were_not_given_are_told() {
    let taxonomy = taxonomy();
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions::new(31).unwrap();
    let mut sequences = genomes(&taxonomy, 1000, 1);
    let inputs = inputs(&taxonomy, &sequences);
    let node = sequences[0].0;
    sequences.retain(|sequence| sequence.0 != node);
    let built = build(&options, &taxonomy, &sequences, PLAINLY).unwrap();
    let path = folder.path().join("not.tht");
    let error = built.write(&path, &inputs, &taxonomy, "{}").unwrap_err();
    let told =
        "no database can be made: no worker was given a sequence of the taxon of kraken:taxid|20|0";
    assert_eq!(error.to_string(), told);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
