//! The empty block at the end of BGZF: the only sign of a file that was truncated between two blocks.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use thalweg_files::ReadAt;
use thalweg_formats::bam::BAM;
use thalweg_formats::{BinaryFormat, FileFormat};
use thalweg_gzip::header::{self, BGZF_END, Parsed};

use crate::{Error, ErrorKind};

/// Bytes that hold the header of a BGZF block with any extra fields that are in use.
const HEAD: usize = 512;

/// Bytes of a block of BGZF, at most: their number less one has 16 bits.
const LONGEST_BLOCK: u64 = 1 << 16;

/// The first byte of a gzip header.
const GZIP_START: u8 = 0x1f;

/// Returns whether `path` is a BGZF file without the empty block at its end (SAM specification, section 4.1.2).
///
/// Such a file may have been truncated between two blocks: every block in it is sound, so nothing else shows it. BAM without
/// the block is an error (see [`ReaderOptions::check_end`](crate::ReaderOptions::check_end)). Some programs write BGZF text
/// without it, which is a reason for a warning. Of pipes and other streams it is known only at their end (see
/// [`ReaderOptions::on_missing_end`](crate::ReaderOptions::on_missing_end)). Costs two reads.
///
/// # Errors
/// If the file cannot be opened or read.
pub fn lacks_bgzf_end(path: &Path) -> io::Result<bool> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Ok(false);
    }
    lacks_end(&File::open(path)?, metadata.len())
}

/// As [`lacks_bgzf_end`], for a file of `size` bytes that is open.
pub(crate) fn lacks_end(file: &dyn ReadAt, size: u64) -> io::Result<bool> {
    let mut head = vec![0; size.min(HEAD as u64) as usize];
    file.read_exact_at(&mut head, 0)?;
    if !is_bgzf(&head) {
        return Ok(false);
    }
    let mut end = [0; BGZF_END.len()];
    let Some(start) = size.checked_sub(end.len() as u64) else {
        return Ok(true);
    };
    file.read_exact_at(&mut end, start)?;
    Ok(end != BGZF_END)
}

/// Returns the error of BGZF that lacks the empty block at its end: [`ErrorKind::NoEnd`], or [`ErrorKind::CutBlock`] if it ends
/// within a block. `None` if the block is there, or the file is no BGZF. Costs few reads.
///
/// # Errors
/// If the file cannot be opened or read.
pub fn bgzf_end_error(path: &Path) -> io::Result<Option<Error>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let (file, size) = (File::open(path)?, metadata.len());
    if !lacks_end(&file, size)? {
        return Ok(None);
    }
    let kind = match ends_within_block(&file, size)? {
        true => ErrorKind::CutBlock,
        false => ErrorKind::NoEnd,
    };
    Ok(Some(Error::new(kind).in_file(path).at_offset(size)))
}

/// Returns whether BGZF of `size` bytes ends within a block: no block ends where the file does.
pub(crate) fn ends_within_block(file: &dyn ReadAt, size: u64) -> io::Result<bool> {
    let mut tail = vec![0; size.min(LONGEST_BLOCK) as usize];
    let start = size - tail.len() as u64;
    file.read_exact_at(&mut tail, start)?;
    let is_last = |start: usize| match header::parse(&tail[start..]) {
        Parsed::Header(header) => header.block_size == Some(tail.len() - start),
        _ => false,
    };
    let mut starts = memchr::memchr_iter(GZIP_START, &tail);
    Ok(!starts.any(is_last))
}

/// Returns whether BGZF of `format` without the empty block is truncated: all programs that write BAM write the block.
pub(crate) fn must_have_end(format: FileFormat) -> bool {
    matches!(format, FileFormat::Binary(format) if format.name() == BAM.name())
}

fn is_bgzf(head: &[u8]) -> bool {
    matches!(header::parse(head), Parsed::Header(header) if header.block_size.is_some())
}

/// A stream that notes whether it was BGZF and ended without the empty block.
pub(crate) struct WatchedStream<R> {
    source: R,
    /// Set at the end of the stream.
    lacks_end: Arc<AtomicBool>,
    head: Vec<u8>,
    /// The latest bytes, as many as the empty block has; fewer at the beginning.
    end: Vec<u8>,
}

impl<R: Read> WatchedStream<R> {
    pub(crate) fn new(source: R, lacks_end: &Arc<AtomicBool>) -> Self {
        Self {
            source,
            lacks_end: Arc::clone(lacks_end),
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
        if has_ended && is_bgzf(&self.head) && self.end != BGZF_END {
            // Whoever decodes the end has read it.
            self.lacks_end.store(true, Ordering::Release);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_streams_are_noted() {
        let check = |bytes: &[u8], expected: bool| {
            for step in [1, 7, 28, 1000] {
                let lacks_end = Arc::default();
                let mut stream = WatchedStream::new(bytes, &lacks_end);
                let mut back = Vec::new();
                let mut buffer = vec![0; step];
                while let length @ 1.. = stream.read(&mut buffer).unwrap() {
                    back.extend_from_slice(&buffer[..length]);
                }
                assert_eq!(
                    (&back[..], lacks_end.load(Ordering::Acquire)),
                    (bytes, expected)
                );
            }
        };
        let mut other = BGZF_END;
        other[4] = 1;
        check(b"", false);
        check(b"@r\nACGT\n+\nIIII\n", false);
        check(&BGZF_END, false);
        check(&[other.as_slice(), &BGZF_END].concat(), false);
        check(&other, true);
        check(&[BGZF_END.as_slice(), &other].concat(), true);
        check(&BGZF_END[..20], true);
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
