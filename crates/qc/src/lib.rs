//! Statistics, trimming, filtering and merging of reads, and reports on them.
//!
//! In the order in which a read meets them:
//!
//! - [`Options`], [`Config`]: what is to be done, by fastp's names; checked, and shared
//!   by all workers; [`ranges`] of their numbers. [`Mode`] chooses between what is right and what fastp does.
//! - [`AdapterDetector`], [`is_two_colour`], [`two_colour_instrument`]: what the first reads tell of the rest.
//! - [`Read`]: a window into a record. Nothing is copied unless a base or a name changes, or letters
//!   are to be compared as others ([`usual_letters`]).
//! - [`Worker`]: takes reads and pairs through the steps (`pipeline`, `steps`), counts
//!   what it does ([`counts`]), and appends the text to [`Pieces`], by [`Destination`]. Whoever knows contaminants tells it
//!   which reads are of them ([`Worker::without`]).
//! - [`Observer`]: sees each read before and after; a pair of [`statistics::Stages`] is one.
//! - [`duplication`], [`overrepresented`]: what is found by comparing reads.
//! - [`report`]: JSON and HTML.
//!
//! Nothing here reads, writes, or starts a thread. Everything that is counted merges, so
//! it does not matter who counted what.
//!
//! ```
//! use thalweg_formats::{Format, Records, Scanner};
//! use thalweg_qc::{Config, Destination, Options, Pieces, Read, Routes, Worker};
//!
//! let text = b"@a\nACGTACGTTGCAAGATCGGAAGAGCACACG\n+\nIIIIIIIIIIIIIIIIIIIIIIIIIIIIII\n";
//! let mut ends = Vec::new();
//! Scanner::new(Format::Fastq).scan(text, 0, true, usize::MAX, &mut ends)?;
//!
//! let config = Config::new(Options {
//!     adapter_sequence: Some(b"AGATCGGAAGAGC".to_vec()),
//!     length_required: 5,
//!     ..Options::default()
//! })?;
//! let mut worker = Worker::new(&config);
//! let mut pieces = Pieces::new(Routes::none().set(Destination::Read1, 0));
//! let mut read = Read::default();
//! for record in Records::new(text, 0, Format::Fastq, &ends) {
//!     read.load(&record);
//!     worker.single(&mut read, false, &mut pieces, &mut ());
//! }
//! assert_eq!(pieces.stream(0).text, b"@a\nACGTACGTTGCA\n+\nIIIIIIIIIIII\n");
//! assert_eq!(worker.counts.adapters.trimmed_reads, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod config;
mod contaminants;
pub mod counts;
pub mod duplication;
mod error;
mod few_pass;
mod followed;
mod hash;
mod letters;
mod mode;
mod observer;
mod options;
mod outputs;
pub mod overrepresented;
mod pipeline;
pub mod ranges;
mod read;
pub mod report;
pub mod statistics;
mod steps;
mod umi_location;

pub use config::Config;
pub use error::Error;
pub use followed::{Outcome, Step};
pub use hash::SequenceHasher;
pub use letters::usual_letters;
pub use mode::{FastpVersion, Mode};
pub use observer::Observer;
pub use options::Options;
pub use outputs::{DESTINATIONS, Destination, Piece, Pieces, Routes};
pub use pipeline::Worker;
pub use read::Read;
pub use steps::{AdapterDetector, DetectedAdapter, is_two_colour, two_colour_instrument};
pub use umi_location::UmiLocation;
