//! What the records of a file add up to.

use crate::database::Totals;
use crate::kmer::Kmer;

/// Of records as they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) totals: Totals,
    /// Of all 64-bit words of all k-mers, modulo 2^64: no single one can change without it.
    pub(crate) kmers: u64,
}

impl Sums {
    #[inline(always)]
    pub(crate) fn add<K: Kmer>(&mut self, kmer: K, count: u64) {
        self.totals.add(count);
        self.kmers = (kmer.to_words().iter()).fold(self.kmers, |sum, word| sum.wrapping_add(*word));
    }

    pub(crate) fn merge(&mut self, other: &Sums) {
        self.totals.merge(&other.totals);
        self.kmers = self.kmers.wrapping_add(other.kmers);
    }
}
