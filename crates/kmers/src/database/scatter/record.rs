//! A record of a range, in as few whole bytes as that takes.
//!
//! ```text
//! 1 byte: the count less one, or 255 for the count 0 and those above 255
//! the bits of the k-mer below those of its range, in whole bytes, least significant first
//! 8 bytes: the count, if the first byte is 255
//! ```
//!
//! So its first 8 or 16 bytes, but for what is behind the k-mer, are the key by which it is sorted (see [`Keys`]).

use crate::count::COUNT_BITS;
use crate::kmer::Kmer;

/// How the records of a count are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) k: usize,
    /// Bits of a k-mer that tell its range.
    pub(super) bits: usize,
    /// These bits of the first range.
    first: u32,
    /// Number of ranges.
    ranges: usize,
    /// Bytes of those that do not tell it.
    kmer_bytes: usize,
}

/// Bytes behind a record that [`Shape::write`] and [`Shape::read`] touch at most, and the record itself.
pub(super) const REACH: usize = 1 + 8 * 8 + 8;

/// The first byte of a record whose count follows its k-mer.
const HEAVY: u8 = u8::MAX;

const _: () = assert!(COUNT_BITS == u8::BITS);

impl Shape {
    pub(super) fn new<K: Kmer>(k: usize, bits: usize) -> Self {
        debug_assert!(k <= K::MAX_K && (1..=2 * k).contains(&bits));
        Self {
            k,
            bits,
            first: 0,
            ranges: 1 << bits,
            kmer_bytes: (2 * k - bits).div_ceil(8),
        }
    }

    /// The finer ranges of one of these, by `more` bits but of no more than `most_bits`; `None` if it has so many.
    pub(super) fn split(&self, range: usize, more: u32, most_bits: usize) -> Option<Self> {
        let bits = (self.bits + more as usize).min(most_bits);
        let more = bits - self.bits;
        (more > 0).then(|| Self {
            bits,
            first: (self.prefix(range) << more) as u32,
            ranges: 1 << more,
            kmer_bytes: (2 * self.k - bits).div_ceil(8),
            ..*self
        })
    }

    pub(super) fn ranges(&self) -> usize {
        self.ranges
    }

    #[inline(always)]
    pub(super) fn range_of<K: Kmer>(&self, kmer: K) -> usize {
        self.range_of_prefix(kmer.upper(self.bits, self.k))
    }

    /// The range of the k-mers that begin with these bits.
    #[inline(always)]
    pub(super) fn range_of_prefix(&self, prefix: u32) -> usize {
        (prefix - self.first) as usize
    }

    /// By how many bits the upper word of a k-mer of two is shifted, if what is left are the bits that tell its range.
    pub(super) fn shift_of_upper_word<K: Kmer>(&self) -> Option<u32> {
        let shift = self.low_bits().checked_sub(u64::BITS)?;
        (K::WORDS == 2).then_some(shift)
    }

    /// What all k-mers of a range begin with.
    pub(super) fn prefix(&self, range: usize) -> u64 {
        u64::from(self.first) + range as u64
    }

    /// Bits of a k-mer that do not tell its range.
    pub(super) fn low_bits(&self) -> u32 {
        (2 * self.k - self.bits) as u32
    }

    /// Puts a record to the begin of `out`, and tells its length.
    #[inline(always)]
    pub(super) fn write<K: Kmer>(&self, kmer: K, count: u64, out: &mut [u8; REACH]) -> usize {
        let (first, rest) = out.split_at_mut(1);
        for (bytes, word) in rest.as_chunks_mut().0.iter_mut().zip(words(kmer)) {
            *bytes = word.to_le_bytes();
        }
        let end = 1 + self.kmer_bytes;
        match count {
            1..=255 => {
                first[0] = (count - 1) as u8;
                end
            }
            _ => {
                first[0] = HEAVY;
                out[end..end + 8].copy_from_slice(&count.to_le_bytes());
                end + 8
            }
        }
    }

    /// The record of `range` at the begin of `bytes`, and its length.
    #[inline(always)]
    pub(super) fn read<K: Kmer>(&self, range: usize, bytes: &[u8; REACH]) -> ((K, u64), usize) {
        let mut words = [0; 8];
        let kmer = &bytes[1..];
        let prefix = self.prefix(range);
        let low = self.low_bits() as usize;
        // A k-mer has more bits than those that are not its range's.
        if let (1, Some(first)) = (K::WORDS, kmer.first_chunk()) {
            words[0] = u64::from_le_bytes(*first) & ((1 << low) - 1) | prefix << low;
        } else if let (2, Some(first)) = (K::WORDS, kmer.first_chunk()) {
            let number = u128::from_le_bytes(*first) & ((1 << low) - 1) | u128::from(prefix) << low;
            (words[0], words[1]) = (number as u64, (number >> 64) as u64);
        } else {
            for (word, bytes) in words[..K::WORDS].iter_mut().zip(kmer.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            let (at, shift) = (low / 64, low % 64);
            if at < 8 {
                words[at] = words[at] & ((1 << shift) - 1) | prefix << shift;
                if at + 1 < 8 {
                    words[at + 1] = if shift == 0 {
                        0
                    } else {
                        prefix >> (64 - shift)
                    };
                }
            }
            for word in words.iter_mut().skip(at + 2) {
                *word = 0;
            }
        }
        let kmer = K::from_words(&words);
        let (count, length) = count_of(bytes, self.kmer_bytes);
        ((kmer, count.unwrap_or(u64::from(bytes[0]) + 1)), length)
    }
}

/// The count that follows the k-mer, if there is one, and the length of the record.
#[inline(always)]
fn count_of(bytes: &[u8; REACH], kmer_bytes: usize) -> (Option<u64>, usize) {
    let end = 1 + kmer_bytes;
    if bytes[0] != HEAVY {
        return (None, end);
    }
    let count = bytes[end..].first_chunk().expect("bytes within reach");
    (Some(u64::from_le_bytes(*count)), end + 8)
}

/// Reads the records of all ranges as keys: the bits that do not tell the range, and the first byte below them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    mask: u128,
    kmer_bytes: usize,
}

impl Keys {
    /// `None` if they have more than 128 bits.
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        let unused = u128::BITS.checked_sub(shape.low_bits() + COUNT_BITS)?;
        Some(Self {
            mask: u128::MAX >> unused,
            kmer_bytes: shape.kmer_bytes,
        })
    }

    /// The key of the record at the begin of `bytes`; its count, if that is not what the key says; and its length.
    #[inline(always)]
    pub(super) fn read(&self, bytes: &[u8; REACH]) -> (u128, Option<u64>, usize) {
        let (key, _) = bytes.split_first_chunk().expect("reach is longer");
        let (count, length) = count_of(bytes, self.kmer_bytes);
        (u128::from_le_bytes(*key) & self.mask, count, length)
    }
}

#[inline(always)]
fn words<K: Kmer>(kmer: K) -> impl Iterator<Item = u64> {
    kmer.to_words().into_iter().take(K::WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::{KmerTask, dispatch};

    struct Task(usize);

    impl KmerTask for Task {
        type Output = ();
        fn run<K: Kmer>(self) {
            let k = self.0;
            let letters = |seed: usize| -> Vec<u8> {
                (0..k)
                    .map(|i| b"ACGT"[(i * i + i / 3 + seed) % 4])
                    .collect()
            };
            for bits in (1..=12).filter(|bits| *bits <= 2 * k) {
                let shape = Shape::new::<K>(k, bits);
                let counts = [1, 2, 255, 256, 70_000, u64::MAX, 0];
                let mut bytes = vec![0xff; counts.len() * REACH + REACH];
                let mut end = 0;
                let mut records = Vec::new();
                for (i, count) in counts.into_iter().enumerate() {
                    let kmer = K::from_letters(&letters(i)).expect("letters");
                    let out = bytes[end..].first_chunk_mut().expect("reach");
                    end += shape.write(kmer, count, out);
                    records.push((kmer, count));
                }
                let mut at = 0;
                for record in records {
                    let here = bytes[at..].first_chunk().expect("reach");
                    let (read, length) = shape.read::<K>(shape.range_of(record.0), here);
                    assert_eq!(read, record, "k = {k}, {bits} bits");
                    if let Some(keys) = Keys::of(&shape) {
                        let [first, second, ..] = record.0.to_words();
                        let number = u128::from(first) | u128::from(second) << 64;
                        let mask = u128::MAX.checked_shr(128 - shape.low_bits()).unwrap_or(0);
                        let number = number & mask;
                        let (key, heavy, key_length) = keys.read(here);
                        let count = heavy.unwrap_or((key as u64 & 255) + 1);
                        assert_eq!((key >> COUNT_BITS, count), (number, record.1));
                        assert_eq!(key_length, length);
                    }
                    at += length;
                }
                assert_eq!(at, end);
            }
        }
    }

    #[test]
    fn records_come_back() {
        for k in 1..=255 {
            dispatch(k, Task(k)).expect("a good k");
        }
    }
}
