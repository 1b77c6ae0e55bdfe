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

use super::{
    merge::Merger,
    record::{self, Record},
};
use crate::minimizer::minimizer_length;

/// Bases at either end of a record by which it is found, if k-mers are not shorter: a word of them.
const ANCHOR: usize = 32;

/// Places of a table that are looked at before a record stands for itself: repeats have many records with like ends. Nor
/// is it found by others if all of them are taken.
const TRIES: usize = 8;

/// More than a record has: k is at most 255, and a minimizer has 15 bases then.
pub(super) const MAX_KMERS: usize = 256;

/// Folds the records of a merger; all buffers are used again.
#[derive(Debug)]
pub(crate) struct Folder<const N: usize> {
    k: usize,
    /// Bytes that all buffers may take together.
    memory: usize,
    records: Vec<Merged<N>>,
    /// Numbers of the records, longest first.
    order: Vec<u32>,
    roots: Vec<Root>,
    /// Numbers of roots, plus one, by their first bases and by their last.
    by_beginning: Vec<u32>,
    by_end: Vec<u32>,
    /// As many of each root as it has k-mers; weights, once they are added up. All weights together are less than 2^32, and
    /// steps are added up modulo that.
    steps: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Merged<const N: usize> {
    record: Record<N>,
    weight: u32,
    kmers: u32,
}

/// A record that stands for itself.
#[derive(Clone, Copy, Debug)]
struct Root {
    number: u32,
    /// Where its steps begin.
    steps: u32,
}

impl<const N: usize> Folder<N> {
    /// With so many bytes at most, and no more than have numbers of 32 bits for their steps.
    pub(super) fn new(k: usize, memory: usize) -> Self {
        Self {
            k,
            memory: memory.min(u32::MAX as usize),
            records: Vec::new(),
            order: Vec::new(),
            roots: Vec::new(),
            by_beginning: Vec::new(),
            by_end: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Hands the folded records of `merger` with the weights of all their k-mers to `each`, and empties it.
    #[inline(always)]
    pub(super) fn drain(
        &mut self,
        merger: &mut Merger<N>,
        mut each: impl FnMut(&Record<N>, &[u32]),
    ) {
        let most = (self.memory / self.bytes_of_record()).max(1);
        self.records.clear();
        merger.drain(|&record, weight| {
            let kmers = (record::len(&record) + 1).saturating_sub(self.k) as u32;
            self.records.push(Merged {
                record,
                weight,
                kmers,
            });
            if self.records.len() == most {
                self.hand_on(&mut each);
            }
        });
        self.hand_on(&mut each);
    }

    /// As [`Self::drain`], but those of more than `most_weight` go to `heavy` as they are.
    #[inline(always)]
    pub(super) fn drain_light(
        &mut self,
        merger: &mut Merger<N>,
        most_weight: u32,
        mut heavy: impl FnMut(&Record<N>, u32),
        mut each: impl FnMut(&Record<N>, &[u32]),
    ) {
        let most = (self.memory / self.bytes_of_record()).max(1);
        self.records.clear();
        merger.drain(|&record, weight| {
            if weight > most_weight {
                return heavy(&record, weight);
            }
            let kmers = (record::len(&record) + 1).saturating_sub(self.k) as u32;
            self.records.push(Merged {
                record,
                weight,
                kmers,
            });
            if self.records.len() == most {
                self.hand_on(&mut each);
            }
        });
        self.hand_on(&mut each);
    }

    /// Folds the records there are, hands them to `each` and forgets them.
    #[inline(never)]
    fn hand_on(&mut self, each: &mut dyn FnMut(&Record<N>, &[u32])) {
        self.sort();
        self.fold();
        for root in &self.roots {
            let Merged { record, kmers, .. } = &self.records[root.number as usize];
            let weights = &mut self.steps[root.steps as usize..][..*kmers as usize];
            let mut weight = 0u32;
            for step in &mut *weights {
                weight = weight.wrapping_add(*step);
                *step = weight;
            }
            each(record, weights);
        }
        self.records.clear();
    }

    /// Bytes of a record that stands for itself, in all buffers: these grow by doubling, and the old one is there until
    /// the new one is filled.
    fn bytes_of_record(&self) -> usize {
        let most_kmers = self.k + 1 - minimizer_length(self.k).min(self.k);
        // Two tables of two to four places each.
        let numbers = 1 + 2 * 4 + most_kmers;
        3 * (size_of::<Merged<N>>() + size_of::<Root>() + numbers * size_of::<u32>())
    }

    /// Brings the records' numbers in the order of their lengths.
    fn sort(&mut self) {
        // Of n k-mers, at MAX_KMERS - n: how many, then where they begin.
        let mut starts = [0u32; MAX_KMERS + 1];
        let rank = |merged: &Merged<N>| MAX_KMERS.saturating_sub(merged.kmers as usize);
        for merged in &self.records {
            starts[rank(merged)] += 1;
        }
        let mut before = 0;
        for start in &mut starts {
            before += std::mem::replace(start, before);
        }
        self.order.resize(self.records.len(), 0);
        for (number, merged) in (0..).zip(&self.records) {
            let start = &mut starts[rank(merged)];
            self.order[*start as usize] = number;
            *start += 1;
        }
    }

    /// Finds the roots, and adds all weights to their steps.
    fn fold(&mut self) {
        let Self {
            records,
            order,
            roots,
            by_beginning,
            by_end,
            steps,
            ..
        } = self;
        let slots = (2 * records.len()).next_power_of_two().max(2);
        for table in [&mut *by_beginning, &mut *by_end] {
            table.clear();
            table.resize(slots, 0);
        }
        roots.clear();
        steps.clear();
        let bases = self.k.min(ANCHOR);
        let shift = u64::BITS - slots.trailing_zeros();
        let slot = |bases: u64| (bases.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize;
        for &number in &*order {
            let Merged {
                record,
                weight,
                kmers,
            } = &records[number as usize];
            let (weight, kmers) = (*weight, *kmers);
            let len = record::len(record);
            let of = |root: Root| &records[root.number as usize];

            let beginning = slot(record::bases(record, 0, bases));
            let begins = |root| {
                let longer = of(root);
                kmers < longer.kmers && record::begins(record, len, &longer.record)
            };
            let place = match find(by_beginning, beginning, roots, begins) {
                Ok(root) => {
                    let first = root.steps as usize;
                    steps[first] = steps[first].wrapping_add(weight);
                    let behind = first + kmers as usize;
                    steps[behind] = steps[behind].wrapping_sub(weight);
                    continue;
                }
                Err(place) => place,
            };
            let end = slot(record::bases(record, len.saturating_sub(bases), bases));
            let ends = |root| {
                let longer = of(root);
                record::without(&longer.record, (longer.kmers - kmers) as usize) == *record
            };
            let end_place = match find(by_end, end, roots, ends) {
                Ok(root) => {
                    let first = (root.steps + of(root).kmers - kmers) as usize;
                    steps[first] = steps[first].wrapping_add(weight);
                    continue;
                }
                Err(place) => place,
            };
            let first = steps.len();
            steps.resize(first + kmers as usize, 0);
            if let Some(step) = steps.get_mut(first) {
                *step = weight;
            }
            roots.push(Root {
                number,
                steps: first as u32,
            });
            for (table, place) in [(&mut *by_beginning, place), (&mut *by_end, end_place)] {
                if let Some(place) = place {
                    table[place] = roots.len() as u32;
                }
            }
        }
    }
}

/// The first root from `slot` on that `is_right`; if there is none, where the next one goes, if there is a place for it.
fn find(
    table: &[u32],
    slot: usize,
    roots: &[Root],
    is_right: impl Fn(Root) -> bool,
) -> Result<Root, Option<usize>> {
    for tried in 0..TRIES {
        let place = (slot + tried) & (table.len() - 1);
        match table[place] {
            0 => return Err(Some(place)),
            number => {
                let root = roots[number as usize - 1];
                if is_right(root) {
                    return Ok(root);
                }
            }
        }
    }
    Err(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::merge::compare_plainly;
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
        let longest = 2 * k - minimizer_length(k).min(k);
        for (start, len, times) in pieces {
            let start = start.index(text.len() - k + 1);
            let len = k + len.index((text.len() - start).min(longest) - k + 1);
            let record = record::cut::<N>(&packed, 2 * start, len);
            merger.add(&vec![record; *times as usize], compare_plainly);
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
        for memory in [0, 20_000, usize::MAX] {
            let mut merger = merged::<N>(text, pieces, k);
            let mut expected = BTreeMap::new();
            for (record, weight) in merger.records() {
                for kmer in kmers(record, k) {
                    *expected.entry(kmer).or_insert(0) += u64::from(weight);
                }
            }
            let mut folded = BTreeMap::new();
            let mut folder = Folder::new(k, memory);
            folder.drain(&mut merger, |record, weights| {
                let kmers = kmers(record, k);
                assert_eq!(kmers.len(), weights.len());
                for (kmer, &weight) in kmers.into_iter().zip(weights) {
                    *folded.entry(kmer).or_insert(0) += u64::from(weight);
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
        let numbers = folder.order.capacity()
            + folder.by_beginning.capacity()
            + folder.by_end.capacity()
            + folder.steps.capacity();
        folder.records.capacity() * size_of::<Merged<N>>()
            + folder.roots.capacity() * size_of::<Root>()
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
            merger.add(&[beginning, end], compare_plainly);
        }
        let mut seen = Vec::new();
        Folder::new(31, usize::MAX).drain(&mut merger, |record, weights| {
            seen.push((*record, weights.to_vec()));
        });
        // Of 21 k-mers, as many beginnings cover each as there are k-mers from it on, and as many ends as up to it.
        let weights = (0..21).map(|i| (21 - i) + (i + 1)).collect();
        assert_eq!(seen, [(record::cut(&packed, 0, 51), weights)]);
    }
}
