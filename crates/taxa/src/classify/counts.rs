//! How many k-mers of a read are in each set, and in each species.
//!
//! Distinct k-mers are told by minimizers first: two equal ones are in super-k-mers of the same minimizer, and most reads
//! have none twice. Where one comes twice, as where mates overlap, found k-mers are compared one by one.

use super::{Hits, Sets, TIED, seen::Seen};

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
    seen: Seen,
}

/// Sets that are looked through for one: most reads have no more.
const LOOKED_THROUGH: usize = 16;

impl Counts {
    /// For sets of species with numbers below `species`.
    pub(super) fn new(species: usize) -> Self {
        Self {
            valid: 0,
            sets: Vec::new(),
            species: Vec::new(),
            all_species: vec![0; species],
            seen: Seen::default(),
        }
    }

    /// Counts k-mers by set, each as often as it is there.
    pub(super) fn count_all(&mut self, mates: &[Hits<'_>]) {
        self.sets.clear();
        self.valid = 0;
        // Neighbours are in the same set more often than not.
        let (mut set, mut kmers) = (0, 0_u32);
        for run in mates.iter().flat_map(|mate| mate.runs) {
            self.valid = self.valid.saturating_add(run.kmers);
            if run.set == 0 {
                continue;
            }
            if run.set == set {
                kmers = kmers.saturating_add(run.kmers);
            } else {
                self.add(set, kmers);
                (set, kmers) = (run.set, run.kmers);
            }
        }
        self.add(set, kmers);
        self.merge();
    }

    /// Counts k-mers by set, each once, whichever strand it is on.
    pub(super) fn count_distinct(&mut self, mates: &[Hits<'_>], k: usize) {
        if self.all_are_distinct(mates) {
            return self.count_all(mates);
        }
        self.sets.clear();
        let runs = || mates.iter().flat_map(|mate| mate.runs);
        self.valid = runs().fold(0, |valid, run| valid.saturating_add(run.kmers));
        self.seen.clear(self.valid as usize);
        for mate in mates {
            let mut kmers = Kmers::new(mate.letters, k);
            for run in mate.runs.iter().filter(|run| run.set != 0) {
                kmers.go_to(run.start);
                let new = (0..run.kmers).filter(|_| self.seen.insert(kmers.next()));
                let new = new.count() as u32;
                self.add(run.set, new);
            }
        }
        self.merge();
    }

    fn all_are_distinct(&mut self, mates: &[Hits<'_>]) -> bool {
        let is_known = |mate: &Hits<'_>| mate.runs.is_empty() || !mate.minimizers.is_empty();
        if !mates.iter().all(is_known) {
            return false;
        }
        self.seen
            .clear(mates.iter().map(|mate| mate.minimizers.len()).sum());
        let mut minimizers = mates.iter().flat_map(|mate| mate.minimizers);
        minimizers.all(|&minimizer| minimizer & TIED == 0 && self.seen.insert(minimizer))
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

    /// Joins the counts of sets that are there twice.
    fn merge(&mut self) {
        if self.sets.len() > LOOKED_THROUGH {
            join_equal(&mut self.sets);
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
        8 * (self.sets.capacity() + self.species.capacity())
            + 4 * self.all_species.capacity()
            + self.seen.bytes()
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

/// k-mers of letters that are bases, as numbers: the lesser of both strands.
struct Kmers<'a> {
    letters: &'a [u8],
    k: usize,
    /// The letter that comes next.
    at: usize,
    forward: u64,
    backward: u64,
}

impl<'a> Kmers<'a> {
    /// For k of 1 to 31.
    fn new(letters: &'a [u8], k: usize) -> Self {
        Self {
            letters,
            k,
            at: 0,
            forward: 0,
            backward: 0,
        }
    }

    /// Makes the one that begins at `start` the next. Cheap if it is the next anyway.
    #[inline]
    fn go_to(&mut self, start: usize) {
        let before = self.k - 1;
        if self.at != start + before || self.at < self.k {
            self.at = start;
            for _ in 0..before {
                self.step();
            }
        }
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.step();
        self.forward.min(self.backward)
    }

    /// The codes of A, C, T (U) and G are 0 to 3: bits that their letters have. Complements differ in the upper bit.
    #[inline]
    fn step(&mut self) {
        let code = u64::from(self.letters[self.at] >> 1 & 3);
        let mask = u64::MAX >> (64 - 2 * self.k);
        self.forward = (self.forward << 2 | code) & mask;
        self.backward = self.backward >> 2 | (code ^ 2) << (2 * (self.k - 1));
        self.at += 1;
    }
}
