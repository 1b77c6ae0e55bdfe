//! How far the k-mers of a block are from its first one.
//!
//! Each kind of number is an array of its own, and each step a loop over one or two of them: such loops are vectors where the
//! processor has them.

use super::bits::{BitWriter, high_bits, subtract, words};
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
    /// Takes those of records that ascend. What is above `low` bits of each must fit into 64.
    #[inline(always)]
    pub(super) fn take<K: Kmer>(&mut self, records: &[(K, u64)], low: u32) {
        self.low = low;
        self.highs.resize(records.len(), 0);
        let first = records.first().map(|record| record.0).unwrap_or_default();
        match words::<K>() {
            1 | 2 => self.take_short(records, first),
            _ => {
                for (high, record) in self.highs.iter_mut().zip(records) {
                    *high = high_bits(subtract(record.0, first), low);
                }
            }
        }
    }

    /// Of k-mers of one word or two.
    #[inline(always)]
    fn take_short<K: Kmer>(&mut self, records: &[(K, u64)], first: K) {
        self.firsts.resize(records.len(), 0);
        let (firsts, highs) = (&mut self.firsts[..], &mut self.highs[..]);
        let [first, second, ..] = first.to_words();
        if words::<K>() == 1 {
            for ((word, high), record) in firsts.iter_mut().zip(highs).zip(records) {
                *word = record.0.to_words()[0] - first;
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
        match (words::<K>(), self.low) {
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
