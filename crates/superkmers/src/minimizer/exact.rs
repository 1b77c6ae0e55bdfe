//! Minimizers as they are: which m-mer, where and on which strand.
//!
//! What [`Minimizers`](super::Minimizers) finds for whole windows at a time has lost the last bits of the order, as a vector
//! has no room for them. Here the order is whole, and the first one is a coarser form of it:
//!
//! ```text
//! m <= 16    order = canonical * ODD - 1         (modulo 2^32)      class = (!is_open, order / 4)
//! m >  16    order = canonical * WIDE_ODD - 1    (modulo 2^63)      class = (!is_open, order / 2)
//! the minimizer of a k-mer is its m-mer of the least (!is_open, order)
//! value = canonical, mixed by a permutation of the numbers of 2m bits
//! ```
//! `canonical` is the lesser of the m-mer and its reverse complement, as numbers whose first base is on top. As the order
//! loses nothing, m-mers that tie are the same one. A value is another number than the order, which minimizers have
//! few of: the upper bits of values are spread, as a directory wants them.

use super::{MAX_M, NOT_OPEN, ODD, inner_side, partition, syncmers::INNER_ORDER};
use crate::scheme::Scheme;

/// Which m-mer of a k-mer is the least one, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Minimizer {
    /// All `2m` bits of the canonical m-mer, mapped one to one: [`Scheme::value`] of it.
    pub value: u64,
    /// Its first base, counted from the beginning of the sequence.
    pub position: usize,
    /// On which strand it is canonical.
    pub strand: Strand,
}

/// A strand of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strand {
    /// As the sequence reads; also of an m-mer that is its own reverse complement.
    Forward,
    /// The reverse complement.
    Backward,
}

/// Odd, and its multiples are well spread: the golden ratio's fraction.
const WIDE_ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Odd numbers that values are mixed with, from the fractions of the square roots of 2 and 3.
const MIX: [u64; 2] = [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// The numbers that undo [`MIX`].
const UNMIX: [u64; 2] = [inverse(MIX[0]), inverse(MIX[1])];

/// Set in a value of 64 bits of whatever is no open syncmer.
pub(super) const NOT_OPEN_WIDE: u64 = 1 << 63;

impl Scheme {
    /// The value of a canonical m-mer, a number below `4^m`; different ones have different values.
    #[inline]
    pub fn value(&self, canonical: u64) -> u64 {
        let mask = mask(self.m());
        let mixed = canonical.wrapping_mul(MIX[0]) & mask;
        // Half of the bits: doing it twice undoes it.
        let mixed = mixed ^ mixed >> self.m();
        mixed.wrapping_mul(MIX[1]) & mask
    }

    /// The canonical m-mer of a value.
    #[inline]
    pub fn canonical(&self, value: u64) -> u64 {
        let mask = mask(self.m());
        let mixed = value.wrapping_mul(UNMIX[1]) & mask;
        let mixed = mixed ^ mixed >> self.m();
        mixed.wrapping_mul(UNMIX[0]) & mask
    }

    /// The partition of k-mers whose minimizer has this value.
    pub fn partition_of(&self, value: u64) -> usize {
        let canonical = self.canonical(value);
        let class = class(order(canonical, self.m()), self.m());
        let not_open = u64::from(!is_open(canonical, self.m()));
        let value = match self.m() {
            ..=MAX_M => (class | (not_open * u64::from(NOT_OPEN >> 1))) as u32,
            _ => folded((class | (not_open * (NOT_OPEN_WIDE >> 1))) << 1) >> 1,
        };
        partition(value << 1, self.partition_bits())
    }
}

/// The number that undoes a multiplication by an odd one, modulo 2^64, and so modulo any smaller power.
const fn inverse(odd: u64) -> u64 {
    // Newton's iteration: three bits are right to begin with, and twice as many after each step.
    let mut inverse = odd;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// The bits of an m-mer.
#[inline(always)]
pub(crate) fn mask(m: usize) -> u64 {
    u64::MAX >> (64 - 2 * m)
}

/// The place of a canonical m-mer in the order, among those that are open syncmers or those that are none.
#[inline(always)]
pub(crate) fn order(canonical: u64, m: usize) -> u64 {
    match m {
        ..=MAX_M => u64::from((canonical as u32).wrapping_mul(ODD).wrapping_sub(1)),
        _ => canonical.wrapping_mul(WIDE_ODD).wrapping_sub(1) & !NOT_OPEN_WIDE,
    }
}

/// What the order has in common with half of a value that was found for a window.
#[inline(always)]
pub(crate) fn class(order: u64, m: usize) -> u64 {
    match m {
        ..=MAX_M => order >> 2,
        _ => order >> 1,
    }
}

/// The value of 64 bits of the m-mer in the low `2m` bits of `window`, more than 16 bases, as if it were an open syncmer:
/// its order with the strand in its lowest bit.
#[inline(always)]
pub(super) fn wide_value(window: u64, m: usize) -> u64 {
    let mask = mask(m);
    let forward = crate::kmer::reverse_pairs(window & mask) >> (64 - 2 * m);
    let backward = !window & mask;
    order(forward.min(backward), m) & !1 | u64::from(backward < forward)
}

/// A value of 64 bits in 32, the strand still in its lowest one.
#[inline(always)]
pub(super) fn folded(wide: u64) -> u32 {
    let mixed = (wide >> 1).wrapping_mul(WIDE_ODD) >> 33;
    (mixed << 1 | wide & 1) as u32
}

/// Whether an m-mer is an open syncmer, which it is on both strands; of those that have no middle, all are.
pub(crate) fn is_open(mer: u64, m: usize) -> bool {
    let side = inner_side(m);
    if side == 0 {
        return true;
    }
    let inner = |at: usize| {
        let five = mer >> (2 * (m - 5 - at));
        let forward = (five >> 2 & 0xf0 | five & 0xf) as u8;
        let nibbles = (!forward).rotate_left(4);
        let backward = nibbles >> 2 & 0x33 | (nibbles & 0x33) << 2;
        forward.min(backward) ^ INNER_ORDER
    };
    let middle = inner(side);
    (0..=2 * side).all(|at| at == side || inner(at) > middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimizer::MAX_WIDE_M;

    #[test]
    fn values_are_one_to_one() {
        for m in 1..=MAX_WIDE_M {
            let scheme = Scheme::new(64).unwrap().with_m(m).unwrap();
            let mask = mask(m);
            for i in 0..5000u64 {
                for mer in [i & mask, mask - (i & mask), i.wrapping_mul(WIDE_ODD) & mask] {
                    let value = scheme.value(mer);
                    assert!(value <= mask);
                    assert_eq!(scheme.canonical(value), mer, "m = {m}");
                }
            }
        }
        // All of them, as a table.
        let scheme = Scheme::new(64).unwrap().with_m(6).unwrap();
        let mut seen = vec![false; 1 << 12];
        for mer in 0..1 << 12 {
            assert!(!std::mem::replace(
                &mut seen[scheme.value(mer) as usize],
                true
            ));
        }
    }
}
