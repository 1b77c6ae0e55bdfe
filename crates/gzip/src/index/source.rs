//! Where the bytes of an index come from, and what they are called in messages.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_files::{ReadAt, ReadFrom};

use super::IndexError;

/// The bytes of an index; every read names its position, so that threads share one without a lock.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    len: u64,
    bytes: Arc<dyn ReadAt>,
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Source, IndexError> {
        let file = File::open(path).map_err(|error| IndexError::io(path, "open", error))?;
        let metadata = file
            .metadata()
            .map_err(|error| IndexError::io(path, "open", error))?;
        if metadata.is_dir() {
            let error = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(IndexError::io(path, "read", error));
        }
        Self::new(Arc::new(file), path)
    }

    /// `path` is for messages.
    pub(super) fn new(bytes: Arc<dyn ReadAt>, path: &Path) -> Result<Source, IndexError> {
        let len = bytes
            .length()
            .map_err(|error| IndexError::io(path, "open", error))?;
        Ok(Source {
            path: path.to_path_buf(),
            len,
            bytes,
        })
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Source {
        Source {
            path: PathBuf::new(),
            len: bytes.len() as u64,
            bytes: Arc::new(bytes),
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), IndexError> {
        self.bytes
            .read_exact_at(buffer, offset)
            .map_err(|error| IndexError::io(&self.path, "read", error))
    }

    /// Everything from `offset` on, as a stream.
    pub(super) fn reader(&self, offset: u64) -> SourceReader<'_> {
        ReadFrom::new(&*self.bytes, offset)
    }
}

/// Reads a [`Source`] from front to back.
pub(super) type SourceReader<'a> = ReadFrom<&'a dyn ReadAt>;
