//! `thalweg kmers`, and what it shares with `thalweg count`
//!
//! - `arguments`: the command line.
//! - one file for each subcommand, `combine` for those with several databases.
//! - `target`, `output`: where a database goes, and how it gets there.
//! - `failure`: what went wrong.
//! - `jellyfish`: the same under the name and with the options of Jellyfish.

mod arguments;
mod combine;
mod dump;
mod failure;
mod filter_reads;
mod histo;
mod info;
mod jellyfish;
mod output;
mod query;
mod stats;
mod target;
mod verify;

pub(crate) use arguments::KmersArguments;
use arguments::KmersCommand;
pub(crate) use failure::Fault;
pub(crate) use jellyfish::run as run_as_jellyfish;
pub(crate) use output::DatabaseOutput;
pub(crate) use target::{
    OutputFormat, Placement, Target, TemporaryName, remove_unfinished_on_signal,
};

use crate::exit::Failure;

pub(crate) fn run(arguments: &KmersArguments) -> Result<(), Failure> {
    let outcome = match &arguments.command {
        KmersCommand::Histo(arguments) => histo::run(arguments),
        KmersCommand::Dump(arguments) => dump::run(arguments),
        KmersCommand::Stats(arguments) => stats::run(arguments),
        KmersCommand::Query(arguments) => query::run(arguments),
        KmersCommand::Merge(arguments) => combine::merge(arguments),
        KmersCommand::Intersect(arguments) => combine::intersect(arguments),
        KmersCommand::Subtract(arguments) => combine::subtract(arguments),
        KmersCommand::Diff(arguments) => combine::diff(arguments),
        KmersCommand::Info(arguments) => info::run(arguments),
        KmersCommand::Verify(arguments) => verify::run(arguments),
        KmersCommand::FilterReads(arguments) => filter_reads::run(arguments),
    };
    outcome.map_err(Fault::into_failure)
}
