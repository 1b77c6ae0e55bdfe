//! The uncompressed bytes of files as a reader of the standard library's.

use std::io::{self, BufRead, Read};
use std::path::Path;

use thalweg_reads::{Batch, Error, ErrorKind, ReaderOptions};

use crate::{Batches, Reads};

/// The uncompressed bytes of the file `path`, whatever they are, in order: for parsers that take a reader. `-` is the
/// standard input.
///
/// All cores decode where the file allows it, as where its records are read.
///
/// ```no_run
/// use std::io::BufRead;
///
/// let text = thalweg::byte_stream("reads.fastq.gz")?;
/// let lines = text.lines().try_fold(0, |lines, line| line.map(|_| lines + 1))?;
/// println!("{lines} lines");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If it cannot be opened, or is damaged at its beginning. What is wrong behind that, reading tells.
#[doc(alias = "gzopen")]
pub fn byte_stream(path: impl AsRef<Path>) -> Result<ByteStream, Error> {
    ByteStream::open(ReaderOptions::new().file(path))
}

/// The uncompressed bytes of files that follow one another: what [`byte_stream`] gives.
///
/// Threads of its own decode ahead, about as much as the budget's memory; dropping it stops them. An error of
/// [`io::Error`] has the library's [`Error`] inside, which names file and place
/// ([`get_ref`](io::Error::get_ref) has it). Its kind is [`InvalidData`](io::ErrorKind::InvalidData) where the data are at
/// fault. Behind an error there are only errors: a file that is cut or damaged never looks like one that has ended.
pub struct ByteStream {
    /// None behind an error.
    batches: Option<Batches>,
    at_hand: Option<Batch>,
    /// Bytes of it that were taken.
    taken: usize,
}

impl ByteStream {
    /// Of what `options` say, with as many threads as their budget says.
    ///
    /// # Errors
    /// As [`ReaderOptions::open`]. Mates and parts of files are refused.
    pub fn open(options: ReaderOptions) -> Result<Self, Error> {
        let reads = Reads::open(options.as_text(true))?;
        Ok(Self {
            batches: Some(reads.all_workers().into_iter()),
            at_hand: None,
            taken: 0,
        })
    }

    fn rest(&self) -> &[u8] {
        match &self.at_hand {
            Some(batch) => &batch.blocks()[0].text()[self.taken..],
            None => &[],
        }
    }
}

impl BufRead for ByteStream {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.rest().is_empty() {
            self.at_hand = None;
            self.taken = 0;
            let Some(batches) = &mut self.batches else {
                return Err(io::Error::other("reading failed before"));
            };
            match batches.next() {
                Some(Ok(batch)) => self.at_hand = Some(batch),
                None => break,
                Some(Err(error)) => {
                    self.batches = None;
                    return Err(io_error(error));
                }
            }
        }
        Ok(self.rest())
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount.min(self.rest().len());
    }
}

impl Read for ByteStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut rest = self.fill_buf()?;
        let length = rest.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

/// With the error itself inside.
fn io_error(error: Error) -> io::Error {
    let kind = match error.kind() {
        ErrorKind::Io(error) => error.kind(),
        _ if error.is_data() => io::ErrorKind::InvalidData,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use thalweg_flow::Budget;

    use super::*;

    fn text() -> Vec<u8> {
        let line = |number: u32| format!("{number} {}\n", "ACGT".repeat((number % 50) as usize));
        (0..40_000).map(line).collect::<String>().into_bytes()
    }

    fn gzipped(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn file(directory: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn open(path: &Path, threads: usize) -> ByteStream {
        let options = ReaderOptions::new().file(path);
        ByteStream::open(options.budget(Budget::new(threads))).unwrap()
    }

    fn is_send(_: &impl Send) {}

    #[test]
    fn bytes_are_those_of_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let text = text();
        let plain = file(&directory, "text", &text);
        let zipped = file(&directory, "text.gz", &gzipped(&text));
        for path in [&plain, &zipped] {
            for threads in [1, 3] {
                let mut stream = open(path, threads);
                is_send(&stream);
                let mut found = Vec::new();
                let mut some = [0; 777];
                loop {
                    match stream.read(&mut some).unwrap() {
                        0 => break,
                        length => found.extend_from_slice(&some[..length]),
                    }
                }
                assert!(found == text);
                assert_eq!(stream.read(&mut some).unwrap(), 0);
            }
            let lines: Result<Vec<String>, _> = byte_stream(path).unwrap().lines().collect();
            assert_eq!(lines.unwrap().len(), 40_000);
        }
        let empty = file(&directory, "empty", b"");
        assert_eq!(byte_stream(empty).unwrap().read(&mut [0; 9]).unwrap(), 0);
    }

    #[test]
    fn damage_never_looks_like_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let bytes = gzipped(&text());
        let cut = file(&directory, "cut.gz", &bytes[..bytes.len() / 2]);
        let mut flipped = bytes.clone();
        let end = flipped.len() - 6;
        flipped[end] ^= 1;
        let flipped = file(&directory, "flipped.gz", &flipped);
        for path in [&cut, &flipped] {
            for threads in [1, 3] {
                let mut stream = open(path, threads);
                let error = io::copy(&mut stream, &mut io::sink()).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidData);
                let inside = error.get_ref().unwrap().downcast_ref::<Error>().unwrap();
                assert_eq!(inside.location().path.as_deref(), Some(path.as_path()));
                assert!(stream.read(&mut [0; 9]).is_err());
            }
        }
        let missing = byte_stream(directory.path().join("missing"));
        assert!(matches!(missing.err().unwrap().kind(), ErrorKind::Io(_)));
    }

    #[test]
    fn a_reader_of_the_caller_is_read() {
        let text = b"@a\nACGT\n+\nIIII\n@b\nGG\n+\nII\n".repeat(3000);
        for bytes in [text.clone(), gzipped(&text)] {
            for threads in [1, 3] {
                let reads = crate::open_reader("memory", io::Cursor::new(bytes.clone())).unwrap();
                let ids = |sum: &mut usize, batch: &Batch| *sum += batch.records().count();
                let count = reads
                    .workers(threads)
                    .fold(|| 0, ids, |sum, other| *sum += other);
                assert_eq!(count.unwrap(), 6000);
            }
            let mates = [
                ("one", io::Cursor::new(bytes.clone())),
                ("two", io::Cursor::new(bytes)),
            ];
            let options = ReaderOptions::new().mate_readers(mates);
            let copy = options.clone();
            let reads = Reads::open(options).unwrap();
            let pairs = |sum: &mut usize, batch: &Batch| *sum += batch.pairs().count();
            let count = reads
                .workers(2)
                .fold(|| 0, pairs, |sum, other| *sum += other);
            assert_eq!(count.unwrap(), 6000);
            let taken = Reads::open(copy).err().unwrap();
            assert_eq!(taken.to_string(), "one: a reader can be read once, and was");
        }
    }

    #[test]
    fn what_a_reader_says_is_no_damage() {
        struct Fails(io::Cursor<Vec<u8>>);
        impl Read for Fails {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                match self.0.read(buffer)? {
                    0 => Err(io::Error::other("the line went dead")),
                    length => Ok(length),
                }
            }
        }
        let text = b"@a\nACGT\n+\nIIII\n".repeat(20_000);
        let mut kinds = vec![text.clone(), gzipped(&text)];
        if cfg!(feature = "zstd") {
            kinds.push(zstd::encode_all(&text[..], 1).unwrap());
        }
        for bytes in kinds {
            let half = bytes[..bytes.len() / 2].to_vec();
            let reads = crate::open_reader("socket", Fails(io::Cursor::new(half)));
            let outcome = reads.and_then(|reads| {
                let nothing = |(): &mut (), _: &Batch| {};
                reads.workers(2).fold(|| (), nothing, |(), ()| ())
            });
            let error = outcome.unwrap_err();
            assert!(!error.is_data(), "{error}");
            assert_eq!(error.location().path.as_deref(), Some(Path::new("socket")));
            assert!(error.to_string().contains("the line went dead"), "{error}");
        }
    }
}
