//! A count written straight into databases, and looked up again.

use crate::extent::one_of;
use crate::support::Random;
use std::collections::BTreeMap;

use thalweg_flow::{Budget, run};
use thalweg_kmers::count::Counter;
use thalweg_kmers::database::{
    self, Database, Description, Order, SequenceKmers, SortOptions, Totals, thk,
};
use thalweg_kmers::kmer::{Kmer, KmerTask, dispatch};
use thalweg_kmers::options::CountOptions;
use thalweg_kmers::{Error, Result};

#[test]
fn a_count_is_found_again_in_one_block() {
    struct Task {
        k: usize,
        turn: usize,
    }
    impl KmerTask for Task {
        type Output = ();
        fn run<K: Kmer>(self) {
            for &canonical in one_of(self.turn, &[true, false]) {
                check::<K>(self.k, canonical);
            }
        }
    }
    for (turn, k) in [1, 5, 12, 21, 31, 32, 55, 100, 201].into_iter().enumerate() {
        dispatch(k, Task { k, turn }).unwrap();
    }
}

fn check<K: Kmer>(k: usize, canonical: bool) {
    let mut random = Random(k as u64);
    let reads: Vec<Vec<u8>> = (0..200)
        .map(|_| {
            (0..300)
                .map(|_| {
                    if random.below(300) == 0 {
                        b'N'
                    } else {
                        b"ACGT"[random.below(4) as usize]
                    }
                })
                .collect()
        })
        .collect();
    let mut expected: BTreeMap<K, u64> = BTreeMap::new();
    for read in reads.iter().chain(&reads[..20]) {
        for (_, kmer) in SequenceKmers::<K>::new(read, k) {
            let kmer = if canonical { kmer.canonical(k) } else { kmer };
            *expected.entry(kmer).or_insert(0) += 1;
        }
    }

    let options = CountOptions::new(k).unwrap().with_canonical(canonical);
    let options = options.with_partitions(64).unwrap();
    let counter = Counter::new(options, Budget::new(2)).unwrap();
    let shares = run::<_, Error, _>(2, |thread, _stop| {
        let mut worker = counter.worker()?;
        for read in reads.iter().chain(&reads[..20]).skip(thread).step_by(2) {
            worker.add(read)?;
        }
        worker.into_share()
    })
    .unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("counted.thk");
    let partitioning = thk::Partitioning::minimizers(counter.partitions(), k);
    let writer =
        thk::ThkWriter::<K>::create(&path, &Description::new(k, canonical), partitioning).unwrap();
    let counted = counter.finish(shares, &writer).unwrap();
    let totals = writer.finish().unwrap();
    assert_eq!(totals.distinct, counted.distinct);
    assert_eq!(totals.total, u128::from(counted.kmers));

    holds(
        &database::open(&path).unwrap(),
        k,
        canonical,
        &expected,
        &totals,
    );
    // By the rule of before, and by one that nobody knows: all partitions are searched.
    for rule in [2, 255] {
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[104] = rule;
        let checksum = crc32fast::hash(&bytes[..124]);
        bytes[124..128].copy_from_slice(&checksum.to_le_bytes());
        std::fs::write(&path, &bytes).unwrap();
        holds(
            &database::open(&path).unwrap(),
            k,
            canonical,
            &expected,
            &totals,
        );
    }
}

/// Read, searched and verified.
fn holds<K: Kmer>(
    database: &Database,
    k: usize,
    canonical: bool,
    expected: &BTreeMap<K, u64>,
    totals: &Totals,
) {
    assert_eq!(database.header().canonical, Some(canonical));
    // Short k-mers are counted without partitions.
    if k > 11 {
        assert_eq!(database.header().order, Order::Partitioned(64));
    }
    assert_eq!(database.verify(&SortOptions::default()).unwrap(), *totals);
    let sorted: Result<Vec<_>> = (database.sorted::<K>(&SortOptions::default()).unwrap()).collect();
    assert!(sorted.unwrap().into_iter().eq(expected.clone()), "k = {k}");
    let mut lookup = database.lookup::<K>().unwrap();
    for (&kmer, &count) in expected {
        assert_eq!(lookup.find(kmer).unwrap(), Some(count), "k = {k}");
        if canonical {
            assert_eq!(
                lookup.find(kmer.reverse_complement(k)).unwrap(),
                Some(count)
            );
        }
        let other = kmer.append(2, k);
        let same = if canonical { other.canonical(k) } else { other };
        assert_eq!(lookup.find(other).unwrap(), expected.get(&same).copied());
    }
}
