//! How many reads have which quality at which position.
//!
//! A block is a table of 32 positions by quality, of narrow counters: the rows of a quality are a line of the cache, and of
//! neighbouring positions most are of the same few qualities. A block that could overflow is added to wide counters, which
//! those far from the start of long reads never need.

use crate::positions::{self, BIN, EXACT};

/// Positions of a block.
const LANES: usize = 32;

/// Values of a quality byte that are told apart; those that may stand in a file are `!` to `~`.
pub(crate) const VALUES: usize = 128;

/// The byte that is value 0.
const LOWEST: u8 = b'!';

/// Reads that a narrow counter can hold.
const FULL: u32 = u16::MAX as u32;

/// Counters of qualities by position.
#[derive(Clone, Default)]
pub(crate) struct QualityGrid {
    blocks: Vec<Block>,
    /// Those of bins of positions.
    far: Vec<[u64; VALUES]>,
}

#[derive(Clone)]
struct Block {
    narrow: Box<[u16; LANES * VALUES]>,
    /// Reads that narrow counters hold at most.
    reads: u32,
    wide: Option<Box<[u64; LANES * VALUES]>>,
}

impl QualityGrid {
    /// Count the qualities of a read.
    #[inline]
    pub(crate) fn add(&mut self, qualities: &[u8]) {
        let near = &qualities[..qualities.len().min(EXACT)];
        if near.len() > self.blocks.len() * LANES {
            let blocks = near.len().div_ceil(LANES);
            self.blocks.resize_with(blocks, Block::new);
        }
        for (block, qualities) in self.blocks.iter_mut().zip(near.chunks(LANES)) {
            block.add(qualities);
        }
        if qualities.len() > EXACT {
            self.add_far(&qualities[EXACT..]);
        }
    }

    #[cold]
    fn add_far(&mut self, qualities: &[u8]) {
        let bins = qualities.len().div_ceil(BIN);
        if bins > self.far.len() {
            self.far.resize(bins, [0; VALUES]);
        }
        for (bin, qualities) in self.far.iter_mut().zip(qualities.chunks(BIN)) {
            for &quality in qualities {
                bin[value(quality)] += 1;
            }
        }
    }

    /// Add what `other` has counted.
    pub(crate) fn merge(&mut self, other: Self) {
        let common = self.blocks.len().min(other.blocks.len());
        let mut others = other.blocks.into_iter();
        for (block, other) in self.blocks.iter_mut().zip(others.by_ref().take(common)) {
            block.merge(&other);
        }
        self.blocks.extend(others);
        for (index, bin) in other.far.into_iter().enumerate() {
            match self.far.get_mut(index) {
                Some(own) => own.iter_mut().zip(bin).for_each(|(own, bin)| *own += bin),
                None => self.far.push(bin),
            }
        }
    }

    /// The counts of all values at the counter of a position, the lowest byte `!` first.
    pub(crate) fn at(&self, slot: usize) -> [u64; VALUES] {
        if let Some(bin) = slot.checked_sub(EXACT) {
            return self.far.get(bin).copied().unwrap_or([0; VALUES]);
        }
        let mut counts = [0; VALUES];
        let lane = slot % LANES;
        if let Some(block) = self.blocks.get(slot / LANES) {
            for (value, count) in counts.iter_mut().enumerate() {
                let index = value * LANES + lane;
                let wide = block.wide.as_ref().map_or(0, |wide| wide[index]);
                *count = wide + u64::from(block.narrow[index]);
            }
        }
        counts
    }

    /// The lowest quality byte of all, if there is any.
    pub(crate) fn lowest(&self, length: usize) -> Option<u8> {
        let of = |slot| self.at(slot).iter().position(|&count| count > 0);
        let lowest = (0..positions::slots(length)).filter_map(of).min()?;
        Some(LOWEST + lowest as u8)
    }

    /// The highest, likewise.
    pub(crate) fn highest(&self, length: usize) -> Option<u8> {
        let of = |slot| self.at(slot).iter().rposition(|&count| count > 0);
        let highest = (0..positions::slots(length)).filter_map(of).max()?;
        Some(LOWEST + highest as u8)
    }
}

impl Block {
    fn new() -> Self {
        Block {
            narrow: zeroed(),
            reads: 0,
            wide: None,
        }
    }

    #[inline]
    fn add(&mut self, qualities: &[u8]) {
        if self.reads == FULL {
            self.widen();
        }
        self.reads += 1;
        match <&[u8; LANES]>::try_from(qualities) {
            // Of known length, so that the loop has neither counter nor end.
            Ok(all) => self.bump_all(all),
            Err(_) => self.bump_all(qualities),
        }
    }

    #[inline(always)]
    fn bump_all(&mut self, qualities: &[u8]) {
        for (lane, &quality) in qualities.iter().enumerate() {
            let count = &mut self.narrow[value(quality) * LANES + lane % LANES];
            *count = count.wrapping_add(1);
        }
    }

    fn merge(&mut self, other: &Block) {
        if self.reads + other.reads > FULL {
            self.widen();
        }
        if self.reads + other.reads > FULL {
            let wide = self.wide.get_or_insert_with(zeroed);
            for (wide, &narrow) in wide.iter_mut().zip(&*other.narrow) {
                *wide += u64::from(narrow);
            }
        } else {
            self.reads += other.reads;
            for (own, &narrow) in self.narrow.iter_mut().zip(&*other.narrow) {
                *own += narrow;
            }
        }
        if let Some(more) = &other.wide {
            let wide = self.wide.get_or_insert_with(zeroed);
            wide.iter_mut()
                .zip(&**more)
                .for_each(|(wide, &more)| *wide += more);
        }
    }

    #[cold]
    fn widen(&mut self) {
        let wide = self.wide.get_or_insert_with(zeroed);
        for (wide, narrow) in wide.iter_mut().zip(&mut *self.narrow) {
            *wide += u64::from(std::mem::take(narrow));
        }
        self.reads = 0;
    }
}

#[inline(always)]
fn value(quality: u8) -> usize {
    usize::from(quality.wrapping_sub(LOWEST)) % VALUES
}

fn zeroed<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    let table = vec![T::default(); N].into_boxed_slice();
    match table.try_into() {
        Ok(table) => table,
        Err(_) => unreachable!("as many as asked for"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_and_merges_as_a_plain_table(
            reads in prop::collection::vec(prop::collection::vec(33_u8..127, 0..200), 0..60),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut wanted = vec![[0_u64; VALUES]; 200];
            for read in &reads {
                for (position, &quality) in read.iter().enumerate() {
                    wanted[position][usize::from(quality - 33)] += 1;
                }
            }
            let (first, second) = reads.split_at(cut.index(reads.len() + 1));
            let mut grids = [first, second].map(|reads| {
                let mut grid = QualityGrid::default();
                reads.iter().for_each(|read| grid.add(read));
                grid
            });
            let [grid, other] = &mut grids;
            grid.merge(std::mem::take(other));
            for (slot, wanted) in wanted.iter().enumerate() {
                prop_assert_eq!(&grid.at(slot), wanted);
            }
            let lowest = reads.iter().flatten().min().copied();
            prop_assert_eq!(grid.lowest(200), lowest);
        }
    }

    #[test]
    fn full_counters_lose_nothing() {
        let mut grid = QualityGrid::default();
        let reads = 3 * u64::from(u16::MAX) / 2;
        for _ in 0..reads {
            grid.add(b"I#");
        }
        let other = grid.clone();
        grid.merge(other);
        assert_eq!(grid.at(0)[usize::from(b'I' - 33)], 2 * reads);
        assert_eq!(grid.at(1)[usize::from(b'#' - 33)], 2 * reads);
    }

    #[test]
    fn far_positions_share_counters() {
        let mut grid = QualityGrid::default();
        grid.add(&vec![b'5'; EXACT + BIN + 1]);
        let place = usize::from(b'5' - 33);
        let far = [EXACT - 1, EXACT, EXACT + 1, EXACT + 2].map(|slot| grid.at(slot)[place]);
        assert_eq!(far, [1, BIN as u64, 1, 0]);
    }
}
