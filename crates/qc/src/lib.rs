//! Statistics, trimming, filtering and merging of reads, and reports on them.
#![forbid(unsafe_code)]

pub mod counts;
mod hash;

pub use hash::SequenceHasher;
