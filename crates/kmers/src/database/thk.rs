//! Our own format, `.thk`: sorted, compressed, checksummed, and searched by reading one block.
//!
//! docs/formats/kmers.md specifies it byte by byte. A file has *partitions*, each of which is sorted, in blocks of
//! 1024 records. A [`ThkWriter`] takes them from several workers at once:
//!
//! ```
//! use thalweg_kmers::database::{self, Description, thk};
//!
//! # let directory = tempfile::tempdir()?;
//! let path = directory.path().join("sample.thk");
//! let writer = thk::ThkWriter::<u64>::create(&path, &Description::new(3, true), thk::Partitioning::unknown(2))?;
//! // In each worker:
//! let mut encoder = writer.encoder();
//! encoder.begin(1)?;
//! encoder.push(0b00_01_10, 7)?; // ACG
//! encoder.end()?;
//! // When all are done:
//! let totals = writer.finish()?;
//! assert_eq!(totals.total, 7);
//! assert_eq!(database::open(&path)?.header().k, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bits;
mod block;
mod copy;
mod cursor;
mod encoder;
mod encoders;
mod gaps;
mod joined;
mod layout;
mod pack;
mod partitioning;
mod partitions;
mod ranges;
mod reader;
mod rule;
mod runs;
mod search;
mod shared;
mod sink;
mod writer;

pub use encoder::Encoder;
pub use partitioning::Partitioning;
pub use writer::ThkWriter;

pub(crate) use layout::MAGIC;
pub(crate) use partitions::Partitions;
pub(crate) use ranges::sort_by_distance;
pub(crate) use reader::Reader;
pub(crate) use rule::MinimizerRule;
pub(crate) use runs::Runs;
pub(crate) use search::Search;
