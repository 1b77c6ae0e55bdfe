//! External sorting: records in any order in, sorted records out, in bounded memory.
//!
//! Records are collected until the memory is full, sorted, and written as a run to an unnamed file; at the end the
//! runs are merged. When there are 512 runs, or as many as that memory has buffers for, they are merged into one, so that
//! the buffers of a merge stay below 32 MB. Used for what has no order (Jellyfish's hash order, TSV, FASTA) and for KMC's bins, of which there
//! are hundreds of thousands of sorted pieces, too small and too many to be merged as they are. The partitions of a
//! `.thk` file are merged without it.

use std::path::PathBuf;

use super::merge::{Summed, sum};
use super::records::{BATCH, KmerRecords, RecordSource};
use super::thk::Runs;
use crate::error::Result;
use crate::kmer::Kmer;

/// Runs that are merged at once: each has a buffer of 16 KiB and one decoded block.
const FAN_IN: usize = 512;

/// However little memory there is: fewer would be written again and again.
const SMALLEST_FAN_IN: usize = 32;

/// Bytes of a run's buffer.
const RUN_BUFFER: usize = 16 << 10;

/// The fewest records of a run, whatever the limit: smaller ones would only make more runs.
const SMALLEST_RUN: usize = 1 << 14;

/// What a sort may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortOptions {
    /// Bytes for records that wait to be sorted; 256 MiB unless set. Buffers of the merge, at most 32 MB for
    /// k up to 32 and 64 MB above, come on top.
    pub memory: usize,
    /// Where runs are written that memory does not hold; the system's directory of temporary files unless set.
    pub directory: PathBuf,
}

impl Default for SortOptions {
    fn default() -> Self {
        SortOptions {
            memory: 256 << 20,
            directory: std::env::temp_dir(),
        }
    }
}

/// Sorts records that come one by one. The counts of a k-mer that comes more than once are added up.
#[derive(Debug)]
pub struct Sorter<K: Kmer> {
    options: SortOptions,
    k: usize,
    capacity: usize,
    fan_in: usize,
    pending: Vec<(K, u64)>,
    runs: Option<Runs<K>>,
}

impl<K: Kmer> Sorter<K> {
    /// A sorter of k-mers of length `k`.
    pub fn new(k: usize, options: &SortOptions) -> Sorter<K> {
        Sorter {
            options: options.clone(),
            k,
            capacity: (options.memory / size_of::<(K, u64)>()).max(SMALLEST_RUN),
            fan_in: (options.memory / (RUN_BUFFER + BATCH * size_of::<(K, u64)>()))
                .clamp(SMALLEST_FAN_IN, FAN_IN),
            pending: Vec::new(),
            runs: None,
        }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// [`Error::Temporary`](crate::Error::Temporary) when a run cannot be written, [`Error::Mismatch`](crate::Error::Mismatch)
    /// when counts add up to more than 64 bits.
    #[inline]
    pub fn push(&mut self, kmer: K, count: u64) -> Result<()> {
        if self.pending.len() == self.pending.capacity() {
            self.make_room()?;
        }
        self.pending.push((kmer, count));
        Ok(())
    }

    /// The sorted records.
    ///
    /// # Errors
    /// As [`Sorter::push`].
    pub fn finish(mut self) -> Result<KmerRecords<K>> {
        if self.runs.is_none() {
            self.sort_pending()?;
            return Ok(KmerRecords::from_vec(self.pending));
        }
        self.spill()?;
        self.pending = Vec::new();
        match self.runs {
            Some(runs) => Ok(KmerRecords::new(Summed::new(runs.into_records()?, self.k)?)),
            None => Ok(KmerRecords::from_vec(Vec::new())),
        }
    }

    #[cold]
    fn make_room(&mut self) -> Result<()> {
        if self.pending.len() >= self.capacity {
            self.spill()?;
        }
        // Doubles up to the limit, so that few records need little.
        let wanted = (2 * self.pending.len()).max(1024).min(self.capacity);
        self.pending
            .reserve_exact(wanted.saturating_sub(self.pending.len()).max(1));
        Ok(())
    }

    fn sort_pending(&mut self) -> Result<()> {
        self.pending.sort_unstable_by_key(|record| record.0);
        let mut kept = 0;
        for i in 0..self.pending.len() {
            let (kmer, count) = self.pending[i];
            if kept > 0 && self.pending[kept - 1].0 == kmer {
                let both = [self.pending[kept - 1].1, count];
                self.pending[kept - 1].1 = sum(both.into_iter(), kmer, self.k)?;
            } else {
                self.pending[kept] = (kmer, count);
                kept += 1;
            }
        }
        self.pending.truncate(kept);
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        self.sort_pending()?;
        let mut runs = match self.runs.take() {
            Some(runs) => runs,
            None => Runs::create(&self.options.directory, self.k)?,
        };
        runs.extend(&self.pending)?;
        runs.end_run();
        self.pending.clear();
        if runs.len() == self.fan_in {
            let mut merged = Runs::create(&self.options.directory, self.k)?;
            let mut all = Summed::new(runs.into_records()?, self.k)?;
            let mut batch = Vec::new();
            loop {
                all.fill(&mut batch)?;
                if batch.is_empty() {
                    break;
                }
                merged.extend(&batch)?;
            }
            merged.end_run();
            runs = merged;
        }
        self.runs = Some(runs);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// `records` records, so few to a run that there are several merges of runs.
    fn check(records: u64, memory: usize, kinds: u64) {
        let mut sorter = Sorter::new(
            12,
            &SortOptions {
                memory,
                ..SortOptions::default()
            },
        );
        sorter.capacity = sorter.capacity.min((memory / 16).max(1));
        let mut expected = BTreeMap::new();
        let mut state = 7u64;
        for _ in 0..records {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(3);
            let kmer = (state >> 40) % kinds;
            sorter.push(kmer, 1 + (state >> 20) % 5).unwrap();
            *expected.entry(kmer).or_insert(0) += 1 + (state >> 20) % 5;
        }
        let sorted: Vec<(u64, u64)> = sorter.finish().unwrap().map(|r| r.unwrap()).collect();
        assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn in_memory() {
        check(0, 1 << 20, 10);
        check(1, 1 << 20, 10);
        check(30_000, 1 << 20, 5000);
    }

    #[test]
    fn in_runs() {
        check(30_000, 16_000, 1 << 24);
        check(30_000, 16_000, 700);
    }

    #[test]
    fn in_more_runs_than_are_merged_at_once() {
        check(20_000, 16 * 16, 1 << 24);
    }

    #[test]
    fn a_missing_directory_is_named() {
        let options = SortOptions {
            memory: 0,
            directory: "/nowhere/at/all".into(),
        };
        let mut sorter = Sorter::new(3, &options);
        let error = (0..100_000u64).find_map(|i| sorter.push(i, 1).err());
        assert!(error.unwrap().to_string().contains("/nowhere/at/all"));
    }
}
