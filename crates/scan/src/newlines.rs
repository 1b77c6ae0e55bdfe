//! Where lines end.
//!
//! ```text
//! for each 64 bytes:
//!     mask = bytes == '\n'
//!     write the positions of the lowest 4 bits of mask     (unconditionally)
//!     if mask has more bits: write those too               (rare, well predicted)
//!     length += bits of mask
//! ```
//! FASTQ of 150-base reads has 0.7 newlines in 64 bytes, in no regular pattern: a loop over the set
//! bits mispredicts once per newline. Writing four positions whether they exist or not has no
//! branch to mispredict; what was written beyond the count is overwritten by the next 64 bytes.

use crate::kernel::dispatch;
use crate::vector::{Lanes, WIDTH};

/// Positions that are written for every 64 bytes without asking. FASTQ rarely has more than 4 line
/// ends in 64 bytes: end of sequence, `+`, end of quality and a short header.
const UNASKED: usize = 4;

/// Bytes between two looks at the capacity of the output: small against an L1 cache, and the 16 KiB
/// that are reserved ahead for the worst case (newlines only) are small as well.
const STRIDE: usize = 64 * WIDTH;

/// Append the position of every `b'\n'` of `bytes`, plus `base`, to `ends`, in ascending order.
///
/// `ends` grows by up to 16 KiB more than it needs; what it held before is kept. An empty slice
/// appends nothing.
///
/// # Panics
///
/// If `base + bytes.len()` exceeds `u32::MAX`.
#[inline]
pub fn newlines(bytes: &[u8], base: u32, ends: &mut Vec<u32>) {
    assert!(
        bytes.len() <= (u32::MAX - base) as usize,
        "positions beyond 4 GiB"
    );
    dispatch!(newlines(bytes, base, ends))
}

/// The number of `b'\n'` in `bytes`.
#[inline]
pub fn count_newlines(bytes: &[u8]) -> usize {
    crate::count_equal(bytes, b'\n')
}

/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn find<L: Lanes>(bytes: &[u8], base: u32, ends: &mut Vec<u32>) {
    let mut position = base;
    for stride in bytes.chunks(STRIDE) {
        let start = position;
        ends.reserve(STRIDE + UNASKED);
        let mut length = ends.len();
        let out = ends.as_mut_ptr();
        let mut blocks = stride.chunks_exact(WIDTH);
        for block in &mut blocks {
            // SAFETY: the block has 64 bytes; the caller vouches for the CPU.
            let mask = unsafe { L::load(block).equal(b'\n') };
            // SAFETY: of the `STRIDE + UNASKED` places that were reserved at most one per byte of
            // this stride is used up, so that `UNASKED` are left after any of its blocks.
            length = unsafe { store(mask, position, out, length) };
            position = position.wrapping_add(WIDTH as u32);
        }
        let left = blocks.remainder().len();
        if left > 0 {
            // SAFETY: `left` is 1 to 63 and within the slice; the caller vouches for the CPU.
            let (lanes, valid, first) = unsafe { L::load_last(stride, left) };
            // SAFETY: the caller vouches for the CPU.
            let mask = unsafe { lanes.equal(b'\n') } & valid;
            // SAFETY: as in the loop above.
            length = unsafe { store(mask, start.wrapping_add(first as u32), out, length) };
        }
        debug_assert!(length <= ends.capacity());
        // SAFETY: `store` has written every place below `length`, which is within the capacity.
        unsafe { ends.set_len(length) };
    }
}

/// Write the positions of the bits of `mask`, plus `position`, from `out[length]` on; the new length.
///
/// # Safety
/// `out` has room for `length` + the larger of `UNASKED` and the number of bits.
#[inline(always)]
unsafe fn store(mut mask: u64, position: u32, out: *mut u32, length: usize) -> usize {
    let bits = mask.count_ones() as usize;
    // SAFETY: all places written are below `length + max(UNASKED, bits)`.
    unsafe {
        let out = out.add(length);
        for index in 0..UNASKED {
            out.add(index)
                .write(position.wrapping_add(mask.trailing_zeros()));
            // Clears the lowest bit; 0 stays 0.
            mask &= mask.wrapping_sub(1);
        }
        if bits > UNASKED {
            for index in UNASKED..bits {
                out.add(index)
                    .write(position.wrapping_add(mask.trailing_zeros()));
                mask &= mask.wrapping_sub(1);
            }
        }
    }
    length + bits
}
