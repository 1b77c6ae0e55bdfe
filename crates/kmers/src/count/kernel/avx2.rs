//! The hot loops for processors with AVX2 and BMI2.
//!
//! As [`avx512`](super::avx512) with half the width, and without its instructions for
//! funnel shifts, bit matrices and masks:
//!
//! - m-mers and their minima are the plain code, which the compiler turns into vectors when it may
//!   use these instructions; only where the minimum changes is found by hand.
//! - the pairs of a byte are reversed nibble by nibble, each by a shuffle as a table.
//! - two comparisons of four keys make the mask of a bucket.
//! - groups are sorted in twice as many vectors ([`network`]), and added up by the plain code.
#![allow(unsafe_code)]

/// A function with the instructions of this module; for its modules, too.
macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => {
        $(#[$meta])*
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        $vis fn $($rest)*
    };
}

mod network;

use crate::count::{
    record::{self, Record},
    stage1::{
        cut::{self, Cuts, Ends, Segment},
        encode::Encoded,
    },
    stage2::{
        batch::Batch,
        bins::{Bins, GROUP, See, sum_group},
        expand,
        fold::{Folder, Weights, compare_plainly},
        merge::{self, Merger},
        small_counts::SmallCounts,
        table::Table,
    },
};
use crate::{error::Result, kmer::Kmer, minimizer::Minimizers, partition::Store};
use std::arch::x86_64::*;

/// Whether this processor has all that this module uses.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

kernel! {
    #[inline]
    fn load<T: Copy, const L: usize>(array: &[T; L]) -> __m256i {
        const { assert!(size_of::<T>() * L == 32) };
        // SAFETY: the reference covers the 32 bytes that are read, of a type of plain numbers.
        unsafe { _mm256_loadu_si256(std::ptr::from_ref(array).cast()) }
    }
}

kernel! {
    #[inline]
    fn store(array: &mut [u64; 4], vector: __m256i) {
        // SAFETY: the reference covers the 32 bytes that are written; any bits are numbers.
        unsafe { _mm256_storeu_si256(std::ptr::from_mut(array).cast(), vector) }
    }
}

kernel! {
    /// As [`Encoded::encode`] followed by [`Encoded::complement`].
    pub(super) fn encode(encoded: &mut Encoded, letters: &[u8], quality: &[u8], minimum: u8) {
        encoded.prepare(letters.len());
        let u = encoded.alphabet.u();
        let mut any = 0;
        let (whole, rest) = letters.as_chunks::<64>();
        let mut last = [b'A'; 64];
        last[..rest.len()].copy_from_slice(rest);
        let tail = (!rest.is_empty()).then_some(&last);
        for (i, chunk) in whole.iter().chain(tail).enumerate() {
            let mut invalid = 0;
            // Two arrays of 32 are what one of 64 is made of.
            for (half, letters) in chunk.as_chunks::<32>().0.iter().enumerate() {
                let (word, bad) = pack(letters, u);
                encoded.packed[2 * i + half] = word;
                invalid |= u64::from(bad) << (32 * half);
            }
            encoded.invalid[i] = invalid;
            any |= invalid;
        }
        encoded.set_any_other_letter(any != 0);
        encoded.mask_quality(quality, minimum);
        encoded.complement();
    }
}

kernel! {
    /// 32 letters in two bits each, zero where the bit of the second number says that it is no base.
    #[inline]
    fn pack(letters: &[u8; 32], u: i8) -> (u64, u32) {
        // By low nibble: A = 0x41, C = 0x43, G = 0x47, T = 0x54, U = 0x55 or none.
        const NONE: i8 = -1;
        let expected = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            NONE, 0x41, NONE, 0x43, 0x54, u, NONE, 0x47, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
        ));
        let codes = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 1, 3, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0));
        let letter = load(letters);
        let upper = _mm256_and_si256(letter, _mm256_set1_epi8(!0x20));
        let good = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(expected, letter), upper);
        let code = _mm256_and_si256(good, _mm256_shuffle_epi8(codes, letter));
        let four = _mm256_maddubs_epi16(code, _mm256_set1_epi16(0x0401));
        let sixteen = _mm256_madd_epi16(four, _mm256_set1_epi32(0x0010_0001));
        // The low byte of every 32 bits, four in each half.
        let low = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 4, 8, 12, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
        ));
        let bytes = _mm256_shuffle_epi8(sixteen, low);
        let first = _mm256_extract_epi32::<0>(bytes) as u32;
        let second = _mm256_extract_epi32::<4>(bytes) as u32;
        let word = u64::from(first) | u64::from(second) << 32;
        (word, !(_mm256_movemask_epi8(good) as u32))
    }
}

kernel! {
    /// As [`cut::cut`]: the plain code with the shifts of these processors.
    pub(super) fn cut<const N: usize>(segment: Segment, ends: &mut Ends, store: &mut Store) -> Result<Cuts> {
        cut::cut::<N>(segment, ends, store, cut::list_plainly)
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
    /// As [`Minimizers::find`].
    pub(super) fn minimizers(found: &mut Minimizers, packed: &[u64], bases: usize, k: usize, m: usize) {
        found.find_least(packed, bases, k, m);
        for i in 0..found.least.len().saturating_sub(8) / 8 {
            let both = found.least[8 * i..].first_chunk::<8>().zip(found.least[8 * i + 1..].first_chunk::<8>());
            let Some((least, next)) = both else { break };
            let equal = _mm256_cmpeq_epi32(load(least), load(next));
            let differ = !_mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u64 & 0xff;
            found.changes[i / 8] |= differ << (8 * (i % 8));
        }
        found.find_changes(found.least.len().saturating_sub(8) / 8 * 8);
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
