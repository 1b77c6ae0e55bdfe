//! Labelling reads: all of `thalweg_taxa`, and the jobs that read files for it.
//!
//! - [`read_taxonomy`]: a taxdump or a table of lineages, from files.
//! - [`KrakenLibrary`]: a folder that kraken2-build has filled.
//! - [`BuildJob`]: genomes to a database.
//! - [`MergeJob`]: the parts of a database to the database, and whole ones to one.
//! - [`ClassifyJob`]: reads to labels, and to files by their labels. [`Stream`] says what goes where, [`Collect`] what else
//!   looks at each call, [`Populating`] that the database is in memory soon.

mod build_job;
mod classify_job;
mod collect;
mod input;
mod kraken_library;
mod merge_job;
mod populate;
mod rounds;
mod streams;

pub use crate::Fault;
pub use build_job::{BuildJob, Made};
pub use classify_job::{Classified, ClassifyJob};
pub use collect::{Called, Collect};
pub use input::{Origin, read_accessions, read_table, read_taxonomy};
pub use kraken_library::KrakenLibrary;
pub use merge_job::MergeJob;
pub use populate::Populating;
pub use streams::{Chosen, Form, ReadStream, Stream, Taxa};
pub use thalweg_taxa::*;
