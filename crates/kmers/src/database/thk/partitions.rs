//! All records of a `.thk` file: partition after partition, in the order of k-mers, or in parts for several threads.

use std::ops::Range;
use std::sync::Arc;

use super::cursor::Cursor;
use super::layout::Index;
use super::partitioning::Partitioning;
use super::ranges::Ranges;
use super::reader::Reader;
use crate::database::KmerRecords;
use crate::error::Result;
use crate::kmer::Kmer;

/// Bytes read at once when all blocks are read in order.
const READ_AHEAD: usize = 1 << 18;

/// Bytes read at once in a partition when partitions are merged: two blocks.
const READ_AHEAD_MERGED: usize = 1 << 14;

/// Bytes read at once in all partitions that are merged. A count makes up to 16,384, of which each reads less than
/// a block ahead from 2048 on; a file may say that it has 2^24. Each reads one block at least, and no two the same.
const READ_AHEAD_TOGETHER: usize = 1 << 24;

/// Blocks that a thread reads at a time, of all that a file has: some 64,000 k-mers.
const BLOCKS_OF_PART: usize = 64;

impl Reader {
    /// All records, partition after partition.
    pub(crate) fn records<K: Kmer>(&self) -> Result<KmerRecords<K>> {
        let index = self.index()?;
        let blocks = 0..index.entries.len();
        let reader = Arc::new(self.clone());
        Ok(KmerRecords::new(reader.cursor(&index, blocks, READ_AHEAD)))
    }

    /// All records, k-mers ascending.
    pub(crate) fn sorted<K: Kmer>(&self) -> Result<KmerRecords<K>> {
        Ok(KmerRecords::new(self.ranges()?))
    }

    /// What brings the partitions into order.
    pub(super) fn ranges<K: Kmer>(&self) -> Result<Ranges<K>> {
        let partitions = self.cursors(&self.index()?);
        Ok(Ranges::new(partitions, self.layout.k, self.input.path()))
    }

    /// The partitions, to be read one by one.
    pub(crate) fn partitions<K: Kmer>(&self) -> Result<Partitions<K>> {
        Ok(Partitions {
            index: self.index()?,
            reader: Arc::new(self.clone()),
        })
    }

    /// The records of each partition that is not empty.
    pub(super) fn partitions_of<K: Kmer>(&self, index: &Arc<Index<K>>) -> Vec<KmerRecords<K>> {
        self.cursors(index)
            .into_iter()
            .map(KmerRecords::new)
            .collect()
    }

    /// What reads each partition that is not empty.
    fn cursors<K: Kmer>(&self, index: &Arc<Index<K>>) -> Vec<Cursor<K>> {
        // One for all: the provenance may be long.
        let reader = Arc::new(self.clone());
        let partitions: Vec<_> = (0..self.layout.partitions as usize)
            .map(|partition| index.blocks_of(partition))
            .filter(|blocks| !blocks.is_empty())
            .collect();
        let read_ahead = READ_AHEAD_MERGED.min(READ_AHEAD_TOGETHER / partitions.len().max(1));
        let cursor = |blocks| reader.cursor(index, blocks, read_ahead);
        partitions.into_iter().map(cursor).collect()
    }
}

/// The partitions of a file, for any number of threads.
pub(crate) struct Partitions<K> {
    pub(super) reader: Arc<Reader>,
    pub(super) index: Arc<Index<K>>,
}

impl<K: Kmer> Partitions<K> {
    /// The number of parts of similar size that the records can be read in, whatever their partitions.
    pub(crate) fn parts(&self) -> usize {
        self.index.entries.len().div_ceil(BLOCKS_OF_PART)
    }

    /// The records of one of these parts.
    pub(crate) fn part(&self, part: usize) -> KmerRecords<K> {
        let start = part * BLOCKS_OF_PART;
        let end = self.index.entries.len().min(start + BLOCKS_OF_PART);
        KmerRecords::new(self.blocks(start..end, READ_AHEAD))
    }

    /// If minimizers choose the partitions of k-mers: how many bases these have, how many partitions there are, and how many
    /// k-mers each has.
    pub(crate) fn by_minimizer(&self) -> Option<((u8, u32), Vec<u64>)> {
        let layout = &self.reader.layout;
        if layout.scheme != Partitioning::BY_MINIMIZER {
            return None;
        }
        let distinct = |partition| {
            let blocks = &self.index.entries[self.index.blocks_of(partition)];
            blocks.iter().map(|block| u64::from(block.records)).sum()
        };
        let distinct = (0..layout.partitions as usize).map(distinct).collect();
        Some(((layout.minimizer, layout.partitions), distinct))
    }

    fn blocks(&self, blocks: Range<usize>, read_ahead: usize) -> Cursor<K> {
        let entries = &self.index.entries[blocks.clone()];
        let bytes: usize = entries.iter().map(|entry| entry.length as usize).sum();
        self.reader
            .cursor(&self.index, blocks, read_ahead.min(bytes))
    }

    /// The records, k-mers ascending, of the `part`th of `parts` partitions: as many as the file has, or fewer that each
    /// stand for several of them, side by side.
    pub(crate) fn records(&self, part: usize, parts: usize) -> KmerRecords<K> {
        let layout = &self.reader.layout;
        let each = layout.partitions as usize / parts;
        let read_ahead = READ_AHEAD.min(READ_AHEAD_TOGETHER / each);
        let mut finer: Vec<Cursor<K>> = (part * each..(part + 1) * each)
            .map(|partition| self.index.blocks_of(partition))
            .filter(|blocks| !blocks.is_empty())
            .map(|blocks| self.blocks(blocks, read_ahead))
            .collect();
        match finer.len() {
            0 => KmerRecords::from_vec(Vec::new()),
            1 => KmerRecords::new(finer.remove(0)),
            _ => KmerRecords::new(Ranges::new(finer, layout.k, self.reader.input.path())),
        }
    }
}
