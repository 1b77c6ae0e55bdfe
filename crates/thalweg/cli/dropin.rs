//! Programs that others have written: under their names, and with their options, the command does as they do.
//!
//! One file or folder for each, with its command line. fastp's is `thalweg qc --fastp-compat`, which asks [`fastp`].

pub(crate) mod fastp;
pub(crate) mod fastqc;
mod getopt;
pub(crate) mod jellyfish;
pub(crate) mod kmc;
pub(crate) mod kraken2;

use std::ffi::OsStr;
use std::process::ExitCode;

use thalweg::kmers::options::CountOptions;

use crate::jobs::kmers::Fault;
use crate::process::exit::hint_at_options;

/// Does all that a program does, with the words behind its name.
type StandIn = fn() -> ExitCode;

/// Name, what stands in for the program of that name, and options of ours that it has, too, and hints may name.
const STAND_INS: [(&str, StandIn, &[&str]); 6] = [
    ("fastqc", fastqc::run, &["--threads"]),
    ("jellyfish", jellyfish::run, &["--threads"]),
    ("kmc", kmc::run_count, &[]),
    ("kmc_dump", kmc::run_dump, &[]),
    ("kmc_tools", kmc::tools::run, &[]),
    ("kraken2", kraken2::run, &["--threads", "--ignore-names"]),
];

/// What stands in for the program of this name, if anything does. What it says names no options that the program lacks.
pub(crate) fn of_name(name: &OsStr) -> Option<StandIn> {
    let stand_in = STAND_INS.iter().find(|(of, ..)| name == *of);
    stand_in.map(|&(_, run, options)| {
        hint_at_options(options);
        run
    })
}

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
