//! The one sign by which a BGZF file that was cut between two blocks can be told.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thalweg_files::ReadAt;
use thalweg_gzip::header::{self, BGZF_END, Parsed};

use crate::Listener;

/// Bytes that hold the header of a BGZF block with any extra fields that are in use.
const HEAD: usize = 512;

/// Whether `path` is a BGZF file without the empty block at its end (SAM specification, section 4.1.2).
///
/// Such a file may have been cut off between two blocks: every block in it is sound, so that nothing else
/// tells. Some programs never write the empty block, so it is a reason for a warning and not an error. Of pipes and other
/// things that are no regular files it is told only when they have ended (see
/// [`ReaderOptions::on_missing_end`](crate::ReaderOptions::on_missing_end)). Costs two reads.
///
/// # Errors
/// If the file cannot be opened or read.
pub fn lacks_bgzf_end(path: &Path) -> io::Result<bool> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() == 0 {
        return Ok(false);
    }
    let file = File::open(path)?;
    let mut head = vec![0; HEAD.min(metadata.len() as usize)];
    file.read_exact_at(&mut head, 0)?;
    if !is_bgzf(&head) {
        return Ok(false);
    }
    let mut end = [0; BGZF_END.len()];
    let Some(start) = metadata.len().checked_sub(end.len() as u64) else {
        return Ok(true);
    };
    file.read_exact_at(&mut end, start)?;
    Ok(end != BGZF_END)
}

fn is_bgzf(head: &[u8]) -> bool {
    matches!(header::parse(head), Parsed::Header(header) if header.block_size.is_some())
}

/// A stream that tells when it has ended without the empty block, if it is BGZF.
pub(crate) struct WatchedStream<R> {
    source: R,
    path: PathBuf,
    /// Called once at most.
    tell: Option<Listener>,
    head: Vec<u8>,
    /// The latest bytes, as many as the empty block has; fewer at the beginning.
    end: Vec<u8>,
}

impl<R: Read> WatchedStream<R> {
    pub(crate) fn new(source: R, path: &Path, tell: Option<Listener>) -> Self {
        Self {
            source,
            path: path.to_owned(),
            tell,
            head: Vec::with_capacity(HEAD),
            end: Vec::with_capacity(2 * BGZF_END.len()),
        }
    }

    fn see(&mut self, bytes: &[u8]) {
        let lacking = HEAD - self.head.len();
        self.head.extend(bytes.iter().take(lacking));
        let latest = &bytes[bytes.len().saturating_sub(BGZF_END.len())..];
        self.end.extend_from_slice(latest);
        let surplus = self.end.len().saturating_sub(BGZF_END.len());
        self.end.drain(..surplus);
    }
}

impl<R: Read> Read for WatchedStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(buffer)?;
        self.see(&buffer[..length]);
        let has_ended = length == 0 && !buffer.is_empty();
        if has_ended
            && let Some(tell) = self.tell.take()
            && is_bgzf(&self.head)
            && self.end != BGZF_END
        {
            tell.tell(&self.path);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn tells_of_cut_streams() {
        static TOLD: AtomicU32 = AtomicU32::new(0);
        let check = |bytes: &[u8], expected: u32| {
            for step in [1, 7, 28, 1000] {
                TOLD.store(0, Ordering::Relaxed);
                let tell = Listener::new(|path| {
                    assert_eq!(path, Path::new("-"));
                    TOLD.fetch_add(1, Ordering::Relaxed);
                });
                let mut stream = WatchedStream::new(bytes, Path::new("-"), Some(tell));
                let mut back = Vec::new();
                let mut buffer = vec![0; step];
                while let length @ 1.. = stream.read(&mut buffer).unwrap() {
                    back.extend_from_slice(&buffer[..length]);
                }
                assert_eq!(stream.read(&mut buffer).unwrap(), 0);
                assert_eq!((&back[..], TOLD.load(Ordering::Relaxed)), (bytes, expected));
            }
        };
        let mut other = BGZF_END;
        other[4] = 1;
        check(b"", 0);
        check(b"@r\nACGT\n+\nIIII\n", 0);
        check(&BGZF_END, 0);
        check(&[other.as_slice(), &BGZF_END].concat(), 0);
        check(&other, 1);
        check(&[BGZF_END.as_slice(), &other].concat(), 1);
        check(&BGZF_END[..20], 1);
    }

    #[test]
    fn tells_cut_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.gz");
        let check = |bytes: &[u8], expected: bool| {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(lacks_bgzf_end(&path).unwrap(), expected, "{bytes:?}");
        };
        check(b"", false);
        check(b"@r\nACGT\n+\nIIII\n", false);
        check(&BGZF_END, false);
        check(&[BGZF_END, BGZF_END].concat(), false);
        // A block that is no end: the same, but with another time.
        let mut other = BGZF_END;
        other[4] = 1;
        check(&other, true);
        check(&[BGZF_END.as_slice(), &other].concat(), true);
        check(&BGZF_END[..20], true);
    }
}
