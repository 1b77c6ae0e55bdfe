//! The spectrum of counts: how many distinct k-mers occur how often.
//!
//! A [`Histogram`] is filled by a counting pass or from a database, merged across workers, and then
//! printed as a [table](Histogram::table), fitted ([`Histogram::estimate`]) or drawn
//! ([`Histogram::to_svg`]).
//!
//! ```
//! use thalweg_kmers::histogram::Histogram;
//!
//! let mut spectrum = Histogram::new();
//! for count in [1, 1, 2, 30] {
//!     spectrum.add(count);
//! }
//! assert_eq!(spectrum.distinct(), 4);
//! assert_eq!(spectrum.total(), 34);
//! assert_eq!(spectrum.get(1), 2);
//! ```

mod estimate;
mod model;
mod plot;
mod table;

use std::collections::BTreeMap;

pub use estimate::{Estimate, NoEstimate};
pub use table::{HistogramRow, ParseTableError, TableOptions};

/// Counts below this are kept in an array: all but a handful of the distinct k-mers of a real sample.
/// 8192 numbers of 8 bytes are 64 KiB, which each worker can afford and its second-level cache holds.
const DENSE: u64 = 8192;

/// How many distinct k-mers have each count.
///
/// Exact for counts up to 2^64 - 1. Memory is 64 KiB, and some 40 bytes for each different count above 8191.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    dense: Vec<u64>,
    sparse: BTreeMap<u64, u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram::new()
    }
}

impl Histogram {
    /// An empty spectrum.
    pub fn new() -> Histogram {
        Histogram {
            dense: vec![0; DENSE as usize],
            sparse: BTreeMap::new(),
        }
    }

    /// Adds one distinct k-mer that occurs `count` times.
    #[inline]
    pub fn add(&mut self, count: u64) {
        self.add_many(count, 1);
    }

    /// Adds `kmers` distinct k-mers that occur `count` times each.
    ///
    /// Saturates at 2^64 - 1 k-mers, more than memory or any disk can hold.
    #[inline]
    pub fn add_many(&mut self, count: u64, kmers: u64) {
        let bin = match self.dense.get_mut(count as usize) {
            Some(bin) if count < DENSE => bin,
            _ if kmers == 0 => return,
            _ => self.sparse.entry(count).or_insert(0),
        };
        *bin = bin.saturating_add(kmers);
    }

    /// Adds all of another spectrum.
    pub fn merge(&mut self, other: &Histogram) {
        for (count, kmers) in other.iter() {
            self.add_many(count, kmers);
        }
    }

    /// The number of distinct k-mers that occur `count` times.
    pub fn get(&self, count: u64) -> u64 {
        if count < DENSE {
            self.dense[count as usize]
        } else {
            self.sparse.get(&count).copied().unwrap_or(0)
        }
    }

    /// Pairs of (count, number of distinct k-mers), counts ascending, no number zero.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0..)
            .zip(self.dense.iter().copied())
            .filter(|&(_, kmers)| kmers > 0)
            .chain(self.sparse.iter().map(|(&count, &kmers)| (count, kmers)))
    }

    /// Number of distinct k-mers.
    pub fn distinct(&self) -> u64 {
        self.iter()
            .fold(0, |sum, (_, kmers)| sum.saturating_add(kmers))
    }

    /// Number of distinct k-mers that occur once.
    pub fn unique(&self) -> u64 {
        self.get(1)
    }

    /// Sum of all counts.
    pub fn total(&self) -> u128 {
        self.iter()
            .map(|(count, kmers)| u128::from(count) * u128::from(kmers))
            .sum()
    }

    /// The largest count; 0 if there is no k-mer.
    pub fn max_count(&self) -> u64 {
        self.iter().last().map_or(0, |(count, _)| count)
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl FromIterator<(u64, u64)> for Histogram {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(pairs: I) -> Histogram {
        let mut histogram = Histogram::new();
        for (count, kmers) in pairs {
            histogram.add_many(count, kmers);
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_the_array_are_kept_exactly() {
        let mut histogram = Histogram::new();
        for count in [0, 1, DENSE - 1, DENSE, DENSE + 1, u64::MAX, u64::MAX] {
            histogram.add(count);
        }
        assert_eq!(histogram.get(u64::MAX), 2);
        assert_eq!(histogram.get(DENSE), 1);
        assert_eq!(histogram.get(DENSE - 1), 1);
        assert_eq!(histogram.distinct(), 7);
        assert_eq!(histogram.max_count(), u64::MAX);
        assert_eq!(
            histogram.total(),
            1 + 3 * u128::from(DENSE) + 2 * u128::from(u64::MAX)
        );
    }

    #[test]
    fn merging_is_adding_everything_to_one() {
        let (mut left, mut right, mut both) =
            (Histogram::new(), Histogram::new(), Histogram::new());
        for count in 0..20_000u64 {
            let count = count * count % 9001;
            if count % 3 == 0 {
                left.add(count);
            } else {
                right.add(count);
            }
            both.add(count);
        }
        left.merge(&right);
        assert_eq!(left, both);
    }

    #[test]
    fn nothing_is_empty() {
        let mut histogram = Histogram::new();
        histogram.add_many(u64::MAX, 0);
        assert!(histogram.is_empty());
        assert_eq!(histogram.max_count(), 0);
    }
}
