//! What a build will take, before it begins.

use thalweg_flow::Budget;

use super::options::{BuildOptions, Plan};
use crate::Result;
use crate::record::RecordLayout;

/// What a build of so many bases will take, roughly: as if all k-mers were different, as those of unrelated genomes are. Related
/// ones take less room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BuildEstimate {
    /// Letters of all sequences.
    pub bases: u64,
    /// Bases of minimizers.
    pub m: usize,
    /// Bytes of the database, at most.
    pub database_bytes: u64,
    /// Bytes of memory: what is wanted, or the limit.
    pub memory_bytes: u64,
    /// Bytes of temporary files.
    pub temporary_bytes: u64,
    /// Seconds on the budget's threads, without reading the files.
    pub seconds: f64,
}

/// k-mers of a super-k-mer and of a record, in tenths, where 17 at most can have a minimizer in common.
const TENTHS_OF_KMERS: u64 = 90;

/// Bytes of a record in temporary files.
const TEMPORARY_BYTES_OF_RECORD: u64 = 20;

/// Bytes of a partition under way, and of buffers.
const BYTES_OF_THREAD: u64 = 32 << 20;

/// Seconds for a base, of one thread: a rough figure, with masking.
const SECONDS_OF_BASE: f64 = 70e-9;

impl BuildEstimate {
    /// Of a build with these options from sequences of so many letters together.
    ///
    /// # Errors
    ///
    /// As [`DatabaseBuilder::new`](super::DatabaseBuilder::new).
    pub fn new(options: &BuildOptions, bases: u64, budget: &Budget) -> Result<Self> {
        let options = options.clone().with_expected_bases(Some(bases));
        let plan = Plan::new(&options, budget)?;
        let scheme = plan.scheme;
        // The more can have a minimizer in common, the more have.
        let tenths = (TENTHS_OF_KMERS * scheme.most_kmers() as u64 / 17).max(10);
        let of_parts = u64::from(options.part().map_or(1, |(_, of)| of));
        let records = (bases / of_parts / tenths).saturating_mul(10);
        let directory_bits =
            RecordLayout::directory_bits_for(scheme, super::USUAL_ID_BITS, records);
        let record_bytes = RecordLayout::new(scheme, directory_bits, super::USUAL_ID_BITS)
            .map_or(16, |layout| layout.record_bytes());
        let bases_of_super_kmer = scheme.k() as u64 + tenths / 10;
        let super_kmers = records.saturating_mul(2 + (bases_of_super_kmer + 8) / 4);
        let entries = records.saturating_mul(TEMPORARY_BYTES_OF_RECORD);
        // Chunks are not full, and a partition takes more than its super-k-mers.
        let of_threads = plan.threads as u64 * BYTES_OF_THREAD;
        let wanted = (super_kmers / 4)
            .saturating_mul(5)
            .saturating_add(of_threads);
        Ok(Self {
            bases,
            m: scheme.m(),
            database_bytes: (records.saturating_mul(record_bytes as u64))
                .saturating_add(4 << directory_bits),
            memory_bytes: wanted.min(plan.memory),
            temporary_bytes: entries.saturating_add(super_kmers.saturating_sub(plan.chunk_memory)),
            seconds: bases as f64 * SECONDS_OF_BASE / plan.threads as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_of_the_order_that_was_seen() {
        // Bytes of the database for a base, as the study of such databases has them for genomes that are not related.
        for (k, least, most) in [(31, 1.4, 2.2), (24, 1.8, 2.8), (20, 2.3, 3.3)] {
            let options = BuildOptions::new(k).unwrap();
            let budget = Budget::new(2).with_memory(1 << 30);
            let bases = 145_000_000;
            let estimate = BuildEstimate::new(&options, bases, &budget).unwrap();
            let bytes = estimate.database_bytes as f64 / bases as f64;
            assert!((least..most).contains(&bytes), "k = {k}: {bytes} bytes");
            assert!(estimate.memory_bytes <= 1 << 30);
            assert!(estimate.temporary_bytes < 8 * bases);
        }
    }

    #[test]
    fn no_number_of_bases_is_too_large() {
        for bases in [0, 1, 1 << 40, u64::MAX] {
            let options = BuildOptions::new(31).unwrap();
            let estimate = BuildEstimate::new(&options, bases, &Budget::new(1)).unwrap();
            assert_eq!(estimate.bases, bases);
        }
    }
}
