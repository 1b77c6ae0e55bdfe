//! Statistics, trimming, filtering and merging of reads, and reports on them.
#![forbid(unsafe_code)]

mod config;
pub mod counts;
pub mod duplication;
mod error;
mod hash;
mod mode;
mod observer;
mod options;
mod outputs;
pub mod overrepresented;
mod pipeline;
mod read;
pub mod report;
pub mod statistics;
mod steps;

pub use config::Config;
pub use error::Error;
pub use hash::SequenceHasher;
pub use mode::{FastpVersion, Mode};
pub use observer::Observer;
pub use options::{Options, UmiLocation};
pub use outputs::{DESTINATIONS, Destination, Piece, Pieces, Routes};
pub use pipeline::Worker;
pub use read::Read;
pub use steps::{AdapterDetector, DetectedAdapter, is_two_colour};
