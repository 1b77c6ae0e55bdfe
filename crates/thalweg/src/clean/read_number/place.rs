//! How far fastp is in a file when it has read some text of it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use thalweg_reads::Compression;

use crate::Fault;

/// Bytes of text that it reads, or decompresses, at once.
const BUFFER: u64 = 8 << 20;
/// Bytes of a gzip file that it reads at once; a buffer of text ends with them.
const COMPRESSED_BUFFER: u64 = 4 << 20;
/// Bytes of text between two looks at how far into a gzip file they go.
const STEP: u64 = 16 << 10;

/// Where fastp is in a file of BGZF when it has read the text up to each of `ends`, in order: it reads to the end of a
/// block, and the head of the next one. `None` if the file is another one than it seemed.
pub(super) fn bgzf_places(path: &Path, ends: [u64; 2]) -> Result<[Option<u64>; 2], Fault> {
    let file = File::open(path).map_err(|error| Fault::io(path, error))?;
    let (mut block, mut text) = (0, 0);
    let mut place = |end: u64| {
        loop {
            // SAM specification, section 4.1: the size of the block less one stands at the end of its head, the length of
            // its text at the end of the block.
            let (mut head, mut length) = ([0; BGZF_HEAD as usize], [0; 4]);
            file.read_exact_at(&mut head, block).ok()?;
            let next = block + u64::from(u16::from_le_bytes([head[16], head[17]])) + 1;
            if head[10..16] != *b"\x06\0BC\x02\0" || next < block + BGZF_HEAD {
                return None;
            }
            file.read_exact_at(&mut length, next - 4).ok()?;
            let text_after = text + u64::from(u32::from_le_bytes(length));
            if text_after >= end {
                let is_last = file.metadata().ok()?.len() <= next;
                return Some(if is_last { next } else { next + BGZF_HEAD });
            }
            (block, text) = (next, text_after);
        }
    };
    Ok(ends.map(&mut place))
}

/// Bytes of the head of a block as all programs write it.
const BGZF_HEAD: u64 = 18;

/// Where fastp's buffers of text end.
pub(super) struct Buffer {
    is_gzip: bool,
    /// Bytes of text in it.
    length: u64,
    /// Where in the file it ends at the latest.
    compressed_end: u64,
}

impl Buffer {
    pub(super) fn new(compression: Compression) -> Self {
        Self {
            is_gzip: compression != Compression::None,
            length: 0,
            compressed_end: COMPRESSED_BUFFER,
        }
    }

    /// How many bytes of text to read next.
    pub(super) fn step(&self) -> usize {
        let left = BUFFER - self.length;
        let step = if self.is_gzip { left.min(STEP) } else { left };
        usize::try_from(step).unwrap_or(usize::MAX)
    }

    /// `length` bytes more were read, which go as far as `offset`. Returns what fastp takes for the place in the file, if
    /// a buffer ended.
    pub(super) fn pass(&mut self, length: u64, offset: u64) -> Option<u64> {
        self.length += length;
        let place = if self.is_gzip && offset >= self.compressed_end {
            let place = self.compressed_end;
            self.compressed_end += COMPRESSED_BUFFER;
            place
        } else if self.length == BUFFER {
            offset
        } else {
            return None;
        };
        self.length = 0;
        Some(place)
    }
}
