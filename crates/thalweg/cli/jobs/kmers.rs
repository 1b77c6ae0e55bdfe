//! `thalweg kmers`, and what it shares with `thalweg count`
//!
//! - one file for each subcommand, `combine` for those with several databases; `part`: one of them, a range of k-mers only.
//! - `target`: where a database goes; `output`: text.
//! - `open`: a database, and what is to be said of it at once.
//! - `lookups`: k-mers of whole files, looked up in the database's file or in memory; `answers`: printed with their counts.
//! - `filtering`: reads past a database, to outputs in their order.
//! - `failure`: what went wrong.

pub(crate) mod answers;
pub(crate) mod combine;
pub(crate) mod dump;
pub(crate) mod failure;
pub(crate) mod filter_reads;
pub(crate) mod histo;
mod info;
mod join;
mod open;
pub(crate) mod output;
pub(crate) mod query;
mod stats;
mod target;
mod verify;

pub(crate) use failure::{Fault, TMP_HINT};
pub(crate) use open::{open_database, open_databases};
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
