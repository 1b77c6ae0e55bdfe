//! The text of one file in order, and how far into the file that goes.

use std::path::Path;
use std::sync::Arc;

use thalweg_gzip::Event;

use crate::batch::BufferPool;
use crate::bytes::{Bytes, sequential};
use crate::file::{Handle, InputFile};
use crate::{Compression, Error};

/// The uncompressed bytes of a file from its start, whatever they are, with the place in
/// the file that they come from: for estimates of what is in a file from its beginning.
///
/// No index is used, and checksums are looked at as far as the text is read.
pub struct FileText {
    file: Arc<InputFile>,
    bytes: Bytes,
    /// Bytes that were given last.
    given: usize,
}

impl FileText {
    /// Open a file; `-` is the standard input.
    ///
    /// # Errors
    /// What the system says, and what is wrong with the first bytes of a compressed file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let file = Arc::new(InputFile::new(Handle::open(path.as_ref())?)?);
        let bytes = sequential(&file, &Arc::new(BufferPool::new(1)))?;
        Ok(Self {
            file,
            bytes,
            given: 0,
        })
    }

    /// The next bytes, at most `most` and about 256 KiB; none at the end of the file.
    ///
    /// # Errors
    /// What the system says, and what is wrong with compressed data.
    pub fn read(&mut self, most: usize) -> Result<&[u8], Error> {
        self.bytes.skip(std::mem::take(&mut self.given));
        self.bytes.make_room();
        let limit = self.bytes.output().saturating_add(most as u64);
        self.bytes.set_limit(limit);
        loop {
            match self.bytes.event() {
                None => self.bytes.advance_alone(&self.file)?,
                Some(Event::Full | Event::End) => break,
                Some(Event::Block | Event::ChunkEnd) => self.bytes.go_on(),
            }
        }
        self.given = self.bytes.data().len();
        Ok(self.bytes.data())
    }

    /// Bytes of the file that the text so far was made of. Of a format other than gzip and
    /// plain text, those that its library has read.
    pub fn offset(&self) -> u64 {
        match (&self.bytes, self.file.compression()) {
            (Bytes::Gzip(decoder), _) => decoder.position().div_ceil(8),
            (Bytes::Raw(raw), Compression::None) => raw.output(),
            (Bytes::Raw(_), _) => self.file.offset_reached(),
        }
    }

    /// Returns whether it is BGZF without the empty block at its end; of a stream, once all of it was read.
    ///
    /// # Errors
    /// What the system says.
    pub fn lacks_end(&self) -> Result<bool, Error> {
        self.file.lacks_end()
    }

    /// Size of the file in bytes, if it is a regular one.
    pub fn size(&self) -> Option<u64> {
        self.file.size()
    }

    /// What the file is compressed with.
    pub fn compression(&self) -> Compression {
        self.file.compression()
    }

    /// Whether that is BGZF, as far as the text was read.
    pub fn is_bgzf(&self) -> bool {
        matches!(&self.bytes, Bytes::Gzip(decoder) if decoder.is_bgzf())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn text_comes_as_it_is_with_its_place() {
        let text: Vec<u8> = (0..900_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&text).unwrap();
        let gzip = encoder.finish().unwrap();
        for (bytes, is_plain) in [(&text, true), (&gzip, false)] {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), bytes).unwrap();
            for most in [1000, 77_777, usize::MAX] {
                let mut read = FileText::open(file.path()).unwrap();
                assert_eq!(read.size(), Some(bytes.len() as u64));
                assert_eq!(read.compression() == Compression::None, is_plain);
                assert!(!read.is_bgzf());
                let (mut found, mut offset) = (Vec::new(), 0);
                loop {
                    let more = read.read(most).unwrap();
                    if more.is_empty() {
                        break;
                    }
                    assert!(more.len() <= most.min(1 << 20));
                    found.extend_from_slice(more);
                    assert!(read.offset() >= offset, "{offset}");
                    offset = read.offset();
                    if is_plain {
                        assert_eq!(offset, found.len() as u64);
                    }
                    // A tenth of the text is made of about a tenth of the file.
                    let share = offset as f64 / bytes.len() as f64;
                    assert!((share - found.len() as f64 / text.len() as f64).abs() < 0.1);
                }
                assert!(found == text, "{most}");
                assert_eq!(read.offset(), bytes.len() as u64);
            }
        }
    }
}
