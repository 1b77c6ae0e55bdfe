//! Tails of G, which instruments with one or two colours write where there is no signal.

use crate::counts::FixedCounts;
use crate::{Options, Read};

/// Cuts tails of G.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolyGTrim {
    /// The least number of bases that make a tail.
    pub(crate) minimum: usize,
}

/// One base in so many may be another one.
const BASES_PER_MISMATCH: usize = 8;

/// But never more than so many.
const MOST_MISMATCHES: usize = 5;

impl PolyGTrim {
    /// By the options, but for whether it is wanted.
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            minimum: options.poly_g_min_len,
        }
    }

    /// Cut the tail of a read.
    pub(crate) fn apply(&self, read: &mut Read<'_>, counts: &mut FixedCounts) {
        let bases = read.bases();
        if !self.may_end(bases) {
            return;
        }
        let mut mismatches = 0;
        let mut first_g = bases.len().saturating_sub(1);
        let mut seen = 0;
        for (at, &base) in bases.iter().enumerate().rev() {
            if base == b'G' {
                first_g = at;
            } else {
                mismatches += 1;
            }
            let allowed = (seen + 1) / BASES_PER_MISMATCH;
            if mismatches > MOST_MISMATCHES || (mismatches > allowed && seen + 1 >= self.minimum) {
                break;
            }
            seen += 1;
        }
        if seen >= self.minimum {
            counts.add(bases.len() - first_g);
            read.truncate(first_g);
        }
    }

    /// Whether the least tail is there, so that it is worth looking how far it goes: most often it is not, which
    /// is seen without a branch for each base.
    fn may_end(&self, bases: &[u8]) -> bool {
        let Some(start) = bases.len().checked_sub(self.minimum) else {
            return false;
        };
        let others = bases[start..].iter().filter(|&&base| base != b'G').count();
        others <= MOST_MISMATCHES.min(self.minimum / BASES_PER_MISMATCH)
    }
}
