//! Which k-mers are counted by sorting, and with which instructions.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use super::{
    batch::Batch,
    bins::{Bins, Key},
    kernel::{Kernel, insert_plainly},
    merge::Merger,
    record::{self, Record},
    table::Table,
};
use crate::kmer::Kmer;
use std::any::Any;

/// Where so many equal records became one on average, most k-mers come often, and the table is faster. Sorting takes
/// 1.08 of its time at 6.7 and 1.6 at 3.4 (96x coverage, k = 31 and 55), but 0.7 at 2.0 and 0.5 at 1.4 (1.9x).
const MERGED: usize = 3;

/// The bins of one thread.
#[derive(Debug)]
pub(super) struct Sorter {
    k: usize,
    canonical: bool,
    kernel: Kernel,
    narrow: Bins<u64>,
    wide: Bins<u128>,
}

/// Whatever the record's and the k-mer's widths are, found out at run time.
struct Parts<'a> {
    merger: &'a mut dyn Any,
    table: &'a mut dyn Any,
    entries: &'a mut dyn Any,
}

impl Sorter {
    pub(super) fn new(k: usize, canonical: bool, kernel: Kernel) -> Self {
        Self {
            k,
            canonical,
            kernel,
            narrow: Bins::new(k),
            wide: Bins::new(k),
        }
    }

    /// Counts the records of `merger`, which it empties, into sorted `entries`, in place of what they hold: all but
    /// the heavy ones, which it adds to `table`.
    ///
    /// `false` if it has done nothing, because that would be slower, take more than `memory` bytes, or is not for
    /// k-mers of this length.
    pub(super) fn count<K: Kmer, const N: usize>(
        &mut self,
        merger: &mut Merger<N>,
        table: &mut Table<K>,
        entries: &mut Vec<(K, u64)>,
        memory: usize,
    ) -> bool {
        let (is_of_use, heaviest) = match K::MAX_K {
            u64::MAX_K => (self.narrow.is_of_use(), self.narrow.heaviest()),
            u128::MAX_K => (self.wide.is_of_use(), self.wide.heaviest()),
            _ => return false,
        };
        if !is_of_use || merger.taken() / MERGED >= merger.len() {
            return false;
        }
        let keys = number_of_keys(merger, self.k, heaviest);
        // A key in both its places, and the entry that it may become, twice as while entries are merged.
        if keys * 2 * (size_of::<K>() + size_of::<(K, u64)>()) > memory {
            return false;
        }
        entries.clear();
        let mut parts = Parts {
            merger,
            table,
            entries,
        };
        parts.count_narrow::<1>(self, keys)
            || parts.count_narrow::<2>(self, keys)
            || parts.count_wide::<2>(self, keys)
            || parts.count_wide::<4>(self, keys)
    }
}

/// Keys that the light records of a partition become.
fn number_of_keys<const N: usize>(merger: &Merger<N>, k: usize, heaviest: u32) -> usize {
    let keys = |(record, weight): (&Record<N>, u32)| {
        let copies = weight.div_ceil(heaviest);
        let is_light = copies <= Bins::<u64>::COPIES;
        (record::len(record) + 1 - k) * copies as usize * usize::from(is_light)
    };
    merger.records().map(keys).sum()
}

/// The parts of a partition, by their types.
type Typed<'a, T, const N: usize> = (&'a mut Merger<N>, &'a mut Table<T>, &'a mut Vec<(T, u64)>);

impl Parts<'_> {
    fn typed<T: Key, const N: usize>(&mut self) -> Option<Typed<'_, T, N>> {
        Some((
            self.merger.downcast_mut()?,
            self.table.downcast_mut()?,
            self.entries.downcast_mut()?,
        ))
    }

    fn count_narrow<const N: usize>(&mut self, sorter: &mut Sorter, keys: usize) -> bool {
        let Sorter {
            k,
            canonical,
            kernel,
            narrow: bins,
            ..
        } = sorter;
        let Some((merger, table, entries)) = self.typed::<u64, N>() else {
            return false;
        };
        bins.begin(keys);
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Kernel::Avx512 => unsafe {
                avx512::expand_into_bins(merger, bins, table, *k, *canonical);
                avx512::count_bins(bins, entries);
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe {
                avx2::count_by_sorting(merger, bins, table, entries, *k, *canonical);
            },
            Kernel::Scalar => count_plainly(merger, bins, table, entries, *k, *canonical),
        }
        true
    }

    fn count_wide<const N: usize>(&mut self, sorter: &mut Sorter, keys: usize) -> bool {
        let Sorter {
            k,
            canonical,
            kernel,
            wide: bins,
            ..
        } = sorter;
        let Some((merger, table, entries)) = self.typed::<u128, N>() else {
            return false;
        };
        bins.begin(keys);
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx512 => unsafe {
                avx512::expand_into_wide_bins(merger, bins, table, *k, *canonical);
                avx512::count_wide_bins(bins, entries);
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe {
                avx2::count_by_sorting(merger, bins, table, entries, *k, *canonical);
            },
            Kernel::Scalar => count_plainly(merger, bins, table, entries, *k, *canonical),
        }
        true
    }
}

/// With the sort of the standard library.
#[inline(always)]
pub(super) fn count_plainly<T: Key, const N: usize>(
    merger: &mut Merger<N>,
    bins: &mut Bins<T>,
    table: &mut Table<T>,
    entries: &mut Vec<(T, u64)>,
    k: usize,
    canonical: bool,
) {
    expand_into_bins(merger, bins, table, k, canonical);
    bins.count(entries, |keys, len, sorted| {
        let sorted = &mut sorted[..len];
        sorted.copy_from_slice(&keys[..len]);
        sorted.sort_unstable();
    });
}

/// Adds the k-mers of all records to the bins, in which there is room for them, or if they are heavy to the table.
#[inline(always)]
pub(super) fn expand_into_bins<T: Key, const N: usize>(
    merger: &mut Merger<N>,
    bins: &mut Bins<T>,
    table: &mut Table<T>,
    k: usize,
    canonical: bool,
) {
    let mut batch = Batch::new();
    merger.drain(|record, weight| {
        if weight > bins.heaviest() * Bins::<T>::COPIES {
            if batch.is_full() {
                insert_plainly(table, &batch);
                batch.clear();
            }
            record::for_each_kmer(record, k, canonical, |kmer| batch.push_one(kmer, weight));
            return;
        }
        let mut left = weight;
        while left > 0 {
            let weight = left.min(bins.heaviest());
            record::for_each_kmer(record, k, canonical, |kmer| bins.push_one(kmer, weight));
            left -= weight;
        }
    });
    insert_plainly(table, &batch);
}
