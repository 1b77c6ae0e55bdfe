//! `thalweg taxa`: databases of the k-mers of genomes, and `thalweg classify`, which labels reads by one.
//!
//! - `arguments`: the command lines.
//! - `build`, `merge`, `inspect`: what is done to a database.
//! - `classify`: reads in, labels and a report out.

mod arguments;
mod build;
pub(crate) mod classify;
mod genomes;
mod inspect;
mod merge;

pub(crate) use arguments::{ClassifyArguments, TaxaArguments, TaxaCommand};

use thalweg::taxa::Fault;

use crate::exit::Failure;

pub(crate) fn run(arguments: &TaxaArguments) -> Result<(), Failure> {
    match &arguments.command {
        TaxaCommand::Build(arguments) => build::run(arguments),
        TaxaCommand::Merge(arguments) => merge::run(arguments),
        TaxaCommand::Info(arguments) => inspect::info(arguments),
        TaxaCommand::Verify(arguments) => inspect::verify(arguments),
        TaxaCommand::Dump(arguments) => inspect::dump(arguments),
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Reads(error) => error.into(),
            Fault::Taxa(error) => error.into(),
            Fault::Write(error) => error.into(),
        }
    }
}

impl From<thalweg::taxa::Error> for Failure {
    fn from(error: thalweg::taxa::Error) -> Self {
        Self::Taxa(error)
    }
}
