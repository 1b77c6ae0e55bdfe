//! Records that are checked as they pass.

use super::header::damaged;
use super::reader::Reader;
use super::sums::Sums;
use crate::database::row::out_of_order;
use crate::database::{KmerRecords, RecordSource};
use crate::error::Result;
use crate::kmer::Kmer;

/// All records of a file: they must come in the order of their places in the table, and add up in the end to what the file
/// says, if it does.
pub(super) struct Checked<K: Kmer> {
    records: KmerRecords<K>,
    reader: Reader,
    /// The latest k-mer, behind its place.
    last: Option<(u64, K)>,
    found: Sums,
}

impl<K: Kmer> Checked<K> {
    pub(super) fn new(records: KmerRecords<K>, reader: Reader) -> Self {
        Self {
            records,
            reader,
            last: None,
            found: Sums::default(),
        }
    }

    fn check_order(&mut self, batch: &[(K, u64)]) -> Result<()> {
        for (i, &(kmer, _)) in batch.iter().enumerate() {
            let this = self.reader.key(kmer);
            if self.last >= Some(this) {
                let number = self.found.totals.distinct + i as u64;
                let header = self.reader.header();
                return Err(out_of_order(self.reader.path(), header.format, number));
            }
            self.last = Some(this);
        }
        Ok(())
    }

    /// What is wrong with the sums of all records.
    fn check_sums(&self) -> Result<()> {
        let Some(stored) = self.reader.totals() else {
            return Ok(());
        };
        let found = &self.found.totals;
        let reason = if *found != stored {
            format!(
                "its {} k-mers add up to {}, but it says {} and {}",
                found.distinct, found.total, stored.distinct, stored.total
            )
        } else if (self.reader.record_sum()).is_some_and(|sum| sum != self.found.records) {
            "its records are not those that were written: they have another sum".to_owned()
        } else {
            return Ok(());
        };
        Err(damaged(self.reader.path(), reason))
    }
}

impl<K: Kmer> RecordSource<K> for Checked<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        self.records.fill(batch)?;
        self.check_order(batch)?;
        for &(kmer, count) in batch.iter() {
            self.found.add(kmer, count);
        }
        match batch.is_empty() {
            true => self.check_sums(),
            false => Ok(()),
        }
    }
}
