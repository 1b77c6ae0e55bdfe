//! Records of a database: k-mers that have a minimizer and a set in common, as bits.
//!
//! A k-mer is turned so that its minimizer reads forward: as the canonical m-mer. With f = k - m, it has j bases on the left
//! of the minimizer, 0 to f, and f - j on the right of it. The k-mers of a record have consecutive j, and are cut from one
//! stretch of bases:
//!
//! ```text
//!     left flank        minimizer       right flank
//! ◄─────────────────|====================|──────────►
//!  hi bases, outward       m bases        f - lo bases, outward
//!
//! 0           2f          4f      4f + b  4f + 2b                     bits, lowest first
//! | left      | right     | lo    | hi    | remainder | id |
//! ```
//! Flanks have two bits a base, and the base next to the minimizer lowest; so two of them are equal as far as their exclusive
//! or has zeros from below. What they do not have is zero. The remainder is what the number of the bucket leaves of
//! the minimizer's value. A record with lo > hi is no such: it says that the minimizer's k-mers are elsewhere.

use std::ops::RangeInclusive;

use thalweg_superkmers::{
    Scheme, kmer::reverse_pairs, minimizer::exact::Strand, sequence::SuperKmer,
};

/// The longest flank: 16 bases a side fill a word.
pub const MAX_FLANK: usize = 16;

/// Least and greatest k.
pub const K: RangeInclusive<usize> = 16..=31;

/// The most bytes of a record.
pub const MAX_RECORD_BYTES: usize = 16;

/// The most bits of the number of a bucket.
pub const MAX_DIRECTORY_BITS: u32 = 36;

/// k-mers of one minimizer that are in one set: what a builder hands to a [`TaxonDatabaseWriter`](crate::database::TaxonDatabaseWriter).
///
/// They are in order by value, flanks, `lo`, and `hi`. A k-mer may be in several, with the same set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// Of the minimizer: [`Scheme::value`].
    pub value: u64,
    /// Bases beside it: on the left `hi` of them, on the right f - `lo`, as [`RecordLayout::flanks`] puts them together.
    pub flanks: u64,
    /// The fewest bases that a k-mer has on the left of the minimizer.
    pub lo: u8,
    /// The most, at most f.
    pub hi: u8,
    /// Number of the set, from 1.
    pub set: u32,
}

/// Which bits of a record are what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    scheme: Scheme,
    flank: u32,
    position_bits: u32,
    directory_bits: u32,
    remainder_bits: u32,
    id_bits: u32,
    bytes: u32,
}

/// A record as it lies in a file, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredRecord {
    /// As of an [`Entry`].
    pub flanks: u64,
    /// As of an [`Entry`]; more than `hi` if the k-mers are elsewhere.
    pub lo: u8,
    /// As of an [`Entry`].
    pub hi: u8,
    /// The low bits of the value of the minimizer.
    pub remainder: u64,
    /// Of the set.
    pub id: u32,
}

/// A super-k-mer, turned so that its minimizer reads forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turned {
    /// Of the minimizer.
    pub value: u64,
    /// Bases beside it, outward.
    pub flanks: u64,
    /// How many there are on the left, up to f.
    pub left: u8,
    /// How many there are on the right, up to f.
    pub right: u8,
    /// Whether it reads as the other strand.
    pub is_reversed: bool,
}

impl RecordLayout {
    /// That of records with set numbers of at least `id_bits`; they get what is left of the last byte, too, up to 32.
    ///
    /// # Errors
    /// Why there is none: k is not in [`K`], m is not odd, less than k and at least k - 16, or bits are too many or too few.
    pub fn new(scheme: Scheme, directory_bits: u32, id_bits: u32) -> Result<Self, String> {
        let (k, m) = (scheme.k(), scheme.m());
        if !K.contains(&k) {
            return Err(format!(
                "k = {k}: k must be from {} to {}",
                K.start(),
                K.end()
            ));
        }
        if m.is_multiple_of(2) || m >= k || k - m > MAX_FLANK {
            return Err(format!(
                "minimizers of {m} bases: for k = {k}, they have an odd number of bases from {} on, below {k}",
                k - MAX_FLANK
            ));
        }
        let value_bits = 2 * m as u32;
        if !(1..=value_bits.min(MAX_DIRECTORY_BITS)).contains(&directory_bits) {
            return Err(format!(
                "2^{directory_bits} buckets for values of {value_bits} bits"
            ));
        }
        if !(1..=32).contains(&id_bits) {
            return Err(format!("set numbers of {id_bits} bits"));
        }
        let flank = (k - m) as u32;
        let position_bits = u32::BITS - flank.leading_zeros();
        let remainder_bits = value_bits - directory_bits;
        let others = 2 * position_bits + remainder_bits;
        if others + id_bits > 64 {
            return Err(format!(
                "2^{directory_bits} buckets are too few for set numbers of {id_bits} bits"
            ));
        }
        let bytes = (4 * flank + others + id_bits).div_ceil(8);
        // What is left of the last byte, as far as the numbers and the word of these fields have room.
        let id_bits = (8 * bytes - 4 * flank - others).min(32).min(64 - others);
        Ok(Self {
            scheme,
            flank,
            position_bits,
            directory_bits,
            remainder_bits,
            id_bits,
            bytes,
        })
    }

    /// Bits of the number of a bucket with which so many records are 2 to 4 in each, as far as there is a layout.
    pub fn directory_bits_for(scheme: Scheme, id_bits: u32, records: u64) -> u32 {
        let most = (2 * scheme.m() as u32).min(MAX_DIRECTORY_BITS);
        let wanted = (records / 2).max(2).ilog2().min(most);
        // Too few leave too many bits to the record.
        let is_one = |&bits: &u32| Self::new(scheme, bits, id_bits).is_ok();
        (wanted..=most).find(is_one).unwrap_or(most)
    }

    /// Lengths of k-mers and of their minimizers.
    #[inline]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Bases of a flank at most: f = k - m.
    #[inline]
    pub fn flank(&self) -> usize {
        self.flank as usize
    }

    /// Bits of the number of a bucket: the upper ones of a value.
    #[inline]
    pub fn directory_bits(&self) -> u32 {
        self.directory_bits
    }

    /// Number of buckets.
    #[inline]
    pub fn buckets(&self) -> u64 {
        1 << self.directory_bits
    }

    /// Bits of a set's number.
    #[inline]
    pub fn id_bits(&self) -> u32 {
        self.id_bits
    }

    /// The greatest number of a set that a record can hold.
    #[inline]
    pub fn max_id(&self) -> u32 {
        u32::MAX >> (32 - self.id_bits)
    }

    /// Bytes of a record.
    #[inline]
    pub fn record_bytes(&self) -> usize {
        self.bytes as usize
    }

    /// The bucket of a value, and what is left of it.
    #[inline]
    pub fn split(&self, value: u64) -> (u64, u64) {
        let bucket = value >> self.remainder_bits;
        (bucket, value & low_bits(self.remainder_bits))
    }

    /// The value of a bucket and a remainder.
    #[inline]
    pub fn join(&self, bucket: u64, remainder: u64) -> u64 {
        bucket << self.remainder_bits | remainder
    }

    /// A word of two flanks, each with the base next to the minimizer in its lowest bits.
    #[inline]
    pub fn flanks(&self, left: u64, right: u64) -> u64 {
        left | right << (2 * self.flank)
    }

    /// The bases that a record from `lo` to `hi` has, of all of these.
    #[inline]
    pub fn cut_flanks(&self, flanks: u64, lo: u8, hi: u8) -> u64 {
        let left = low_bits(2 * u32::from(hi));
        let right = low_bits(2 * (self.flank - u32::from(lo)));
        flanks & self.flanks(left, right)
    }

    /// The bits of a record, of which the first are the lowest ones.
    #[inline]
    pub fn pack(&self, record: &StoredRecord) -> u128 {
        let b = self.position_bits;
        let rest = u64::from(record.lo)
            | u64::from(record.hi) << b
            | record.remainder << (2 * b)
            | shifted_up(record.id.into(), 2 * b + self.remainder_bits);
        u128::from(record.flanks) | u128::from(rest) << (4 * self.flank)
    }

    /// The record of these bits; those above it do not matter.
    #[inline]
    pub fn unpack(&self, bits: u128) -> StoredRecord {
        let b = self.position_bits;
        let rest = (bits >> (4 * self.flank)) as u64;
        StoredRecord {
            flanks: bits as u64 & low_bits(4 * self.flank),
            lo: (rest & low_bits(b)) as u8,
            hi: (rest >> b & low_bits(b)) as u8,
            remainder: rest >> (2 * b) & low_bits(self.remainder_bits),
            id: (rest >> (2 * b + self.remainder_bits) & low_bits(self.id_bits)) as u32,
        }
    }

    /// The record that says that the k-mers of a minimizer are elsewhere; `number` is that of the minimizer there. `None` if
    /// a record has not the bits for it.
    pub fn marker(&self, remainder: u64, number: u64) -> Option<StoredRecord> {
        // What is too much for a set's number goes to the flanks, which no such record has.
        let flanks = number.checked_shr(self.id_bits).unwrap_or(0);
        let record = StoredRecord {
            flanks,
            lo: low_bits(self.position_bits) as u8,
            hi: 0,
            remainder,
            id: (number & low_bits(self.id_bits)) as u32,
        };
        (flanks <= low_bits(4 * self.flank)).then_some(record)
    }

    /// The number that a record tells which says that k-mers are elsewhere.
    #[inline]
    pub fn marked(&self, record: &StoredRecord) -> u64 {
        let upper = record.flanks.saturating_mul(1 << self.id_bits);
        upper.saturating_add(record.id.into())
    }

    /// The k-mers of a record that a super-k-mer has: those of so many bases left of the minimizer, which is the same one.
    /// None if the range is empty.
    #[inline]
    pub fn matching(&self, record: &StoredRecord, turned: &Turned) -> RangeInclusive<u8> {
        let f = self.flank;
        let differ = record.flanks ^ turned.flanks;
        let equal = |differ: u64| ((differ | 1 << (2 * f)).trailing_zeros() / 2) as u8;
        let left = equal(differ & low_bits(2 * f)).min(turned.left);
        let right = equal(differ >> (2 * f)).min(turned.right);
        record.lo.max(f as u8 - right)..=record.hi.min(left)
    }

    /// The k-mers, by the number of bases left of the minimizer, that two super-k-mers of the same one have in common. None if
    /// the range is empty.
    #[inline]
    pub fn in_common(&self, one: &Turned, other: &Turned) -> RangeInclusive<u8> {
        let record = StoredRecord {
            flanks: other.flanks,
            lo: self.flank as u8 - other.right,
            hi: other.left,
            remainder: 0,
            id: 0,
        };
        self.matching(&record, one)
    }

    /// The k-mer with `j` bases on the left of its minimizer, as it reads there.
    #[inline]
    pub fn kmer(&self, value: u64, flanks: u64, j: u8) -> u64 {
        let m = self.scheme.m() as u32;
        let (left, right) = (2 * u32::from(j), 2 * (self.flank - u32::from(j)));
        // The left flank is a number already: its last base is the lowest.
        let before = flanks & low_bits(left);
        let behind = flanks >> (2 * self.flank) & low_bits(right);
        let behind = reverse_pairs(behind).checked_shr(64 - right).unwrap_or(0);
        (before << (2 * m) | self.scheme.canonical(value)) << right | behind
    }
}

impl Turned {
    /// Of a super-k-mer of the layout's scheme.
    #[inline]
    pub fn new(super_kmer: &SuperKmer<'_>, layout: &RecordLayout) -> Self {
        let m = layout.scheme.m();
        let minimizer = super_kmer.minimizer();
        let bases = super_kmer.bases();
        let before = minimizer.position - super_kmer.start();
        let behind = bases - before - m;
        let (strand, other, left, right, is_reversed) = match minimizer.strand {
            Strand::Forward => {
                let strands = (super_kmer.forward(), super_kmer.backward());
                (strands.0, strands.1, before, behind, false)
            }
            Strand::Backward => {
                let strands = (super_kmer.backward(), super_kmer.forward());
                (strands.0, strands.1, behind, before, true)
            }
        };
        // Left of the minimizer, outward, are the complements of what follows it on the other strand.
        let left_flank = match left {
            0 => 0,
            _ => other.bases(bases - left, left) ^ low_bits(2 * left as u32),
        };
        let right_flank = match right {
            0 => 0,
            _ => strand.bases(left + m, right),
        };
        Self {
            value: minimizer.value,
            flanks: layout.flanks(left_flank, right_flank),
            left: left as u8,
            right: right as u8,
            is_reversed,
        }
    }

    /// Of its k-mers, in the order of the sequence, the number of that with `j` bases on the left of the minimizer.
    #[inline]
    pub fn number_of(&self, j: u8, layout: &RecordLayout) -> usize {
        match self.is_reversed {
            false => usize::from(self.left - j),
            true => usize::from(self.right + j) - layout.flank(),
        }
    }

    /// By k-mer a bit, in the order of the sequence: whether the number of bases on the left of its minimizer is in `range`, which
    /// is not empty.
    #[inline]
    pub fn bits_of(&self, range: RangeInclusive<u8>, layout: &RecordLayout) -> u32 {
        let number_of = |j: u8| self.number_of(j, layout) as u32;
        let (one, other) = (number_of(*range.start()), number_of(*range.end()));
        let (first, last) = (one.min(other), one.max(other));
        u32::MAX >> (31 - (last - first)) << first
    }

    /// The record of its k-mers with `lo` to `hi` bases on the left of the minimizer, which it has.
    #[inline]
    pub fn entry(&self, lo: u8, hi: u8, set: u32, layout: &RecordLayout) -> Entry {
        debug_assert!(
            lo <= hi && hi <= self.left && usize::from(lo + self.right) >= layout.flank()
        );
        Entry {
            value: self.value,
            flanks: layout.cut_flanks(self.flanks, lo, hi),
            lo,
            hi,
            set,
        }
    }
}

/// So many bits, up to 64, from the lowest on.
#[inline(always)]
pub(crate) fn low_bits(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

#[inline(always)]
fn shifted_up(value: u64, bits: u32) -> u64 {
    value.checked_shl(bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_superkmers::{
        Kernel, Kmer,
        kmer::Alphabet,
        sequence::{Cutter, Ties},
    };

    fn layouts() -> Vec<RecordLayout> {
        let mut layouts = Vec::new();
        for k in K {
            for m in (1..k.min(20)).step_by(2).filter(|m| k - m <= MAX_FLANK) {
                let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
                for id_bits in [1, 14, 32] {
                    let bits = RecordLayout::directory_bits_for(scheme, id_bits, 5000);
                    layouts.push(RecordLayout::new(scheme, bits, id_bits).unwrap());
                }
            }
        }
        assert!(layouts.len() > 100);
        layouts
    }

    #[test]
    fn bits_come_back() {
        for layout in layouts() {
            let f = layout.flank() as u8;
            let top = low_bits(layout.remainder_bits);
            for (flanks, lo, hi, remainder, id) in [
                (low_bits(4 * layout.flank), 0, f, top, layout.max_id()),
                (0, f, f, 0, 0),
                (1, 0, 0, top / 3, layout.max_id() / 3),
            ] {
                let record = StoredRecord {
                    flanks,
                    lo,
                    hi,
                    remainder,
                    id,
                };
                let bits = layout.pack(&record);
                assert_eq!(bits.checked_shr(8 * layout.bytes).unwrap_or(0), 0);
                assert_eq!(layout.unpack(bits), record);
            }
            let id_end = u64::from(layout.max_id()) + 1;
            for number in [0, 1, id_end - 1, id_end, id_end + 9] {
                let marker = layout.marker(top, number).unwrap();
                assert!(marker.lo > marker.hi);
                assert_eq!(layout.unpack(layout.pack(&marker)), marker);
                assert_eq!(layout.marked(&marker), number);
            }
            let too_many = u128::from(id_end) << (4 * layout.flank);
            if let Ok(number) = u64::try_from(too_many) {
                assert_eq!(layout.marker(top, number), None);
            }
        }
        let scheme = Scheme::new(31).unwrap().with_m(15).unwrap();
        let layout = RecordLayout::new(scheme, 22, 25).unwrap();
        assert_eq!((layout.record_bytes(), layout.id_bits()), (14, 30));
    }

    #[test]
    fn what_is_no_layout_is_refused() {
        for (k, m, directory_bits, id_bits) in [
            (15, 13, 10, 16),
            (32, 19, 16, 16),
            (31, 14, 16, 16),
            (31, 13, 16, 16),
            (16, 16, 16, 16),
            (31, 15, 0, 16),
            (31, 15, 31, 16),
            (31, 19, 37, 16),
            (31, 15, 2, 32),
            (31, 15, 16, 0),
            (31, 15, 16, 33),
        ] {
            let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
            let layout = RecordLayout::new(scheme, directory_bits, id_bits);
            assert!(layout.is_err(), "{k} {m} {directory_bits} {id_bits}");
        }
    }

    #[test]
    fn kmers_of_records_are_those_of_the_sequence() {
        let mut state = 1u64;
        let mut letter = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            b"ACGT"[(state >> 62) as usize]
        };
        let letters = Vec::from_iter((0..2000).map(|_| letter()));
        for layout in layouts() {
            let (scheme, f) = (layout.scheme(), layout.flank() as u8);
            let k = scheme.k();
            let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgtu);
            cutter.visit(&letters, Ties::All, |super_kmer| {
                let turned = Turned::new(super_kmer, &layout);
                for j in f - turned.right..=turned.left {
                    let at = super_kmer.start() + turned.number_of(j, &layout);
                    let forward = u64::from_letters(&letters[at..at + k]).unwrap();
                    let expected = match turned.is_reversed {
                        true => forward.reverse_complement(k),
                        false => forward,
                    };
                    let entry = turned.entry(j, j, 1, &layout);
                    for flanks in [turned.flanks, entry.flanks] {
                        assert_eq!(layout.kmer(turned.value, flanks, j), expected);
                    }
                    let (_, remainder) = layout.split(entry.value);
                    let record = StoredRecord {
                        flanks: entry.flanks,
                        lo: j,
                        hi: j,
                        remainder,
                        id: 1,
                    };
                    assert_eq!(layout.matching(&record, &turned), j..=j);
                    for bit in 0..4 * layout.flank {
                        let record = StoredRecord {
                            flanks: entry.flanks ^ 1 << bit,
                            ..record
                        };
                        let is_of_it = layout.cut_flanks(1 << bit, j, j) != 0;
                        let is_empty = layout.matching(&record, &turned).is_empty();
                        assert_eq!(is_empty, is_of_it);
                    }
                }
            });
        }
    }
}
