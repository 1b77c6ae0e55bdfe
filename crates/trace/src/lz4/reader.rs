//! Frames to their content, block by block.

use std::hash::Hasher;
use std::io::Read;

use lz4_flex::block::{decompress_into, decompress_into_with_dict};
use twox_hash::XxHash32;

use super::{
    BLOCK_CHECKSUMS, CONTENT_CHECKSUM, CONTENT_SIZE, DICTIONARY, INDEPENDENT, RESERVED_FLAG,
    RESERVED_SIZE, SEED, STORED, VERSION, VERSION_BITS, WINDOW, block_size, header_check,
};
use crate::format::LZ4;
use crate::source::{Problem, read_exact, read_full};

/// Reads frames that stand one behind the other. Its memory is two blocks, of 4 MiB at most, and a window.
pub(crate) struct FrameReader<R> {
    bytes: R,
    frame: Option<Frame>,
    /// What a block is on disk.
    block: Vec<u8>,
    /// What it becomes.
    text: Vec<u8>,
    /// If blocks are linked: what came before, the last 64 KiB of it.
    window: Vec<u8>,
}

/// A frame that has begun.
struct Frame {
    flags: u8,
    block_size: usize,
    /// What is left of the content, if it is told.
    left: Option<u64>,
    check: XxHash32,
}

impl Frame {
    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

impl<R: Read> FrameReader<R> {
    pub(crate) fn new(bytes: R) -> Self {
        Self {
            bytes,
            frame: None,
            block: Vec::new(),
            text: Vec::new(),
            window: Vec::new(),
        }
    }

    pub(crate) fn get_ref(&self) -> &R {
        &self.bytes
    }

    /// Append the content of the next block that has any; returns its size, 0 at the end of the last frame.
    pub(crate) fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Problem> {
        loop {
            let frame = match self.frame.take() {
                Some(frame) => frame,
                None => match self.begin()? {
                    Some(frame) => frame,
                    None => return Ok(0),
                },
            };
            let frame = self.frame.insert(frame);
            let size = u32::from_le_bytes(read_exact(&mut self.bytes)?);
            if size == 0 {
                self.end()?;
                continue;
            }
            let length = (size & !STORED) as usize;
            // No block is larger than what it becomes: it would be stored.
            if length > frame.block_size {
                return Err(damaged("a block of LZ4 is larger than its frame says"));
            }
            let (checked, stored) = (frame.has(BLOCK_CHECKSUMS), size & STORED != 0);
            self.block.resize(length, 0);
            if read_full(&mut self.bytes, &mut self.block)? < length {
                return Err(Problem::Cut);
            }
            if checked {
                let told = u32::from_le_bytes(read_exact(&mut self.bytes)?);
                if told != XxHash32::oneshot(SEED, &self.block) {
                    return Err(damaged("the checksum of a block of LZ4 disagrees"));
                }
            }
            let added = self.expand(stored, into)?;
            if added > 0 {
                return Ok(added);
            }
        }
    }

    /// Read what a frame begins with, if there is one.
    fn begin(&mut self) -> Result<Option<Frame>, Problem> {
        let mut magic = [0; 4];
        match read_full(&mut self.bytes, &mut magic)? {
            0 => return Ok(None),
            4 => {}
            _ => return Err(Problem::Cut),
        }
        if magic != LZ4 {
            return Err(damaged("something else than a frame of LZ4 follows"));
        }
        let [flags, size] = read_exact(&mut self.bytes)?;
        if flags & VERSION_BITS != VERSION
            || flags & (RESERVED_FLAG | DICTIONARY) != 0
            || size & RESERVED_SIZE != 0
        {
            return Err(damaged(
                "a frame of LZ4 that needs a dictionary, or is of another version",
            ));
        }
        let mut descriptor = vec![flags, size];
        let mut left = None;
        if flags & CONTENT_SIZE != 0 {
            let told: [u8; 8] = read_exact(&mut self.bytes)?;
            descriptor.extend_from_slice(&told);
            left = Some(u64::from_le_bytes(told));
        }
        let [check] = read_exact(&mut self.bytes)?;
        if check != header_check(&descriptor) {
            return Err(damaged("the checksum of the header of a frame disagrees"));
        }
        let block_size = block_size(size >> 4)
            .ok_or_else(|| damaged("a frame of LZ4 with blocks of no size that there is"))?;
        self.window.clear();
        Ok(Some(Frame {
            flags,
            block_size,
            left,
            check: XxHash32::with_seed(SEED),
        }))
    }

    /// What a block becomes; returns its size.
    fn expand(&mut self, stored: bool, into: &mut Vec<u8>) -> Result<usize, Problem> {
        let Some(frame) = &mut self.frame else {
            return Ok(0);
        };
        let text = match stored {
            true => &self.block[..],
            false => {
                self.text.resize(frame.block_size, 0);
                let size = match frame.has(INDEPENDENT) {
                    true => decompress_into(&self.block, &mut self.text),
                    false => decompress_into_with_dict(&self.block, &mut self.text, &self.window),
                };
                let size = size.map_err(|error| damaged(&format!("a block of LZ4: {error}")))?;
                &self.text[..size]
            }
        };
        into.extend_from_slice(text);
        if let Some(left) = &mut frame.left {
            *left = left
                .checked_sub(text.len() as u64)
                .ok_or_else(|| damaged("a frame has more content than it says"))?;
        }
        if frame.has(CONTENT_CHECKSUM) {
            frame.check.write(text);
        }
        if !frame.has(INDEPENDENT) {
            self.window.extend_from_slice(text);
            let beyond = self.window.len().saturating_sub(WINDOW);
            self.window.drain(..beyond);
        }
        Ok(text.len())
    }

    /// What stands behind the last block.
    fn end(&mut self) -> Result<(), Problem> {
        let Some(frame) = self.frame.take() else {
            return Ok(());
        };
        if frame.has(CONTENT_CHECKSUM) {
            let told = u32::from_le_bytes(read_exact(&mut self.bytes)?);
            if told != frame.check.finish_32() {
                return Err(damaged("the checksum of a frame disagrees"));
            }
        }
        match frame.left {
            None | Some(0) => Ok(()),
            Some(_) => Err(damaged("a frame has less content than it says")),
        }
    }
}

fn damaged(what: &str) -> Problem {
    Problem::Damaged(what.to_owned())
}
