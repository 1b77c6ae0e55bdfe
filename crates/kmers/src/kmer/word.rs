//! k-mers in one machine integer.

use super::Kmer;

/// Reverses the order of the 32 pairs of bits of a word.
#[inline]
pub(super) const fn reverse_pairs(word: u64) -> u64 {
    // Pairs inside nibbles, nibbles inside bytes, then all bytes.
    const PAIRS: u64 = 0x3333_3333_3333_3333;
    const NIBBLES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let word = (word >> 2 & PAIRS) | (word & PAIRS) << 2;
    let word = (word >> 4 & NIBBLES) | (word & NIBBLES) << 4;
    word.swap_bytes()
}

/// A bijective mixture of 64 bits whose high and low bits both depend on all others.
#[inline]
pub(super) const fn mix(word: u64) -> u64 {
    // Multiply, fold, multiply: the constants are the fractions of the golden
    // ratio and of the square root of 2, made odd.
    let word = (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ word >> 29).wrapping_mul(0x6a09_e667_f3bc_c909);
    word ^ word >> 32
}

impl Kmer for u64 {
    const MAX_K: usize = 32;
    const ONES: Self = Self::MAX;

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
        mix(self)
    }
}

impl Kmer for u128 {
    const MAX_K: usize = 64;
    const ONES: Self = Self::MAX;

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
        mix(self as u64 ^ mix((self >> 64) as u64))
    }
}
