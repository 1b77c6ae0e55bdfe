//! Records that did not fit into memory: one unnamed file per worker.
//!
//! A record of `n` bases is one byte, the number of bytes that follow, then the
//! bytes of its words up to the one with the end mark: `1 + ceil((2n + 1) / 8)` bytes
//! instead of 8 to 128 (at k = 31 1.2 bytes per k-mer instead of 1.6). All
//! records of a partition that are spilled together are one piece of the file,
//! read back by one read. The file has no name in its directory, so that
//! nothing of it is left when the process ends, however it ends.

use crate::{
    error::{Error, Result},
    unnamed::UnnamedFile,
};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Bytes that are collected before they are written: large writes, small memory.
const BUFFER_BYTES: usize = 64 << 10;

/// Where records of one partition lie in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    offset: u64,
    bytes: u32,
}

/// The temporary file of one worker; made when the first record is spilled.
#[derive(Debug)]
pub(crate) struct Spill {
    directory: PathBuf,
    file: Option<UnnamedFile>,
    buffer: Vec<u8>,
    offset: u64,
    pieces: Vec<Vec<Piece>>,
}

/// Bytes of a piece are held in memory when it is read back: no more than this, 64 KiB,
/// which are at most 256 KiB of records (k = 1: two bytes instead of eight).
const PIECE_BYTES: usize = 64 << 10;

impl Spill {
    pub(crate) fn new(directory: &Path, partitions: usize) -> Self {
        Self {
            directory: directory.to_owned(),
            file: None,
            buffer: Vec::new(),
            offset: 0,
            pieces: vec![Vec::new(); partitions],
        }
    }

    /// Writes the records in `chunks`, slices of whole records.
    pub(crate) fn write<'a>(
        &mut self,
        partition: usize,
        record_words: usize,
        chunks: impl Iterator<Item = &'a [u64]>,
    ) -> Result<()> {
        let mut piece = Piece {
            offset: self.offset,
            bytes: 0,
        };
        for chunk in chunks {
            for record in chunk.chunks_exact(record_words) {
                let before = self.buffer.len();
                pack(record, &mut self.buffer);
                let len = self.buffer.len() - before;
                self.offset += len as u64;
                piece.bytes += len as u32;
            }
            if self.buffer.len() >= BUFFER_BYTES {
                self.flush()?;
            }
            if piece.bytes as usize >= PIECE_BYTES / 2 {
                self.pieces[partition].push(piece);
                piece = Piece {
                    offset: self.offset,
                    bytes: 0,
                };
            }
        }
        if piece.bytes > 0 {
            self.pieces[partition].push(piece);
        }
        Ok(())
    }

    /// Hands the buffer to the system.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(UnnamedFile::create(&self.directory)?),
        };
        // This worker alone appends: what is next in line lands behind what was before.
        file.append(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.offset
    }

    pub(crate) fn pieces(&self, partition: usize) -> &[Piece] {
        &self.pieces[partition]
    }

    /// Reads a piece back, its records appended to `words`; `bytes` is scratch space.
    pub(crate) fn read(
        &self,
        piece: &Piece,
        record_words: usize,
        bytes: &mut Vec<u8>,
        words: &mut Vec<u64>,
    ) -> Result<()> {
        let missing = || Error::io(&self.directory, io::ErrorKind::NotFound.into());
        let file = self.file.as_ref().ok_or_else(missing)?;
        bytes.clear();
        bytes.resize(piece.bytes as usize, 0);
        file.read(bytes, piece.offset)?;
        unpack(bytes, record_words, words).ok_or_else(|| file.changed())
    }
}

fn pack(record: &[u64], out: &mut Vec<u8>) {
    let (last, word) = record
        .iter()
        .enumerate()
        .rev()
        .find(|(_, word)| **word != 0)
        .unwrap_or((0, &0));
    let len = 8 * last + 8 - word.leading_zeros() as usize / 8;
    // At most 8 * 16.
    out.push(len as u8);
    for word in &record[..last] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(&word.to_le_bytes()[..len - 8 * last]);
}

fn unpack(mut bytes: &[u8], record_words: usize, words: &mut Vec<u64>) -> Option<()> {
    while let Some((&len, rest)) = bytes.split_first() {
        let len = usize::from(len);
        if len > 8 * record_words {
            return None;
        }
        let (packed, rest) = rest.split_at_checked(len)?;
        let start = words.len();
        words.resize(start + record_words, 0);
        for (word, chunk) in words[start..].iter_mut().zip(packed.chunks(8)) {
            let mut full = [0; 8];
            full[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_le_bytes(full);
        }
        bytes = rest;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_by_partition() {
        for words in [1usize, 2, 4, 8, 16] {
            let records: Vec<u64> = (0..300 * words as u64)
                .map(|i| {
                    let word = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 61);
                    // Zeros on top of some, but no record all zero.
                    if i % words as u64 == 0 {
                        word | 1
                    } else if i % 3 == 0 {
                        0
                    } else {
                        word
                    }
                })
                .collect();
            let mut spill = Spill::new(&std::env::temp_dir(), 2);
            for part in records.chunks(100 * words) {
                spill
                    .write(1, words, part.chunks(10 * words))
                    .expect("room");
            }
            spill.flush().expect("room");
            assert!(spill.pieces(0).is_empty());
            let (mut bytes, mut back) = (Vec::new(), Vec::new());
            for piece in spill.pieces(1) {
                spill
                    .read(piece, words, &mut bytes, &mut back)
                    .expect("the file");
            }
            assert_eq!(back, records);
            assert!(spill.bytes() < 8 * records.len() as u64 + 300);
        }
    }

    #[test]
    fn damage_is_no_panic() {
        let mut words = Vec::new();
        assert_eq!(unpack(&[9, 1, 2], 1, &mut words), None);
        assert_eq!(unpack(&[8, 1, 2], 1, &mut words), None);
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        let mut spill = Spill::new(Path::new("/nonexistent/directory"), 1);
        spill
            .write(0, 1, [&[1u64][..]].into_iter())
            .expect("only a buffer");
        assert!(matches!(spill.flush(), Err(Error::Temporary { .. })));
    }
}
