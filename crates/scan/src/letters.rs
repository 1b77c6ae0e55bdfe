//! How often each letter occurs.
//!
//! ```text
//! for each 64 bytes:
//!     A, C, G, T, N += bits of (bytes == 'A'), ...
//!     others = valid bytes that are none of these
//!     if others:  a, c, g, t, n likewise;  what is left, byte by byte
//! ```
//! The five sums stay in registers over all lines of a batch. Counts in vector registers (subtract
//! the comparison from a vector of bytes, add up before 255) save the population counts, but have
//! to be added up at the end of each line, which for 150 bytes costs more than it saves.

use std::fmt;

use crate::kernel::dispatch;
use crate::vector::{Lanes, WIDTH};

/// The letters that have a register each: those of nearly all reads.
const USUAL: [u8; 5] = *b"ACGTN";

/// Counts per byte value.
///
/// Lower and upper case are apart, and every other byte value is counted exactly as well.
#[derive(Clone, PartialEq, Eq)]
pub struct Letters {
    counts: [u64; 256],
}

impl Letters {
    /// How often the byte `letter` was seen.
    pub fn count(&self, letter: u8) -> u64 {
        self.counts[usize::from(letter)]
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The bytes that were seen, ascending, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u64)> {
        (0..=u8::MAX)
            .zip(self.counts.iter().copied())
            .filter(|&(_, count)| count > 0)
    }

    /// Add the counts of `other`.
    pub fn merge(&mut self, other: &Letters) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }
}

impl Default for Letters {
    fn default() -> Self {
        Letters { counts: [0; 256] }
    }
}

impl fmt::Debug for Letters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_map()
            .entries(self.iter().map(|(byte, count)| (byte as char, count)))
            .finish()
    }
}

/// Count every byte of `sequence`.
///
/// For many short sequences, [`letters_of_all`] is faster.
#[inline]
pub fn letters(sequence: &[u8], counts: &mut Letters) {
    letters_of_all(std::iter::once(sequence), counts);
}

/// Count every byte of every sequence of `sequences`.
///
/// The iterator is driven inside the kernel: the choice of the instruction set and the additions
/// to `counts` are paid once, not once per sequence.
#[inline]
pub fn letters_of_all<'a>(sequences: impl Iterator<Item = &'a [u8]>, counts: &mut Letters) {
    let counts = &mut counts.counts;
    dispatch!(letters(sequences, counts))
}

/// Count every byte of `body`, lines of sequence, but not their line ends.
///
/// Left out are each `\n`, and a `\r` that stands before a `\n` or at the end of `body`. Returns the
/// number of bytes that were counted, the length of the sequence.
pub fn letters_in_lines(body: &[u8], counts: &mut Letters) -> usize {
    let counts = &mut counts.counts;
    dispatch!(letters_in_lines(body, counts))
}

/// Count the bytes of `lines`, without line ends if `IN_LINES`; returns how many were left out.
///
/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn tally<'a, L: Lanes, const IN_LINES: bool>(
    lines: impl Iterator<Item = &'a [u8]>,
    counts: &mut [u64; 256],
) -> usize {
    let mut usual = [0u64; 5];
    let mut left_out = 0;
    for line in lines {
        let mut blocks = line.chunks_exact(WIDTH);
        let mut first = 0;
        for block in &mut blocks {
            // SAFETY: the block has 64 bytes; the caller vouches for the CPU.
            let lanes = unsafe { L::load(block) };
            // SAFETY: the caller vouches for the CPU.
            left_out +=
                unsafe { add::<L, IN_LINES>(lanes, u64::MAX, line, first, &mut usual, counts) };
            first += WIDTH;
        }
        let left = blocks.remainder().len();
        if left > 0 {
            // SAFETY: `left` is 1 to 63 and within the slice; the caller vouches for the CPU.
            let (lanes, valid, first) = unsafe { L::load_last(line, left) };
            // SAFETY: the caller vouches for the CPU.
            left_out +=
                unsafe { add::<L, IN_LINES>(lanes, valid, line, first, &mut usual, counts) };
        }
    }
    for (letter, number) in USUAL.into_iter().zip(usual) {
        counts[usize::from(letter)] += number;
    }
    left_out as usize
}

/// Add the bytes `valid` of `lanes`, which start at `line[first]`; the others are 0.
///
/// Returns how many were left out, as line ends.
///
/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
unsafe fn add<L: Lanes, const IN_LINES: bool>(
    lanes: L,
    valid: u64,
    line: &[u8],
    first: usize,
    usual: &mut [u64; 5],
    counts: &mut [u64; 256],
) -> u32 {
    let mut seen = 0;
    for (letter, number) in USUAL.into_iter().zip(usual) {
        // SAFETY: the caller vouches for the CPU.
        let mask = unsafe { lanes.equal(letter) };
        *number += u64::from(mask.count_ones());
        seen |= mask;
    }
    let mut left_out = 0;
    if IN_LINES {
        // SAFETY: the caller vouches for the CPU.
        let (newlines, returns) = unsafe { (lanes.equal(b'\n'), lanes.equal(b'\r')) };
        left_out = newlines;
        if returns != 0 {
            // Of the byte after these 64 only this matters: is it a line end, or the body's?
            let next = line.get(first.wrapping_add(WIDTH));
            let mut ends = newlines >> 1;
            if matches!(next, None | Some(b'\n')) {
                ends |= 1 << (WIDTH - 1);
            }
            // The bit after the last valid one, where the body ends within these 64.
            let last = valid & !(valid >> 1);
            if last != 1 << (WIDTH - 1) {
                ends |= last;
            }
            left_out |= returns & ends;
        }
        seen |= left_out;
    }
    let others = valid & !seen;
    if others != 0 {
        // SAFETY: the caller vouches for the CPU.
        unsafe { add_others(lanes, others, line, first, counts) };
    }
    left_out.count_ones()
}

/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
unsafe fn add_others<L: Lanes>(
    lanes: L,
    mut others: u64,
    line: &[u8],
    first: usize,
    counts: &mut [u64; 256],
) {
    for letter in USUAL {
        let letter = letter.to_ascii_lowercase();
        // SAFETY: the caller vouches for the CPU.
        let mask = unsafe { lanes.equal(letter) } & others;
        counts[usize::from(letter)] += u64::from(mask.count_ones());
        others &= !mask;
    }
    while others != 0 {
        let position = first.wrapping_add(others.trailing_zeros() as usize);
        counts[usize::from(line[position])] += 1;
        others &= others - 1;
    }
}
