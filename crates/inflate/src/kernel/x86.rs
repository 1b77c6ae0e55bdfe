//! The fast loops with BMI (shifts by any register, bit fields) and wide copies.

use core::arch::asm;
use core::arch::x86_64::{
    _bzhi_u64, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_loadu_si512,
    _mm512_permutexvar_epi8, _mm512_storeu_si512,
};

use super::{Bench, Hot, Instructions, generic, no_match};
use crate::MAX_LANES;

/// Whether this machine has what [`run_avx2`] needs.
#[inline(always)]
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
}

/// Whether this machine has what [`run_avx512`] needs.
#[inline(always)]
pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && has_avx2()
}

/// # Safety
///
/// As [`generic`], and [`has_avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn run_avx2(
    lanes: &mut [Hot; MAX_LANES],
    bench: &Bench,
    count: usize,
    checked: bool,
    rounds: isize,
) {
    // SAFETY: the caller's promise.
    unsafe { generic::<Avx2>(lanes, bench, count, checked, rounds) }
}

/// # Safety
///
/// As [`generic`], and [`has_avx512`].
#[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vbmi,avx512vl,avx512bw")]
pub(super) unsafe fn run_avx512(
    lanes: &mut [Hot; MAX_LANES],
    bench: &Bench,
    count: usize,
    checked: bool,
    rounds: isize,
) {
    // SAFETY: the caller's promise.
    unsafe { generic::<Avx512>(lanes, bench, count, checked, rounds) }
}

/// [`Instructions::distance_entry`]. `select_unpredictable` became a branch again in all lanes but one
/// (LLVM 21), which cost a third of the speed.
#[inline(always)]
fn select<I: Instructions>(entry: u32, mut found: u32) -> u32 {
    // SAFETY: computes on registers alone.
    unsafe {
        asm!(
            "test {entry:e}, 0xff00",
            "cmovz {found:e}, {none:e}",
            entry = in(reg) entry,
            found = inout(reg) found,
            none = in(reg) no_match::<I>(),
            options(pure, nomem, nostack),
        );
    }
    found
}

struct Avx2;

impl Instructions for Avx2 {
    const WIDTH: usize = 32;
    const REPEATS: bool = false;

    #[inline(always)]
    unsafe fn low(word: u64, count: u32) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { _bzhi_u64(word, count) }
    }

    #[inline(always)]
    fn distance_entry(entry: u32, found: u32) -> u32 {
        select::<Self>(entry, found)
    }

    #[inline(always)]
    unsafe fn copy(to: *mut u8, distance: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            let bytes = _mm256_loadu_si256(to.wrapping_sub(distance).cast());
            _mm256_storeu_si256(to.cast(), bytes);
        }
    }
}

/// A match that overlaps itself is a pattern: one permutation of the bytes before it makes 64 of its
/// bytes. 2 to 6 % of the matches in FASTQ do (runs of one quality); without it each is a branch that
/// cannot be predicted, which stops all lanes.
struct Avx512;

/// Row `distance`: where each of 64 bytes comes from. From 64 on nothing repeats.
#[repr(C, align(64))]
struct Patterns([[u8; 64]; 65]);

static PATTERNS: Patterns = {
    let mut rows = [[0; 64]; 65];
    let mut distance = 1;
    while distance <= 64 {
        let mut byte = 0;
        while byte < 64 {
            rows[distance][byte] = (byte % distance) as u8;
            byte += 1;
        }
        distance += 1;
    }
    Patterns(rows)
};

impl Instructions for Avx512 {
    const WIDTH: usize = 64;
    const REPEATS: bool = true;

    #[inline(always)]
    unsafe fn low(word: u64, count: u32) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { _bzhi_u64(word, count) }
    }

    #[inline(always)]
    fn distance_entry(entry: u32, found: u32) -> u32 {
        select::<Self>(entry, found)
    }

    #[inline(always)]
    unsafe fn copy(to: *mut u8, distance: usize) {
        let row = if distance < 64 { distance } else { 64 };
        // SAFETY: the caller's promise; there are 65 rows.
        unsafe {
            let bytes = _mm512_loadu_si512(to.wrapping_sub(distance).cast());
            let pattern = _mm512_loadu_si512(PATTERNS.0.as_ptr().add(row).cast());
            _mm512_storeu_si512(to.cast(), _mm512_permutexvar_epi8(pattern, bytes));
        }
    }
}
