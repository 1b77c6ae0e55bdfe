//! The hot loops for processors with AVX-512 (F, BW, VL, VBMI, VBMI2) and GFNI.
//!
//! The same algorithms as the plain code, 8 k-mers at a time:
//!
//! - merging: a line of the table is one vector; equal words and free ones are two masks.
//! - k-mers: a broadcast record shifted by 0, 2, ... 14 bits is 8 of them; of two words, a vector for
//!   each (`wide`). They are put into a batch, so that a table's cache lines can be asked for in advance.
//! - table: a bucket of 8 keys is one vector; equal and empty places are two masks. Buckets fill
//!   from the left, so the first place of either mask is the right one: no branch.
//!
//! Unsafe are only loads and stores through references to arrays of the vector's size, and one load of what a mask wants of
//! a slice; whoever calls in from outside must know that the processor has the instructions.
#![allow(unsafe_code)]

mod network;
mod sums;
pub(in crate::count) mod wide;

use crate::count::stage2::{
    batch::Batch,
    bins::{Bins, GROUP, See},
    expand,
    fold::{Folder, Places, SLACK, Weights},
    merge::Merger,
    small_counts::SmallCounts,
    table::Table,
};
use crate::kmer::Kmer;
use std::arch::x86_64::*;
use thalweg_superkmers::{
    avx512_kernel as kernel,
    kernel::avx512::{load, reverse_pairs, store_u64},
    lines::LINE,
    record::{self, Record},
};

kernel! {
    #[inline]
    fn store_u128(array: &mut [u128; 4], vector: __m512i) {
        // SAFETY: the reference covers the 64 bytes that are written; any bits are numbers.
        unsafe { _mm512_storeu_si512(std::ptr::from_mut(array).cast(), vector) }
    }
}

kernel! {
    /// As [`Merger::add`].
    pub(super) fn merge<const N: usize>(merger: &mut Merger<N>, records: &[Record<N>]) -> usize {
        merger.add(records, |line, record| {
            let line = load(line);
            let record = load::<u64, LINE>(&std::array::from_fn(|i| record[i % N]));
            u16::from(_mm512_cmpeq_epi64_mask(line, record)) | u16::from(_mm512_testn_epi64_mask(line, line)) << LINE
        })
    }
}

kernel! {
    /// As [`Folder::fold`].
    pub(super) fn fold<const N: usize>(folder: &mut Folder<N>) {
        folder.fold(|line, tag| {
            let line = load(line);
            let free = _mm512_testn_epi64_mask(line, line);
            let tags = _mm512_srli_epi64::<32>(line);
            let equal = _mm512_mask_cmpeq_epi64_mask(!free, tags, _mm512_set1_epi64(i64::from(tag)));
            Places { equal, free }
        });
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
    /// As [`count_plainly`](crate::count::stage2::bins::count_plainly).
    pub(in crate::count) fn count_bins(bins: &mut Bins<u64>, see: See<u64>) {
        let weight_bits = bins.weight_bits();
        let (mut sorted, mut found) = ([0; GROUP], sums::Found::new());
        bins.count(see, |keys, len, entries| {
            network::sort(keys, len, &mut sorted);
            sums::sum_group(&sorted, len, weight_bits, &mut found, entries)
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
        if bins.are_distinct() {
            return bins.count(see, |keys, len, entries| {
                network::sort_wide_distinct(keys, len, weight_bits, below, &mut sorted);
                sums::split_wide_group(&sorted, len, weight_bits, entries)
            });
        }
        bins.count(see, |keys, len, entries| {
            let differs = network::sort_wide(keys, len, weight_bits, below, &mut sorted);
            sums::sum_wide_group(&sorted, differs, len, weight_bits, entries)
        });
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
        let one = _mm512_set1_epi64(1);
        let put = |room: &mut [u64], kmers, weights| {
            write(room, _mm512_or_si512(_mm512_sll_epi64(kmers, shift), _mm512_sub_epi64(weights, one)));
        };
        expand::into_bins(
            merger,
            folder,
            bins,
            table,
            |record, weights, room| match weights {
                Weights::Alike(weight) => {
                    let weight = _mm512_set1_epi64(i64::from(weight));
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
    /// The first eight of more than [`SLACK`].
    #[inline]
    fn weights_of(weights: &[u32]) -> __m512i {
        let weights = weights.first_chunk::<SLACK>().map_or(_mm512_setzero_si512(), |weights| load(weights));
        _mm512_cvtepu32_epi64(_mm512_castsi512_si256(weights))
    }
}

kernel! {
    #[inline]
    fn write(room: &mut [u64], vector: __m512i) {
        if let Some(room) = room.first_chunk_mut() {
            store_u64(room, vector);
        }
    }
}

/// What all records' k-mers are cut with.
#[derive(Clone, Copy)]
struct Kmers {
    k: usize,
    canonical: bool,
    unused: __m128i,
    mask: __m512i,
}

impl Kmers {
    kernel! {
        #[inline]
        fn new(k: usize, canonical: bool) -> Self {
            Self {
                k,
                canonical,
                unused: _mm_cvtsi64_si128(64 - 2 * k as i64),
                mask: _mm512_set1_epi64((u64::MAX >> (64 - 2 * k)) as i64),
            }
        }
    }

    kernel! {
        /// Hands the k-mers of a record, eight at a time, to `each`, with how many came before; the last vector may
        /// hold others behind them. Returns their number.
        #[inline]
        fn of<const N: usize>(self, record: &Record<N>, mut each: impl FnMut(usize, __m512i)) -> usize {
            let kmers = (record::len(record) + 1).saturating_sub(self.k);
            let low = _mm512_set1_epi64(record[0] as i64);
            let high = _mm512_set1_epi64(if N == 2 { record[1] as i64 } else { 0 });
            let mut shifts = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            let mut done = 0;
            while done < kmers {
                let window = _mm512_shrdv_epi64(low, high, shifts);
                let forward = _mm512_srl_epi64(reverse_pairs(window), self.unused);
                let backward = _mm512_andnot_si512(window, self.mask);
                each(done, if self.canonical { _mm512_min_epu64(forward, backward) } else { forward });
                done += 8;
                shifts = _mm512_add_epi64(shifts, _mm512_set1_epi64(16));
            }
            kmers
        }
    }
}

kernel! {
    #[inline(never)]
    fn insert(table: &mut Table<u64>, batch: &Batch<u64>) {
        batch.insert(table, |keys, key| {
            let keys = load(keys);
            let equal = _mm512_cmpeq_epi64_mask(keys, _mm512_set1_epi64(key as i64));
            let empty = _mm512_cmpeq_epi64_mask(keys, _mm512_set1_epi64(-1));
            (equal.into(), empty.into())
        });
    }
}
