//! Taxa and databases of them: all of `thalweg_taxa`, and the jobs that read files for it. Reads are labelled by
//! [`classify`](crate::classify).
//!
//! - [`read_taxonomy`]: a taxdump or a table of lineages, from files.
//! - [`KrakenLibrary`]: a folder that kraken2-build has filled.
//! - [`BuildJob`]: genomes to a database.
//! - [`MergeJob`]: the parts of a database to the database, and whole ones to one.

mod build_job;
mod input;
mod kraken_library;
mod merge_job;

pub use crate::Fault;
pub use build_job::{BuildJob, Made};
pub use input::{Origin, read_accessions, read_table, read_taxonomy};
pub use kraken_library::KrakenLibrary;
pub use merge_job::MergeJob;
pub use thalweg_taxa::*;

use crate::Control;

/// What long work of `thalweg_taxa` is told, as it goes.
fn go_on(control: &Control) -> Result<()> {
    match control.is_cancelled() {
        true => Err(Error::cancelled()),
        false => Ok(()),
    }
}
