//! k-mers in several words.

use super::{
    EachType, Family, Kmer,
    word::{ODD, reverse_pairs},
};

/// A k-mer of up to `32 * W` bases in `W` words, most significant word first.
///
/// The order of the words makes the derived order that of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wide<const W: usize>([u64; W]);

impl<const W: usize> Default for Wide<W> {
    #[inline]
    fn default() -> Self {
        Self([0; W])
    }
}

impl<const W: usize> Wide<W> {
    /// The number shifted right by `bits`, less than `64 * W`.
    #[inline]
    fn shift_right(self, bits: usize) -> Self {
        let (words, bits) = (bits / 64, bits % 64);
        let mut out = [0; W];
        for (i, word) in out.iter_mut().enumerate().skip(words) {
            *word = self.0[i - words] >> bits;
            if bits > 0 && i > words {
                *word |= self.0[i - words - 1] << (64 - bits);
            }
        }
        Self(out)
    }

    /// Clears all bits from `2k` on.
    #[inline]
    fn cut(mut self, k: usize) -> Self {
        for (i, word) in self.0.iter_mut().rev().enumerate() {
            *word &= match (2 * k).saturating_sub(64 * i) {
                0 => 0,
                64.. => u64::MAX,
                bits => u64::MAX >> (64 - bits),
            };
        }
        self
    }
}

macro_rules! impl_kmer {
    ($words:literal, $place:ident) => {
        impl Kmer for Wide<$words> {
            // 255 is the largest k anywhere: files have a byte for it.
            const MAX_K: usize = if 32 * $words < super::MAX_K {
                32 * $words
            } else {
                super::MAX_K
            };
            const ONES: Self = Self([u64::MAX; $words]);

            #[inline]
            fn choose<F: Family>(each: EachType<F>) -> F::Of<Self> {
                each.$place
            }

            #[inline]
            fn from_words(words: &[u64; 8]) -> Self {
                let mut out = [0; $words];
                for (to, from) in out.iter_mut().rev().zip(words) {
                    *to = *from;
                }
                Self(out)
            }

            #[inline]
            fn to_words(self) -> [u64; 8] {
                let mut out = [0; 8];
                for (to, from) in out.iter_mut().zip(self.0.iter().rev()) {
                    *to = *from;
                }
                out
            }

            #[inline]
            fn append(self, code: u8, k: usize) -> Self {
                let mut out = self.0;
                for i in 0..$words {
                    let low = if i + 1 < $words {
                        self.0[i + 1] >> 62
                    } else {
                        u64::from(code)
                    };
                    out[i] = self.0[i] << 2 | low;
                }
                Self(out).cut(k)
            }

            #[inline]
            fn prepend(self, code: u8, k: usize) -> Self {
                let mut out = self.shift_right(2);
                let bit = 2 * k - 2;
                out.0[$words - 1 - bit / 64] |= u64::from(code) << (bit % 64);
                out
            }

            #[inline]
            fn reverse_complement(self, k: usize) -> Self {
                let mut out = [0; $words];
                for (to, from) in out.iter_mut().rev().zip(&self.0) {
                    *to = reverse_pairs(!from);
                }
                Self(out).shift_right(64 * $words - 2 * k)
            }

            #[inline]
            fn mix(self) -> u64 {
                let mixed = self.0.iter().fold(0, |mixed: u64, &word| {
                    (mixed ^ mixed >> 32 ^ word).wrapping_mul(ODD)
                });
                mixed.wrapping_mul(ODD)
            }

            #[inline]
            fn upper(self, bits: usize, k: usize) -> u32 {
                self.shift_right(2 * k - bits).0[$words - 1] as u32
            }
        }
    };
}

impl_kmer!(4, four);
impl_kmer!(8, eight);
