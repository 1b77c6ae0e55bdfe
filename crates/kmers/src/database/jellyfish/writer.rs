//! Writes Jellyfish's files, in the order of the k-mers.

use std::path::Path;

use super::header::to_bytes;
use crate::database::number::write_number;
use crate::database::output::{FULL, Output};
use crate::database::{Description, Format, Totals, text};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Bytes of a count, unless told otherwise: as Jellyfish.
const COUNTER_BYTES: u8 = 4;

/// A file that is being written; records must come sorted.
#[derive(Debug)]
pub(crate) struct Writer {
    output: Output,
    description: Description,
    counter_bytes: u8,
    format: Format,
    /// Of the counts as they are stored.
    totals: Totals,
    buffer: Vec<u8>,
}

impl Writer {
    pub(crate) fn create(path: &Path, format: Format, description: &Description) -> Result<Writer> {
        let counter_bytes = description.counter_bytes.unwrap_or(COUNTER_BYTES);
        if !(1..=8).contains(&counter_bytes) {
            return Err(Error::BadOption(format!(
                "counts of {counter_bytes} bytes: Jellyfish has 1 to 8"
            )));
        }
        let mut output = Output::create(path)?;
        let totals = Totals::default();
        output.write(&to_bytes(description, format, counter_bytes, &totals))?;
        Ok(Writer {
            output,
            description: description.clone(),
            counter_bytes,
            format,
            totals,
            buffer: Vec::new(),
        })
    }

    pub(crate) fn push<K: Kmer>(&mut self, kmer: K, count: u64) -> Result<()> {
        let k = self.description.k;
        if self.format == Format::JellyfishText {
            self.totals.add(count);
            text::write_line(kmer, k, count, b' ', &mut self.buffer);
        } else {
            let count = self.description.fit(kmer, count, self.counter_bytes)?;
            self.totals.add(count);
            write_number(kmer, k, &mut self.buffer);
            let end = self.buffer.len() + usize::from(self.counter_bytes);
            self.buffer.extend_from_slice(&count.to_le_bytes());
            self.buffer.truncate(end);
        }
        if self.buffer.len() >= FULL {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.output.write(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        let (description, totals) = (&self.description, &self.totals);
        let header = to_bytes(description, self.format, self.counter_bytes, totals);
        self.output.rewrite_start(&header)?;
        self.output.finish()
    }
}
