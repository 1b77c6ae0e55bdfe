//! Records by partition: what one worker has cut out of its reads so far.
//!
//! ```text
//! push(partition, record):
//!   append to the partition's stage of 256 bytes
//!   when full: append the stage to the partition's chunk
//!              when that is full, begin a new one: from the free chunks, from a new slab
//!              if the ledger has memory for it, else after spilling all chunks
//! ```
//!
//! The stages of 1024 partitions, as many as there are if nothing is known of the
//! input, are 256 KiB and stay in the second-level cache; without them each
//! record would touch a chunk's cache line and page of its own (the study
//! measured 1.1 against 1.3 ns per k-mer at 2048 partitions). 256 bytes is four lines: 64 were slower at every size.
//! Nothing is shared with other workers but the ledger, one atomic number.

mod arena;
mod ledger;
mod slab;

use crate::{count::record::Record, error::Result, spill::Spill};
use arena::Arena;
pub(crate) use ledger::Ledger;
use std::sync::Arc;

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

/// The records of one worker.
#[derive(Debug)]
pub(crate) struct Store {
    shape: Shape,
    stages: Vec<u64>,
    /// Words in each stage.
    staged: Vec<u8>,
    arena: Arena,
    ledger: Arc<Ledger>,
    spill: Spill,
    /// Records that each partition holds, wherever they are.
    records: Vec<u64>,
}

impl Store {
    /// An empty store; the memory of its stages and of `partitions` chunks must have been set aside.
    pub(crate) fn new(shape: Shape, ledger: Arc<Ledger>, spill: Spill) -> Self {
        debug_assert!(shape.chunk_words.is_multiple_of(STAGE_WORDS));
        debug_assert!(STAGE_WORDS.is_multiple_of(shape.record_words));
        Self {
            shape,
            stages: vec![0; shape.partitions * STAGE_WORDS],
            staged: vec![0; shape.partitions],
            arena: Arena::new(shape),
            ledger,
            spill,
            records: vec![0; shape.partitions],
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
        let staged = usize::from(self.staged[partition]);
        let stage = &mut self.stages[partition * STAGE_WORDS..][..STAGE_WORDS];
        stage[staged..staged + N].copy_from_slice(&record);
        let staged = staged + N;
        self.staged[partition] = staged as u8;
        if staged == STAGE_WORDS {
            self.flush(partition)?;
        }
        Ok(())
    }

    /// Moves a full stage to the partition's chunk.
    #[inline(never)]
    fn flush(&mut self, partition: usize) -> Result<()> {
        let len = usize::from(std::mem::take(&mut self.staged[partition]));
        if !self.arena.has_room(partition, len) && !self.arena.begin_chunk(partition, &self.ledger)
        {
            self.spill_chunks()?;
            self.arena.begin_chunk(partition, &self.ledger);
        }
        let stage = &self.stages[partition * STAGE_WORDS..][..len];
        self.arena.append(partition, stage);
        self.records[partition] += (len / self.shape.record_words) as u64;
        Ok(())
    }

    /// Writes all chunks to the temporary file and frees them.
    fn spill_chunks(&mut self) -> Result<()> {
        for partition in 0..self.shape.partitions {
            let chunks = self.arena.chunks(partition);
            self.spill
                .write(partition, self.shape.record_words, chunks)?;
        }
        self.spill.flush()?;
        self.arena.clear();
        Ok(())
    }

    /// Moves what is staged to the chunks and frees the stages: the store is then read only.
    ///
    /// # Errors
    ///
    /// As [`Self::push`].
    pub(crate) fn seal(&mut self) -> Result<()> {
        for partition in 0..self.shape.partitions {
            if self.staged[partition] > 0 {
                self.flush(partition)?;
            }
        }
        self.stages = Vec::new();
        Ok(())
    }

    /// Writes what is left in memory to the temporary file, too, and gives the memory back.
    ///
    /// # Errors
    ///
    /// Those of the temporary file.
    pub(crate) fn spill_all(&mut self) -> Result<()> {
        self.spill_chunks()?;
        self.arena = Arena::new(self.shape);
        Ok(())
    }

    /// Number of records of a partition.
    pub(crate) fn records(&self, partition: usize) -> u64 {
        self.records[partition]
    }

    /// Bytes of memory that the chunks take.
    pub(crate) fn memory(&self) -> u64 {
        self.arena.memory()
    }

    /// Bytes in the temporary file.
    pub(crate) fn spilled(&self) -> u64 {
        self.spill.bytes()
    }

    /// The records of a partition that are in memory, as slices of whole records.
    pub(crate) fn chunks(&self, partition: usize) -> impl Iterator<Item = &[u64]> {
        self.arena.chunks(partition)
    }

    /// Shows the records of a partition that are in the temporary file, some at a time.
    ///
    /// `bytes` and `words` are scratch space; what they held is lost.
    ///
    /// # Errors
    ///
    /// Those of the temporary file.
    pub(crate) fn visit_spilled(
        &self,
        partition: usize,
        bytes: &mut Vec<u8>,
        words: &mut Vec<u64>,
        see: impl FnMut(&[u64]),
    ) -> Result<()> {
        let record_words = self.shape.record_words;
        self.spill.visit(partition, record_words, bytes, words, see)
    }
}
