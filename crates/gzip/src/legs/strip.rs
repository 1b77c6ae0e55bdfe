//! Strips: compressed bytes from one multiple of a size to the next. A leg begins in each.

use std::io;

use thalweg_inflate::{LONGEST_HEADER, find_block};

use super::source::Source;

/// Bytes that are looked at together. A block of reads is about as long.
const PIECE: usize = 64 << 10;
/// Bytes that are known behind those: a header that begins in a piece is whole.
const OVERLAP: usize = 4096;
const _: () = assert!(OVERLAP >= LONGEST_HEADER + 8);

/// The first bit, from the start of the file, at which a block seems to begin in the strip at `index`, of `size` bytes.
///
/// # Errors
/// What the system said.
pub(super) fn find_start(source: &Source, index: u64, size: usize) -> io::Result<Option<u64>> {
    let start = index * size as u64;
    let mut bytes = vec![0; PIECE + OVERLAP];
    for offset in (start..start + size as u64).step_by(PIECE) {
        let length = (start + size as u64 - offset).min(PIECE as u64);
        let filled = fill(source, offset, &mut bytes)?;
        if let Some(bit) = find_block(&bytes[..filled], 0, length * 8) {
            return Ok(Some(offset * 8 + bit));
        }
        if filled < bytes.len() {
            break;
        }
    }
    Ok(None)
}

/// Read from `offset` on until `bytes` are full, or no more are there.
fn fill(source: &Source, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match source.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
