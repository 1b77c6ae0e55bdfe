//! 64 bytes in one AVX-512 register. Masked loads make the last bytes of a line cost one load.

use std::arch::x86_64::*;

use super::{Lanes, WIDTH, entry_points};

#[derive(Clone, Copy)]
pub(crate) struct Bytes(__m512i);

impl Lanes for Bytes {
    #[inline(always)]
    unsafe fn load(bytes: &[u8]) -> Self {
        debug_assert!(bytes.len() >= WIDTH);
        // SAFETY: 64 bytes are readable; the load needs no alignment.
        unsafe { Bytes(_mm512_loadu_epi8(bytes.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn load_last(bytes: &[u8], left: usize) -> (Self, u64, usize) {
        debug_assert!(0 < left && left < WIDTH && left <= bytes.len());
        let valid = (1u64 << left) - 1;
        let first = bytes.len() - left;
        // SAFETY: the mask selects `left` bytes that end where the slice ends; bytes that are not
        // selected are not read (the instruction suppresses their faults).
        let lanes = unsafe { _mm512_maskz_loadu_epi8(valid, bytes.as_ptr().add(first).cast()) };
        (Bytes(lanes), valid, first)
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, _mm512_set1_epi8(byte.cast_signed())) }
    }

    #[inline(always)]
    unsafe fn equal_lanes(self, other: Self) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm512_cmpeq_epi8_mask(self.0, other.0) }
    }

    #[inline(always)]
    unsafe fn at_least(self, byte: u8) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { _mm512_cmpge_epu8_mask(self.0, _mm512_set1_epi8(byte.cast_signed())) }
    }

    #[inline(always)]
    unsafe fn within(self, first: u8, last: u8) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let above = _mm512_sub_epi8(self.0, _mm512_set1_epi8(first.cast_signed()));
            _mm512_cmple_epu8_mask(above, _mm512_set1_epi8((last - first).cast_signed()))
        }
    }

    #[inline(always)]
    unsafe fn sum(self) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe {
            let eights = _mm512_sad_epu8(self.0, _mm512_setzero_si512());
            _mm512_reduce_add_epi64(eights).cast_unsigned()
        }
    }
}

entry_points!(Bytes, "avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt");
