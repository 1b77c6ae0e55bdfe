//! How many reads have which letter at which position.

use thalweg_scan::{COLUMNS, are_bases, count_columns};

use crate::positions::{BIN, EXACT};

/// The letters that are told apart: first those of all reads.
const LETTERS: [u8; 4] = *b"ACGT";

/// Counts at a position, of A, C, G, T and N.
pub(crate) type Letters = [u64; 5];

/// Reads that a narrow counter can hold.
const FULL: u32 = 255;

/// Counters of letters by position.
#[derive(Clone, Default)]
pub(crate) struct LetterGrid {
    /// By letter of [`LETTERS`]; whole [`COLUMNS`].
    narrow: [Vec<u8>; 4],
    /// Reads that narrow counters hold at most.
    reads: u32,
    /// Columns that were used since they were last emptied.
    used: usize,
    wide: Vec<Letters>,
    /// Those of bins of positions.
    far: Vec<Letters>,
    /// The read before, which is counted with the next one, and room for that.
    pair: [Vec<u8>; 2],
    is_waiting: bool,
}

impl LetterGrid {
    /// Count the letters of a read, in upper case.
    #[inline]
    pub(crate) fn add(&mut self, bases: &[u8]) {
        let near = &bases[..bases.len().min(EXACT)];
        if near.len() > self.wide.len() {
            self.wide.resize(near.len(), [0; 5]);
        }
        let copy = &mut self.pair[usize::from(self.is_waiting)];
        copy.clear();
        copy.extend_from_slice(near);
        copy.resize(near.len().next_multiple_of(COLUMNS), 0);
        self.is_waiting = !self.is_waiting;
        if !self.is_waiting {
            self.add_pair();
        }
        if !are_bases(near) {
            self.add_others(near);
        }
        if bases.len() > EXACT {
            self.add_far(&bases[EXACT..]);
        }
    }

    fn add_pair(&mut self) {
        let columns = self.pair[0].len().max(self.pair[1].len());
        self.pair
            .iter_mut()
            .for_each(|read| read.resize(columns, 0));
        if self.reads + 2 > FULL {
            self.widen();
        }
        self.reads += 2;
        if columns > self.narrow[0].len() {
            self.narrow
                .iter_mut()
                .for_each(|row| row.resize(columns, 0));
        }
        self.used = self.used.max(columns);
        let [first, second] = &self.pair;
        let counts = self.narrow.each_mut().map(|row| &mut row[..columns]);
        count_columns(LETTERS, [first, second], counts);
    }

    #[cold]
    fn add_others(&mut self, near: &[u8]) {
        for (position, _) in near
            .iter()
            .enumerate()
            .filter(|(_, letter)| **letter == b'N')
        {
            self.wide[position][4] += 1;
        }
    }

    #[cold]
    fn add_far(&mut self, bases: &[u8]) {
        let bins = bases.len().div_ceil(BIN);
        if bins > self.far.len() {
            self.far.resize(bins, [0; 5]);
        }
        for (bin, bases) in self.far.iter_mut().zip(bases.chunks(BIN)) {
            for letter in bases {
                if let Some(place) = b"ACGTN".iter().position(|known| known == letter) {
                    bin[place] += 1;
                }
            }
        }
    }

    fn widen(&mut self) {
        for (letter, row) in self.narrow.iter_mut().enumerate() {
            let used = &mut row[..self.used];
            for (wide, count) in self.wide.iter_mut().zip(&*used) {
                wide[letter] += u64::from(*count);
            }
            used.fill(0);
        }
        self.reads = 0;
        self.used = 0;
    }

    /// Count what waits. To be called before the counts are asked for.
    pub(crate) fn settle(&mut self) {
        if std::mem::take(&mut self.is_waiting) {
            self.pair[1].clear();
            self.add_pair();
        }
        self.widen();
    }

    /// Add what `other` has counted; both are settled.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (own, other) in [(&mut self.wide, &other.wide), (&mut self.far, &other.far)] {
            if other.len() > own.len() {
                own.resize(other.len(), [0; 5]);
            }
            for (own, other) in own.iter_mut().zip(other) {
                own.iter_mut()
                    .zip(other)
                    .for_each(|(own, other)| *own += other);
            }
        }
    }

    /// The counts at the counter of a position.
    pub(crate) fn at(&self, slot: usize) -> Letters {
        let counts = match slot.checked_sub(EXACT) {
            Some(bin) => self.far.get(bin),
            None => self.wide.get(slot),
        };
        counts.copied().unwrap_or_default()
    }

    /// The counts of all positions.
    pub(crate) fn total(&self) -> Letters {
        let mut sum = [0; 5];
        for counts in self.wide.iter().chain(&self.far) {
            sum.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_and_merges_as_a_plain_table(
            reads in prop::collection::vec("[ACGT]{0,90}[ACGTNUR.]{0,3}[ACGT]{0,50}", 0..40),
            times in 1..20_usize,
            cut in any::<prop::sample::Index>(),
        ) {
            let reads: Vec<&[u8]> = std::iter::repeat_n(&reads, times).flatten().map(String::as_bytes).collect();
            let mut wanted = vec![[0; 5]; 150];
            for read in &reads {
                for (position, letter) in read.iter().enumerate() {
                    if let Some(place) = b"ACGTN".iter().position(|known| known == letter) {
                        wanted[position][place] += 1;
                    }
                }
            }
            let (first, second) = reads.split_at(cut.index(reads.len() + 1));
            let [mut grid, other] = [first, second].map(|reads| {
                let mut grid = LetterGrid::default();
                reads.iter().for_each(|read| grid.add(read));
                grid.settle();
                grid
            });
            grid.merge(&other);
            for (slot, wanted) in wanted.iter().enumerate() {
                prop_assert_eq!(&grid.at(slot), wanted);
            }
        }
    }

    #[test]
    fn far_positions_share_counters() {
        let mut grid = LetterGrid::default();
        grid.add(&vec![b'G'; EXACT + BIN + 1]);
        grid.add(&vec![b'N'; EXACT + 1]);
        grid.settle();
        let far = [EXACT - 1, EXACT, EXACT + 1, EXACT + 2].map(|slot| grid.at(slot));
        assert_eq!(far[0], [0, 0, 1, 0, 1]);
        assert_eq!(far[1], [0, 0, BIN as u64, 0, 1]);
        assert_eq!(far[2..], [[0, 0, 1, 0, 0], [0; 5]]);
        let all = (EXACT + BIN + 1) as u64;
        assert_eq!(grid.total(), [0, 0, all, 0, (EXACT + 1) as u64]);
    }
}
