//! Which instructions do the work: chosen once, at run time.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;
pub(super) mod sorting;

use super::{
    record::Record,
    stage1::{
        cut::{self, Cuts, Ends, Segment},
        encode::Encoded,
    },
    stage2::{
        expand,
        fold::{self, Folder},
        merge::{self, Merger},
        small_counts::SmallCounts,
        table::Table,
    },
};
use crate::{error::Result, kmer::Kmer, minimizer::Minimizers, partition::Store};

/// A set of instructions that the hot loops are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Plain code for any processor and any k; the oracle of the others.
    Scalar,
    /// See [`avx512`]; made by [`Kernel::all`] only.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// See [`avx2`]; made by [`Kernel::all`] only.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernel {
    /// The kernels that this processor can run, the best first.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let vectors = [
            avx512::is_available().then_some(Self::Avx512),
            avx2::is_available().then_some(Self::Avx2),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let vectors = [];
        vectors.into_iter().flatten().chain([Self::Scalar])
    }

    /// The names of the kernels that this processor can run, the best first.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        Self::all().map(Self::name)
    }

    /// The best kernel of this processor.
    pub(crate) fn best() -> Self {
        Self::all().next().unwrap_or(Self::Scalar)
    }

    /// The best kernel of this processor, or the one with this name.
    pub(crate) fn choose(name: Option<&str>) -> Option<Self> {
        Self::all().find(|kernel| name.is_none_or(|name| kernel.name() == name))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
        }
    }

    /// Encodes both strands.
    #[inline]
    pub(crate) fn encode(self, encoded: &mut Encoded, letters: &[u8], quality: &[u8], minimum: u8) {
        match self {
            Self::Scalar => {
                encoded.encode(letters, quality, minimum);
                encoded.complement();
            }
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Self::Avx512 => unsafe { avx512::encode(encoded, letters, quality, minimum) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx2 => unsafe { avx2::encode(encoded, letters, quality, minimum) },
        }
    }

    /// Finds the minimizers of all windows.
    #[inline]
    pub(crate) fn minimizers(
        self,
        minimizers: &mut Minimizers,
        encoded: &Encoded,
        k: usize,
        m: usize,
    ) {
        let (packed, bases) = (&encoded.packed, encoded.bases);
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if k - m < avx512::MAX_WINDOW => {
                // SAFETY: `all` has made this value, so the processor has the instructions.
                unsafe { avx512::minimizers(minimizers, packed, bases, k, m) }
            }
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above; those with AVX-512 have AVX2.
            Self::Avx512 | Self::Avx2 => unsafe {
                avx2::minimizers(minimizers, packed, bases, k, m)
            },
            Self::Scalar => minimizers.find(packed, bases, k, m),
        }
    }

    /// Cuts the records of a segment and pushes them to `store`.
    ///
    /// # Errors
    ///
    /// As [`cut::cut`].
    #[inline]
    pub(super) fn cut<const N: usize>(
        self,
        segment: Segment,
        ends: &mut Ends,
        store: &mut Store,
    ) -> Result<Cuts> {
        match self {
            Self::Scalar => cut::cut::<N>(segment, ends, store, cut::list_plainly),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Self::Avx512 => unsafe { avx512::cut::<N>(segment, ends, store) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx2 => unsafe { avx2::cut::<N>(segment, ends, store) },
        }
    }

    /// Has `merger` take records from the first on, and tells how many: not all if it must be drained first.
    pub(super) fn merge<const N: usize>(
        self,
        merger: &mut Merger<N>,
        records: &[Record<N>],
    ) -> usize {
        match self {
            Self::Scalar => merger.add(records, merge::compare_plainly),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Self::Avx512 => unsafe { avx512::merge(merger, records) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx2 => unsafe { avx2::merge(merger, records) },
        }
    }

    /// Finds which of the folder's records stand for themselves.
    pub(super) fn fold<const N: usize>(self, folder: &mut Folder<N>) {
        match self {
            Self::Scalar => folder.fold(fold::compare_plainly),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Self::Avx512 => unsafe { avx512::fold(folder) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx2 => unsafe { avx2::fold(folder) },
        }
    }

    /// Adds the k-mers of all records of `merger` to `table` and empties `merger`.
    pub(super) fn expand<K: Kmer, const N: usize>(
        self,
        merger: &mut Merger<N>,
        folder: &mut Folder<N>,
        table: &mut Table<K>,
        k: usize,
        canonical: bool,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self != Self::Scalar {
            use std::any::Any;
            if let Some(table) = (table as &mut dyn Any).downcast_mut::<Table<u64>>() {
                let (merger, folder): (&mut dyn Any, &mut dyn Any) = (merger, folder);
                if let Some((merger, folder)) = merger.downcast_mut().zip(folder.downcast_mut()) {
                    return self.expand_words::<1>(merger, folder, table, k, canonical);
                }
                if let Some((merger, folder)) = merger.downcast_mut().zip(folder.downcast_mut()) {
                    return self.expand_words::<2>(merger, folder, table, k, canonical);
                }
            }
        }
        #[cfg(target_arch = "x86_64")]
        if self == Self::Avx512
            && k > u64::MAX_K
            && let Some(table) = (table as &mut dyn std::any::Any).downcast_mut()
        {
            // SAFETY: `all` has made this value, so the processor has the instructions.
            return unsafe { avx512::wide::expand(merger, folder, table, k, canonical) };
        }
        #[cfg(target_arch = "x86_64")]
        if self != Self::Scalar {
            // SAFETY: `all` has made this value; what AVX-512 asks for includes what AVX2 does.
            return unsafe { avx2::expand_plainly(merger, folder, table, k, canonical) };
        }
        expand::into_table_plainly(merger, folder, table, k, canonical);
    }

    /// [`Self::expand`] for one-word k-mers.
    #[cfg(target_arch = "x86_64")]
    fn expand_words<const N: usize>(
        self,
        merger: &mut Merger<N>,
        folder: &mut Folder<N>,
        table: &mut Table<u64>,
        k: usize,
        canonical: bool,
    ) {
        match self {
            Self::Scalar => expand::into_table_plainly(merger, folder, table, k, canonical),
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Self::Avx512 => unsafe { avx512::expand(merger, folder, table, k, canonical) },
            // SAFETY: as above.
            Self::Avx2 => unsafe { avx2::expand(merger, folder, table, k, canonical) },
        }
    }

    /// Adds the counts of `entries` to `small`, and appends those that are too large to `large`.
    #[inline]
    pub(super) fn add_counts<K: Kmer>(
        self,
        small: &mut SmallCounts,
        entries: &[(K, u64)],
        large: &mut Vec<u64>,
    ) {
        match self {
            Self::Scalar => small.add(entries, large),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Self::Avx512 => unsafe { avx512::add_counts(small, entries, large) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx2 => unsafe { avx2::add_counts(small, entries, large) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::record;
    use crate::kmer::Alphabet;
    use crate::minimizer::{MAX_M, minimizer_length};

    fn letters(len: usize, mut state: u64) -> Vec<u8> {
        let step = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            let rare = state >> 56 == 0;
            if rare {
                (state >> 40) as u8
            } else {
                b"ACGTacguACGTUcgt"[(state >> 60) as usize]
            }
        };
        (0..len).map(step).collect()
    }

    #[test]
    fn encoding_and_minimizers_agree_with_the_plain_code() {
        for kernel in Kernel::all() {
            for alphabet in [Alphabet::Acgtu, Alphabet::Acgt] {
                agrees_with_the_plain_code(kernel, alphabet);
            }
        }
    }

    fn agrees_with_the_plain_code(kernel: Kernel, alphabet: Alphabet) {
        let (mut plain, mut fast) = (Encoded::new(alphabet), Encoded::new(alphabet));
        let (mut expected, mut found) = (Minimizers::default(), Minimizers::default());
        // At last shorter ones: nothing of a longer one may remain.
        for len in (0..200).chain([255, 256, 257, 511, 2078, 2300, 33, 0, 257, 1]) {
            let text = letters(len, len as u64);
            let quality: Vec<u8> = text
                .iter()
                .rev()
                .map(|letter| letter.wrapping_mul(37))
                .collect();
            for (quality, minimum) in [(&b""[..], 0), (&quality, 50), (&quality, 200)] {
                plain.encode(&text, quality, minimum);
                plain.complement();
                kernel.encode(&mut fast, &text, quality, minimum);
                let words = plain.words();
                for strand in [0..words, words + Encoded::GAP..2 * words + Encoded::GAP] {
                    assert_eq!(
                        fast.packed[strand.clone()],
                        plain.packed[strand],
                        "{kernel:?}, {len} letters"
                    );
                }
                assert_eq!(fast.invalid, plain.invalid);
                assert_eq!(fast.has_other_letters(), plain.has_other_letters());
            }
            for k in [1, 2, 11, 12, 13, 14, 21, 26, 27, 31, 32, 33, 40, 55, 64, 78] {
                // That of a count, and one that a file may have.
                for m in [minimizer_length(k), 1 + len % MAX_M.min(k)] {
                    expected.find(&plain.packed, len, k, m);
                    kernel.minimizers(&mut found, &plain, k, m);
                    let windows = (len + 1).saturating_sub(k);
                    assert_eq!(
                        found.least[..windows],
                        expected.least[..windows],
                        "{kernel:?}, k = {k}, m = {m}, {len} letters"
                    );
                    for i in 1..windows {
                        let bit = |changes: &[u64]| changes[(i - 1) / 64] >> ((i - 1) % 64) & 1;
                        assert_eq!(
                            bit(&found.changes),
                            bit(&expected.changes),
                            "k = {k}, m = {m}, {len}, {i}"
                        );
                    }
                }
            }
        }
    }

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
                    let expected = counts::<u64, 2>(Kernel::Scalar, k, canonical, slots);
                    let found = counts::<u64, 2>(kernel, k, canonical, slots);
                    assert!(found == expected, "{kernel:?}, k = {k}");
                }
                for k in 28..=64 {
                    let expected = counts::<u128, 4>(Kernel::Scalar, k, canonical, slots);
                    let found = counts::<u128, 4>(kernel, k, canonical, slots);
                    assert!(found == expected, "{kernel:?}, k = {k}");
                    given_up += usize::from(expected.1.is_some());
                }
            }
        }
        assert!(given_up > 10);
    }
}
