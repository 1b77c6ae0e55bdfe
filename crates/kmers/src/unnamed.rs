//! A temporary file without a name: nothing of it is left when the process ends, however it ends.

use crate::{
    error::{Error, Result},
    file_at::{read_exact_at, write_all_at},
};
use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// Threads append to it and read from it at the same time.
#[derive(Debug)]
pub(crate) struct UnnamedFile {
    file: File,
    /// For messages.
    directory: PathBuf,
    end: AtomicU64,
}

impl UnnamedFile {
    pub(crate) fn create(directory: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(directory).map_err(|e| Error::temporary(directory, e))?;
        Ok(Self {
            file,
            directory: directory.to_owned(),
            end: AtomicU64::new(0),
        })
    }

    /// One more in the same directory.
    pub(crate) fn another(&self) -> Result<Self> {
        Self::create(&self.directory)
    }

    /// Bytes appended.
    pub(crate) fn bytes(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Writes `bytes` where nobody else does and tells where.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64> {
        // A place of its own for each writer; who reads it has heard of it by other means.
        let offset = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        write_all_at(&self.file, bytes, offset).map_err(|e| self.failure(e))?;
        Ok(offset)
    }

    pub(crate) fn read(&self, bytes: &mut [u8], offset: u64) -> Result<()> {
        read_exact_at(&self.file, bytes, offset).map_err(|e| self.failure(e))
    }

    /// What was read is not what was written.
    pub(crate) fn changed(&self) -> Error {
        self.failure(io::Error::other("it changed while it was in use"))
    }

    fn failure(&self, error: io::Error) -> Error {
        Error::temporary(&self.directory, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_read() {
        let file = UnnamedFile::create(&std::env::temp_dir()).expect("a temporary directory");
        let places: Vec<u64> = [&b"abc"[..], b"", b"de"]
            .iter()
            .map(|bytes| file.append(bytes).expect("room"))
            .collect();
        assert_eq!(places, [0, 3, 3]);
        let mut bytes = [0; 3];
        file.read(&mut bytes, 1).expect("these bytes");
        assert_eq!(&bytes, b"bcd");
        assert!(file.read(&mut bytes, 3).is_err());
    }

    #[test]
    fn a_missing_directory_is_named() {
        let error = UnnamedFile::create(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
