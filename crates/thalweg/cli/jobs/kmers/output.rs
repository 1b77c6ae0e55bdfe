//! Writes records as lines of text.

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{Formatted, Formatter, Records, Separator, Totals};

use super::failure::Fault;
use crate::output::{Compressors, Output};
use crate::process::exit::Failure;

/// Lines of text, also to pipes and the standard output.
pub(crate) struct TextOutput {
    output: Output,
    formatter: Formatter,
    /// What is not written yet.
    pending: Formatted,
    totals: Totals,
}

/// Bytes collected before the system is asked to write.
const BUFFER: usize = 1 << 18;

impl TextOutput {
    pub(crate) fn new(output: Output, k: usize, separator: Separator) -> Self {
        Self {
            output,
            formatter: Formatter::of_text(separator, k),
            pending: Formatted::default(),
            totals: Totals::default(),
        }
    }

    /// What threads make text of k-mers with, for [`Self::append`].
    pub(crate) fn formatter(&self) -> &Formatter {
        &self.formatter
    }

    #[inline]
    pub(crate) fn push<K: Kmer>(&mut self, kmer: K, count: u64) -> Result<(), Fault> {
        self.formatter.push(kmer, count, &mut self.pending)?;
        match self.pending.bytes().len() >= BUFFER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// What threads compress text with, for [`Self::append_packed`].
    pub(crate) fn packer(&self) -> Packer {
        Packer(self.output.compressors())
    }

    /// Write all records with counts in `kept`, in the order in which they come. So many threads make text of them.
    pub(crate) fn extend<K: Kmer>(
        &mut self,
        records: Records<K>,
        kept: (u64, u64),
        threads: usize,
    ) -> Result<(), Fault> {
        let formatter = self.formatter.clone();
        let packer = self.packer();
        let kept = kept.0..=kept.1;
        records.in_order(
            threads,
            |records, packed: &mut Packed| {
                for &(kmer, count) in records.iter().filter(|record| kept.contains(&record.1)) {
                    formatter.push(kmer, count, &mut packed.text)?;
                }
                Ok(packer.pack(packed)?)
            },
            |packed| {
                self.append_packed(packed)?;
                packed.clear();
                Ok(())
            },
        )
    }

    /// Write k-mers that are text already, and compressed if that pays.
    pub(crate) fn append_packed(&mut self, packed: &Packed) -> Result<(), Fault> {
        if packed.bytes.is_empty() {
            return self.append(&packed.text);
        }
        self.flush()?;
        self.totals.merge(packed.text.totals());
        self.output.write_compressed(&packed.bytes)?;
        Ok(())
    }

    /// Write k-mers that are text already.
    pub(crate) fn append(&mut self, records: &Formatted) -> Result<(), Fault> {
        self.flush()?;
        self.totals.merge(records.totals());
        self.output.write(records.bytes())?;
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.totals.merge(self.pending.totals());
        let result = self.output.write(self.pending.bytes());
        self.pending.clear();
        Ok(result?)
    }

    /// Write what is pending; more may be written in another way.
    pub(crate) fn into_output(mut self) -> Result<Output, Fault> {
        self.flush()?;
        Ok(self.output)
    }

    pub(crate) fn finish(mut self) -> Result<Totals, Fault> {
        self.flush()?;
        self.output.finish()?;
        Ok(self.totals)
    }
}

/// Text on its way to an output that may be compressed.
#[derive(Default)]
pub(crate) struct Packed {
    pub(crate) text: Formatted,
    /// The same, compressed; nothing where that is left to the output.
    bytes: Vec<u8>,
}

impl Packed {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.bytes.clear();
    }
}

/// Compresses text on all threads, where the output is to be compressed.
pub(crate) struct Packer(Option<Compressors>);

impl Packer {
    /// Less than that does not pay: blocks of compressed text would be small.
    const LEAST: usize = 0xff00;

    /// To be called when `packed` has all its text.
    pub(crate) fn pack(&self, packed: &mut Packed) -> Result<(), Failure> {
        match &self.0 {
            Some(compressors) if packed.text.bytes().len() >= Self::LEAST => {
                compressors.compress(packed.text.bytes(), &mut packed.bytes)
            }
            _ => Ok(()),
        }
    }
}
