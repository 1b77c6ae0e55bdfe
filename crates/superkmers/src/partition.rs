//! Records by partition: what one worker has cut out of its reads so far.
//!
//! ```text
//! push(partition, record):
//!   append to the partition's stage, a block of 256 bytes                                      (packed)
//!   when full: append the block to the partition's chunk                (Chunks, Arena)
//!              when that is full, begin a new one: from the free chunks, from a new slab
//!              if the ledger has memory for it, else after spilling all chunks
//! seal: the other blocks to their chunks; what there is may be read now, by any thread        (SealedStore)
//! ```
//!
//! The stages of 2048 partitions, as many as 600 MB of FASTQ have, are 512 to 768 KiB and stay in the second-level cache;
//! without them each record would touch a chunk's cache line and page of its own (the study measured 1.1 against 1.3 ns
//! per k-mer at 2048 partitions). 256 bytes is four lines: 64 were slower at every size.
//! Chunks are written past the caches (see `slab::stream`), in whole lines.
//! Nothing is shared with other workers but the ledger, one atomic number.

mod arena;
mod chunks;
mod ledger;

use crate::{
    error::Result,
    lines::Lines,
    packed::{BLOCK_WORDS, block, has_room, push, stage_words},
    record::Record,
    spill::Spill,
};
use chunks::Chunks;
pub use chunks::SealedStore;
pub use ledger::Ledger;
use std::{marker::PhantomData, sync::Arc};

/// The sizes of a store, the same for all workers of a count.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Number of partitions.
    pub partitions: usize,
    /// Words of a record.
    pub record_words: usize,
    /// Words of a chunk, a multiple of a block's.
    pub chunk_words: usize,
    /// Chunks that are allocated together.
    pub slab_chunks: usize,
}

/// The records of one worker, while they are cut.
#[derive(Debug)]
pub struct Store {
    stages: Lines,
    /// Bytes that are taken of each stage.
    used: Vec<u8>,
    chunks: Chunks,
    /// Chunks settle on the thread that has written them, so a store stays there until it is sealed.
    not_send: PhantomData<*const ()>,
}

impl Store {
    /// An empty store; the memory of its stages and of `partitions` chunks must have been set aside.
    pub fn new(shape: Shape, ledger: Arc<Ledger>, spill: Spill) -> Self {
        debug_assert!(shape.chunk_words.is_multiple_of(BLOCK_WORDS));
        Self {
            stages: Lines::new(shape.partitions * stage_words(shape.record_words)),
            used: vec![0; shape.partitions],
            chunks: Chunks::new(shape, ledger, spill),
            not_send: PhantomData,
        }
    }

    /// What takes records.
    pub fn stages(&mut self) -> Stages<'_> {
        Stages {
            words: self.stages.all_mut(),
            used: &mut self.used,
            chunks: &mut self.chunks,
        }
    }

    /// Moves what is staged to the chunks: they are read-only from then on.
    ///
    /// # Errors
    ///
    /// As [`Stages::push`].
    pub fn seal(mut self) -> Result<SealedStore> {
        let record_words = self.chunks.record_words();
        let stages = (self.stages.all_mut()).chunks_exact_mut(stage_words(record_words));
        for (partition, (stage, &used)) in stages.zip(&self.used).enumerate() {
            if used > 0 {
                let block = block(stage, used, record_words);
                self.chunks.append(partition, block)?;
            }
        }
        Ok(self.chunks.seal())
    }
}

/// The stages of a store, borrowed once for many records.
pub struct Stages<'a> {
    words: &'a mut [u64],
    used: &'a mut [u8],
    chunks: &'a mut Chunks,
}

impl Stages<'_> {
    /// Adds a record to a partition; it has so many `bytes` up to the one with its end mark.
    ///
    /// # Errors
    ///
    /// Those of the temporary file, if records must go there. Records are lost then, which the
    /// totals show if nobody looked at the error.
    #[inline(always)]
    pub fn push<const N: usize>(
        &mut self,
        partition: usize,
        record: Record<N>,
        bytes: usize,
    ) -> Result<()> {
        let stage = &mut self.words[partition * stage_words(N)..][..stage_words(N)];
        let used = &mut self.used[partition];
        if !has_room::<N>(*used, bytes) {
            let full = std::mem::take(used);
            self.chunks.append(partition, block(stage, full, N))?;
        }
        *used = push(stage, *used, &record, bytes);
        // Of words, that is a full block.
        if N == 1 && *used == 0 {
            self.chunks.append(partition, block(stage, 0, N))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::unpack;

    const PARTITIONS: usize = 256;

    /// All records of each partition, from memory and from the file, in ascending order.
    fn all<const N: usize>(store: &SealedStore) -> Vec<Vec<Record<N>>> {
        let (mut bytes, mut words) = (Vec::new(), Vec::new());
        let of = |partition| {
            let (mut records, mut size) = (Vec::new(), 0);
            let mut see = |words: &[u64]| {
                size += words.len() as u64;
                match N {
                    1 => records.extend_from_slice(words.as_chunks::<N>().0),
                    _ => unpack(words, &mut records)?,
                }
                Some(())
            };
            assert!(store.chunks(partition).all(|chunk| see(chunk).is_some()));
            store
                .visit_spilled(partition, &mut bytes, &mut words, see)
                .expect("a file");
            assert_eq!(size, store.words(partition));
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
            let record = [i << 40; N];
            store
                .stages()
                .push(partition, record, 8 * N)
                .expect("a file");
            expected[partition].push(record);
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
