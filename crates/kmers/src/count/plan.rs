//! All sizes of a count, from k, the budget and what is known of the input.

use crate::{
    database::thk::merge_bytes,
    error::{Error, Result},
    minimizer::minimizer_length,
    options::CountOptions,
    partition::{STAGE_BYTES, Shape},
};
use thalweg_flow::Budget;

use super::{direct::Direct, record::words_for};

/// Least memory of one worker: 16 partitions' buffers, the smallest tables for the longest
/// k-mers and the buffers of a temporary file.
const LEAST_MEMORY: u64 = 1 << 20;

/// What merging partitions may take, however little is allowed: as much as reading the sequences took before.
const LEAST_MERGE_MEMORY: u64 = 8 << 20;

/// Bases of a partition: about 20 to 100 thousand different k-mers, a table of up to
/// 2 MiB that the second-level cache holds.
const BASES_OF_PARTITION: u64 = 200_000;

/// The sizes of a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) k: usize,
    /// Bases of a minimizer.
    pub(crate) m: usize,
    /// Binary logarithm of the number of partitions.
    pub(crate) partition_bits: u32,
    pub(crate) shape: Shape,
    /// Whether there is a counter for every k-mer that there can be, and no super-k-mers.
    pub(crate) direct: bool,
    pub(crate) threads: usize,
    /// All memory.
    pub(crate) memory: u64,
    /// What the chunks of all workers together may take beyond those set aside.
    pub(crate) chunk_memory: u64,
}

impl Plan {
    pub(crate) fn new(options: &CountOptions, budget: &Budget) -> Result<Self> {
        let threads = budget.threads();
        let memory = budget.memory();
        let needed = LEAST_MEMORY * threads as u64;
        if memory < needed {
            return Err(Error::Memory {
                limit: memory,
                needed,
            });
        }
        let k = options.k();
        let m = minimizer_length(k);
        // A super-k-mer is at most k - m + 1 k-mers that share a minimizer.
        let record_words = words_for(2 * k - m);
        let mut partitions = options.partitions().unwrap_or_else(|| {
            let bases = options
                .expected_bases()
                .unwrap_or(1024 * BASES_OF_PARTITION);
            (bases / BASES_OF_PARTITION)
                .clamp(64, 4096)
                .next_power_of_two() as usize
        });
        let merging = match options.merged() {
            true => (memory / 2).max(LEAST_MERGE_MEMORY),
            false => u64::MAX,
        };
        while partitions > 16 && (partitions * merge_bytes(k)) as u64 > merging {
            partitions /= 2;
        }
        // Chunks of 8 KiB; all partitions' stages and newest chunks may take a quarter of the memory.
        let mut chunk_bytes = 8192;
        while (threads * partitions * (STAGE_BYTES + chunk_bytes)) as u64 > memory / 4 {
            if chunk_bytes > 1024 {
                chunk_bytes /= 2;
            } else if partitions > 16 {
                partitions /= 2;
            } else {
                break;
            }
        }
        let fixed = (threads * partitions * (STAGE_BYTES + chunk_bytes)) as u64;
        let slab_bytes = (memory / 64 / threads as u64).clamp(chunk_bytes as u64, 2 << 20) as usize;
        let slab_chunks = (slab_bytes / chunk_bytes)
            .next_power_of_two()
            .min(partitions);
        Ok(Self {
            k,
            m,
            partition_bits: partitions.trailing_zeros(),
            shape: Shape {
                partitions,
                record_words,
                chunk_words: chunk_bytes / 8,
                slab_chunks,
            },
            direct: Direct::memory(k).is_some_and(|bytes| bytes * threads as u64 <= memory / 2),
            threads,
            memory,
            // A quarter stays for the tables of the second stage.
            chunk_memory: (memory / 4 * 3).saturating_sub(fixed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_that_will_be_merged_fit_into_memory() {
        for k in [21, 55, 100, 255] {
            for mebibytes in [2, 64, 256, 4096] {
                let budget = Budget::new(2).with_memory(mebibytes << 20);
                let bases = Some(u64::MAX);
                let options = CountOptions::new(k).expect("a good k");
                let options = options.with_expected_bases(bases);
                let free = Plan::new(&options, &budget).expect("enough memory");
                let merged = Plan::new(&options.with_merged(true), &budget).expect("enough memory");
                let bytes = (merged.shape.partitions * merge_bytes(k)) as u64;
                assert!(bytes <= (mebibytes << 19).max(LEAST_MERGE_MEMORY));
                assert!(merged.shape.partitions <= free.shape.partitions);
                // Fewer only where there must be.
                let fewer = merged.shape.partitions < free.shape.partitions;
                assert!(!fewer || 2 * bytes > (mebibytes << 19).max(LEAST_MERGE_MEMORY));
            }
        }
    }
}
