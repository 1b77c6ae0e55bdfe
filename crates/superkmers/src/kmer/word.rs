//! k-mers in one machine integer.

use super::{EachType, Family, Kmer};

/// Reverses the order of the 32 pairs of bits of a word.
#[inline]
pub const fn reverse_pairs(word: u64) -> u64 {
    // Pairs inside nibbles, nibbles inside bytes, then all bytes.
    const PAIRS: u64 = 0x3333_3333_3333_3333;
    const NIBBLES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word >> 2 & PAIRS) | (word & PAIRS) << 2;
    let word = (word >> 4 & NIBBLES) | (word & NIBBLES) << 4;
    word.swap_bytes()
}

/// Odd, with well spread bits: the fraction of the golden ratio.
pub(super) const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Odd: the fraction of the square root of 2.
const OTHER_ODD: u64 = 0x6a09_e667_f3bc_c909;

impl Kmer for u64 {
    const MAX_K: usize = 32;
    const ONES: Self = Self::MAX;

    #[inline]
    fn choose<F: Family>(each: EachType<F>) -> F::Of<Self> {
        each.one
    }

    #[inline]
    fn from_words(words: &[u64; 8]) -> Self {
        words[0]
    }

    #[inline]
    fn to_words(self) -> [u64; 8] {
        [self, 0, 0, 0, 0, 0, 0, 0]
    }

    #[inline]
    fn append(self, code: u8, k: usize) -> Self {
        (self << 2 | Self::from(code)) & (Self::MAX >> (64 - 2 * k))
    }

    #[inline]
    fn prepend(self, code: u8, k: usize) -> Self {
        self >> 2 | Self::from(code) << (2 * k - 2)
    }

    #[inline]
    fn reverse_complement(self, k: usize) -> Self {
        reverse_pairs(!self) >> (64 - 2 * k)
    }

    #[inline]
    fn mix(self) -> u64 {
        self.wrapping_mul(ODD)
    }

    #[inline]
    fn upper(self, bits: usize, k: usize) -> u32 {
        (self >> (2 * k - bits)) as u32
    }
}

impl Kmer for u128 {
    const MAX_K: usize = 64;
    const ONES: Self = Self::MAX;

    #[inline]
    fn choose<F: Family>(each: EachType<F>) -> F::Of<Self> {
        each.two
    }

    #[inline]
    fn from_words(words: &[u64; 8]) -> Self {
        Self::from(words[0]) | Self::from(words[1]) << 64
    }

    #[inline]
    fn to_words(self) -> [u64; 8] {
        [self as u64, (self >> 64) as u64, 0, 0, 0, 0, 0, 0]
    }

    #[inline]
    fn append(self, code: u8, k: usize) -> Self {
        (self << 2 | Self::from(code)) & (Self::MAX >> (128 - 2 * k))
    }

    #[inline]
    fn prepend(self, code: u8, k: usize) -> Self {
        self >> 2 | Self::from(code) << (2 * k - 2)
    }

    #[inline]
    fn reverse_complement(self, k: usize) -> Self {
        let low = Self::from(reverse_pairs(!(self >> 64) as u64));
        let high = Self::from(reverse_pairs(!self as u64));
        (high << 64 | low) >> (128 - 2 * k)
    }

    #[inline]
    fn mix(self) -> u64 {
        (self as u64 ^ ((self >> 64) as u64).wrapping_mul(OTHER_ODD)).wrapping_mul(ODD)
    }

    #[inline]
    fn upper(self, bits: usize, k: usize) -> u32 {
        (self >> (2 * k - bits)) as u32
    }
}
