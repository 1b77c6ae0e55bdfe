//! Reading at a place, whatever others do with the same bytes at the same time.

use std::{fmt::Debug, fs::File, io, sync::Arc};

use crate::Identity;

/// Bytes that can be read at any place by any number of threads: a file, or memory.
///
/// What can only be read from its start to its end, such as a pipe, is a [`Read`](io::Read) and not this.
pub trait ReadAt: Debug + Send + Sync {
    /// Bytes that there are now.
    ///
    /// # Errors
    /// What the system said.
    fn length(&self) -> io::Result<u64>;

    /// Reads some of the bytes at `offset` into the start of `buffer`, and tells how many. None means that `buffer` is
    /// empty, or that there are none behind `offset`.
    ///
    /// # Errors
    /// What the system said; [`Interrupted`](io::ErrorKind::Interrupted) means that it may be tried again.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// What these bytes are now: two that differ tell that they were changed, or are others.
    ///
    /// # Errors
    /// What the system said.
    fn identity(&self) -> io::Result<Identity>;

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// What the system said; [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if there are fewer.
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset) {
                Ok(0) => {
                    // In the words of `Read::read_exact`.
                    let cause = "failed to fill whole buffer";
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, cause));
                }
                Ok(read) => {
                    buffer = &mut buffer[read..];
                    offset += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl ReadAt for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    #[inline]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    #[inline]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }

    fn identity(&self) -> io::Result<Identity> {
        Ok(Identity::of(&self.metadata()?))
    }
}

impl ReadAt for [u8] {
    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).map_or(self.len(), |offset| offset.min(self.len()));
        let read = buffer.len().min(self.len() - start);
        buffer[..read].copy_from_slice(&self[start..][..read]);
        Ok(read)
    }

    fn identity(&self) -> io::Result<Identity> {
        Ok(Identity::of_memory(self.len() as u64))
    }
}

/// The same through a pointer.
macro_rules! forward {
    ([$($parameter:tt)*] $pointer:ty) => {
        impl<$($parameter)*> ReadAt for $pointer {
            #[inline]
            fn length(&self) -> io::Result<u64> {
                (**self).length()
            }

            #[inline]
            fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
                (**self).read_at(buffer, offset)
            }

            #[inline]
            fn identity(&self) -> io::Result<Identity> {
                (**self).identity()
            }
        }
    };
}

forward!([] Vec<u8>);
forward!([T: ReadAt + ?Sized] &T);
forward!([T: ReadAt + ?Sized] Arc<T>);

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const TEXT: &[u8] = b"0123456789";

    fn all_kinds() -> Vec<Box<dyn ReadAt>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(TEXT).unwrap();
        let memory: Arc<dyn ReadAt> = Arc::new(TEXT.to_vec());
        vec![Box::new(file), Box::new(TEXT), Box::new(memory)]
    }

    #[test]
    fn any_place_is_read() {
        for source in all_kinds() {
            assert_eq!(source.length().unwrap(), 10);
            let mut buffer = [0; 4];
            for (offset, expected) in [(0, "0123"), (5, "5678"), (7, "789"), (10, "")] {
                let read = source.read_at(&mut buffer, offset).unwrap();
                assert_eq!(&buffer[..read], expected.as_bytes(), "{source:?}");
            }
            assert_eq!(source.read_at(&mut buffer, 1 << 40).unwrap(), 0);
        }
    }

    #[test]
    fn a_buffer_is_filled_or_it_is_an_error() {
        for source in all_kinds() {
            let mut buffer = [0; 4];
            source.read_exact_at(&mut buffer, 6).unwrap();
            assert_eq!(&buffer, b"6789");
            for offset in [7, 10, 11] {
                let error = source.read_exact_at(&mut buffer, offset).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{source:?}");
            }
            source.read_exact_at(&mut [], 11).unwrap();
        }
    }
}
