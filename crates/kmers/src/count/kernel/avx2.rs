//! The hot loops for processors with AVX2 and BMI2.
//!
//! As [`avx512`](super::avx512) with half the width, and without its instructions for
//! funnel shifts, bit matrices and masks:
//!
//! - the pairs of a byte are reversed nibble by nibble, each by a shuffle as a table.
//! - two comparisons of four keys make the mask of a bucket.
//! - groups are sorted in twice as many vectors ([`network`]), and added up by the plain code.
#![allow(unsafe_code)]

mod network;

use crate::count::stage2::{
    batch::Batch,
    bins::{Bins, GROUP, See, sum_group},
    expand,
    fold::{Folder, Weights, compare_plainly},
    merge::{self, Merger},
    small_counts::SmallCounts,
    table::Table,
};
use crate::kmer::Kmer;
use std::arch::x86_64::*;
use thalweg_superkmers::{
    avx2_kernel as kernel,
    kernel::avx2::load,
    record::{self, Record},
};

kernel! {
    #[inline]
    fn store(array: &mut [u64; 4], vector: __m256i) {
        // SAFETY: the reference covers the 32 bytes that are written; any bits are numbers.
        unsafe { _mm256_storeu_si256(std::ptr::from_mut(array).cast(), vector) }
    }
}

kernel! {
    /// As [`Merger::add`].
    pub(super) fn merge<const N: usize>(merger: &mut Merger<N>, records: &[Record<N>]) -> usize {
        merger.add(records, merge::compare_plainly)
    }
}

kernel! {
    /// As [`SmallCounts::add`]: its plain code with these vectors.
    pub(super) fn add_counts<K: Kmer>(small: &mut SmallCounts, entries: &[(K, u64)], large: &mut Vec<u64>) {
        small.add(entries, large);
    }
}

kernel! {
    /// As [`expand::into_bins_plainly`], for k up to 31.
    pub(in crate::count) fn expand_into_bins<const N: usize>(
        merger: &mut Merger<N>,
        folder: Option<&mut Folder<N>>,
        bins: &mut Bins<u64>,
        table: &mut Table<u64>,
        k: usize,
        canonical: bool,
    ) {
        const { assert!(N <= 2) };
        let kmers = Kmers::new(k, canonical);
        let shift = _mm_cvtsi32_si128(bins.weight_bits() as i32);
        let one = _mm256_set1_epi64x(1);
        let put = |room: &mut [u64], kmers, weights| {
            write(room, _mm256_or_si256(_mm256_sll_epi64(kmers, shift), _mm256_sub_epi64(weights, one)));
        };
        expand::into_bins(
            merger,
            folder,
            bins,
            table,
            |record, weights, room| match weights {
                Weights::Alike(weight) => {
                    let weight = _mm256_set1_epi64x(i64::from(weight));
                    kmers.of(record, |done, kmers| put(&mut room[done..], kmers, weight))
                }
                Weights::Each { weights, .. } => {
                    kmers.of(record, |done, kmers| put(&mut room[done..], kmers, weights_of(&weights[done..])))
                }
            },
            |record, room| kmers.of(record, |done, kmers| write(&mut room[done..], kmers)),
            |table, batch| insert(table, batch),
        );
    }
}

kernel! {
    /// As [`expand::into_bins_plainly`]: its plain code with the shifts of these processors.
    pub(in crate::count) fn expand_into_wide_bins<const N: usize>(
        merger: &mut Merger<N>,
        folder: Option<&mut Folder<N>>,
        bins: &mut Bins<u128>,
        table: &mut Table<u128>,
        k: usize,
        canonical: bool,
    ) {
        expand::into_bins_plainly(merger, folder, bins, table, k, canonical);
    }
}

kernel! {
    /// As [`count_plainly`](crate::count::stage2::bins::count_plainly).
    pub(in crate::count) fn count_bins(bins: &mut Bins<u64>, see: See<u64>) {
        let weight_bits = bins.weight_bits();
        let mut sorted = [0; GROUP];
        bins.count(see, |keys, len, entries| {
            network::sort(keys, len, &mut sorted);
            sum_group(&sorted[..len], weight_bits, entries)
        });
    }
}

kernel! {
    /// As [`count_plainly`](crate::count::stage2::bins::count_plainly).
    pub(in crate::count) fn count_wide_bins(bins: &mut Bins<u128>, see: See<u128>) {
        let weight_bits = bins.weight_bits();
        // Fewer bits than can be sorted by, rather than those of a weight.
        let below = bins.key_bits().saturating_sub(network::WIDE_BITS).max(weight_bits);
        let mut sorted = [0; GROUP];
        bins.count(see, |keys, len, entries| {
            network::sort_wide(keys, len, weight_bits, below, &mut sorted);
            sum_group(&sorted[..len], weight_bits, entries)
        });
    }
}

kernel! {
    /// The plain code for k-mers of any width, compiled for these instructions.
    pub(super) fn expand_plainly<K: Kmer, const N: usize>(
        merger: &mut Merger<N>,
        folder: &mut Folder<N>,
        table: &mut Table<K>,
        k: usize,
        canonical: bool,
    ) {
        expand::into_table_plainly(merger, folder, table, k, canonical);
    }
}

kernel! {
    /// The pairs of bits of every 64-bit lane in reverse order.
    #[inline]
    fn reverse_pairs(lanes: __m256i) -> __m256i {
        let bytes = _mm256_broadcastsi128_si256(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
        // Nibble 0bhhll becomes 0bllhh; from a low nibble it moves up.
        let down = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
        let nibble = _mm256_set1_epi8(15);
        let lanes = _mm256_shuffle_epi8(lanes, bytes);
        let low = _mm256_shuffle_epi8(down, _mm256_and_si256(lanes, nibble));
        let high = _mm256_shuffle_epi8(down, _mm256_and_si256(_mm256_srli_epi16::<4>(lanes), nibble));
        _mm256_or_si256(_mm256_slli_epi16::<4>(low), high)
    }
}

kernel! {
    /// As [`Folder::fold`].
    pub(super) fn fold<const N: usize>(folder: &mut Folder<N>) {
        folder.fold(compare_plainly);
    }
}

kernel! {
    /// Adds the k-mers of all records to the table and empties the merger.
    ///
    /// N is 1 or 2: k is at most 32, and no k-mer begins beyond base 31 of a record.
    pub(super) fn expand<const N: usize>(
        merger: &mut Merger<N>,
        folder: &mut Folder<N>,
        table: &mut Table<u64>,
        k: usize,
        canonical: bool,
    ) {
        const { assert!(N <= 2) };
        let kmers = Kmers::new(k, canonical);
        expand::into_table(
            merger,
            folder,
            table,
            |record, room| kmers.of(record, |done, kmers| write(&mut room[done..], kmers)),
            |table, batch| insert(table, batch),
        );
    }
}

kernel! {
    /// The first four of more than eight.
    #[inline]
    fn weights_of(weights: &[u32]) -> __m256i {
        let weights = weights.first_chunk::<8>().map_or(_mm256_setzero_si256(), |weights| load(weights));
        _mm256_cvtepu32_epi64(_mm256_castsi256_si128(weights))
    }
}

kernel! {
    #[inline]
    fn write(room: &mut [u64], vector: __m256i) {
        if let Some(room) = room.first_chunk_mut() {
            store(room, vector);
        }
    }
}

/// What all records' k-mers are cut with.
#[derive(Clone, Copy)]
struct Kmers {
    k: usize,
    canonical: bool,
    unused: __m128i,
    mask: __m256i,
}

impl Kmers {
    kernel! {
        #[inline]
        fn new(k: usize, canonical: bool) -> Self {
            Self {
                k,
                canonical,
                unused: _mm_cvtsi64_si128(64 - 2 * k as i64),
                mask: _mm256_set1_epi64x((u64::MAX >> (64 - 2 * k)) as i64),
            }
        }
    }

    kernel! {
        /// Hands the k-mers of a record, four at a time, to `each`, with how many came before; the last vector may
        /// hold others behind them. Returns their number.
        #[inline]
        fn of<const N: usize>(self, record: &Record<N>, mut each: impl FnMut(usize, __m256i)) -> usize {
            let kmers = (record::len(record) + 1).saturating_sub(self.k);
            let low = _mm256_set1_epi64x(record[0] as i64);
            // Shifted left by one, as shifts by 64 - s must be for s = 0, too.
            let high = _mm256_set1_epi64x(if N == 2 { (record[1] << 1) as i64 } else { 0 });
            let sign = _mm256_set1_epi64x(i64::MIN);
            let mut shifts = _mm256_setr_epi64x(0, 2, 4, 6);
            let mut done = 0;
            while done < kmers {
                let back = _mm256_sub_epi64(_mm256_set1_epi64x(63), shifts);
                let window = _mm256_or_si256(_mm256_srlv_epi64(low, shifts), _mm256_sllv_epi64(high, back));
                let forward = _mm256_srl_epi64(reverse_pairs(window), self.unused);
                let kmer = if self.canonical {
                    let backward = _mm256_andnot_si256(window, self.mask);
                    // Compared as unsigned numbers.
                    let greater = _mm256_cmpgt_epi64(_mm256_xor_si256(forward, sign), _mm256_xor_si256(backward, sign));
                    _mm256_blendv_epi8(forward, backward, greater)
                } else {
                    forward
                };
                each(done, kmer);
                done += 4;
                shifts = _mm256_add_epi64(shifts, _mm256_set1_epi64x(8));
            }
            kmers
        }
    }
}

kernel! {
    #[inline(never)]
    fn insert(table: &mut Table<u64>, batch: &Batch<u64>) {
        batch.insert(table, |keys, key| {
            let key = _mm256_set1_epi64x(key as i64);
            let empty = _mm256_set1_epi64x(-1);
            let (mut equal_places, mut empty_places) = (0, 0);
            for (half, keys) in keys.as_chunks::<4>().0.iter().enumerate() {
                let keys = load(keys);
                let equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, key));
                let empty = _mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, empty));
                equal_places |= (_mm256_movemask_pd(equal) as u32) << (4 * half);
                empty_places |= (_mm256_movemask_pd(empty) as u32) << (4 * half);
            }
            (equal_places, empty_places)
        });
    }
}
