use super::{stage1::Share, stage2::Sums};
use crate::{
    error::{Error, Result},
    histogram::Histogram,
};
use thalweg_superkmers::{other_letters::OtherLetters, partition::SealedStore};

/// What a count has seen and kept.
///
/// Of processes that count together, each has its own; [`Self::merge`] adds them up, and [`Self::check`] compares then.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountTotals {
    /// Letters of all sequences.
    pub bases: u64,
    /// Those of them that are no bases: no k-mer with one of them was counted.
    pub other_letters: OtherLetters,
    /// k-mers of the input: windows of k bases; also the sum of all counts.
    pub kmers: u64,
    /// Different k-mers.
    pub distinct: u64,
    /// k-mers of those whose count was within the limits.
    pub kept_kmers: u64,
    /// Different k-mers that reached the sink.
    pub kept_distinct: u64,
    /// Super-k-mers that passed from the first stage to the second.
    pub super_kmers: u64,
    /// Of these, the number left when equal ones were merged.
    pub merged_super_kmers: u64,
    /// Bytes of memory that super-k-mers took at the end of the first stage.
    pub record_bytes: u64,
    /// Bytes written to temporary files.
    pub spilled_bytes: u64,
    /// How often a partition was read again because its table was full.
    pub extra_passes: u64,
    /// How many k-mers occur how often, before any limit on counts.
    pub histogram: Histogram,
    counted: u128,
}

/// The version of the bytes.
const VERSION: u64 = 1;

impl CountTotals {
    pub(super) fn add_share(&mut self, share: &Share) {
        self.bases += share.totals.bases;
        self.other_letters.merge(&share.other_letters);
        self.kmers += share.totals.kmers;
        self.super_kmers += share.totals.records;
        self.record_bytes += share.store.as_ref().map_or(0, SealedStore::memory);
        self.spilled_bytes += share.store.as_ref().map_or(0, SealedStore::spilled);
    }

    pub(super) fn add_sums(&mut self, sums: &Sums) {
        self.counted += sums.counted;
        self.distinct += sums.distinct;
        // No more than were counted, which are compared with a number of 64 bits.
        self.kept_kmers = self.kept_kmers.wrapping_add(sums.kept_kmers as u64);
        self.kept_distinct += sums.kept_distinct;
        self.merged_super_kmers += sums.merged_records;
        self.extra_passes += sums.extra_passes;
        self.histogram.merge(&sums.histogram);
    }

    /// Adds what another process has seen and kept; no k-mer may have been counted by both.
    pub fn merge(&mut self, other: &Self) {
        for (sum, more) in self.numbers_mut().into_iter().zip(other.numbers()) {
            *sum = sum.wrapping_add(more);
        }
        self.counted = self.counted.saturating_add(other.counted);
        self.other_letters.merge(&other.other_letters);
        self.histogram.merge(&other.histogram);
    }

    /// Sum of all counts, whatever limits there are on them.
    pub fn counted(&self) -> u128 {
        self.counted
    }

    /// Checks that every k-mer read was counted, and no other.
    ///
    /// # Errors
    ///
    /// [`Error::Totals`].
    pub fn check(&self) -> Result<()> {
        if self.counted != u128::from(self.kmers) {
            return Err(Error::totals(self.kmers.into(), self.counted));
        }
        Ok(())
    }

    /// The totals for another process, on any machine.
    ///
    /// All are numbers of 64 bits, the least significant byte first: the version 1; the fields in their order but for the
    /// other letters and the histogram; both halves of the sum of all counts, the lower one first; the number of
    /// kinds of other letters, and each with its number; pairs of a count and its number of k-mers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let letters: Vec<_> = self.other_letters.iter().collect();
        let letters_and_numbers = letters.iter().flat_map(|&(letter, n)| [letter.into(), n]);
        [VERSION]
            .into_iter()
            .chain(self.numbers())
            .chain([self.counted as u64, (self.counted >> 64) as u64])
            .chain([letters.len() as u64])
            .chain(letters_and_numbers)
            .chain(self.histogram.iter().flat_map(|(count, n)| [count, n]))
            .flat_map(u64::to_le_bytes)
            .collect()
    }

    /// The totals of these bytes, which [`Self::to_bytes`] made.
    ///
    /// # Errors
    ///
    /// [`Error::BadOption`] if it did not.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read(bytes).ok_or_else(|| Error::BadOption("bytes that are not totals".to_owned()))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let mut numbers = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes));
        if numbers.next()? != VERSION {
            return None;
        }
        let mut totals = Self::default();
        for number in totals.numbers_mut() {
            *number = numbers.next()?;
        }
        totals.counted = u128::from(numbers.next()?) | u128::from(numbers.next()?) << 64;
        for _ in 0..numbers.next()? {
            let letter = u8::try_from(numbers.next()?).ok()?;
            totals.other_letters.add(letter, numbers.next()?);
        }
        while let Some(count) = numbers.next() {
            totals.histogram.add_many(count, numbers.next()?);
        }
        Some(totals)
    }

    /// What is a number that adds up.
    fn numbers(&self) -> [u64; 10] {
        [
            self.bases,
            self.kmers,
            self.distinct,
            self.kept_kmers,
            self.kept_distinct,
            self.super_kmers,
            self.merged_super_kmers,
            self.record_bytes,
            self.spilled_bytes,
            self.extra_passes,
        ]
    }

    /// As [`Self::numbers`].
    fn numbers_mut(&mut self) -> [&mut u64; 10] {
        [
            &mut self.bases,
            &mut self.kmers,
            &mut self.distinct,
            &mut self.kept_kmers,
            &mut self.kept_distinct,
            &mut self.super_kmers,
            &mut self.merged_super_kmers,
            &mut self.record_bytes,
            &mut self.spilled_bytes,
            &mut self.extra_passes,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(seed: u64) -> CountTotals {
        let mut totals = CountTotals::default();
        for (number, i) in totals.numbers_mut().into_iter().zip(seed..) {
            *number = i * i * i;
        }
        totals.counted = u128::from(u64::MAX) + u128::from(seed);
        for letter in [b'N', b'X'] {
            totals.other_letters.add(letter, seed);
        }
        for count in [1, 2, 1 << 40, u64::MAX] {
            totals.histogram.add_many(count, seed);
        }
        totals
    }

    #[test]
    fn bytes_come_back() {
        for totals in [CountTotals::default(), totals(1), totals(1000)] {
            let bytes = totals.to_bytes();
            assert_eq!(CountTotals::from_bytes(&bytes).unwrap(), totals);
            // One less for the version is another one; what is cut off ends within a pair, or the letters.
            assert!(CountTotals::from_bytes(&bytes[1..]).is_err());
            assert!(CountTotals::from_bytes(&bytes[..80]).is_err());
            let other = [&2u64.to_le_bytes(), &bytes[8..]].concat();
            assert!(CountTotals::from_bytes(&other).is_err());
        }
        let mut many_letters = totals(1).to_bytes();
        many_letters[8 * 13..][..8].fill(u8::MAX);
        assert!(CountTotals::from_bytes(&many_letters).is_err());
    }

    #[test]
    fn sums_are_checked_when_all_are_in() {
        let (mut one, mut other) = (totals(3), totals(5));
        (one.kmers, one.counted) = (100, 30);
        (other.kmers, other.counted) = (7, 77);
        assert!(one.check().is_err() && other.check().is_err());
        let expected = one.numbers().map(u128::from);
        one.merge(&other);
        assert!(one.check().is_ok());
        assert_eq!(one.counted(), 107);
        for ((sum, one), other) in one.numbers().into_iter().zip(expected).zip(other.numbers()) {
            assert_eq!(u128::from(sum), one + u128::from(other));
        }
        assert_eq!(one.histogram.get(1 << 40), 8);
        assert_eq!(one.other_letters.total(), 16);
    }
}
