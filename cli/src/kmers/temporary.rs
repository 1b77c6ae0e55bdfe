//! Files under names that are not their last: what errors tell of them, and that none is left.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thalweg::files;
use thalweg::kmers::{Error, Result};
use thalweg::write::{directory_of, resolve};

/// How the names of temporary files begin.
const PREFIX: &str = "thalweg-";

/// The temporary files that had names, and what errors tell instead. There are few.
static NAMES: Mutex<Vec<(PathBuf, Told)>> = Mutex::new(Vec::new());

/// What errors tell of a temporary file, whose random name nobody knows.
#[derive(Clone)]
enum Told {
    /// Its directory.
    Directory(PathBuf),
    /// The output that it becomes.
    Output(PathBuf),
}

/// A name for a file that must not outlive the command.
pub(crate) struct TemporaryName {
    name: files::TemporaryName,
}

impl TemporaryName {
    /// Of a file that is put aside in `directory`.
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        Self::in_directory(directory, Told::Directory(directory.to_owned()))
            .map_err(|error| Error::temporary(directory, error))
    }

    /// Of what becomes `output` when it is whole, beside the file that this names.
    pub(crate) fn beside(output: &Path) -> Result<Self> {
        Self::in_directory(
            directory_of(&resolve(output)),
            Told::Output(output.to_owned()),
        )
        .map_err(|error| Error::io(output, error))
    }

    fn in_directory(directory: &Path, told: Told) -> io::Result<Self> {
        let (_, name) = files::TemporaryName::create(directory, PREFIX)?;
        // What is written to it is named without links on the way.
        let names = [name.path().to_path_buf(), resolve(name.path())];
        let mut all = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(names.into_iter().map(|name| (name, told.clone())));
        Ok(Self { name })
    }

    pub(crate) fn path(&self) -> &Path {
        self.name.path()
    }
}

/// `error` with what is told of a temporary file instead of its name, if it is one of [`TemporaryName`].
pub(crate) fn as_told(error: Error) -> Error {
    let Error::Io { path, source } = error else {
        return error;
    };
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.iter().find(|(name, _)| *name == path) {
        Some((_, Told::Directory(directory))) => Error::temporary(directory, source),
        Some((_, Told::Output(output))) => Error::io(output, source),
        None => Error::Io { path, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_temporary_files_are_told_without_their_names() {
        let directory = tempfile::tempdir().unwrap();
        let told = |path: &Path| as_told(Error::io(path, io::ErrorKind::StorageFull.into()));
        let temporary = TemporaryName::new(directory.path()).unwrap();
        for path in [temporary.path(), &resolve(temporary.path())] {
            assert!(
                matches!(told(path), Error::Temporary { directory: told, .. } if told == directory.path())
            );
        }
        let output = directory.path().join("x.jf");
        let unfinished = TemporaryName::beside(&output).unwrap();
        assert!(matches!(told(unfinished.path()), Error::Io { path, .. } if path == output));
        // What has such a name, or is that directory, and was not made here.
        for other in [
            directory.path().join("thalweg-x"),
            directory.path().to_owned(),
        ] {
            assert!(matches!(told(&other), Error::Io { path, .. } if path == other));
        }
        let missing = directory.path().join("missing");
        let error = TemporaryName::new(&missing).err().unwrap();
        assert!(matches!(error, Error::Temporary { directory, .. } if directory == missing));
    }
}
