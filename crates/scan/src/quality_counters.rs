//! How many bases have which quality.
//!
//! Two neighbours are counted together, with one increment in a table of 65,536: half
//! the increments of a table of 256. Reads of today's instruments repeat few values,
//! and an increment of a counter that has only just been stored waits for that store;
//! so four tables take turns. Of each table only the lines of values that occur are
//! ever touched: about 8 KiB for forty different qualities, 64 bytes for four.
//!
//! Instruments of today tell but a few qualities: where a read has no others than the few
//! that were seen first, each of them is counted by comparing the whole read with it.
//! Others, where the machine can, by a [`ValueCounter`] instead of the tables: those of some reads at a time, as it counts
//! 64 at once and puts its counters down at the end.

use crate::{ValueCounter, ValueCounts, count_values};

/// The byte of quality 0.
const LOWEST: u8 = b'!';

/// Qualities that are counted by comparing: NovaSeq tells 4, HiSeq X 8.
const FEW: usize = 8;

/// Bytes that wait to be counted together: much less than what the first cache holds.
const TOGETHER: usize = 4096;

/// Tables that take turns.
const TURNS: usize = 4;

type Tables = [[u32; 1 << 16]; TURNS];

/// Counters of the quality bytes of many reads.
///
/// They own their tables, a mebibyte of which only what is counted in is ever touched.
#[derive(Clone)]
pub struct QualityCounters {
    few: FewQualities,
    /// Where the machine can count them so.
    values: Option<QualityValues>,
    /// Made when they are needed first.
    pairs: Option<Box<Tables>>,
    /// Last bytes of reads of odd length.
    single: [u64; 256],
    /// Pairs counted since the tables were last emptied, at least.
    counted: u64,
}

impl QualityCounters {
    /// Nothing counted yet.
    pub fn new() -> Self {
        QualityCounters {
            few: FewQualities::default(),
            values: ValueCounter::new().map(QualityValues::new),
            pairs: None,
            single: [0; 256],
            counted: 0,
        }
    }

    /// Count the bytes of one read, some of them in `wide` at once.
    #[inline]
    pub fn add(&mut self, quality: &[u8], wide: &mut [u64; 256]) {
        if self.few.add(quality, wide) {
            return;
        }
        match &mut self.values {
            Some(values) => values.add(quality, wide),
            None => self.add_pairs(quality, wide),
        }
    }

    fn add_pairs(&mut self, quality: &[u8], wide: &mut [u64; 256]) {
        self.counted += quality.len() as u64;
        if self.counted > u64::from(u32::MAX) {
            self.drain_into(wide);
            self.counted = quality.len() as u64;
        }
        let (eights, rest) = quality.as_chunks::<8>();
        let pairs = &mut **self.pairs.get_or_insert_with(zeroed);
        let [first, second, third, fourth] = pairs;
        for eight in eights {
            let eight = u64::from_le_bytes(*eight);
            bump(first, eight as u16);
            bump(second, (eight >> 16) as u16);
            bump(third, (eight >> 32) as u16);
            bump(fourth, (eight >> 48) as u16);
        }
        let (pairs_left, last) = rest.as_chunks::<2>();
        for (pair, table) in pairs_left.iter().zip(pairs) {
            bump(table, u16::from_le_bytes(*pair));
        }
        for &byte in last {
            self.single[usize::from(byte)] += 1;
        }
    }

    /// Add what is in the counters, and stays there, to wide ones.
    pub fn add_to(&self, wide: &mut [u64; 256]) {
        if let Some(values) = &self.values {
            for (wide, count) in wide[usize::from(LOWEST)..]
                .iter_mut()
                .zip(values.counts.iter())
            {
                *wide += count;
            }
            for &byte in &values.waiting {
                wide[usize::from(byte)] += 1;
            }
        }
        if self.counted == 0 {
            return;
        }
        for table in self.pairs.iter().flat_map(|pairs| pairs.iter()) {
            for (high, row) in table.as_chunks::<256>().0.iter().enumerate() {
                for (low, &count) in row.iter().enumerate() {
                    wide[low] += u64::from(count);
                    wide[high] += u64::from(count);
                }
            }
        }
        for (wide, count) in wide.iter_mut().zip(self.single) {
            *wide += count;
        }
    }

    /// Empty the counters into wide ones.
    pub fn drain_into(&mut self, wide: &mut [u64; 256]) {
        if let Some(values) = &mut self.values {
            values.drain_into(wide);
        }
        if self.counted == 0 {
            return;
        }
        for table in self.pairs.iter_mut().flat_map(|pairs| pairs.iter_mut()) {
            for (high, row) in table.as_chunks_mut::<256>().0.iter_mut().enumerate() {
                for (low, count) in row.iter_mut().enumerate() {
                    // Writing zeros would claim the pages that were never touched.
                    if *count != 0 {
                        wide[low] += u64::from(*count);
                        wide[high] += u64::from(*count);
                        *count = 0;
                    }
                }
            }
        }
        for (wide, count) in wide.iter_mut().zip(&mut self.single) {
            *wide += std::mem::take(count);
        }
        self.counted = 0;
    }
}

impl Default for QualityCounters {
    fn default() -> Self {
        Self::new()
    }
}

/// Counters of the qualities from 0 to 63.
#[derive(Clone)]
struct QualityValues {
    counter: ValueCounter,
    counts: ValueCounts<8>,
    /// Bytes that are still to be counted, at most [`TOGETHER`].
    waiting: Vec<u8>,
}

impl QualityValues {
    fn new(counter: ValueCounter) -> Self {
        QualityValues {
            counter,
            counts: ValueCounts::new(),
            waiting: Vec::with_capacity(TOGETHER),
        }
    }

    #[inline]
    fn add(&mut self, quality: &[u8], wide: &mut [u64; 256]) {
        if self.waiting.len() + quality.len() > TOGETHER {
            self.count_waiting(wide);
        }
        match quality.len() > TOGETHER {
            true => self.count(quality, wide),
            false => self.waiting.extend_from_slice(quality),
        }
    }

    fn count_waiting(&mut self, wide: &mut [u64; 256]) {
        let mut waiting = std::mem::take(&mut self.waiting);
        self.count(&waiting, wide);
        waiting.clear();
        self.waiting = waiting;
    }

    /// Bytes that are none of these at once.
    fn count(&mut self, bytes: &[u8], wide: &mut [u64; 256]) {
        if self.counter.count(bytes, LOWEST, &mut self.counts) > 0 {
            let is_other =
                |byte: u8| usize::from(byte.wrapping_sub(LOWEST)) >= ValueCounts::<8>::VALUES;
            for &byte in bytes.iter().filter(|byte| is_other(**byte)) {
                wide[usize::from(byte)] += 1;
            }
        }
    }

    fn drain_into(&mut self, wide: &mut [u64; 256]) {
        self.count_waiting(wide);
        let counts = std::mem::take(&mut self.counts);
        for (wide, count) in wide[usize::from(LOWEST)..].iter_mut().zip(counts.iter()) {
            *wide += count;
        }
    }
}

/// The qualities that were seen first, as long as there are few.
#[derive(Clone, Default)]
struct FewQualities {
    values: [u8; FEW],
    used: usize,
    /// There are more.
    are_many: bool,
}

impl FewQualities {
    /// Count the bytes of one read; false if there are others among them, so that none is counted.
    #[inline]
    fn add(&mut self, quality: &[u8], wide: &mut [u64; 256]) -> bool {
        if self.are_many {
            return false;
        }
        let values = &self.values[..self.used];
        let mut counts = [0; FEW];
        if count_values(quality, values, &mut counts) < quality.len() as u64 {
            self.learn(quality);
            return false;
        }
        for (&value, count) in values.iter().zip(counts) {
            wide[usize::from(value)] += count;
        }
        true
    }

    #[cold]
    fn learn(&mut self, quality: &[u8]) {
        for value in quality {
            if self.values[..self.used].contains(value) {
                continue;
            }
            let Some(next) = self.values.get_mut(self.used) else {
                self.are_many = true;
                return;
            };
            *next = *value;
            self.used += 1;
        }
    }
}

#[inline(always)]
fn bump(table: &mut [u32; 1 << 16], index: u16) {
    let count = &mut table[usize::from(index)];
    *count = count.wrapping_add(1);
}

/// Zeros straight from the system, which hands out pages when they are first touched.
fn zeroed() -> Box<Tables> {
    let tables = vec![[0; 1 << 16]; TURNS].into_boxed_slice();
    tables
        .try_into()
        .unwrap_or_else(|_| unreachable!("as many as asked for"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Of few values, of those that a [`ValueCounter`] tells apart, and of all.
        #[test]
        fn every_way_counts_all_bytes(
            reads in prop::collection::vec(
                prop_oneof![
                    4 => prop::collection::vec(prop::sample::select(b"F:,#".to_vec()), 0..200),
                    4 => prop::collection::vec(33_u8..97, 0..200),
                    1 => prop::collection::vec(33_u8..97, TOGETHER - 100..TOGETHER + 100),
                    1 => prop::collection::vec(any::<u8>(), 0..200),
                ],
                0..20,
            ),
        ) {
            let mut expected = [0; 256];
            for &byte in reads.iter().flatten() {
                expected[usize::from(byte)] += 1;
            }
            let other_machine = QualityCounters { values: None, ..QualityCounters::new() };
            for mut counters in [QualityCounters::new(), other_machine] {
                let mut wide = [0; 256];
                for read in &reads {
                    counters.add(read, &mut wide);
                }
                let mut looked_at = wide;
                counters.add_to(&mut looked_at);
                prop_assert_eq!(looked_at, expected);
                counters.drain_into(&mut wide);
                prop_assert_eq!(wide, expected);
            }
        }
    }
}
