//! Size and time of change of a file when it was opened.

use std::fs::File;
use std::io;
use std::time::SystemTime;

use crate::{Error, ErrorKind, Result};

/// An open file, with its size and time of change.
#[derive(Debug)]
pub(super) struct Stamp {
    file: File,
    bytes: u64,
    /// `None` where the system has none.
    changed: Option<SystemTime>,
}

impl Stamp {
    /// The stamp of a file as it is now.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn new(file: File) -> io::Result<Self> {
        let data = file.metadata()?;
        Ok(Self {
            bytes: data.len(),
            changed: data.modified().ok(),
            file,
        })
    }

    /// Size of the file as it was then.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Checks that the file is as it was. A file that has taken its name since then does not matter: this one is still open.
    ///
    /// # Errors
    /// [`ErrorKind::DatabaseChanged`] if it is not, or what the system said.
    pub(super) fn check(&self) -> Result<()> {
        let data = self.file.metadata();
        let data = data.map_err(|source| Error::new(ErrorKind::Io(source)))?;
        let what = if data.len() != self.bytes {
            format!("it had {} bytes and has {}", self.bytes, data.len())
        } else if data.modified().ok() != self.changed {
            "its time of change is another one".to_owned()
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::DatabaseChanged { what }))
    }
}
