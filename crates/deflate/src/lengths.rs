//! Lengths of the words of a block.

use crate::symbols::{DISTANCES, LITERALS, distance_extra, length_extra};

/// Two letters fit a unit.
pub(crate) const LITERAL_LIMIT: usize = 13;
/// A unit is at most 27 bits, so that their number fits the 5 bits above.
pub(crate) const DISTANCE_LIMIT: usize = 9;

/// Lengths of the words of both codes.
pub(crate) struct Lengths {
    pub(crate) literals: [u8; LITERALS],
    pub(crate) distances: [u8; DISTANCES],
}

/// Section 3.2.6.
pub(crate) const FIXED: Lengths = {
    let mut literals = [8; LITERALS];
    let mut symbol = 144;
    while symbol < 280 {
        literals[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    Lengths {
        literals,
        distances: [5; DISTANCES],
    }
};

impl Lengths {
    /// Bits that so many symbols take.
    pub(crate) fn size(&self, literals: &[u32; LITERALS], distances: &[u32; DISTANCES]) -> usize {
        let of_lengths = (0..).map(length_extra).zip(&literals[257..]);
        let of_distances = (0..).map(distance_extra).zip(distances);
        let extra = of_lengths.chain(of_distances);
        let extra = extra.map(|(extra, &count)| extra * count).sum::<u32>();
        (words(literals, &self.literals) + words(distances, &self.distances) + extra) as usize
    }
}

/// Bits of so many words. A block has fewer than 2^16 symbols of each code, each of at most 15 bits.
fn words(counts: &[u32], lengths: &[u8]) -> u32 {
    let both = counts.iter().zip(lengths);
    both.map(|(&count, &length)| count * u32::from(length))
        .sum()
}
