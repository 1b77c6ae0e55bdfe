//! How far the k-mers of a block are from its first one.
//!
//! Each kind of number is an array of its own, and each step a loop over one or two of them: such loops are vectors where the
//! processor has them.

use super::bits::{BitWriter, high_bits, subtract, words};
use super::block::BLOCK;
use super::pack;
use crate::kmer::Kmer;

/// The gaps of up to [`BLOCK`] k-mers, in parts.
pub(super) struct Gaps {
    n: usize,
    /// The first word, and the second; more are not kept.
    firsts: [u64; BLOCK],
    seconds: [u64; BLOCK],
    /// What is above the low bits.
    highs: [u64; BLOCK],
    /// How many of these there are.
    low: u32,
}

impl Gaps {
    /// Of records that ascend, and are not more than a block's. What is above `low` bits of each gap must fit into 64.
    #[inline(always)]
    pub(super) fn of<K: Kmer>(records: &[(K, u64)], low: u32) -> Self {
        let mut gaps = Self {
            n: records.len(),
            firsts: [0; BLOCK],
            seconds: [0; BLOCK],
            highs: [0; BLOCK],
            low,
        };
        let first = records.first().map(|record| record.0).unwrap_or_default();
        match words::<K>() {
            1 | 2 => gaps.find_short(records, first),
            _ => {
                for (high, record) in gaps.highs.iter_mut().zip(records) {
                    *high = high_bits(subtract(record.0, first), low);
                }
            }
        }
        gaps
    }

    /// Of k-mers of one word or two.
    #[inline(always)]
    fn find_short<K: Kmer>(&mut self, records: &[(K, u64)], first: K) {
        let (firsts, seconds) = (&mut self.firsts[..self.n], &mut self.seconds[..self.n]);
        let highs = &mut self.highs[..self.n];
        let [first, second, ..] = first.to_words();
        if words::<K>() == 1 {
            for ((word, high), record) in firsts.iter_mut().zip(highs).zip(records) {
                *word = record.0.to_words()[0] - first;
                *high = word.checked_shr(self.low).unwrap_or(0);
            }
            return;
        }
        for ((one, two), record) in firsts.iter_mut().zip(&mut *seconds).zip(records) {
            [*one, *two, ..] = record.0.to_words();
        }
        for (one, two) in firsts.iter_mut().zip(&mut *seconds) {
            let borrow = u64::from(*one < first);
            *one = one.wrapping_sub(first);
            *two = two.wrapping_sub(second).wrapping_sub(borrow);
        }
        match self.low {
            0 => highs.copy_from_slice(firsts),
            low @ 1..64 => {
                for ((high, &one), &two) in highs.iter_mut().zip(&*firsts).zip(&*seconds) {
                    *high = one >> low | two << (64 - low);
                }
            }
            low => {
                for (high, two) in highs.iter_mut().zip(&*seconds) {
                    *high = two.checked_shr(low - 64).unwrap_or(0);
                }
            }
        }
    }

    /// What is above the low bits of each gap.
    pub(super) fn highs(&self) -> &[u64] {
        &self.highs[..self.n]
    }

    /// Appends the low bits of the gaps of the same `records`; `pack` appends those of one word.
    #[inline(always)]
    pub(super) fn pack_lows<K: Kmer>(
        &self,
        records: &[(K, u64)],
        pack: impl Fn(&[u64], u32, &mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        let (firsts, seconds) = (&self.firsts[..self.n], &self.seconds[..self.n]);
        match (words::<K>(), self.low) {
            (1 | 2, ..=64) => pack(firsts, self.low, out),
            (1 | 2, _) => pack::pack_two_words(firsts, seconds, self.low, out),
            _ => {
                let mut fields = BitWriter::new(out);
                for record in records {
                    fields.push_kmer(subtract(record.0, records[0].0), self.low);
                }
                fields.finish();
            }
        }
    }
}
