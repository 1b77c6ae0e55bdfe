//! `thalweg kmers`, and what it shares with `thalweg count`
//!
//! - `arguments`: the command line.
//! - one file for each subcommand, `combine` for those with several databases; `part`: one of them, a range of k-mers only.
//! - `target`: where a database goes; `output`: text.
//! - `open`: a database, and what is to be said of it at once.
//! - `lookups`: k-mers of whole files, looked up in the database's file or in memory; `answers`: printed with their counts.
//! - `filtering`: reads past a database, to outputs in their order.
//! - `failure`: what went wrong.
//! - `jellyfish`, `kmc`: the same under the names and with the options of Jellyfish and KMC.

mod answers;
mod arguments;
mod combine;
mod dump;
mod failure;
mod filter_reads;
mod filtering;
mod histo;
mod info;
mod jellyfish;
mod join;
mod kmc;
mod lookups;
mod open;
mod output;
mod part;
mod query;
mod stats;
mod strands;
mod target;
mod verify;

use std::ffi::OsStr;
use std::process::ExitCode;

use thalweg::kmers::options::CountOptions;

pub(crate) use arguments::{KmersArguments, KmersCommand};
pub(crate) use failure::{Fault, TMP_HINT};
pub(crate) use open::{open_database, open_databases};
pub(crate) use target::{OutputFormat, target};

use crate::exit::Failure;

/// Options that keep counts in `kept`, as programs do that others stand in for: of a range without a count, nothing, and
/// the result is empty.
fn with_counts(options: CountOptions, kept: (u64, u64)) -> thalweg::kmers::Result<CountOptions> {
    if kept.0 <= kept.1 {
        return options.with_counts(kept.0, kept.1);
    }
    tell!(
        "thalweg: note: no k-mer occurs {} times or more and {} times or less: the result is empty",
        kept.0,
        kept.1
    );
    // So often none occurs.
    options.with_counts(u64::MAX, u64::MAX)
}

/// The exit code of all failures of the programs that others stand in for.
const FAILED: u8 = 1;

/// How what stands in for one of them ends.
fn ended(outcome: Result<(), Fault>) -> ExitCode {
    let Err(fault) = outcome else {
        return ExitCode::SUCCESS;
    };
    let failure = fault.into_failure();
    failure.print();
    ExitCode::from(failure.code().min(FAILED))
}

/// What stands in for the program of this name, if anything does.
pub(crate) fn stand_in(name: &OsStr) -> Option<fn() -> ExitCode> {
    match name.to_str()? {
        "jellyfish" => Some(jellyfish::run),
        "kmc" => Some(kmc::run_count),
        "kmc_dump" => Some(kmc::run_dump),
        "kmc_tools" => Some(kmc::tools::run),
        _ => None,
    }
}

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
