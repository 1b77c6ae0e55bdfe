//! Runs are left out: letters and names of runs, 64 letters of a line at a time.

use std::arch::x86_64::*;

use super::{LETTERS, LONGEST_RUN, LOWEST, RunNames, SHORTEST_RUN};
use crate::vector::WIDTH;

/// The numbers of the lanes.
const NUMBERS: [u8; WIDTH] = {
    let mut numbers = [0; WIDTH];
    let mut lane = 0;
    while lane < WIDTH {
        numbers[lane] = lane as u8;
        lane += 1;
    }
    numbers
};

/// [`Coder::condense`](super::Coder::condense).
///
/// # Safety
/// The CPU has the features that are enabled.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn condense(line: &[u8], names: &RunNames, out: &mut Vec<u8>) -> bool {
    let begun = out.len();
    // A value for each letter at most, and 64 are written for what may be fewer.
    out.reserve(line.len() + WIDTH);
    let (numbers, first_names, second_names) =
        (load(&NUMBERS), load(&names.first), load(&names.second));
    let mut others = 0;
    let mut at = 1;
    while at < line.len() {
        let left = line.len() - at;
        let mut taken = u64::MAX >> (WIDTH - left.min(WIDTH));
        // SAFETY: the mask selects bytes of the line only, at least one; others are not read.
        let (here, before) = unsafe {
            let here = line.as_ptr().add(at).cast::<i8>();
            (
                _mm512_maskz_loadu_epi8(taken, here),
                _mm512_maskz_loadu_epi8(taken, here.sub(1)),
            )
        };
        let repeats = _mm512_mask_cmpeq_epi8_mask(taken, here, before);
        if left > WIDTH {
            // A run that may go on begins the next 64.
            let whole = WIDTH as u32 - repeats.leading_ones();
            if whole == 0 {
                others |= u64::from(usize::from(line[at].wrapping_sub(LOWEST)) >= LETTERS);
                // SAFETY: the caller vouches for the CPU.
                at = unsafe { condense_long_run(line, at, names, out) };
                continue;
            }
            taken >>= WIDTH as u32 - whole;
        }
        let values = _mm512_sub_epi8(here, _mm512_set1_epi8(LOWEST.cast_signed()));
        let most = _mm512_set1_epi8(LETTERS as i8 - 1);
        others |= _mm512_mask_cmpgt_epu8_mask(taken, values, most);

        let runs = runs_of(repeats & taken);
        let starts = runs & !(runs << 1);
        let ends = runs << 1 & !runs;
        // By run. One that ends with the 64 letters has no end among them.
        let all = _mm512_set1_epi8(WIDTH as i8);
        let lengths = _mm512_sub_epi8(
            _mm512_mask_compress_epi8(all, ends, numbers),
            _mm512_maskz_compress_epi8(starts, numbers),
        );
        let lengths = _mm512_sub_epi8(lengths, _mm512_set1_epi8(SHORTEST_RUN as i8));
        let first = _mm512_permutexvar_epi8(lengths, first_names);
        let second = _mm512_permutexvar_epi8(lengths, second_names);
        // In the place of the first two letters of the run.
        let named = _mm512_mask_expand_epi8(values, starts, first);
        let named = _mm512_mask_expand_epi8(named, starts << 1, second);
        let kept = taken & !runs | starts | starts << 1;
        // SAFETY: there is room for 64 behind what was written for each letter before.
        unsafe { append(out, kept, _mm512_maskz_compress_epi8(kept, named)) };
        at += taken.count_ones() as usize;
    }
    if others != 0 {
        out.truncate(begun);
    }
    others == 0
}

/// The letters of runs, by letters that equal the one before: three of them or more.
#[inline(always)]
fn runs_of(repeats: u64) -> u64 {
    const _: () = assert!(SHORTEST_RUN == 3);
    let firsts = repeats & repeats >> 1 & repeats >> 2;
    firsts | firsts << 1 | firsts << 2
}

/// The first 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load<const SIZE: usize>(bytes: &[u8; SIZE]) -> __m512i {
    const { assert!(SIZE >= WIDTH) };
    // SAFETY: there are so many.
    unsafe { _mm512_loadu_epi8(bytes.as_ptr().cast()) }
}

/// All of the run that begins at `at`, but for a rest that is none; where that begins.
///
/// # Safety
/// As [`condense`], which has reserved room.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn condense_long_run(
    line: &[u8],
    mut at: usize,
    names: &RunNames,
    out: &mut Vec<u8>,
) -> usize {
    let mut end = at;
    let letter = _mm512_set1_epi8(line[at].cast_signed());
    while end < line.len() {
        let inside = u64::MAX >> (WIDTH - (line.len() - end).min(WIDTH));
        // SAFETY: the mask selects bytes of the line only.
        let here = unsafe { _mm512_maskz_loadu_epi8(inside, line.as_ptr().add(end).cast()) };
        let same = _mm512_mask_cmpeq_epi8_mask(inside, here, letter).trailing_ones();
        end += same as usize;
        if (same as usize) < WIDTH {
            break;
        }
    }
    while end - at >= SHORTEST_RUN {
        let length = (end - at).min(LONGEST_RUN);
        let number = length - SHORTEST_RUN;
        out.push(names.first[number]);
        out.push(names.second[number]);
        at += length;
    }
    at
}

/// # Safety
/// `list` has room for 64 more.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
unsafe fn append(list: &mut Vec<u8>, which: u64, values: __m512i) {
    let length = list.len();
    debug_assert!(list.capacity() - length >= WIDTH);
    // SAFETY: the caller's promise; as many as the mask has bits count, at most 64.
    unsafe {
        _mm512_storeu_epi8(list.as_mut_ptr().add(length).cast(), values);
        list.set_len(length + which.count_ones() as usize);
    }
}
