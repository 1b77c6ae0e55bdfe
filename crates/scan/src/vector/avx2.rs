//! 64 bytes in two AVX2 registers.

use std::arch::x86_64::*;

use super::{KEEP_LAST, Lanes, WIDTH, entry_points};

#[derive(Clone, Copy)]
pub(crate) struct Bytes(__m256i, __m256i);

impl Lanes for Bytes {
    #[inline(always)]
    unsafe fn load(bytes: &[u8]) -> Self {
        debug_assert!(bytes.len() >= WIDTH);
        let from = bytes.as_ptr();
        // SAFETY: 64 bytes are readable; the loads need no alignment.
        unsafe {
            Bytes(
                _mm256_loadu_si256(from.cast()),
                _mm256_loadu_si256(from.add(32).cast()),
            )
        }
    }

    /// Lines of 64 bytes and more take their last 64 bytes and clear those that were seen: copying
    /// the rest to a buffer costs a call of memcpy and a store that the load has to wait for.
    #[inline(always)]
    unsafe fn load_last(bytes: &[u8], left: usize) -> (Self, u64, usize) {
        debug_assert!(0 < left && left < WIDTH && left <= bytes.len());
        if bytes.len() < WIDTH {
            let mut buffer = [0u8; WIDTH];
            buffer[..left].copy_from_slice(&bytes[bytes.len() - left..]);
            // SAFETY: the buffer holds 64 bytes.
            let lanes = unsafe { Self::load(&buffer) };
            return (lanes, (1 << left) - 1, bytes.len() - left);
        }
        let first = bytes.len() - WIDTH;
        // SAFETY: both slices hold 64 bytes: `first` leaves them, and `left` is at most 64.
        let (lanes, keep) =
            unsafe { (Self::load(&bytes[first..]), Self::load(&KEEP_LAST[left..])) };
        // SAFETY: the caller vouches for the CPU.
        let lanes = unsafe {
            Bytes(
                _mm256_and_si256(lanes.0, keep.0),
                _mm256_and_si256(lanes.1, keep.1),
            )
        };
        (lanes, u64::MAX << (WIDTH - left), first)
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let byte = _mm256_set1_epi8(byte.cast_signed());
            mask(
                _mm256_cmpeq_epi8(self.0, byte),
                _mm256_cmpeq_epi8(self.1, byte),
            )
        }
    }

    #[inline(always)]
    unsafe fn equal_lanes(self, other: Self) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            mask(
                _mm256_cmpeq_epi8(self.0, other.0),
                _mm256_cmpeq_epi8(self.1, other.1),
            )
        }
    }

    #[inline(always)]
    unsafe fn at_least(self, byte: u8) -> u64 {
        // There is no unsigned comparison: v >= b where max(v, b) is v.
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let byte = _mm256_set1_epi8(byte.cast_signed());
            mask(
                _mm256_cmpeq_epi8(_mm256_max_epu8(self.0, byte), self.0),
                _mm256_cmpeq_epi8(_mm256_max_epu8(self.1, byte), self.1),
            )
        }
    }

    #[inline(always)]
    unsafe fn within(self, first: u8, last: u8) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let start = _mm256_set1_epi8(first.cast_signed());
            let most = _mm256_set1_epi8((last - first).cast_signed());
            let low = _mm256_sub_epi8(self.0, start);
            let high = _mm256_sub_epi8(self.1, start);
            mask(
                _mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low),
                _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high),
            )
        }
    }

    #[inline(always)]
    unsafe fn sum(self) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let zero = _mm256_setzero_si256();
            let eights =
                _mm256_add_epi64(_mm256_sad_epu8(self.0, zero), _mm256_sad_epu8(self.1, zero));
            let pair = _mm_add_epi64(
                _mm256_castsi256_si128(eights),
                _mm256_extracti128_si256::<1>(eights),
            );
            (_mm_cvtsi128_si64(pair) + _mm_extract_epi64::<1>(pair)).cast_unsigned()
        }
    }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn mask(low: __m256i, high: __m256i) -> u64 {
    // SAFETY: the caller vouches for the CPU.
    let (low, high) = unsafe { (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)) };
    u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
}

entry_points!(Bytes, "avx2,bmi1,bmi2,lzcnt,popcnt");
