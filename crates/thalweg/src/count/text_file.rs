//! k-mers with their counts as lines of text.

use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Formatted, Formatter, KmerRecords, Separator, Totals};

use super::Fault;
use crate::output_file::{Compressors, OutputFile};

/// Bytes collected before the system is asked to write.
const BUFFER: usize = 1 << 18;

/// k-mers as lines of text, also to pipes and the standard output.
pub(crate) struct TextFile {
    output: OutputFile,
    formatter: Formatter,
    /// What is not written yet.
    pending: Formatted,
    totals: Totals,
}

impl TextFile {
    pub(crate) fn new(output: OutputFile, k: usize, separator: Separator) -> Self {
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

    /// What was written.
    pub(crate) fn totals(&self) -> &Totals {
        &self.totals
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

    /// Write all records with counts in `kept`, in the order in which they come, as long as `watch`, which is told how many
    /// there were, has nothing against it. So many threads make text of them.
    pub(crate) fn extend<K: Kmer>(
        &mut self,
        records: KmerRecords<K>,
        kept: (u64, u64),
        threads: usize,
        watch: impl Fn(u64) -> thalweg_kmers::Result<()> + Sync,
    ) -> Result<(), Fault> {
        let formatter = self.formatter.clone();
        let packer = self.packer();
        let kept = kept.0..=kept.1;
        // A count, tied to no other memory.
        let read = AtomicU64::new(0);
        records.in_order(
            threads,
            |records, packed: &mut Packed| {
                read.fetch_add(records.len() as u64, Ordering::Relaxed);
                for &(kmer, count) in records.iter().filter(|record| kept.contains(&record.1)) {
                    formatter.push(kmer, count, &mut packed.text)?;
                }
                packer.pack(packed)
            },
            |packed| {
                watch(read.load(Ordering::Relaxed))?;
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
        self.output.write_compressed(&packed.bytes)
    }

    /// Write k-mers that are text already.
    pub(crate) fn append(&mut self, records: &Formatted) -> Result<(), Fault> {
        self.flush()?;
        self.totals.merge(records.totals());
        self.output.write(records.bytes())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.totals.merge(self.pending.totals());
        let result = self.output.write(self.pending.bytes());
        self.pending.clear();
        result
    }

    /// Write what is pending; more may be written in another way.
    pub(crate) fn into_output(mut self) -> Result<(OutputFile, Totals), Fault> {
        self.flush()?;
        Ok((self.output, self.totals))
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
    pub(crate) fn pack(&self, packed: &mut Packed) -> Result<(), Fault> {
        match &self.0 {
            Some(compressors) if packed.text.bytes().len() >= Self::LEAST => {
                Ok(compressors.compress(packed.text.bytes(), &mut packed.bytes)?)
            }
            _ => Ok(()),
        }
    }
}
