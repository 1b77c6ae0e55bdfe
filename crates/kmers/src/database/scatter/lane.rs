//! One thread's buffers of all ranges.

use super::record::{REACH, Shape};
use crate::error::Result;
use crate::kmer::Kmer;
use crate::unnamed::UnnamedFile;

/// Records of one range in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) range: u32,
    pub(super) bytes: u32,
    pub(super) offset: u64,
}

/// Buffers of one size, and what went to the file when they were full.
#[derive(Debug)]
pub(super) struct Lane {
    buffer_bytes: usize,
    /// One buffer after the other.
    bytes: Vec<u8>,
    /// Bytes in each.
    used: Vec<u32>,
    /// Records of each range, written ones too.
    records: Vec<u64>,
    pieces: Vec<Piece>,
}

impl Lane {
    /// `buffer_bytes` is at least [`REACH`].
    pub(super) fn new(shape: Shape, buffer_bytes: usize) -> Self {
        Self {
            buffer_bytes,
            bytes: vec![0; shape.ranges() * buffer_bytes],
            used: vec![0; shape.ranges()],
            records: vec![0; shape.ranges()],
            pieces: Vec::new(),
        }
    }

    /// Takes sorted entries.
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
                    self.pieces.push(Piece {
                        range: range as u32,
                        bytes: used as u32,
                        offset: file.append(&buffer[..used])?,
                    });
                    used = 0;
                }
                used += shape.write(kmer, count, &mut buffer[used..]);
            }
            self.used[range] = used as u32;
        }
        Ok(())
    }

    pub(super) fn records(&self, range: usize) -> u64 {
        self.records[range]
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// What of a range did not go to the file.
    pub(super) fn rest(&self, range: usize) -> &[u8] {
        &self.bytes[range * self.buffer_bytes..][..self.used[range] as usize]
    }
}
