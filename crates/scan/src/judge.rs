//! What kind of bytes a line has, and how many of them.

use crate::kernel::dispatch;
use crate::vector::{Lanes, WIDTH};

/// Whether all bytes are printing characters of ASCII, but no blanks: `!` to `~`.
///
/// For many short lines, [`are_all_graphic`] is faster.
#[inline]
pub fn are_graphic(bytes: &[u8]) -> bool {
    are_all_graphic(std::iter::once(bytes))
}

/// Whether all bytes of every line of `lines` are `!` to `~`.
///
/// The iterator is driven inside the kernel: the instruction set is chosen once, not once per line.
#[inline]
pub fn are_all_graphic<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    are_all_within(lines, Within::<b'!', b'~'>)
}

/// The bytes `FIRST` to `LAST`, which is not less. Known when a kernel is compiled, they cost it nothing.
#[derive(Clone, Copy, Debug)]
pub struct Within<const FIRST: u8, const LAST: u8>;

/// Whether all bytes of every line of `lines` are within a range.
///
/// The iterator is driven inside the kernel, as of [`are_all_graphic`].
#[inline]
pub fn are_all_within<'a, const FIRST: u8, const LAST: u8>(
    lines: impl Iterator<Item = &'a [u8]>,
    range: Within<FIRST, LAST>,
) -> bool {
    const { assert!(FIRST <= LAST) };
    dispatch!(are_all_within(lines, range))
}

/// Whether all bytes are A, C, G or T.
#[inline]
pub fn are_bases(bytes: &[u8]) -> bool {
    dispatch!(are_bases(bytes))
}

/// How many bytes are `byte`.
#[inline]
pub fn count_equal(bytes: &[u8], byte: u8) -> usize {
    dispatch!(count_equal(bytes, byte))
}

/// How many bytes are less than `limit`.
#[inline]
pub fn count_below(bytes: &[u8], limit: u8) -> usize {
    bytes.len() - dispatch!(count_at_least(bytes, limit))
}

/// How many bytes are which of `values`, each of which is named once; the sum of all is returned.
///
/// Each value costs a comparison of all bytes: for a few of them.
///
/// # Panics
/// If there are fewer `counts` than values.
#[inline]
pub fn count_values(bytes: &[u8], values: &[u8], counts: &mut [u64]) -> u64 {
    dispatch!(count_values(bytes, values, &mut counts[..values.len()]))
}

/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn tally_values<L: Lanes>(
    bytes: &[u8],
    values: &[u8],
    counts: &mut [u64],
) -> u64 {
    let mut all = 0;
    for (&value, count) in values.iter().zip(counts) {
        // SAFETY: the caller vouches for the CPU.
        *count = unsafe { self::count::<L>(bytes, Equal(value)) } as u64;
        all += *count;
    }
    all
}

/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn all_within<'a, L: Lanes>(
    lines: impl Iterator<Item = &'a [u8]>,
    first: u8,
    last: u8,
) -> bool {
    // No way out of the loop: a branch per line costs more than what a stray byte would save.
    let mut strays = 0;
    for line in lines {
        let mut blocks = line.chunks_exact(WIDTH);
        for block in &mut blocks {
            // SAFETY: the block has 64 bytes; the caller vouches for the CPU.
            strays |= unsafe { !L::load(block).within(first, last) };
        }
        let left = blocks.remainder().len();
        if left > 0 {
            // SAFETY: `left` is 1 to 63 and within the slice; the caller vouches for the CPU.
            let (lanes, valid, _) = unsafe { L::load_last(line, left) };
            // SAFETY: the caller vouches for the CPU.
            strays |= unsafe { valid & !lanes.within(first, last) };
        }
    }
    strays == 0
}

/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn all_bases<L: Lanes>(bytes: &[u8]) -> bool {
    // SAFETY: the caller vouches for the CPU.
    unsafe { count::<L>(bytes, Base) == bytes.len() }
}

/// A question about each byte of lanes.
///
/// No closure: one that is called in two places is a function of its own, which has not the features of the function that it is
/// written in, and calls each instruction.
pub(crate) trait Question: Copy {
    /// A bit for each lane.
    ///
    /// # Safety
    /// The CPU has the features of `L`.
    unsafe fn ask<L: Lanes>(self, lanes: L) -> u64;
}

/// Whether a byte is this one.
#[derive(Clone, Copy)]
pub(crate) struct Equal(pub(crate) u8);

impl Question for Equal {
    #[inline(always)]
    unsafe fn ask<L: Lanes>(self, lanes: L) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { lanes.equal(self.0) }
    }
}

/// Whether a byte is this one or more.
#[derive(Clone, Copy)]
pub(crate) struct AtLeast(pub(crate) u8);

impl Question for AtLeast {
    #[inline(always)]
    unsafe fn ask<L: Lanes>(self, lanes: L) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { lanes.at_least(self.0) }
    }
}

/// Whether a byte is A, C, G or T.
#[derive(Clone, Copy)]
struct Base;

impl Question for Base {
    #[inline(always)]
    unsafe fn ask<L: Lanes>(self, lanes: L) -> u64 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { lanes.equal(b'A') | lanes.equal(b'C') | lanes.equal(b'G') | lanes.equal(b'T') }
    }
}

/// Of how many bytes `question` is true.
///
/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn count<L: Lanes>(bytes: &[u8], question: impl Question) -> usize {
    let mut number = 0;
    let mut blocks = bytes.chunks_exact(WIDTH);
    for block in &mut blocks {
        // SAFETY: the block has 64 bytes; the caller vouches for the CPU.
        number += unsafe { question.ask(L::load(block)) }.count_ones() as usize;
    }
    let left = blocks.remainder().len();
    if left > 0 {
        // SAFETY: `left` is 1 to 63 and within the slice; the caller vouches for the CPU.
        let (lanes, valid, _) = unsafe { L::load_last(bytes, left) };
        // SAFETY: the caller vouches for the CPU.
        number += (unsafe { question.ask(lanes) } & valid).count_ones() as usize;
    }
    number
}
