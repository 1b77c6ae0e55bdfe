//! A large section on its way to the file, with the checksum of each of its pages.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use super::header::{PAGE, PIECE, Section};

/// A section that is written from its start to its end, while others may be written, too.
#[derive(Debug)]
pub(super) struct Summed {
    offset: u64,
    written: u64,
    buffer: Vec<u8>,
    /// CRC-32 of each page that was written, as bytes.
    sums: Vec<u8>,
}

impl Summed {
    /// One that begins at `offset`.
    pub(super) fn new(offset: u64) -> Self {
        Self {
            offset,
            written: 0,
            buffer: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// What the system said.
    #[inline]
    pub(super) fn push(&mut self, file: &File, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        match self.buffer.len() < PIECE as usize {
            true => Ok(()),
            false => self.write_pieces(file),
        }
    }

    fn write_pieces(&mut self, file: &File) -> io::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        let (pieces, rest) = buffer.as_chunks::<{ PIECE as usize }>();
        for piece in pieces {
            self.write(file, piece)?;
        }
        // The room stays.
        let rest = buffer.len() - rest.len()..buffer.len();
        self.buffer = buffer;
        self.buffer.copy_within(rest.clone(), 0);
        self.buffer.truncate(rest.len());
        Ok(())
    }

    fn write(&mut self, file: &File, piece: &[u8]) -> io::Result<()> {
        write_at(file, self.offset + self.written, piece)?;
        // Pieces are whole pages, but for the last one.
        let pages = piece.chunks(PAGE as usize);
        (self.sums).extend(pages.flat_map(|page| crc32fast::hash(page).to_le_bytes()));
        self.written += piece.len() as u64;
        Ok(())
    }

    /// Writes what is left, and tells where the section lies and the checksums of its pages.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn finish(mut self, file: &File) -> io::Result<(Section, Vec<u8>)> {
        let rest = std::mem::take(&mut self.buffer);
        if !rest.is_empty() {
            self.write(file, &rest)?;
        }
        let section = Section {
            offset: self.offset,
            length: self.written,
            crc: crc32fast::hash(&self.sums),
        };
        Ok((section, self.sums))
    }
}

/// Writes bytes at a place of a file.
///
/// # Errors
/// What the system said.
pub(super) fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_their_checksums_however_bytes_come() {
        let (page, piece) = (PAGE as usize, PIECE as usize);
        for bytes in [
            0,
            1,
            page,
            page + 1,
            piece - 1,
            piece,
            piece + 1,
            3 * piece,
            3 * piece + 7,
        ] {
            let text = Vec::from_iter((0..bytes).map(|i| (i * i / 7) as u8));
            let sums: Vec<u8> = (text.chunks(page))
                .flat_map(|page| crc32fast::hash(page).to_le_bytes())
                .collect();
            for portion in [14_000, piece - 1, 2 * piece + 3] {
                let file = tempfile::tempfile().unwrap();
                let mut summed = Summed::new(10);
                for portion in text.chunks(portion) {
                    summed.push(&file, portion).unwrap();
                    // Others write, too.
                    write_at(&file, 0, b"0123456789").unwrap();
                }
                let (section, told) = summed.finish(&file).unwrap();
                assert_eq!((section.offset, section.length), (10, bytes as u64));
                assert_eq!(section.crc, crc32fast::hash(&sums));
                assert!(told == sums);
                let mut written = Vec::new();
                (&file).seek(SeekFrom::Start(10)).unwrap();
                io::Read::read_to_end(&mut &file, &mut written).unwrap();
                assert!(written == text);
            }
        }
    }
}
