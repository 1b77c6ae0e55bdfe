//! Jellyfish's `binary/sorted` and `text/sorted`.
//!
//! ```text
//! 9 decimal digits H | H bytes: JSON, then zero bytes up to a multiple of 8 | records
//! binary record:  ceil(2k / 8) bytes of k-mer, counter_len bytes of count, little endian
//! text record:    "KMER count\n"
//! order:          by (position, k-mer); position = M * k-mer over GF(2), of r bits
//! ```
//!
//! Jellyfish makes M at random, since it is its hash function. A file needs only that position and order agree:
//! ours has the M that takes the top r bits of the k-mer, so that the order is that of the k-mers themselves for
//! every k, no second sort is needed, and any two files of ours have the same M, which `jellyfish merge` asks for.

mod checked;
mod header;
mod matrix;
mod places;
mod reader;
mod sums;
mod writer;

pub(crate) use header::sniff;
pub(crate) use reader::{Reader, Search};
pub(crate) use sums::Sums;
pub(crate) use writer::{Layout, Writer};
