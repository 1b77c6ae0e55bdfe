//! Building an index: one pass over a file.
//!
//! ```text
//! compressed bytes ──► decoder ──► slabs, with a mark where a chunk may start
//!                                    │
//!        one after the other, by whichever thread is free:
//!                                    ▼
//!        CRC32 of each chunk · rank and offset of the first record behind each
//!        mark · window, reduced to what is referred to · BLAKE3 of the file
//! ```

mod build;
mod collector;
mod finder;
mod hash;

pub use build::{Checkpoints, DEFAULT_SPAN, IndexOptions, build_index};
pub use hash::hash_file;
