//! Writes Jellyfish's files, in the order of the k-mers.

use std::path::Path;

use super::header::to_bytes;
use super::sums::{Sums, of_record};
use crate::database::number::{two_words, write_number, write_pairs};
use crate::database::output::Output;
use crate::database::{DatabaseFormat, Description, Formatted, Totals, text};
use crate::error::{Error, Result};
use crate::kmer::{Kmer, byte_len};

/// Bytes of a count, unless told otherwise: as Jellyfish.
const COUNTER_BYTES: u8 = 4;

/// How a record is written.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    description: Description,
    counter_bytes: u8,
    format: DatabaseFormat,
}

/// A file that is being written; records must come sorted.
#[derive(Debug)]
pub(crate) struct Writer {
    output: Output,
    layout: Layout,
    sums: Sums,
}

impl Layout {
    /// At most so many bytes are made of a record.
    pub(crate) fn record_bytes(&self) -> usize {
        let k = self.description.k;
        match self.format {
            DatabaseFormat::JellyfishText => {
                text::Layout::new(k, text::Separator::Blank).record_bytes()
            }
            _ => byte_len(k) + usize::from(self.counter_bytes),
        }
    }

    #[inline]
    pub(crate) fn push<K: Kmer>(&self, kmer: K, count: u64, out: &mut Formatted) -> Result<()> {
        let k = self.description.k;
        if self.format == DatabaseFormat::JellyfishText {
            out.stored.add(kmer, count);
            text::write_line(kmer, k, count, b' ', &mut out.bytes);
            return Ok(());
        }
        let count = self.description.fit(kmer, count, self.counter_bytes)?;
        out.stored.add(kmer, count);
        write_number(kmer, k, &mut out.bytes);
        let end = out.bytes.len() + usize::from(self.counter_bytes);
        out.bytes.extend_from_slice(&count.to_le_bytes());
        out.bytes.truncate(end);
        Ok(())
    }

    /// As [`Self::push`] for all records, which have these totals, and their counts cut to `largest`; does nothing and returns
    /// `false` if they must be pushed one by one.
    pub(crate) fn extend<K: Kmer>(
        &self,
        records: &[(K, u64)],
        largest: u64,
        totals: &Totals,
        out: &mut Formatted,
    ) -> bool {
        let max_count = totals.max_count;
        let limit = (self.description).limit(largest, self.counter_bytes, max_count);
        let (Some(limit), DatabaseFormat::Jellyfish, ..=64) = (limit, self.format, K::MAX_K) else {
            return false;
        };
        let stored = &mut out.stored;
        match max_count <= limit {
            true => stored.totals.merge(totals),
            false => (records.iter()).for_each(|record| stored.totals.add(record.1.min(limit))),
        }
        let bytes = byte_len(self.description.k);
        let pair = |&(kmer, count): &(K, u64)| {
            let number = two_words(kmer);
            debug_assert!(
                bytes == 16 || number >> (8 * bytes) == 0,
                "more bases than k"
            );
            let count = count.min(limit);
            let words = (number as u64).wrapping_add((number >> 64) as u64);
            stored.records = stored.records.wrapping_add(of_record(words, count));
            (number, count)
        };
        write_pairs(
            records.iter().map(pair),
            bytes,
            usize::from(self.counter_bytes),
            &mut out.bytes,
        );
        true
    }
}

impl Writer {
    pub(crate) fn create(
        path: &Path,
        format: DatabaseFormat,
        description: &Description,
    ) -> Result<Writer> {
        let counter_bytes = description.counter_bytes.unwrap_or(COUNTER_BYTES);
        if !(1..=8).contains(&counter_bytes) {
            return Err(Error::BadOption(format!(
                "counts of {counter_bytes} bytes: Jellyfish has 1 to 8"
            )));
        }
        let mut output = Output::create(path)?;
        let sums = Sums::default();
        output.write(&to_bytes(description, format, counter_bytes, &sums))?;
        Ok(Writer {
            output,
            layout: Layout {
                description: description.clone(),
                counter_bytes,
                format,
            },
            sums,
        })
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn append(&mut self, records: &Formatted) -> Result<()> {
        self.sums.merge(&records.stored);
        self.output.write(&records.bytes)
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        let Layout {
            description,
            counter_bytes,
            format,
        } = &self.layout;
        let header = to_bytes(description, *format, *counter_bytes, &self.sums);
        self.output.rewrite_start(&header)?;
        self.output.finish()
    }
}
