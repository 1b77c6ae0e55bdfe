//! Which m-mers are open syncmers, 64 positions at a time.
//!
//! A byte for each position holds its inner m-mer: bases 0, 1, 3 and 4 from there on. Bytes are cut out of the packed
//! sequence by one permutation, which gives each lane of 64 bits the bases of its eight positions, and one multishift
//! for either half; a byte's reverse complement is one affine transformation and its complement. From the end of the
//! segment to its beginning, as the minima of windows are found.

use super::{PAIRS, kernel, load, load_some};
use crate::minimizer::{INNER_ORDER, MAX_M, inner_side};
use std::arch::x86_64::*;

/// The longest inner side there is.
const _: () = assert!(inner_side(MAX_M - 1) == 5 && inner_side(MAX_M) == 0);

kernel! {
    /// Sets bit `i` of `open` if the m-mer at `i` is an open syncmer, for whole words of them from `positions` on.
    pub(super) fn find(open: &mut Vec<u64>, packed: &[u64], positions: usize, m: usize) {
        let words = positions.div_ceil(64);
        open.resize(words, 0);
        match inner_side(m) {
            0 => open.fill(u64::MAX),
            3 => find_with_sides_of::<3>(open, packed),
            4 => find_with_sides_of::<4>(open, packed),
            _ => find_with_sides_of::<5>(open, packed),
        }
    }
}

kernel! {
    #[inline]
    fn find_with_sides_of<const SIDE: usize>(open: &mut [u64], packed: &[u64]) {
        // Two, then three or four, then five.
        const { assert!(3 <= SIDE && SIDE <= 5) };
        let steps = const { [from(1), from(if SIDE == 3 { 1 } else { 2 }), from(1)] };
        let steps = [load(&steps[0]), load(&steps[1]), load(&steps[2])];
        let (to_middle, behind_middle) = (load(&const { from(SIDE) }), load(&const { from(SIDE + 1) }));
        let bytes: &[u8] = bytemuck::cast_slice(packed);
        // The following 64 bytes before each step, and after the last.
        let mut following = [_mm512_set1_epi8(-1); 4];
        for (number, open) in open.iter_mut().enumerate().rev() {
            let inner = inner_mers(&bytes[16 * number..]);
            let middle = _mm512_permutex2var_epi8(inner, to_middle, following[0]);
            let mut left = inner;
            for step in 0..if SIDE == 5 { 3 } else { 2 } {
                let moved = _mm512_permutex2var_epi8(left, steps[step], following[step]);
                following[step] = left;
                left = _mm512_min_epu8(left, moved);
            }
            let right = _mm512_permutex2var_epi8(left, behind_middle, following[3]);
            following[3] = left;
            *open = _mm512_cmplt_epu8_mask(middle, _mm512_min_epu8(left, right));
        }
    }
}

kernel! {
    /// In their order, those that begin at the first 64 bases, of which `bytes` holds four each.
    #[inline]
    fn inner_mers(bytes: &[u8]) -> __m512i {
        let (bytes, _) = load_some(bytes);
        let eights = _mm512_permutexvar_epi8(load(&EIGHTS), bytes);
        let first = _mm512_multishift_epi64_epi8(load(&SHIFTS), eights);
        let second = _mm512_multishift_epi64_epi8(load(&NEXT_SHIFTS), eights);
        // Where the mask is set, of the first, otherwise of the second.
        const CHOICE: i32 = 0xca;
        let backward = _mm512_ternarylogic_epi32::<CHOICE>(_mm512_set1_epi8(0x0f), first, second);
        let forward = _mm512_gf2p8affine_epi64_epi8::<0>(backward, _mm512_set1_epi64(PAIRS));
        let backward = _mm512_xor_si512(backward, _mm512_set1_epi8(-1));
        _mm512_xor_si512(_mm512_min_epu8(forward, backward), _mm512_set1_epi8(INNER_ORDER as i8))
    }
}

/// The eight bytes from which the eight positions of each lane are cut: a position is a quarter of a byte.
const EIGHTS: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = (2 * (i / 8) + i % 8) as u8;
        i += 1;
    }
    bytes
};

/// The bits at which the positions of a lane begin.
const SHIFTS: [u8; 64] = shifts(0);

/// The bits at which the bases behind them begin.
const NEXT_SHIFTS: [u8; 64] = shifts(2);

const fn shifts(first: u8) -> [u8; 64] {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < 64 {
        bits[i] = first + 2 * (i % 8) as u8;
        i += 1;
    }
    bits
}

/// The numbers of 64 lanes, the first of which is `first`: from 64 on they are those of the following vector.
const fn from(first: usize) -> [u8; 64] {
    let mut lanes = [0; 64];
    let mut i = 0;
    while i < 64 {
        lanes[i] = (first + i) as u8;
        i += 1;
    }
    lanes
}
