//! The fast loops in the instructions that every machine of the target has.

use super::{COPY, Instructions, low};

pub(super) struct Portable;

impl Instructions for Portable {
    #[inline(always)]
    unsafe fn low(word: u64, count: u32) -> u64 {
        low(word, count)
    }

    #[inline(always)]
    unsafe fn copy(from: *const u8, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { core::ptr::copy(from, to, COPY) }
    }
}
