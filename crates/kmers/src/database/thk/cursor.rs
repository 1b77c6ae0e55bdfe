//! Blocks of a `.thk` file, one after the other.

use std::ops::Range;
use std::sync::Arc;

use super::block::decode;
use super::layout::Index;
use super::reader::Reader;
use crate::database::RecordSource;
use crate::error::Result;
use crate::kmer::Kmer;

impl Reader {
    /// What reads these blocks, so many bytes at once.
    pub(super) fn cursor<K: Kmer>(
        self: &Arc<Self>,
        index: &Arc<Index<K>>,
        blocks: Range<usize>,
        read_ahead: usize,
    ) -> Cursor<K> {
        Cursor {
            reader: Arc::clone(self),
            index: Arc::clone(index),
            blocks,
            read_ahead,
            buffer: Vec::new(),
            buffer_offset: 0,
        }
    }
}

/// Reads a run of blocks.
pub(super) struct Cursor<K> {
    reader: Arc<Reader>,
    index: Arc<Index<K>>,
    blocks: Range<usize>,
    read_ahead: usize,
    buffer: Vec<u8>,
    buffer_offset: u64,
}

impl<K: Kmer> Cursor<K> {
    /// The first k-mers of all blocks that are to come.
    pub(super) fn firsts(&self) -> impl Iterator<Item = K> {
        let entries = &self.index.entries[self.blocks.clone()];
        entries.iter().map(|entry| entry.first)
    }

    /// The first k-mer of the next block, which need not be read for that.
    pub(super) fn next_first(&self) -> Option<K> {
        let entries = &self.index.entries[self.blocks.clone()];
        entries.first().map(|entry| entry.first)
    }
}

impl<K: Kmer> RecordSource<K> for Cursor<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        let Some(number) = self.blocks.next() else {
            return Ok(());
        };
        let entry = self.index.entries[number];
        let (offset, length) = (entry.offset, entry.length as usize);
        let end = self.buffer_offset + self.buffer.len() as u64;
        if offset < self.buffer_offset || offset + length as u64 > end {
            // The index was checked: no block reaches beyond its offset.
            let left = self.reader.layout.index_offset - offset;
            let wanted = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(self.read_ahead.max(length));
            self.buffer.resize(wanted, 0);
            self.buffer_offset = offset;
            self.reader.input.read_at(&mut self.buffer, offset)?;
        }
        let start = (offset - self.buffer_offset) as usize;
        let block = &self.buffer[start..start + length];
        let wrong = |what: &str| self.reader.damaged_block(number, offset, what);
        decode(block, entry.first, self.reader.layout.k, batch).map_err(wrong)?;
        // Of thousands of partitions, a block of each would be kept for nothing.
        if self.read_ahead <= length {
            self.buffer = Vec::new();
        }
        if batch.len() != entry.records as usize {
            return Err(wrong("has another number of k-mers than the index says"));
        }
        let next = number as u64 + 1;
        let is_followed =
            self.reader.layout.sorted || self.index.starts.binary_search(&next).is_err();
        let following = self.index.entries.get(number + 1);
        if let (true, Some(following), Some(last)) = (is_followed, following, batch.last())
            && last.0 >= following.first
        {
            return Err(wrong("overlaps the next one"));
        }
        Ok(())
    }
}
