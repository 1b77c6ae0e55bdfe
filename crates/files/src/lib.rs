//! What all formats need of files: no records, no threads.
//!
//! In the order in which data meet them:
//!
//! - [`ReadAt`]: bytes that can be read at any place by any number of threads: a file, or memory.
//! - [`Identity`]: what tells that they are still the same ones.
//! - [`ReadFrom`]: such bytes from an offset on, as a stream.
//! - [`UnnamedFile`]: what does not fit into memory, gone when the process ends.
//!
//! ```
//! use std::io::Read;
//! use thalweg_files::{ReadAt, ReadFrom};
//!
//! let bytes = b"ACGTACGT".to_vec();
//! let mut four = [0; 4];
//! bytes.read_exact_at(&mut four, 2)?;
//! assert_eq!(&four, b"GTAC");
//!
//! let mut rest = String::new();
//! ReadFrom::new(&bytes, 5).read_to_string(&mut rest)?;
//! assert_eq!(rest, "CGT");
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

mod identity;
mod read_at;
mod read_from;
mod unnamed;

pub use identity::Identity;
pub use read_at::ReadAt;
pub use read_from::ReadFrom;
pub use unnamed::{TemporaryError, UnnamedFile};
