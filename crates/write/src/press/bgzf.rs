//! BGZF, SAM specification section 4.1.
//!
//! ```text
//! block = header (18 bytes) DEFLATE stream, CRC32 (4), length of the text (4)
//! header = 1f 8b 08 04, time (4) = 0, 00, ff, extra length (2) = 6,
//!          'B' 'C', 2 (2), length of the block - 1 (2)
//! ```
//! All numbers are little-endian. The length fits 16 bits, so a block has at most
//! 65536 bytes.

use libdeflater::Crc;

use super::{PressError, deflate::Deflate};

/// Text in a block. 65280 = 0xff00 bytes, as bgzip takes: what cannot be
/// compressed then still fits, as it grows by 5 bytes.
const TEXT: usize = 0xff00;
const BLOCK: usize = 0x1_0000;
const HEADER: usize = 18;
const FOOTER: usize = 8;

/// The empty block that marks the end of a file that is whole.
pub(super) const END: [u8; 28] = [
    0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 0x1b, 0, 3, 0, 0, 0, 0, 0, 0, 0,
    0, 0,
];

/// Makes blocks.
pub(crate) struct Blocks {
    deflate: Deflate,
}

impl Blocks {
    pub(super) fn new(deflate: Deflate) -> Self {
        Self { deflate }
    }

    /// Append the blocks of `text`; the last one ends with it.
    pub(super) fn press(&mut self, text: &[u8], into: &mut Vec<u8>) -> Result<(), PressError> {
        text.chunks(TEXT)
            .try_for_each(|text| self.block(text, into))
    }

    fn block(&mut self, text: &[u8], into: &mut Vec<u8>) -> Result<(), PressError> {
        let start = into.len();
        // The size in it is that of the block that marks the end, until its own is known.
        into.extend_from_slice(&END[..HEADER]);
        self.deflate.press(text, into)?;
        if into.len() + FOOTER - start > BLOCK {
            into.truncate(start + HEADER);
            store(text, into);
        }
        let size = u16::try_from(into.len() + FOOTER - start - 1)
            .map_err(|_| PressError("BGZF: block too large".to_owned()))?;
        into[start + HEADER - 2..start + HEADER].copy_from_slice(&size.to_le_bytes());
        let mut crc = Crc::new();
        crc.update(text);
        into.extend_from_slice(&crc.sum().to_le_bytes());
        // At most TEXT, so nothing is cut off.
        into.extend_from_slice(&(text.len() as u32).to_le_bytes());
        Ok(())
    }
}

/// Append one last block (bits 1, 00) of bytes as they are: RFC 1951, 3.2.4.
fn store(text: &[u8], into: &mut Vec<u8>) {
    // At most TEXT, which 16 bits hold.
    let length = text.len() as u16;
    into.push(1);
    into.extend_from_slice(&length.to_le_bytes());
    into.extend_from_slice(&(!length).to_le_bytes());
    into.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::{Level, OutputFormat, press::Press};

    /// Lengths of the blocks, from their headers.
    fn lengths(mut bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut lengths = Vec::new();
        while !bytes.is_empty() {
            assert_eq!(bytes[..16], END[..16]);
            let length = usize::from(u16::from_le_bytes([bytes[16], bytes[17]])) + 1;
            let text = u32::from_le_bytes(bytes[length - 4..length].try_into().unwrap());
            lengths.push((length, text as usize));
            bytes = &bytes[length..];
        }
        lengths
    }

    fn noise(size: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        std::iter::repeat_with(next).take(size).collect()
    }

    #[test]
    fn blocks_of_noise_keep_the_limits() {
        let text = noise(3 * TEXT + 17);
        for level in (1..=12).filter_map(Level::new) {
            let mut press = Press::new(OutputFormat::Bgzf, level).unwrap();
            let mut bytes = Vec::new();
            press.press(&text, &mut bytes).unwrap();
            let lengths = lengths(&bytes);
            assert!(lengths.iter().all(|&(length, _)| length <= BLOCK));
            let texts: Vec<_> = lengths.iter().map(|&(_, text)| text).collect();
            assert_eq!(texts, [TEXT, TEXT, TEXT, 17]);
        }
    }

    #[test]
    fn stored_blocks_can_be_read() {
        let text = noise(TEXT);
        let mut stream = Vec::new();
        store(&text, &mut stream);
        assert!(HEADER + stream.len() + FOOTER <= BLOCK);
        let mut back = Vec::new();
        flate2::read::DeflateDecoder::new(&stream[..])
            .read_to_end(&mut back)
            .unwrap();
        assert!(back == text);
    }
}
