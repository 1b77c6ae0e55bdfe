//! The fast loops in the instructions that every machine of the target has.

use core::hint::select_unpredictable;

use super::{Copies, Instructions, NO_MATCH, low};
use crate::symbol::Symbol;

pub(super) struct Portable;

impl Instructions for Portable {
    #[inline(always)]
    unsafe fn low(word: u64, count: u32) -> u64 {
        low(word, count)
    }

    #[inline(always)]
    fn distance_entry(entry: u32, found: u32) -> u32 {
        select_unpredictable(entry & 0xff00 == 0, NO_MATCH, found)
    }
}

impl<S: Symbol> Copies<S> for Portable {
    const WIDTH: usize = 32;
    const REPEATS: bool = false;

    #[inline(always)]
    unsafe fn copy(to: *mut S, distance: usize) {
        // SAFETY: the caller's promise. `copy` reads all before it writes.
        unsafe { core::ptr::copy(to.wrapping_sub(distance).cast_const(), to, 32) }
    }
}
