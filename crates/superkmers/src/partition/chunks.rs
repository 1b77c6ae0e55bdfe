//! Full stages on their way to memory or to the temporary file, and back.

use super::{Ledger, Shape, arena::Arena};
use crate::slab::settle;
use crate::{error::Result, spill::Spill};
use std::sync::Arc;

/// The chunks of one worker, while it writes them.
#[derive(Debug)]
pub(super) struct Chunks {
    shape: Shape,
    arena: Arena,
    ledger: Arc<Ledger>,
    spill: Spill,
    /// Words of the blocks that each partition holds, wherever they are.
    words: Vec<u64>,
}

impl Chunks {
    pub(super) fn new(shape: Shape, ledger: Arc<Ledger>, spill: Spill) -> Self {
        Self {
            shape,
            arena: Arena::new(shape),
            ledger,
            spill,
            words: vec![0; shape.partitions],
        }
    }

    /// Words of a record.
    pub(super) fn record_words(&self) -> usize {
        self.shape.record_words
    }

    /// Appends a block.
    #[inline(never)]
    pub(super) fn append(&mut self, partition: usize, block: &[u64]) -> Result<()> {
        let len = block.len();
        if !self.arena.has_room(partition, len) && !self.arena.begin_chunk(partition, &self.ledger)
        {
            self.spill()?;
            self.arena.begin_chunk(partition, &self.ledger);
        }
        self.arena.append(partition, block);
        self.words[partition] += len as u64;
        Ok(())
    }

    /// Writes all chunks to the temporary file and frees them.
    fn spill(&mut self) -> Result<()> {
        settle();
        for partition in 0..self.shape.partitions {
            let chunks = self.arena.chunks(partition);
            self.spill.write(partition, chunks)?;
        }
        self.spill.flush()?;
        self.arena.clear();
        Ok(())
    }

    /// Ends the writing.
    pub(super) fn seal(self) -> SealedStore {
        settle();
        SealedStore(self)
    }
}

/// The records of one worker that has read its last: read only, by any thread.
#[derive(Debug)]
pub struct SealedStore(Chunks);

impl SealedStore {
    /// Writes what is left in memory to the temporary file, too, and gives the memory back.
    ///
    /// # Errors
    ///
    /// Those of the temporary file.
    pub fn spill_all(&mut self) -> Result<()> {
        self.0.spill()?;
        self.0.arena = Arena::new(self.0.shape);
        Ok(())
    }

    /// Words of a partition's blocks.
    pub fn words(&self, partition: usize) -> u64 {
        self.0.words[partition]
    }

    /// Bytes of memory that the chunks take.
    pub fn memory(&self) -> u64 {
        self.0.arena.memory()
    }

    /// Bytes in the temporary file.
    pub fn spilled(&self) -> u64 {
        self.0.spill.bytes()
    }

    /// The blocks of a partition that are in memory, as slices of whole ones.
    pub fn chunks(&self, partition: usize) -> impl Iterator<Item = &[u64]> {
        self.0.arena.chunks(partition)
    }

    /// Shows the blocks of a partition that are in the temporary file, some at a time; `None` means that they are none.
    ///
    /// `bytes` and `words` are scratch space; what they held is lost.
    ///
    /// # Errors
    ///
    /// Those of the temporary file.
    pub fn visit_spilled(
        &self,
        partition: usize,
        bytes: &mut Vec<u8>,
        words: &mut Vec<u64>,
        see: impl FnMut(&[u64]) -> Option<()>,
    ) -> Result<()> {
        self.0.spill.visit(partition, bytes, words, see)
    }
}
