//! All records of a partitioned file in order, one range of k-mers after the other.
//!
//! ```text
//! bounds = every 64th of the first k-mers of all blocks, sorted; of more than 2048 partitions fewer
//! until all are taken:
//!   bound = the next of these, or the least k-mer that has 64 or more before it in what is left of its partition's block
//!   take from every partition what is below the bound; sort that
//! ```
//!
//! The first k-mers of the blocks do not suffice as bounds: those of the partitions' first blocks lie together near 0,
//! those of the second ones together again, as partitions are of one size, and between them lies a whole block of each.
//!
//! A block is decoded when a range reaches its first k-mer, which the index has, and given back when nothing of it is
//! left: in memory are the blocks that a bound lies in, at most one of each partition. That is 256 MiB of the 16,384
//! partitions that a count makes at most, of 13 GB of FASTQ and more, for k up to 32, and 512 MiB up to 64; 64 MiB of 4096. A
//! file may have more: its blocks are a tenth of what they hold or more if a bound lies in many of them, so that memory is
//! some times the size of the file.
//!
//! Of 2048 partitions, a range has some 65,000 records, 1 MB, which a core's cache holds; of 16,384 eight times as many. Rejected:
//! a heap of the partitions' next records, whose levels of unpredictable comparisons were most of the time; sorting a range
//! by one scatter into buckets of two, then each bucket.

use std::path::{Path, PathBuf};

use super::bits::{bit_length, high_bits, subtract};
use super::cursor::Cursor;
use crate::count::sort_by_upper;
use crate::database::{BATCH, DatabaseFormat, RecordSource};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Blocks whose first k-mers lie in a range.
const BLOCKS: usize = 64;

/// A range has a block for so many partitions at least, so that it takes 32 records of each at once: with fewer of each,
/// bringing their few lines into the cache is most of the work.
const PARTITIONS_OF_BLOCK: usize = 32;

/// Blocks of a range at most: those of the 16,384 partitions of the largest counts.
const MOST_BLOCKS: usize = 512;

/// Records that a range takes at most of a block that is held, if there are more of it: the least of such bounds of thousands
/// of partitions comes to half of that.
const MOST_HELD: usize = 64;

/// The records of sorted partitions that have no k-mer in common.
pub(super) struct Ranges<K: Kmer> {
    partitions: Vec<Partition<K>>,
    /// Where ranges end, the last first.
    bounds: Vec<K>,
    /// Whether the range behind the last bound was taken.
    finished: bool,
    range: Vec<(K, u64)>,
    scratch: Vec<(K, u64)>,
    handed_on: usize,
    last: Option<K>,
    k: usize,
    /// For messages.
    path: PathBuf,
}

impl<K: Kmer> Ranges<K> {
    pub(super) fn new(partitions: Vec<Cursor<K>>, k: usize, path: &Path) -> Ranges<K> {
        let mut firsts: Vec<K> = partitions.iter().flat_map(Cursor::firsts).collect();
        firsts.sort_unstable();
        let blocks = (partitions.len() / PARTITIONS_OF_BLOCK).clamp(BLOCKS, MOST_BLOCKS);
        let mut bounds: Vec<K> = firsts.into_iter().step_by(blocks).collect();
        bounds.reverse();
        Ranges {
            partitions: partitions.into_iter().map(Partition::new).collect(),
            bounds,
            finished: false,
            range: Vec::new(),
            scratch: Vec::new(),
            handed_on: 0,
            last: None,
            k,
            path: path.to_path_buf(),
        }
    }

    /// Where the next range ends; `None` for the last one.
    fn next_bound(&mut self) -> Option<K> {
        let held = self.partitions.iter().filter_map(Partition::bound).min();
        match (self.bounds.last(), held) {
            (Some(bound), Some(held)) if held < *bound => Some(held),
            (None, Some(held)) => Some(held),
            _ => self.bounds.pop(),
        }
    }

    /// Whether there is a next range; it is then in `range`.
    fn next_range(&mut self) -> Result<bool> {
        self.range.clear();
        self.handed_on = 0;
        while self.range.is_empty() {
            if self.finished {
                return Ok(false);
            }
            let bound = self.next_bound();
            self.finished = bound.is_none();
            for partition in &mut self.partitions {
                partition.take_below(bound, &mut self.range)?;
            }
            self.partitions.retain(|partition| !partition.is_empty());
        }
        sort_by_distance(&mut self.range, &mut self.scratch);
        for &(kmer, _) in &self.range {
            if self.last >= Some(kmer) {
                return Err(Error::Damaged {
                    path: self.path.clone(),
                    format: DatabaseFormat::Thk.name(),
                    reason: format!("{} is in two partitions", kmer.to_text(self.k)),
                });
            }
            self.last = Some(kmer);
        }
        Ok(true)
    }
}

impl<K: Kmer> RecordSource<K> for Ranges<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        if self.handed_on == self.range.len() && !self.next_range()? {
            return Ok(());
        }
        let end = self.range.len().min(self.handed_on + BATCH);
        batch.extend_from_slice(&self.range[self.handed_on..end]);
        self.handed_on = end;
        Ok(())
    }
}

/// A partition, and what is left of its block that a bound lies in.
struct Partition<K> {
    blocks: Cursor<K>,
    left: Vec<(K, u64)>,
    /// Records of `left` that were taken.
    taken: usize,
}

impl<K: Kmer> Partition<K> {
    fn new(blocks: Cursor<K>) -> Partition<K> {
        Partition {
            blocks,
            left: Vec::new(),
            taken: 0,
        }
    }

    fn is_empty(&self) -> bool {
        self.left.is_empty() && self.blocks.next_first().is_none()
    }

    /// A k-mer that is held, and has [`MOST_HELD`] before it; `None` if fewer are held.
    fn bound(&self) -> Option<K> {
        let bound = self.left.get(self.taken + MOST_HELD)?.0;
        // What was read of a file need not ascend, and each range must have a record.
        (bound > self.left[self.taken].0).then_some(bound)
    }

    /// Appends all records below `bound` (all, if there is none) to `out`.
    fn take_below(&mut self, bound: Option<K>, out: &mut Vec<(K, u64)>) -> Result<()> {
        let is_below = |kmer: K| bound.is_none_or(|bound| kmer < bound);
        loop {
            let left = &self.left[self.taken..];
            // One after the other: they are copied anyway, while a search through all that is left would bring
            // lines into the cache that another range needs.
            let below = match bound {
                Some(bound) => left.iter().take_while(|record| record.0 < bound).count(),
                None => left.len(),
            };
            out.extend_from_slice(&left[..below]);
            self.taken += below;
            if self.taken < self.left.len() {
                return Ok(());
            }
            self.taken = 0;
            if !self.blocks.next_first().is_some_and(is_below) {
                self.left = Vec::new();
                return Ok(());
            }
            self.blocks.fill(&mut self.left)?;
        }
    }
}

/// Sorts records by the top bits of their distance from the least one.
pub(crate) fn sort_by_distance<K: Kmer>(records: &mut [(K, u64)], scratch: &mut Vec<(K, u64)>) {
    if records.is_empty() {
        return;
    }
    let (least, greatest) = records
        .iter()
        .fold((records[0].0, records[0].0), |(least, greatest), record| {
            (least.min(record.0), greatest.max(record.0))
        });
    let length = bit_length(subtract(greatest, least));
    sort_by_upper(records, scratch, |kmer, bits| {
        high_bits(subtract(kmer, least), length.saturating_sub(bits as u32)) as usize
    });
}

#[cfg(test)]
mod tests {
    use super::super::{Partitioning, Reader, ThkWriter};
    use super::*;
    use crate::database::Description;
    use proptest::prelude::*;

    /// Partitions of one block each, the last one first: a range has 64 of them, and nothing is held of the others.
    #[test]
    fn only_blocks_that_a_range_reaches_are_held() {
        check_ranges(1000, BLOCKS);
    }

    #[test]
    fn ranges_of_many_partitions_have_more_blocks() {
        check_ranges(3000, 3000 / PARTITIONS_OF_BLOCK);
    }

    fn check_ranges(partitions: u64, blocks: usize) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.thk");
        let description = Description::new(31, false);
        let partitioning = Partitioning::unknown(partitions as u32);
        let writer = ThkWriter::<u64>::create(&path, &description, partitioning).unwrap();
        let mut encoder = writer.encoder();
        let of =
            |partition: u64| (0..100).map(move |i| ((partitions - partition) << 40 | i, i + 1));
        for partition in 0..partitions {
            encoder.begin(partition as u32).unwrap();
            encoder.extend(&Vec::from_iter(of(partition))).unwrap();
            encoder.end().unwrap();
        }
        writer.finish().unwrap();
        let mut ranges = Reader::open(&path).unwrap().ranges::<u64>().unwrap();
        let mut all = Vec::new();
        let mut left = partitions as usize;
        while ranges.next_range().unwrap() {
            all.extend_from_slice(&ranges.range);
            left = left.saturating_sub(blocks);
            assert_eq!(ranges.partitions.len(), left);
            let held = ranges.partitions.iter().map(|rest| rest.left.capacity());
            assert_eq!(held.sum::<usize>(), 0);
        }
        assert!(all.into_iter().eq((0..partitions).rev().flat_map(of)));
    }

    /// Partitions of several blocks, whose first k-mers lie together, as those of a count do.
    #[test]
    fn ranges_between_the_first_k_mers_are_short() {
        let partitions = 300;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.thk");
        let description = Description::new(31, false);
        let partitioning = Partitioning::unknown(partitions);
        let writer = ThkWriter::<u64>::create(&path, &description, partitioning).unwrap();
        let mut encoder = writer.encoder();
        let mut expected = Vec::new();
        for partition in 0..u64::from(partitions) {
            // One of the partitions is denser than the others, and one has but its last k-mers where these have theirs.
            let (first, shift) = match partition {
                7 => (0, 36),
                8 => (2500, 48),
                _ => (0, 44),
            };
            let mixed = |i: u64| (i * 300 + partition).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 34;
            let kmer = |i| (i << shift) | ((mixed(i) << 10) & ((1 << 36) - 1)) | partition;
            let records = Vec::from_iter((first..3000).map(|i| (kmer(i), 1 + i)));
            encoder.begin(partition as u32).unwrap();
            encoder.extend(&records).unwrap();
            encoder.end().unwrap();
            expected.extend(records);
        }
        writer.finish().unwrap();
        expected.sort_unstable();
        let mut ranges = Reader::open(&path).unwrap().ranges::<u64>().unwrap();
        let (mut all, mut longest) = (Vec::new(), 0);
        while ranges.next_range().unwrap() {
            longest = longest.max(ranges.range.len());
            all.extend_from_slice(&ranges.range);
        }
        assert!(all == expected);
        // Of a whole block of each, there would be four times as many.
        assert!(longest < 300 * 1024 / 4, "{longest}");
    }

    proptest! {
        #[test]
        fn sorting_is_sorting(keys in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..100, Just(u64::MAX)], 1..900)) {
            let mut records: Vec<(u64, u64)> = keys.into_iter().map(|key| (key, !key)).collect();
            let mut expected = records.clone();
            expected.sort_unstable();
            sort_by_distance(&mut records, &mut vec![]);
            prop_assert_eq!(records, expected);
        }
    }
}
