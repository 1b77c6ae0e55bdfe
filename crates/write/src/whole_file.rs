//! One output of one thread, with the care that [`Outputs`](crate::Outputs) take.

use std::path::Path;

use crate::names::sync_directories;
use crate::sink::Sink;
use crate::{Error, OutputOptions};

/// A file that gets its name when it is whole; or a pipe, a device or the standard
/// output, which are written to as they are.
///
/// Blocks of bytes are written one behind the other, by one thread, with no buffer and no
/// copy: give it blocks of 64 KiB or more where there is much to write.
///
/// [`finish`](Self::finish) must be called: dropping it before leaves no file behind, and
/// an older one as it was. So does the end of the process, unless
/// [there is a temporary name](Self::temporary).
///
/// ```
/// use thalweg_write::WholeFile;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("counts.tsv");
/// let mut file = WholeFile::open(&path)?;
/// file.write(b"reads\t4\n")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"reads\t4\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    sink: Sink,
    length: u64,
}

impl WholeFile {
    /// Open what `path` stands for: `-` is the standard output, a pipe or device that
    /// is there is written to, and everything else is a file to be, which replaces
    /// an older one in the end. What a link points to is [resolved](crate::resolve) now.
    ///
    /// Opening a FIFO waits for its reader.
    ///
    /// # Errors
    /// [`Error::Open`], which has `path` as it was given.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        // Their defaults are what is promised here: to replace, and to sync.
        let sink = Sink::open(path, &OutputOptions::new(path), false)?;
        Ok(Self { sink, length: 0 })
    }

    /// The name under which errors speak of it: the resolved one, or `standard output`.
    pub fn path(&self) -> &Path {
        self.sink.path()
    }

    /// The temporary name, where the file system has no files without names: for a
    /// command that is interrupted and wants to remove it.
    pub fn temporary(&self) -> Option<&Path> {
        self.sink.temporary()
    }

    /// Write all of `bytes` behind what was written before. Waits for the reader of a
    /// pipe, also if the pipe was opened not to wait.
    ///
    /// # Errors
    /// [`Error::ClosedPipe`], or [`Error::Write`] with the offset of the first byte that
    /// was refused. To go on after an error is no use.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.sink.write(bytes, self.length)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Make sure that everything has arrived and would outlive a power failure, and give
    /// the file its name.
    ///
    /// # Errors
    /// [`Error::Save`]. The file did not appear then, unless the last to fail was to
    /// close it.
    pub fn finish(self) -> Result<(), Error> {
        let is_file = !self.sink.is_direct();
        let path = self.sink.path().to_owned();
        self.sink.seal()?.save()?;
        if is_file {
            sync_directories([&*path].into_iter());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// As on file systems that have no files without names.
    #[test]
    fn a_temporary_name_goes_with_the_file_or_becomes_the_final_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new");
        let open = || {
            let sink = Sink::open(&path, &OutputOptions::new(&path), true).unwrap();
            let mut file = WholeFile { sink, length: 0 };
            file.write(b"ACGT").unwrap();
            let temporary = file.temporary().unwrap().to_owned();
            assert_eq!(fs::read(&temporary).unwrap(), b"ACGT");
            (file, temporary)
        };
        for old in [None, Some(&b"old"[..])] {
            let (file, temporary) = open();
            drop(file);
            assert!(!temporary.exists());
            assert_eq!(fs::read(&path).ok().as_deref(), old);
            let (file, temporary) = open();
            file.finish().unwrap();
            assert!(!temporary.exists());
            assert_eq!(fs::read(&path).unwrap(), b"ACGT");
            fs::write(&path, b"old").unwrap();
        }
    }
}
