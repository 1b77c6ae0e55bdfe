//! The `.thw` format, version 1; `docs/formats/index.md` specifies it byte by byte.
//!
//! ```text
//! header    magic 8, version u16, zero u16
//! windows   stored windows, one after the other
//! body      sections in the order of their tags: tag u8, length varint, payload, CRC-32 of these three
//! footer    offset of the body u64, CRC-32 of header and offset, magic 4
//! ```
//! Windows come first so that a writer needs no memory for them, the tables last because only then they are known.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::{body, footer, header};

/// A byte with the high bit set, a carriage return, a newline and an end-of-file character, as in PNG: a transfer
/// that takes the file for text damages them.
pub(super) const MAGIC: [u8; 8] = *b"\x8bTHW\r\n\x1a\n";

const VERSION: u16 = 1;
const HEADER_SIZE: usize = 12;

const END_MAGIC: [u8; 4] = *b"WHT\x8b";
const FOOTER_SIZE: usize = 16;

/// Sections whose tag has this bit set may be skipped by a reader that does not know them.
const OPTIONAL: u8 = 0x80;

const FILE: u8 = 1;
const METADATA: u8 = 2;
const CHECKPOINTS: u8 = 3;
const WINDOWS: u8 = 4;

/// The largest metadata, in CBOR: what a person writes takes kilobytes.
const LARGEST_METADATA: usize = 16 << 20;

/// The largest body: metadata, and 30 bytes for each of eight million checkpoints (250 TB at the default span).
const LARGEST_BODY: u64 = 256 << 20;

const HAS_BLAKE3: u8 = 1;
const HAS_HEAD_TAIL: u8 = 2;
const HAS_RECORDS: u8 = 4;

const BYTE_ALIGNED: u8 = 1;
const ALL_CRC: u8 = 2;
const SOME_CRC: u8 = 4;
