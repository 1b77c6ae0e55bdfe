//! Memory that will be needed soon.
#![allow(unsafe_code)]

/// Asks for the first cache line of `value`, and waits for nothing.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn prefetch<T: ?Sized>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing, and SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// Nothing, where no way is known.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn prefetch<T: ?Sized>(_value: &T) {}
