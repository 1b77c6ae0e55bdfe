//! Full stages on their way to memory or to the temporary file, and back.

use super::{BlockSink, Ledger, Shape, arena::Arena};
use crate::slab::settle;
use crate::{error::Result, spill::Spill};
use std::{marker::PhantomData, sync::Arc};

/// The chunks of one worker, while it writes them: blocks in memory, and in a temporary file where that does not do.
///
/// They stay on the thread that writes them until they are sealed, as they settle there.
#[derive(Debug)]
pub struct Chunks {
    blocks: Blocks,
    not_send: PhantomData<*const ()>,
}

/// Blocks by partition.
#[derive(Debug)]
struct Blocks {
    shape: Shape,
    arena: Arena,
    ledger: Arc<Ledger>,
    spill: Spill,
    /// Words of the blocks that each partition holds, wherever they are.
    words: Vec<u64>,
}

impl Chunks {
    /// None yet; the memory of as many as there are partitions must have been set aside.
    pub fn new(shape: Shape, ledger: Arc<Ledger>, spill: Spill) -> Self {
        Self {
            blocks: Blocks {
                shape,
                arena: Arena::new(shape),
                ledger,
                spill,
                words: vec![0; shape.partitions],
            },
            not_send: PhantomData,
        }
    }

    /// Ends the writing.
    pub fn seal(self) -> SealedStore {
        settle();
        SealedStore(self.blocks)
    }
}

impl BlockSink for Chunks {
    /// # Panics
    ///
    /// If there is no such partition, or if the block is longer than a chunk.
    #[inline(never)]
    fn append(&mut self, partition: usize, block: &[u64]) -> Result<()> {
        let (blocks, len) = (&mut self.blocks, block.len());
        assert!(len <= blocks.shape.chunk_words);
        if !blocks.arena.has_room(partition, len)
            && !blocks.arena.begin_chunk(partition, &blocks.ledger)
        {
            blocks.spill()?;
            blocks.arena.begin_chunk(partition, &blocks.ledger);
        }
        blocks.arena.append(partition, block);
        blocks.words[partition] += len as u64;
        Ok(())
    }
}

impl Blocks {
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
}

/// The records of one worker that has read its last: read only, by any thread.
#[derive(Debug)]
pub struct SealedStore(Blocks);

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
