//! Blocks that were cut elsewhere, good ones and damaged ones.

use crate::support::{Cutting, Random, blocks, scheme, spill};
use thalweg_superkmers::{
    Error, Result, Scheme,
    packed::{BLOCK_WORDS, block_bytes, unpack, unpack_marked},
    partition::{BlockSink, Inbox, Shape, Store},
    record::{self, Record},
};

/// Blocks as they would go over a network, with their partitions.
struct Outbox(Vec<(usize, Vec<u8>)>, usize);

impl BlockSink for Outbox {
    fn append(&mut self, partition: usize, block: &[u64]) -> Result<()> {
        let bytes = block_bytes(block, self.1).into_owned();
        self.0.push((partition, bytes));
        Ok(())
    }
}

fn shape(scheme: Scheme, marked: bool) -> Shape {
    Shape {
        marked,
        ..Shape::new(&scheme, 1024)
    }
}

fn inbox(scheme: Scheme, marked: bool) -> Inbox {
    let shape = shape(scheme, marked);
    let (ledger, spill) = spill(shape);
    Inbox::new(scheme, shape, ledger, spill).unwrap()
}

/// What a sequence is cut into elsewhere, and how many k-mers it has.
fn sent(scheme: Scheme, marked: bool, len: usize) -> (Vec<(usize, Vec<u8>)>, u64) {
    let sink = Outbox(Vec::new(), scheme.record_words());
    let store = Store::with_sink(shape(scheme, marked), sink);
    let mut cutting = Cutting::new(scheme, store);
    for (marker, letters) in Random(5).letters(len).chunks(len / 3).enumerate() {
        if marked {
            let store = cutting.partitioner.store_mut();
            store.set_marker(marker as u32).unwrap();
        }
        cutting.add(letters).unwrap();
    }
    let kmers = cutting.partitioner.cuts().kmers;
    (cutting.partitioner.finish().unwrap().0, kmers)
}

const ALL: [(usize, bool); 6] = [
    (15, false),
    (21, true),
    (31, false),
    (31, true),
    (55, false),
    (100, true),
];

#[test]
fn foreign_blocks_are_kept_as_they_were() {
    for (k, marked) in ALL {
        let scheme = scheme(k);
        let (sent, kmers) = sent(scheme, marked, 60_000);
        let mut inbox = inbox(scheme, marked);
        let mut received = 0;
        let mut expected = vec![Vec::new(); scheme.partitions()];
        for (partition, bytes) in &sent {
            received += inbox.append(*partition, bytes).unwrap();
            expected[*partition].push(bytes.clone());
        }
        assert_eq!(received, kmers, "k = {k}");
        assert_eq!(inbox.append(0, &[]).unwrap(), 0);
        let store = inbox.seal();
        assert!(store.spilled() > 0);
        for (partition, expected) in expected.into_iter().enumerate() {
            // The newest chunk comes first.
            let words = blocks(&store, partition);
            let mut found = block_bytes(&words, scheme.record_words()).into_owned();
            let mut expected = expected.concat();
            assert_eq!(found.len(), expected.len());
            found.sort_unstable();
            expected.sort_unstable();
            assert!(found == expected, "k = {k}, partition {partition}");
        }
    }
}

/// Several at once are taken as one by one.
#[test]
fn blocks_behind_each_other_are_taken() {
    let scheme = scheme(31);
    let (sent, _) = sent(scheme, false, 20_000);
    let all: Vec<u8> = sent.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    let mut one = inbox(scheme, false);
    let apart: u64 = (sent.iter())
        .map(|(_, bytes)| one.append(3, bytes).unwrap())
        .sum();
    assert_eq!(inbox(scheme, false).append(3, &all).unwrap(), apart);
}

#[test]
fn other_partitions_and_shapes_are_refused() {
    let scheme = scheme(31);
    let (sent, _) = sent(scheme, false, 3000);
    let error = inbox(scheme, false).append(16, &sent[0].1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a block of partition 16 cannot be used: there is no such partition"
    );
    let other = shape(scheme.with_partition_bits(5).unwrap(), false);
    let (ledger, spill) = spill(other);
    let inbox = Inbox::new(scheme, other, ledger, spill);
    assert!(matches!(inbox, Err(Error::BadScheme(_))));
}

/// The lengths of all records that blocks hold, which must be there.
fn lengths<const N: usize>(words: &[u64], marked: bool) -> Vec<usize> {
    let mut records: Vec<Record<N>> = Vec::new();
    for block in words.chunks(BLOCK_WORDS) {
        match (marked, N) {
            (true, _) => assert!(unpack_marked(block, &mut records).is_some()),
            (false, 1) => records.extend_from_slice(block.as_chunks().0),
            (false, _) => unpack(block, &mut records).expect("a block"),
        }
    }
    records.iter().map(record::len).collect()
}

/// Takes damaged bytes: they are refused, or they are blocks whose records all have lengths that there are.
fn take(scheme: Scheme, marked: bool, bytes: &[u8]) -> bool {
    let mut inbox = inbox(scheme, marked);
    let kmers = match inbox.append(1, bytes) {
        Ok(kmers) => kmers,
        Err(Error::BadBlock { partition: 1, .. }) => {
            assert!(blocks(&inbox.seal(), 1).is_empty());
            return false;
        }
        Err(other) => panic!("{other}"),
    };
    let words = blocks(&inbox.seal(), 1);
    let lengths = match scheme.record_words() {
        1 => lengths::<1>(&words, marked),
        2 => lengths::<2>(&words, marked),
        4 => lengths::<4>(&words, marked),
        _ => lengths::<8>(&words, marked),
    };
    let (least, most) = (scheme.k(), scheme.most_bases());
    assert!(lengths.iter().all(|len| (least..=most).contains(len)));
    let sum: usize = lengths.iter().map(|len| len + 1 - least).sum();
    assert_eq!(sum as u64, kmers);
    true
}

#[test]
fn damaged_blocks_are_refused_or_harmless() {
    let mut random = Random(1);
    for (k, marked) in ALL {
        let scheme = scheme(k);
        let (sent, _) = sent(scheme, marked, 20_000);
        let (mut taken, mut refused) = (0, 0);
        for _ in 0..3000 {
            let mut bytes = sent[random.below(sent.len())].1.clone();
            match random.below(5) {
                // Cut off.
                0 => bytes.truncate(random.below(bytes.len())),
                // A bit turned.
                1 => {
                    let at = random.below(bytes.len());
                    bytes[at] ^= 1 << random.below(8);
                }
                // Some bytes written over.
                2 => {
                    for _ in 0..1 + random.below(20) {
                        let at = random.below(bytes.len());
                        bytes[at] = random.below(256) as u8;
                    }
                }
                // Moved by a byte.
                3 => bytes.rotate_left(1),
                // Anything.
                _ => bytes.fill_with(|| random.below(256) as u8),
            }
            match take(scheme, marked, &bytes) {
                true => taken += 1,
                false => refused += 1,
            }
        }
        assert!(refused > 1000 && taken > 100, "k = {k}: {refused}, {taken}");
    }
}

#[test]
fn blocks_of_another_k_are_refused_or_harmless() {
    for (k, marked) in ALL {
        let mut refused = 0;
        for other in [11, 13, 20, 22, 30, 33, 40, 80, 128, 255] {
            let (sent, _) = sent(scheme(other), marked, 20_000);
            for (_, bytes) in sent.iter().take(200) {
                refused += usize::from(!take(scheme(k), marked, bytes));
            }
        }
        assert!(refused > 300, "k = {k}: {refused}");
    }
}
