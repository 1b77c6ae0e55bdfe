//! One output of one thread, with errors that name it as the user did.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thalweg_write::{
    Compressor, Error, Level, OutputFormat, SealedFile, WholeFile, is_standard_output,
};

use crate::Fault;
use crate::fault::STANDARD_OUTPUT;

/// A file that gets its name when it is whole, or a stream, and errors that name it as the user did.
///
/// [`finish`](Self::finish) must be called: dropping it before leaves nothing behind.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    format: OutputFormat,
    level: Level,
    file: WholeFile,
}

impl OutputFile {
    /// Compressed as its name says; `-` is the standard output. Pipes and devices are written to directly.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn create(given: &Path) -> Result<Self, Fault> {
        Self::create_as(given, OutputFormat::of_name(given), Level::default())
    }

    /// The same, and what is written stays as it is, whatever the name.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_plain(given: &Path) -> Result<Self, Fault> {
        Self::create_as(given, OutputFormat::Plain, Level::default())
    }

    /// The same, compressed so, and so hard.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_as(given: &Path, format: OutputFormat, level: Level) -> Result<Self, Fault> {
        let path = match is_standard_output(given) {
            true => PathBuf::from(STANDARD_OUTPUT),
            false => given.to_owned(),
        };
        match WholeFile::open_as(given, format, level) {
            Ok(file) => Ok(Self {
                path,
                format,
                level,
                file,
            }),
            Err(error) => Err(fault(&path, error)),
        }
    }

    /// What all threads can compress with what is then [written compressed](Self::write_compressed); `None` where nothing
    /// is to be compressed.
    pub fn compressors(&self) -> Option<Compressors> {
        (self.format != OutputFormat::Plain).then(|| Compressors {
            path: self.path.clone(),
            format: self.format,
            level: self.level,
            idle: Mutex::default(),
        })
    }

    /// Write all of `bytes`.
    ///
    /// # Errors
    /// If the system refuses them.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        (self.file.write(bytes)).map_err(|error| fault(&self.path, error))
    }

    /// Write all of `bytes`, which its [`Compressors`] have made.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_compressed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        (self.file.write_compressed(bytes)).map_err(|error| fault(&self.path, error))
    }

    /// Make sure that everything has arrived, and give the file its name.
    ///
    /// # Errors
    /// If it has not, or cannot have its name.
    pub fn finish(self) -> Result<(), Fault> {
        (self.file.finish()).map_err(|error| fault(&self.path, error))
    }

    /// The same of several: none gets its name before the data of all have arrived.
    ///
    /// # Errors
    /// As [`finish`](Self::finish); if some have their names already, it tells which.
    pub fn finish_all(files: impl IntoIterator<Item = Self>) -> Result<(), Fault> {
        let sealed = files.into_iter().map(Self::seal);
        Ok(SealedFile::name_all(
            sealed.collect::<Result<Vec<_>, _>>()?,
        )?)
    }

    /// Make sure that everything has arrived; [its name](SealedFile::name_all) is left to give.
    ///
    /// # Errors
    /// If it has not.
    pub fn seal(self) -> Result<SealedFile, Fault> {
        (self.file.seal()).map_err(|error| fault(&self.path, error))
    }
}

/// Compressors of one output, as many as there are threads that ask for one.
pub struct Compressors {
    path: PathBuf,
    format: OutputFormat,
    level: Level,
    idle: Mutex<Vec<Compressor>>,
}

impl Compressors {
    /// Append the compressed form of `text` to `into`.
    ///
    /// # Errors
    /// If there is no memory for a compressor.
    pub fn compress(&self, text: &[u8], into: &mut Vec<u8>) -> Result<(), Fault> {
        let fail = |source| {
            let path = self.path.clone();
            Fault::from(Error::Compress { path, source })
        };
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut compressor = match taken {
            Some(compressor) => compressor,
            None => Compressor::new(self.format, self.level).map_err(fail)?,
        };
        compressor.compress(text, into).map_err(fail)?;
        idle().push(compressor);
        Ok(())
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
