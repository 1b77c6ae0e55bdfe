//! The hot loops of the second stage, for each set of instructions.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod sorting;

use super::stage2::{
    expand,
    fold::{self, Folder},
    merge::{self, Merger},
    small_counts::SmallCounts,
    table::Table,
};
use crate::kmer::Kmer;
use thalweg_superkmers::{
    kernel::{Instructions, Kernel},
    record::Record,
};

/// The hot loops of the second stage, for each set of instructions.
pub(super) trait Counting {
    /// Has `merger` take records from the first on, and tells how many: not all if it must be drained first.
    fn merge<const N: usize>(self, merger: &mut Merger<N>, records: &[Record<N>]) -> usize;

    /// Finds which of the folder's records stand for themselves.
    fn fold<const N: usize>(self, folder: &mut Folder<N>);

    /// Adds the k-mers of all records of `merger` to `table` and empties `merger`.
    fn expand<K: Kmer, const N: usize>(
        self,
        merger: &mut Merger<N>,
        folder: &mut Folder<N>,
        table: &mut Table<K>,
        k: usize,
        canonical: bool,
    );

    /// Adds the counts of `entries` to `small`, and appends those that are too large to `large`.
    fn add_counts<K: Kmer>(
        self,
        small: &mut SmallCounts,
        entries: &[(K, u64)],
        large: &mut Vec<u64>,
    );
}

impl Counting for Kernel {
    fn merge<const N: usize>(self, merger: &mut Merger<N>, records: &[Record<N>]) -> usize {
        match self.instructions() {
            Instructions::Scalar => merger.add(records, merge::compare_plainly),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::all` has made this value, so the processor has the instructions.
            Instructions::Avx512 => unsafe { avx512::merge(merger, records) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { avx2::merge(merger, records) },
        }
    }

    fn fold<const N: usize>(self, folder: &mut Folder<N>) {
        match self.instructions() {
            Instructions::Scalar => folder.fold(fold::compare_plainly),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::all` has made this value, so the processor has the instructions.
            Instructions::Avx512 => unsafe { avx512::fold(folder) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { avx2::fold(folder) },
        }
    }

    fn expand<K: Kmer, const N: usize>(
        self,
        merger: &mut Merger<N>,
        folder: &mut Folder<N>,
        table: &mut Table<K>,
        k: usize,
        canonical: bool,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self != Self::SCALAR {
            use std::any::Any;
            if let Some(table) = (table as &mut dyn Any).downcast_mut::<Table<u64>>() {
                let (merger, folder): (&mut dyn Any, &mut dyn Any) = (merger, folder);
                if let Some((merger, folder)) = merger.downcast_mut().zip(folder.downcast_mut()) {
                    return expand_words::<1>(self, merger, folder, table, k, canonical);
                }
                if let Some((merger, folder)) = merger.downcast_mut().zip(folder.downcast_mut()) {
                    return expand_words::<2>(self, merger, folder, table, k, canonical);
                }
            }
        }
        #[cfg(target_arch = "x86_64")]
        if self.instructions() == Instructions::Avx512
            && k > u64::MAX_K
            && let Some(table) = (table as &mut dyn std::any::Any).downcast_mut()
        {
            // SAFETY: `Kernel::all` has made this value, so the processor has the instructions.
            return unsafe { avx512::wide::expand(merger, folder, table, k, canonical) };
        }
        #[cfg(target_arch = "x86_64")]
        if self != Self::SCALAR {
            // SAFETY: `Kernel::all` has made this value; what AVX-512 asks for includes what AVX2 does.
            return unsafe { avx2::expand_plainly(merger, folder, table, k, canonical) };
        }
        expand::into_table_plainly(merger, folder, table, k, canonical);
    }

    #[inline]
    fn add_counts<K: Kmer>(
        self,
        small: &mut SmallCounts,
        entries: &[(K, u64)],
        large: &mut Vec<u64>,
    ) {
        match self.instructions() {
            Instructions::Scalar => small.add(entries, large),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::all` has made this value, so the processor has the instructions.
            Instructions::Avx512 => unsafe { avx512::add_counts(small, entries, large) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { avx2::add_counts(small, entries, large) },
        }
    }
}

/// [`Counting::expand`] for one-word k-mers.
#[cfg(target_arch = "x86_64")]
fn expand_words<const N: usize>(
    kernel: Kernel,
    merger: &mut Merger<N>,
    folder: &mut Folder<N>,
    table: &mut Table<u64>,
    k: usize,
    canonical: bool,
) {
    match kernel.instructions() {
        Instructions::Scalar => expand::into_table_plainly(merger, folder, table, k, canonical),
        // SAFETY: `Kernel::all` has made this value, so the processor has the instructions.
        Instructions::Avx512 => unsafe { avx512::expand(merger, folder, table, k, canonical) },
        // SAFETY: as above.
        Instructions::Avx2 => unsafe { avx2::expand(merger, folder, table, k, canonical) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::stage2::table::Table;
    use thalweg_superkmers::{minimizer::minimizer_length, record};

    /// Records of all lengths there are, each once or more often.
    fn merged<const N: usize>(k: usize) -> Merger<N> {
        let mut merger = Merger::new(1 << 12);
        let word = |i: usize| (i as u64 + 1).pow(3).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let longest = (32 * N - 1).min(2 * k - minimizer_length(k));
        for (i, len) in (k..=longest).enumerate() {
            // The last k-mers are all A, or all T.
            for last in [None, Some(0), Some(u64::MAX)] {
                let mut packed: Vec<u64> = (0..=N).map(|at| word(N * i + at)).collect();
                if let Some(last) = last {
                    packed[(len - k) / 32..].fill(last);
                }
                let record = record::cut::<N>(&packed, 0, len);
                for _ in 0..i % 3 + 1 {
                    assert_eq!(merger.add(&[record], merge::compare_plainly), 1);
                }
            }
        }
        merger
    }

    fn counts<K: Kmer, const N: usize>(
        kernel: Kernel,
        k: usize,
        canonical: bool,
        slots: usize,
    ) -> (Vec<(K, u64)>, Option<K>) {
        let mut table = Table::new(slots);
        let mut folder = Folder::new(k, kernel, usize::MAX);
        kernel.expand(&mut merged::<N>(k), &mut folder, &mut table, k, canonical);
        let mut counts = Vec::new();
        table.collect(&mut counts);
        counts.sort_unstable();
        (counts, table.high())
    }

    #[test]
    fn tables_agree_with_the_plain_code() {
        let mut given_up = 0;
        for (kernel, canonical) in
            Kernel::all().flat_map(|kernel| [(kernel, false), (kernel, true)])
        {
            // Some keys are given up in the smaller one.
            for slots in [1 << 16, 1] {
                for k in 12..=32 {
                    let expected = counts::<u64, 2>(Kernel::SCALAR, k, canonical, slots);
                    let found = counts::<u64, 2>(kernel, k, canonical, slots);
                    assert!(found == expected, "{kernel:?}, k = {k}");
                }
                for k in 28..=64 {
                    let expected = counts::<u128, 4>(Kernel::SCALAR, k, canonical, slots);
                    let found = counts::<u128, 4>(kernel, k, canonical, slots);
                    assert!(found == expected, "{kernel:?}, k = {k}");
                    given_up += usize::from(expected.1.is_some());
                }
            }
        }
        assert!(given_up > 10);
    }
}
