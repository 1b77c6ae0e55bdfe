//! Chunks of blocks, chained by partition, in slabs that are never given back.

use super::{Ledger, Shape};
use crate::slab::Slab;

/// No chunk.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Arena {
    shape: Shape,
    slabs: Vec<Slab>,
    /// Chunks that may be used at once.
    free: Vec<u32>,
    /// Each chunk's predecessor in its partition; all but the newest of a partition are full.
    previous: Vec<u32>,
    /// Newest chunk of each partition.
    newest: Vec<u32>,
    /// Words used in the newest chunk of each partition.
    used: Vec<u32>,
    /// Chunks that were set aside for this arena and need no leave.
    reserved: usize,
}

impl Arena {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            slabs: Vec::new(),
            free: Vec::new(),
            previous: Vec::new(),
            newest: vec![NONE; shape.partitions],
            used: vec![0; shape.partitions],
            reserved: shape.partitions,
        }
    }

    /// Whether the newest chunk takes `words` more.
    pub(super) fn has_room(&self, partition: usize, words: usize) -> bool {
        self.newest[partition] != NONE
            && self.used[partition] as usize + words <= self.shape.chunk_words
    }

    /// Begins a chunk for a partition; `false` if there is no memory for one.
    pub(super) fn begin_chunk(&mut self, partition: usize, ledger: &Ledger) -> bool {
        if self.free.is_empty() && !self.grow(ledger) {
            return false;
        }
        let Some(chunk) = self.free.pop() else {
            return false;
        };
        self.previous[chunk as usize] = self.newest[partition];
        self.newest[partition] = chunk;
        self.used[partition] = 0;
        true
    }

    fn grow(&mut self, ledger: &Ledger) -> bool {
        let chunks = self.shape.slab_chunks;
        if self.reserved >= chunks {
            self.reserved -= chunks;
        } else if !ledger.take((chunks * self.shape.chunk_words * 8) as u64) {
            return false;
        }
        // Chunk numbers are 32 bits: 2^32 chunks of 1 KiB are 4 TiB.
        let first = self.previous.len() as u32;
        self.slabs.push(Slab::new(chunks * self.shape.chunk_words));
        self.previous.resize(self.previous.len() + chunks, NONE);
        self.free.extend((first..first + chunks as u32).rev());
        true
    }

    /// Appends a block to the newest chunk, which has room.
    pub(super) fn append(&mut self, partition: usize, block: &[u64]) {
        let start = self.used[partition] as usize;
        let (slab, first) = self.place(self.newest[partition]);
        self.slabs[slab].write(first + start, block);
        self.used[partition] = (start + block.len()) as u32;
    }

    fn place(&self, chunk: u32) -> (usize, usize) {
        let chunk = chunk as usize;
        let chunks = self.shape.slab_chunks;
        (chunk / chunks, chunk % chunks * self.shape.chunk_words)
    }

    /// The used part of each chunk of a partition, newest first, once they have [settled](crate::slab::settle).
    pub(super) fn chunks(&self, partition: usize) -> impl Iterator<Item = &[u64]> {
        let mut chunk = self.newest[partition];
        let mut used = self.used[partition] as usize;
        std::iter::from_fn(move || {
            if chunk == NONE {
                return None;
            }
            let (slab, first) = self.place(chunk);
            let words = &self.slabs[slab].words()[first..][..used];
            chunk = self.previous[chunk as usize];
            used = self.shape.chunk_words;
            Some(words)
        })
    }

    /// Empties all partitions and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.newest.fill(NONE);
        self.used.fill(0);
        self.free.clear();
        self.free.extend((0..self.previous.len() as u32).rev());
    }

    pub(super) fn memory(&self) -> u64 {
        (self.slabs.len() * self.shape.slab_chunks * self.shape.chunk_words * 8) as u64
    }
}
