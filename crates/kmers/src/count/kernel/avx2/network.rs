//! 64 numbers sorted in sixteen vectors.
//!
//! ```text
//! columns: lane i of all sixteen vectors, for all i at once, by the network of 60 comparisons
//! transposed: every four vectors are a sorted column
//! twice as long, two times: the second of two sorted stretches reversed makes them one that rises and falls,
//!     whose halves, compared number by number, are two such stretches, the lesser numbers in the first;
//!     within a vector two of them at once, as pairs of lanes
//! ```
//!
//! Green, Sorting networks with 16 inputs (1969); Batcher, Sorting networks and their applications (1968).

use super::{kernel, load};
use crate::count::stage2::bins::insert;
use std::arch::x86_64::*;

/// Sixteen vectors of four numbers, with the upper bit of each turned: there is no comparison of unsigned numbers.
type Rows = [__m256i; 16];

kernel! {
    /// Sorts the first `len` of `numbers` to the beginning of `sorted`.
    #[inline]
    pub(super) fn sort(numbers: &[u64; 64], len: usize, sorted: &mut [u64; 64]) {
        let sign = _mm256_set1_epi64x(i64::MIN);
        // What lies behind is not looked at: the greatest number takes its place.
        let greatest = _mm256_set1_epi64x(i64::MAX);
        let end = _mm256_set1_epi64x(len as i64);
        let mut place = _mm256_setr_epi64x(0, 1, 2, 3);
        let mut rows = [greatest; 16];
        for (row, numbers) in rows.iter_mut().zip(numbers.as_chunks::<4>().0) {
            let wanted = _mm256_cmpgt_epi64(end, place);
            *row = _mm256_blendv_epi8(greatest, _mm256_xor_si256(load(numbers), sign), wanted);
            place = _mm256_add_epi64(place, _mm256_set1_epi64x(4));
        }
        sort_columns(&mut rows);
        let mut rows = transposed(&rows);
        for columns in rows.as_chunks_mut::<8>().0 {
            merge(columns);
        }
        merge(&mut rows);
        for (row, out) in rows.iter().zip(sorted.as_chunks_mut::<4>().0) {
            super::store(out, _mm256_xor_si256(*row, sign));
        }
    }
}

/// Bits of a wide number that are sorted by, and those of its place below them.
pub(super) const WIDE_BITS: u32 = 64 - PLACE_BITS;
const PLACE_BITS: u32 = 6;

kernel! {
    /// As [`sort`] for numbers of up to `WIDE_BITS + below` bits, but by what is above their `weight_bits` lowest, which are
    /// not more than `below`.
    #[inline]
    pub(super) fn sort_wide(
        numbers: &[u128; 64],
        len: usize,
        weight_bits: u32,
        below: u32,
        sorted: &mut [u128; 64],
    ) {
        // Their upper bits are sorted, each with its place.
        let (mut upper, mut places) = ([0; 64], [0; 64]);
        for (i, (upper, number)) in upper.iter_mut().zip(numbers).enumerate() {
            *upper = ((number >> below) as u64) << PLACE_BITS | i as u64;
        }
        sort(&upper, len, &mut places);
        for (to, place) in sorted[..len].iter_mut().zip(places) {
            *to = numbers[(place % 64) as usize];
        }
        // Those whose upper bits are alike may be in the wrong order: few.
        insert(&mut sorted[..len], weight_bits);
    }
}

kernel! {
    /// The lesser numbers of both to `a`, the greater ones to `b`.
    #[inline]
    fn compare(rows: &mut [__m256i], a: usize, b: usize) {
        (rows[a], rows[b]) = ordered(rows[a], rows[b]);
    }
}

kernel! {
    #[inline]
    fn ordered(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        // Where they change places: what they differ in, else nothing.
        let change = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_cmpgt_epi64(a, b));
        (_mm256_xor_si256(a, change), _mm256_xor_si256(b, change))
    }
}

/// Compares so many pairs of rows, each with its numbers known.
macro_rules! compare {
    ($rows:ident: $(($a:literal, $b:literal)),* $(,)?) => {
        $(compare($rows, $a, $b);)*
    };
}

kernel! {
    #[inline]
    fn sort_columns(rows: &mut Rows) {
        compare!(rows:
            (0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (10, 11), (12, 13), (14, 15),
            (0, 2), (1, 3), (4, 6), (5, 7), (8, 10), (9, 11), (12, 14), (13, 15),
            (0, 4), (1, 5), (2, 6), (3, 7), (8, 12), (9, 13), (10, 14), (11, 15),
            (0, 8), (1, 9), (2, 10), (3, 11), (4, 12), (5, 13), (6, 14), (7, 15),
            (5, 10), (6, 9), (3, 12), (13, 14), (4, 8), (7, 11), (1, 2),
            (1, 4), (7, 13), (2, 8), (11, 14),
            (2, 4), (5, 6), (9, 10), (11, 13), (3, 8), (7, 12),
            (6, 8), (10, 12), (3, 5), (7, 9),
            (3, 4), (5, 6), (7, 8), (9, 10), (11, 12),
            (6, 7), (8, 9),
        );
    }
}

kernel! {
    /// Column by column, four rows each.
    #[inline]
    fn transposed(rows: &Rows) -> Rows {
        let mut columns = *rows;
        for (i, four) in rows.as_chunks::<4>().0.iter().enumerate() {
            let [a, b, c, d] = *four;
            // Pairs of lanes, then halves.
            let (even, odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
            let (later_even, later_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
            columns[i] = _mm256_permute2x128_si256::<0x20>(even, later_even);
            columns[4 + i] = _mm256_permute2x128_si256::<0x20>(odd, later_odd);
            columns[8 + i] = _mm256_permute2x128_si256::<0x31>(even, later_even);
            columns[12 + i] = _mm256_permute2x128_si256::<0x31>(odd, later_odd);
        }
        columns
    }
}

kernel! {
    /// Merges two sorted stretches, each half of the rows.
    #[inline]
    fn merge<const N: usize>(rows: &mut [__m256i; N]) {
        let (_, last) = rows.split_at_mut(N / 2);
        last.reverse();
        for row in last {
            *row = _mm256_permute4x64_epi64::<0b00_01_10_11>(*row);
        }
        let mut distance = N / 2;
        while distance > 0 {
            for i in 0..N {
                if i & distance == 0 {
                    compare(rows, i, i + distance);
                }
            }
            distance /= 2;
        }
        for [a, b] in rows.as_chunks_mut::<2>().0 {
            (*a, *b) = merge_within(*a, *b);
        }
    }
}

kernel! {
    /// Sorts the numbers of two vectors, that rise and fall in each.
    #[inline]
    fn merge_within(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        let first = _mm256_permute2x128_si256::<0x20>(a, b);
        let last = _mm256_permute2x128_si256::<0x31>(a, b);
        let (low, high) = ordered(first, last);
        let (low, high) = ordered(_mm256_unpacklo_epi64(low, high), _mm256_unpackhi_epi64(low, high));
        // Lanes 0 of both, then lanes 1, are the numbers of `a`; lanes 2 and 3 those of `b`.
        let (even, odd) = (_mm256_unpacklo_epi64(low, high), _mm256_unpackhi_epi64(low, high));
        (_mm256_permute2x128_si256::<0x20>(even, odd), _mm256_permute2x128_si256::<0x31>(even, odd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::stage2::bins::tests::check_network;

    #[test]
    fn any_number_of_numbers_is_sorted() {
        if !thalweg_superkmers::kernel::avx2::is_available() {
            println!("not tested: this processor has no AVX2");
            return;
        }
        check_network(
            // SAFETY: the processor has the instructions.
            |numbers, len, sorted| unsafe { sort(numbers, len, sorted) },
            // SAFETY: as above.
            |numbers, len, bits, below, sorted| unsafe {
                sort_wide(numbers, len, bits, below, sorted)
            },
        );
    }
}
