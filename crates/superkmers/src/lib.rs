//! Super-k-mers: k-mers as values, minimizers, and sequences cut into stretches of k-mers that share one.
//!
//! It knows no counts and no taxa: those who count or classify stand on it. In the order in which data meet them:
//!
//! - [`kmer`]: a k-mer as a value, from one `u64` to eight.
//! - [`scheme`]: what decides to which partition a k-mer belongs.
//! - [`kernel`]: which instructions do the work of the next ones.
//! - [`segments`]: sequences to segments, of [`pieces`] or whole; [`encode`], [`other_letters`]: letters to two bits
//!   each, and which are none.
//! - [`minimizer`]: the least m-mer of every window.
//! - [`sequence`]: super-k-mers of one sequence at a time, for who looks k-mers up.
//! - [`partitioner`]: super-k-mers by partition, for who stores them: [`cut`] out of a segment as [`record`]s.
//! - [`partition`]: records by partition, in [`packed`] blocks, and blocks that were cut elsewhere.
//! - [`slab`], [`spill`], [`chain`]: where blocks are kept, in memory and in temporary files.
//! - [`lines`], [`prefetch`]: memory by cache lines.
#![deny(unsafe_code)]

pub mod chain;
pub mod cut;
pub mod encode;
mod error;
pub mod kernel;
pub mod kmer;
pub mod lines;
pub mod minimizer;
pub mod other_letters;
pub mod packed;
pub mod partition;
pub mod partitioner;
pub mod pieces;
pub mod prefetch;
pub mod record;
pub mod scheme;
pub mod segments;
pub mod sequence;
pub mod slab;
pub mod spill;

pub use error::{Error, Result};
pub use kernel::Kernel;
pub use kmer::Kmer;
pub use scheme::Scheme;
