//! One thread's buffers of all ranges.
//!
//! What does not fit is in the thread's file, as a [chain](crate::chain) of blocks for each range.

use std::io::IoSlice;
use std::path::Path;

use super::record::{REACH, Shape};
use crate::chain::{HEAD, Link};
use crate::error::{Error, Result};
use crate::kmer::Kmer;
use crate::unnamed::UnnamedFile;

/// A buffer that holds a few records of the longest k-mers.
pub(super) const SMALLEST_BUFFER: usize = 256;

/// Full buffers that are written at once, 256 KiB if they are of 8 KiB; more are no faster.
const WRITTEN_AT_ONCE: usize = 32;

/// Fewer where there are few ranges, so that most memory is for these.
const RANGES_PER_WRITTEN: usize = 16;

const _: () = assert!(SMALLEST_BUFFER > HEAD + REACH);

/// Buffers of one size, and what went to the file when they were full.
#[derive(Debug)]
pub(super) struct Lane {
    buffer_bytes: usize,
    /// One buffer after the other, each with room for the head of its block.
    bytes: Vec<u8>,
    /// Which of them each range fills.
    filled: Vec<u32>,
    /// Bytes in that one, with its head.
    used: Vec<u32>,
    /// Those that are full.
    full: Vec<u32>,
    /// All others.
    empty: Vec<u32>,
    /// Records of each range, written ones too.
    records: Vec<u64>,
    /// The block of each range that was full last.
    newest: Vec<Link>,
    file: UnnamedFile,
    /// Bytes in it when all that is full is written.
    end: u64,
}

impl Lane {
    /// `buffer_bytes` is at least [`SMALLEST_BUFFER`].
    pub(super) fn new(shape: &Shape, buffer_bytes: usize, directory: &Path) -> Result<Self> {
        let ranges = shape.ranges();
        let others = Self::buffers(ranges) - ranges;
        Ok(Self {
            buffer_bytes,
            bytes: vec![0; (ranges + others) * buffer_bytes],
            filled: (0..ranges as u32).collect(),
            used: vec![HEAD as u32; ranges],
            full: Vec::with_capacity(others),
            empty: (ranges as u32..).take(others).collect(),
            records: vec![0; ranges],
            newest: vec![Link::default(); ranges],
            file: UnnamedFile::create(directory)?,
            end: 0,
        })
    }

    /// How many buffers that many ranges have.
    pub(super) fn buffers(ranges: usize) -> usize {
        ranges + (ranges / RANGES_PER_WRITTEN).clamp(1, WRITTEN_AT_ONCE)
    }

    /// Takes entries; runs of one range are the fastest.
    pub(super) fn take<K: Kmer>(&mut self, shape: &Shape, entries: &[(K, u64)]) -> Result<()> {
        for run in entries.chunk_by(|a, b| shape.range_of(a.0) == shape.range_of(b.0)) {
            let range = shape.range_of(run[0].0);
            self.records[range] += run.len() as u64;
            let mut start = self.start(range);
            let mut used = self.used[range] as usize;
            for &(kmer, count) in run {
                if used + REACH > self.buffer_bytes {
                    self.change_buffer(range, used)?;
                    start = self.start(range);
                    used = HEAD;
                }
                let buffer = &mut self.bytes[start..start + self.buffer_bytes];
                used += shape.write(kmer, count, &mut buffer[used..]);
            }
            self.used[range] = used as u32;
        }
        Ok(())
    }

    /// Where the buffer begins that a range fills.
    fn start(&self, range: usize) -> usize {
        self.filled[range] as usize * self.buffer_bytes
    }

    /// Makes a block of a range's buffer, which has so many bytes, and gives the range an empty one.
    fn change_buffer(&mut self, range: usize, used: usize) -> Result<()> {
        let start = self.start(range);
        self.bytes[start..start + HEAD].copy_from_slice(&self.newest[range].to_bytes());
        self.newest[range] = Link {
            offset: self.end,
            bytes: used as u32,
        };
        self.end += self.buffer_bytes as u64;
        self.full.push(self.filled[range]);
        if self.empty.is_empty() {
            self.write_full()?;
        }
        self.filled[range] = self.empty.pop().expect("at least what was full");
        Ok(())
    }

    /// Writes what is full, so that it is empty.
    ///
    /// Whole buffers, not only what is used of them: these writes begin and end at multiples of 256 KiB then.
    fn write_full(&mut self) -> Result<()> {
        let buffer = |&full: &u32| {
            IoSlice::new(&self.bytes[full as usize * self.buffer_bytes..][..self.buffer_bytes])
        };
        let mut slices: Vec<_> = self.full.iter().map(buffer).collect();
        self.file.append(&mut slices)?;
        self.empty.append(&mut self.full);
        Ok(())
    }

    /// Ends the taking.
    pub(super) fn seal(&mut self) -> Result<()> {
        self.write_full()
    }

    /// Bytes in the file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// What was read is not what was written.
    pub(super) fn changed(&self) -> Error {
        self.file.changed()
    }

    /// Records of a range.
    pub(super) fn records(&self, range: usize) -> u64 {
        self.records[range]
    }

    /// Shows the bytes of all records of a range, with as many behind them as reading the last one touches, once this is
    /// [sealed](Self::seal).
    ///
    /// `bytes` is used, and what it held is lost.
    pub(super) fn visit(
        &self,
        range: usize,
        bytes: &mut Vec<u8>,
        mut see: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let file = &self.file;
        bytes.clear();
        let buffer = &self.bytes[self.start(range)..];
        bytes.extend_from_slice(&buffer[HEAD..self.used[range] as usize]);
        bytes.resize(bytes.len() + REACH, 0);
        see(bytes)?;
        let mut block = self.newest[range];
        while block.bytes > 0 {
            let length = block.bytes as usize;
            if length > self.buffer_bytes {
                return Err(file.changed());
            }
            bytes.resize(length + REACH, 0);
            file.read(&mut bytes[..length], block.offset)?;
            let (head, _) = bytes
                .split_first_chunk::<HEAD>()
                .ok_or_else(|| file.changed())?;
            let before = Link::from_bytes(head);
            see(&bytes[HEAD..])?;
            block = before;
        }
        Ok(())
    }
}
