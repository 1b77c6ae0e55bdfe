//! A super-k-mer as its minimizer reads: how it is stored, and how it is worked with.
//!
//! ```text
//! stored, a record of superkmers:   its bases, the leaf in 1 to 3 bytes, then a byte:
//!                                   place of the minimizer (5 bits), is_tied (1), bytes of the leaf - 1 (2)
//! in memory, a number:              leaf (24 bits from bit 104), is_tied (bit 100), place (5 bits from bit 95),
//!                                   an end mark, its bases, the first one lowest
//! ```
//! So a build does not need to know how many leaves there will be, few of them take a byte, and sorting numbers puts the
//! leaves in order.

use thalweg_superkmers::{
    Scheme,
    kmer::reverse_pairs,
    record::{self, Record},
};

/// Words of a stored super-k-mer.
pub(super) const RECORD_WORDS: usize = 2;

/// The most bases of a super-k-mer: with what is told of it, it fits these.
pub(super) const MOST_BASES: usize = 47;

/// The most leaves that there is room for.
pub(super) const MOST_LEAVES: u32 = 1 << 24;

const PLACE_BIT: u32 = 95;
const TIED_BIT: u32 = 100;
const LEAF_BIT: u32 = 104;

/// A super-k-mer that stands as its minimizer is canonical, of one leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Oriented(u128);

impl Oriented {
    /// Of the record of its bases. `place` is where the minimizer begins, up to 31; `is_tied` tells that one of its
    /// k-mers has the same minimizer once more.
    pub(super) fn new(bases: Record<RECORD_WORDS>, place: usize, is_tied: bool, leaf: u32) -> Self {
        debug_assert!(place < 32 && leaf < MOST_LEAVES && record::len(&bases) <= MOST_BASES);
        let bases = u128::from(bases[0]) | u128::from(bases[1]) << 64;
        Self(
            bases
                | (place as u128) << PLACE_BIT
                | u128::from(is_tied) << TIED_BIT
                | u128::from(leaf) << LEAF_BIT,
        )
    }

    /// Its record, and the bytes of that.
    pub(super) fn to_record(self) -> (Record<RECORD_WORDS>, usize) {
        let (len, leaf) = (self.len() as u32, self.leaf());
        let leaf_bytes = match leaf {
            0..0x100 => 1,
            0x100..0x1_0000 => 2,
            _ => 3,
        };
        let tail = (self.0 >> PLACE_BIT & 0x3f) | (leaf_bytes - 1) << 6;
        let leaf_bits = 8 * leaf_bytes as u32;
        let bits = self.bases()
            | u128::from(leaf) << (2 * len)
            | tail << (2 * len + leaf_bits)
            | 1 << (2 * len + leaf_bits + 8);
        let bases = len + leaf_bits / 2 + 4;
        (
            [bits as u64, (bits >> 64) as u64],
            record::bytes_for(bases as usize),
        )
    }

    /// Of a record that [`Self::to_record`] made; `None` if it cannot have.
    pub(super) fn from_record(record: &Record<RECORD_WORDS>) -> Option<Self> {
        let bits = u128::from(record[0]) | u128::from(record[1]) << 64;
        let len = (record::len(record) as u32).checked_sub(4)?;
        let tail = bits >> (2 * len) & 0xff;
        let leaf_bases = 4 * ((tail >> 6) as u32 + 1);
        let len = (len.checked_sub(leaf_bases))
            .filter(|len| *len <= MOST_BASES as u32 && leaf_bases <= 12)?;
        let leaf = bits >> (2 * len) & ((1 << (2 * leaf_bases)) - 1);
        let bases = bits & ((1 << (2 * len)) - 1);
        Some(Self(
            bases | 1 << (2 * len) | (tail & 0x3f) << PLACE_BIT | leaf << LEAF_BIT,
        ))
    }

    /// Whether a sequence can have it: whether all of its k-mers have the minimizer.
    #[inline]
    pub(super) fn is_possible(self, scheme: &Scheme) -> bool {
        let kmers = self.kmers(scheme.k());
        (1..=self.place() + 1).contains(&kmers) && self.place() <= scheme.k() - scheme.m()
    }

    /// The same of another leaf.
    pub(super) fn with_leaf(self, leaf: u32) -> Self {
        debug_assert!(leaf < MOST_LEAVES);
        Self(self.0 & ((1 << LEAF_BIT) - 1) | u128::from(leaf) << LEAF_BIT)
    }

    /// Whose it is.
    #[inline]
    pub(super) fn leaf(self) -> u32 {
        (self.0 >> LEAF_BIT) as u32
    }

    /// Where its minimizer begins.
    #[inline]
    pub(super) fn place(self) -> usize {
        (self.0 >> PLACE_BIT) as usize & 0x1f
    }

    /// Whether one of its k-mers has the same minimizer once more.
    #[inline]
    pub(super) fn is_tied(self) -> bool {
        self.0 >> TIED_BIT & 1 == 1
    }

    /// Number of its bases.
    #[inline]
    pub(super) fn len(self) -> usize {
        let marked = self.0 & ((1 << PLACE_BIT) - 1);
        (127 - marked.leading_zeros() as usize) / 2
    }

    /// Its bases, the first one lowest.
    #[inline]
    fn bases(self) -> u128 {
        self.0 & ((1 << (2 * self.len())) - 1)
    }

    /// Number of its k-mers.
    #[inline]
    pub(super) fn kmers(self, k: usize) -> usize {
        (self.len() + 1).saturating_sub(k)
    }

    /// The `number` bases, up to 32, from base `start` on, the first one lowest.
    #[inline]
    pub(super) fn part(self, start: usize, number: usize) -> u64 {
        debug_assert!(start + number <= self.len() && number <= 32);
        match number {
            0 => 0,
            _ => (self.0 >> (2 * start)) as u64 & u64::MAX >> (64 - 2 * number),
        }
    }

    /// Its minimizer.
    #[inline]
    pub(super) fn value(self, scheme: &Scheme) -> u64 {
        let m = scheme.m();
        scheme.value(reverse_pairs(self.part(self.place(), m)) >> (64 - 2 * m))
    }

    /// The bases beside the minimizer that the k-mers have which begin with `lo` to `hi` bases left of it, outward from
    /// it: `k - m` places of each side, those on the left lowest; where no base is, zero.
    #[inline]
    pub(super) fn flanks(self, lo: usize, hi: usize, scheme: &Scheme) -> u64 {
        let (m, flank) = (scheme.m(), scheme.k() - scheme.m());
        let place = self.place();
        let left = match hi {
            0 => 0,
            _ => reverse_pairs(self.part(place - hi, hi)) >> (64 - 2 * hi),
        };
        let right = self.part(place + m, flank - lo);
        left | right << (2 * flank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_superkmers::{
        Kernel,
        kmer::{Alphabet, Kmer},
        minimizer::exact::Strand,
        sequence::{Cutter, Ties},
    };

    fn oriented(letters: &[u8], place: usize, leaf: u32) -> Oriented {
        let mut record = [0; 2];
        let codes = letters
            .iter()
            .map(|&letter| u64::from(Alphabet::Acgtu.code(letter)));
        for (i, code) in codes.chain([1]).enumerate() {
            record[i / 32] |= code << (2 * (i % 32));
        }
        Oriented::new(record, place, place.is_multiple_of(2), leaf)
    }

    #[test]
    fn records_come_back() {
        let letters = b"ACGTTGCAAGTCCATGACGGTTTACGATCCGATTAGGCATTACGTTT";
        for len in 16..=47 {
            for leaf in [0, 1, 255, 256, 0xffff, 0x1_0000, MOST_LEAVES - 1] {
                for place in [0, 1, 16] {
                    let one = oriented(&letters[..len], place, leaf);
                    assert_eq!((one.len(), one.place(), one.leaf()), (len, place, leaf));
                    assert_eq!(one.is_tied(), place.is_multiple_of(2));
                    let (record, bytes) = one.to_record();
                    assert_eq!(bytes, record::bytes_for(record::len(&record)));
                    assert_eq!(Oriented::from_record(&record), Some(one));
                    assert_eq!(one.with_leaf(7).leaf(), 7);
                    assert_eq!(one.with_leaf(7).with_leaf(leaf), one);
                }
            }
        }
        assert_eq!(Oriented::from_record(&[1, 0]), None);
        assert_eq!(Oriented::from_record(&[0, 0]), None);
        assert_eq!(Oriented::from_record(&[u64::MAX, u64::MAX]), None);
    }

    #[test]
    fn values_are_those_of_the_minimizers() {
        let letters = b"ACGTTGCAAGTCCATGACGGTTTACGATCCGATTAGGCATTACGTTTGACCGATAGGCATTTTACGGA";
        for (k, m) in [(16, 15), (21, 11), (31, 15), (31, 19)] {
            let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
            let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgtu);
            cutter.visit(letters, Ties::All, |shown| {
                let minimizer = shown.minimizer();
                let left = minimizer.position - shown.start();
                let (codes, place) = match minimizer.strand {
                    Strand::Forward => (shown.forward(), left),
                    Strand::Backward => (shown.backward(), shown.bases() - m - left),
                };
                let one = Oriented::new(codes.record(), place, false, 3);
                assert_eq!(one.value(&scheme), minimizer.value);
                assert_eq!(one.kmers(k), shown.kmers());
            });
        }
    }

    #[test]
    fn flanks_go_outward() {
        let scheme = Scheme::new(16).unwrap().with_m(9).unwrap();
        // Five bases, the nine of the minimizer, and four.
        let one = oriented(b"CATGGACCGATTAGTCAA", 5, 0);
        assert_eq!(one.len(), 18);
        let word = |letters: &[u8]| {
            let mut reversed = letters.to_vec();
            reversed.reverse();
            u64::from_letters(&reversed).unwrap()
        };
        // All three k-mers: five bases on the left, and four on the right of the seven that there are places for.
        assert_eq!(
            one.flanks(3, 5, &scheme),
            word(b"GGTAC") | word(b"TCAA") << 14
        );
        assert_eq!(
            one.flanks(5, 5, &scheme),
            word(b"GGTAC") | word(b"TC") << 14
        );
        assert_eq!(
            one.flanks(3, 3, &scheme),
            word(b"GGT") | word(b"TCAA") << 14
        );
    }
}
