//! How many k-mers have which count, for the counts below 256, as nearly all are.

use crate::clamped::{COUNTS, Clamped};

/// Counts of so many bits are counted by vectors.
const FEW_BITS: u32 = 4;

/// The number of k-mers of each count.
#[derive(Debug)]
pub(super) struct SmallCounts([u64; 256]);

impl Default for SmallCounts {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl SmallCounts {
    /// Adds the counts of `entries`, and appends those that are too large to `large`.
    #[inline(always)]
    pub(super) fn add<K>(&mut self, entries: &[(K, u64)], large: &mut Vec<u64>) {
        for entries in entries.chunks(COUNTS) {
            let clamped = Clamped::of(entries.iter().map(|entry| entry.1));
            let mut lower = 0;
            for (count, number) in (0..).zip(&mut self.0[..1 << FEW_BITS]) {
                let up_to = clamped.below(count + 1);
                *number += (up_to - lower) as u64;
                lower = up_to;
            }
            clamped.longer(FEW_BITS, |place| {
                let count = entries[place].1;
                match self.0.get_mut(count.min(256) as usize) {
                    Some(number) => *number += 1,
                    None => large.push(count),
                }
            });
        }
    }

    /// Each count with the number of its k-mers.
    pub(super) fn each(&self) -> impl Iterator<Item = (u64, u64)> {
        (0..).zip(self.0).filter(|&(_, number)| number > 0)
    }
}
