//! Super-k-mers: k-mers as values, minimizers, and sequences cut into stretches of k-mers that share one.
//!
//! It knows no counts and no taxa: those who count or classify stand on it. In the order in which data meet them:
//!
//! - [`kmer`]: a k-mer as a value, from one `u64` to eight.
#![deny(unsafe_code)]

mod error;
pub mod kmer;

pub use error::{Error, Result};
pub use kmer::Kmer;
