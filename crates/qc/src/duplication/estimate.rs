//! The duplication rate, whoever counts what when.

use std::sync::{Mutex, PoisonError};

use super::Fingerprint;
use super::shard::{MOST, Shard};

/// Parts of the table, each behind its lock; by the highest bits of the fingerprint.
const SHARDS: usize = 64;
const SHARD_SHIFT: u32 = 64 - SHARDS.trailing_zeros();

/// Fingerprints that a buffer keeps for a shard before it takes the lock.
const BATCH: usize = 64;

/// Counts fingerprints for the duplication rate; shared by all workers.
///
/// The result depends only on the fingerprints, not on their order, the number of
/// threads, or how they were grouped for [`Duplication::merge`], which is associative
/// and commutative.
pub struct Duplication {
    shards: Vec<Mutex<Shard>>,
}

impl Duplication {
    /// Bytes of memory unless told otherwise.
    pub const MEMORY: usize = 64 << 20;

    /// A table that grows to [`Duplication::MEMORY`].
    pub fn new() -> Self {
        Self::with_memory(Self::MEMORY)
    }

    /// A table that grows to at most so many bytes, but at least 32 KiB. Results of
    /// different memory differ once it is full.
    pub fn with_memory(bytes: usize) -> Self {
        let slots = (bytes / SHARDS / size_of::<u64>()).max(64);
        let slots = 1 << slots.ilog2();
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard::new(slots)));
        Duplication {
            shards: shards.collect(),
        }
    }

    /// Add what another table counted, of the same memory.
    pub fn merge(&mut self, other: &Duplication) {
        for (shard, more) in self.shards.iter_mut().zip(&other.shards) {
            let shard = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            shard.merge(&more.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// What came of the fingerprints of all buffers that were emptied; `reads` is how
    /// many there were.
    pub fn summary(&self, reads: u64) -> DuplicationSummary {
        let mut distinct = 0.0;
        let mut levels = [0.0; DuplicationSummary::LEVELS];
        let mut exact = true;
        for shard in &self.shards {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            distinct += shard.distinct();
            exact &= shard.weight() == 1.0;
            for (_, count) in shard.entries() {
                let level = (count as usize).min(levels.len());
                levels[level - 1] += shard.weight();
            }
        }
        let distinct = (distinct.round() as u64).min(reads);
        DuplicationSummary {
            reads,
            distinct,
            exact,
            levels: levels.map(|count| count.round() as u64),
        }
    }
}

impl Default for Duplication {
    fn default() -> Self {
        Self::new()
    }
}

/// A worker's way into [`Duplication`]: collects fingerprints by shard, so that locks
/// are taken once for many. About 34 KiB.
pub struct DuplicationBuffer {
    waiting: Vec<Vec<u64>>,
    reads: u64,
}

impl DuplicationBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        DuplicationBuffer {
            waiting: (0..SHARDS).map(|_| Vec::with_capacity(BATCH)).collect(),
            reads: 0,
        }
    }

    /// Count one read or pair.
    #[inline]
    pub fn add(&mut self, fingerprint: Fingerprint, table: &Duplication) {
        self.reads += 1;
        let shard = (fingerprint.0 >> SHARD_SHIFT) as usize;
        let waiting = &mut self.waiting[shard];
        waiting.push(fingerprint.0);
        if waiting.len() == BATCH {
            empty(waiting, &table.shards[shard]);
        }
    }

    /// Put what waits into the table; returns how many reads or pairs were added since
    /// this was last called. Must be called at the end.
    pub fn finish(&mut self, table: &Duplication) -> u64 {
        for (waiting, shard) in self.waiting.iter_mut().zip(&table.shards) {
            empty(waiting, shard);
        }
        std::mem::take(&mut self.reads)
    }
}

impl Default for DuplicationBuffer {
    fn default() -> Self {
        Self::new()
    }
}

fn empty(waiting: &mut Vec<u64>, shard: &Mutex<Shard>) {
    // A panic elsewhere leaves a shard as good as it was: no call leaves it half done.
    let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
    shard.add(waiting);
    waiting.clear();
}

/// How many reads (or pairs) are copies of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicationSummary {
    /// Reads, or pairs.
    pub reads: u64,
    /// Different ones.
    pub distinct: u64,
    /// Whether `distinct` and `levels` are exact rather than estimated from a sample.
    pub exact: bool,
    /// Different reads by how often they occur: once, twice, and so on; the last one counts
    /// those that occur so often or more often.
    pub levels: [u64; DuplicationSummary::LEVELS],
}

impl DuplicationSummary {
    /// Levels that are told apart.
    pub const LEVELS: usize = 32;

    /// Copies of earlier reads among all reads; 0 without reads.
    pub fn rate(&self) -> f64 {
        match self.reads {
            0 => 0.0,
            reads => (reads - self.distinct) as f64 / reads as f64,
        }
    }
}

const _: () = assert!(DuplicationSummary::LEVELS as u64 <= MOST);

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// A fingerprint for each number.
    fn fingerprint(number: u32) -> Fingerprint {
        Fingerprint::of_read(&number.to_le_bytes())
    }

    fn count(numbers: &[u32], memory: usize) -> Duplication {
        let table = Duplication::with_memory(memory);
        let mut buffer = DuplicationBuffer::new();
        for &number in numbers {
            buffer.add(fingerprint(number), &table);
        }
        assert_eq!(buffer.finish(&table), numbers.len() as u64);
        table
    }

    proptest! {
        #[test]
        fn is_exact_while_there_is_room(numbers in prop::collection::vec(0_u32..500, 0..1000)) {
            let mut counts = HashMap::new();
            for &number in &numbers {
                *counts.entry(number).or_insert(0) += 1;
            }
            let summary = count(&numbers, 1 << 20).summary(numbers.len() as u64);
            prop_assert!(summary.exact);
            prop_assert_eq!(summary.distinct, counts.len() as u64);
            for level in 1..DuplicationSummary::LEVELS {
                let expected = counts.values().filter(|&&count| count == level).count();
                prop_assert_eq!(summary.levels[level - 1], expected as u64);
            }
        }

        #[test]
        fn order_and_grouping_make_no_difference(
            mut numbers in prop::collection::vec(any::<u16>().prop_map(u32::from), 0..9000),
            cuts in any::<[prop::sample::Index; 2]>(),
        ) {
            // 32 KiB are full after 3,072 different reads, so this samples.
            let memory = 32 << 10;
            let reads = numbers.len() as u64;
            let expected = count(&numbers, memory).summary(reads);
            let mut cuts = cuts.map(|cut| cut.index(numbers.len() + 1));
            cuts.sort();
            numbers.reverse();
            let [a, b, c] = [0..cuts[0], cuts[0]..cuts[1], cuts[1]..numbers.len()]
                .map(|range| count(&numbers[range], memory));
            let mut forwards = count(&[], memory);
            for part in [&a, &b, &c] {
                forwards.merge(part);
            }
            let mut pair = count(&[], memory);
            pair.merge(&c);
            pair.merge(&b);
            let mut backwards = count(&[], memory);
            backwards.merge(&pair);
            backwards.merge(&a);
            prop_assert_eq!(&forwards.summary(reads), &expected);
            prop_assert_eq!(&backwards.summary(reads), &expected);
        }
    }

    #[test]
    fn threads_make_no_difference() {
        let numbers: Vec<u32> = (0..40_000).map(|number| number * number % 30_011).collect();
        let expected = count(&numbers, 64 << 10).summary(40_000);
        assert!(!expected.exact);
        let table = Duplication::with_memory(64 << 10);
        std::thread::scope(|scope| {
            for part in numbers.chunks(10_000) {
                let table = &table;
                scope.spawn(move || {
                    let mut buffer = DuplicationBuffer::new();
                    for &number in part {
                        buffer.add(fingerprint(number), table);
                    }
                    buffer.finish(table);
                });
            }
        });
        assert_eq!(table.summary(40_000), expected);
    }

    #[test]
    fn a_sample_comes_close() {
        // 200,000 different reads, half of them twice, in room for 49,152.
        let numbers: Vec<u32> = (0..200_000).chain(0..100_000).collect();
        let summary = count(&numbers, 512 << 10).summary(300_000);
        assert!(!summary.exact);
        let (rate, expected) = (summary.rate(), 1.0 / 3.0);
        assert!((rate - expected).abs() < 0.02, "{rate}");
        let (once, twice) = (summary.levels[0] as f64, summary.levels[1] as f64);
        assert!((once / 100_000.0 - 1.0).abs() < 0.05, "{once}");
        assert!((twice / 100_000.0 - 1.0).abs() < 0.05, "{twice}");
    }

    #[test]
    fn nothing_has_no_copies() {
        assert_eq!(Duplication::new().summary(0).rate(), 0.0);
    }
}
