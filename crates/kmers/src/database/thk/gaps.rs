//! How far the k-mers of a block are from its first one.
//!
//! Each kind of number is an array of its own, and each step a loop over one or two of them: such loops are vectors where the
//! processor has them.

use super::bits::{BitWriter, high_bits, subtract};
use crate::kmer::Kmer;

/// The gaps of the k-mers of a block, in parts; used again for each block, as clearing its memory takes a hundredth of the time
/// of counting.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    /// The first word, and the second, if there is one; more are not kept.
    firsts: Vec<u64>,
    seconds: Vec<u64>,
    /// What is above the low bits.
    highs: Vec<u64>,
    /// How many of these there are.
    low: u32,
}

impl Gaps {
    /// Takes those of records of which the last one is not below the first. What is above `low` bits of each must fit into 64.
    ///
    /// Returns whether the k-mers ascend strictly; if not, the gaps mean nothing.
    #[inline(always)]
    pub(super) fn take<K: Kmer>(&mut self, records: &[(K, u64)], low: u32) -> bool {
        self.low = low;
        self.highs.resize(records.len(), 0);
        let first = records.first().map(|record| record.0).unwrap_or_default();
        match K::WORDS {
            1 | 2 => {
                self.take_short(records, first);
                self.ascend(K::WORDS)
            }
            _ => {
                if !records.is_sorted_by(|one, next| one.0 < next.0) {
                    return false;
                }
                for (high, record) in self.highs.iter_mut().zip(records) {
                    *high = high_bits(subtract(record.0, first), low);
                }
                true
            }
        }
    }

    /// Whether gaps of one word or two ascend strictly. So do their k-mers then: of these, none is above the last one, which
    /// is not below the first.
    #[inline(always)]
    fn ascend(&self, words: usize) -> bool {
        let (ones, nexts) = (&self.firsts[..], self.firsts.get(1..).unwrap_or_default());
        // No branch for each: all are looked at.
        let mut fall = false;
        if words == 1 {
            for (one, next) in ones.iter().zip(nexts) {
                fall |= one >= next;
            }
            return !fall;
        }
        let (uppers, next_uppers) = (&self.seconds[..], self.seconds.get(1..).unwrap_or_default());
        let (lower, upper) = (ones.iter().zip(nexts), uppers.iter().zip(next_uppers));
        for ((one, next), (upper, next_upper)) in lower.zip(upper) {
            fall |= (upper > next_upper) | (upper == next_upper) & (one >= next);
        }
        !fall
    }

    /// Of k-mers of one word or two.
    #[inline(always)]
    fn take_short<K: Kmer>(&mut self, records: &[(K, u64)], first: K) {
        self.firsts.resize(records.len(), 0);
        let (firsts, highs) = (&mut self.firsts[..], &mut self.highs[..]);
        let [first, second, ..] = first.to_words();
        if K::WORDS == 1 {
            for ((word, high), record) in firsts.iter_mut().zip(highs).zip(records) {
                *word = record.0.to_words()[0].wrapping_sub(first);
                *high = word.checked_shr(self.low).unwrap_or(0);
            }
            return;
        }
        self.seconds.resize(records.len(), 0);
        let seconds = &mut self.seconds[..];
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
        &self.highs
    }

    /// Appends the low bits of the gaps of the same `records`; `pack` appends those of one word, `pack_two_words` those of two.
    #[inline(always)]
    pub(super) fn pack_lows<K: Kmer>(
        &self,
        records: &[(K, u64)],
        pack: impl Fn(&[u64], u32, &mut Vec<u8>),
        pack_two_words: impl Fn(&[u64], &[u64], u32, &mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        match (K::WORDS, self.low) {
            (1 | 2, ..=64) => pack(&self.firsts, self.low, out),
            (1 | 2, _) => pack_two_words(&self.firsts, &self.seconds, self.low, out),
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
