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
//!
//! Files of many members need no windows: their parts are read in any order,
//! and put together in the end. Either way, the index can also fall out while
//! the file is read for something else.

mod build;
mod byproduct;
mod collector;
mod fasta_finder;
mod fault;
mod finder;
mod hash;
mod marker;
mod options;
mod parts;
mod recorder;
mod totals;

pub use build::{build_index, build_index_unless};
pub(crate) use byproduct::{ByProduct, Destination, SaveIndex, finish_parts};
pub use hash::hash_file;
pub use options::{Checkpoints, DEFAULT_SPAN, IndexOptions};
pub(crate) use parts::PartRecorder;
pub(crate) use recorder::Recorder;
