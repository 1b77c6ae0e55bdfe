//! Files that are whole, and how they get their names.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::Error;
use crate::names::{close, name, persist};

/// A file whose bytes are safe and that only lacks its name, or a closed pipe.
#[derive(Debug)]
pub(crate) struct Sealed {
    path: PathBuf,
    nameless: Nameless,
    overwrite: bool,
}

/// What is to get a name.
#[derive(Debug)]
pub(crate) enum Nameless {
    /// A pipe or device: nothing.
    Stream,
    /// A file without a name.
    Unnamed(File),
    /// A file with a temporary name, closed.
    Named(TempPath),
}

impl Sealed {
    pub(crate) fn new(path: PathBuf, nameless: Nameless, overwrite: bool) -> Self {
        Self {
            path,
            nameless,
            overwrite,
        }
    }

    /// Its final name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Give the file its name.
    pub(crate) fn save(self) -> Result<(), Error> {
        let path = &self.path;
        let outcome = match self.nameless {
            Nameless::Stream => return Ok(()),
            Nameless::Unnamed(file) => name(&file, path, self.overwrite).and_then(|()| close(file)),
            Nameless::Named(temporary) => persist(temporary, path, self.overwrite),
        };
        outcome.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists { path: path.clone() },
            _ => Error::save(path, error),
        })
    }
}
