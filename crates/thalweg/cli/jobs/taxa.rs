//! `thalweg taxa`: databases of the k-mers of genomes, and `thalweg classify`, which labels reads by one.
//!
//! - `build`, `merge`, `inspect`: what is done to a database.
//! - `classify`: reads in, labels and a report out.

mod build;
pub(crate) mod classify;
mod inspect;
mod merge;

use crate::options::taxa::{TaxaArguments, TaxaCommand};
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &TaxaArguments) -> Result<(), Failure> {
    match &arguments.command {
        TaxaCommand::Build(arguments) => build::run(arguments),
        TaxaCommand::Add(arguments) => build::add(arguments),
        TaxaCommand::Merge(arguments) => merge::run(arguments),
        TaxaCommand::Info(arguments) => inspect::info(arguments),
        TaxaCommand::Verify(arguments) => inspect::verify(arguments),
        TaxaCommand::Dump(arguments) => inspect::dump(arguments),
    }
}
