//! Decisions, compared with looking up every k-mer.

use std::path::Path;

use super::screener::PIECE;
use super::*;
use crate::database::{Database, DatabaseWriter, Description, Lookup, open};
use crate::extent::some_of;
use crate::kmer::Wide;

/// Bases as good as random, with a letter that is none now and then.
fn letters(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut letter = |place: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        match place % 977 {
            500 => b'N',
            _ => b"ACGTacgtU"[(state >> 33) as usize % 9],
        }
    };
    (0..length).map(&mut letter).collect()
}

/// The k-mers of a sequence, with counts of every size.
fn database<K: Kmer>(path: &Path, sequence: &[u8], k: usize, canonical: bool) -> Database {
    let kmers = SequenceKmers::<K>::new(sequence, k).with_alphabet(Alphabet::Acgtu);
    let mut kmers: Vec<K> = kmers
        .map(|(_, kmer)| if canonical { kmer.canonical(k) } else { kmer })
        .collect();
    kmers.sort();
    kmers.dedup();
    let count = |number: usize| match number % 5 {
        4 => u64::MAX - number as u64,
        small => 1 + small as u64,
    };
    let description = Description::new(k, canonical);
    let mut writer = DatabaseWriter::create(path, DatabaseFormat::Thk, &description).unwrap();
    let records = kmers.iter().enumerate();
    writer
        .extend(records.map(|(number, &kmer)| Ok((kmer, count(number)))))
        .unwrap();
    writer.finish().unwrap();
    open(path).unwrap()
}

/// Found k-mers and all, one by one.
fn slowly<K: Kmer>(
    lookup: &mut Lookup<K>,
    sequences: &[&[u8]],
    counts: &RangeInclusive<u64>,
) -> (u64, u64) {
    let (mut found, mut all) = (0, 0);
    for sequence in sequences {
        let each = |_, count: Option<u64>| {
            all += 1;
            found += u64::from(count.is_some_and(|count| counts.contains(&count)));
        };
        lookup.find_in_sequence(sequence, each).unwrap();
    }
    (found, all)
}

fn check<K: Kmer>(k: usize) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.thk");
    let genome = letters(k as u64, 20_000);
    // From the database, from elsewhere, of both, too short, empty, and longer than a piece.
    let foreign = letters(99, 20_000);
    let mut reads: Vec<Vec<u8>> = Vec::new();
    for number in some_of(3, 0..60) {
        let at = number * 300;
        reads.push(genome[at..at + 300].to_vec());
        reads.push(foreign[at..at + 300].to_vec());
        let mut both = foreign[at..at + 280].to_vec();
        let length = k + number % 20;
        both.splice(40..40, genome[at..at + length].iter().copied());
        reads.push(both);
    }
    reads.extend([genome[..k - 1].to_vec(), genome[..k].to_vec(), vec![]]);
    let mut long = foreign.clone();
    reads.push(long.clone());
    long.extend(&genome[..2 * PIECE]);
    reads.push(long);
    reads.push(genome.clone());
    for canonical in [true, false] {
        let database = database::<K>(&path, &genome, k, canonical);
        let mut lookup = database.load::<K>(1).unwrap().lookup();
        for (counts, threads) in [(0..=u64::MAX, 1), (2..=3, 3), (5..=u64::MAX, 1)] {
            let loaded = database.load::<K>(threads).unwrap();
            let screen = KmerScreen::new(loaded, counts.clone(), threads).unwrap();
            assert_eq!(screen.is_canonical(), canonical);
            let mut screener = screen.screener(Alphabet::Acgtu);
            let mut agrees = |sequences: &[&[u8]]| {
                let (found, all) = slowly(&mut lookup, sequences, &counts);
                for least in [0, 1, found, found + 1] {
                    for fraction in [0.0, 0.01, found as f64 / all.max(1) as f64] {
                        let threshold = Threshold { least, fraction };
                        let lines = sequences.iter().map(|sequence| sequence.chunks(70));
                        let whole = sequences.iter().map(|sequence| [*sequence]);
                        let expected = found >= least && found as f64 >= fraction * all as f64;
                        let what = format!("{k} {found} of {all}, {threshold:?}");
                        assert_eq!(screener.reaches(whole, threshold), expected, "{what}");
                        assert_eq!(screener.reaches(lines, threshold), expected, "{what}");
                    }
                }
            };
            for pair in reads.windows(2) {
                agrees(&[&pair[0]]);
                agrees(&[&pair[0], &pair[1]]);
            }
            agrees(&[&genome]);
            agrees(&[]);
        }
    }
}

#[test]
fn decisions_are_those_of_looking_up_every_k_mer() {
    check::<u64>(3);
    check::<u64>(13);
    check::<u64>(16);
    check::<u64>(31);
    check::<u64>(32);
}

#[test]
fn longer_k_mers_decide_alike() {
    check::<u128>(55);
    check::<Wide<4>>(101);
    check::<Wide<8>>(255);
}

/// k-mers of both strands, in a set that knows nothing of ours.
#[test]
fn sequences_are_screened_without_a_file() {
    let turned = |sequence: &[u8]| -> Vec<u8> {
        let other = |base: &u8| match base {
            b'A' => b'T',
            b'C' => b'G',
            b'G' => b'C',
            _ => b'A',
        };
        sequence.iter().rev().map(other).collect()
    };
    let upper = |seed, length| -> Vec<u8> {
        let bases = letters(seed, length).to_ascii_uppercase();
        let base = |base| if base == b'U' { b'T' } else { base };
        bases.into_iter().map(base).collect()
    };
    for k in [1, 5, 25, 31, 32, 60] {
        let sequences = [upper(1, 3000), upper(2, 700), b"AC".to_vec()];
        let mut known = std::collections::HashSet::new();
        for sequence in &sequences {
            let windows = sequence.windows(k);
            for kmer in windows.filter(|window| !window.contains(&b'N')) {
                known.insert(kmer.to_vec());
                known.insert(turned(kmer));
            }
        }
        let foreign = upper(3, 3000);
        let slices = sequences.iter().map(Vec::as_slice);
        let agrees = |reaches: &mut dyn FnMut(&[u8], Threshold) -> bool| {
            let mut reads: Vec<Vec<u8>> = Vec::new();
            for at in (0..2800).step_by(61) {
                let mut read = sequences[0][at..at + 100].to_vec();
                reads.push(turned(&read));
                read[at % 100] = b'A';
                read[(at + 50) % 100] = b'C';
                reads.push(read);
                reads.push(foreign[at..at + 100].to_vec());
            }
            for read in &reads {
                let windows = read.windows(k);
                let all = windows.filter(|window| !window.contains(&b'N'));
                let found = all.clone().filter(|window| known.contains(*window)).count() as u64;
                let all = all.count() as u64;
                for least in [1, found, found + 1] {
                    for fraction in [0.0, 0.5, 1.0] {
                        let threshold = Threshold { least, fraction };
                        let expected = found >= least && found as f64 >= fraction * all as f64;
                        assert_eq!(reaches(read, threshold), expected, "{k} {threshold:?}");
                    }
                }
            }
        };
        if k <= 32 {
            let screen = KmerScreen::<u64>::of_sequences(slices, k, 2).unwrap();
            assert!(screen.is_canonical() && screen.k() == k);
            let mut screener = screen.screener(Alphabet::Acgtu);
            agrees(&mut |read, threshold| screener.reaches([[read]], threshold));
        } else {
            let screen = KmerScreen::<u128>::of_sequences(slices, k, 1).unwrap();
            let mut screener = screen.screener(Alphabet::Acgtu);
            agrees(&mut |read, threshold| screener.reaches([[read]], threshold));
        }
    }
    for k in [0, 33] {
        assert!(KmerScreen::<u64>::of_sequences([&b"ACGT"[..]], k, 1).is_err());
    }
    let nothing = KmerScreen::<u64>::of_sequences([], 31, 1).unwrap();
    let any = Threshold {
        least: 1,
        fraction: 0.0,
    };
    assert!(
        !nothing
            .screener(Alphabet::Acgtu)
            .reaches([[&[b'A'; 99][..]]], any)
    );
}

/// Of what a count has written, whose minimizers choose where k-mers are looked for.
#[test]
fn partitions_of_a_count_decide_alike() {
    use crate::count::Counter;
    use crate::database::thk;
    use crate::options::CountOptions;
    use thalweg_flow::Budget;

    const K: usize = 31;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.thk");
    let genome = letters(5, 9000);
    let options = CountOptions::new(K).unwrap().with_canonical(true);
    let counter = Counter::new(options.with_partitions(64).unwrap(), Budget::new(1)).unwrap();
    let mut worker = counter.worker().unwrap();
    worker.add(&genome).unwrap();
    let rule = thk::Partitioning::minimizers(64, K);
    let writer = thk::ThkWriter::<u64>::create(&path, &Description::new(K, true), rule).unwrap();
    counter
        .finish(vec![worker.into_share().unwrap()], &writer)
        .unwrap();
    writer.finish().unwrap();
    let database = open(&path).unwrap();
    let loaded = database.load::<u64>(2).unwrap();
    assert!(loaded.rule.is_some());
    let mut lookup = loaded.lookup();
    let screen = KmerScreen::<u64>::open(&database, 1..=u64::MAX, 2).unwrap();
    assert!(matches!(screen.kmers, All::Sorted(_)));
    let mut screener = screen.screener(Alphabet::Acgtu);
    let screen = KmerScreen::new(loaded, 1..=u64::MAX, 2).unwrap();
    let mut by_table = screen.screener(Alphabet::Acgtu);
    let mut reached = 0;
    let foreign = letters(6, 9000);
    for (number, read) in genome.chunks(150).chain(foreign.chunks(150)).enumerate() {
        let mut read = read.to_vec();
        let middle = number % read.len();
        read[middle] = b"ACGT"[number % 4];
        let (found, all) = slowly(&mut lookup, &[&read], &(1..=u64::MAX));
        let threshold = Threshold {
            least: 1,
            fraction: 0.9,
        };
        let expected = threshold.is_reached(found, all);
        assert_eq!(screener.reaches([[&*read]], threshold), expected);
        assert_eq!(by_table.reaches([[&*read]], threshold), expected);
        reached += u64::from(expected);
    }
    assert!((1..60).contains(&reached), "{reached}");
}
