//! Files under names that are not their last: what errors tell of them, and that none is left.

use std::path::{Path, PathBuf};

use thalweg_files as files;
use thalweg_kmers::{Error, Result};
use thalweg_write::{directory_of, resolve};

/// How the names of temporary files begin.
const PREFIX: &str = "thalweg-";

/// A name for a file that must not outlive the command, and what errors tell instead: nobody knows the random name.
pub struct TemporaryDatabase {
    name: files::TemporaryName,
    told: Told,
}

enum Told {
    /// Its directory.
    Directory(PathBuf),
    /// The output that it becomes.
    Output(PathBuf),
}

impl TemporaryDatabase {
    /// Of a file that is put aside in `directory`.
    ///
    /// # Errors
    /// If none can be made there.
    pub fn new(directory: &Path) -> Result<Self> {
        let (_, name) = files::TemporaryName::create(directory, PREFIX)
            .map_err(|error| Error::temporary(directory, error))?;
        let told = Told::Directory(directory.to_owned());
        Ok(Self { name, told })
    }

    /// Of what becomes `output` when it is whole, beside the file that this names.
    ///
    /// # Errors
    /// If none can be made there.
    pub fn beside(output: &Path) -> Result<Self> {
        let resolved = resolve(output);
        let (_, name) = files::TemporaryName::create(directory_of(&resolved), PREFIX)
            .map_err(|error| Error::io(output, error))?;
        let told = Told::Output(output.to_owned());
        Ok(Self { name, told })
    }

    /// The name.
    pub fn path(&self) -> &Path {
        self.name.path()
    }

    /// `error` with what is told of this file instead of its name, if that is what it has.
    pub fn told(&self, error: Error) -> Error {
        match error {
            // What is written to it is named without links on the way.
            Error::Io { path, source } if path == self.path() || path == resolve(self.path()) => {
                match &self.told {
                    Told::Directory(directory) => Error::temporary(directory, source),
                    Told::Output(output) => Error::io(output, source),
                }
            }
            error => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn only_our_temporary_files_are_told_without_their_names() {
        let directory = tempfile::tempdir().unwrap();
        let full = |path: &Path| Error::io(path, io::ErrorKind::StorageFull.into());
        let temporary = TemporaryDatabase::new(directory.path()).unwrap();
        for path in [temporary.path(), &resolve(temporary.path())] {
            assert!(
                matches!(temporary.told(full(path)), Error::Temporary { directory: told, .. } if told == directory.path())
            );
        }
        let output = directory.path().join("x.jf");
        let unfinished = TemporaryDatabase::beside(&output).unwrap();
        assert!(
            matches!(unfinished.told(full(unfinished.path())), Error::Io { path, .. } if path == output)
        );
        // What has such a name, or is that directory, and was not made here.
        for other in [
            directory.path().join("thalweg-x"),
            directory.path().to_owned(),
        ] {
            assert!(
                matches!(temporary.told(full(&other)), Error::Io { path, .. } if path == other)
            );
        }
        let missing = directory.path().join("missing");
        let error = TemporaryDatabase::new(&missing).err().unwrap();
        assert!(matches!(error, Error::Temporary { directory, .. } if directory == missing));
    }
}
