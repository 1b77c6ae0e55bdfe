//! Stage 2: the records of a partition to sorted counts.
//!
//! ```text
//! for each partition that this worker claims, largest first:
//!   repeat until the table has given up nothing:
//!     for each record of the partition, of all workers' stores, memory and file:
//!       merge it with its equals; what finds no room goes on to the table         (see merge)
//!     if all found room, and keys have bits enough for weights, or few records became one:     (see by_sorting)
//!       where it pays, let those that begin or end another one become part of it               (see fold)
//!       k-mers of heavy records into the table, all others into bins
//!       for each group of bins: sort, add up, bring in those of the table
//!     else:
//!       let those that begin or end another one become part of it
//!       for each that is left: add its k-mers with their weights                   (see table)
//!       sort                                                                       (see sort)
//!     count into the histogram, filter, hand on
//! ```
//!
//! Sorting is the usual way for k-mers of up to 61 bases, but 30 to 32, and where coverage is low also for those of 30, 31, 62 and
//! 63: of 32 and 64, the words have no room for a weight.

pub(super) mod batch;
pub(super) mod bins;
pub(super) mod by_sorting;
pub(super) mod distinct;
pub(super) mod expand;
pub(super) mod fold;
pub(super) mod merge;
pub(super) mod small_counts;
pub(super) mod sort;
pub(super) mod table;

use self::{
    by_sorting::Sorter, fold::Folder, merge::Merger, small_counts::SmallCounts, sort::sort,
    table::Table,
};
use super::{kernel::Counting, sink::Sink};
use std::ops::{Range, RangeInclusive};
use thalweg_superkmers::{
    Kernel,
    packed::{BLOCK_WORDS, unpack},
    partition::SealedStore,
    record::Record,
};

use crate::{
    clamped::COUNTS, error::Result, histogram::Histogram, kmer::Kmer, options::CountOptions,
};

/// Blocks that are unpacked before their records are merged: some 180 records at k = 31, 3 KiB.
const BLOCKS_AT_ONCE: usize = 8;

/// One thread's tables and sums of the second stage.
#[derive(Debug)]
pub(super) struct PartitionCounter<'a, K, const N: usize> {
    options: &'a CountOptions,
    stores: &'a [SealedStore],
    kernel: Kernel,
    merger: Merger<N>,
    folder: Folder<N>,
    table: Table<K>,
    sorter: Sorter,
    entries: Vec<(K, u64)>,
    heavy: Vec<(K, u64)>,
    scratch: Vec<(K, u64)>,
    bytes: Vec<u8>,
    words: Vec<u64>,
    records: Vec<Record<N>>,
    /// Whether the partition is read for the first time: its records are different ones only then.
    first_pass: bool,
    pub(super) sums: Sums,
}

/// What one thread has counted.
#[derive(Debug)]
pub(super) struct Sums {
    kernel: Kernel,
    pub(super) histogram: Histogram,
    /// What is not in `histogram`, `counted` and `kept_kmers` yet.
    small: Box<SmallCounts>,
    /// Counts too large for that, of some entries at once; empty but for a moment.
    large: Vec<u64>,
    pub(super) counted: u128,
    pub(super) distinct: u64,
    pub(super) kept_kmers: u128,
    pub(super) kept_distinct: u64,
    pub(super) merged_records: u64,
    pub(super) extra_passes: u64,
}

impl<'a, K: Kmer, const N: usize> PartitionCounter<'a, K, N> {
    /// Bytes of a slot of the table at its peak, and of the sorted entries that come of it.
    const BYTES_PER_SLOT: usize =
        Table::<K>::PEAK_BYTES_PER_SLOT + 2 * size_of::<(K, u64)>() * Table::<K>::LOAD_OF_8 / 8;

    /// About what a partition of so many different k-mers takes if it is counted in one pass: two slots for each,
    /// as a table has a power of two.
    pub(super) fn memory_for(kmers: u64) -> u64 {
        kmers.saturating_mul(2 * Self::BYTES_PER_SLOT as u64)
    }

    /// Tables that take no more than `memory` bytes.
    pub(super) fn new(
        options: &'a CountOptions,
        stores: &'a [SealedStore],
        kernel: Kernel,
        memory: u64,
    ) -> Self {
        // A quarter for merging; one for counting by sorting and for folding, which gets a quarter of that; the rest for the
        // table and what comes of it: each keeps its buffers.
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        let quarter = memory / 4;
        Self {
            options,
            stores,
            kernel,
            merger: Merger::new(quarter / Merger::<N>::PEAK_BYTES_PER_SLOT),
            table: Table::new(2 * quarter / Self::BYTES_PER_SLOT),
            sorter: Sorter::new(options.k(), options.canonical(), kernel, quarter / 4 * 3),
            folder: Folder::new(options.k(), kernel, quarter / 4),
            entries: Vec::new(),
            heavy: Vec::new(),
            scratch: Vec::new(),
            bytes: Vec::new(),
            words: Vec::new(),
            records: Vec::new(),
            first_pass: true,
            sums: Sums::new(kernel),
        }
    }

    /// Counts some partitions as one, and hands it to `sink` with its `number`.
    pub(super) fn count(
        &mut self,
        partitions: Range<usize>,
        number: usize,
        sink: &dyn Sink<K>,
    ) -> Result<()> {
        let mut low = None;
        loop {
            self.first_pass = low.is_none();
            self.table.begin(low);
            self.fill(partitions.clone())?;
            if !self.count_by_sorting(number, sink)? {
                self.expand();
                self.table.collect(&mut self.entries);
                sort(&mut self.entries, &mut self.scratch, self.options.k());
                let kept = &mut self.scratch;
                self.sums
                    .hand_on(self.options, number, &self.entries, kept, sink)?;
            }
            match self.table.high() {
                Some(high) => low = Some(high),
                None => break,
            }
            self.sums.extra_passes += 1;
        }
        sink.end(number)
    }

    /// Brings all records of the partitions into the table.
    fn fill(&mut self, partitions: Range<usize>) -> Result<()> {
        for partition in partitions {
            self.fill_from(partition)?;
        }
        Ok(())
    }

    fn fill_from(&mut self, partition: usize) -> Result<()> {
        let stores = self.stores;
        for store in stores {
            for chunk in store.chunks(partition) {
                let taken = self.take(chunk);
                debug_assert!(taken.is_some(), "a chunk of other blocks");
            }
            let mut bytes = std::mem::take(&mut self.bytes);
            let mut words = std::mem::take(&mut self.words);
            let take = |blocks: &[u64]| self.take(blocks);
            let read = store.visit_spilled(partition, &mut bytes, &mut words, take);
            (self.bytes, self.words) = (bytes, words);
            read?;
        }
        Ok(())
    }

    /// Counts what the merger holds, if that is all there is and sorting is the faster way.
    fn count_by_sorting(&mut self, partition: usize, sink: &dyn Sink<K>) -> Result<bool> {
        let Self {
            options,
            merger,
            folder,
            table,
            sorter,
            entries: kept,
            heavy,
            scratch,
            sums,
            ..
        } = self;
        let records = merger.len() as u64;
        let is_all = self.first_pass && table.is_empty();
        if !is_all || !sorter.take(merger, folder, table) {
            return Ok(false);
        }
        sums.merged_records += records;
        heavy.clear();
        if !table.is_empty() {
            table.collect(heavy);
            sort(heavy, scratch, options.k());
        }
        let mut heavy = &heavy[..];
        let mut result = Ok(());
        sorter.count(&mut |entries| {
            let mut entries = &*entries.shown();
            let before =
                heavy.partition_point(|heavy| Some(heavy.0) <= entries.last().map(|entry| entry.0));
            if before > 0 {
                add_sorted(&heavy[..before], entries, scratch);
                heavy = &heavy[before..];
                entries = scratch;
            }
            if result.is_ok() {
                result = sums.hand_on(options, partition, entries, kept, sink);
            }
        });
        result?;
        sums.hand_on(options, partition, heavy, kept, sink)?;
        Ok(true)
    }

    /// What was counted.
    pub(super) fn finish(mut self) -> Sums {
        self.sums.settle(self.options);
        self.sums
    }

    /// Merges the records of whole blocks; `None` if these are none.
    fn take(&mut self, blocks: &[u64]) -> Option<()> {
        if N == 1 {
            self.merge(blocks.as_chunks::<N>().0);
            return Some(());
        }
        let mut records = std::mem::take(&mut self.records);
        for some in blocks.chunks(BLOCKS_AT_ONCE * BLOCK_WORDS) {
            records.clear();
            unpack(some, &mut records)?;
            self.merge(&records);
        }
        self.records = records;
        Some(())
    }

    fn merge(&mut self, mut left: &[Record<N>]) {
        loop {
            let taken = self.kernel.merge(&mut self.merger, left);
            left = &left[taken..];
            if left.is_empty() {
                break;
            }
            self.expand();
        }
    }

    /// Empties the merger into the table.
    fn expand(&mut self) {
        let (k, canonical) = (self.options.k(), self.options.canonical());
        if self.first_pass {
            self.sums.merged_records += self.merger.len() as u64;
        }
        let Self {
            kernel,
            merger,
            folder,
            table,
            ..
        } = self;
        kernel.expand(merger, folder, table, k, canonical);
    }
}

/// Merges sorted `more` and sorted `entries` into `sum`, which is emptied before.
fn add_sorted<K: Kmer>(more: &[(K, u64)], entries: &[(K, u64)], sum: &mut Vec<(K, u64)>) {
    sum.clear();
    let mut rest = entries;
    for &(kmer, count) in more {
        let (before, from) = rest.split_at(count_below(rest, kmer));
        sum.extend_from_slice(before);
        rest = from;
        let mut both = (kmer, count);
        if let Some((entry, behind)) = rest.split_first()
            && entry.0 == kmer
        {
            both.1 += entry.1;
            rest = behind;
        }
        sum.push(both);
    }
    sum.extend_from_slice(rest);
}

/// How many of the sorted entries are below `kmer`, by ever longer steps: they are few, compared to all.
fn count_below<K: Kmer>(entries: &[(K, u64)], kmer: K) -> usize {
    let mut step = 1;
    while entries.get(step).is_some_and(|entry| entry.0 < kmer) {
        step *= 2;
    }
    let near = &entries[..entries.len().min(step)];
    step / 2 + near[(step / 2).min(near.len())..].partition_point(|entry| entry.0 < kmer)
}

impl Sums {
    pub(super) fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            histogram: Histogram::default(),
            small: Box::default(),
            large: Vec::new(),
            counted: 0,
            distinct: 0,
            kept_kmers: 0,
            kept_distinct: 0,
            merged_records: 0,
            extra_passes: 0,
        }
    }

    /// Accounts for sorted entries of a partition and hands those that are wanted to `sink`; `kept` is used where not all are.
    pub(super) fn hand_on<K: Kmer>(
        &mut self,
        options: &CountOptions,
        partition: usize,
        entries: &[(K, u64)],
        kept: &mut Vec<(K, u64)>,
        sink: &dyn Sink<K>,
    ) -> Result<()> {
        self.account(entries);
        let wanted = wanted(options);
        let mut kept_entries = entries;
        if wanted != ALL {
            kept.clear();
            kept.extend(entries.iter().filter(|entry| wanted.contains(&entry.1)));
            kept_entries = kept;
            self.kept_kmers += (kept.iter()).map(|entry| u128::from(entry.1)).sum::<u128>();
        }
        self.kept_distinct += kept_entries.len() as u64;
        if kept_entries.is_empty() {
            return Ok(());
        }
        sink.accept(partition, kept_entries)
    }

    /// Sums the entries up.
    fn account<K: Kmer>(&mut self, entries: &[(K, u64)]) {
        for entries in entries.chunks(COUNTS) {
            self.kernel
                .add_counts(&mut self.small, entries, &mut self.large);
            for count in self.large.drain(..) {
                self.histogram.add(count);
                self.counted += u128::from(count);
            }
        }
        self.distinct += entries.len() as u64;
    }

    /// Adds what was put off: to be called when all is accounted for.
    pub(super) fn settle(&mut self, options: &CountOptions) {
        for (count, number) in std::mem::take(&mut self.small).each() {
            self.histogram.add_many(count, number);
            self.counted += u128::from(count) * u128::from(number);
        }
        if wanted(options) == ALL {
            self.kept_kmers = self.counted;
        }
    }
}

/// All counts.
const ALL: RangeInclusive<u64> = 1..=u64::MAX;

fn wanted(options: &CountOptions) -> RangeInclusive<u64> {
    options.minimum_count()..=options.maximum_count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn sorted_entries_are_added() {
        let entries: Vec<(u64, u64)> = (0..500).map(|i| (3 * i + 10, i)).collect();
        let few = vec![
            (0, 1),
            (10, 1),
            (11, 2),
            (700, 5),
            (1507, 1),
            (1508, 9),
            (2000, 3),
        ];
        let many: Vec<(u64, u64)> = (0..900).map(|i| (2 * i, i)).collect();
        for more in [vec![], few, many] {
            for entries in [&entries[..], &entries[..1], &[]] {
                let mut expected: BTreeMap<u64, u64> = entries.iter().copied().collect();
                for &(kmer, count) in &more {
                    *expected.entry(kmer).or_default() += count;
                }
                let mut sum = vec![(1, 1)];
                add_sorted(&more, entries, &mut sum);
                assert!(sum == Vec::from_iter(expected));
            }
        }
        for (i, entry) in entries.iter().enumerate() {
            assert_eq!(count_below(&entries, entry.0), i);
            assert_eq!(count_below(&entries, entry.0 + 1), i + 1);
        }
    }
}
