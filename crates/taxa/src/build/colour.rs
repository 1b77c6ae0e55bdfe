//! Which leaves each k-mer of a partition is of.
//!
//! ```text
//! leaf by leaf, ascending:
//!   for each k-mer of its super-k-mers: set of the k-mer = that set and the leaf        (one look-up for each set and leaf)
//! ```
//! As the leaf is the last of any set that it comes to, a set is another one and a leaf, and where it was made once, that is
//! remembered with the set that it was made of. Most sets that are made on the way are of no k-mer in the end; all are
//! thrown away with the partition.

use thalweg_superkmers::kmer::reverse_pairs;

use super::{numbers::Numbers, oriented::Oriented};
use crate::database::GC_BINS;

/// The k-mers of a part of a partition, and their sets. It has buffers of its own, which it uses again.
#[derive(Debug, Default)]
pub(super) struct Colours {
    numbers: Numbers,
    /// Of each k-mer.
    sets: Vec<u32>,
    /// Of each k-mer: with how many bases left of the minimizer a record has it, as bits; and [`TIED`].
    marks: Vec<u32>,
    made: Vec<Made>,
}

/// A set: another one, and a leaf that is greater than all of its.
#[derive(Clone, Copy, Debug)]
struct Made {
    without: u32,
    leaf: u32,
    /// The leaf that was added last, and what this gave.
    added: u32,
    with_added: u32,
}

/// Canonical k-mers by set.
#[derive(Debug, Default)]
pub(super) struct KmersOfSets {
    /// Of each set, where its k-mers end in `gc`; they begin where those of the one before end.
    ends: Vec<u32>,
    /// Of each k-mer, how many of its bases are G or C.
    gc: Vec<u8>,
}

/// The set that has no leaf.
const EMPTY: u32 = 0;

/// No leaf.
const NONE: u32 = u32::MAX;

/// The k-mer may have its minimizer on both strands, and so be there as its own reverse complement.
const TIED: u32 = 1 << 31;

/// Bytes of what is here, for each k-mer of a super-k-mer at most.
pub(super) const BYTES_OF_KMER: u64 = 8 + 16 + 4 + 4 + 16;

/// Bytes of [`KmersOfSets`], likewise.
pub(super) const BYTES_OF_KMER_OF_SET: u64 = 4 + 1;

impl KmersOfSets {
    /// Number of sets, with the one that has no leaf.
    pub(super) fn sets(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// How many k-mers a set has with how many G and C; none that it has none of.
    pub(super) fn by_gc(&self, set: usize, by_gc: &mut Vec<(u8, u64)>) {
        let start = (set.checked_sub(1)).map_or(0, |before| self.ends[before]);
        let mut counts = [0_u64; GC_BINS];
        for &gc in &self.gc[start as usize..self.ends[set] as usize] {
            counts[usize::from(gc)] += 1;
        }
        by_gc.clear();
        by_gc.extend((0..).zip(counts).filter(|(_, kmers)| *kmers > 0));
    }
}

impl Colours {
    /// Takes super-k-mers, sorted: by their leaves. They have `kmers` together.
    pub(super) fn colour(&mut self, super_kmers: &[Oriented], k: usize, kmers: usize) {
        self.numbers.clear(kmers);
        self.sets.clear();
        self.sets.reserve(kmers);
        self.marks.clear();
        self.marks.reserve(kmers);
        self.made.clear();
        self.made.reserve(kmers + 1);
        self.made.push(Made {
            without: EMPTY,
            leaf: NONE,
            added: NONE,
            with_added: EMPTY,
        });
        for super_kmer in super_kmers {
            let leaf = super_kmer.leaf();
            let tied = if super_kmer.is_tied() { TIED } else { 0 };
            let mut guess = u32::MAX;
            for start in 0..super_kmer.kmers(k) {
                let number = self.numbers.find_or_add(super_kmer.part(start, k), guess);
                guess = number.wrapping_add(1);
                let at = number as usize;
                if at == self.sets.len() {
                    self.sets.push(EMPTY);
                    self.marks.push(0);
                }
                self.sets[at] = with(&mut self.made, self.sets[at], leaf);
                self.marks[at] |= tied;
            }
        }
    }

    /// Which canonical k-mers are of each set that was made, by their G and C.
    pub(super) fn kmers_of_sets(&self, k: usize, kmers: &mut KmersOfSets) {
        let KmersOfSets { ends, gc } = kmers;
        ends.clear();
        ends.resize(self.made.len() + 1, 0);
        for (number, &set) in self.sets.iter().enumerate() {
            ends[set as usize + 1] += u32::from(self.is_canonical(number, k));
        }
        let mut before = 0;
        for end in ends.iter_mut() {
            before += *end;
            *end = before;
        }
        // What was the end of the set before is the start of a set; when all have their place it is the end of its own.
        gc.clear();
        gc.resize(before as usize, 0);
        for (number, &set) in self.sets.iter().enumerate() {
            if self.is_canonical(number, k) {
                let place = &mut ends[set as usize];
                gc[*place as usize] = gc_of(self.numbers.keys()[number]);
                *place += 1;
            }
        }
    }

    /// Whether it is to be counted: of those that are there as both strands read, one is.
    #[inline]
    fn is_canonical(&self, number: usize, k: usize) -> bool {
        self.marks[number] & TIED == 0 || self.is_first_of_strands(number, k)
    }

    fn is_first_of_strands(&self, number: usize, k: usize) -> bool {
        let key = self.numbers.keys()[number];
        let turned = reverse_pairs(!key) >> (64 - 2 * k);
        let other = (self.numbers.find(turned, u32::MAX)).filter(|_| turned != key);
        other.is_none_or(|other| self.marks[other as usize] & TIED != 0 && key > turned)
    }

    /// The leaves of a set that was made, ascending.
    pub(super) fn leaves(&self, mut set: u32, leaves: &mut Vec<u32>) {
        leaves.clear();
        while set != EMPTY {
            let made = &self.made[set as usize];
            leaves.push(made.leaf);
            set = made.without;
        }
        leaves.reverse();
    }

    /// Numbers sets anew: each that was made as `new` says.
    pub(super) fn renumber(&mut self, new: &[u32]) {
        for set in &mut self.sets {
            *set = new[*set as usize];
        }
    }

    /// The number of a k-mer that was taken, which may be `guess`.
    #[inline]
    pub(super) fn number(&self, key: u64, guess: u32) -> usize {
        let number = self.numbers.find(key, guess);
        debug_assert!(number.is_some(), "all were taken");
        number.unwrap_or(0) as usize
    }

    /// The set of the k-mer of this number.
    #[inline]
    pub(super) fn set(&self, number: usize) -> u32 {
        self.sets[number]
    }

    /// A record has the k-mer of this number with `left` bases on the left of its minimizer: tells whether none had before.
    #[inline]
    pub(super) fn emit(&mut self, number: usize, left: usize) -> bool {
        let marks = &mut self.marks[number];
        let is_new = *marks >> left & 1 == 0;
        *marks |= 1 << left;
        is_new
    }
}

/// The set that has the leaf, too, which none of the sets there has a greater one than.
#[inline]
fn with(made: &mut Vec<Made>, set: u32, leaf: u32) -> u32 {
    let Made {
        leaf: last,
        added,
        with_added,
        ..
    } = made[set as usize];
    if last == leaf {
        return set;
    }
    if added == leaf {
        return with_added;
    }
    let new = made.len() as u32;
    made.push(Made {
        without: set,
        leaf,
        added: NONE,
        with_added: EMPTY,
    });
    let old = &mut made[set as usize];
    (old.added, old.with_added) = (leaf, new);
    new
}

/// How many bases of a k-mer are G or C, which are 2 and 1.
#[inline]
fn gc_of(key: u64) -> u8 {
    ((key ^ key >> 1) & 0x5555_5555_5555_5555).count_ones() as u8
}
