//! Records that did not fit into memory: one unnamed file per worker.
//!
//! They go there as the [blocks](crate::packed) that they are in memory. All
//! blocks of a partition that are spilled together are one piece of the file, or several,
//! each read back by one read. The pieces of a partition are a [chain](crate::chain), so that
//! memory does not grow with what is spilled. The file has no name in its directory, so that
//! nothing of it is left when the process ends, however it ends.

use crate::{
    chain::Link,
    error::{Error, Result},
};
use std::{
    io::{self, IoSlice},
    path::{Path, PathBuf},
};
use thalweg_files::UnnamedFile;

/// Bytes that are collected before they are written: large writes, small memory.
const BUFFER_BYTES: usize = 64 << 10;

/// The temporary file of one worker; made when the first record is spilled.
#[derive(Debug)]
pub struct Spill {
    directory: PathBuf,
    file: Option<UnnamedFile>,
    buffer: Vec<u8>,
    offset: u64,
    /// The piece of each partition that was written last.
    newest: Vec<Link>,
}

/// Bytes of a piece are held in memory when it is read back: no more than this, 64 KiB,
/// and as words once more.
const PIECE_BYTES: usize = 64 << 10;

impl Spill {
    /// Nothing yet; what comes goes to `directory`.
    pub fn new(directory: &Path, partitions: usize) -> Self {
        Self {
            directory: directory.to_owned(),
            file: None,
            buffer: Vec::new(),
            offset: 0,
            newest: vec![Link::default(); partitions],
        }
    }

    /// Writes the words of `chunks`, each of 8 KiB at most.
    pub fn write<'a>(
        &mut self,
        partition: usize,
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
            self.buffer.extend_from_slice(bytemuck::cast_slice(chunk));
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
    pub fn flush(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(UnnamedFile::create(&self.directory)?),
        };
        file.append(&mut [IoSlice::new(&self.buffer)])?;
        self.buffer.clear();
        Ok(())
    }

    /// Bytes written.
    pub fn bytes(&self) -> u64 {
        self.offset
    }

    /// Shows the words of a partition, piece after piece, the newest first; `None` means that they are none that were written.
    ///
    /// `bytes` and `words` are scratch space; what they held is lost.
    pub fn visit(
        &self,
        partition: usize,
        bytes: &mut Vec<u8>,
        words: &mut Vec<u64>,
        mut see: impl FnMut(&[u64]) -> Option<()>,
    ) -> Result<()> {
        let mut piece = self.newest[partition];
        while piece.bytes > 0 {
            let missing = || Error::Temporary {
                directory: self.directory.clone(),
                source: io::ErrorKind::NotFound.into(),
            };
            let file = self.file.as_ref().ok_or_else(missing)?;
            bytes.resize(piece.bytes as usize, 0);
            file.read(bytes, piece.offset)?;
            let (head, piece_bytes) = bytes.split_first_chunk().ok_or_else(|| file.changed())?;
            let before = Link::from_bytes(head);
            // Pieces are written one behind the other: so this ends, whatever the file holds now.
            let end = before.offset.saturating_add(u64::from(before.bytes));
            if before.bytes as usize > PIECE_BYTES || end > piece.offset {
                return Err(file.changed().into());
            }
            let (all, []) = piece_bytes.as_chunks() else {
                return Err(file.changed().into());
            };
            words.clear();
            words.extend(all.iter().map(|word| u64::from_ne_bytes(*word)));
            see(words).ok_or_else(|| file.changed())?;
            piece = before;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::HEAD;

    /// The words of a partition, the oldest piece first.
    fn back(spill: &Spill, partition: usize) -> Result<Vec<u64>> {
        let mut pieces = Vec::new();
        let see = |words: &[u64]| {
            pieces.push(words.to_vec());
            Some(())
        };
        spill.visit(partition, &mut Vec::new(), &mut Vec::new(), see)?;
        pieces.reverse();
        Ok(pieces.concat())
    }

    #[test]
    fn words_come_back_by_partition() {
        let words: Vec<u64> = (0..3000).map(|i| i * i * i).collect();
        let mut spill = Spill::new(&std::env::temp_dir(), 2);
        for part in words.chunks(1000) {
            spill.write(1, part.chunks(100)).expect("room");
        }
        spill.flush().expect("room");
        assert!(back(&spill, 0).expect("no file").is_empty());
        assert_eq!(back(&spill, 1).expect("the file"), words);
        // A head for each of three pieces.
        assert_eq!(spill.bytes(), (8 * words.len() + 3 * HEAD) as u64);
    }

    #[test]
    fn words_that_nobody_wrote_are_an_error() {
        let mut spill = Spill::new(&std::env::temp_dir(), 1);
        spill.write(0, [&[1u64][..]].into_iter()).expect("room");
        spill.flush().expect("room");
        let error = spill.visit(0, &mut Vec::new(), &mut Vec::new(), |_| None);
        let error = error.expect_err("it was refused").to_string();
        assert!(error.contains("it changed while"), "{error}");
    }

    /// Thousands of pieces, of two words and of as many as make several pieces, in turn and some of them flushed.
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
            spill.write(partition, chunks).expect("room");
            if turn % 9 == 0 {
                spill.flush().expect("room");
            }
            expected[partition].extend(records);
        }
        spill.flush().expect("room");
        for (partition, expected) in expected.iter().enumerate() {
            assert!(back(&spill, partition).expect("the file") == *expected);
        }
        let all: usize = expected.iter().map(|records| 8 * records.len()).sum();
        assert!(spill.bytes() > all as u64 / 2);
    }

    #[test]
    fn a_chain_that_leads_elsewhere_is_an_error() {
        let mut spill = Spill::new(&std::env::temp_dir(), 1);
        for words in [[u64::MAX], [1]] {
            spill.write(0, [&words[..]].into_iter()).expect("room");
        }
        spill.flush().expect("room");
        assert_eq!(back(&spill, 0).expect("the file"), [u64::MAX, 1]);
        // The oldest piece says that the newest was before it.
        let file = spill.file.take().expect("it was flushed");
        let mut circle = UnnamedFile::create(&std::env::temp_dir()).expect("room");
        let mut bytes = vec![0; spill.bytes() as usize];
        file.read(&mut bytes, 0).expect("these bytes");
        bytes[..HEAD].copy_from_slice(&spill.newest[0].to_bytes());
        let slices = &mut [IoSlice::new(&bytes)];
        circle.append(slices).expect("room");
        spill.file = Some(circle);
        let error = back(&spill, 0).expect_err("a circle");
        assert!(error.to_string().contains("it changed while"), "{error}");
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        let mut spill = Spill::new(Path::new("/nonexistent/directory"), 1);
        spill
            .write(0, [&[1u64][..]].into_iter())
            .expect("only a buffer");
        assert!(matches!(spill.flush(), Err(Error::Temporary { .. })));
    }
}
