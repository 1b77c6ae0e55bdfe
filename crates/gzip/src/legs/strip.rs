//! Strips: compressed bytes from one multiple of a size to the next.

use std::io;

use thalweg_files::ReadAt;
use thalweg_inflate::{LONGEST_HEADER, find_block};

/// Bytes of the next strip that a strip has at its end, too: a token or a header that begins in a strip is whole in it.
const OVERLAP: usize = 4096;
const _: () = assert!(OVERLAP >= 2 * LONGEST_HEADER);

/// The compressed bytes of a file from a multiple of a size on, and a little of what follows.
#[derive(Debug)]
pub(super) struct Strip {
    /// Offset of the first byte in the file.
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
    /// The file ends in it.
    pub(super) is_last: bool,
    /// The first bit, from the start of the file, at which a block seems to begin in it.
    pub(super) start: Option<u64>,
}

impl Strip {
    /// The strip at `index`, of `size` bytes. It has none if the file ends before it.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn read(file: &dyn ReadAt, index: u64, size: usize) -> io::Result<Self> {
        let offset = index * size as u64;
        let mut bytes = vec![0; size + OVERLAP];
        let mut filled = 0;
        while filled < bytes.len() {
            match file.read_at(&mut bytes[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let is_last = filled < bytes.len();
        bytes.truncate(filled);
        let start = find_block(&bytes, 0, size as u64 * 8).map(|bit| offset * 8 + bit);
        Ok(Self {
            offset,
            bytes,
            is_last,
            start,
        })
    }
}
