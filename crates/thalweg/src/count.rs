//! Counting the k-mers of files: the job behind `thalweg count`.
//!
//! ```no_run
//! use thalweg::count::CountSettings;
//!
//! let mut settings = CountSettings::new(31, ["reads.fastq.gz"]);
//! settings.output = Some("counts.thk".into());
//! let counted = settings.count()?;
//! println!("{} different k-mers", counted.totals.distinct);
//! # Ok::<(), thalweg::count::Fault>(())
//! ```
//!
//! In the order in which a count goes through them:
//!
//! - [`CountSettings`]: what is asked for, with its defaults and limits.
//! - [`for_counting`], [`available`], [`unused`]: how much memory a process may take, and what of it is left for counting.
//! - [`Inputs`]: files, also more of them than may be open.
//! - [`CountJob`]: reads in, [`Counted`] out, and a database at a [`Target`].
//! - [`PartitionOutput`], [`DatabaseOutput`]: databases of any format, from partitions or in order; [`OutputFile`]: text.
//! - [`Fault`]: what went wrong, with a hint.
//! - [`provenance`]: what is noted in a database.

mod database_output;
mod job;
mod memory;
mod partition_output;
mod provenance;
mod settings;
mod target;
mod temporary;
mod text_file;
#[cfg(feature = "trace")]
mod trace;

#[cfg(test)]
mod tests;

pub use crate::Fault;
pub use crate::hints::of_kmers as hint;
pub use crate::inputs::Inputs;
pub use crate::output_file::OutputFile;
pub use database_output::DatabaseOutput;
pub use job::{CountJob, Counted, Position, add, write_spectrum};
pub use memory::{available, for_counting, unused};
pub use partition_output::{HandedOn, PartitionOutput, left_for_partitions};
pub use provenance::provenance;
pub use settings::{CountSettings, expected_bases, reader_budget};
pub use target::Target;
pub use temporary::TemporaryDatabase;
pub(crate) use text_file::{Packed, TextFile};
