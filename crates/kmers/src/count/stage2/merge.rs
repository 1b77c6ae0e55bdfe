//! Equal super-k-mers become one with a weight, before they are taken apart.
//!
//! Reads that cover a place again yield the same super-k-mer there, in the same
//! orientation. At 60x coverage there are 4.9 times as many records as
//! different ones; even at 2x merging halves the work that follows (figures of the
//! study behind this crate). It is also what makes skew harmless: a million
//! poly-A records are one.
//!
//! ```text
//! line of a record = its upper bits when mixed: a cache line of 8 / N records, filled from the left
//! for each record, 64 of them at a time, whose lines are asked for first:
//!   places = those of its line that are equal or free: the first is the right one       (a vector, no branch)
//!   none: the lines behind it, place by place
//! ```
//!
//! The table is bounded: when it is full, what it holds goes on and it begins anew.
//! Only merging is lost by that, no count.

use std::hint::select_unpredictable;
use thalweg_superkmers::lines::Lines;
use thalweg_superkmers::prefetch::prefetch;
use thalweg_superkmers::record::{Record, mix};

pub(in crate::count) use thalweg_superkmers::lines::LINE;

/// The smallest table: 16 KiB of two-word records.
const MIN_SLOTS: usize = 1 << 10;

/// Records whose lines are asked for before they are looked at.
const BLOCK: usize = 64;

/// A table of different records and how often each came.
#[derive(Debug)]
pub(crate) struct Merger<const N: usize> {
    lines: Lines,
    weights: Vec<u32>,
    /// Bits to shift a mixed record to get its slot.
    shift: u32,
    len: usize,
    limit: usize,
    max_slots: usize,
    /// Records taken since the last drain, so that no weight exceeds 32 bits.
    taken: u32,
}

/// A bit for each word of the line that equals the record's, repeated to fill the line; 8 bits above, one for each that is zero.
#[inline(always)]
pub(in crate::count) fn compare_plainly<const N: usize>(
    line: &[u64; LINE],
    record: &Record<N>,
) -> u16 {
    let (mut equal, mut zero) = (0, 0);
    for (i, &word) in line.iter().enumerate() {
        equal |= u16::from(word == record[i % N]) << i;
        zero |= u16::from(word == 0) << i;
    }
    equal | zero << LINE
}

/// The first bit of each N that are all set.
#[inline(always)]
fn whole<const N: usize>(mut words: u16) -> u16 {
    let mut step = 1;
    while step < N {
        words &= words >> step;
        step *= 2;
    }
    let firsts = match N {
        1 => 0xffff,
        2 => 0x5555,
        4 => 0x1111,
        _ => 0x0101,
    };
    words & firsts
}

/// [`compare_plainly`], or what does the same.
pub(in crate::count) trait Compare<const N: usize>:
    Fn(&[u64; LINE], &Record<N>) -> u16
{
}

impl<const N: usize, F: Fn(&[u64; LINE], &Record<N>) -> u16> Compare<N> for F {}

impl<const N: usize> Merger<N> {
    /// Bytes of one slot at the table's peak: while it doubles the old one is there, too.
    pub(crate) const PEAK_BYTES_PER_SLOT: usize = (8 * N + 4) * 3 / 2;

    /// Records of a line, if it holds whole ones.
    const OF_LINE: usize = if N <= LINE { LINE / N } else { 1 };

    /// An empty table that will not grow beyond `max_slots`, rounded down to a power of two.
    pub(crate) fn new(max_slots: usize) -> Self {
        const { assert!(N.is_power_of_two()) };
        let max_slots = match max_slots.max(MIN_SLOTS) {
            slots if slots.is_power_of_two() => slots,
            slots => slots.next_power_of_two() / 2,
        };
        let mut merger = Self {
            lines: Lines::new(0),
            weights: Vec::new(),
            shift: 0,
            len: 0,
            limit: 0,
            max_slots,
            taken: 0,
        };
        merger.resize(MIN_SLOTS);
        merger
    }

    /// Number of different records.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The different records and their weights.
    pub(crate) fn records(&self) -> impl Iterator<Item = (&Record<N>, u32)> {
        let records = self.lines.all().as_chunks::<N>().0;
        let all = records.iter().zip(&self.weights);
        all.filter(|(record, _)| **record != [0; N])
            .map(|(record, &weight)| (record, weight))
    }

    /// Number of records that became these.
    pub(crate) fn taken(&self) -> usize {
        self.taken as usize
    }

    fn slots(&self) -> usize {
        self.weights.len()
    }

    fn resize(&mut self, slots: usize) {
        self.lines = Lines::new(slots * N);
        self.weights = vec![0; slots];
        self.shift = 64 - slots.trailing_zeros();
        // Half full: most records find a place in their line.
        self.limit = slots / 2;
        self.len = 0;
    }

    /// The slot where the search for a record begins: the first of its line.
    #[inline(always)]
    fn slot(&self, record: &Record<N>) -> usize {
        (mix(record) >> self.shift) as usize & !(Self::OF_LINE - 1)
    }

    /// Takes records from the first on, and tells how many: not all of them if the table is full and must be drained first.
    ///
    /// `compare` is [`compare_plainly`] or does the same.
    #[inline(always)]
    pub(in crate::count) fn add(
        &mut self,
        records: &[Record<N>],
        compare: impl Compare<N>,
    ) -> usize {
        let mut done = 0;
        for block in records.chunks(BLOCK) {
            if !self.make_room(block.len()) {
                break;
            }
            self.add_block(block, &compare);
            done += block.len();
        }
        // The last ones that fit, if there was no room for a block: fewer than a block of different ones.
        for &record in &records[done..] {
            if !self.make_room(1) {
                break;
            }
            self.insert(record, 1);
            self.taken += 1;
            done += 1;
        }
        done
    }

    /// Takes no more than [`BLOCK`] records, for which there is room.
    #[inline(always)]
    fn add_block(&mut self, block: &[Record<N>], compare: impl Compare<N>) {
        self.taken += block.len() as u32;
        if N > LINE {
            for record in block {
                let words = self.lines.all()[self.slot(record) * N..].chunks(LINE);
                words.take(N / LINE).for_each(|line| prefetch(&line[0]));
            }
            block.iter().for_each(|record| self.insert(*record, 1));
            return;
        }
        let lines = self.lines.all_mut().as_chunks_mut::<LINE>().0;
        let mut numbers = [0; BLOCK];
        for (number, record) in numbers.iter_mut().zip(block) {
            *number = (mix(record) >> self.shift) as usize / Self::OF_LINE;
            if let Some(line) = lines.get(*number) {
                prefetch(line);
            }
        }
        // Those whose line is full.
        let (mut homeless, mut number_homeless) = ([0u8; BLOCK], 0);
        for (i, (record, &number)) in block.iter().zip(&numbers).enumerate() {
            let line = &mut lines[number];
            let found = whole::<N>(compare(line, record));
            let places = (found | found >> LINE) as u8;
            if places == 0 {
                homeless[number_homeless % BLOCK] = i as u8;
                number_homeless += 1;
                continue;
            }
            let word = places.trailing_zeros() as usize;
            let is_new = found >> word & 1 == 0;
            line[word..][..N].copy_from_slice(record);
            let weight = &mut self.weights[number * Self::OF_LINE + word / N];
            // Which it is cannot be predicted.
            *weight = 1 + select_unpredictable(is_new, 0, *weight);
            self.len += usize::from(is_new);
        }
        for &i in &homeless[..number_homeless] {
            self.insert(block[usize::from(i)], 1);
        }
    }

    /// Adds to the first slot from the record's own on that is equal or free.
    #[inline(always)]
    fn insert(&mut self, record: Record<N>, weight: u32) {
        let mut slot = self.slot(&record);
        let records = self.lines.all_mut().as_chunks_mut::<N>().0;
        let mask = records.len() - 1;
        loop {
            let found = &mut records[slot];
            if *found == record {
                self.weights[slot] += weight;
                return;
            }
            // No record is zero.
            if *found == [0; N] {
                *found = record;
                self.weights[slot] = weight;
                self.len += 1;
                return;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Makes room for `more` records by doubling; `false` if the table must be drained first.
    #[inline(always)]
    fn make_room(&mut self, more: usize) -> bool {
        while self.len + more > self.limit {
            if !self.grow() {
                return false;
            }
        }
        self.taken.checked_add(more as u32).is_some()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> bool {
        let slots = 2 * self.slots();
        if slots > self.max_slots {
            return false;
        }
        let lines = std::mem::replace(&mut self.lines, Lines::new(0));
        let weights = std::mem::take(&mut self.weights);
        self.resize(slots);
        for (record, weight) in lines.all().as_chunks::<N>().0.iter().zip(weights) {
            if *record != [0; N] {
                self.insert(*record, weight);
            }
        }
        true
    }

    /// Hands every record with its weight to `each` and forgets them.
    #[inline(always)]
    pub(crate) fn drain(&mut self, mut each: impl FnMut(&Record<N>, u32)) {
        // Which slots are taken cannot be predicted: their numbers are collected without a branch.
        let mut taken = [0u8; 64];
        let records = self.lines.all_mut().as_chunks_mut::<N>().0;
        for (records, weights) in records.chunks_mut(64).zip(self.weights.chunks(64)) {
            let mut len = 0;
            for (i, record) in records.iter().enumerate() {
                taken[len & 63] = i as u8;
                len += usize::from(*record != [0; N]);
            }
            for &i in &taken[..len] {
                each(&records[usize::from(i)], weights[usize::from(i)]);
            }
            records.fill([0; N]);
        }
        let slots = self.slots();
        if self.len < slots / 16 && slots > MIN_SLOTS {
            self.resize(slots / 2);
        }
        (self.len, self.taken) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::kernel::Counting;
    use std::collections::BTreeMap;
    use thalweg_superkmers::Kernel;

    fn check<const N: usize>() {
        for (kernel, max_slots) in Kernel::all().flat_map(|kernel| [(kernel, 1), (kernel, 1 << 16)])
        {
            let mut merger = Merger::<N>::new(max_slots);
            let (mut expected, mut found) = (BTreeMap::new(), BTreeMap::new());
            let mut collect =
                |record: &Record<N>, weight: u32| *found.entry(*record).or_insert(0) += weight;
            // Records with zeroes in any word but the last, and others that differ in one word only.
            let records: Vec<Record<N>> = (0..30_000u64)
                .map(|i| {
                    let mut record = [0; N];
                    record[i as usize / 7 % N] = i * i % 5000;
                    record[N - 1] |= 1 << (13 + i % 3);
                    record
                })
                .collect();
            for record in &records {
                *expected.entry(*record).or_insert(0u32) += 1;
            }
            for records in [&records[..1], &records[1..70], &records[70..]] {
                let mut left = records;
                while !left.is_empty() {
                    let taken = kernel.merge(&mut merger, left);
                    left = &left[taken..];
                    if !left.is_empty() {
                        merger.drain(&mut collect);
                    }
                }
            }
            let weights: u32 = merger.records().map(|(_, weight)| weight).sum();
            assert_eq!(weights as usize, merger.taken());
            merger.drain(&mut collect);
            merger.drain(|_, _| panic!("it is empty"));
            assert_eq!(found, expected, "{kernel:?}, {N} words");
        }
    }

    #[test]
    fn no_weight_exceeds_its_bits() {
        let mut merger = Merger::<2>::new(1 << 10);
        merger.taken = u32::MAX - 10;
        let records = [[5, 1]; 70];
        assert_eq!(merger.add(&records, compare_plainly), 10);
        assert_eq!(merger.add(&records, compare_plainly), 0);
        merger.drain(|record, weight| assert_eq!((*record, weight), ([5, 1], 10)));
        assert_eq!(merger.add(&records, compare_plainly), 70);
    }

    #[test]
    fn lines_begin_with_cache_lines() {
        for len in [1024, 2048, 1 << 14, 1 << 20] {
            let lines = Lines::new(len);
            assert!(lines.all().len() == len && lines.all().as_ptr().addr().is_multiple_of(64));
        }
    }

    #[test]
    fn weights_sum_up_in_any_size() {
        check::<1>();
        check::<2>();
        check::<4>();
        check::<8>();
        check::<16>();
    }
}
