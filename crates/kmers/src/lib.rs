//! Exact counts of all k-mers of a set of reads, and databases of them.
//!
//! In the order in which data meet them:
//!
//! - [`kmer`]: a k-mer as a value, from one `u64` to eight.
//! - [`options`]: what is counted, and what is kept.
//! - [`count`]: the engine: slices of sequence in, sorted lists of (k-mer, count) out.
//! - [`histogram`]: how many k-mers occur how often, and what that says of a genome.
//! - [`database`]: files of counted k-mers, ours and those of other tools.
//! - [`set_operations`]: merge, intersect, subtract: streams of sorted k-mers combined.
#![deny(unsafe_code)]

mod clamped;
pub mod count;
pub mod database;
mod error;
#[cfg(test)]
#[path = "../../thalweg/tests/support/extent.rs"]
#[allow(dead_code)]
mod extent;
pub mod histogram;
pub mod kmer;
pub mod options;
pub mod set_operations;

pub use error::{Error, Result};
pub use kmer::Kmer;
