//! DEFLATE (RFC 1951) decoding of several streams in one loop.
//!
//! A core that decodes one stream mostly waits: every table lookup needs the bits that the one
//! before it left over. When an index (or BGZF) gives several places where decoding can start,
//! the waiting times of one stream can be filled with the work of another. [`decode`] runs up to
//! [`MAX_LANES`] streams step by step in the same loop, and one stream in a loop of its own.
//!
//! A [`Lane`] is the state of one stream; a [`Job`] lends it a piece of input and of output for
//! one call. There is no I/O here, no thread and, but for creating a lane, no allocation.
//!
//! ```
//! use thalweg_inflate::{Job, Lane, Status, Workbench, decode};
//!
//! // "thalweg", one stored block.
//! let compressed = b"\x01\x07\x00\xf8\xffthalweg";
//! let mut lane = Box::new(Lane::new());
//! let mut output = [0; 7];
//! let mut jobs = [Job {
//!     lane: &mut lane,
//!     input: compressed,
//!     input_bit: 0,
//!     input_is_last: true,
//!     output: &mut output,
//!     output_at: 0,
//!     status: None,
//! }];
//! decode(&mut Workbench::new(), &mut jobs);
//! assert_eq!(jobs[0].status, Some(Ok(Status::StreamEnd)));
//! assert_eq!(jobs[0].output_at, 7);
//! assert_eq!(&output, b"thalweg");
//! ```
//!
//! Where the bytes before a block are not known, [`decode_symbols`] decodes all the same: to symbols of 16 bits, of which those
//! above 255 stand for what is not known, and are copied like any other. Once few of them are left, bytes that no literal is can
//! stand for them, and [`decode`] goes on: see [`Lane::reserve`].
//!
//! [`find_block`] finds such a block in the middle of a stream.
//!
//! What counts as an error follows zlib: codes must be complete, except a single distance (or
//! end-of-block) code of one bit, or no distance code at all.

mod bits;
mod bytes;
mod careful;
mod codes;
mod drive;
mod error;
mod finder;
mod header;
mod job;
mod join;
mod kernel;
mod lane;
mod pack;
mod references;
mod symbol;
mod tables;
mod translate;
mod workbench;

pub use bytes::ByteSet;
pub use drive::{decode, decode_symbols};
pub use error::{Error, ErrorKind};
pub use finder::{LONGEST_HEADER, find_block};
pub use job::{Job, Status};
pub use kernel::active_kernel;
pub use lane::Lane;
pub use translate::translate;
pub use workbench::Workbench;

/// For this crate's own tests and benchmarks; not covered by semantic versioning.
#[doc(hidden)]
pub mod testing {
    pub use crate::drive::{decode_symbols_with, decode_with};
    pub use crate::kernel::Kernel;
}

/// How far back a match can reach, in bytes (RFC 1951, section 2).
pub const WINDOW: usize = 32 * 1024;

/// The most streams that one loop decodes side by side.
pub const MAX_LANES: usize = 4;
