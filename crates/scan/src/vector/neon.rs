//! 64 bytes in four NEON registers.
//!
//! NEON has no instruction that gathers the sign bits of the lanes. Each comparison result is
//! reduced to one bit per byte, at the place that the byte's index modulo 8 gives it; three rounds
//! of pairwise addition then bring 64 bytes to 8, in order.

use std::arch::aarch64::*;

use super::{KEEP_LAST, Lanes, WIDTH, entry_points};

#[derive(Clone, Copy)]
pub(crate) struct Bytes([uint8x16_t; 4]);

/// The bit of each byte within its eight.
static BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

impl Lanes for Bytes {
    #[inline(always)]
    unsafe fn load(bytes: &[u8]) -> Self {
        debug_assert!(bytes.len() >= WIDTH);
        let from = bytes.as_ptr();
        // SAFETY: 64 bytes are readable; the loads need no alignment.
        unsafe {
            Bytes([
                vld1q_u8(from),
                vld1q_u8(from.add(16)),
                vld1q_u8(from.add(32)),
                vld1q_u8(from.add(48)),
            ])
        }
    }

    /// As with AVX2: the last 64 bytes, without those that were seen.
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
        let (Bytes(lanes), Bytes(keep)) =
            unsafe { (Self::load(&bytes[first..]), Self::load(&KEEP_LAST[left..])) };
        // SAFETY: NEON is part of the target's baseline.
        let lanes = unsafe {
            Bytes([
                vandq_u8(lanes[0], keep[0]),
                vandq_u8(lanes[1], keep[1]),
                vandq_u8(lanes[2], keep[2]),
                vandq_u8(lanes[3], keep[3]),
            ])
        };
        (lanes, u64::MAX << (WIDTH - left), first)
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        let Bytes(v) = self;
        // SAFETY: NEON is part of the target's baseline.
        unsafe {
            let byte = vdupq_n_u8(byte);
            mask([
                vceqq_u8(v[0], byte),
                vceqq_u8(v[1], byte),
                vceqq_u8(v[2], byte),
                vceqq_u8(v[3], byte),
            ])
        }
    }

    #[inline(always)]
    unsafe fn equal_lanes(self, other: Self) -> u64 {
        let (Bytes(v), Bytes(w)) = (self, other);
        // SAFETY: NEON is part of the target's baseline.
        unsafe {
            mask([
                vceqq_u8(v[0], w[0]),
                vceqq_u8(v[1], w[1]),
                vceqq_u8(v[2], w[2]),
                vceqq_u8(v[3], w[3]),
            ])
        }
    }

    #[inline(always)]
    unsafe fn at_least(self, byte: u8) -> u64 {
        let Bytes(v) = self;
        // SAFETY: NEON is part of the target's baseline.
        unsafe {
            let byte = vdupq_n_u8(byte);
            mask([
                vcgeq_u8(v[0], byte),
                vcgeq_u8(v[1], byte),
                vcgeq_u8(v[2], byte),
                vcgeq_u8(v[3], byte),
            ])
        }
    }

    #[inline(always)]
    unsafe fn within(self, first: u8, last: u8) -> u64 {
        let Bytes(v) = self;
        // SAFETY: NEON is part of the target's baseline.
        unsafe {
            let (start, most) = (vdupq_n_u8(first), vdupq_n_u8(last - first));
            mask([
                vcleq_u8(vsubq_u8(v[0], start), most),
                vcleq_u8(vsubq_u8(v[1], start), most),
                vcleq_u8(vsubq_u8(v[2], start), most),
                vcleq_u8(vsubq_u8(v[3], start), most),
            ])
        }
    }

    #[inline(always)]
    unsafe fn sum(self) -> u64 {
        let Bytes(v) = self;
        // Each sum of 16 bytes is at most 4,080, so that a u64 is ample for the four.
        // SAFETY: NEON is part of the target's baseline.
        unsafe {
            u64::from(vaddlvq_u8(v[0]))
                + u64::from(vaddlvq_u8(v[1]))
                + u64::from(vaddlvq_u8(v[2]))
                + u64::from(vaddlvq_u8(v[3]))
        }
    }
}

/// # Safety
/// The CPU has NEON.
#[inline(always)]
unsafe fn mask(v: [uint8x16_t; 4]) -> u64 {
    // SAFETY: the caller vouches for the CPU; `BITS` holds 16 bytes.
    unsafe {
        let bits = vld1q_u8(BITS.as_ptr());
        let low = vpaddq_u8(vandq_u8(v[0], bits), vandq_u8(v[1], bits));
        let high = vpaddq_u8(vandq_u8(v[2], bits), vandq_u8(v[3], bits));
        let all = vpaddq_u8(low, high);
        let all = vpaddq_u8(all, all);
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(all))
    }
}

entry_points!(Bytes, "neon");
