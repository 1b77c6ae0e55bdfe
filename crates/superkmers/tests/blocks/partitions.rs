//! Partitions hold all k-mers, each in one of them, whatever the lengths of k-mers and minimizers.

use crate::support::{Cutting, Random, blocks, kmers, kmers_of, store};
use std::collections::HashMap;
use thalweg_superkmers::{
    Scheme,
    kmer::{LETTERS, code},
    packed::unpack,
    partition::{SealedStore, Shape},
    record::Record,
};

fn records<const N: usize>(store: &SealedStore, partition: usize) -> Vec<Record<N>> {
    let words = blocks(store, partition);
    let mut records = Vec::new();
    match N {
        1 => records.extend_from_slice(words.as_chunks().0),
        _ => unpack(&words, &mut records).expect("blocks"),
    }
    records
}

fn check(scheme: Scheme, letters: &[u8]) {
    let k = scheme.k();
    let shape = Shape::new(&scheme, 1024);
    let mut cutting = Cutting::new(scheme, store(shape));
    cutting.add(letters).unwrap();
    // The other strand, in reads that overlap.
    let partner = |&letter: &u8| LETTERS[usize::from(3 - code(letter))];
    let turned: Vec<u8> = letters.iter().rev().map(partner).collect();
    let reads = || turned.windows(150).step_by(131);
    for read in reads() {
        cutting.add(read).unwrap();
    }
    let mut expected: Vec<_> = kmers_of(letters, k).collect();
    expected.extend(reads().flat_map(|read| kmers_of(read, k)));
    assert_eq!(cutting.partitioner.cuts().kmers, expected.len() as u64);

    let store = cutting.partitioner.seal().unwrap();
    let (mut found, mut partition_of) = (Vec::new(), HashMap::new());
    for partition in 0..scheme.partitions() {
        let before = found.len();
        match scheme.record_words() {
            1 => kmers(&records::<1>(&store, partition), k, &mut found),
            2 => kmers(&records::<2>(&store, partition), k, &mut found),
            _ => kmers(&records::<4>(&store, partition), k, &mut found),
        }
        for kmer in &found[before..] {
            let first = *partition_of.entry(kmer.clone()).or_insert(partition);
            assert_eq!(first, partition, "k = {k}, m = {}", scheme.m());
        }
    }
    found.sort_unstable();
    expected.sort_unstable();
    assert!(found == expected, "k = {k}, m = {}", scheme.m());
}

#[test]
fn equal_k_mers_meet_in_one_partition() {
    let mut random = Random(11);
    let text = random.letters(6000);
    let short = random.letters(23);
    let repeat: Vec<u8> = short.iter().copied().cycle().take(3000).collect();
    for k in [15, 19, 21, 31, 32, 33, 40, 55, 64] {
        for m in [1, 7, 11, 12, 15, 16, 17, 18, 19] {
            if m <= k {
                let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
                let scheme = scheme.with_partition_bits(4).unwrap();
                for letters in [&text[..], &repeat, &[b'A'; 1000]] {
                    check(scheme, letters);
                }
            }
        }
    }
}
