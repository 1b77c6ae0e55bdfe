//! The fast loops with AVX2 (copies of 32 bytes) and BMI (shifts by any register, bit fields).

use core::arch::x86_64::{_bzhi_u64, _mm256_loadu_si256, _mm256_storeu_si256};

use super::{Bench, Hot, Instructions, generic};
use crate::MAX_LANES;

/// Whether this machine has the instructions.
#[inline(always)]
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
}

/// # Safety
///
/// As [`generic`], and the instructions are [available](is_available).
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn run(
    lanes: &mut [Hot; MAX_LANES],
    bench: &Bench,
    count: usize,
    checked: bool,
    rounds: isize,
) {
    // SAFETY: the caller's promise.
    unsafe { generic::<Avx2>(lanes, bench, count, checked, rounds) }
}

pub(super) struct Avx2;

impl Instructions for Avx2 {
    #[inline(always)]
    unsafe fn low(word: u64, count: u32) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { _bzhi_u64(word, count) }
    }

    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { _mm256_storeu_si256(to.cast(), _mm256_loadu_si256(from.cast())) }
    }
}
