//! Blocks of BGZF that are decoded as a whole, by libdeflate.
//!
//! ```text
//! header seen ──► the whole block is at hand, and room for its data? ──► libdeflate: data, CRC32, length
//!                        │ no                                                   │ a fault
//!                        └──────────────► the kernel, as of any member ◄────────┘
//! ```
//! Of data that are mostly literals, as packed bases and raw qualities are, several streams in one loop gain
//! nothing over one (docs/design/inflate.md). A block says how long it is and how much it holds, so that
//! bounds need be looked at seldom. Faults are the kernel's to tell: what libdeflate refuses is decoded once more.

use libdeflater::Decompressor;

use super::{Decoder, Event, Goal, State, Trailer};
use crate::header::{MemberHeader, TRAILER};

/// Most data of a block (SAM specification, section 4.1).
const MOST: usize = 64 * 1024;

/// Decodes blocks, one after the other.
#[derive(Default)]
pub(super) struct WholeBlocks {
    decompressor: Decompressor,
    /// The block whose header was passed last, if it is at hand and nothing of it has been decoded.
    next: Option<Block>,
    /// Bytes of room that it waits for.
    room: usize,
}

/// A block whose header was passed.
#[derive(Clone, Copy)]
struct Block {
    /// Bytes of the header.
    header: usize,
    /// Bytes of the block, header included.
    size: usize,
}

impl WholeBlocks {
    /// Begin another stream.
    pub(super) fn restart(&mut self) {
        self.next = None;
        self.room = 0;
    }
}

impl Decoder {
    /// Decode blocks of BGZF one at a time, where all of one is at hand. Before anything is decoded.
    ///
    /// A block is read to its end before any of its data are given.
    pub fn decode_whole_blocks(&mut self) {
        self.whole_blocks = Some(Box::default());
    }

    /// Leave that again to the kernel.
    pub fn decode_as_it_comes(&mut self) {
        self.whole_blocks = None;
    }

    /// Whether more input should be read before this header, at which the input stands, is passed.
    pub(super) fn wants_block(&self, header: &MemberHeader) -> bool {
        let unread = self.input.unread().len();
        self.whole_blocks.is_some()
            && header.block_size.is_some_and(|size| size > unread)
            && !self.input.at_end()
    }

    /// Bytes of room without which nothing can be decoded.
    pub(super) fn room_wanted(&self) -> usize {
        let waiting = self.whole_blocks.as_ref().map_or(0, |blocks| blocks.room);
        waiting.max(1)
    }

    /// The input stands at this header, which will be passed.
    pub(super) fn note_block(&mut self, header: &MemberHeader) {
        let unread = self.input.unread().len();
        if let (Some(blocks), Some(size)) = (&mut self.whole_blocks, header.block_size) {
            let is_whole = size <= unread && size >= header.length + TRAILER;
            blocks.next = is_whole.then_some(Block {
                header: header.length,
                size,
            });
        }
    }

    /// Decode the block that was noted. `false` if there is none, or the kernel should do it.
    pub(super) fn decode_block(&mut self) -> bool {
        let limit = self.limit_left();
        let position = self.input.position();
        let Some(blocks) = &mut self.whole_blocks else {
            return false;
        };
        let Some(block) = blocks.next.take() else {
            return false;
        };
        blocks.room = 0;
        let bytes = &self.input.with_last(block.header)[..block.size];
        let (rest, trailer) = bytes.split_at(block.size - TRAILER);
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| trailer[at + byte]));
        let length = word(4) as usize;
        let end = position + 8 * (rest.len() - block.header) as u64;
        let stops_inside = self.report_blocks
            || matches!(self.goal, Some(Goal::Checkpoint { bit, .. }) if (position + 1..end).contains(&bit));
        if stops_inside || length > MOST || length as u64 > limit {
            return false;
        }
        if self.slab.room() < length && !self.slab.is_empty() {
            blocks.next = Some(block);
            blocks.room = length;
            self.event = Some(Event::Full);
            return true;
        }
        let (output, at) = self.slab.output(length as u64);
        let room = &mut output[at..];
        let decoded = blocks.decompressor.gzip_decompress(bytes, room);
        if decoded != Ok(length) {
            return false;
        }
        let trailer = Trailer {
            crc32: word(0),
            length: word(4),
            offset: end / 8,
        };
        self.slab.extend(length);
        // Its checksum was compared.
        self.member = None;
        self.sum_up();
        self.note_trailer(trailer);
        if self.verified + length as u64 >= self.output() {
            self.verified = self.output();
        }
        self.input.consume(block.size - block.header);
        self.state = State::Between;
        true
    }
}
