//! A batch to a frame.

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

use super::{CONTENT_CHECKSUM, CONTENT_SIZE, INDEPENDENT, SEED, STORED, VERSION, header_check};
use crate::format::LZ4;

/// The number of 256 KiB among the sizes of blocks: what a second-level cache holds, and large enough for nearly all repeats.
const SIZE_NUMBER: u8 = 5;
const BLOCK: usize = 256 << 10;

/// Writes frames, with memory that is used again.
pub(crate) struct FrameWriter {
    table: CompressTable,
    block: Vec<u8>,
}

impl FrameWriter {
    pub(crate) fn new() -> Self {
        Self {
            table: CompressTable::large(),
            block: vec![0; get_maximum_output_size(BLOCK)],
        }
    }

    /// Append `content` as one frame of independent blocks.
    pub(crate) fn write(&mut self, content: &[u8], into: &mut Vec<u8>) {
        into.extend_from_slice(&LZ4);
        let descriptor = into.len();
        into.push(VERSION | INDEPENDENT | CONTENT_SIZE | CONTENT_CHECKSUM);
        into.push(SIZE_NUMBER << 4);
        into.extend_from_slice(&(content.len() as u64).to_le_bytes());
        into.push(header_check(&into[descriptor..]));
        for block in content.chunks(BLOCK) {
            let pressed = compress_into_with_table(block, &mut self.block, &mut self.table);
            let (size, bytes) = match pressed {
                Ok(size) if size < block.len() => (size as u32, &self.block[..size]),
                // It has no room only for what cannot be made smaller.
                _ => (block.len() as u32 | STORED, block),
            };
            into.extend_from_slice(&size.to_le_bytes());
            into.extend_from_slice(bytes);
        }
        into.extend_from_slice(&0_u32.to_le_bytes());
        let check = twox_hash::XxHash32::oneshot(SEED, content);
        into.extend_from_slice(&check.to_le_bytes());
    }
}
