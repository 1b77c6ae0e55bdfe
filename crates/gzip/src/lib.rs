//! gzip and BGZF: the framing of members, and the index that lets decoding
//! start in the middle.
//!
//! In the order in which data meet them:
//!
//! - [`header`]: the header of a member, and of a BGZF block.
//! - [`Decoder`] and [`advance`]: compressed bytes to [`Slab`]s of uncompressed
//!   ones, several streams at once on one core, checksums verified.
//! - [`Legs`]: a file decoded in several places at once, without an index.
//! - [`index`]: checkpoints and windows, and the file that holds them.
#![forbid(unsafe_code)]

mod decoder;
mod error;
pub mod header;
pub mod index;
mod input;
mod legs;
mod slab;

pub use decoder::{ChunkMembers, Decoder, Event, Goal, MemberPart, Start, Trailer, advance};
pub use error::{Error, ErrorKind, Limit};
pub use legs::{Helper, Legs};
pub use slab::Slab;
pub use thalweg_inflate::Workbench;

/// How far back a match can reach, in bytes (RFC 1951, section 2).
pub const WINDOW: usize = thalweg_inflate::WINDOW;

/// How many decoders run best in one call of [`advance`].
pub const LANES: usize = thalweg_inflate::MAX_LANES;

/// The instruction sets that the decoder uses on this machine, for logs.
pub fn active_kernel() -> &'static str {
    thalweg_inflate::active_kernel()
}
