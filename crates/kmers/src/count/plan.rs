//! All sizes of a count, from k, the budget and what is known of the input.

use crate::{
    error::{Error, Result},
    minimizer::minimizer_length,
    options::{CountOptions, MAX_PARTITIONS},
    packed::stage_words,
    partition::Shape,
};
use thalweg_flow::Budget;

use super::{direct::Direct, record::words_for};

/// Least memory of one worker: 16 partitions' buffers, the smallest tables for the longest
/// k-mers and the buffers of a temporary file.
const LEAST_MEMORY: u64 = 1 << 20;

/// Bases of a partition at most, or half of that, as the number of partitions is a power of two. At 1.9x coverage a
/// base brings 0.3 different k-mers (k = 31), so there are 30 to 60 thousand. A slot takes 12 bytes for k-mers of
/// one word, and at most 5/8 of the slots are filled: 2^16 or 2^17 slots, a table of 0.75 or 1.5 MiB, which the
/// second-level cache holds.
const BASES_OF_PARTITION: u64 = 200_000;

/// As many partitions are made for [`BASES_OF_PARTITION`]. The stages of more, and their newest chunks' lines, leave the
/// second-level cache in stage 1.
const CACHED_PARTITIONS: u64 = 4096;

/// Bases of a partition at most, or half of that, where they are more than [`CACHED_PARTITIONS`]. At 5.5 G bases of which a
/// fifth are different k-mers, 8192 partitions instead of 4096 take 0.8 of the time, database written, and 16384 the same.
const BASES_OF_LARGE_PARTITION: u64 = 800_000;

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
            match options.expected_bases() {
                Some(bases) => partitions_for(bases),
                // Fewer would be too few for a long pipe, and spare a short one little.
                None => CACHED_PARTITIONS as usize,
            }
        });
        let stage_bytes = 8 * stage_words(record_words);
        // Chunks of 8 KiB; all partitions' stages and newest chunks may take a quarter of the memory.
        let mut chunk_bytes = 8192;
        while (threads * partitions * (stage_bytes + chunk_bytes)) as u64 > memory / 4 {
            if chunk_bytes > 1024 {
                chunk_bytes /= 2;
            } else if partitions > 16 {
                partitions /= 2;
            } else {
                break;
            }
        }
        let fixed = (threads * partitions * (stage_bytes + chunk_bytes)) as u64;
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

/// The number of partitions of about so many bases, a power of two.
fn partitions_for(bases: u64) -> usize {
    let partitions = (bases / BASES_OF_PARTITION)
        .clamp(64, CACHED_PARTITIONS)
        .max(bases / BASES_OF_LARGE_PARTITION);
    partitions.min(MAX_PARTITIONS as u64).next_power_of_two() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_grow_with_the_input() {
        let partitions = [
            (0, 64),
            (200_000 * 64, 64),
            (255_000_000, 2048),
            (1_000_000_000, 4096),
            (3_200_000_000, 4096),
            (5_470_000_000, 8192),
            (10_000_000_000, 16384),
            (u64::MAX, 16384),
        ];
        for (bases, expected) in partitions {
            assert_eq!(partitions_for(bases), expected, "{bases} bases");
        }
    }
}
