//! Records that begin or end another one become part of it.
//!
//! A read begins and ends anywhere. The first and the last of its super-k-mers are cut short by that, elsewhere than
//! those of other reads: at high coverage, most of the different records begin or end a longer one, whose k-mers they
//! repeat. They are counted there, as steps of those k-mers' weights:
//!
//! ```text
//! for each record of n k-mers, longest first:                       its k-mers:  a b c d e f g
//!   if it begins a longer one: step[0] += weight, step[n] -= weight              a b c
//!   or if it ends one of n' k-mers: step[n' - n] += weight                               e f g
//!   else it stands for itself, and can be found by its first bases and by its last
//! weight of k-mer i of a record that stands for itself = step[0] + ... + step[i]
//! ```
//!
//! At 96x coverage, 2.78 M different records of 46.2 M k-mers become 0.48 M of 9.2 M (k = 55), and 2.99 M of 26.6 M become
//! 0.77 M of 8.0 M (k = 31); at 12x, 0.54 M of 9.4 M become 0.17 M of 3.5 M (k = 55).
//!
//! Linear in the number of records, and of the k-mers of those that stand for themselves. If there are more records than
//! memory allows for, some are folded after the others, and fewer are found to be part of another one.

use super::merge::Merger;
use crate::count::kernel::Counting;
use thalweg_superkmers::{
    Kernel,
    record::{self, Record, most_kmers},
};

/// Bases at either end of a record by which it is found, if k-mers are not shorter: a word of them.
const ANCHOR: usize = 32;

/// More than a record has: k is at most 255, and a minimizer has 15 bases then.
pub(super) const MAX_KMERS: usize = 256;

/// Folds the records of a merger; all buffers are used again.
#[derive(Debug)]
pub(crate) struct Folder<const N: usize> {
    k: usize,
    kernel: Kernel,
    /// Bytes that all buffers may take together.
    memory: usize,
    records: Vec<Merged<N>>,
    /// Of n k-mers, at MAX_KMERS - n: how many records, then where they begin in `order`.
    starts: Box<[u32; MAX_KMERS + 1]>,
    /// Numbers of the records, longest first.
    order: Vec<u32>,
    roots: Vec<Root>,
    by_beginning: Vec<Line>,
    by_end: Vec<Line>,
    /// As many of each root that has become more than itself as it has k-mers; weights, once they are added up. All weights
    /// together are less than 2^32, and steps are added up modulo that.
    steps: Vec<u32>,
}

/// How often each k-mer of a record came.
#[derive(Clone, Copy, Debug)]
pub(in crate::count) enum Weights<'a> {
    /// All so often.
    Alike(u32),
    /// Each by itself.
    Each {
        /// As many as the record has k-mers, and [`SLACK`] more numbers, which mean nothing.
        weights: &'a [u32],
        /// None of them is greater.
        most: u32,
    },
}

impl Weights<'_> {
    /// That of a k-mer.
    #[inline(always)]
    pub(super) fn of(self, kmer: usize) -> u32 {
        match self {
            Self::Alike(weight) => weight,
            Self::Each { weights, .. } => weights[kmer],
        }
    }

    /// None of them is greater.
    #[inline(always)]
    pub(super) fn most(self) -> u32 {
        match self {
            Self::Alike(weight) => weight,
            Self::Each { most, .. } => most,
        }
    }
}

/// So that a vector can be read from where any k-mer's weight is.
pub(in crate::count) const SLACK: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Merged<const N: usize> {
    record: Record<N>,
    weight: u32,
    kmers: u32,
    /// Its first bases and its last, mixed.
    beginning: u64,
    end: u64,
}

/// A record that stands for itself.
#[derive(Clone, Copy, Debug)]
struct Root {
    number: u32,
    /// Where its steps begin, plus one; 0 if no other record is part of it.
    steps: u32,
    /// Of all its records.
    weight: u32,
}

impl<const N: usize> Folder<N> {
    /// With so many bytes at most, and no more than have numbers of 32 bits for their steps.
    pub(in crate::count) fn new(k: usize, kernel: Kernel, memory: usize) -> Self {
        Self {
            k,
            kernel,
            memory: memory.min(u32::MAX as usize),
            records: Vec::new(),
            starts: Box::new([0; MAX_KMERS + 1]),
            order: Vec::new(),
            roots: Vec::new(),
            by_beginning: Vec::new(),
            by_end: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Hands the folded records of `merger` with the weights of all their k-mers to `each`, and empties it. Those that came more
    /// than `most` times stand for themselves.
    #[inline(always)]
    pub(super) fn drain(
        &mut self,
        merger: &mut Merger<N>,
        most: u32,
        mut each: impl FnMut(&Record<N>, Weights),
    ) {
        let room = (self.memory / self.bytes_of_record()).max(1);
        self.begin();
        merger.drain(|record, weight| {
            if weight > most {
                return each(record, Weights::Alike(weight));
            }
            self.push(record, weight);
            if self.records.len() == room {
                self.hand_on(&mut each);
            }
        });
        self.hand_on(&mut each);
    }

    /// Forgets all records.
    fn begin(&mut self) {
        self.records.clear();
        self.starts.fill(0);
    }

    #[inline(always)]
    fn push(&mut self, record: &Record<N>, weight: u32) {
        let len = record::len(record);
        let kmers = (len + 1).saturating_sub(self.k);
        let bases = self.k.min(ANCHOR);
        self.records.push(Merged {
            record: *record,
            weight,
            kmers: kmers as u32,
            beginning: mix(record::bases(record, 0, bases)),
            end: mix(record::bases(record, len.saturating_sub(bases), bases)),
        });
        self.starts[MAX_KMERS.saturating_sub(kmers)] += 1;
    }

    /// Folds the records there are, hands them to `each` and forgets them.
    #[inline(never)]
    fn hand_on(&mut self, each: &mut dyn FnMut(&Record<N>, Weights)) {
        self.sort();
        self.kernel.fold(self);
        for root in &self.roots {
            let Merged { record, kmers, .. } = &self.records[root.number as usize];
            let Some(first) = root.steps.checked_sub(1) else {
                each(record, Weights::Alike(root.weight));
                continue;
            };
            let weights = &mut self.steps[first as usize..][..*kmers as usize + SLACK];
            let mut weight = 0u32;
            for step in &mut weights[..*kmers as usize] {
                weight = weight.wrapping_add(*step);
                *step = weight;
            }
            let most = root.weight;
            each(record, Weights::Each { weights, most });
        }
        self.begin();
    }

    /// Bytes of a record that stands for itself, in all buffers: these grow by doubling, and the old one is there until
    /// the new one is filled.
    fn bytes_of_record(&self) -> usize {
        let most_kmers = most_kmers(self.k);
        // Two tables of one to two places each.
        let places = 2 * 2 * size_of::<u64>();
        let numbers = (2 + most_kmers) * size_of::<u32>();
        3 * (size_of::<Merged<N>>() + size_of::<Root>() + places + numbers)
    }

    /// Brings the records' numbers in the order of their lengths.
    fn sort(&mut self) {
        let mut before = 0;
        for start in &mut *self.starts {
            before += std::mem::replace(start, before);
        }
        self.order.resize(self.records.len(), 0);
        for (number, merged) in (0..).zip(&self.records) {
            let start = &mut self.starts[MAX_KMERS.saturating_sub(merged.kmers as usize)];
            self.order[*start as usize] = number;
            *start += 1;
        }
    }

    /// Finds the roots, and adds all weights to their steps.
    ///
    /// `compare` is [`compare_plainly`] or does the same.
    #[inline(always)]
    pub(in crate::count) fn fold(&mut self, compare: impl Fn(&Line, u32) -> Places) {
        let Self {
            k,
            records,
            order,
            roots,
            by_beginning,
            by_end,
            steps,
            ..
        } = self;
        let lines = records.len().div_ceil(LINE).next_power_of_two();
        for table in [&mut *by_beginning, &mut *by_end] {
            table.clear();
            table.resize(lines, [0; LINE]);
        }
        // Two shifts, as one by all bits would be none.
        let line = |mixed: u64| (mixed >> 1 >> (63 - lines.trailing_zeros())) as usize;
        roots.clear();
        steps.clear();
        'records: for &number in &*order {
            let merged = &records[number as usize];
            let (weight, kmers) = (merged.weight, merged.kmers);
            let beginnings = &mut by_beginning[line(merged.beginning)];
            let ends = &mut by_end[line(merged.end)];
            let beginning = compare(beginnings, merged.beginning as u32);
            let end = compare(ends, merged.end as u32);
            let mut found = u32::from(beginning.equal) | u32::from(end.equal) << LINE;
            while found != 0 {
                let at = found.trailing_zeros() as usize;
                let place = [&*beginnings, &*ends][at / LINE % 2][at % LINE];
                let root = &mut roots[place as u32 as usize - 1];
                let longer = &records[root.number as usize];
                let first = (longer.kmers - kmers) as usize * (at / LINE);
                let part = record::without(&longer.record, first);
                if record::begins(&merged.record, kmers as usize + *k - 1, &part) {
                    root.add(longer, weight, first, kmers, steps);
                    continue 'records;
                }
                found &= found - 1;
            }
            roots.push(Root {
                number,
                steps: 0,
                weight,
            });
            for (line, free, mixed) in [
                (beginnings, beginning.free, merged.beginning),
                (ends, end.free, merged.end),
            ] {
                if free != 0 {
                    line[free.trailing_zeros() as usize % LINE] = mixed << 32 | roots.len() as u64;
                }
            }
        }
        steps.resize(steps.len() + SLACK, 0);
    }
}

impl Root {
    /// Adds the weight of a record that begins behind `first` of its k-mers and has `kmers`.
    #[inline(always)]
    fn add<const N: usize>(
        &mut self,
        merged: &Merged<N>,
        weight: u32,
        first: usize,
        kmers: u32,
        steps: &mut Vec<u32>,
    ) {
        if self.steps == 0 {
            self.steps = steps.len() as u32 + 1;
            // One more, as a part may end where the whole does.
            steps.resize(steps.len() + merged.kmers as usize + 1, 0);
            steps[self.steps as usize - 1] = self.weight;
        }
        self.weight += weight;
        let steps = &mut steps[self.steps as usize - 1..][first..];
        steps[0] = steps[0].wrapping_add(weight);
        let behind = &mut steps[kmers as usize];
        *behind = behind.wrapping_sub(weight);
    }
}

/// Roots by one of their ends, a cache line of them: the lower bits of what its bases are mixed to, and the root's number plus
/// one; 0 if there is none. Lines fill from the left; who finds one full is not found by others.
pub(super) type Line = [u64; LINE];

const LINE: usize = 8;

/// A bit for each place of a line.
pub(in crate::count) struct Places {
    /// Of roots with these bases.
    pub(in crate::count) equal: u8,
    pub(in crate::count) free: u8,
}

/// The places of a line that are free, and those with this tag.
#[inline(always)]
pub(in crate::count) fn compare_plainly(line: &Line, tag: u32) -> Places {
    let (mut equal, mut free) = (0, 0);
    for (i, &place) in line.iter().enumerate() {
        equal |= u8::from((place >> 32) as u32 == tag && place != 0) << i;
        free |= u8::from(place == 0) << i;
    }
    Places { equal, free }
}

/// Spreads a word's bits over all of another one.
#[inline(always)]
fn mix(word: u64) -> u64 {
    let mixed = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::stage2::merge;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// What is cut out of a text: where each piece begins, how long it is, and how often it comes.
    type Pieces = Vec<(prop::sample::Index, prop::sample::Index, u32)>;

    fn packed(text: &[u8]) -> Vec<u64> {
        let mut packed = vec![0; text.len() / 32 + 20];
        for (i, &base) in text.iter().enumerate() {
            packed[i / 32] |= u64::from(base) << (2 * (i % 32));
        }
        packed
    }

    fn merged<const N: usize>(text: &[u8], pieces: &Pieces, k: usize) -> Merger<N> {
        let packed = packed(text);
        let mut merger = Merger::<N>::new(1 << 16);
        let longest = k - 1 + most_kmers(k);
        for (start, len, times) in pieces {
            let start = start.index(text.len() - k + 1);
            let len = k + len.index((text.len() - start).min(longest) - k + 1);
            let record = record::cut::<N>(&packed, 2 * start, len);
            merger.add(&vec![record; *times as usize], merge::compare_plainly);
        }
        merger
    }

    /// Every k-mer of a record.
    fn kmers<const N: usize>(record: &Record<N>, k: usize) -> Vec<Vec<u8>> {
        let mut bases = Vec::new();
        record::for_each_kmer::<u64, N>(record, 1, false, |base| bases.push(base as u8));
        bases.windows(k).map(<[u8]>::to_vec).collect()
    }

    /// Folded with however little memory, every k-mer has the weight that its records have.
    fn check<const N: usize>(text: &[u8], pieces: &Pieces, k: usize) -> Result<(), TestCaseError> {
        let limits = [
            (0, u32::MAX),
            (20_000, 2),
            (usize::MAX, 1),
            (usize::MAX, u32::MAX),
        ];
        let each = Kernel::all().flat_map(|kernel| limits.map(|limits| (kernel, limits)));
        for (kernel, (memory, most)) in each {
            let mut merger = merged::<N>(text, pieces, k);
            let mut expected = BTreeMap::new();
            for (record, weight) in merger.records() {
                for kmer in kmers(record, k) {
                    *expected.entry(kmer).or_insert(0) += u64::from(weight);
                }
            }
            let mut folded = BTreeMap::new();
            let mut folder = Folder::new(k, kernel, memory);
            folder.drain(&mut merger, most, |record, weights| {
                for (i, kmer) in kmers(record, k).into_iter().enumerate() {
                    assert!(weights.of(i) <= weights.most());
                    *folded.entry(kmer).or_insert(0) += u64::from(weights.of(i));
                }
            });
            prop_assert_eq!(merger.len(), 0);
            prop_assert_eq!(folded, expected);
            prop_assert!(memory == 0 || bytes(&folder) <= memory);
        }
        Ok(())
    }

    /// What all buffers take.
    fn bytes<const N: usize>(folder: &Folder<N>) -> usize {
        let numbers = folder.order.capacity() + folder.steps.capacity();
        folder.records.capacity() * size_of::<Merged<N>>()
            + folder.roots.capacity() * size_of::<Root>()
            + (folder.by_beginning.capacity() + folder.by_end.capacity()) * size_of::<Line>()
            + numbers * size_of::<u32>()
    }

    fn pieces() -> impl Strategy<Value = Pieces> {
        prop::collection::vec(
            (
                any::<prop::sample::Index>(),
                any::<prop::sample::Index>(),
                1u32..4,
            ),
            1..120,
        )
    }

    proptest! {
        #[test]
        fn weights_stay_as_they_are(
            text in prop::collection::vec(0u8..4, 300..400),
            pieces in pieces(),
            k in 12usize..=15,
        ) {
            check::<1>(&text, &pieces, k)?;
            check::<2>(&text, &pieces, k + 17)?;
            check::<4>(&text, &pieces, k + 40)?;
            check::<16>(&text, &pieces, k + 200)?;
        }

        /// Of which many begin and end alike, and none of which are told apart by their ends.
        #[test]
        fn weights_of_repeats_stay_as_they_are(
            unit in prop::collection::vec(0u8..4, 1..5),
            odd in prop::collection::vec(0u8..4, 1..20),
            pieces in pieces(),
        ) {
            let mut text: Vec<u8> = unit.iter().copied().cycle().take(200).collect();
            text.extend(&odd);
            text.extend(unit.iter().cycle().take(180));
            check::<1>(&text, &pieces, 12)?;
            check::<2>(&text, &pieces, 31)?;
            check::<4>(&text, &pieces, 55)?;
        }
    }

    #[test]
    fn beginnings_and_ends_become_part_of_the_whole() {
        let text: Vec<u8> = (0..51u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 30) as u8)
            .collect();
        let packed = packed(&text);
        let mut merger = Merger::<2>::new(1 << 10);
        for len in 31..=51 {
            let beginning = record::cut(&packed, 0, len);
            let end = record::cut(&packed, 2 * (51 - len), len);
            merger.add(&[beginning, end], merge::compare_plainly);
        }
        let mut seen = Vec::new();
        Folder::new(31, Kernel::SCALAR, usize::MAX).drain(
            &mut merger,
            u32::MAX,
            |record, weights| {
                seen.push((*record, (0..21).map(|i| weights.of(i)).collect()));
            },
        );
        // Of 21 k-mers, as many beginnings cover each as there are k-mers from it on, and as many ends as up to it.
        let weights: Vec<u32> = (0..21).map(|i| (21 - i) + (i + 1)).collect();
        assert_eq!(seen, [(record::cut(&packed, 0, 51), weights)]);
    }
}
