//! The engine against a map that is filled one k-mer at a time.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Mutex,
};
use thalweg_flow::{Budget, run};
use thalweg_kmers::{
    Error, Kmer,
    count::{CountTotals, CountWorker, Counter, Sink},
    kmer::{Alphabet, KmerTask, dispatch},
    options::CountOptions,
};

type Counts = HashMap<Vec<u8>, u64>;

struct Collect<K> {
    k: usize,
    counts: Mutex<Counts>,
    ends: Mutex<Vec<usize>>,
    last: Mutex<BTreeMap<usize, K>>,
}

impl<K: Kmer> Collect<K> {
    fn new(k: usize) -> Self {
        Self {
            k,
            counts: Mutex::default(),
            ends: Mutex::default(),
            last: Mutex::default(),
        }
    }
}

impl<K: Kmer> Sink<K> for Collect<K> {
    fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<(), Error> {
        assert!(
            entries.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "sorted and different"
        );
        let mut last = self.last.lock().expect("no panic");
        let (first, end) = (entries[0].0, entries[entries.len() - 1].0);
        assert!(
            last.insert(partition, end).is_none_or(|last| last < first),
            "pieces ascend"
        );
        let mut counts = self.counts.lock().expect("no panic");
        for &(kmer, count) in entries {
            let before = counts.insert(kmer.to_letters(self.k), count);
            assert_eq!(before, None, "one partition per k-mer");
        }
        Ok(())
    }

    fn end(&self, partition: usize) -> Result<(), Error> {
        self.ends.lock().expect("no panic").push(partition);
        Ok(())
    }
}

struct Count<'a> {
    options: CountOptions,
    threads: usize,
    memory: u64,
    reads: &'a [(Vec<u8>, Vec<u8>)],
}

impl KmerTask for Count<'_> {
    type Output = (Counts, CountTotals);

    fn run<K: Kmer>(self) -> Self::Output {
        let budget = Budget::new(self.threads).with_memory(self.memory);
        let counter = Counter::new(self.options.clone(), budget).expect("a plan");
        let shares = run::<_, Error, _>(self.threads, |thread, _| {
            let mut worker = counter.worker()?;
            for (sequence, quality) in self.reads.iter().skip(thread).step_by(self.threads) {
                worker.add_with_quality(sequence, quality)?;
            }
            worker.into_share()
        })
        .expect("no failure");
        let sink = Collect::<K>::new(self.options.k());
        let totals = counter.finish(shares, &sink).expect("a result");
        let mut ends = sink.ends.into_inner().expect("no panic");
        ends.sort_unstable();
        assert_eq!(ends, (0..counter.partitions()).collect::<Vec<_>>());
        (sink.counts.into_inner().expect("no panic"), totals)
    }
}

fn count(
    options: &CountOptions,
    threads: usize,
    memory: u64,
    reads: &[(Vec<u8>, Vec<u8>)],
) -> (Counts, CountTotals) {
    let task = Count {
        options: options.clone(),
        threads,
        memory,
        reads,
    };
    dispatch(options.k(), task).expect("a good k")
}

/// One k-mer at a time.
fn oracle(options: &CountOptions, reads: &[(Vec<u8>, Vec<u8>)]) -> Counts {
    let mut counts = Counts::new();
    for (sequence, quality) in reads {
        let letters: Vec<u8> = sequence
            .iter()
            .zip(quality)
            .map(|(letter, &quality)| {
                let good = quality >= options.minimum_quality();
                if good {
                    letter.to_ascii_uppercase()
                } else {
                    b'N'
                }
            })
            .collect();
        let other: Vec<u8> = letters.iter().rev().map(complement).collect();
        for (i, window) in letters.windows(options.k()).enumerate() {
            if window.iter().all(|letter| b"ACGT".contains(letter)) {
                let end = letters.len() - i;
                let partner = &other[end - options.k()..end];
                let kmer = match options.canonical() {
                    true => partner.min(window),
                    false => window,
                };
                match counts.get_mut(kmer) {
                    Some(count) => *count += 1,
                    None => assert_eq!(counts.insert(kmer.to_vec(), 1), None),
                }
            }
        }
    }
    counts
}

fn complement(letter: &u8) -> u8 {
    match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        _ => b'A',
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }

    fn letters(&mut self, len: usize, alphabet: &[u8]) -> Vec<u8> {
        (0..len)
            .map(|_| alphabet[self.below(alphabet.len())])
            .collect()
    }
}

/// Reads of a small genome from both strands with errors, and all that is odd.
fn reads(seed: u64, number: usize, longest: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut random = Random(seed);
    let genome = random.letters(3000, b"ACGT");
    let satellite = random.letters(17, b"ACGT").repeat(40);
    let mut reads: Vec<Vec<u8>> = (0..number)
        .map(|_| {
            let len = 1 + random.below(longest);
            let start = random.below(genome.len() - len);
            let mut read = genome[start..start + len].to_vec();
            if random.below(2) == 0 {
                read = read.iter().rev().map(complement).collect();
            }
            for letter in &mut read {
                match random.below(400) {
                    0 => *letter = b'N',
                    1 => *letter = b"ACGT"[random.below(4)],
                    2..10 => *letter = letter.to_ascii_lowercase(),
                    _ => {}
                }
            }
            read
        })
        .collect();
    reads.extend([
        Vec::new(),
        b"A".to_vec(),
        b"NNNNNNNN".to_vec(),
        vec![b'A'; 3 * longest],
        vec![b't'; 3 * longest],
        b"ACGT".repeat(longest),
        b"AC-GT\0".repeat(40),
        satellite,
        genome.clone(),
        // Longer than a segment, with bases and others at the seams.
        random.letters(9000, b"ACGTACGTACGTACGTACGTACGTACGTACGTACGTN"),
        random.letters(5000, b"AAAAAAAAAAAAAAAAAAAAAAAC"),
    ]);
    reads
        .into_iter()
        .map(|read| {
            let quality = (0..read.len()).map(|_| if random.below(300) == 0 { b'#' } else { b'I' });
            let quality: Vec<u8> = quality.collect();
            (read, quality)
        })
        .collect()
}

const KS: [usize; 19] = [
    1, 2, 5, 10, 11, 12, 21, 22, 31, 32, 33, 40, 55, 63, 64, 65, 127, 128, 255,
];
const PLENTY: u64 = 1 << 30;

fn check(
    options: &CountOptions,
    threads: usize,
    memory: u64,
    reads: &[(Vec<u8>, Vec<u8>)],
) -> CountTotals {
    check_against(&oracle(options, reads), options, threads, memory, reads)
}

/// [`check`] for those who know what to expect: the oracle takes longer than the count.
fn check_against(
    expected: &Counts,
    options: &CountOptions,
    threads: usize,
    memory: u64,
    reads: &[(Vec<u8>, Vec<u8>)],
) -> CountTotals {
    let (counts, totals) = count(options, threads, memory, reads);
    let what = format!("k = {}, {threads} threads, {memory} bytes", options.k());
    assert!(
        counts == *expected,
        "{what}: {} k-mers, expected {}",
        counts.len(),
        expected.len()
    );
    assert_eq!(totals.kmers, expected.values().sum::<u64>(), "{what}");
    assert_eq!(totals.distinct, expected.len() as u64, "{what}");
    assert_eq!(totals.kept_distinct, totals.distinct);
    assert_eq!(totals.histogram.distinct(), totals.distinct);
    totals
}

/// The instructions that this processor has.
fn kernels() -> Vec<&'static str> {
    let is_there = |name: &&str| {
        let options = CountOptions::new(1).expect("a k").with_kernel(name);
        Counter::new(options, Budget::new(1)).is_ok()
    };
    let kernels: Vec<_> = ["avx512", "avx2", "scalar"]
        .into_iter()
        .filter(is_there)
        .collect();
    assert!(kernels.contains(&"scalar"));
    kernels
}

#[test]
fn every_k_agrees_with_the_map() {
    for k in KS {
        let reads = reads(k as u64, 60, 300.max(2 * k));
        for canonical in [true, false] {
            let options = CountOptions::new(k).expect("a k").with_canonical(canonical);
            for (options, threads) in [
                (options.clone(), 1),
                (options.with_minimum_quality(b'$'), 2),
            ] {
                let expected = oracle(&options, &reads);
                for kernel in kernels() {
                    let options = options.clone().with_kernel(kernel);
                    check_against(&expected, &options, threads, PLENTY, &reads);
                }
            }
        }
    }
}

#[test]
fn threads_partitions_and_order_do_not_matter() {
    for k in [5, 21, 31, 55] {
        let mut reads = reads(7, 300, 200);
        let options = CountOptions::new(k).expect("a k");
        let expected = oracle(&options, &reads);
        for threads in 1..=4 {
            for partitions in [1, 2, 64, 16384] {
                let options = options.clone().with_partitions(partitions);
                let options = options.expect("a power");
                check_against(&expected, &options, threads, PLENTY, &reads);
            }
            reads.rotate_left(100);
        }
    }
}

#[test]
fn low_memory_spills_and_agrees() {
    for (k, threads) in [
        (1, 1),
        (10, 1),
        (21, 1),
        (31, 2),
        (55, 1),
        (100, 1),
        (255, 1),
    ] {
        let mut random = Random(k as u64);
        let mut reads = reads(3, 300, 600);
        // Different everywhere, so that neither merging nor tables stay small.
        let long = random.letters(550_000 * (1 + threads), b"ACGT");
        let chunks = long.chunks(700).map(|c| (c.to_vec(), vec![b'I'; c.len()]));
        reads.extend(chunks);
        let options = CountOptions::new(k).expect("a k");
        let expected = oracle(&options, &reads);
        let memory = threads as u64 * (1 << 20);
        let totals = check_against(&expected, &options, threads, memory, &reads);
        assert!(
            k < 11 || totals.spilled_bytes > 0,
            "k = {k}: nothing was spilled"
        );
        if k == 31 {
            // One partition for all: more k-mers than any table may hold.
            let options = options.with_partitions(1).expect("a power");
            let totals = check_against(&expected, &options, threads, memory, &reads);
            assert!(totals.extra_passes > 0, "the table held everything");
        }
    }
}

/// Their database must not look as if minimizers had parted it: others of the same k are, if memory is short.
#[test]
fn short_k_mers_have_one_partition() {
    for (k, memory, is_one) in [
        (11, PLENTY, true),
        (11, 8 << 20, false),
        (12, PLENTY, false),
    ] {
        let options = CountOptions::new(k).expect("a k");
        let budget = Budget::new(1).with_memory(memory);
        let counter = Counter::new(options, budget).expect("enough memory");
        assert_eq!(counter.partitions() == 1, is_one, "k = {k}, {memory} bytes");
    }
}

#[test]
fn limits_on_counts_filter_what_is_handed_on() {
    let reads = reads(11, 300, 200);
    let options = CountOptions::new(21).expect("a k");
    let all = oracle(&options, &reads);
    let limited = options.with_counts(2, 9).expect("good limits");
    let (counts, totals) = count(&limited, 2, PLENTY, &reads);
    let expected: Counts = all
        .iter()
        .filter(|e| (2..=9).contains(e.1))
        .map(|(k, c)| (k.clone(), *c))
        .collect();
    assert!(!expected.is_empty() && expected.len() < all.len());
    assert_eq!(counts, expected);
    assert_eq!(totals.distinct, all.len() as u64);
    assert_eq!(totals.kept_distinct, expected.len() as u64);
    assert_eq!(totals.kept_kmers, expected.values().sum::<u64>());
    let singletons = all.values().filter(|&&count| count == 1).count() as u64;
    assert_eq!(totals.histogram.get(1), singletons);
}

#[test]
fn hot_k_mers_are_harmless() {
    // An adapter and poly-A, each 200,000 times: 10^7 k-mers that are a few dozen.
    let adapter = b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGC".to_vec();
    let mut reads = reads(5, 100, 200);
    for read in [adapter, vec![b'A'; 60]] {
        let quality = vec![b'I'; read.len()];
        reads.extend(std::iter::repeat_n((read, quality), 100_000));
    }
    for k in [21, 31] {
        let totals = check(&CountOptions::new(k).expect("a k"), 2, PLENTY, &reads);
        assert!(totals.merged_super_kmers * 20 < totals.super_kmers);
    }
}

#[test]
fn light_and_heavy_k_mers_meet() {
    // Most records come once, some a few times, some often, and all share k-mers.
    let mut random = Random(1);
    let genome = random.letters(40_000, b"ACGT");
    let uneven = random.letters(20_000, b"AAAAAAAAACG");
    let mut reads = Vec::new();
    for (text, len) in [(&genome, 150), (&uneven, 200)] {
        for (i, times) in [1, 1, 1, 2, 1, 5, 1, 9, 1, 300]
            .into_iter()
            .cycle()
            .take(150)
            .enumerate()
        {
            let start = (i * 7919) % (text.len() - len);
            let read = text[start..start + len].to_vec();
            reads.extend(std::iter::repeat_n((read, vec![b'I'; len]), times));
        }
        reads.extend(text.chunks(1000).map(|c| (c.to_vec(), vec![b'I'; c.len()])));
    }
    for k in [13, 21, 28, 30, 31, 32, 33, 55, 63, 64] {
        for (canonical, partitions) in [(true, &[1, 64][..]), (false, &[1])] {
            let options = CountOptions::new(k).expect("a k").with_canonical(canonical);
            let expected = oracle(&options, &reads);
            for (&partitions, kernel) in partitions.iter().flat_map(|partitions| {
                kernels()
                    .into_iter()
                    .map(move |kernel| (partitions, kernel))
            }) {
                let options = options.clone().with_kernel(kernel);
                let options = options.with_partitions(partitions).expect("a power");
                check_against(&expected, &options, 2, PLENTY, &reads);
            }
        }
    }
}

#[test]
fn bad_input_has_an_error_each() {
    assert!(matches!(CountOptions::new(0), Err(Error::BadK { .. })));
    assert!(matches!(CountOptions::new(256), Err(Error::BadK { .. })));
    let options = CountOptions::new(31).expect("a k");
    assert!(matches!(
        options.clone().with_counts(0, 5),
        Err(Error::BadOption(_))
    ));
    assert!(matches!(
        options.clone().with_counts(6, 5),
        Err(Error::BadOption(_))
    ));
    assert!(matches!(
        options.clone().with_partitions(3),
        Err(Error::BadOption(_))
    ));
    let poor = Budget::new(2).with_memory(1 << 20);
    assert!(matches!(
        Counter::new(options.clone(), poor),
        Err(Error::Memory { .. })
    ));
    let counter = Counter::new(options.clone(), Budget::new(1)).expect("a plan");
    let mut worker = counter.worker().expect("the first");
    assert!(matches!(counter.worker(), Err(Error::BadOption(_))));
    assert!(matches!(
        worker.add_with_quality(b"ACGT", b"II"),
        Err(Error::BadOption(_))
    ));
    let nowhere = options.with_temporary_directory("/nonexistent/directory");
    let counter = Counter::new(nowhere, Budget::new(1).with_memory(1 << 20)).expect("a plan");
    let mut worker = counter.worker().expect("the first");
    let mut random = Random(1);
    let outcome = (0..100).try_for_each(|_| worker.add(&random.letters(100_000, b"ACGT")));
    assert!(
        matches!(outcome, Err(Error::Temporary { .. })),
        "{outcome:?}"
    );
}

#[test]
fn a_failing_sink_stops_the_count() {
    struct Full;
    impl Sink<u64> for Full {
        fn accept(&self, _: usize, _: &[(u64, u64)]) -> Result<(), Error> {
            Err(Error::io("out", std::io::ErrorKind::StorageFull.into()))
        }
    }
    let counter =
        Counter::new(CountOptions::new(31).expect("a k"), Budget::new(2)).expect("a plan");
    let mut worker = counter.worker().expect("the first");
    worker
        .add(&Random(9).letters(1000, b"ACGT"))
        .expect("memory");
    assert!(matches!(
        counter.finish(vec![worker.into_share().expect("memory")], &Full),
        Err(Error::Io { .. })
    ));
}

/// What a worker counts that `add` gave something.
struct Given<'a> {
    options: &'a CountOptions,
    add: &'a dyn Fn(&mut CountWorker) -> Result<(), Error>,
}

impl KmerTask for Given<'_> {
    type Output = (Counts, [u64; 3]);

    fn run<K: Kmer>(self) -> Self::Output {
        let counter = Counter::new(self.options.clone(), Budget::new(1)).expect("a plan");
        let mut worker = counter.worker().expect("a worker");
        (self.add)(&mut worker).expect("no failure");
        let shares = vec![worker.into_share().expect("a share")];
        let sink = Collect::<K>::new(self.options.k());
        let totals = counter.finish(shares, &sink).expect("a result");
        let counts = sink.counts.into_inner().expect("no panic");
        (counts, [totals.bases, totals.kmers, totals.distinct])
    }
}

/// A sequence on lines of any length, and in pieces, counts as it does whole.
#[test]
fn lines_and_pieces_count_as_the_sequence_that_they_make() {
    let sequence = Random(5).letters(9000, b"ACGTACGTACGTacgtN");
    for k in [1, 7, 31, 55, 200] {
        let options = CountOptions::new(k).expect("a good k");
        let counted = |add: &dyn Fn(&mut CountWorker) -> Result<(), Error>| {
            let options = &options;
            dispatch(k, Given { options, add }).expect("a good k")
        };
        let whole = counted(&|worker| worker.add(&sequence));
        assert_eq!(whole.1[0], sequence.len() as u64);
        for width in [1, 60, 2048, 9000, 10_000] {
            let lines = counted(&|worker| worker.add_lines(sequence.chunks(width)));
            assert!(lines == whole, "{k} {width}");
            let pieces = counted(&|worker| {
                let cut = 4000;
                worker.add_lines(sequence[..cut + k - 1].chunks(width))?;
                worker.add_next_piece(sequence[cut..].chunks(width))
            });
            assert!(pieces == whole, "{k} {width}");
        }
    }
}

/// How a sequence is handed over.
#[derive(Clone, Copy, Debug)]
enum Way {
    Whole,
    Lines(usize),
    /// In pieces that overlap by k - 1 letters, each on lines.
    Pieces(usize),
    /// With bases of low quality in it.
    Quality,
}

fn hand_over(worker: &mut CountWorker, sequence: &[u8], k: usize, way: Way) {
    match way {
        Way::Whole => worker.add(sequence),
        Way::Lines(width) => worker.add_lines(sequence.chunks(width)),
        Way::Pieces(length) => {
            let mut end = sequence.len().min(length.max(k));
            worker
                .add_lines(sequence[..end].chunks(70))
                .expect("memory");
            while end < sequence.len() {
                let start = end - (k - 1);
                end = sequence.len().min(start + length.max(k));
                let lines = sequence[start..end].chunks(70);
                worker.add_next_piece(lines).expect("memory");
            }
            Ok(())
        }
        Way::Quality => {
            let quality: Vec<u8> = (0..sequence.len()).map(|i| b"I#IIIII"[i % 7]).collect();
            worker.add_with_quality(sequence, &quality)
        }
    }
    .expect("memory");
}

/// Each letter that is no base counts once: whatever the length of its sequence, in however many segments, lines or pieces it
/// is, and whatever its quality.
#[test]
fn letters_that_are_no_bases_are_told_once() {
    let mut state = 3u64;
    let mut below = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) % bound
    };
    let lengths = [0, 1, 7, 20, 30, 31, 32, 150, 2048, 2079, 3000, 10_000];
    let sequences: Vec<Vec<u8>> = (lengths.iter())
        .map(|&length| {
            let letter = |_| match below(40) {
                0 => b"NnRr-*."[below(7) as usize],
                _ => b"ACGTUacgtu"[below(10) as usize],
            };
            (0..length).map(letter).collect()
        })
        .collect();
    for alphabet in [Alphabet::Acgtu, Alphabet::Acgt] {
        let mut expected: BTreeMap<u8, u64> = BTreeMap::new();
        for &letter in sequences.iter().flatten() {
            let is_base = match alphabet {
                Alphabet::Acgtu => b"ACGTUacgtu".contains(&letter),
                Alphabet::Acgt => b"ACGTacgt".contains(&letter),
            };
            if !is_base {
                *expected.entry(letter.to_ascii_uppercase()).or_default() += 1;
            }
        }
        for (k, way) in [1, 9, 21, 31, 32].into_iter().flat_map(|k| {
            [
                Way::Whole,
                Way::Lines(60),
                Way::Lines(5000),
                Way::Pieces(100),
                Way::Pieces(2500),
                Way::Quality,
            ]
            .map(|way| (k, way))
        }) {
            for kernel in ["scalar", "avx2", "avx512"] {
                let options = CountOptions::new(k)
                    .expect("a good k")
                    .with_alphabet(alphabet)
                    .with_minimum_quality(b'+')
                    .with_kernel(kernel);
                let budget = Budget::new(2).with_memory(64 << 20);
                let Ok(counter) = Counter::new(options, budget) else {
                    println!("SKIPPED: letters_that_are_no_bases_are_told_once: no {kernel}");
                    continue;
                };
                let mut workers = [0, 1].map(|_| counter.worker().expect("two"));
                for (number, sequence) in sequences.iter().enumerate() {
                    hand_over(&mut workers[number % 2], sequence, k, way);
                }
                let shares = workers.map(|worker| worker.into_share().expect("memory"));
                let sink = Collect::<u64>::new(k);
                let totals = counter.finish(shares.into(), &sink).expect("a result");
                let found: BTreeMap<u8, u64> = totals.other_letters.iter().collect();
                assert_eq!(found, expected, "k = {k}, {way:?}, {alphabet:?}, {kernel}");
                let total: u64 = expected.values().sum();
                assert_eq!(totals.other_letters.total(), total);
                let numbers: Vec<u64> = totals.other_letters.iter().map(|kind| kind.1).collect();
                assert!(numbers.is_sorted_by(|a, b| a >= b));
                let bases: usize = lengths.iter().sum();
                assert_eq!(totals.bases, bases as u64, "k = {k}, {way:?}");
            }
        }
    }
}

/// Reads with U have the counts of reads that have T there, unless U is asked to be no base.
#[test]
fn u_is_t() {
    let copy = |reads: &[(Vec<u8>, Vec<u8>)], from: &[u8; 2], to: &[u8; 2]| {
        let turn = |&letter: &u8| match from.iter().position(|known| *known == letter) {
            Some(place) => to[place],
            None => letter,
        };
        let of_read = |(letters, quality): &(Vec<u8>, Vec<u8>)| {
            (letters.iter().map(turn).collect(), quality.clone())
        };
        reads.iter().map(of_read).collect::<Vec<_>>()
    };
    let mut state = 9u64;
    let mut letter = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        b"ACGTacgtACGTACGN"[(state >> 60) as usize]
    };
    let reads: Vec<(Vec<u8>, Vec<u8>)> = (0..200)
        .map(|_| ((0..120).map(&mut letter).collect(), vec![b'I'; 120]))
        .collect();
    let rna = copy(&reads, b"Tt", b"Uu");
    let without = copy(&reads, b"Tt", b"NN");
    for k in [4, 9, 15, 31, 33, 70] {
        let count = |reads: &[(Vec<u8>, Vec<u8>)], alphabet| {
            let options = CountOptions::new(k)
                .expect("a good k")
                .with_alphabet(alphabet);
            let task = Count {
                options,
                threads: 2,
                memory: 64 << 20,
                reads,
            };
            dispatch(k, task).expect("a good k").0
        };
        let dna = count(&reads, Alphabet::Acgt);
        assert!(!dna.is_empty() || k > 31);
        assert_eq!(count(&reads, Alphabet::Acgtu), dna, "k = {k}");
        assert_eq!(count(&rna, Alphabet::Acgtu), dna, "k = {k}");
        let none = count(&without, Alphabet::Acgtu);
        assert_eq!(count(&rna, Alphabet::Acgt), none, "k = {k}");
    }
}
