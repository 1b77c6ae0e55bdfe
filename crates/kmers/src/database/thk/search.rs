//! Single k-mers of a `.thk` file.

use std::ops::Range;
use std::sync::Arc;

use super::block::decode;
use super::layout::Index;
use super::partitioning::Partitioning;
use super::reader::Reader;
use super::rule::MinimizerRule;
use crate::error::Result;
use crate::kmer::Kmer;

impl Reader {
    /// What finds single k-mers.
    pub(crate) fn search<K: Kmer>(&self) -> Result<Search<K>> {
        Ok(Search {
            reader: self.clone(),
            index: self.index()?,
            rule: MinimizerRule::new(self.layout.minimizer, self.layout.partitions),
            cache: vec![(usize::MAX, Vec::new()); CACHE],
            buffer: Vec::new(),
        })
    }
}

/// Decoded blocks that are kept for later queries: at most 16 MB for k up to 32.
const CACHE: usize = 1024;

/// Finds single k-mers: one block each, unless it was read before.
pub(crate) struct Search<K> {
    reader: Reader,
    index: Arc<Index<K>>,
    rule: MinimizerRule,
    /// Block `n` is kept in slot `n % CACHE`, if it is there.
    cache: Vec<(usize, Vec<(K, u64)>)>,
    buffer: Vec<u8>,
}

impl<K: Kmer> Search<K> {
    /// The count of `kmer`, or `None`.
    pub(crate) fn find(&mut self, kmer: K) -> Result<Option<u64>> {
        let layout = &self.reader.layout;
        if layout.sorted {
            return self.find_in(0..self.index.entries.len(), kmer);
        }
        if layout.scheme == Partitioning::BY_MINIMIZER {
            let partition = self.rule.partition(kmer, layout.k);
            return self.find_in(self.index.blocks_of(partition), kmer);
        }
        for partition in 0..layout.partitions as usize {
            let found = self.find_in(self.index.blocks_of(partition), kmer)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn find_in(&mut self, blocks: Range<usize>, kmer: K) -> Result<Option<u64>> {
        let entries = &self.index.entries[blocks.clone()];
        let after = entries.partition_point(|entry| entry.first <= kmer);
        let Some(inside) = after.checked_sub(1) else {
            return Ok(None);
        };
        let records = self.block(blocks.start + inside)?;
        Ok(records
            .binary_search_by_key(&kmer, |record| record.0)
            .ok()
            .map(|at| records[at].1))
    }

    fn block(&mut self, number: usize) -> Result<&[(K, u64)]> {
        let slot = &mut self.cache[number % CACHE];
        if slot.0 != number {
            let entry = self.index.entries[number];
            slot.0 = usize::MAX;
            self.buffer.resize(entry.length as usize, 0);
            self.reader.input.read_at(&mut self.buffer, entry.offset)?;
            decode(&self.buffer, entry.first, self.reader.layout.k, &mut slot.1)
                .map_err(|what| self.reader.damaged_block(number, entry.offset, what))?;
            slot.0 = number;
        }
        Ok(&slot.1)
    }
}
