//! Which m-mers are open syncmers, by plain code that a compiler makes vectors of.

use super::minima;
use std::ops::{BitOrAssign, Mul};

/// What makes the order of inner m-mers other than that of the alphabet, in which poly-A would be the least.
///
/// One of those with the fewest changes, of some twenty that were tried.
pub(crate) const INNER_ORDER: u8 = 0b11_00_11_01;

/// Set in the value of whatever is no open syncmer.
pub(crate) const NOT_OPEN: u32 = 1 << 31;

/// How many inner m-mers, of five bases without the third, lie on either side of the middle one; all must be greater
/// than that in an open syncmer.
///
/// None in m-mers that have no middle, or are so short that they are k-mers: there is no choice then.
pub(crate) const fn inner_side(m: usize) -> usize {
    if m >= 11 && m % 2 == 1 {
        (m - 5) / 2
    } else {
        0
    }
}

/// Scratch space.
#[derive(Debug, Default)]
pub(super) struct Syncmers {
    /// The sequence, four bases in a byte.
    packed: Vec<u64>,
    /// The inner m-mer at each position, four in a word, on either strand.
    forward: Vec<u32>,
    backward: Vec<u32>,
    /// The lesser of the two, and the least of each side.
    inner: Vec<u8>,
    sides: Vec<u8>,
    scratch: Vec<u8>,
}

impl Syncmers {
    /// Sets the bit `not_open` in all other values; those of the last m - 5 positions mean nothing.
    #[inline(always)]
    pub(super) fn put_first<V>(&mut self, values: &mut [V], not_open: V, packed: &[u64], m: usize)
    where
        V: Copy + From<bool> + Mul<Output = V> + BitOrAssign,
    {
        let side = inner_side(m);
        if side == 0 {
            return;
        }
        self.find_inner(packed, values.len());
        self.sides.clear();
        self.sides.extend_from_slice(&self.inner);
        minima(&mut self.sides, &mut self.scratch, side);
        let right = &self.sides[side + 1..];
        let middle = self.inner[side..].iter().zip(self.sides.iter().zip(right));
        for (value, (&middle, (&left, &right))) in values.iter_mut().zip(middle) {
            *value |= V::from(middle >= left.min(right)) * not_open;
        }
    }

    /// The inner m-mers at that many positions.
    #[inline(always)]
    fn find_inner(&mut self, packed: &[u64], positions: usize) {
        self.forward.resize(positions.div_ceil(4), 0);
        self.backward.resize(positions.div_ceil(4), 0);
        self.inner.resize(positions, 0);
        // The first base in the first byte, whatever the order of a word's bytes; and eight bases from each fourth on.
        let words = packed.iter().take(positions.div_ceil(32) + 1);
        self.packed.clear();
        self.packed.extend(words.map(|word| word.to_le()));
        let bytes: &[u8] = bytemuck::cast_slice(&self.packed);
        let eight_bases = bytes.iter().zip(&bytes[1..]);
        let strands = self.forward.iter_mut().zip(&mut self.backward);
        for ((forward, backward), (&low, &high)) in strands.zip(eight_bases) {
            let (one, other) = four_strands(u32::from(low) | u32::from(high) << 8);
            (*forward, *backward) = (one.to_le(), other.to_le());
        }
        let forward: &[u8] = bytemuck::cast_slice(&self.forward);
        let backward: &[u8] = bytemuck::cast_slice(&self.backward);
        let strands = forward.iter().zip(backward);
        for (inner, (&forward, &backward)) in self.inner.iter_mut().zip(strands) {
            *inner = forward.min(backward) ^ INNER_ORDER;
        }
    }
}

/// The inner m-mers, a byte for each, that begin at the first four of eight bases; and their reverse complements.
#[inline(always)]
fn four_strands(bases: u32) -> (u32, u32) {
    let spread = |eight: u32| {
        eight & 0xff | eight << 6 & 0xff00 | eight << 12 & 0xff_0000 | eight << 18 & 0xff00_0000
    };
    // The lower half of one byte, without the third base the upper half of the next.
    let reversed = spread(bases) & 0x0f0f_0f0f | spread(bases >> 2) & 0xf0f0_f0f0;
    let nibbles = reversed >> 4 & 0x0f0f_0f0f | (reversed & 0x0f0f_0f0f) << 4;
    let forward = nibbles >> 2 & 0x3333_3333 | (nibbles & 0x3333_3333) << 2;
    (forward, !reversed)
}
