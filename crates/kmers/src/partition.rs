//! Records by partition: what one worker has cut out of its reads so far.
//!
//! ```text
//! push(partition, record):
//!   append to the partition's stage of 256 bytes
//!   when full: append the stage to the partition's chunk                (Chunks, Arena)
//!              when that is full, begin a new one: from the free chunks, from a new slab
//!              if the ledger has memory for it, else after spilling all chunks
//! seal: the other stages to their chunks; what there is may be read now, by any thread        (SealedStore)
//! ```
//!
//! The stages of 1024 partitions, as many as there are if nothing is known of the
//! input, are 256 KiB and stay in the second-level cache; without them each
//! record would touch a chunk's cache line and page of its own (the study
//! measured 1.1 against 1.3 ns per k-mer at 2048 partitions). 256 bytes is four lines: 64 were slower at every size.
//! Chunks are written past the caches (see `slab::stream`), in whole lines.
//! Nothing is shared with other workers but the ledger, one atomic number.

mod arena;
mod chunks;
mod ledger;

use crate::{count::record::Record, error::Result, spill::Spill};
use chunks::Chunks;
pub(crate) use chunks::SealedStore;
pub(crate) use ledger::Ledger;
use std::{marker::PhantomData, sync::Arc};

/// Words of a partition's stage: 256 bytes. A multiple of every record's width.
const STAGE_WORDS: usize = 32;

/// Bytes that a stage takes.
pub(crate) const STAGE_BYTES: usize = 8 * STAGE_WORDS;

/// The sizes of a store, the same for all workers of a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Number of partitions.
    pub(crate) partitions: usize,
    /// Words of a record.
    pub(crate) record_words: usize,
    /// Words of a chunk, a multiple of a stage's.
    pub(crate) chunk_words: usize,
    /// Chunks that are allocated together.
    pub(crate) slab_chunks: usize,
}

/// The records of one worker, while they are cut.
#[derive(Debug)]
pub(crate) struct Store {
    stages: Vec<[u64; STAGE_WORDS]>,
    /// Words in each stage.
    staged: Vec<u8>,
    chunks: Chunks,
    /// Chunks settle on the thread that has written them, so a store stays there until it is sealed.
    not_send: PhantomData<*const ()>,
}

impl Store {
    /// An empty store; the memory of its stages and of `partitions` chunks must have been set aside.
    pub(crate) fn new(shape: Shape, ledger: Arc<Ledger>, spill: Spill) -> Self {
        debug_assert!(shape.chunk_words.is_multiple_of(STAGE_WORDS));
        debug_assert!(STAGE_WORDS.is_multiple_of(shape.record_words));
        Self {
            stages: vec![[0; STAGE_WORDS]; shape.partitions],
            staged: vec![0; shape.partitions],
            chunks: Chunks::new(shape, ledger, spill),
            not_send: PhantomData,
        }
    }

    /// Adds a record to a partition.
    ///
    /// # Errors
    ///
    /// Those of the temporary file, if records must go there. Records are lost then, which the
    /// totals show if nobody looked at the error.
    #[inline(always)]
    pub(crate) fn push<const N: usize>(
        &mut self,
        partition: usize,
        record: Record<N>,
    ) -> Result<()> {
        let (stage, staged) = (&mut self.stages[partition], &mut self.staged[partition]);
        let first = usize::from(*staged);
        stage[first..first + N].copy_from_slice(&record);
        *staged += N as u8;
        if first + N == STAGE_WORDS {
            *staged = 0;
            self.chunks.append(partition, stage)?;
        }
        Ok(())
    }

    /// Moves what is staged to the chunks: they are read-only from then on.
    ///
    /// # Errors
    ///
    /// As [`Self::push`].
    pub(crate) fn seal(mut self) -> Result<SealedStore> {
        for (partition, (stage, &len)) in self.stages.iter().zip(&self.staged).enumerate() {
            if len > 0 {
                self.chunks.append(partition, &stage[..usize::from(len)])?;
            }
        }
        Ok(self.chunks.seal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTITIONS: usize = 256;

    /// All records of each partition, from memory and from the file, in ascending order.
    fn all<const N: usize>(store: &SealedStore) -> Vec<Vec<Record<N>>> {
        let (mut bytes, mut words) = (Vec::new(), Vec::new());
        let of = |partition| {
            let mut records = Vec::new();
            let mut see = |words: &[u64]| records.extend_from_slice(words.as_chunks::<N>().0);
            store.chunks(partition).for_each(&mut see);
            store
                .visit_spilled(partition, &mut bytes, &mut words, see)
                .expect("a file");
            assert_eq!(records.len() as u64, store.records(partition));
            records.sort_unstable();
            records
        };
        (0..PARTITIONS).map(of).collect()
    }

    fn check<const N: usize>() {
        // One slab of large pages, and no memory for another one.
        let shape = Shape {
            partitions: PARTITIONS,
            record_words: N,
            chunk_words: 1024,
            slab_chunks: PARTITIONS,
        };
        let spill = Spill::new(&std::env::temp_dir(), PARTITIONS);
        let mut store = Store::new(shape, Arc::new(Ledger::new(0)), spill);
        let mut expected = vec![Vec::new(); PARTITIONS];
        for i in 1..=(5 << 20) / (8 * N) as u64 {
            // Squares are uneven; some partitions get none.
            let partition = (i * i % 251) as usize;
            store.push(partition, [i; N]).expect("a file");
            expected[partition].push([i; N]);
        }
        let mut sealed = store.seal().expect("a file");
        assert_eq!(sealed.memory(), 2 << 20);
        assert!(sealed.spilled() > 0);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                assert!(all::<N>(&sealed) == expected, "{N} words");
                sealed.spill_all().expect("a file");
                assert_eq!(sealed.memory(), 0);
                assert!(all::<N>(&sealed) == expected, "{N} words, spilled");
            });
        });
    }

    #[test]
    fn mapped_chunks_are_spilled_used_again_and_sealed() {
        check::<1>();
        check::<2>();
        check::<16>();
    }
}
