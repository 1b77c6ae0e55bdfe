//! What decides to which partition a k-mer belongs.

use crate::{
    error::{Error, Result},
    kmer::MAX_K,
    minimizer::minimizer_length,
};

/// The lengths of k-mers and of their minimizers, and the number of partitions.
///
/// Equal k-mers, on either strand, belong to the same partition wherever schemes are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scheme {
    k: usize,
    m: usize,
    partition_bits: u32,
}

impl Scheme {
    /// For k-mers of `k` bases, with minimizers of the length that suits them, and one partition.
    ///
    /// # Errors
    ///
    /// [`Error::BadK`] unless `1 <= k <= 255`.
    pub fn new(k: usize) -> Result<Self> {
        if !(1..=MAX_K).contains(&k) {
            return Err(Error::BadK { k, max: MAX_K });
        }
        Ok(Self {
            k,
            m: minimizer_length(k),
            partition_bits: 0,
        })
    }

    /// With `1 << bits` partitions.
    pub fn with_partition_bits(self, bits: u32) -> Self {
        Self {
            partition_bits: bits,
            ..self
        }
    }

    /// Bases of a k-mer.
    #[inline]
    pub fn k(&self) -> usize {
        self.k
    }

    /// Bases of a minimizer.
    #[inline]
    pub fn m(&self) -> usize {
        self.m
    }

    /// Binary logarithm of the number of partitions.
    #[inline]
    pub fn partition_bits(&self) -> u32 {
        self.partition_bits
    }

    /// Number of partitions.
    #[inline]
    pub fn partitions(&self) -> usize {
        1 << self.partition_bits
    }

    /// k-mers of a super-k-mer, at most: they have a minimizer in common.
    #[inline]
    pub fn most_kmers(&self) -> usize {
        self.k - self.m + 1
    }

    /// Words of the record of a super-k-mer.
    pub fn record_words(&self) -> usize {
        crate::record::words_for(2 * self.k - self.m)
    }
}
