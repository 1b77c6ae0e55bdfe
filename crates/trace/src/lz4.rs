//! LZ4 frames (LZ4 Frame Format Description, version 1.6.4): written one for each batch, and read whoever wrote them.
//!
//! ```text
//! frame = magic, flags, block size, size of the content, byte of the checksum of these three,
//!         blocks: size (highest bit: not compressed), bytes
//!         0, checksum of the content
//! ```
//! `lz4_flex` has frames, too. Its encoder has to be made anew, with tables and buffers, for each frame that tells its size; its
//! decoder takes a frame that was cut between two blocks for a whole one.

mod reader;
mod writer;

pub(crate) use reader::FrameReader;
pub(crate) use writer::FrameWriter;

/// Version 01, in the two highest bits of the flags.
const VERSION: u8 = 0b0100_0000;
const VERSION_BITS: u8 = 0b1100_0000;
const INDEPENDENT: u8 = 0b0010_0000;
const BLOCK_CHECKSUMS: u8 = 0b0001_0000;
const CONTENT_SIZE: u8 = 0b0000_1000;
const CONTENT_CHECKSUM: u8 = 0b0000_0100;
const DICTIONARY: u8 = 0b0000_0001;
const RESERVED_FLAG: u8 = 0b0000_0010;

/// Of the byte that tells the size of blocks, what must be 0.
const RESERVED_SIZE: u8 = 0b1000_1111;

/// In the size of a block: it is not compressed.
const STORED: u32 = 1 << 31;

/// What checksums begin with.
const SEED: u32 = 0;

/// Bytes before a block to which it may refer, if blocks are not independent.
const WINDOW: usize = 64 << 10;

/// Largest content of a block, of the sizes that have the numbers 4 to 7.
fn block_size(number: u8) -> Option<usize> {
    (4..=7).contains(&number).then(|| 1 << (8 + 2 * number))
}

/// The byte of the checksum of what stands between the magic number and it.
fn header_check(descriptor: &[u8]) -> u8 {
    (twox_hash::XxHash32::oneshot(SEED, descriptor) >> 8) as u8
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;
    use crate::source::Problem;

    /// All frames in `bytes`, by our reader.
    pub(super) fn read(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
        let (mut frames, mut content) = (FrameReader::new(bytes), Vec::new());
        while frames.more(&mut content)? > 0 {}
        Ok(content)
    }

    fn content(size: usize) -> Vec<u8> {
        // Now and then what was there before, far apart and near.
        let mut state = 7_u32;
        let mut bytes: Vec<u8> = Vec::with_capacity(size);
        while bytes.len() < size {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let back = (state >> 8) as usize % 90_000 + 1;
            match bytes.len().checked_sub(back) {
                Some(from) if state >> 30 != 0 => {
                    let to = (from + (state >> 24) as usize % 60).min(bytes.len());
                    bytes.extend_from_within(from..to);
                }
                _ => bytes.extend_from_slice(&state.to_le_bytes()),
            }
        }
        bytes.truncate(size);
        bytes
    }

    #[test]
    fn sizes_of_blocks_have_numbers() {
        assert_eq!(block_size(4), Some(64 << 10));
        assert_eq!(block_size(5), Some(256 << 10));
        assert_eq!(block_size(7), Some(4 << 20));
        assert_eq!((block_size(3), block_size(8)), (None, None));
    }

    #[test]
    fn frames_are_what_lz4_flex_reads() {
        let (mut frames, mut bytes, mut all) = (FrameWriter::new(), Vec::new(), Vec::new());
        for size in [1, 0, 1000, 262_143, 262_144, 262_145, 1_000_000] {
            let content = content(size);
            frames.write(&content, &mut bytes);
            let mut decoder = lz4_flex::frame::FrameDecoder::new(&bytes[..]);
            all.extend(content);
            let mut read_back = Vec::new();
            // A frame ends with no bytes, as the file does.
            for _ in 0..8 {
                decoder.read_to_end(&mut read_back).unwrap();
            }
            assert!(read_back == all, "{size}");
            assert!(read(&bytes).unwrap() == all, "{size}");
        }
    }

    #[test]
    fn frames_of_others_are_read() {
        use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
        let content = content(1_500_000);
        for mode in [BlockMode::Independent, BlockMode::Linked] {
            for size in [
                BlockSize::Max64KB,
                BlockSize::Max256KB,
                BlockSize::Max1MB,
                BlockSize::Max4MB,
            ] {
                for checks in [false, true] {
                    let info = FrameInfo::new()
                        .block_mode(mode)
                        .block_size(size)
                        .block_checksums(checks)
                        .content_checksum(checks);
                    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
                    encoder.write_all(&content).unwrap();
                    let bytes = encoder.finish().unwrap();
                    assert!(read(&bytes).unwrap() == content, "{mode:?} {size:?}");
                    let twice = [&bytes[..], &bytes].concat();
                    assert!(read(&twice).unwrap() == [&content[..], &content].concat());
                    for at in (1..bytes.len()).step_by(bytes.len() / 97) {
                        let cut = read(&bytes[..at]);
                        assert!(matches!(cut, Err(Problem::Cut)), "{at}: {cut:?}");
                    }
                }
            }
        }
    }

    /// Everything is checked by something. (A match may be copied from another place that has the same.)
    #[test]
    fn a_change_anywhere_is_told() {
        let mut bytes = Vec::new();
        let content = content(3000);
        FrameWriter::new().write(&content, &mut bytes);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                let is_same = read(&changed).is_ok_and(|read| read == content);
                assert!(is_same || read(&changed).is_err(), "byte {at}, bit {bit}");
            }
        }
    }
}
