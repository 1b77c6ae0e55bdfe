//! Which k-mers are counted by sorting.

use super::{
    bins::{Bins, Entries, MAX_COPIES, MAX_KEYS, See},
    fold::Folder,
    merge::Merger,
    table::Table,
};
use crate::count::kernel::sorting::{Sortable, Sorting};
use crate::kmer::Kmer;
use std::any::Any;
use thalweg_superkmers::{
    Kernel,
    record::{self, most_kmers},
};

/// Where so many equal records became one on average, most k-mers come often. Keys of few bits for a weight would be many
/// for each then, and the table is faster.
const MERGED: usize = 3;

/// The same of k-mers of two words.
const MERGED_WIDE: usize = 2;

/// With so many bits for a weight, sorting is the faster way at any coverage.
const HEAVY_ENOUGH: u32 = 6;

/// Records of two words' k-mers are folded where so many became one on average, or where they have so many k-mers each and
/// six became five: finding out which are part of another one takes as long as sorting four k-mers. k-mers of one word are
/// sorted at least as fast as folded.
const MERGED_TO_FOLD: usize = 2;
const KMERS_TO_FOLD: usize = 14;

/// The bins of one thread.
#[derive(Debug)]
pub(crate) struct Sorter {
    k: usize,
    canonical: bool,
    kernel: Kernel,
    memory: usize,
    narrow: Bins<u64>,
    wide: Bins<u128>,
}

impl Sorter {
    /// With so many bytes at most.
    pub(super) fn new(k: usize, canonical: bool, kernel: Kernel, memory: usize) -> Self {
        Self {
            k,
            canonical,
            kernel,
            memory,
            narrow: Bins::new(k),
            wide: Bins::new(k),
        }
    }

    /// Takes the records of `merger`, which it empties: all but the heavy ones, which it adds to `table`, and which that
    /// holds all.
    ///
    /// `folder` makes them fewer before, where that pays. `false` if it has done nothing, because that would be slower, take more memory than there is, or is not for
    /// k-mers of this length.
    pub(super) fn take<K: Kmer, const N: usize>(
        &mut self,
        merger: &mut Merger<N>,
        folder: &mut Folder<N>,
        table: &mut Table<K>,
    ) -> bool {
        let (weight_bits, merged) = match K::MAX_K {
            u64::MAX_K => (self.narrow.weight_bits(), MERGED),
            u128::MAX_K => (self.wide.weight_bits(), MERGED_WIDE),
            _ => return false,
        };
        let (taken, records) = (merger.taken(), merger.len());
        let is_faster = weight_bits >= HEAVY_ENOUGH || taken / merged < records;
        // Without a bit for weights, keys say nothing of them.
        if weight_bits == 0 || !is_faster {
            return false;
        }
        // To look at all records takes a fortieth of the time of counting: only where it is not known without.
        let mut keys = 0;
        if !self.holds(&Work::at_most(records, self.k), table) {
            let work = Work::of(merger, self.k, weight_bits);
            if !self.holds(&work, table) {
                return false;
            }
            keys = work.keys;
        }
        let is_long = || taken / 6 >= records / 5 && has_long_records(merger, self.k);
        let folds = K::MAX_K > u64::MAX_K && (taken / MERGED_TO_FOLD >= records || is_long());
        let mut parts = AnyParts {
            merger,
            folder,
            table,
            folds,
        };
        parts.expand::<u64, 1>(self, keys)
            || parts.expand::<u64, 2>(self, keys)
            || parts.expand::<u128, 2>(self, keys)
            || parts.expand::<u128, 4>(self, keys)
    }

    /// Whether memory holds the keys, and the table the heavy k-mers: one that must give up keys would have the partition read
    /// again, and with it what is counted here.
    fn holds<K: Kmer>(&self, work: &Work, table: &Table<K>) -> bool {
        work.bytes::<K>() <= self.memory && work.keys <= MAX_KEYS && work.heavy <= table.most()
    }

    /// Counts what was taken, and shows it to `see` in order, some thousand at once.
    pub(super) fn count<K: Kmer>(&mut self, see: See<K>) {
        match K::MAX_K {
            u64::MAX_K => self.count_as::<K, u64>(see),
            _ => self.count_as::<K, u128>(see),
        }
    }

    /// `K` is `T`.
    fn count_as<K: Kmer, T: Sortable>(&mut self, see: See<K>) {
        let mut see = |entries: &mut Entries<T>| {
            let entries: &mut dyn Any = entries;
            if let Some(entries) = entries.downcast_mut() {
                see(entries);
            }
        };
        let bins = T::bins(&mut self.narrow, &mut self.wide);
        self.kernel.count_bins(bins, &mut see);
    }
}

/// Whether records have so many k-mers that they are folded; the first ones tell, which are any.
fn has_long_records<const N: usize>(merger: &Merger<N>, k: usize) -> bool {
    const SAMPLE: usize = 128;
    let lengths = merger
        .records()
        .take(SAMPLE)
        .map(|(record, _)| record::len(record));
    let (records, kmers) = lengths.fold((0, 0), |(records, kmers), len| {
        (records + 1, kmers + (len + 1).saturating_sub(k))
    });
    kmers >= KMERS_TO_FOLD * records
}

/// What the records of a partition become.
struct Work {
    /// Keys, of light records.
    keys: usize,
    /// k-mers of heavy ones.
    heavy: usize,
}

impl Work {
    /// Of so many records, however long and heavy they are; twice as many keys as there can be, as the room for them doubles.
    fn at_most(records: usize, k: usize) -> Self {
        let kmers = records.saturating_mul(most_kmers(k));
        Self {
            keys: kmers.saturating_mul(2 * MAX_COPIES as usize),
            heavy: kmers,
        }
    }

    fn of<const N: usize>(merger: &Merger<N>, k: usize, weight_bits: u32) -> Self {
        let mut work = Self { keys: 0, heavy: 0 };
        for (record, weight) in merger.records() {
            let kmers = (record::len(record) + 1).saturating_sub(k);
            match weight.div_ceil(1 << weight_bits) {
                copies @ ..=MAX_COPIES => work.keys += kmers * copies as usize,
                _ => work.heavy += kmers,
            }
        }
        work
    }

    /// A key in both its places.
    fn bytes<K>(&self) -> usize {
        self.keys.saturating_mul(2 * size_of::<K>())
    }
}

/// A partition, whose widths of record and k-mer are found out at run time.
struct AnyParts<'a> {
    merger: &'a mut dyn Any,
    folder: &'a mut dyn Any,
    table: &'a mut dyn Any,
    folds: bool,
}

impl AnyParts<'_> {
    /// `false` if these are not their types.
    fn expand<T: Sortable, const N: usize>(&mut self, sorter: &mut Sorter, keys: usize) -> bool {
        let parts = (self.merger.downcast_mut())
            .zip(self.folder.downcast_mut())
            .zip(self.table.downcast_mut());
        let Some(((merger, folder), table)) = parts else {
            return false;
        };
        let folder = self.folds.then_some(folder);
        let bins = T::bins(&mut sorter.narrow, &mut sorter.wide);
        bins.begin(keys);
        let (k, canonical) = (sorter.k, sorter.canonical);
        (sorter.kernel).expand_into_bins::<T, N>(merger, folder, bins, table, k, canonical);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::kernel::Counting;
    use std::collections::BTreeMap;
    use thalweg_superkmers::minimizer::minimizer_length;

    /// Many light records, most of one k-mer, and 70 heavy ones of as many as fit, in a table of `slots`: whether they were
    /// counted by sorting, and rightly.
    fn is_sorted<T: Kmer, const N: usize>(k: usize, kernel: Kernel, slots: usize) -> bool {
        let mut merger = Merger::<N>::new(1 << 17);
        let mut table = Table::<T>::new(slots);
        let mut expected = BTreeMap::new();
        let mut state = 1u64;
        let mut packed = [0; 16];
        let longest = (32 * N - 1).min(2 * k - minimizer_length(k));
        let heaviest = 1 << (2 * (T::MAX_K - k).min(4));
        // So many that fewer than two on average are one.
        for i in 0..60_000 {
            let (bases, weight) = match i {
                // More than two keys of the greatest weight there is.
                ..70 => (longest, 2 * heaviest + 1),
                // Two keys.
                70..130 => (k + i % (longest + 1 - k), heaviest + 1),
                // Two keys still, but not one more.
                130..140 => (k + i % (longest + 1 - k), 2 * heaviest),
                _ if i % 8 == 0 => (k + i / 8 % (longest + 1 - k), 1),
                _ => (k, 1),
            };
            packed.fill_with(|| {
                state = (state.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(99);
                state ^ state >> 32
            });
            let record = record::cut::<N>(&packed, 0, bases);
            record::for_each_kmer(&record, k, true, |kmer: T| {
                *expected.entry(kmer).or_insert(0) += weight;
            });
            for _ in 0..weight {
                assert!(kernel.merge(&mut merger, &[record]) == 1);
            }
        }
        let before = merger.len();
        let mut sorter = Sorter::new(k, true, kernel, usize::MAX);
        let mut folder = Folder::new(k, kernel, usize::MAX);
        if !sorter.take(&mut merger, &mut folder, &mut table) {
            assert!(table.is_empty() && merger.len() == before);
            return false;
        }
        assert!(table.high().is_none() && merger.len() == 0);
        let mut entries = Vec::new();
        let mut see = |some: &mut Entries<T>| entries.extend_from_slice(some.shown());
        sorter.count(&mut see);
        let mut heavy = Vec::new();
        table.collect(&mut heavy);
        entries.extend(heavy);
        entries.sort_unstable();
        assert!(entries == Vec::from_iter(expected), "k = {k}, {kernel:?}");
        true
    }

    /// Many pieces of one text, each so often: most are part of others. Whether they were counted by sorting, and rightly.
    fn is_sorted_folded<T: Kmer, const N: usize>(k: usize, kernel: Kernel, times: usize) -> bool {
        let mut merger = Merger::<N>::new(1 << 17);
        let mut state = 1u64;
        let mut step = || {
            state = (state.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(99);
            (state >> 33) as usize
        };
        let text: Vec<u64> = (0..200).map(|_| (step() << 32 ^ step()) as u64).collect();
        let longest = (32 * N - 1).min(2 * k - minimizer_length(k));
        let mut expected = BTreeMap::new();
        for _ in 0..3000 {
            let bases = k + step() % (longest + 1 - k);
            let record = record::cut::<N>(&text, 2 * (step() % 6000), bases);
            let weight = 1 + step() % times;
            record::for_each_kmer(&record, k, true, |kmer: T| {
                *expected.entry(kmer).or_insert(0) += weight as u64;
            });
            for _ in 0..weight {
                assert!(kernel.merge(&mut merger, &[record]) == 1);
            }
        }
        let mut table = Table::<T>::new(1 << 17);
        let mut sorter = Sorter::new(k, true, kernel, usize::MAX);
        let mut folder = Folder::new(k, kernel, usize::MAX);
        if !sorter.take(&mut merger, &mut folder, &mut table) {
            return false;
        }
        let mut entries = Vec::new();
        sorter.count(&mut |some| entries.extend_from_slice(some.shown()));
        let mut heavy = Vec::new();
        table.collect(&mut heavy);
        for (kmer, count) in entries.into_iter().chain(heavy) {
            let left = expected.get_mut(&kmer).expect("a k-mer that was there");
            *left -= count;
        }
        assert!(
            expected.values().all(|&left| left == 0),
            "k = {k}, {kernel:?}"
        );
        true
    }

    #[test]
    fn folded_records_are_counted() {
        for kernel in Kernel::all() {
            for k in [33, 40, 55, 60, 61] {
                // Weights of one key, of several, and of records that are heavy.
                for times in [3, 100, 700] {
                    assert!(is_sorted_folded::<u128, 4>(k, kernel, times), "k = {k}");
                }
            }
            assert!(is_sorted_folded::<u64, 2>(28, kernel, 100));
            // Two and four keys are too many for most k-mers.
            assert!(!is_sorted_folded::<u64, 2>(31, kernel, 100));
            assert!(!is_sorted_folded::<u128, 4>(63, kernel, 100));
            assert!(is_sorted_folded::<u128, 4>(63, kernel, 1));
        }
    }

    #[test]
    fn heavy_records_are_left_to_a_table_that_holds_them() {
        for kernel in Kernel::all() {
            for (slots, fits) in [(1 << 14, true), (1 << 10, false)] {
                assert_eq!(is_sorted::<u64, 1>(21, kernel, slots), fits);
                assert_eq!(is_sorted::<u64, 2>(31, kernel, slots), fits);
                assert_eq!(is_sorted::<u128, 2>(33, kernel, slots), fits);
                assert_eq!(is_sorted::<u128, 4>(50, kernel, slots), fits);
                assert_eq!(is_sorted::<u128, 4>(63, kernel, slots), fits);
                // Wider than they need to be.
                assert_eq!(is_sorted::<u128, 2>(31, kernel, slots), fits);
            }
            assert!(!is_sorted::<u64, 2>(32, kernel, 1 << 14));
        }
    }
}
