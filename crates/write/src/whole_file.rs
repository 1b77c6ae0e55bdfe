//! One output of one thread, with the care that [`Outputs`](crate::Outputs) take.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use thalweg_files::{Whole, name_all};

use crate::press::Press;
use crate::sink::Sink;
use crate::{Error, Level, OutputFormat, OutputOptions};

/// A file that gets its name when it is whole; or a pipe, a device or the standard
/// output, which are written to as they are.
///
/// Blocks of bytes are written one behind the other, by one thread, with no buffer and no
/// copy: give it blocks of 64 KiB or more where there is much to write. If they are to be
/// compressed, a MiB is collected first, so that the size of blocks does not matter.
///
/// [`finish`](Self::finish) must be called: dropping it before leaves no file behind, and
/// an older one as it was. So does the end of the process; where the file system has no files
/// without names, if [`remove_unfinished`](thalweg_files::remove_unfinished) is called then.
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
    /// `None` where bytes go out as they come.
    packing: Option<Packing>,
}

/// Why a file was not copied.
#[derive(Debug)]
pub enum CopyError {
    /// It could not be read.
    Read(io::Error),
    /// The copy could not be written.
    Write(Error),
}

/// Text on its way through a compressor.
struct Packing {
    press: Press,
    /// Not compressed yet: less than [`PIECE`].
    text: Vec<u8>,
    /// Compressed, and empty between calls.
    pressed: Vec<u8>,
}

/// Text that is compressed at once: 16 whole blocks of BGZF, about a MiB.
const PIECE: usize = 16 * 0xff00;

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
        Ok(Self {
            sink,
            length: 0,
            packing: None,
        })
    }

    /// The same, and what is written to it is compressed. [`OutputFormat::of_name`] tells what
    /// a name stands for.
    ///
    /// # Errors
    /// [`Error::Compress`] if there is no memory for a compressor, and those of [`open`](Self::open).
    pub fn open_as(
        path: impl AsRef<Path>,
        format: OutputFormat,
        level: Level,
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut file = Self::open(path)?;
        if format != OutputFormat::Plain {
            let press = Press::new(format, level).map_err(|error| Error::compress(path, error))?;
            file.packing = Some(Packing {
                press,
                text: Vec::new(),
                pressed: Vec::new(),
            });
        }
        Ok(file)
    }

    /// The name under which errors speak of it: the resolved one, or `standard output`.
    pub fn path(&self) -> &Path {
        self.sink.path()
    }

    /// Write all of `bytes` behind what was written before. Waits for the reader of a
    /// pipe, also if the pipe was opened not to wait.
    ///
    /// # Errors
    /// [`Error::ClosedPipe`], or [`Error::Write`] with the offset of the first byte that
    /// was refused. To go on after an error is no use.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(packing) = &mut self.packing else {
            return self.write_out(bytes);
        };
        packing.text.extend_from_slice(bytes);
        let whole = packing.text.len() - packing.text.len() % PIECE;
        match whole {
            0 => Ok(()),
            _ => self.pack(whole),
        }
    }

    /// Write what is left of a regular file, up to `most` bytes, behind what was written before, as it is. Tells how many
    /// bytes that was: 0 at its end. The system copies them itself where it can.
    ///
    /// # Errors
    /// [`CopyError`]: which of the two files it was.
    pub fn copy_from(&mut self, mut file: &File, most: u64) -> Result<u64, CopyError> {
        self.pack(usize::MAX).map_err(CopyError::Write)?;
        let copied = self.sink.copy_from(&mut file, self.length, most);
        let copied = copied.map_err(|(done, error)| {
            // The system does not say whose fault it was: whoever reads the file once more sees it.
            match file.read_exact(&mut [0]) {
                Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                    CopyError::Read(error)
                }
                _ => CopyError::Write(Error::write(self.sink.path(), self.length + done, error)),
            }
        })?;
        self.length += copied;
        Ok(copied)
    }

    /// Write bytes that a [`Compressor`](crate::Compressor) of this file's format has made, behind all that was written
    /// before. A file that is not compressed takes them as they are.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_compressed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.pack(usize::MAX)?;
        self.write_out(bytes)
    }

    /// Compress and write the first `length` bytes of what was collected, at most.
    fn pack(&mut self, length: usize) -> Result<(), Error> {
        let Some(packing) = &mut self.packing else {
            return Ok(());
        };
        let length = length.min(packing.text.len());
        let mut pressed = std::mem::take(&mut packing.pressed);
        (packing.text[..length].chunks(PIECE))
            .try_for_each(|text| packing.press.press(text, &mut pressed))
            .map_err(|error| Error::compress(self.sink.path(), error))?;
        packing.text.drain(..length);
        self.write_out(&pressed)?;
        pressed.clear();
        if let Some(packing) = &mut self.packing {
            packing.pressed = pressed;
        }
        Ok(())
    }

    fn write_out(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.sink.write(bytes, self.length)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Make sure that everything has arrived and would outlive a power failure, and give
    /// the file its name.
    ///
    /// # Errors
    /// [`Error::Save`], and of what is compressed those of [`write`](Self::write). The file did
    /// not appear then, unless the last to fail was to close it.
    pub fn finish(self) -> Result<(), Error> {
        SealedFile::name_all([self.seal()?])
    }

    /// The same of several: none gets its name before the data of all are safe. Then they get them one behind the other; if
    /// one of them cannot, the error tells which ones had theirs before.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn finish_all(files: impl IntoIterator<Item = Self>) -> Result<(), Error> {
        let sealed = files.into_iter().map(Self::seal);
        SealedFile::name_all(sealed.collect::<Result<Vec<_>, _>>()?)
    }

    /// As [`finish`](Self::finish), and give `others`, which are whole, their names directly behind it: all or none of them, as
    /// nearly as renames allow.
    ///
    /// # Errors
    /// As [`finish`](Self::finish); [`Error::SaveOfSome`] if one of the others could not get its name.
    pub fn finish_with(self, others: impl IntoIterator<Item = Whole>) -> Result<(), Error> {
        let SealedFile(own) = self.seal()?;
        name_all(own.into_iter().chain(others)).map_err(Error::naming)
    }

    /// Make sure that everything has arrived and would outlive a power failure: what is left to do is
    /// [to name it](SealedFile::name_all).
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn seal(mut self) -> Result<SealedFile, Error> {
        self.pack(usize::MAX)?;
        if let Some(packing) = &mut self.packing {
            let trailer = packing.press.trailer(self.length == 0);
            let trailer = trailer.map_err(|error| Error::compress(self.sink.path(), error))?;
            self.write_out(&trailer)?;
        }
        Ok(SealedFile(self.sink.seal()?))
    }
}

/// A [`WholeFile`] all of whose data are safe, and that lacks its name; or a stream that is closed. Dropping it leaves no file
/// behind.
#[derive(Debug)]
#[must_use]
pub struct SealedFile(pub(crate) Option<Whole>);

impl SealedFile {
    /// Give all of them their names, one behind the other.
    ///
    /// # Errors
    /// [`Error::Save`], or [`Error::SaveOfSome`] with those that had their names before.
    pub fn name_all(files: impl IntoIterator<Item = Self>) -> Result<(), Error> {
        let whole = files.into_iter().filter_map(|file| file.0);
        name_all(whole).map_err(Error::naming)
    }
}

impl From<Whole> for SealedFile {
    fn from(file: Whole) -> Self {
        Self(Some(file))
    }
}

impl std::fmt::Debug for Packing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packing").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;

    use super::*;
    use crate::Compressor;

    /// Texts of any size, some compressed by others, come out in their order; also no text at all.
    #[test]
    fn what_is_written_is_compressed_in_its_order() {
        let directory = tempfile::tempdir().unwrap();
        for format in crate::press::tests::formats() {
            for sizes in [
                &[][..],
                &[0],
                &[5],
                &[3, PIECE, 7, 2 * PIECE + 1, 9, 70_000],
            ] {
                let path = directory.path().join("x");
                let mut file = WholeFile::open_as(&path, format, Level::default()).unwrap();
                let mut compressor = Compressor::new(format, Level::default()).unwrap();
                let mut all = Vec::new();
                for (number, &size) in sizes.iter().enumerate() {
                    let text: Vec<u8> = (0..size).map(|at| b"ACGTN\n"[at * at % 6]).collect();
                    let mut pressed = Vec::new();
                    match number % 3 {
                        2 => {
                            compressor.compress(&text, &mut pressed).unwrap();
                            file.write_compressed(&pressed).unwrap();
                        }
                        _ => file.write(&text).unwrap(),
                    }
                    all.extend(text);
                }
                file.finish().unwrap();
                let bytes = fs::read(&path).unwrap();
                assert_eq!(
                    bytes.is_empty(),
                    format == OutputFormat::Plain && all.is_empty()
                );
                let mut text = Vec::new();
                match format {
                    OutputFormat::Plain => text = bytes,
                    #[cfg(feature = "zstd")]
                    OutputFormat::Zstd => text = zstd::stream::decode_all(&bytes[..]).unwrap(),
                    _ => {
                        let mut members = flate2::read::MultiGzDecoder::new(&bytes[..]);
                        members.read_to_end(&mut text).unwrap();
                    }
                }
                assert!(text == all, "{format:?} {sizes:?}");
            }
        }
    }

    /// As on file systems that have no files without names.
    #[test]
    fn a_temporary_name_goes_with_the_file_or_becomes_the_final_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new");
        let open = || {
            let sink = Sink::open(&path, &OutputOptions::new(&path), true).unwrap();
            let mut file = WholeFile {
                sink,
                length: 0,
                packing: None,
            };
            file.write(b"ACGT").unwrap();
            let names = fs::read_dir(directory.path()).unwrap();
            let mut names = names.map(|entry| entry.unwrap().path());
            let temporary = names.find(|name| *name != path).unwrap();
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
