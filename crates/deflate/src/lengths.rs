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
        let literals = literals.iter().zip(&self.literals).enumerate();
        let literals = literals.map(|(symbol, (&count, &length))| {
            let extra = symbol.checked_sub(257).map_or(0, length_extra);
            count as usize * (usize::from(length) + extra as usize)
        });
        let distances = distances.iter().zip(&self.distances).enumerate();
        let distances = distances.map(|(symbol, (&count, &length))| {
            count as usize * (usize::from(length) + distance_extra(symbol) as usize)
        });
        literals.sum::<usize>() + distances.sum::<usize>()
    }
}
