//! Words are looked up for 64 values at a time, and joined by two, four and eight.

use std::arch::x86_64::*;

use super::{BaseWords, LONGEST_WORD, NEAR, Sink, TOGETHER, Words};
use crate::vector::WIDTH;

const _: () = assert!(4 * LONGEST_WORD <= TOGETHER);

/// [`Coder::join`](super::Coder::join).
///
/// # Safety
/// The CPU has the features that are enabled.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn join<S: Sink>(kept: &[u8], words: &Words, mut sink: S) -> S {
    let (low, high, count) = (
        Table::load(&words.low),
        Table::load(&words.high),
        Table::load(&words.count),
    );
    for values in kept.chunks(WIDTH) {
        let inside = u64::MAX >> (WIDTH - values.len());
        // SAFETY: the mask selects these values.
        let lanes = unsafe { _mm512_maskz_loadu_epi8(inside, values.as_ptr().cast()) };
        let (low, high, count) = (
            low.look_up(lanes, inside),
            high.look_up(lanes, inside),
            count.look_up(lanes, inside),
        );
        let none = _mm512_setzero_si512();
        // Of each sixteen values: the first eight, and the others.
        let one = fours(
            _mm512_unpacklo_epi8(low, high),
            _mm512_unpacklo_epi8(count, none),
        );
        let two = fours(
            _mm512_unpackhi_epi8(low, high),
            _mm512_unpackhi_epi8(count, none),
        );
        // The lower four of each eight values, in order, and the upper ones.
        let lower = Joined {
            bits: _mm512_unpacklo_epi64(one.bits, two.bits),
            count: _mm512_unpacklo_epi64(one.count, two.count),
        };
        let upper = Joined {
            bits: _mm512_unpackhi_epi64(one.bits, two.bits),
            count: _mm512_unpackhi_epi64(one.count, two.count),
        };
        let eights = values.len().div_ceil(8);
        let both = _mm512_add_epi64(lower.count, upper.count);
        if _mm512_cmpgt_epi64_mask(both, _mm512_set1_epi64(TOGETHER.into())) == 0 {
            let bits = _mm512_sllv_epi64(upper.bits, lower.count);
            let bits = stored(_mm512_or_si512(lower.bits, bits));
            for (bits, count) in bits.into_iter().zip(stored(both)).take(eights) {
                sink.write(bits, count as u32);
            }
        } else {
            let lower = stored(lower.bits).into_iter().zip(stored(lower.count));
            let upper = stored(upper.bits).into_iter().zip(stored(upper.count));
            for (lower, upper) in lower.zip(upper).take(eights) {
                sink.write(lower.0, lower.1 as u32);
                sink.write(upper.0, upper.1 as u32);
            }
        }
    }
    sink
}

/// [`Coder::join_bases`](super::Coder::join_bases).
///
/// Sixteen are written together where any sixteen fit, as in nearly all blocks of reads, or else eight: that sixteen fit now and then
/// cannot be foretold, and a wrong guess costs more than it saves. One loop for both is slower.
///
/// # Safety
/// As [`join`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn join_bases<S: Sink>(bases: &[u8], words: &BaseWords, sink: S) -> S {
    // SAFETY: the caller's promise, and what fits is told by the words.
    unsafe {
        match words.are_short {
            true => join_bases_by::<16, S>(bases, words, sink),
            false => join_bases_by::<8, S>(bases, words, sink),
        }
    }
}

/// Eight or sixteen `AT_ONCE`, which the sink must take.
///
/// Words are shifted by multiplication: the second of two by 2 to the power of the bits of the first, at most 6, and
/// then the second pair by that of the first, at most 12, which leaves the sign alone.
///
/// # Safety
/// As [`join`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn join_bases_by<const AT_ONCE: usize, S: Sink>(
    bases: &[u8],
    words: &BaseWords,
    mut sink: S,
) -> S {
    const _: () = assert!(8 * BaseWords::LONGEST <= TOGETHER);
    const { assert!(AT_ONCE == 8 || AT_ONCE == 16) }
    // SAFETY: both have sixteen bytes.
    let (words, counts) = unsafe {
        (
            _mm512_broadcast_i32x4(_mm_loadu_si128(words.bits.as_ptr().cast())),
            _mm512_broadcast_i32x4(_mm_loadu_si128(words.count.as_ptr().cast())),
        )
    };
    let powers = _mm512_broadcast_i32x4(_mm_set_epi64x(0, 0x40_2010_0804_0201));
    let (ones, ones_wide) = (_mm512_set1_epi8(1), _mm512_set1_epi16(1));
    let low = _mm512_set1_epi64(0xffff_ffff);
    for letters in bases.chunks(WIDTH) {
        let inside = u64::MAX >> (WIDTH - letters.len());
        // SAFETY: the mask selects these letters. 0, which stands for no letter, has no word.
        let letters_here = unsafe { _mm512_maskz_loadu_epi8(inside, letters.as_ptr().cast()) };
        let bits = _mm512_shuffle_epi8(words, letters_here);
        let count = _mm512_shuffle_epi8(counts, letters_here);
        let shift = _mm512_slli_epi16::<8>(_mm512_shuffle_epi8(powers, count));
        let bits = _mm512_maddubs_epi16(bits, _mm512_or_si512(shift, ones_wide));
        let count = _mm512_maddubs_epi16(count, ones);
        let shift = _mm512_slli_epi32::<16>(_mm512_sllv_epi16(ones_wide, count));
        let shift = _mm512_or_si512(shift, _mm512_set1_epi32(1));
        let bits = _mm512_madd_epi16(bits, shift);
        let count = _mm512_madd_epi16(count, ones_wide);
        // Eight: 48 bits at most.
        let first = _mm512_and_si512(count, low);
        let upper = _mm512_sllv_epi64(_mm512_srli_epi64::<32>(bits), first);
        let bits = _mm512_or_si512(_mm512_and_si512(bits, low), upper);
        let count = _mm512_add_epi64(first, _mm512_srli_epi64::<32>(count));
        if AT_ONCE == 16 {
            // In the first of each two lanes.
            let upper = _mm512_sllv_epi64(_mm512_unpackhi_epi64(bits, bits), count);
            let bits = _mm512_or_si512(bits, upper);
            let count = _mm512_add_epi64(count, _mm512_unpackhi_epi64(count, count));
            let sixteens = stored(bits).into_iter().zip(stored(count)).step_by(2);
            for (bits, count) in sixteens.take(letters.len().div_ceil(16)) {
                sink.write(bits, count as u32);
            }
        } else {
            let eights = stored(bits).into_iter().zip(stored(count));
            for (bits, count) in eights.take(letters.len().div_ceil(8)) {
                sink.write(bits, count as u32);
            }
        }
    }
    sink
}

/// A byte for each value.
struct Table {
    near: [__m512i; 2],
    far: __m512i,
}

impl Table {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn load(bytes: &[u8; 192]) -> Self {
        const _: () = assert!(NEAR == 128);
        // SAFETY: there are three times 64 bytes.
        let [one, two, far] =
            [0, 64, 128].map(|at| unsafe { _mm512_loadu_epi8(bytes.as_ptr().add(at).cast()) });
        Table {
            near: [one, two],
            far,
        }
    }

    /// 0 for lanes outside of the mask.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn look_up(&self, values: __m512i, inside: u64) -> __m512i {
        let is_far = _mm512_movepi8_mask(values);
        let near = _mm512_maskz_permutex2var_epi8(inside, self.near[0], values, self.near[1]);
        _mm512_mask_permutexvar_epi8(near, is_far, values, self.far)
    }
}

/// Words of 64 bits, and how many of these count.
struct Joined {
    bits: __m512i,
    count: __m512i,
}

/// Words of 16 bits, joined by four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn fours(words: __m512i, counts: __m512i) -> Joined {
    let low_half = _mm512_set1_epi32(0xffff);
    let second = _mm512_sllv_epi32(
        _mm512_srli_epi32::<16>(words),
        _mm512_and_si512(counts, low_half),
    );
    let twos = _mm512_or_si512(_mm512_and_si512(words, low_half), second);
    let counts = _mm512_madd_epi16(counts, _mm512_set1_epi16(1));
    let low = _mm512_set1_epi64(0xffff_ffff);
    let first_count = _mm512_and_si512(counts, low);
    let second = _mm512_sllv_epi64(_mm512_srli_epi64::<32>(twos), first_count);
    Joined {
        bits: _mm512_or_si512(_mm512_and_si512(twos, low), second),
        count: _mm512_add_epi64(first_count, _mm512_srli_epi64::<32>(counts)),
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn stored(lanes: __m512i) -> [u64; 8] {
    let mut words = [0; 8];
    // SAFETY: eight words are 64 bytes.
    unsafe { _mm512_storeu_epi64(words.as_mut_ptr().cast(), lanes) };
    words
}
