//! Equal super-k-mers become one with a weight, before they are taken apart.
//!
//! Reads that cover a place again yield the same super-k-mer there, in the same
//! orientation. At 60x coverage there are 4.9 times as many records as
//! different ones; even at 2x merging halves the work that follows (figures of the
//! study behind this crate). It is also what makes skew harmless: a million
//! poly-A records are one.
//!
//! The table is bounded: when it is full, what it holds goes on and it begins anew.
//! Only merging is lost by that, no count.

use super::{
    batch::prefetch,
    record::{Record, mix},
};

/// The smallest table: 16 KiB of two-word records.
const MIN_SLOTS: usize = 1 << 10;

/// A table of different records and how often each came.
#[derive(Debug)]
pub(crate) struct Merger<const N: usize> {
    records: Vec<Record<N>>,
    weights: Vec<u32>,
    shift: u32,
    len: usize,
    limit: usize,
    max_slots: usize,
    /// Records taken since the last drain, so that no weight exceeds 32 bits.
    taken: u32,
}

impl<const N: usize> Merger<N> {
    /// Bytes of one slot at the table's peak: while it doubles the old one is there, too.
    pub(crate) const PEAK_BYTES_PER_SLOT: usize = (8 * N + 4) * 3 / 2;

    /// An empty table that will not grow beyond `max_slots`, rounded down to a power of two.
    pub(crate) fn new(max_slots: usize) -> Self {
        let max_slots = match max_slots.max(MIN_SLOTS) {
            slots if slots.is_power_of_two() => slots,
            slots => slots.next_power_of_two() / 2,
        };
        let mut merger = Self {
            records: Vec::new(),
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
        let all = self.records.iter().zip(&self.weights);
        all.filter(|(record, _)| **record != [0; N])
            .map(|(record, &weight)| (record, weight))
    }

    /// Number of records that became these.
    pub(crate) fn taken(&self) -> usize {
        self.taken as usize
    }

    fn resize(&mut self, slots: usize) {
        self.records = vec![[0; N]; slots];
        self.weights = vec![0; slots];
        self.shift = 64 - slots.trailing_zeros();
        // Half full: linear search stays at one or two steps.
        self.limit = slots / 2;
        self.len = 0;
    }

    /// Asks for the cache line of a record that will come soon.
    #[inline(always)]
    pub(crate) fn ask(&self, record: &Record<N>) {
        let slot = (mix(record) >> self.shift) as usize;
        if let Some(record) = self.records.get(slot) {
            prefetch(record);
        }
    }

    /// Takes a record; `false` if the table is full and must be drained first.
    #[inline(always)]
    pub(crate) fn add(&mut self, record: Record<N>) -> bool {
        if self.taken == u32::MAX || self.len >= self.limit && !self.grow() {
            return false;
        }
        self.taken += 1;
        self.insert(record, 1);
        true
    }

    #[inline(always)]
    fn insert(&mut self, record: Record<N>, weight: u32) {
        let mask = self.records.len() - 1;
        let mut slot = (mix(&record) >> self.shift) as usize & mask;
        loop {
            let found = &mut self.records[slot];
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

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> bool {
        let slots = 2 * self.records.len();
        if slots > self.max_slots {
            return false;
        }
        let records = std::mem::take(&mut self.records);
        let weights = std::mem::take(&mut self.weights);
        self.resize(slots);
        for (record, weight) in records.into_iter().zip(weights) {
            if record != [0; N] {
                self.insert(record, weight);
            }
        }
        true
    }

    /// Hands every record with its weight to `each` and forgets them.
    #[inline(always)]
    pub(crate) fn drain(&mut self, mut each: impl FnMut(&Record<N>, u32)) {
        // Which slots are taken cannot be predicted: their numbers are collected without a branch.
        let mut taken = [0u8; 64];
        for (records, weights) in self.records.chunks_mut(64).zip(self.weights.chunks(64)) {
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
        let slots = self.records.len();
        if self.len < slots / 16 && slots > MIN_SLOTS {
            self.resize(slots / 2);
        }
        (self.len, self.taken) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn weights_sum_up_in_any_size() {
        for max_slots in [1, 1 << 16] {
            let mut merger = Merger::<2>::new(max_slots);
            let (mut expected, mut found) = (BTreeMap::new(), BTreeMap::new());
            let mut collect =
                |record: &Record<2>, weight: u32| *found.entry(*record).or_insert(0) += weight;
            for i in 0..30_000u64 {
                let record = [i * i % 5000, 1 << (i % 3)];
                *expected.entry(record).or_insert(0u32) += 1;
                if !merger.add(record) {
                    merger.drain(&mut collect);
                    assert!(merger.add(record));
                }
            }
            merger.drain(&mut collect);
            merger.drain(|_, _| panic!("it is empty"));
            assert_eq!(found, expected);
        }
    }
}
