//! Which instructions bring k-mers into bins and count them there, by the width of the k-mers.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::count::stage2::{
    bins::{Bins, Key, See, count_plainly},
    expand,
    fold::Folder,
    merge::Merger,
    table::Table,
};
use thalweg_superkmers::kernel::{Instructions, Kernel};

/// [`expand::into_bins_plainly`], or the same with instructions that the processor must have.
type Expand<T, const N: usize> =
    unsafe fn(&mut Merger<N>, Option<&mut Folder<N>>, &mut Bins<T>, &mut Table<T>, usize, bool);

/// [`count_plainly`], or the same with instructions that the processor must have.
type Count<T> = for<'a> unsafe fn(&mut Bins<T>, See<'a, T>);

/// A width of k-mers that can be counted by sorting.
pub(crate) trait Sortable: Key {
    /// Of bins of either width, those for this one.
    fn bins<'a>(narrow: &'a mut Bins<u64>, wide: &'a mut Bins<u128>) -> &'a mut Bins<Self>;

    #[cfg(target_arch = "x86_64")]
    fn expand_avx2<const N: usize>() -> Expand<Self, N>;

    #[cfg(target_arch = "x86_64")]
    fn expand_avx512<const N: usize>() -> Expand<Self, N>;

    #[cfg(target_arch = "x86_64")]
    const COUNT_AVX2: Count<Self>;

    #[cfg(target_arch = "x86_64")]
    const COUNT_AVX512: Count<Self>;
}

/// Bins, for each set of instructions.
pub(in crate::count) trait Sorting {
    /// Brings the k-mers of all records of `merger`, which it empties, into `bins`, but those of heavy records into `table`;
    /// `folder`, if there is one, makes the records fewer before.
    fn expand_into_bins<T: Sortable, const N: usize>(
        self,
        merger: &mut Merger<N>,
        folder: Option<&mut Folder<N>>,
        bins: &mut Bins<T>,
        table: &mut Table<T>,
        k: usize,
        canonical: bool,
    );

    /// [`Bins::count`] with the best sort.
    fn count_bins<T: Sortable>(self, bins: &mut Bins<T>, see: See<T>);
}

impl Sorting for Kernel {
    fn expand_into_bins<T: Sortable, const N: usize>(
        self,
        merger: &mut Merger<N>,
        folder: Option<&mut Folder<N>>,
        bins: &mut Bins<T>,
        table: &mut Table<T>,
        k: usize,
        canonical: bool,
    ) {
        let expand: Expand<T, N> = match self.instructions() {
            Instructions::Scalar => expand::into_bins_plainly,
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => T::expand_avx2(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => T::expand_avx512(),
        };
        // SAFETY: `Kernel::all` has made this value, so the processor has the instructions.
        unsafe { expand(merger, folder, bins, table, k, canonical) };
    }

    fn count_bins<T: Sortable>(self, bins: &mut Bins<T>, see: See<T>) {
        let count: Count<T> = match self.instructions() {
            Instructions::Scalar => count_plainly,
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => T::COUNT_AVX2,
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => T::COUNT_AVX512,
        };
        // SAFETY: `Kernel::all` has made this value, so the processor has the instructions.
        unsafe { count(bins, see) };
    }
}

impl Sortable for u64 {
    fn bins<'a>(narrow: &'a mut Bins<u64>, _: &'a mut Bins<u128>) -> &'a mut Bins<Self> {
        narrow
    }

    #[cfg(target_arch = "x86_64")]
    fn expand_avx2<const N: usize>() -> Expand<Self, N> {
        avx2::expand_into_bins
    }

    #[cfg(target_arch = "x86_64")]
    fn expand_avx512<const N: usize>() -> Expand<Self, N> {
        avx512::expand_into_bins
    }

    #[cfg(target_arch = "x86_64")]
    const COUNT_AVX2: Count<Self> = avx2::count_bins;

    #[cfg(target_arch = "x86_64")]
    const COUNT_AVX512: Count<Self> = avx512::count_bins;
}

impl Sortable for u128 {
    fn bins<'a>(_: &'a mut Bins<u64>, wide: &'a mut Bins<u128>) -> &'a mut Bins<Self> {
        wide
    }

    #[cfg(target_arch = "x86_64")]
    fn expand_avx2<const N: usize>() -> Expand<Self, N> {
        avx2::expand_into_wide_bins
    }

    #[cfg(target_arch = "x86_64")]
    fn expand_avx512<const N: usize>() -> Expand<Self, N> {
        avx512::wide::expand_into_bins
    }

    #[cfg(target_arch = "x86_64")]
    const COUNT_AVX2: Count<Self> = avx2::count_wide_bins;

    #[cfg(target_arch = "x86_64")]
    const COUNT_AVX512: Count<Self> = avx512::count_wide_bins;
}
