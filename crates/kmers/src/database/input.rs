//! A file that is read at any place, and one that is read from front to back.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_files::{ReadAt, ReadFrom};

use crate::error::{Error, Result};

/// Bytes asked of the system at once when a file is read in order.
const BUFFER: usize = 1 << 18;

/// Fails for pipes and devices: what is read of them to tell the format would be missing afterwards.
pub(crate) fn require_regular(file: &File, path: &Path) -> Result<()> {
    let metadata = file.metadata().map_err(|source| Error::io(path, source))?;
    if metadata.is_dir() {
        if has_shards(path) {
            return Err(Error::NoManifest {
                path: path.to_path_buf(),
            });
        }
        return Err(Error::io(path, io::ErrorKind::IsADirectory.into()));
    }
    match metadata.is_file() {
        true => Ok(()),
        false => Err(Error::NotRegular {
            path: path.to_path_buf(),
        }),
    }
}

/// Whether `.thk` files are in a directory.
fn has_shards(directory: &Path) -> bool {
    let is_shard = |name: &Path| name.extension().is_some_and(|ending| ending == "thk");
    std::fs::read_dir(directory)
        .is_ok_and(|entries| entries.flatten().any(|entry| is_shard(&entry.path())))
}

/// An open file, its size when it was opened, and its name for messages.
#[derive(Debug)]
pub(crate) struct Input {
    file: Arc<dyn ReadAt>,
    size: u64,
    path: PathBuf,
}

impl Input {
    pub(crate) fn open(path: &Path) -> Result<Input> {
        let failed = |source| Error::io(path, source);
        let file = File::open(path).map_err(failed)?;
        require_regular(&file, path)?;
        Input::from_file(file, path)
    }

    /// Bytes from anywhere; `path` is for messages.
    pub(crate) fn new(file: Arc<dyn ReadAt>, size: u64, path: &Path) -> Input {
        Input {
            file,
            size,
            path: path.to_path_buf(),
        }
    }

    /// An unnamed file; `path` is for messages.
    pub(crate) fn from_file(file: File, path: &Path) -> Result<Input> {
        let metadata = file.metadata().map_err(|source| Error::io(path, source))?;
        Ok(Input {
            size: metadata.len(),
            file: Arc::new(file),
            path: path.to_path_buf(),
        })
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Fills `buffer` with the bytes from `offset` on.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        (self.file.read_exact_at(buffer, offset)).map_err(|source| Error::io(&self.path, source))
    }

    /// `length` bytes from `offset` on. The caller checked `length` against the size of the file.
    pub(crate) fn bytes_at(&self, offset: u64, length: u64) -> Result<Vec<u8>> {
        debug_assert!(
            offset
                .checked_add(length)
                .is_some_and(|end| end <= self.size)
        );
        let length = usize::try_from(length)
            .map_err(|_| Error::io(&self.path, io::ErrorKind::OutOfMemory.into()))?;
        let mut buffer = vec![0; length];
        self.read_at(&mut buffer, offset)?;
        Ok(buffer)
    }

    /// A reader of the bytes from `offset` on. It reads the file that is open, whatever has got its name since.
    pub(crate) fn reader(&self, offset: u64) -> BufReader<Behind> {
        let behind = ReadFrom::new(Arc::clone(&self.file), offset);
        BufReader::with_capacity(BUFFER, behind)
    }
}

/// What of a file is behind a place, which moves as it is read.
pub(crate) type Behind = ReadFrom<Arc<dyn ReadAt>>;
