//! Where the bytes of an index come from: a file read by position, or memory.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::IndexError;

/// The bytes of an index; every read names its position, so that threads share one without a lock.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    len: u64,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    File(File),
    Memory(Vec<u8>),
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
        Ok(Source {
            path: path.to_path_buf(),
            len: metadata.len(),
            bytes: Bytes::File(file),
        })
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Source {
        Source {
            path: PathBuf::new(),
            len: bytes.len() as u64,
            bytes: Bytes::Memory(bytes),
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), IndexError> {
        match &self.bytes {
            Bytes::File(file) => read_exact_at(file, buffer, offset),
            Bytes::Memory(bytes) => usize::try_from(offset)
                .ok()
                .and_then(|start| bytes.get(start..start.checked_add(buffer.len())?))
                .map(|found| buffer.copy_from_slice(found))
                .ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
        }
        .map_err(|error| IndexError::io(&self.path, "read", error))
    }

    /// Everything from `offset` on, as a stream.
    pub(super) fn reader(&self, offset: u64) -> SourceReader<'_> {
        SourceReader {
            source: self,
            offset,
        }
    }
}

/// Reads a [`Source`] from front to back.
pub(super) struct SourceReader<'a> {
    source: &'a Source,
    offset: u64,
}

impl io::Read for SourceReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self
            .source
            .len
            .saturating_sub(self.offset)
            .min(buffer.len() as u64) as usize;
        self.source
            .read_exact_at(&mut buffer[..count], self.offset)
            .map_err(|error| match error {
                IndexError::Io { source, .. } => source,
                other => io::Error::other(other),
            })?;
        self.offset += count as u64;
        Ok(count)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_read(file, buffer, offset)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer = &mut buffer[count..];
        offset += count as u64;
    }
    Ok(())
}
