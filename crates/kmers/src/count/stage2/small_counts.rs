//! How many k-mers have which count, for the counts below 256, as nearly all are.

use crate::clamped::{COUNTS, Clamped};

/// Counts of so many bits are counted by vectors.
const FEW_BITS: u32 = 4;

/// The number of k-mers of each count.
#[derive(Debug)]
pub(in crate::count) struct SmallCounts([u64; 256]);

impl Default for SmallCounts {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl SmallCounts {
    /// Adds the counts of `entries`, and appends those that are too large to `large`.
    #[inline(always)]
    pub(in crate::count) fn add<K>(&mut self, entries: &[(K, u64)], large: &mut Vec<u64>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::kernel::Counting;
    use thalweg_superkmers::Kernel;

    #[test]
    fn every_count_has_its_place() {
        let entries: Vec<(u64, u64)> = (0..5000)
            .map(|i| {
                (
                    i,
                    [1, 15, 16, 255, 256, u64::MAX, 1 + i % 300][i as usize % 7],
                )
            })
            .collect();
        for kernel in Kernel::all() {
            let (mut small, mut large) = (SmallCounts::default(), Vec::new());
            kernel.add_counts(&mut small, &entries, &mut large);
            let counts = || entries.iter().map(|entry| entry.1);
            for count in 0..256 {
                let number = counts().filter(|&one| one == count).count() as u64;
                let found = small.each().find(|one| one.0 == count);
                assert_eq!(found, (number > 0).then_some((count, number)));
            }
            assert!(large.into_iter().eq(counts().filter(|&count| count > 255)));
        }
    }
}
