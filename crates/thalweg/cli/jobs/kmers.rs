//! `thalweg kmers`, and what it shares with `thalweg count`
//!
//! What is done is done by [`thalweg::databases`].
//!
//! - one file for each subcommand, `combine` for those with several databases.
//! - `target`: the format of a database, as the user names it.
//! - `open`: a database, and what is to be said of it at once.
//! - `failure`: what went wrong.

mod combine;
mod dump;
pub(crate) mod failure;
mod filter_reads;
mod histo;
mod info;
mod join;
mod open;
pub(crate) mod query;
mod stats;
mod target;
mod verify;

pub(crate) use failure::{Fault, TMP_HINT};
pub(crate) use open::open_database;
pub(crate) use target::{OutputFormat, format_of};

use crate::options::kmers::{KmersArguments, KmersCommand};
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &KmersArguments) -> Result<(), Failure> {
    let outcome = match &arguments.command {
        KmersCommand::Histo(arguments) => histo::run(arguments),
        KmersCommand::Dump(arguments) => dump::run(arguments),
        KmersCommand::Stats(arguments) => stats::run(arguments),
        KmersCommand::Query(arguments) => query::run(arguments),
        KmersCommand::Merge(arguments) => combine::merge(arguments),
        KmersCommand::Join(arguments) => join::run(arguments),
        KmersCommand::Intersect(arguments) => combine::intersect(arguments),
        KmersCommand::Subtract(arguments) => combine::subtract(arguments),
        KmersCommand::Diff(arguments) => combine::diff(arguments),
        KmersCommand::Info(arguments) => info::run(arguments),
        KmersCommand::Verify(arguments) => verify::run(arguments),
        KmersCommand::FilterReads(arguments) => filter_reads::run(arguments),
    };
    outcome.map_err(Fault::into_failure)
}
