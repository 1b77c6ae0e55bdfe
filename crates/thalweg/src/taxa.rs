//! Taxa and databases of them: all of `thalweg_taxa`, and the jobs that read files for it. Reads are labelled by
//! [`classify`](crate::classify).
//!
//! - [`BuildSettings`], [`AddSettings`], [`MergeSettings`]: genomes to a database, also to one that is there; databases to one.
//! - [`TaxonSources`], [`Genomes`]: files that say of which taxa genomes are, and the files of these.
//! - [`find_database`]: which file the name of a database means.
//! - [`verify_database`], [`dump_database`]: every byte of a database looked at, every k-mer written.
//! - [`read_taxonomy`]: a taxdump or a table of lineages, from files.
//! - [`KrakenLibrary`]: a folder that kraken2-build has filled.
//! - [`BuildJob`], [`MergeJob`]: the same of what was read before.

mod build_job;
mod doubts;
mod genomes;
mod input;
mod inspect;
mod kraken_library;
mod log;
mod merge_job;
mod place;
mod settings;
mod taxon_sources;
mod walk;

pub use crate::Fault;
pub use build_job::{BuildJob, BuiltDatabase};
pub use genomes::Genomes;
pub use input::{LoadedTaxonomy, read_accessions, read_table, read_taxonomy};
pub use inspect::{dump_database, verify_database};
pub use kraken_library::KrakenLibrary;
pub use merge_job::MergeJob;
pub use place::{find_database, find_database_before};
pub use settings::{AddSettings, BuildSettings, MergeSettings};
pub use taxon_sources::TaxonSources;
pub use thalweg_taxa::*;
