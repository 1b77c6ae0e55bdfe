//! A record of a range, in as few whole bytes as that takes.
//!
//! ```text
//! the bits of the k-mer below those of its range, in whole bytes, least significant first
//! 1 byte: the count, or 0 where that does not fit, followed by its 8 bytes
//! ```

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
    /// Bytes of the others.
    kmer_bytes: usize,
}

/// Bytes behind a record that [`Shape::write`] and [`Shape::read`] touch at most, and the record itself.
pub(super) const REACH: usize = 8 * 8 + 1 + 8;

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
        (kmer.upper(self.bits, self.k) - self.first) as usize
    }

    /// What all k-mers of a range begin with.
    pub(super) fn prefix(&self, range: usize) -> u64 {
        u64::from(self.first) + range as u64
    }

    /// Bits of a k-mer that do not tell its range.
    pub(super) fn low_bits(&self) -> u32 {
        (2 * self.k - self.bits) as u32
    }

    /// Puts a record to the begin of `out`, which has [`REACH`] bytes, and tells its length.
    #[inline(always)]
    pub(super) fn write<K: Kmer>(&self, kmer: K, count: u64, out: &mut [u8]) -> usize {
        for (bytes, word) in out.chunks_exact_mut(8).zip(words(kmer)) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let end = self.kmer_bytes + 1;
        match u8::try_from(count) {
            Ok(count @ 1..) => {
                out[self.kmer_bytes] = count;
                end
            }
            _ => {
                out[self.kmer_bytes] = 0;
                out[end..end + 8].copy_from_slice(&count.to_le_bytes());
                end + 8
            }
        }
    }

    /// The record of `range` at the begin of `bytes`, of which there are [`REACH`], and its length.
    #[inline(always)]
    pub(super) fn read<K: Kmer>(&self, range: usize, bytes: &[u8]) -> ((K, u64), usize) {
        let mut words = [0; 8];
        let prefix = self.prefix(range);
        let low = self.low_bits() as usize;
        // A k-mer has more bits than those that are not its range's.
        if let (1, Some(first)) = (words_of::<K>(), bytes.first_chunk()) {
            words[0] = u64::from_le_bytes(*first) & ((1 << low) - 1) | prefix << low;
        } else if let (2, Some(first)) = (words_of::<K>(), bytes.first_chunk()) {
            let number = u128::from_le_bytes(*first) & ((1 << low) - 1) | u128::from(prefix) << low;
            (words[0], words[1]) = (number as u64, (number >> 64) as u64);
        } else {
            for (word, bytes) in words[..words_of::<K>()].iter_mut().zip(bytes.as_chunks().0) {
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
        let end = self.kmer_bytes + 1;
        let kmer = K::from_words(&words);
        match bytes[self.kmer_bytes] {
            0 => {
                let count = bytes[end..].first_chunk().expect("bytes within reach");
                ((kmer, u64::from_le_bytes(*count)), end + 8)
            }
            count => ((kmer, count.into()), end),
        }
    }
}

/// Reads the records of all ranges without what tells the range, of up to 128 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct LowBits {
    mask: u128,
    kmer_bytes: usize,
}

impl LowBits {
    /// `None` if they are more.
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        let unused = u128::BITS.checked_sub(shape.low_bits())?;
        Some(Self {
            mask: u128::MAX.checked_shr(unused).unwrap_or(0),
            kmer_bytes: shape.kmer_bytes,
        })
    }

    /// As [`Shape::read`].
    #[inline(always)]
    pub(super) fn read(&self, bytes: &[u8; REACH]) -> ((u128, u64), usize) {
        let (number, rest) = bytes.split_first_chunk().expect("reach is longer");
        let number = u128::from_le_bytes(*number) & self.mask;
        let end = self.kmer_bytes + 1;
        debug_assert!(rest.len() > end);
        match bytes[self.kmer_bytes] {
            0 => {
                let count = bytes[end..].first_chunk().expect("bytes within reach");
                ((number, u64::from_le_bytes(*count)), end + 8)
            }
            count => ((number, count.into()), end),
        }
    }
}

/// Words of a k-mer of this type.
const fn words_of<K: Kmer>() -> usize {
    K::MAX_K.div_ceil(32)
}

#[inline(always)]
fn words<K: Kmer>(kmer: K) -> impl Iterator<Item = u64> {
    kmer.to_words().into_iter().take(words_of::<K>())
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
                    end += shape.write(kmer, count, &mut bytes[end..]);
                    records.push((kmer, count));
                }
                let mut at = 0;
                for record in records {
                    let (read, length) = shape.read::<K>(shape.range_of(record.0), &bytes[at..]);
                    assert_eq!(read, record, "k = {k}, {bits} bits");
                    if let Some(low) = LowBits::of(&shape) {
                        let [first, second, ..] = record.0.to_words();
                        let number = u128::from(first) | u128::from(second) << 64;
                        let mask = u128::MAX.checked_shr(128 - shape.low_bits()).unwrap_or(0);
                        let number = number & mask;
                        let here = bytes[at..].first_chunk().expect("reach");
                        assert_eq!(low.read(here), ((number, record.1), length));
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
