//! Sequences that occur more often than they should.
//!
//! As in fastp, candidates are found in the first reads: all subsequences of 10, 20, 40
//! and 100 bases, and of nearly the whole length of a read, that occur often there, less
//! those that are only part of a longer one ([`CandidateFinder`], [`Candidates`]). They
//! are then counted in one of so many reads ([`Occurrences`]), and reported if they turn
//! out to be frequent.
//!
//! Where fastp looks up every subsequence in a tree, a hash is rolled along the read, and
//! only subsequences whose hash is marked in a small filter are looked up.

mod candidates;
mod finder;
mod occurrences;
mod rolling;

pub use candidates::Candidates;
pub use finder::CandidateFinder;
pub use occurrences::{Occurrences, Overrepresented};

/// Count in one of so many reads, unless told otherwise.
pub const SAMPLING: u64 = 20;
