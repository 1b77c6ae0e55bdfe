//! Where a database goes, and in which format.

use std::fs;
use std::path::{Path, PathBuf};

use thalweg_files::UnnamedFile;
use thalweg_kmers::Error;
use thalweg_kmers::database::{DatabaseFormat, files_written};
use thalweg_write::{is_stream, resolve};

use super::Fault;
use super::temporary::TemporaryDatabase;
use crate::Control;
use crate::output_file::OutputFile;

/// A database that is to be written.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name; `-` is the standard output.
    pub path: PathBuf,
    /// Its format.
    pub format: DatabaseFormat,
    /// For what has to be put aside.
    pub temporary_directory: PathBuf,
}

impl Target {
    /// A database of this name and format; what has to be put aside goes to `temporary_directory`.
    ///
    /// Fails now where writing would fail after hours of work: in a directory that is not there
    /// or may not be written to.
    ///
    /// # Errors
    /// If it is a directory, a file that must not be replaced, or a stream that cannot be such a database.
    pub fn with_format(
        path: &Path,
        format: DatabaseFormat,
        temporary_directory: &Path,
    ) -> Result<Self, Fault> {
        if format == DatabaseFormat::Kmc && is_stream(path) {
            return Err(Fault::usage(
                "a KMC database is two files: it cannot go to the standard output or a pipe",
                "name a file",
            ));
        }
        if !is_stream(path) {
            for file in files_written(path, format) {
                refuse_what_cannot_be_replaced(&file)?;
            }
            let resolved = resolve(path);
            let directory = resolved.parent().unwrap_or(&resolved);
            UnnamedFile::create(directory).map_err(|error| Fault::io(path, error.source))?;
        }
        Ok(Self {
            path: path.to_owned(),
            format,
            temporary_directory: temporary_directory.to_owned(),
        })
    }
}

/// Refuses a directory, and a file that may not be written to: nor is it to be replaced.
fn refuse_what_cannot_be_replaced(path: &Path) -> Result<(), Fault> {
    if path.is_dir() {
        return Err(Fault::io(path, std::io::ErrorKind::IsADirectory.into()));
    }
    let resolved = resolve(path);
    if resolved.is_file() {
        let writable = fs::OpenOptions::new().append(true).open(&resolved);
        writable.map_err(|error| Fault::io(path, error))?;
    }
    Ok(())
}

/// The name under which the library writes a file: the final one, or a temporary one that is
/// copied to a stream at the end.
pub(super) struct Placement {
    pub(super) path: PathBuf,
    stream: Option<(OutputFile, TemporaryDatabase)>,
}

impl Placement {
    pub(super) fn new(target: &Target) -> Result<Self, Fault> {
        if is_stream(&target.path) {
            let temporary = TemporaryDatabase::new(&target.temporary_directory)?;
            return Ok(Self {
                path: temporary.path().to_owned(),
                stream: Some((OutputFile::create_plain(&target.path)?, temporary)),
            });
        }
        Ok(Self {
            // A link stays; what it points to is replaced.
            path: resolve(&target.path),
            stream: None,
        })
    }

    /// `error` of whoever writes to it, as the user is told: a temporary name is known to nobody.
    pub(super) fn told(&self, error: Error) -> Error {
        match &self.stream {
            Some((_, temporary)) => temporary.told(error),
            None => error,
        }
    }

    /// The file is whole: send it where it belongs.
    pub(super) fn finish(self, control: &Control) -> Result<(), Fault> {
        let Some((mut output, temporary)) = self.stream else {
            return Ok(());
        };
        let fail = |error| temporary.told(Error::io(temporary.path(), error));
        let mut file = fs::File::open(temporary.path()).map_err(fail)?;
        let mut block = vec![0; 1 << 20];
        loop {
            control.check()?;
            match std::io::Read::read(&mut file, &mut block).map_err(fail)? {
                0 => return output.finish(),
                length => output.write(&block[..length])?,
            }
        }
    }
}
