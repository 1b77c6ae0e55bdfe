use super::{
    stage1::{OtherLetters, Share},
    stage2::Sums,
};
use crate::{
    error::{Error, Result},
    histogram::Histogram,
};

use thalweg_superkmers::partition::SealedStore;

/// What a count has seen and kept.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Letters of all sequences.
    pub bases: u64,
    /// Those of them that are no bases: no k-mer with one of them was counted.
    pub other_letters: OtherLetters,
    /// k-mers of the input: windows of k bases; also the sum of all counts.
    pub kmers: u64,
    /// Different k-mers.
    pub distinct: u64,
    /// k-mers of those whose count was within the limits.
    pub kept_kmers: u64,
    /// Different k-mers that reached the sink.
    pub kept_distinct: u64,
    /// Super-k-mers that passed from the first stage to the second.
    pub super_kmers: u64,
    /// Of these, the number left when equal ones were merged.
    pub merged_super_kmers: u64,
    /// Bytes of memory that super-k-mers took at the end of the first stage.
    pub record_bytes: u64,
    /// Bytes written to temporary files.
    pub spilled_bytes: u64,
    /// How often a partition was read again because its table was full.
    pub extra_passes: u64,
    /// How many k-mers occur how often, before any limit on counts.
    pub histogram: Histogram,
    counted: u128,
    kept: u128,
}

impl Totals {
    pub(super) fn add_share(&mut self, share: &Share) {
        self.bases += share.totals.bases;
        self.other_letters.merge(&share.other_letters);
        self.kmers += share.totals.kmers;
        self.super_kmers += share.totals.records;
        self.record_bytes += share.store.as_ref().map_or(0, SealedStore::memory);
        self.spilled_bytes += share.store.as_ref().map_or(0, SealedStore::spilled);
    }

    pub(super) fn add_sums(&mut self, sums: &Sums) {
        self.counted += sums.counted;
        self.distinct += sums.distinct;
        self.kept += sums.kept_kmers;
        self.kept_distinct += sums.kept_distinct;
        self.merged_super_kmers += sums.merged_records;
        self.extra_passes += sums.extra_passes;
        self.histogram.merge(&sums.histogram);
    }

    /// Checks that every k-mer read was counted, and no other.
    pub(super) fn check(&mut self) -> Result<()> {
        self.kept_kmers = self.kept as u64;
        if self.counted != u128::from(self.kmers) {
            return Err(Error::totals(self.kmers.into(), self.counted));
        }
        Ok(())
    }
}
