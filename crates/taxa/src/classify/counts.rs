//! How many k-mers of a read are in each set, and in each species.

use super::{Hits, Run, Sets};

/// Counts of one read at a time, in memory that is used again.
#[derive(Debug)]
pub(super) struct Counts {
    /// k-mers without letters that are no bases, all told.
    pub(super) valid: u32,
    /// Found k-mers by set. Once all are counted each set is there once.
    pub(super) sets: Vec<(u32, u32)>,
    /// Found k-mers by number of the species, ascending.
    pub(super) species: Vec<(u32, u32)>,
    /// By number of the species; all zero between reads.
    all_species: Vec<u32>,
}

/// Sets that are looked through for one: most reads have no more.
const LOOKED_THROUGH: usize = 16;

/// Counts of sets after which equal ones are joined while a read is counted: few reads have more runs.
const JOINED_AFTER: usize = 1 << 16;

impl Counts {
    /// For sets of species with numbers below `species`.
    pub(super) fn new(species: usize) -> Self {
        Self {
            valid: 0,
            sets: Vec::new(),
            species: Vec::new(),
            all_species: vec![0; species],
        }
    }

    /// Counts k-mers by set, each as often as it is there.
    pub(super) fn count_all(&mut self, mates: &[Hits<'_>]) {
        self.count(mates, |run| run.kmers);
    }

    /// Counts k-mers by set, each once, whichever strand it is on.
    pub(super) fn count_distinct(&mut self, mates: &[Hits<'_>]) {
        self.count(mates, |run| run.distinct);
    }

    #[inline(always)]
    fn count(&mut self, mates: &[Hits<'_>], number: impl Fn(&Run) -> u32) {
        self.sets.clear();
        self.valid = 0;
        let mut joined_at = JOINED_AFTER;
        // Neighbours are in the same set more often than not.
        let (mut set, mut kmers) = (0, 0_u32);
        for run in mates.iter().flat_map(|mate| mate.runs) {
            self.valid = self.valid.saturating_add(run.kmers);
            if run.set == 0 {
                continue;
            }
            if run.set == set {
                kmers = kmers.saturating_add(number(run));
            } else {
                self.add(set, kmers);
                (set, kmers) = (run.set, number(run));
                if self.sets.len() >= joined_at {
                    join_equal(&mut self.sets);
                    joined_at = JOINED_AFTER.max(2 * self.sets.len());
                }
            }
        }
        self.add(set, kmers);
        if self.sets.len() > LOOKED_THROUGH {
            join_equal(&mut self.sets);
        }
    }

    /// Adds k-mers of a set, if there are any.
    #[inline]
    fn add(&mut self, set: u32, kmers: u32) {
        if kmers == 0 {
            return;
        }
        let mut last = self.sets.iter_mut().rev().take(LOOKED_THROUGH);
        match last.find(|(other, _)| *other == set) {
            Some((_, count)) => *count = count.saturating_add(kmers),
            None => self.sets.push((set, kmers)),
        }
    }

    /// Counts by species what was counted by set; returns the greatest count, 0 if there is none.
    pub(super) fn count_species(&mut self, sets: &impl Sets) -> u32 {
        self.species.clear();
        if let [(set, kmers)] = *self.sets {
            let each = sets.species(set).iter().map(|&species| (species, kmers));
            self.species.extend(each);
            return kmers;
        }
        for &(set, kmers) in &self.sets {
            for &species in sets.species(set) {
                let count = &mut self.all_species[species as usize];
                if *count == 0 {
                    self.species.push((species, 0));
                }
                *count = count.saturating_add(kmers);
            }
        }
        self.species.sort_unstable();
        let mut most = 0;
        for (species, kmers) in &mut self.species {
            *kmers = std::mem::take(&mut self.all_species[*species as usize]);
            most = most.max(*kmers);
        }
        most
    }

    /// Bytes that it has.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        8 * (self.sets.capacity() + self.species.capacity()) + 4 * self.all_species.capacity()
    }
}

/// Makes one pair of all that have the same number, with the sum of their counts; by rising number.
pub(super) fn join_equal(counts: &mut Vec<(u32, u32)>) {
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        is_same
    });
}
