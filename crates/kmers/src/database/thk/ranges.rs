//! All records of a partitioned file in order, one range of k-mers after the other.
//!
//! ```text
//! bounds = every 64th of the first k-mers of all blocks, sorted
//! for each bound: take from every partition what is below it; sort that
//! ```
//!
//! A range has some 65,000 records, 1 MB, which a core's cache holds. Rejected: a heap of the partitions' next
//! records, 150 ns per record with 1024 partitions, of which ten levels of unpredictable comparisons were 120; sorting
//! a range by one scatter into buckets of two, then each bucket.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bits::{bit_length, high_bits, subtract};
use super::layout::Index;
use crate::count::sort_by_upper;
use crate::database::{BATCH, Format, Records, Source};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Blocks whose first k-mers lie in a range.
const BLOCKS: usize = 64;

/// The records of sorted partitions that have no k-mer in common.
pub(super) struct Ranges<K: Kmer> {
    partitions: Vec<Records<K>>,
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
    pub(super) fn new(
        partitions: Vec<Records<K>>,
        index: &Arc<Index<K>>,
        k: usize,
        path: &Path,
    ) -> Ranges<K> {
        let mut firsts: Vec<K> = index.entries.iter().map(|entry| entry.first).collect();
        firsts.sort_unstable();
        let mut bounds: Vec<K> = firsts.into_iter().step_by(BLOCKS).collect();
        bounds.reverse();
        Ranges {
            partitions,
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

    /// Whether there is a next range; it is then in `range`.
    fn next_range(&mut self) -> Result<bool> {
        self.range.clear();
        self.handed_on = 0;
        while self.range.is_empty() {
            if self.finished {
                return Ok(false);
            }
            let bound = self.bounds.pop();
            self.finished = bound.is_none();
            for partition in &mut self.partitions {
                partition.take_below(bound, &mut self.range)?;
            }
        }
        sort_by_distance(&mut self.range, &mut self.scratch);
        for &(kmer, _) in &self.range {
            if self.last >= Some(kmer) {
                let letters = kmer.to_letters(self.k);
                return Err(Error::Damaged {
                    path: self.path.clone(),
                    format: Format::Thk.name(),
                    reason: format!("{} is in two partitions", String::from_utf8_lossy(&letters)),
                });
            }
            self.last = Some(kmer);
        }
        Ok(true)
    }
}

impl<K: Kmer> Source<K> for Ranges<K> {
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
    use super::*;
    use proptest::prelude::*;

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
