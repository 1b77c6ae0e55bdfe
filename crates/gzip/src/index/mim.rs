//! The `.mim` format, version 0, as mim-index 0.1 writes it.
//!
//! ```text
//! magic 8, version u64
//! BLAKE3 of the compressed file 32, mode u32, output size i64, records i64,
//! metadata (u64 length, CBOR map with the key "user_metadata"), an empty list (u64 zero)
//! one gzip stream: u64 count, then per checkpoint
//!     byte offset i64, spare bits u8, output offset i64, window (u64 length, bytes), rank u64, record offset u64
//! ```
//! All little endian. The bit offset is eight times the byte offset less the spare bits. The last entry is no
//! checkpoint: it holds the totals.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

pub(super) const MAGIC: [u8; 8] = *b"MIMINDEX";

const VERSION: u64 = 0;

/// The mode of an index of a gzip file; the others (none, raw deflate, zlib) never occur in practice.
const MODE_GZIP: u32 = 3;

/// The largest metadata that is accepted.
const LARGEST_METADATA: u64 = 16 << 20;

/// Magic, version, hash, mode, two totals, and the length of the metadata.
const FIXED_SIZE: usize = 8 + 8 + 32 + 4 + 8 + 8 + 8;

/// An entry without its window: offset, spare bits, output offset, the window's length, rank, record offset.
const SMALLEST_ENTRY: u64 = 8 + 1 + 8 + 8 + 8 + 8;

const USER_METADATA: &str = "user_metadata";
