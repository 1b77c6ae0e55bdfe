//! Records that did not fit into memory: one unnamed file per worker.
//!
//! A record of `n` bases is one byte, the number of bytes that follow, then the
//! bytes of its words up to the one with the end mark: `1 + ceil((2n + 1) / 8)` bytes
//! instead of 8 to 128 (at k = 31 1.2 bytes per k-mer instead of 1.6). All
//! records of a partition that are spilled together are one piece of the file,
//! read back by one read. The pieces of a partition are a [chain](crate::chain), so that
//! memory does not grow with what is spilled. The file has no name in its directory, so that
//! nothing of it is left when the process ends, however it ends.

use crate::{
    chain::Link,
    error::{Error, Result},
    unnamed::UnnamedFile,
};
use std::{
    io::{self, IoSlice},
    path::{Path, PathBuf},
};

/// Bytes that are collected before they are written: large writes, small memory.
const BUFFER_BYTES: usize = 64 << 10;

/// The temporary file of one worker; made when the first record is spilled.
#[derive(Debug)]
pub(crate) struct Spill {
    directory: PathBuf,
    file: Option<UnnamedFile>,
    buffer: Vec<u8>,
    offset: u64,
    /// The piece of each partition that was written last.
    newest: Vec<Link>,
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
            newest: vec![Link::default(); partitions],
        }
    }

    /// Writes the records in `chunks`, slices of whole records.
    pub(crate) fn write<'a>(
        &mut self,
        partition: usize,
        record_words: usize,
        chunks: impl Iterator<Item = &'a [u64]>,
    ) -> Result<()> {
        let mut piece = Link::default();
        for chunk in chunks.filter(|chunk| !chunk.is_empty()) {
            let before = self.buffer.len();
            if piece.bytes == 0 {
                piece.offset = self.offset;
                let head = self.newest[partition].to_bytes();
                self.buffer.extend_from_slice(&head);
            }
            for record in chunk.chunks_exact(record_words) {
                pack(record, &mut self.buffer);
            }
            let len = self.buffer.len() - before;
            self.offset += len as u64;
            piece.bytes += len as u32;
            if self.buffer.len() >= BUFFER_BYTES {
                self.flush()?;
            }
            if piece.bytes as usize >= PIECE_BYTES / 2 {
                self.newest[partition] = std::mem::take(&mut piece);
            }
        }
        if piece.bytes > 0 {
            self.newest[partition] = piece;
        }
        Ok(())
    }

    /// Hands the buffer to the system.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(UnnamedFile::create(&self.directory)?),
        };
        file.append(&mut [IoSlice::new(&self.buffer)])?;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.offset
    }

    /// Shows the records of a partition, piece after piece, the newest first.
    ///
    /// `bytes` and `words` are scratch space; what they held is lost.
    pub(crate) fn visit(
        &self,
        partition: usize,
        record_words: usize,
        bytes: &mut Vec<u8>,
        words: &mut Vec<u64>,
        mut see: impl FnMut(&[u64]),
    ) -> Result<()> {
        let mut piece = self.newest[partition];
        while piece.bytes > 0 {
            let missing = || Error::io(&self.directory, io::ErrorKind::NotFound.into());
            let file = self.file.as_ref().ok_or_else(missing)?;
            bytes.resize(piece.bytes as usize, 0);
            file.read(bytes, piece.offset)?;
            let (head, packed) = bytes.split_first_chunk().ok_or_else(|| file.changed())?;
            let before = Link::from_bytes(head);
            // Pieces are written one behind the other: so this ends, whatever the file holds now.
            let end = before.offset.saturating_add(u64::from(before.bytes));
            if before.bytes as usize > PIECE_BYTES || end > piece.offset {
                return Err(file.changed());
            }
            words.clear();
            unpack(packed, record_words, words).ok_or_else(|| file.changed())?;
            see(words);
            piece = before;
        }
        Ok(())
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
    use crate::chain::HEAD;

    /// The records of a partition, the oldest piece first.
    fn back(spill: &Spill, partition: usize, words: usize) -> Result<Vec<u64>> {
        let mut pieces = Vec::new();
        let see = |records: &[u64]| pieces.push(records.to_vec());
        spill.visit(partition, words, &mut Vec::new(), &mut Vec::new(), see)?;
        pieces.reverse();
        Ok(pieces.concat())
    }

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
            assert!(back(&spill, 0, words).expect("no file").is_empty());
            assert_eq!(back(&spill, 1, words).expect("the file"), records);
            // A byte for each record and a head for each of three pieces.
            let most = 8 * records.len() + 300 + 3 * HEAD;
            assert!(spill.bytes() <= most as u64);
        }
    }

    /// Thousands of pieces, of one record and of as many as make several pieces, in turn and some of them flushed.
    #[test]
    fn many_pieces_of_many_partitions_come_back() {
        const PARTITIONS: usize = 7;
        let mut spill = Spill::new(&std::env::temp_dir(), PARTITIONS);
        let mut expected = vec![Vec::new(); PARTITIONS];
        let mut state = 1u64;
        for turn in 0..6000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            // The last one gets nothing.
            let partition = (state >> 40) as usize % (PARTITIONS - 1);
            let number = match turn % 500 {
                499 => 20_000,
                _ => 1 + (state >> 50) % 40,
            };
            let records: Vec<u64> = (1..=2 * number).map(|i| state ^ i << (i % 50)).collect();
            let chunks = records.chunks(2 * 512);
            spill.write(partition, 2, chunks).expect("room");
            if turn % 9 == 0 {
                spill.flush().expect("room");
            }
            expected[partition].extend(records);
        }
        spill.flush().expect("room");
        for (partition, expected) in expected.iter().enumerate() {
            assert!(back(&spill, partition, 2).expect("the file") == *expected);
        }
        let all: usize = expected.iter().map(|records| 8 * records.len()).sum();
        assert!(spill.bytes() > all as u64 / 2);
    }

    #[test]
    fn a_chain_that_leads_elsewhere_is_an_error() {
        let mut spill = Spill::new(&std::env::temp_dir(), 1);
        for record in [[u64::MAX], [1]] {
            spill.write(0, 1, [&record[..]].into_iter()).expect("room");
        }
        spill.flush().expect("room");
        assert_eq!(back(&spill, 0, 1).expect("the file"), [u64::MAX, 1]);
        // The oldest piece says that the newest was before it.
        let file = spill.file.take().expect("it was flushed");
        let mut circle = UnnamedFile::create(&std::env::temp_dir()).expect("room");
        let mut bytes = vec![0; spill.bytes() as usize];
        file.read(&mut bytes, 0).expect("these bytes");
        bytes[..HEAD].copy_from_slice(&spill.newest[0].to_bytes());
        let slices = &mut [IoSlice::new(&bytes)];
        circle.append(slices).expect("room");
        spill.file = Some(circle);
        let error = back(&spill, 0, 1).expect_err("a circle");
        assert!(error.to_string().contains("it changed while"), "{error}");
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
