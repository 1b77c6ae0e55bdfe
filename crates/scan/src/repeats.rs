//! Bytes that equal the one before.

use crate::kernel::dispatch;
use crate::vector::{Lanes, WIDTH};

/// Which bytes, but for the first, equal the one before: bit i of word w is for byte 64 w + i + 1, and those behind the
/// end are 0. What `masks` held is lost.
#[inline]
pub fn repeats(bytes: &[u8], masks: &mut Vec<u64>) {
    masks.clear();
    dispatch!(repeats(bytes, masks))
}

/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn find<L: Lanes>(bytes: &[u8], masks: &mut Vec<u64>) {
    let [_, after @ ..] = bytes else { return };
    let before = &bytes[..after.len()];
    masks.reserve(after.len().div_ceil(WIDTH));
    let mut blocks = after.chunks_exact(WIDTH).zip(before.chunks_exact(WIDTH));
    for (after, before) in &mut blocks {
        // SAFETY: both have 64 bytes; the caller vouches for the CPU.
        masks.push(unsafe { L::load(after).equal_lanes(L::load(before)) });
    }
    let left = after.len() % WIDTH;
    if left > 0 {
        // SAFETY: `left` is 1 to 63 and within both slices, which are of one length, so that the same lanes are
        // valid; the caller vouches for the CPU.
        let (same, valid) = unsafe {
            let ((after, valid, _), (before, _, _)) =
                (L::load_last(after, left), L::load_last(before, left));
            (after.equal_lanes(before), valid)
        };
        masks.push((same & valid) >> valid.trailing_zeros());
    }
}

/// The same in plain Rust.
pub(crate) fn find_plainly(bytes: &[u8], masks: &mut Vec<u64>) {
    let [_, after @ ..] = bytes else { return };
    let before = &bytes[..after.len()];
    for (after, before) in after.chunks(WIDTH).zip(before.chunks(WIDTH)) {
        let (words, rest) = after.as_chunks::<8>();
        let (words_before, rest_before) = before.as_chunks::<8>();
        let mut mask = 0;
        for (number, (word, before)) in words.iter().zip(words_before).enumerate() {
            let difference = u64::from_le_bytes(*word) ^ u64::from_le_bytes(*before);
            mask |= zero_bytes(difference) << (8 * number);
        }
        for (number, (byte, before)) in rest.iter().zip(rest_before).enumerate() {
            mask |= u64::from(byte == before) << (8 * words.len() + number);
        }
        masks.push(mask);
    }
}

/// Which of the eight bytes are 0, in the lowest bits.
fn zero_bytes(word: u64) -> u64 {
    const SEVEN: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let is_other = ((word & SEVEN) + SEVEN) | word;
    // Bits 7, 15, ... 63 come to 56 to 63.
    ((!is_other & !SEVEN) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
