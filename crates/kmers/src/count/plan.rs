//! All sizes of a count, from k, the budget and what is known of the input.

use crate::{
    error::{Error, Result},
    options::{CountOptions, MAX_PARTITIONS},
};
use thalweg_flow::Budget;
use thalweg_superkmers::{Scheme, packed::stage_words, partition::Shape};

use super::direct::Direct;

/// Least memory of one worker: 16 partitions' buffers, the smallest tables for the longest
/// k-mers and the buffers of a temporary file.
const LEAST_MEMORY: u64 = 1 << 20;

/// k-mers of a partition at most, or half of that, as the number of partitions is a power of two; up to
/// [`CACHED_PARTITIONS`]. At 1.9x coverage a k-mer brings 0.4 different ones (k = 31), so there are 30 to 60 thousand. A slot
/// takes 12 bytes for k-mers of one word, and at most 5/8 of the slots are filled: 2^16 or 2^17 slots, a table of 0.75 or
/// 1.5 MiB, which the second-level cache holds.
const KMERS_OF_PARTITION: u64 = 150_000;

/// At most so many partitions are made to keep to [`KMERS_OF_PARTITION`]: the stages of more leave the second-level cache.
const CACHED_PARTITIONS: u64 = 4096;

/// The fewest partitions of a count whose k-mers have no counter each.
const LEAST_PARTITIONS: u64 = 64;

/// So many partitions are made of an input of unknown size where memory does not let more of them have chunks of 8 KiB.
const FEW_PARTITIONS: usize = 1024;

/// k-mers of a partition at most, or half of that, of more than [`CACHED_PARTITIONS`] and up to [`MAX_PARTITIONS`]: larger
/// partitions take longer, and smaller ones gain nothing.
const KMERS_OF_LARGE_PARTITION: u64 = 600_000;

/// The sizes of a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// To which partition a k-mer belongs.
    pub(crate) scheme: Scheme,
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
        let scheme = Scheme::new(options.k())?;
        let record_words = scheme.record_words();
        let (mut partitions, sure) = match (options.partitions(), options.expected_bases()) {
            (Some(partitions), _) => (partitions, partitions),
            // There are fewer k-mers than bases. More partitions than the k-mers need are counted several at a time.
            (None, Some(bases)) => (partitions_for(bases), partitions_for(bases)),
            // Fewer would be too few for a long pipe, and spare a short one 24 MiB for each thread and no time.
            (None, None) => (CACHED_PARTITIONS as usize, FEW_PARTITIONS),
        };
        let stage_bytes = 8 * stage_words(record_words);
        // Chunks of 8 KiB; all partitions' stages and newest chunks may take a quarter of the memory.
        let mut chunk_bytes = 8192;
        while (threads * partitions * (stage_bytes + chunk_bytes)) as u64 > memory / 4 {
            if partitions > sure {
                partitions /= 2;
            } else if chunk_bytes > 1024 {
                chunk_bytes /= 2;
            } else if options.partitions().is_some() {
                let needed = 4 * (threads * partitions * (stage_bytes + chunk_bytes)) as u64;
                return Err(Error::Memory {
                    limit: memory,
                    needed,
                });
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
            scheme: scheme.with_partition_bits(partitions.trailing_zeros())?,
            shape: Shape {
                partitions,
                record_words,
                marked: false,
                chunk_words: chunk_bytes / 8,
                slab_chunks,
            },
            direct: !options.blocks_only()
                && Direct::memory(options.k())
                    .is_some_and(|bytes| bytes * threads as u64 <= memory / 2),
            threads,
            memory,
            // A quarter stays for the tables of the second stage.
            chunk_memory: (memory / 4 * 3).saturating_sub(fixed),
        })
    }
}

/// The number of partitions of a database of so many k-mers, equal ones counted each time. It depends on nothing else: the
/// same reads make the same database, however they came, and whatever memory and threads there were.
pub(super) fn database_partitions(options: &CountOptions, kmers: u64) -> usize {
    match options.partitions() {
        Some(partitions) => partitions,
        None if !options.blocks_only() && Direct::memory(options.k()).is_some() => 1,
        None => partitions_for(kmers),
    }
}

/// The number of partitions of so many k-mers, a power of two.
fn partitions_for(kmers: u64) -> usize {
    let partitions = (kmers / KMERS_OF_PARTITION)
        .clamp(LEAST_PARTITIONS, CACHED_PARTITIONS)
        .max(kmers / KMERS_OF_LARGE_PARTITION);
    partitions.min(MAX_PARTITIONS as u64).next_power_of_two() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_grow_with_the_input() {
        let partitions = [
            (0, 64),
            (150_000 * 64, 64),
            (150_000 * 65, 128),
            (255_000_000, 2048),
            (1_000_000_000, 4096),
            (2_458_199_999, 4096),
            (2_458_200_000, 8192),
            (4_915_799_999, 8192),
            (4_915_800_000, 16384),
            (u64::MAX, 16384),
        ];
        for (kmers, expected) in partitions {
            assert_eq!(partitions_for(kmers), expected, "{kmers} k-mers");
            let options = CountOptions::new(31).unwrap();
            let of_other_input = options.clone().with_expected_bases(Some(1));
            assert_eq!(database_partitions(&options, kmers), expected);
            assert_eq!(database_partitions(&of_other_input, kmers), expected);
        }
        let short = CountOptions::new(11).unwrap();
        assert_eq!(database_partitions(&short, 1 << 40), 1);
        let blocks = short.with_blocks_only().with_partitions(32).unwrap();
        assert_eq!(database_partitions(&blocks, 1 << 40), 32);
    }
    #[test]
    fn what_all_partitions_take_fits_a_quarter_of_the_memory() {
        for bases in [None, Some(0), Some(1 << 30), Some(u64::MAX)] {
            for k in [21, 31, 255] {
                let options = CountOptions::new(k).unwrap().with_expected_bases(bases);
                for (threads, memory) in [(1, 1 << 21), (2, 128 << 20), (2, 4 << 30), (16, 1 << 30)]
                {
                    let budget = Budget::new(threads).with_memory(memory);
                    let plan = Plan::new(&options, &budget).unwrap();
                    let shape = plan.shape;
                    let stage = 8 * stage_words(shape.record_words);
                    let fixed = threads * shape.partitions * (stage + 8 * shape.chunk_words);
                    assert!(
                        fixed as u64 <= memory / 4,
                        "{bases:?} {k} {threads} {memory}"
                    );
                }
            }
        }
    }

    /// Others count with as many: a number that was asked for does not change.
    #[test]
    fn a_number_from_outside_is_kept_or_refused() {
        let options = CountOptions::new(31)
            .unwrap()
            .with_partitions(4096)
            .unwrap();
        let plan = |memory| Plan::new(&options, &Budget::new(2).with_memory(memory));
        let Err(Error::Memory { limit, needed }) = plan(16 << 20) else {
            panic!("memory for 4096 partitions");
        };
        assert_eq!(limit, 16 << 20);
        assert!(plan(needed - 1).is_err());
        let plan = plan(needed).unwrap();
        assert_eq!(plan.shape.partitions, 4096);
        assert_eq!(plan.scheme.partitions(), 4096);
    }

    /// Of a pipe, chunks are as large as with fewer partitions.
    #[test]
    fn unknown_sizes_have_many_partitions_if_memory_allows() {
        for (memory, partitions, chunk_bytes) in [
            (1 << 30, 4096, 8192),
            (128 << 20, 1024, 8192),
            (32 << 20, 1024, 2048),
        ] {
            let budget = Budget::new(2).with_memory(memory);
            let plan = Plan::new(&CountOptions::new(31).unwrap(), &budget).unwrap();
            assert_eq!(plan.shape.partitions, partitions, "{memory}");
            assert_eq!(8 * plan.shape.chunk_words, chunk_bytes, "{memory}");
        }
    }
}
