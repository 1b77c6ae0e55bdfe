//! Sums of qualities: what Q20, Q30 and the mean are made of.

use crate::kernel::dispatch;
use crate::vector::{Lanes, WIDTH};

/// Phred+33: the byte that stands for quality 0.
const ZERO: u8 = 33;
/// The byte of quality 20, one error in 100.
pub(crate) const Q20: u8 = ZERO + 20;
/// The byte of quality 30, one error in 1,000.
pub(crate) const Q30: u8 = ZERO + 30;

/// Totals over Phred+33 quality bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Qualities {
    /// Sum of (byte - 33). Bytes below 33 are no qualities; they lower the sum.
    pub sum: i64,
    /// Bases of quality 20 or more.
    pub q20: u64,
    /// Bases of quality 30 or more.
    pub q30: u64,
    /// Bases seen.
    pub bases: u64,
}

impl Qualities {
    /// Add the totals of `other`.
    pub fn merge(&mut self, other: &Qualities) {
        self.sum += other.sum;
        self.q20 += other.q20;
        self.q30 += other.q30;
        self.bases += other.bases;
    }

    /// Add a line of `length` bytes that sum to `sum`.
    #[inline(always)]
    pub(crate) fn add_line(&mut self, sum: u64, length: usize) {
        // A slice has at most 2^63 - 1 bytes, and no machine adds up 2^56 of them.
        self.sum += sum as i64 - i64::from(ZERO) * length as i64;
        self.bases += length as u64;
    }
}

/// Add every byte of `quality` to `totals`.
///
/// For many short lines, [`qualities_of_all`] is faster.
#[inline]
pub fn qualities(quality: &[u8], totals: &mut Qualities) {
    qualities_of_all(std::iter::once(quality), totals);
}

/// Add every byte of every line of `qualities` to `totals`.
#[inline]
pub fn qualities_of_all<'a>(qualities: impl Iterator<Item = &'a [u8]>, totals: &mut Qualities) {
    dispatch!(qualities(qualities, totals))
}

/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn tally<'a, L: Lanes>(
    lines: impl Iterator<Item = &'a [u8]>,
    totals: &mut Qualities,
) {
    let mut all = Qualities::default();
    for line in lines {
        let mut sum = 0;
        let mut blocks = line.chunks_exact(WIDTH);
        for block in &mut blocks {
            // SAFETY: the block has 64 bytes; the caller vouches for the CPU.
            unsafe {
                let lanes = L::load(block);
                sum += lanes.sum();
                all.q20 += u64::from(lanes.at_least(Q20).count_ones());
                all.q30 += u64::from(lanes.at_least(Q30).count_ones());
            }
        }
        let left = blocks.remainder().len();
        if left > 0 {
            // Bytes that are not valid are 0: they add nothing and reach no threshold.
            // SAFETY: `left` is 1 to 63 and within the slice; the caller vouches for the CPU.
            unsafe {
                let (lanes, _, _) = L::load_last(line, left);
                sum += lanes.sum();
                all.q20 += u64::from(lanes.at_least(Q20).count_ones());
                all.q30 += u64::from(lanes.at_least(Q30).count_ones());
            }
        }
        all.add_line(sum, line.len());
    }
    totals.merge(&all);
}
