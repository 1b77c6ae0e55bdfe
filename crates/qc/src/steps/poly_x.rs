//! Tails of any one base.

use crate::counts::PolyXCounts;
use crate::{Options, Read};

/// Cuts tails of one base.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolyXTrim {
    /// The least number of bases that make a tail.
    pub(crate) minimum: usize,
}

/// One base in so many may be another one.
const BASES_PER_MISMATCH: usize = 8;

/// But never more than so many.
const MOST_MISMATCHES: usize = 5;

impl PolyXTrim {
    /// If it is asked for.
    pub(crate) fn new(options: &Options) -> Option<Self> {
        options.trim_poly_x.then_some(Self {
            minimum: options.poly_x_min_len,
        })
    }

    /// Cut the tail of a read.
    pub(crate) fn apply(&self, read: &mut Read<'_>, counts: &mut PolyXCounts) {
        let bases = read.bases();
        let mut numbers = [0usize; 4];
        let mut position = 0;
        for &base in bases.iter().rev() {
            match base {
                b'A' => numbers[0] += 1,
                b'T' => numbers[1] += 1,
                b'C' => numbers[2] += 1,
                b'G' => numbers[3] += 1,
                // An unknown base may be any.
                b'N' => numbers.iter_mut().for_each(|number| *number += 1),
                _ => {}
            }
            let compared = position + 1;
            let allowed = MOST_MISMATCHES.min(compared / BASES_PER_MISMATCH);
            let is_tail = numbers.iter().any(|number| compared - number <= allowed);
            if !is_tail && (position >= BASES_PER_MISMATCH || compared + 1 >= self.minimum) {
                break;
            }
            position += 1;
        }
        // The base where it ended counts.
        if position + 1 < self.minimum {
            return;
        }
        let most = numbers.iter().max().copied().unwrap_or(0);
        let which = numbers
            .iter()
            .position(|&number| number == most)
            .unwrap_or(0);
        let base = PolyXCounts::BASES[which];
        let tail = bases.len().min(position + 1);
        // A tail of nothing but N has no such base, is counted, and stays.
        let ahead = bases[bases.len() - tail..]
            .iter()
            .position(|&other| other == base)
            .unwrap_or(tail);
        let cut = tail - ahead;
        let left = bases.len() - cut;
        read.truncate(left);
        counts.reads[which] += 1;
        counts.bases[which] += cut as u64;
    }
}
