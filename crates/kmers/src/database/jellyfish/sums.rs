//! What the records of a file add up to.

use crate::database::Totals;
use crate::kmer::Kmer;

/// What a record adds, of the sum of its k-mer's words and its count. The factor is odd, so that no change of that sum is
/// lost; that of a count shows in the totals, and two that change places here.
#[inline(always)]
pub(crate) fn of_record(words: u64, count: u64) -> u64 {
    words.wrapping_mul(count.wrapping_mul(2).wrapping_add(1))
}

/// Of records as they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) totals: Totals,
    /// Of what [`of_record`] makes of each, modulo 2^64.
    pub(crate) records: u64,
}

impl Sums {
    #[inline(always)]
    pub(crate) fn add<K: Kmer>(&mut self, kmer: K, count: u64) {
        self.totals.add(count);
        let words = (kmer.to_words().iter()).fold(0u64, |sum, word| sum.wrapping_add(*word));
        self.records = self.records.wrapping_add(of_record(words, count));
    }

    pub(crate) fn merge(&mut self, other: &Sums) {
        self.totals.merge(&other.totals);
        self.records = self.records.wrapping_add(other.records);
    }
}
