//! A block: up to 1024 records of one partition, in ascending order, on their own.
//!
//! ```text
//! encode(first < ... < last, n of them):
//!     gap[i] = key[i] - first
//!     low = about log2(gap[n-1] / n)             # l, the bits that look random
//!     low bits of each gap, packed               # n * l bits
//!     a bitmap: bit (gap[i] >> l) + i is set     # n + (gap[n-1] >> l) bits: about 2.5 per key
//!     counts less the smallest, packed with w bits; what needs more is listed behind
//!     CRC-32
//! ```
//!
//! That is Elias and Fano's code, within half a bit per key of the least that a sorted set of
//! random numbers can be stored in. It was chosen before
//! - deltas in whole bytes: 7.7 bytes per k-mer, as the study found, against 7.2 here (k = 31, 16,000
//!   keys per partition), because a delta of 49 bits needs 7 bytes and a length;
//! - packed deltas with one width per block: one large gap widens all others, and canonical
//!   k-mers have large gaps;
//! - a general compressor behind either: the bits are random, there is nothing to find.

mod decode;
mod encode;

pub(super) use decode::decode;
pub(super) use encode::{Parts, encode};

use crate::{clamped::COUNTS, database::Totals};

/// Most records in a block. One query reads one block, some 7 KB at k = 31; the 24 bytes that the index has for
/// each are 0.3 % of it.
pub(super) const BLOCK: usize = 1024;

// Those of a block are clamped together.
const _: () = assert!(BLOCK <= COUNTS);

/// The fewest bytes of a block: six fields of a byte, a byte of bitmap, the checksum.
pub(super) const SHORTEST: usize = 11;

/// Totals of the records of a block.
#[inline(always)]
fn totals_of(counts: &[u64]) -> Totals {
    let max_count = counts.iter().fold(0, |max, &count| max.max(count));
    let total = if max_count <= u64::MAX / BLOCK as u64 {
        u128::from(counts.iter().sum::<u64>())
    } else {
        counts.iter().map(|&count| u128::from(count)).sum()
    };
    Totals {
        distinct: counts.len() as u64,
        total,
        unique: counts.iter().map(|&count| u64::from(count == 1)).sum(),
        max_count,
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::{Kmer, Wide};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn check<K: Kmer>(records: &[(K, u64)], k: usize) {
        let mut block = vec![];
        let sums = encode(records, &mut Parts::default(), &mut block).unwrap();
        let counts = || records.iter().map(|record| record.1);
        assert_eq!(sums.distinct, records.len() as u64);
        assert_eq!(sums.total, counts().map(u128::from).sum::<u128>());
        assert_eq!(
            sums.unique,
            counts().filter(|&count| count == 1).count() as u64
        );
        assert_eq!(Some(sums.max_count), counts().max());
        assert!(block.len() >= SHORTEST);
        let mut back = vec![];
        decode(&block, records[0].0, k, &mut back).unwrap();
        assert_eq!(back, records);
        for cut in 0..block.len() {
            assert!(decode(&block[..cut], records[0].0, k, &mut back).is_err());
        }
    }

    fn count() -> impl Strategy<Value = u64> {
        prop_oneof![4 => 1u64..4, 2 => 1u64..300, 1 => any::<u64>()]
    }

    proptest! {
        #[test]
        fn one_word(records in prop::collection::btree_map(any::<u64>(), count(), 1..200)) {
            check(&records.into_iter().collect::<Vec<_>>(), 32);
        }

        #[test]
        fn short_kmers(records in prop::collection::btree_map(0u64..4096, count(), 1..200)) {
            check(&records.into_iter().collect::<Vec<_>>(), 6);
        }

        #[test]
        fn two_words(records in prop::collection::btree_map(any::<u128>(), count(), 1..50)) {
            check(&records.into_iter().collect::<Vec<_>>(), 64);
        }

        #[test]
        fn eight_words(records in prop::collection::btree_map(any::<[u64; 8]>(), count(), 1..50)) {
            let records: BTreeMap<Wide<8>, u64> = records
                .into_iter()
                .map(|(mut words, count)| { words[7] >>= 2; (Wide::<8>::from_words(&words), count) })
                .collect();
            check(&records.into_iter().collect::<Vec<_>>(), 255);
        }

        /// With a checksum that fits, so that the checks behind it are reached.
        #[test]
        fn no_garbage_makes_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), first: u64, k in 1usize..=32) {
            let crc = crc32fast::hash(&bytes);
            bytes.extend_from_slice(&crc.to_le_bytes());
            let _ = decode::<u64>(&bytes, first, k, &mut vec![]);
        }

        #[test]
        fn no_change_makes_it_panic(
            records in prop::collection::btree_map(any::<u64>(), count(), 1..40),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let records: Vec<_> = records.into_iter().collect();
            let mut block = vec![];
            encode(&records, &mut Parts::default(), &mut block).unwrap();
            block.truncate(block.len() - 4);
            for (index, byte) in changes {
                let index = index.index(block.len());
                block[index] = byte;
            }
            let crc = crc32fast::hash(&block);
            block.extend_from_slice(&crc.to_le_bytes());
            let mut back = vec![];
            if decode(&block, records[0].0, 32, &mut back).is_ok() {
                prop_assert!(back.is_sorted_by(|a, b| a.0 < b.0));
            }
        }
    }

    #[test]
    fn what_does_not_ascend_is_no_block() {
        fn check<K: Kmer>(spread: u64, words: usize) {
            for n in [2, 3, 8, 9, 64, 65, BLOCK as u64] {
                // In each word on its own, so that all others are equal.
                let kmer = |i: u64, word: usize| {
                    let mut words = [3, 3, 3, 3, 3, 3, 3, 0];
                    words[word] = 5 + i * spread;
                    (K::from_words(&words), 1)
                };
                for word in 0..words {
                    let sound: Vec<_> = (0..n).map(|i| kmer(i, word)).collect();
                    let (mut parts, mut out) = (Parts::default(), vec![7]);
                    assert!(encode(&sound, &mut parts, &mut out).is_some());
                    out.truncate(1);
                    for (one, other) in [(0, 1), (n / 2 - 1, n / 2), (n - 2, n - 1), (0, n - 1)] {
                        for (one, other) in [(one, other), (other, one)] {
                            let mut records = sound.clone();
                            records[one as usize] = sound[other as usize];
                            assert!(encode(&records, &mut parts, &mut out).is_none());
                        }
                        let mut records = sound.clone();
                        records.swap(one as usize, other as usize);
                        assert!(encode(&records, &mut parts, &mut out).is_none());
                    }
                    // Below the first one, behind which all gaps go around.
                    let mut records = sound.clone();
                    records[n as usize - 1] = kmer(0, word);
                    records[0] = kmer(1, word);
                    assert!(encode(&records, &mut parts, &mut out).is_none());
                    assert_eq!(out, [7]);
                }
            }
        }
        for spread in [1, 7 << 40] {
            check::<u64>(spread, 1);
            check::<u128>(spread, 2);
            check::<Wide<4>>(spread, 4);
        }
    }

    #[test]
    fn the_largest_counts_are_summed() {
        let most = u64::MAX / BLOCK as u64;
        for count in [most, most + 1, u64::MAX] {
            let records: Vec<_> = (0..BLOCK as u64).map(|kmer| (kmer, count)).collect();
            let sums = encode(&records, &mut Parts::default(), &mut vec![]).unwrap();
            assert_eq!(sums.total, BLOCK as u128 * u128::from(count));
        }
    }

    #[test]
    fn a_full_block_of_random_keys_takes_little_more_than_its_entropy() {
        // 1024 keys 2^48 apart on average, as in a partition of 2^14 keys at k = 31.
        let mut state = 1u64;
        let mut kmer = 0u64;
        let records: Vec<_> = (0..1024u64)
            .map(|i| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                kmer += 1 + (state >> 15);
                (kmer, 1 + i % 60)
            })
            .collect();
        let mut block = vec![];
        encode(&records, &mut Parts::default(), &mut block).unwrap();
        // 48 bits and two and a half, and six bits of count.
        assert!(block.len() * 8 < 1024 * 57 + 200, "{}", block.len());
    }
}
