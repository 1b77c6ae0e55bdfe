//! Text and streams on their way out.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thalweg_write::{Compressor, Error, Format, Level, WholeFile, is_standard_output};

use super::Fault;
use crate::fault::STANDARD_OUTPUT;

/// A file that gets its name when it is whole, or a stream, and errors that name it as the user did.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    format: Format,
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
            Ok(file) => Ok(Self { path, format, file }),
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

    /// What all threads can compress with what is then [written compressed](Self::write_compressed); `None` where nothing
    /// is to be compressed.
    pub(crate) fn compressors(&self) -> Option<Compressors> {
        (self.format != Format::Plain).then(|| Compressors {
            path: self.path.clone(),
            format: self.format,
            idle: Mutex::default(),
        })
    }

    /// Write all of `bytes`, which its [`Compressors`] have made.
    pub(crate) fn write_compressed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        (self.file.write_compressed(bytes)).map_err(|error| fault(&self.path, error))
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

/// Compressors of one output, as many as there are threads that ask for one.
pub(crate) struct Compressors {
    path: PathBuf,
    format: Format,
    idle: Mutex<Vec<Compressor>>,
}

impl Compressors {
    /// Append the compressed form of `text` to `into`.
    pub(crate) fn compress(&self, text: &[u8], into: &mut Vec<u8>) -> Result<(), Fault> {
        let fail = |source| {
            let path = self.path.clone();
            Fault::Write(Error::Compress { path, source })
        };
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut compressor = match taken {
            Some(compressor) => compressor,
            None => Compressor::new(self.format, Level::default()).map_err(fail)?,
        };
        compressor.compress(text, into).map_err(fail)?;
        idle().push(compressor);
        Ok(())
    }
}
