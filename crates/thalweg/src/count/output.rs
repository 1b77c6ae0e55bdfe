//! Text and streams on their way out.

use std::path::{Path, PathBuf};

use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Formatted, Formatter, Separator, Totals};
use thalweg_write::{Error, Format, Level, WholeFile, is_standard_output};

use super::Fault;
use crate::fault::STANDARD_OUTPUT;

/// A file that gets its name when it is whole, or a stream, and errors that name it as the user did.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    file: WholeFile,
}

impl OutputFile {
    /// Compressed as its name says; `-` is the standard output.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn create(given: &Path) -> Result<Self, Fault> {
        Self::create_as(given, Format::of_name(given))
    }

    /// The same, and what is written stays as it is, whatever the name.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_plain(given: &Path) -> Result<Self, Fault> {
        Self::create_as(given, Format::Plain)
    }

    fn create_as(given: &Path, format: Format) -> Result<Self, Fault> {
        let path = match is_standard_output(given) {
            true => PathBuf::from(STANDARD_OUTPUT),
            false => given.to_owned(),
        };
        match WholeFile::open_as(given, format, Level::default()) {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(fault(&path, error)),
        }
    }

    /// Write all of `bytes`.
    ///
    /// # Errors
    /// If the system refuses them.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        (self.file.write(bytes)).map_err(|error| fault(&self.path, error))
    }

    /// Make sure that everything has arrived, and give the file its name.
    ///
    /// # Errors
    /// If it has not, or cannot have its name.
    pub fn finish(self) -> Result<(), Fault> {
        (self.file.finish()).map_err(|error| fault(&self.path, error))
    }
}

/// Whoever writes one block behind the other need not be told at which byte.
fn fault(path: &Path, error: Error) -> Fault {
    match error {
        Error::Open { source, .. } | Error::Write { source, .. } | Error::Save { source, .. } => {
            Fault::io(path, source)
        }
        error => error.into(),
    }
}

/// Bytes collected before the system is asked to write.
const BUFFER: usize = 1 << 18;

/// k-mers as lines of text.
pub(super) struct TextFile {
    output: OutputFile,
    pub(super) formatter: Formatter,
    /// What is not written yet.
    pending: Formatted,
    pub(super) totals: Totals,
}

impl TextFile {
    pub(super) fn new(output: OutputFile, k: usize, separator: Separator) -> Self {
        Self {
            output,
            formatter: Formatter::of_text(separator, k),
            pending: Formatted::default(),
            totals: Totals::default(),
        }
    }

    #[inline]
    pub(super) fn push<K: Kmer>(&mut self, kmer: K, count: u64) -> Result<(), Fault> {
        self.formatter.push(kmer, count, &mut self.pending)?;
        match self.pending.bytes().len() >= BUFFER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Write k-mers that are text already.
    pub(super) fn append(&mut self, records: &Formatted) -> Result<(), Fault> {
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

    pub(super) fn finish(mut self) -> Result<Totals, Fault> {
        self.flush()?;
        self.output.finish()?;
        Ok(self.totals)
    }
}
