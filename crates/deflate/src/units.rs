//! What a line of qualities consists of; at `Level::Small`, beside matches.
//!
//! ```text
//! unit = letter (0 to 255), run of the letter before (by length), two letters, or nothing
//! ```
//! Each unit has one word of few bits, so that a line is written without a question. Two letters
//! are one unit as most words of qualities are short.

use crate::symbols::{DISTANCES, LITERALS, lengths_by_symbol};

/// A list of units is a number of groups, filled up with [`NOTHING`].
pub(crate) const GROUP: usize = 4;
/// By length, less 3.
pub(crate) const RUNS: usize = 256;
pub(crate) const PAIRS: usize = 512;
pub(crate) const NOTHING: usize = PAIRS + LETTERS * LETTERS;
/// By length, less 3: of matches, whose distance is beside them.
pub(crate) const LENGTHS: usize = NOTHING + 1;
/// Units, and some more that are none, so that 13 bits are always one.
pub(crate) const COUNT: usize = 1 << 13;

/// The lowest letter in a pair: quality 0.
pub(crate) const FIRST: u8 = b'!';
/// Letters a pair may consist of: qualities 0 to 63.
pub(crate) const LETTERS: usize = 64;

/// The units of all lines of one block, of less than 64 KiB.
pub(crate) struct Units {
    /// Each unit has a letter, or fills up a line: half of the block are bases.
    pub(crate) list: Box<[u16; 1 << 16]>,
    pub(crate) used: usize,
    pub(crate) counts: Box<[u32; COUNT]>,
    /// Whether any letters are in pairs.
    pub(crate) has_pairs: bool,
}

impl Units {
    pub(crate) fn new() -> Self {
        Self {
            list: vec![0; 1 << 16].try_into().expect("its size"),
            used: 0,
            has_pairs: false,
            counts: vec![0; COUNT].try_into().expect("its size"),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.used = 0;
        if self.has_pairs {
            self.has_pairs = false;
            self.counts.fill(0);
        } else {
            self.counts[..PAIRS].fill(0);
            self.counts[LENGTHS..].fill(0);
        }
    }

    /// Close a line that `used` units are ready for: fill it up, and count what is in it.
    #[inline(always)]
    pub(crate) fn close(&mut self, used: usize) {
        self.list[used..used + GROUP].fill(NOTHING as u16);
        let end = used.next_multiple_of(GROUP);
        for &unit in &self.list[self.used..used] {
            self.counts[index(unit)] += 1;
        }
        self.used = end;
    }

    /// Add how often each symbol is used; which letters are in pairs, a bit each, [`FIRST`] lowest.
    pub(crate) fn add_counts(
        &self,
        literals: &mut [u32; LITERALS],
        distances: &mut [u32; DISTANCES],
    ) -> u64 {
        for (literal, count) in literals.iter_mut().zip(&self.counts[..RUNS]) {
            *literal += count;
        }
        for (count, lengths) in literals[257..].iter_mut().zip(lengths_by_symbol()) {
            let sum = |first: usize| self.counts[first..][lengths.clone()].iter().sum::<u32>();
            let runs = sum(RUNS);
            *count += runs + sum(LENGTHS);
            distances[0] += runs;
        }
        if !self.has_pairs {
            return 0;
        }
        let literals = &mut literals[usize::from(FIRST)..][..LETTERS];
        let (rows, _) = self.counts[PAIRS..NOTHING].as_chunks::<LETTERS>();
        let mut both = [0; LETTERS];
        for (second, row) in rows.iter().enumerate() {
            both[second] += row.iter().sum::<u32>();
            for (first, count) in both.iter_mut().zip(row) {
                *first += count;
            }
        }
        let mut paired = 0;
        for (number, (literal, count)) in literals.iter_mut().zip(both).enumerate() {
            *literal += count;
            paired |= u64::from(count > 0) << number;
        }
        paired
    }
}

/// Place of a unit in a table.
#[inline(always)]
pub(crate) fn index(unit: u16) -> usize {
    usize::from(unit) & (COUNT - 1)
}

/// Whether all these letters may be in pairs.
pub(crate) fn fit_pairs(letters: &[u8]) -> bool {
    // The two high bits of all, so that they are looked at many at a time.
    let all = letters
        .iter()
        .fold(0, |all, letter| all | letter.wrapping_sub(FIRST));
    usize::from(all) < LETTERS
}

/// The units of eight letters that [`fit_pairs`].
///
/// The first letter of a pair has the low 6 bits, the second one the 6 bits above.
#[inline(always)]
pub(crate) fn pairs(letters: u64) -> [u16; 4] {
    let units = pairs_together(letters);
    [0, 16, 32, 48].map(|shift| (units >> shift) as u16)
}

/// The same, in 16 bits each.
#[inline(always)]
pub(crate) fn pairs_together(letters: u64) -> u64 {
    const LOW: u64 = 0x003f_003f_003f_003f;
    const HIGH: u64 = 0x0fc0_0fc0_0fc0_0fc0;
    const EACH: u64 = 0x0001_0001_0001_0001;
    let values = letters.wrapping_sub(0x0101 * EACH * FIRST as u64);
    (values & LOW | values >> 2 & HIGH) + EACH * PAIRS as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_their_unit() {
        for number in 0..LETTERS * LETTERS {
            let two = [number % LETTERS, number / LETTERS].map(|value| value as u8 + FIRST);
            assert!(fit_pairs(&two));
            for place in 0..4 {
                let mut eight = [b'A'; 8];
                eight[2 * place..][..2].copy_from_slice(&two);
                let unit = pairs(u64::from_le_bytes(eight))[place];
                assert_eq!(usize::from(unit), PAIRS + number);
            }
        }
        for other in (0..FIRST).chain(97..=255) {
            assert!(!fit_pairs(&[b'A', other, b'A']));
        }
    }

    #[test]
    fn letters_of_pairs_and_runs_are_counted() {
        let mut units = Units::new();
        units.has_pairs = true;
        units.list[..4].copy_from_slice(&pairs(u64::from_le_bytes(*b"ABAAC!`!")));
        units.list[4] = b'A'.into();
        units.list[5] = (RUNS + 258 - 3) as u16;
        units.close(6);
        assert_eq!(units.used, 8);
        let (mut literals, mut distances) = ([0; LITERALS], [0; DISTANCES]);
        let paired = units.add_counts(&mut literals, &mut distances);
        assert_eq!(paired, 1 | 0b111 << 32 | 1 << 63);
        let used = |counts: &[u32]| -> Vec<(usize, u32)> {
            let counts = counts.iter().copied().enumerate();
            counts.filter(|&(_, count)| count > 0).collect()
        };
        let letters = [(b'!', 2), (b'A', 4), (b'B', 1), (b'C', 1), (b'`', 1)];
        let mut expected: Vec<_> = letters.map(|(letter, n)| (usize::from(letter), n)).into();
        expected.push((285, 1));
        assert_eq!(used(&literals), expected);
        assert_eq!(used(&distances), [(0, 1)]);
    }
}
