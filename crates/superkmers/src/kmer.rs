//! A k-mer as a value: two bits per base in one to eight words.
//!
//! A k-mer is the number whose most significant base is its **first** one, with
//! A = 0, C = 1, G = 2, T = 3: base `i` of `k` (0-based, from the left) lies in
//! bits `2(k-1-i)` and `2(k-1-i)+1`, the last base in bits 0 and 1, and all bits
//! above `2k` are zero. So the order of the numbers is the lexicographic order
//! of the letters, and little-endian bytes of the number are what Jellyfish
//! stores. The value does not know its k; whoever handles k-mers knows it.
//!
//! | k | type |
//! |---|---|
//! | 1..=32 | `u64` |
//! | 33..=64 | `u128` |
//! | 65..=128 | [`Wide<4>`] |
//! | 129..=255 | [`Wide<8>`] |
//!
//! [`dispatch`] picks the type for a k that is known only at run time.
//!
//! ```
//! use thalweg_superkmers::Kmer;
//!
//! let kmer = u64::from_letters(b"ACGTT").expect("five bases");
//! assert_eq!(kmer, 0b00_01_10_11_11);
//! assert_eq!(kmer.reverse_complement(5).to_letters(5), b"AACGT");
//! assert_eq!(kmer.canonical(5).to_letters(5), b"AACGT");
//! ```

mod code;
mod dispatch;
mod each_type;
mod wide;
mod word;

use std::{fmt::Debug, hash::Hash};

pub use code::{Alphabet, INVALID, LETTERS, code};
pub use dispatch::{KmerTask, dispatch};
pub use each_type::{EachType, Family};
pub use wide::Wide;
pub use word::reverse_pairs;

/// The largest k of this crate.
pub const MAX_K: usize = 255;

/// A k-mer of up to [`Kmer::MAX_K`] bases; see the [module](self) for its bits.
///
/// `Ord` is the lexicographic order of k-mers of equal k. `Default` is poly-A.
/// All methods that take `k` want `1 <= k <= MAX_K`, the k the value was made with.
///
/// The four types are all that there are: no other crate can add one.
pub trait Kmer:
    sealed::Sealed + Copy + Ord + Eq + Hash + Debug + Default + Send + Sync + 'static
{
    /// The largest k that fits.
    const MAX_K: usize;

    /// Words of the number.
    const WORDS: usize = Self::MAX_K.div_ceil(32);

    /// The value with all bits set: never a k-mer unless `k == MAX_K`, never a
    /// canonical one at all (poly-T is not canonical).
    const ONES: Self;

    /// Of one value for each type of k-mers, the one for this type.
    fn choose<F: Family>(each: EachType<F>) -> F::Of<Self>;

    /// The number with these words, least significant first; words beyond the type's are ignored.
    fn from_words(words: &[u64; 8]) -> Self;

    /// The words of the number, least significant first, zeros behind.
    fn to_words(self) -> [u64; 8];

    /// Drops the first base and appends `code` (0..4) behind the last.
    fn append(self, code: u8, k: usize) -> Self;

    /// Drops the last base and puts `code` (0..4) before the first.
    fn prepend(self, code: u8, k: usize) -> Self;

    /// The k-mer of the other strand.
    fn reverse_complement(self, k: usize) -> Self;

    /// A mixture of all bits, best in its upper ones, for hash tables inside one process.
    fn mix(self) -> u64;

    /// The upper `bits` (up to 32 and up to `2k`) of the `2k` bits of the k-mer.
    fn upper(self, bits: usize, k: usize) -> u32;

    /// The smaller of the k-mer and its reverse complement.
    fn canonical(self, k: usize) -> Self {
        self.min(self.reverse_complement(k))
    }

    /// Code (0..4) of base `index` from the left.
    fn base(self, index: usize, k: usize) -> u8 {
        let bit = 2 * (k - 1 - index);
        (self.to_words()[bit / 64] >> (bit % 64) & 3) as u8
    }

    /// The k-mer with these letters (ACGT or acgt), k being their number.
    ///
    /// `None` for any other letter, for none, and for more than `MAX_K`.
    fn from_letters(letters: &[u8]) -> Option<Self> {
        Self::from_letters_of(Alphabet::Acgt, letters)
    }

    /// As [`Kmer::from_letters`], with the letters of `alphabet`.
    fn from_letters_of(alphabet: Alphabet, letters: &[u8]) -> Option<Self> {
        if letters.is_empty() || letters.len() > Self::MAX_K {
            return None;
        }
        let mut kmer = Self::default();
        for &letter in letters {
            let code = alphabet.code(letter);
            if code == INVALID {
                return None;
            }
            // MAX_K for k: no base is dropped before all have been appended.
            kmer = kmer.append(code, Self::MAX_K);
        }
        Some(kmer)
    }

    /// Appends the `k` upper-case letters to `out`.
    fn write_letters(self, k: usize, out: &mut Vec<u8>) {
        let words = self.to_words();
        out.extend((0..k).rev().map(|from_right| {
            let bit = 2 * from_right;
            LETTERS[(words[bit / 64] >> (bit % 64) & 3) as usize]
        }));
    }

    /// The `k` upper-case letters.
    fn to_letters(self, k: usize) -> Vec<u8> {
        let mut letters = Vec::with_capacity(k);
        self.write_letters(k, &mut letters);
        letters
    }

    /// The `k` upper-case letters, for a message.
    fn to_text(self, k: usize) -> String {
        String::from_utf8_lossy(&self.to_letters(k)).into_owned()
    }

    /// Appends the `ceil(2k / 8)` bytes of the number, least significant first.
    fn write_le_bytes(self, k: usize, out: &mut Vec<u8>) {
        let words = self.to_words();
        let bytes = byte_len(k);
        out.extend((0..bytes).map(|i| (words[i / 8] >> (8 * (i % 8))) as u8));
    }

    /// The k-mer of `ceil(2k / 8)` bytes, least significant first.
    ///
    /// `None` if `bytes` is shorter, or if a bit above `2k` is set.
    fn from_le_bytes(bytes: &[u8], k: usize) -> Option<Self> {
        let bytes = bytes.get(..byte_len(k))?;
        let unused = 8 * bytes.len() - 2 * k;
        if k > Self::MAX_K || unused > 0 && bytes[bytes.len() - 1] >> (8 - unused) != 0 {
            return None;
        }
        let mut words = [0u64; 8];
        for (i, &byte) in bytes.iter().enumerate() {
            words[i / 8] |= u64::from(byte) << (8 * (i % 8));
        }
        Some(Self::from_words(&words))
    }
}

/// Its place seals [`Kmer`]: no other crate can name it.
mod sealed {
    pub trait Sealed {}

    impl Sealed for u64 {}
    impl Sealed for u128 {}
    impl Sealed for super::Wide<4> {}
    impl Sealed for super::Wide<8> {}
}

/// Bytes of a k-mer in a file: `ceil(2k / 8)`.
pub const fn byte_len(k: usize) -> usize {
    k.div_ceil(4)
}

#[cfg(test)]
mod tests;
