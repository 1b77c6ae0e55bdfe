//! Stores that go to memory past the caches.
//!
//! A line that is written in the usual way is first read from memory, to be written back much later: three times the
//! traffic for records that nobody looks at before all reads are cut. Lines that are written whole by these stores are
//! not read at all.
//!
//! Other threads may see such stores late, whatever lock or atomic number tells them that all is done: [`fence`] must
//! come first, on the thread that has stored.
#![allow(unsafe_code)]

use std::arch::x86_64::{__m128i, _mm_set_epi64x, _mm_sfence, _mm_stream_si128};

/// Copies `from` to the beginning of `to`, and a zero behind it where its length is odd.
///
/// # Panics
///
/// If there is not so much room.
pub(super) fn copy(to: &mut [__m128i], from: &[u64]) {
    let to = &mut to[..from.len().div_ceil(2)];
    for (to, pair) in to.iter_mut().zip(from.chunks(2)) {
        let upper = pair.get(1).map_or(0, |&word| word as i64);
        // SAFETY: SSE2 is part of x86-64. A reference to a vector is aligned as one, and covers what is written. `fence`
        // is called before anybody reads: by `Chunks`, before it spills and when it is sealed.
        unsafe { _mm_stream_si128(to, _mm_set_epi64x(upper, pair[0] as i64)) }
    }
}

/// Waits until all of this thread's stores are where other threads see them.
pub(super) fn fence() {
    // SAFETY: no memory is named, and SSE is part of x86-64.
    unsafe { _mm_sfence() }
}
