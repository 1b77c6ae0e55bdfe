//! Places of k-mers in the table that a file was written from.

use super::matrix::Matrix;
use crate::kmer::{Kmer, byte_len};

/// A matrix, taken eight columns at a time: what they add up to for each value of a byte of the k-mer.
#[derive(Debug)]
pub(super) struct Places {
    of_bytes: Vec<[u64; 256]>,
}

impl Places {
    /// Places in a table of `mask + 1` slots.
    pub(super) fn new(matrix: &Matrix, k: usize, mask: u64) -> Self {
        let mut of_bytes = vec![[0; 256]; byte_len(k)];
        for (byte, places) in of_bytes.iter_mut().enumerate() {
            for value in 1..256usize {
                // A value without its lowest bit is less, so its place is known.
                let rest = places[value & (value - 1)];
                let column = matrix.column(8 * byte + value.trailing_zeros() as usize);
                places[value] = rest ^ column & mask;
            }
        }
        Self { of_bytes }
    }

    #[inline]
    pub(super) fn of<K: Kmer>(&self, kmer: K) -> u64 {
        let words = kmer.to_words();
        (self.of_bytes.iter().enumerate()).fold(0, |place, (byte, places)| {
            place ^ places[usize::from((words[byte / 8] >> (8 * (byte % 8))) as u8)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::Wide;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_lead_where_bits_lead(columns in prop::collection::vec(any::<u64>(), 2..=510), words: [u64; 8], rows in 1u32..=64) {
            let (bits, mask) = (columns.len() & !1, u64::MAX >> (64 - rows));
            let words: Vec<u64> = (0..8)
                .map(|word| words[word] & u64::MAX.checked_shr((64 * (word as u32 + 1)).saturating_sub(bits as u32)).unwrap_or(0))
                .collect();
            let kmer = Wide::<8>::from_words(&std::array::from_fn(|word| words[word]));
            let matrix = Matrix::from_file(columns[..bits].to_vec());
            let bit = |i: usize| words[i / 64] >> (i % 64) & 1 == 1;
            let place = (0..bits).filter(|&i| bit(i)).fold(0, |place, i| place ^ columns[bits - 1 - i]);
            prop_assert_eq!(Places::new(&matrix, bits / 2, mask).of(kmer), place & mask);
        }
    }
}
