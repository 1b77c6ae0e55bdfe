//! The hot loops for processors with AVX-512 (F, BW, VL, VBMI, VBMI2) and GFNI.
//!
//! The same algorithms as the plain code, 64 letters or 16 m-mers at a time:
//!
//! - letters: a shuffle by the low nibble gives the code, another the letter that it
//!   should have been; two multiply-adds and a narrowing pack 64 codes.
//! - m-mers: two broadcast words shifted by 0, 2, ... 30 bits are 16 of them. The reversal of
//!   their pairs is a byte shuffle and one affine transformation of each byte over GF(2).
//! - minimum over w: from the end of the segment to its beginning, so that every
//!   doubling step finds the following 16 values in a register: one two-source
//!   permutation and one minimum per step, `steps` of them.
//!
//! Unsafe are only loads and stores through references to arrays of the vector's size, and one load of what a mask wants of
//! a slice; whoever calls in from outside must know that the processor has the instructions.
#![allow(unsafe_code)]

/// A function with the instructions of [`Instructions::Avx512`](crate::kernel::Instructions::Avx512): whoever calls it
/// from outside of such functions must hold a [`Kernel`](crate::kernel::Kernel) of them.
#[macro_export]
macro_rules! avx512_kernel {
    ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => {
        $(#[$meta])*
        #[target_feature(
            enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt"
        )]
        $vis fn $($rest)*
    };
}

mod syncmers;

use crate::{
    avx512_kernel as kernel,
    cut::{self, Cuts, Ends, Segment},
    encode::Encoded,
    error::Result,
    kmer::Kmer,
    minimizer::{Minimizers, NOT_OPEN, single},
    partition::{BlockSink, Store},
};
use std::arch::x86_64::*;

/// Whether this processor has all that this module uses.
pub fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("gfni")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        // Some loops over k-mers of more than 64 bases, and windows of as many m-mers, are AVX2's.
        && super::avx2::is_available()
}

/// Longest window of a minimizer that [`minimizers`] takes: doubling steps of 1, 2, 4, 8 and then
/// of 16 at most, seven in all.
pub(super) const MAX_WINDOW: usize = 64;

/// The affine transformation that reverses the four pairs of bits of a byte: output bit `i` is the
/// parity of the input and matrix byte `7 - i`, here the one bit `6 - 2 (i / 2) + i % 2`.
const PAIRS: i64 = 0x4080_1020_0408_0102;

kernel! {
    /// A vector of plain numbers.
    ///
    /// # Safety
    ///
    /// The processor must have the instructions of this module, where the caller is not compiled for them.
    #[inline]
    pub fn load<T: bytemuck::Pod, const L: usize>(array: &[T; L]) -> __m512i {
        const { assert!(size_of::<T>() * L == 64) };
        // SAFETY: the reference covers the 64 bytes that are read, of a type of plain numbers.
        unsafe { _mm512_loadu_si512(std::ptr::from_ref(array).cast()) }
    }
}

kernel! {
    /// The first 64 bytes or all, with zeros behind them, and the mask of those that there are.
    #[inline]
    fn load_some(bytes: &[u8]) -> (__m512i, u64) {
        let wanted = _bzhi_u64(u64::MAX, bytes.len().min(64) as u32);
        debug_assert!(wanted.count_ones() as usize <= bytes.len());
        // SAFETY: only bytes of the slice are wanted, and no others are touched.
        (unsafe { _mm512_maskz_loadu_epi8(wanted, bytes.as_ptr().cast()) }, wanted)
    }
}

kernel! {
    #[inline]
    fn store_u16(array: &mut [u16; 32], vector: __m512i) {
        // SAFETY: the reference covers the 64 bytes that are written; any bits are numbers.
        unsafe { _mm512_storeu_si512(std::ptr::from_mut(array).cast(), vector) }
    }
}

kernel! {
    #[inline]
    fn store_u32(array: &mut [u32; 16], vector: __m512i) {
        // SAFETY: the reference covers the 64 bytes that are written; any bits are numbers.
        unsafe { _mm512_storeu_si512(std::ptr::from_mut(array).cast(), vector) }
    }
}

kernel! {
    /// Puts a vector there.
    ///
    /// # Safety
    ///
    /// The processor must have the instructions of this module, where the caller is not compiled for them.
    #[inline]
    pub fn store_u64(array: &mut [u64; 8], vector: __m512i) {
        // SAFETY: the reference covers the 64 bytes that are written; any bits are numbers.
        unsafe { _mm512_storeu_si512(std::ptr::from_mut(array).cast(), vector) }
    }
}

/// Letters of eight packed words, which one vector takes.
const BLOCK: usize = 256;

// Seven words too many behind the forward strand and as many before the reverse one.
const _: () = assert!(Encoded::GAP >= 2 * 7);

kernel! {
    /// As [`single::find_classes`], which compilers make vectors of.
    pub(super) fn classes<K: Kmer>(kmers: &[K], k: usize, m: usize, classes: &mut Vec<u32>) {
        single::find_classes(kmers, k, m, classes);
    }
}

kernel! {
    /// As [`Encoded::encode`] followed by [`Encoded::complement`].
    ///
    /// Whole vectors are written: what the last one holds too much of either strand falls into the gap behind the
    /// forward strand or before the reverse one.
    pub(super) fn encode(encoded: &mut Encoded, letters: &[u8], quality: &[u8], minimum: u8) {
        encoded.prepare(letters.len());
        let u = encoded.alphabet.u();
        let reverse_end = 2 * encoded.words() + Encoded::GAP;
        let mut any = 0;
        for (i, block) in letters.chunks(BLOCK).enumerate() {
            let (words, invalid) = pack(block, u);
            let (to, reverse_to) = (8 * i, reverse_end - 8 * (i + 1));
            if let Some(out) = encoded.packed[to..].first_chunk_mut() {
                store_u64(out, words);
            }
            if let Some(out) = encoded.packed[reverse_to..].first_chunk_mut() {
                store_u64(out, complement(words));
            }
            for (to, invalid) in encoded.invalid[4 * i..].iter_mut().zip(invalid) {
                *to = invalid;
                any |= invalid;
            }
        }
        encoded.set_any_other_letter(any != 0);
        if !quality.is_empty() {
            mask_quality(encoded, quality, minimum);
        }
    }
}

kernel! {
    /// Up to [`BLOCK`] letters in two bits each, and which of them are none.
    #[inline]
    fn pack(letters: &[u8], u: i8) -> (__m512i, [u64; 4]) {
        // By low nibble: A = 0x41, C = 0x43, G = 0x47, T = 0x54, U = 0x55 or none.
        const NONE: i8 = -1;
        let expected = _mm512_broadcast_i32x4(_mm_setr_epi8(
            NONE, 0x41, NONE, 0x43, 0x54, u, NONE, 0x47, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
        ));
        let codes = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 1, 3, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0));
        let upper_case = _mm512_set1_epi8(!0x20);
        let (by_4, by_16) = (_mm512_set1_epi16(0x0401), _mm512_set1_epi32(0x0010_0001));
        let mut words = [_mm_setzero_si128(); 4];
        let mut invalid = [0; 4];
        for (i, letters) in letters.chunks(64).enumerate().take(4) {
            let (letter, wanted) = load_some(letters);
            let is = _mm512_shuffle_epi8(expected, letter);
            invalid[i] = _mm512_mask_cmpneq_epi8_mask(wanted, is, _mm512_and_si512(letter, upper_case));
            let code = _mm512_maskz_shuffle_epi8(!invalid[i], codes, letter);
            let four = _mm512_maddubs_epi16(code, by_4);
            words[i] = _mm512_cvtepi32_epi8(_mm512_madd_epi16(four, by_16));
        }
        let [a, b, c, d] = words;
        let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b);
        let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), d);
        (_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high), invalid)
    }
}

kernel! {
    /// The reverse complement of eight packed words.
    #[inline]
    fn complement(words: __m512i) -> __m512i {
        let reversed = _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), words);
        _mm512_xor_si512(reverse_pairs(reversed), _mm512_set1_epi64(-1))
    }
}

kernel! {
    fn mask_quality(encoded: &mut Encoded, quality: &[u8], minimum: u8) {
        let least = _mm512_set1_epi8(minimum as i8);
        let mut any = 0;
        for (invalid, chunk) in encoded.invalid.iter_mut().zip(quality.chunks(64)) {
            let (bytes, wanted) = load_some(chunk);
            *invalid |= _mm512_mask_cmplt_epu8_mask(wanted, bytes, least);
            any |= *invalid;
        }
        encoded.set_any_invalid(any != 0);
    }
}

kernel! {
    /// The pairs of bits of every 64-bit lane in reverse order.
    ///
    /// # Safety
    ///
    /// The processor must have the instructions of this module, where the caller is not compiled for them.
    #[inline]
    pub fn reverse_pairs(lanes: __m512i) -> __m512i {
        let bytes = _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
        let lanes = _mm512_shuffle_epi8(lanes, bytes);
        _mm512_gf2p8affine_epi64_epi8::<0>(lanes, _mm512_set1_epi64(PAIRS))
    }
}

/// The doubling steps of a window of `w`: each at most what is covered already, and at most 16.
fn steps(w: usize) -> ([i32; 7], usize) {
    let (mut steps, mut number, mut covered) = ([0; 7], 0, 1);
    while covered < w {
        let step = covered.min(w - covered).min(16);
        steps[number] = step as i32;
        number += 1;
        covered += step;
    }
    (steps, number)
}

kernel! {
    /// As [`Minimizers::find`], for windows of up to [`MAX_WINDOW`] m-mers.
    pub(super) fn minimizers(found: &mut Minimizers, packed: &[u64], bases: usize, k: usize, m: usize) {
        found.prepare(bases, k, m);
        if bases < k {
            return;
        }
        let (sizes, number) = steps(k - m + 1);
        syncmers::find(&mut found.open, packed, found.least.len(), m);
        match number {
            0..=4 => find::<4>(found, packed, m, &sizes),
            5 => find::<5>(found, packed, m, &sizes),
            6 => find::<6>(found, packed, m, &sizes),
            _ => find::<7>(found, packed, m, &sizes),
        }
    }
}

kernel! {
    fn find<const STEPS: usize>(found: &mut Minimizers, packed: &[u64], m: usize, sizes: &[i32; 7]) {
        let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let shifts = _mm512_slli_epi32::<1>(lanes);
        let bytes = _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
        let pairs = _mm512_set1_epi64(PAIRS);
        let unused = _mm_cvtsi32_si128(32 - 2 * m as i32);
        let mask = _mm512_set1_epi32((u32::MAX >> (32 - 2 * m)) as i32);
        let odd = _mm512_set1_epi32(crate::minimizer::ODD as i32);
        let one = _mm512_set1_epi32(1);
        let next_lane = _mm512_add_epi32(lanes, one);
        let mut moves = [lanes; STEPS];
        for (to, &size) in moves.iter_mut().zip(sizes) {
            *to = _mm512_add_epi32(lanes, _mm512_set1_epi32(size));
        }
        let none = _mm512_set1_epi32(-1);
        // The following 16 values before each step, and after the last.
        let mut following = [none; STEPS];
        let mut after = none;
        let not_open = _mm512_set1_epi32(NOT_OPEN as i32);
        // `prepare` made room for whole groups.
        let groups = found.least.len() / 16;
        // 16 bases each, the lower half of a word first, as these processors store it.
        let halves: &[u32] = bytemuck::cast_slice(packed);
        let mut changes = 0;
        for group in (0..groups).rev() {
            let (low, high) = (halves[group], halves[group + 1]);
            let window = _mm512_shrdv_epi32(_mm512_set1_epi32(low as i32), _mm512_set1_epi32(high as i32), shifts);
            let reversed = _mm512_gf2p8affine_epi64_epi8::<0>(_mm512_shuffle_epi8(window, bytes), pairs);
            let forward = _mm512_srl_epi32(reversed, unused);
            let backward = _mm512_andnot_si512(window, mask);
            let strand = _mm512_cmplt_epu32_mask(backward, forward);
            let canonical = _mm512_min_epu32(forward, backward);
            let order = _mm512_sub_epi32(_mm512_mullo_epi32(canonical, odd), one);
            let cleared = _mm512_andnot_si512(one, _mm512_srli_epi32::<1>(order));
            let value = _mm512_mask_or_epi32(cleared, strand, cleared, one);
            let is_open = (found.open[group / 4] >> (16 * (group % 4))) as u16;
            let mut value = _mm512_mask_or_epi32(value, !is_open, value, not_open);
            for step in 0..STEPS {
                let moved = _mm512_permutex2var_epi32(value, moves[step], following[step]);
                following[step] = value;
                value = _mm512_min_epu32(value, moved);
            }
            let neighbour = _mm512_permutex2var_epi32(value, next_lane, after);
            after = value;
            changes = changes << 16 | u64::from(_mm512_cmpneq_epi32_mask(value, neighbour));
            if group % 4 == 0 {
                found.changes[group / 4] = std::mem::take(&mut changes);
            }
            if let Some(least) = found.least[16 * group..].first_chunk_mut() {
                store_u32(least, value);
            }
        }
    }
}

kernel! {
    /// As [`cut::cut`].
    pub(super) fn cut<const N: usize, S: BlockSink>(segment: Segment, ends: &mut Ends, store: &mut Store<S>) -> Result<Cuts> {
        cut::cut::<N, S>(segment, ends, store, |base, word, ends| list(base, word, ends))
    }
}

kernel! {
    /// As [`cut::list_plainly`]: the numbers of all lanes, of which those of the set bits move to the front.
    #[inline]
    fn list(base: usize, word: u64, ends: &mut Ends) {
        const NUMBERS: [u8; 64] = {
            let mut numbers = [0; 64];
            let mut i = 0;
            while i < 64 {
                numbers[i] = i as u8 + 1;
                i += 1;
            }
            numbers
        };
        let set = _mm512_maskz_compress_epi8(word, load(&NUMBERS));
        let base = _mm512_set1_epi16(base as i16);
        let number = word.count_ones() as usize;
        let first = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(set));
        ends.push_some(number.min(32), |out| store_u16(out, _mm512_add_epi16(first, base)));
        if number > 32 {
            let last = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(set));
            ends.push_some(number - 32, |out| store_u16(out, _mm512_add_epi16(last, base)));
        }
    }
}
