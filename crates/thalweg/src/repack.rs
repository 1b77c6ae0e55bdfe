//! Whole records, chosen and packed anew: what `thalweg cat` does besides decompressing.
//!
//! A *template* is what stays together: a record, mates of equal rank, or two neighbours of an interleaved file.
//!
//! - [`Layout`]: what text each output gets of a template.
//! - [`NameList`], [`Motif`]: which templates are wanted; [`Choice`] holds either.
//! - [`RankKeys`], [`SampleSize`]: which templates a seed draws, and how many of them.
//! - [`RepackJob`]: templates that are chosen by themselves, to outputs; [`SampleJob`]: those that are drawn.
//! - [`filter_reads`], [`filter_pairs`]: files through a function of the caller's, in one call.
//! - [`JoinJob`]: files behind one another, without a look at their records.
//!
//! The outputs are [`write::Outputs`](crate::write::Outputs), opened by the caller, and get what they get in the order of
//! the input, the same for every number of threads.

mod candidates;
mod choice;
mod filter;
mod job;
mod join_job;
mod layout;
mod motif;
mod name_list;
mod rank_keys;
mod sample_job;
mod spool;

pub use choice::{Choice, Drawn, Wanted};
pub use filter::{filter_pairs, filter_reads};
pub use job::{RepackJob, Repacked};
pub use join_job::{JoinJob, Joined};
pub use layout::Layout;
pub use motif::{Motif, MotifError};
pub use name_list::NameList;
pub use rank_keys::{DEFAULT_SEED, RankKeys};
pub use sample_job::{SampleJob, SampleSize, Sampled};
