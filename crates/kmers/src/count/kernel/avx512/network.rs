//! 64 numbers sorted in eight vectors.
//!
//! ```text
//! columns: lane i of all eight vectors, for all i at once, by the network of 19 comparisons
//! transposed: each vector is sorted
//! twice as long, three times: the second of two sorted stretches reversed makes them one that rises and falls,
//!     whose halves, compared number by number, are two such stretches, the lesser numbers in the first;
//!     from 8 numbers on within the vector
//! ```
//!
//! Batcher, Sorting networks and their applications (1968).

use super::{kernel, load, store_u64, wide::Words};
use crate::count::stage2::bins::insert;
use std::arch::x86_64::*;

/// Eight vectors of eight numbers.
type Rows = [__m512i; 8];

kernel! {
    /// Sorts the first `len` of `numbers` to the beginning of `sorted`.
    #[inline]
    pub(super) fn sort(numbers: &[u64; 64], len: usize, sorted: &mut [u64; 64]) {
        // What lies behind is not looked at: the greatest number takes its place.
        let greatest = _mm512_set1_epi64(-1);
        let mut rows = [greatest; 8];
        let wanted = u64::MAX >> (64 - len.clamp(1, 64));
        for (i, (row, numbers)) in rows.iter_mut().zip(numbers.as_chunks::<8>().0).enumerate() {
            *row = _mm512_mask_mov_epi64(greatest, (wanted >> (8 * i)) as u8, load(numbers));
        }
        sort_columns(&mut rows);
        transpose(&mut rows);
        for pair in rows.as_chunks_mut::<2>().0 {
            merge_2(pair);
        }
        for four in rows.as_chunks_mut::<4>().0 {
            merge_4(four);
        }
        merge_8(&mut rows);
        for (row, out) in rows.iter().zip(sorted.as_chunks_mut::<8>().0) {
            store_u64(out, *row);
        }
    }
}

/// Bits of a wide number that are sorted by, and those of its place below them.
pub(super) const WIDE_BITS: u32 = 64 - PLACE_BITS;
const PLACE_BITS: u32 = 6;

kernel! {
    /// As [`sort`] for numbers of up to `WIDE_BITS + below` bits, but by what is above their `weight_bits` lowest, which are
    /// not more than `below`. A bit for each of the sorted numbers but the
    /// first that differs in that from the one before.
    #[inline]
    pub(super) fn sort_wide(
        numbers: &[u128; 64],
        len: usize,
        weight_bits: u32,
        below: u32,
        sorted: &mut [u128; 64],
    ) -> u64 {
        let alike = sort_by_upper_bits(numbers, len, below, sorted);
        // Of those whose upper bits are alike, most are alike altogether: equal k-mers. The others may be in the wrong order.
        let differs = differs_from_last(sorted, weight_bits);
        let different = alike & differs;
        if different == 0 {
            return differs;
        }
        sort_alike(alike, different, weight_bits, sorted);
        differs_from_last(sorted, weight_bits)
    }
}

kernel! {
    /// As [`sort_wide`] for numbers that all differ above their `weight_bits` lowest bits.
    #[inline]
    pub(super) fn sort_wide_distinct(
        numbers: &[u128; 64],
        len: usize,
        weight_bits: u32,
        below: u32,
        sorted: &mut [u128; 64],
    ) {
        let alike = sort_by_upper_bits(numbers, len, below, sorted);
        sort_alike(alike, alike, weight_bits, sorted);
    }
}

kernel! {
    /// Sorts the first `len` of `numbers` by their bits above `below`. A bit for each of them that is in these like the one before.
    #[inline]
    fn sort_by_upper_bits(numbers: &[u128; 64], len: usize, below: u32, sorted: &mut [u128; 64]) -> u64 {
        // Their upper bits are sorted, each with its place.
        let (mut upper, mut places) = ([0; 64], [0; 64]);
        let mut place = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        for (upper, numbers) in upper.as_chunks_mut::<8>().0.iter_mut().zip(numbers.as_chunks::<8>().0) {
            let bits = _mm512_slli_epi64::<PLACE_BITS>(Words::of(numbers).words_at(below));
            store_u64(upper, _mm512_or_si512(bits, place));
            place = _mm512_add_epi64(place, _mm512_set1_epi64(8));
        }
        sort(&upper, len, &mut places);
        for (to, place) in sorted[..len].iter_mut().zip(places) {
            *to = numbers[(place % 64) as usize];
        }
        alike(&places) & u64::MAX >> (64 - len.clamp(1, 64))
    }
}

/// Sorts those of sorted numbers whose upper bits are alike, in each stretch that has one of the `wanted`.
#[inline(always)]
fn sort_alike(alike: u64, mut wanted: u64, weight_bits: u32, sorted: &mut [u128; 64]) {
    while wanted != 0 {
        let at = wanted.trailing_zeros();
        // The first of all is like none before.
        let start = (!alike & ((1 << at) - 1)).ilog2();
        let end = at + (!alike >> at).trailing_zeros().min(64 - at);
        insert(&mut sorted[start as usize..end as usize], weight_bits);
        wanted &= u64::MAX.checked_shl(end).unwrap_or(0);
    }
}

kernel! {
    /// A bit for each of the numbers that differs from the one before only in its place.
    #[inline]
    fn alike(places: &[u64; 64]) -> u64 {
        let mut alike = 0;
        let mut before = _mm512_set1_epi64(-1);
        for (i, row) in places.as_chunks::<8>().0.iter().enumerate() {
            let row = _mm512_srli_epi64::<PLACE_BITS>(load(row));
            let equal = _mm512_cmpeq_epi64_mask(row, _mm512_alignr_epi64::<7>(row, before));
            alike |= u64::from(equal) << (8 * i);
            before = row;
        }
        alike & !1
    }
}

kernel! {
    /// A bit for each of the numbers that differs from the one before in more than its `weight_bits` lowest bits.
    #[inline]
    fn differs_from_last(numbers: &[u128; 64], weight_bits: u32) -> u64 {
        let low = (u64::MAX << weight_bits) as i64;
        let counted = _mm512_setr_epi64(low, -1, low, -1, low, -1, low, -1);
        let mut words = [0; 2];
        let mut last = _mm512_setzero_si512();
        for (i, four) in numbers.as_chunks::<4>().0.iter().enumerate() {
            let row = load(four);
            let before = _mm512_alignr_epi64::<6>(row, last);
            let differs = _mm512_test_epi64_mask(_mm512_xor_si512(row, before), counted);
            words[i / 8] |= u64::from(differs) << (8 * (i % 8));
            last = row;
        }
        // Every second bit: a number has two words.
        let [first, second] = words.map(|words| _pext_u64(words | words >> 1, 0x5555_5555_5555_5555));
        first | second << 32
    }
}

kernel! {
    /// The lesser numbers of both to `a`, the greater ones to `b`.
    #[inline]
    fn compare(rows: &mut [__m512i], a: usize, b: usize) {
        let (x, y) = (rows[a], rows[b]);
        rows[a] = _mm512_min_epu64(x, y);
        rows[b] = _mm512_max_epu64(x, y);
    }
}

/// Compares so many pairs of rows, each with its numbers known: a loop would keep the rows in memory.
macro_rules! compare {
    ($rows:ident: $(($a:literal, $b:literal)),* $(,)?) => {
        $(compare($rows, $a, $b);)*
    };
}

kernel! {
    #[inline]
    fn sort_columns(rows: &mut Rows) {
        compare!(rows:
            (0, 2), (1, 3), (4, 6), (5, 7),
            (0, 4), (1, 5), (2, 6), (3, 7),
            (0, 1), (2, 3), (4, 5), (6, 7),
            (2, 4), (3, 5),
            (1, 4), (3, 6),
            (1, 2), (3, 4), (5, 6),
        );
    }
}

kernel! {
    /// Rows become columns, but for the order of the rows, which does not matter here.
    #[inline]
    fn transpose(rows: &mut Rows) {
        // Pairs of numbers, then pairs of pairs, then halves change places with the neighbour's.
        let mut pairs = *rows;
        for i in 0..4 {
            pairs[2 * i] = _mm512_unpacklo_epi64(rows[2 * i], rows[2 * i + 1]);
            pairs[2 * i + 1] = _mm512_unpackhi_epi64(rows[2 * i], rows[2 * i + 1]);
        }
        let mut fours = *rows;
        let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        for (a, b) in [(0, 2), (1, 3), (4, 6), (5, 7)] {
            fours[a] = _mm512_permutex2var_epi64(pairs[a], low, pairs[b]);
            fours[b] = _mm512_permutex2var_epi64(pairs[a], high, pairs[b]);
        }
        for i in 0..4 {
            rows[i] = _mm512_shuffle_i64x2::<0b01_00_01_00>(fours[i], fours[i + 4]);
            rows[i + 4] = _mm512_shuffle_i64x2::<0b11_10_11_10>(fours[i], fours[i + 4]);
        }
    }
}

kernel! {
    #[inline]
    fn reverse(row: __m512i) -> __m512i {
        _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), row)
    }
}

kernel! {
    /// Sorts the numbers of a vector that rise and fall.
    #[inline]
    fn merge_1(row: __m512i) -> __m512i {
        let other = _mm512_shuffle_i64x2::<0b01_00_11_10>(row, row);
        let row = _mm512_mask_max_epu64(_mm512_min_epu64(row, other), 0b1111_0000, row, other);
        let other = _mm512_permutex_epi64::<0b01_00_11_10>(row);
        let row = _mm512_mask_max_epu64(_mm512_min_epu64(row, other), 0b1100_1100, row, other);
        let other = _mm512_permutex_epi64::<0b10_11_00_01>(row);
        _mm512_mask_max_epu64(_mm512_min_epu64(row, other), 0b1010_1010, row, other)
    }
}

kernel! {
    /// Merges two sorted vectors.
    #[inline]
    fn merge_2(rows: &mut [__m512i; 2]) {
        rows[1] = reverse(rows[1]);
        compare(rows, 0, 1);
        for row in rows {
            *row = merge_1(*row);
        }
    }
}

kernel! {
    /// Merges two sorted stretches of two vectors.
    #[inline]
    fn merge_4(rows: &mut [__m512i; 4]) {
        (rows[2], rows[3]) = (reverse(rows[3]), reverse(rows[2]));
        compare!(rows: (0, 2), (1, 3), (0, 1), (2, 3));
        for row in rows {
            *row = merge_1(*row);
        }
    }
}

kernel! {
    /// Merges two sorted stretches of four vectors.
    #[inline]
    fn merge_8(rows: &mut Rows) {
        let last = [rows[7], rows[6], rows[5], rows[4]];
        for (row, last) in rows[4..].iter_mut().zip(last) {
            *row = reverse(last);
        }
        compare!(rows:
            (0, 4), (1, 5), (2, 6), (3, 7),
            (0, 2), (1, 3), (4, 6), (5, 7),
            (0, 1), (2, 3), (4, 5), (6, 7),
        );
        for row in rows {
            *row = merge_1(*row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::stage2::bins::tests::check_network;

    #[test]
    fn any_number_of_numbers_is_sorted() {
        if !thalweg_superkmers::kernel::avx512::is_available() {
            println!("not tested: this processor has no AVX-512");
            return;
        }
        check_network(
            // SAFETY: the processor has the instructions.
            |numbers, len, sorted| unsafe { sort(numbers, len, sorted) },
            |numbers, len, bits, below, sorted| {
                // SAFETY: as above.
                let differs = unsafe { sort_wide(numbers, len, bits, below, sorted) };
                for (i, pair) in sorted[..len].windows(2).enumerate() {
                    let is_other = pair[0] >> bits != pair[1] >> bits;
                    assert_eq!(differs >> (i + 1) & 1 == 1, is_other);
                }
            },
        );
    }
}
