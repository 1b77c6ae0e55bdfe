//! A marker goes through a partition with the records that it holds for.

use crate::support::{Cutting, Random, blocks, kmers, kmers_of, scheme, store};
use std::collections::BTreeMap;
use thalweg_superkmers::{
    packed::{BLOCK_WORDS, unpack_marked},
    partition::Shape,
};

/// A genome of each number comes back under its number, of records of `N` words.
fn check<const N: usize>(k: usize) {
    let scheme = scheme(k);
    assert_eq!(scheme.record_words(), N);
    let shape = Shape {
        marked: true,
        ..Shape::new(&scheme, 1024)
    };
    let mut cutting = Cutting::new(scheme, store(shape));
    let mut expected: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
    let mut random = Random(k as u64);
    // The largest of all, some twice, and one that has no k-mer.
    for (marker, len) in [
        (7, 3000),
        (7, 500),
        (u32::MAX, 40_000),
        (0, 100),
        (1 << 20, k - 1),
        (7, 2000),
        (1, 70_000),
    ] {
        cutting.partitioner.store_mut().set_marker(marker).unwrap();
        let letters = random.letters(len);
        cutting.add(&letters).unwrap();
        let kmers = kmers_of(&letters, k);
        expected.entry(marker).or_default().extend(kmers);
    }
    let cuts = cutting.partitioner.cuts();
    let store = cutting.partitioner.seal().unwrap();
    assert!(store.spilled() > 0);

    let mut found: BTreeMap<u32, Vec<Vec<u8>>> = BTreeMap::new();
    let mut number = 0;
    for partition in 0..scheme.partitions() {
        for block in blocks(&store, partition).chunks(BLOCK_WORDS) {
            let mut records = Vec::new();
            let marker = unpack_marked::<N>(block, &mut records).expect("a block");
            assert!(!records.is_empty());
            number += records.len() as u64;
            kmers(&records, k, found.entry(marker).or_default());
        }
    }
    assert_eq!(number, cuts.records);
    expected.retain(|_, kmers| !kmers.is_empty());
    for kmers in found.values_mut().chain(expected.values_mut()) {
        kmers.sort_unstable();
    }
    assert!(found == expected, "k = {k}");
}

#[test]
fn genomes_come_back_under_their_numbers() {
    check::<1>(15);
    check::<1>(21);
    check::<2>(31);
    check::<4>(55);
}

#[test]
#[should_panic(expected = "blocks without markers")]
fn a_store_without_markers_takes_none() {
    let mut store = store(Shape::new(&scheme(31), 1024));
    store.set_marker(1).unwrap();
}

/// Few super-k-mers do not take a block for each marker that has none of them.
#[test]
fn blocks_without_records_are_not_kept() {
    let scheme = scheme(31);
    let shape = Shape {
        marked: true,
        ..Shape::new(&scheme, 1024)
    };
    let mut store = store(shape);
    for marker in 0..1000 {
        store.set_marker(marker).unwrap();
    }
    let store = store.seal().unwrap();
    assert!((0..scheme.partitions()).all(|partition| store.words(partition) == 0));
}
