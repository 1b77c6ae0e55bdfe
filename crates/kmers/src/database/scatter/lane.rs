//! One thread's buffers of all ranges.
//!
//! What does not fit is in a file, as a [chain](crate::chain) of blocks for each lane and range.

use super::record::{REACH, Shape};
use crate::chain::{HEAD, Link};
use crate::error::Result;
use crate::kmer::Kmer;
use crate::unnamed::UnnamedFile;

/// A buffer that holds a few records of the longest k-mers.
pub(super) const SMALLEST_BUFFER: usize = 256;

const _: () = assert!(SMALLEST_BUFFER > HEAD + REACH);

/// Buffers of one size, and what went to the file when they were full.
#[derive(Debug)]
pub(super) struct Lane {
    buffer_bytes: usize,
    /// One buffer after the other, each with room for the head of its block.
    bytes: Vec<u8>,
    /// Bytes in each, with its head.
    used: Vec<u32>,
    /// Records of each range, written ones too.
    records: Vec<u64>,
    /// The block of each range that was written last.
    newest: Vec<Link>,
}

impl Lane {
    /// `buffer_bytes` is at least [`SMALLEST_BUFFER`].
    pub(super) fn new(shape: &Shape, buffer_bytes: usize) -> Self {
        Self {
            buffer_bytes,
            bytes: vec![0; shape.ranges() * buffer_bytes],
            used: vec![HEAD as u32; shape.ranges()],
            records: vec![0; shape.ranges()],
            newest: vec![Link::default(); shape.ranges()],
        }
    }

    /// Takes entries; runs of one range are the fastest.
    pub(super) fn take<K: Kmer>(
        &mut self,
        shape: &Shape,
        entries: &[(K, u64)],
        file: &UnnamedFile,
    ) -> Result<()> {
        for run in entries.chunk_by(|a, b| shape.range_of(a.0) == shape.range_of(b.0)) {
            let range = shape.range_of(run[0].0);
            self.records[range] += run.len() as u64;
            let start = range * self.buffer_bytes;
            let mut used = self.used[range] as usize;
            for &(kmer, count) in run {
                let buffer = &mut self.bytes[start..start + self.buffer_bytes];
                if used + REACH > buffer.len() {
                    write_block(&mut buffer[..used], &mut self.newest[range], file)?;
                    used = HEAD;
                }
                used += shape.write(kmer, count, &mut buffer[used..]);
            }
            self.used[range] = used as u32;
        }
        Ok(())
    }

    /// Records of a range.
    pub(super) fn records(&self, range: usize) -> u64 {
        self.records[range]
    }

    /// Shows the bytes of all records of a range, with as many behind them as reading the last one touches.
    ///
    /// `bytes` is used, and what it held is lost.
    pub(super) fn visit(
        &self,
        range: usize,
        file: &UnnamedFile,
        bytes: &mut Vec<u8>,
        mut see: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        bytes.clear();
        let buffer = &self.bytes[range * self.buffer_bytes..];
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

/// Writes a full buffer behind the block before, and makes it the newest.
fn write_block(buffer: &mut [u8], newest: &mut Link, file: &UnnamedFile) -> Result<()> {
    buffer[..HEAD].copy_from_slice(&newest.to_bytes());
    *newest = Link {
        offset: file.append(buffer)?,
        bytes: buffer.len() as u32,
    };
    Ok(())
}
