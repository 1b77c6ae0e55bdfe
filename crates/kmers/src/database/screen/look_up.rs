//! k-mers that passed the filter, looked up several at a time.

use std::ops::RangeInclusive;

use super::sorted::{self, Sorted};
use super::threshold::Threshold;
use crate::database::loaded;
use crate::kmer::Kmer;

/// The most k-mers that are asked for before the first of them is looked at.
const AHEAD: usize = 32;

/// The fewest.
const FEWEST_AHEAD: usize = 8;

/// What was found of a read.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) found: u64,
    /// k-mers that were looked at, and more that there may be.
    pub(super) all: u64,
    pub(super) may_come: u64,
}

/// What k-mers are looked up in, several at a time.
pub(super) trait Kmers<K> {
    type Wanted: Copy + Default;

    /// Where a k-mer is looked for, of this partition if there are partitions.
    fn wanted(&self, partition: Option<usize>, kmer: K) -> Self::Wanted;

    /// Asks for what tells more of where it is.
    fn ask_where(&self, wanted: Self::Wanted);

    /// Asks for the place itself.
    fn ask(&self, wanted: &mut Self::Wanted);

    /// Whether it is there.
    fn has(&self, wanted: Self::Wanted) -> bool;
}

impl<K: Kmer> Kmers<K> for Sorted<K> {
    type Wanted = sorted::Wanted<K>;

    #[inline(always)]
    fn wanted(&self, partition: Option<usize>, kmer: K) -> Self::Wanted {
        self.wanted(partition.unwrap_or(0), kmer)
    }

    #[inline(always)]
    fn ask_where(&self, wanted: Self::Wanted) {
        self.ask_where(wanted);
    }

    #[inline(always)]
    fn ask(&self, wanted: &mut Self::Wanted) {
        self.ask(wanted);
    }

    #[inline(always)]
    fn has(&self, wanted: Self::Wanted) -> bool {
        self.has(wanted)
    }
}

/// A table, and the counts that are wanted.
pub(super) struct InTable<'a, K>(
    pub(super) &'a loaded::Table<K>,
    pub(super) &'a RangeInclusive<u64>,
);

impl<K: Kmer> Kmers<K> for InTable<'_, K> {
    type Wanted = loaded::Wanted<K>;

    #[inline(always)]
    fn wanted(&self, partition: Option<usize>, kmer: K) -> Self::Wanted {
        match partition {
            Some(partition) => self.0.wanted_in(partition, kmer),
            None => self.0.wanted(kmer),
        }
    }

    #[inline(always)]
    fn ask_where(&self, _: Self::Wanted) {}

    #[inline(always)]
    fn ask(&self, wanted: &mut Self::Wanted) {
        self.0.ask(*wanted);
    }

    #[inline(always)]
    fn has(&self, wanted: Self::Wanted) -> bool {
        let count = self.0.get(wanted);
        count.is_some_and(|count| self.1.contains(&count))
    }
}

/// Looks up so many k-mers, until the threshold is reached or cannot be reached any more.
#[inline(always)]
pub(super) fn look_up<K: Kmer, A: Kmers<K>>(
    all_kmers: &A,
    mut kmers: impl Iterator<Item = (Option<usize>, K)>,
    mut passing: u64,
    threshold: Threshold,
    sum: &mut Sum,
) {
    let mut asked = [A::Wanted::default(); AHEAD];
    let all = sum.all.saturating_add(sum.may_come);
    loop {
        let missing = threshold.least.saturating_sub(sum.found) as usize;
        let ahead = missing.clamp(FEWEST_AHEAD, AHEAD);
        let mut number = 0;
        for (place, (partition, kmer)) in asked[..ahead].iter_mut().zip(&mut kmers) {
            *place = all_kmers.wanted(partition, kmer);
            all_kmers.ask_where(*place);
            number += 1;
        }
        if number == 0 {
            return;
        }
        asked[..number]
            .iter_mut()
            .for_each(|wanted| all_kmers.ask(wanted));
        for &wanted in &asked[..number] {
            sum.found += u64::from(all_kmers.has(wanted));
        }
        passing -= number as u64;
        let is_known = threshold.is_reached(sum.found, all)
            || sum.may_come == 0 && !threshold.is_reached(sum.found + passing, sum.all);
        if is_known {
            return;
        }
    }
}
