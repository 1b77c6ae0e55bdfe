//! A temporary file without a name: nothing of it is left when the process ends, however it ends.

use crate::ReadAt;
use crate::temporary_name::create_nameless;
use crate::unfinished::create_unnamed;
use std::{
    fs::File,
    io::{self, IoSlice, Write},
    path::{Path, PathBuf},
};

/// One thread appends to it; any reads from it.
///
/// Each thread has a file of its own, as the system lets one at a time write to a file, and it should write much at once, which
/// gets large pages: 450 MB by two threads in blocks of 8 KiB took 0.23 s to one file, 0.12 s to two of them, and 0.05 s in
/// blocks of 64 KiB and more.
#[derive(Debug)]
pub struct UnnamedFile {
    file: File,
    /// For messages.
    directory: PathBuf,
    end: u64,
}

/// Why a temporary file could not be made, written or read.
#[derive(Debug, thiserror::Error)]
#[error("{}: temporary files: {source}", directory.display())]
pub struct TemporaryError {
    /// The directory that holds it, as the caller named it: the file has no name, or a random one.
    pub directory: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl UnnamedFile {
    /// An empty one in `directory`, on whose file system it takes room.
    ///
    /// # Errors
    /// What the system said.
    pub fn create(directory: &Path) -> Result<Self, TemporaryError> {
        let file = create(directory).map_err(|source| TemporaryError {
            directory: directory.to_owned(),
            source,
        })?;
        Ok(Self {
            file,
            directory: directory.to_owned(),
            end: 0,
        })
    }

    /// Bytes appended.
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Writes the bytes of all slices, one behind the other, and tells where they begin.
    ///
    /// # Errors
    /// What the system said; some of the bytes may have been appended then.
    pub fn append(&mut self, mut slices: &mut [IoSlice<'_>]) -> Result<u64, TemporaryError> {
        let offset = self.end;
        // Leaves out empty ones, so that no bytes written mean that nothing can be.
        IoSlice::advance_slices(&mut slices, 0);
        while !slices.is_empty() {
            match self.file.write_vectored(slices) {
                Ok(0) => return Err(self.failure(io::ErrorKind::WriteZero.into())),
                Ok(bytes) => {
                    self.end += bytes as u64;
                    IoSlice::advance_slices(&mut slices, bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failure(error)),
            }
        }
        Ok(offset)
    }

    /// Fills `bytes` with what is at `offset`.
    ///
    /// # Errors
    /// What the system said, or that there are fewer bytes.
    pub fn read(&self, bytes: &mut [u8], offset: u64) -> Result<(), TemporaryError> {
        (self.file.read_exact_at(bytes, offset)).map_err(|error| self.failure(error))
    }

    /// The open file, for who writes to it in another way, and tells the directory of what fails.
    pub fn into_file(self) -> File {
        self.file
    }

    /// What was read is not what was written.
    pub fn changed(&self) -> TemporaryError {
        self.failure(io::Error::other("it changed while it was in use"))
    }

    fn failure(&self, source: io::Error) -> TemporaryError {
        TemporaryError {
            directory: self.directory.clone(),
            source,
        }
    }
}

fn create(directory: &Path) -> io::Result<File> {
    match create_unnamed(directory, 0o600) {
        Ok(file) => Ok(file),
        Err(_) => create_nameless(directory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_read() {
        let mut file = UnnamedFile::create(&std::env::temp_dir()).expect("a temporary directory");
        let pieces = [&["a", "bc"][..], &[], &["", ""], &["", "d", "", "e"]];
        let places = pieces.map(|pieces| {
            let mut slices: Vec<_> = (pieces.iter())
                .map(|piece| IoSlice::new(piece.as_bytes()))
                .collect();
            file.append(&mut slices).expect("room")
        });
        assert_eq!((places, file.bytes()), ([0, 3, 3, 3], 5));
        let mut bytes = [0; 3];
        file.read(&mut bytes, 1).expect("these bytes");
        assert_eq!(&bytes, b"bcd");
        assert!(file.read(&mut bytes, 3).is_err());
    }

    #[test]
    fn a_missing_directory_is_named() {
        let error = UnnamedFile::create(Path::new("/nowhere/at/all")).unwrap_err();
        let told = "/nowhere/at/all: temporary files: No such file or directory (os error 2)";
        assert_eq!(error.to_string(), told);
    }
}
