//! 64 bytes as eight planes of 64 bits, and the ones of all that can be made of these.

use std::arch::x86_64::*;

use super::{LANES, UPPER};
use crate::vector::WIDTH;

/// For each plane: where its bytes are when each eight bytes were transposed on their own, for all lanes.
const PLACES: [[u8; WIDTH]; 8] = {
    let mut places = [[0; WIDTH]; 8];
    let mut plane = 0;
    while plane < 8 {
        let mut place = 0;
        while place < WIDTH {
            places[plane][place] = (place % 8 * 8 + plane) as u8;
            place += 1;
        }
        plane += 1;
    }
    places
};

/// [`ValueCounter::count`](super::ValueCounter::count).
///
/// # Safety
/// The CPU has the features that are enabled.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vpopcntdq,gfni,avx2")]
pub(super) unsafe fn count<const ROWS: usize>(
    bytes: &[u8],
    lowest: u8,
    counts: &mut [[u64; LANES]; ROWS],
) -> u64 {
    // As a matrix, this leaves each bit where it is.
    let unit = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
    let lowest = _mm512_set1_epi8(lowest.cast_signed());
    let none = _mm512_set1_epi8(-1);
    // SAFETY: each has 64 bytes.
    let places = PLACES.map(|places| unsafe { _mm512_loadu_epi8(places.as_ptr().cast()) });
    // SAFETY: as above.
    let mut rows = counts.map(|row| unsafe { _mm512_loadu_epi64(row.as_ptr().cast()) });
    let mut others = _mm512_setzero_si512();
    for chunk in bytes.chunks(WIDTH) {
        let inside = u64::MAX >> (WIDTH - chunk.len());
        // SAFETY: the mask selects these bytes.
        let values = unsafe { _mm512_maskz_loadu_epi8(inside, chunk.as_ptr().cast()) };
        // What is not inside is no value.
        let values = _mm512_mask_sub_epi8(none, inside, values, lowest);
        let transposed = _mm512_gf2p8affine_epi64_epi8::<0>(unit, values);
        let planes = places.map(|places| _mm512_permutexvar_epi8(places, transposed));
        let low = with_bits_of_lane([planes[0], planes[1], planes[2]]);
        let (sixth, seventh) = (planes[6], planes[7]);

        let high = with_bits_of_lane([planes[3], planes[4], planes[5]]);
        let high = _mm512_andnot_si512(_mm512_or_si512(sixth, seventh), high);
        let turned = [
            high,
            _mm512_alignr_epi64::<1>(high, high),
            _mm512_alignr_epi64::<2>(high, high),
            _mm512_alignr_epi64::<3>(high, high),
            _mm512_alignr_epi64::<4>(high, high),
            _mm512_alignr_epi64::<5>(high, high),
            _mm512_alignr_epi64::<6>(high, high),
            _mm512_alignr_epi64::<7>(high, high),
        ];
        add_ones(&mut rows[..LANES], low, turned);

        let mut other = _mm512_or_si512(sixth, seventh);
        if ROWS == LANES + UPPER {
            // Those of 64 to 95, the same in both halves.
            let here = _mm512_andnot_si512(_mm512_or_si512(planes[5], seventh), sixth);
            let high = _mm512_and_si512(here, with_bits_of_lane([planes[3], planes[4]]));
            let turned = [
                high,
                _mm512_alignr_epi64::<1>(high, high),
                _mm512_alignr_epi64::<2>(high, high),
                _mm512_alignr_epi64::<3>(high, high),
            ];
            add_ones(&mut rows[LANES..], low, turned);
            other = _mm512_andnot_si512(here, other);
        }
        others = _mm512_add_epi64(others, _mm512_popcnt_epi64(other));
    }
    for (row, sums) in counts.iter_mut().zip(rows) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_epi64(row.as_mut_ptr().cast(), sums) };
    }
    // All lanes have the same; what was not inside is among them.
    let others = _mm_cvtsi128_si64(_mm512_castsi512_si128(others)).cast_unsigned();
    others - (bytes.len().next_multiple_of(WIDTH) - bytes.len()) as u64
}

/// By lane: the places whose bits in these planes are the lowest ones of the number of the lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn with_bits_of_lane<const PLANES: usize>(planes: [__m512i; PLANES]) -> __m512i {
    // All ones where the bit of the number is 0.
    let zeros = [
        _mm512_set_epi64(0, -1, 0, -1, 0, -1, 0, -1),
        _mm512_set_epi64(0, 0, -1, -1, 0, 0, -1, -1),
        _mm512_set_epi64(0, 0, 0, 0, -1, -1, -1, -1),
    ];
    let mut all = _mm512_set1_epi64(-1);
    for (plane, zeros) in planes.into_iter().zip(zeros) {
        all = _mm512_and_si512(all, _mm512_xor_si512(plane, zeros));
    }
    all
}

/// To each row the ones of the places that are both in `low` and in what belongs to the row of `high`.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn add_ones<const COUNT: usize>(rows: &mut [__m512i], low: __m512i, high: [__m512i; COUNT]) {
    for (row, high) in rows.iter_mut().zip(high) {
        *row = _mm512_add_epi64(*row, _mm512_popcnt_epi64(_mm512_and_si512(low, high)));
    }
}
