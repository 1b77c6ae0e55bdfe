//! Labelling reads: all of `thalweg_taxa`, and the jobs that read files for it.
//!
//! - [`read_taxonomy`]: a taxdump or a table of lineages, from files.
//! - [`BuildJob`]: genomes to a database.
//! - [`ClassifyJob`]: reads to labels.

mod build_job;
mod classify_job;
mod fault;
mod input;

pub use build_job::{BuildJob, Made};
pub use classify_job::ClassifyJob;
pub use fault::Fault;
pub use input::{Origin, read_accessions, read_table, read_taxonomy};
pub use thalweg_taxa::*;
