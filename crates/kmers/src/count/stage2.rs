//! Stage 2: the records of a partition to sorted counts.
//!
//! ```text
//! for each partition that this worker claims, largest first:
//!   repeat until the table has given up nothing:
//!     for each record of the partition, of all workers' stores, memory and file:
//!       merge it with its equals                                     (see merge)
//!     for each different record: add its k-mers with its weight      (see table)
//!     count into the histogram, filter, sort, hand on
//! ```

use super::{
    by_sorting::Sorter, kernel::Kernel, merge::Merger, sink::Sink, sort::sort, table::Table,
};
use crate::{
    error::Result, histogram::Histogram, kmer::Kmer, options::CountOptions, partition::Store,
};

/// One thread's tables and sums of the second stage.
#[derive(Debug)]
pub(super) struct PartitionCounter<'a, K, const N: usize> {
    options: &'a CountOptions,
    stores: &'a [Store],
    kernel: Kernel,
    merger: Merger<N>,
    table: Table<K>,
    sorter: Sorter,
    /// Bytes that the sorter may take.
    sorter_memory: usize,
    entries: Vec<(K, u64)>,
    heavy: Vec<(K, u64)>,
    scratch: Vec<(K, u64)>,
    bytes: Vec<u8>,
    words: Vec<u64>,
    /// Whether the partition is read for the first time: its records are different ones only then.
    first_pass: bool,
    pub(super) sums: Sums,
}

/// Records between asking for a slot and looking at it.
const AHEAD: usize = 8;

/// What one thread has counted.
#[derive(Debug, Default)]
pub(super) struct Sums {
    pub(super) histogram: Histogram,
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
        stores: &'a [Store],
        kernel: Kernel,
        memory: u64,
    ) -> Self {
        // A quarter for merging, one for counting by sorting, the rest for the table and what comes of it: each keeps
        // its buffers.
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        let quarter = memory / 4;
        Self {
            options,
            stores,
            kernel,
            merger: Merger::new(quarter / Merger::<N>::PEAK_BYTES_PER_SLOT),
            table: Table::new(2 * quarter / Self::BYTES_PER_SLOT),
            sorter: Sorter::new(options.k(), options.canonical(), kernel),
            sorter_memory: quarter,
            entries: Vec::new(),
            heavy: Vec::new(),
            scratch: Vec::new(),
            bytes: Vec::new(),
            words: Vec::new(),
            first_pass: true,
            sums: Sums::default(),
        }
    }

    /// Counts one partition and hands it to `sink`.
    pub(super) fn count(&mut self, partition: usize, sink: &dyn Sink<K>) -> Result<()> {
        let mut low = None;
        loop {
            self.first_pass = low.is_none();
            self.table.begin(low);
            self.fill(partition)?;
            if !self.count_by_sorting() {
                self.expand();
                self.table.collect(&mut self.entries);
                sort(&mut self.entries, &mut self.scratch, self.options.k());
            }
            self.sums.account(self.options, &mut self.entries);
            if !self.entries.is_empty() {
                sink.accept(partition, &self.entries)?;
            }
            match self.table.high() {
                Some(high) => low = Some(high),
                None => break,
            }
            self.sums.extra_passes += 1;
        }
        sink.end(partition)
    }

    /// Brings all records of the partition into the table.
    fn fill(&mut self, partition: usize) -> Result<()> {
        let stores = self.stores;
        for store in stores {
            for chunk in store.chunks(partition) {
                self.take(chunk);
            }
            for piece in store.pieces(partition) {
                let mut words = std::mem::take(&mut self.words);
                words.clear();
                store.read_piece(piece, &mut self.bytes, &mut words)?;
                self.take(&words);
                self.words = words;
            }
        }
        Ok(())
    }

    /// Counts what the merger holds, if that is all there is and sorting is the faster way.
    fn count_by_sorting(&mut self) -> bool {
        let records = self.merger.len() as u64;
        let (merger, table, entries) = (&mut self.merger, &mut self.table, &mut self.entries);
        let is_all = self.first_pass && table.is_empty();
        if !is_all
            || !self
                .sorter
                .count(merger, table, entries, self.sorter_memory)
        {
            return false;
        }
        self.sums.merged_records += records;
        if !self.table.is_empty() {
            self.table.collect(&mut self.heavy);
            sort(&mut self.heavy, &mut self.scratch, self.options.k());
            add_sorted(&self.heavy, &mut self.entries, &mut self.scratch);
        }
        true
    }

    fn take(&mut self, words: &[u64]) {
        let records = words.as_chunks::<N>().0;
        for (i, record) in records.iter().enumerate() {
            if let Some(later) = records.get(i + AHEAD) {
                self.merger.ask(later);
            }
            if !self.merger.add(*record) {
                self.expand();
                // An empty table takes a record.
                self.merger.add(*record);
            }
        }
    }

    /// Empties the merger into the table.
    fn expand(&mut self) {
        let (k, canonical) = (self.options.k(), self.options.canonical());
        if self.first_pass {
            self.sums.merged_records += self.merger.len() as u64;
        }
        self.kernel
            .expand(&mut self.merger, &mut self.table, k, canonical);
    }
}

/// Merges sorted `more` into sorted `entries`; `scratch` is used, and what it held is lost.
fn add_sorted<K: Kmer>(
    more: &[(K, u64)],
    entries: &mut Vec<(K, u64)>,
    scratch: &mut Vec<(K, u64)>,
) {
    scratch.clear();
    let mut rest = entries.as_slice();
    for &(kmer, count) in more {
        let mut both = (kmer, count);
        while let Some((&entry, behind)) = rest.split_first()
            && entry.0 <= kmer
        {
            match entry.0 == kmer {
                true => both.1 += entry.1,
                false => scratch.push(entry),
            }
            rest = behind;
        }
        scratch.push(both);
    }
    scratch.extend_from_slice(rest);
    std::mem::swap(entries, scratch);
}

impl Sums {
    /// Sums the entries up, and keeps those whose count is wanted.
    fn account<K: Kmer>(&mut self, options: &CountOptions, entries: &mut Vec<(K, u64)>) {
        let wanted = options.minimum_count()..=options.maximum_count();
        let counted = self.counted;
        // Nearly all counts are small: an array here spares a call for each. Four in turn, as like counts that follow
        // each other would wait for one another.
        let mut small = [[0u32; 256]; 4];
        for (i, entry) in entries.iter().enumerate() {
            match small[i % 4].get_mut(entry.1.min(256) as usize) {
                Some(number) => *number += 1,
                None => {
                    self.histogram.add(entry.1);
                    self.counted += u128::from(entry.1);
                }
            }
        }
        for count in 0..256 {
            let number = small.iter().map(|table| u64::from(table[count])).sum();
            if number > 0 {
                self.histogram.add_many(count as u64, number);
                self.counted += u128::from(count as u64 * number);
            }
        }
        self.distinct += entries.len() as u64;
        if wanted == (1..=u64::MAX) {
            self.kept_kmers += self.counted - counted;
        } else {
            entries.retain(|entry| wanted.contains(&entry.1));
            self.kept_kmers += (entries.iter())
                .map(|entry| u128::from(entry.1))
                .sum::<u128>();
        }
        self.kept_distinct += entries.len() as u64;
    }

    /// Accounts for sorted entries of a partition and hands those that are wanted to `sink`.
    pub(super) fn hand_on<K: Kmer>(
        &mut self,
        options: &CountOptions,
        partition: usize,
        entries: &mut Vec<(K, u64)>,
        sink: &dyn Sink<K>,
    ) -> Result<()> {
        self.account(options, entries);
        if entries.is_empty() {
            return Ok(());
        }
        sink.accept(partition, entries)
    }
}
