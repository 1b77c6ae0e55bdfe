//! `kmc` and `kmc_dump`: what scripts call, done by thalweg
//!
//! The options and the output are those of KMC 3.2. What the input is, FASTQ or FASTA on one or many lines, is told
//! from its content, whatever -f says; -m is a hard limit; and a number that is none is an error, not a 1.

mod arguments;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use thalweg::kmers::count::Totals;
use thalweg::kmers::database::{self, Description, Format};
use thalweg::kmers::kmer::dispatch;
use thalweg::kmers::options::CountOptions;

use self::arguments::{CountArguments, DumpArguments};
use super::dump::Dump;
use super::failure::Fault;
use super::output::{Separator, TextOutput};
use super::target::Target;
use crate::arguments::Common;
use crate::count::{Job, budget, expected_bases, open, provenance};
use crate::exit::Failure;
use crate::output::{self, Output, refuse_input};

/// The exit code of all failures, as KMC's.
const FAILED: u8 = 1;

/// Do what the command line says, which is that of `kmc`.
pub(crate) fn run_count() -> ExitCode {
    end(CountArguments::parse(std::env::args().skip(1))
        .map_err(Fault::from)
        .and_then(count))
}

/// Do what the command line says, which is that of `kmc_dump`.
pub(crate) fn run_dump() -> ExitCode {
    end(DumpArguments::parse(std::env::args().skip(1))
        .map_err(Fault::from)
        .and_then(dump))
}

fn end(outcome: Result<(), Fault>) -> ExitCode {
    let Err(fault) = outcome else {
        return ExitCode::SUCCESS;
    };
    let failure = fault.into_failure();
    failure.print();
    ExitCode::from(failure.code().min(FAILED))
}

fn count(arguments: CountArguments) -> Result<(), Fault> {
    let start = Instant::now();
    let files = arguments.files()?;
    refuse_input(&arguments.output, &files)?;
    let (lowest, highest) = arguments.kept;
    let options = CountOptions::new(arguments.k)?
        .with_canonical(arguments.canonical)
        .with_counts(lowest, highest)?
        .with_temporary_directory(&arguments.directory);
    let target = match arguments.write {
        true => Some(Target::with_format(
            &arguments.output,
            Format::Kmc,
            &arguments.directory,
        )?),
        false => None,
    };
    let mut description = Description::new(arguments.k, arguments.canonical);
    description.kept = arguments.kept;
    description.provenance = provenance();
    description.counter_bytes = Some(bytes_of(arguments.largest));
    description.saturate = true;
    let common = Common {
        threads: arguments.threads,
        memory: arguments.memory,
        quiet: true,
        verbose: false,
        no_progress: true,
    };
    let budget = budget(&common);
    let reads = open(&files, budget)?;
    let job = Job {
        options: options.with_expected_bases(expected_bases(&reads)),
        reads,
        name: &files[0],
        common: &common,
        budget,
        target: target.as_ref(),
        largest: arguments.largest,
        description,
    };
    let totals = dispatch(arguments.k, job)??;
    let seconds = start.elapsed().as_secs_f64();
    Ok(output::print(&summary(&totals, arguments.kept, seconds))?)
}

/// Bytes of a count up to `largest`; KMC has no more than 4.
fn bytes_of(largest: u64) -> u8 {
    match largest {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}

/// As KMC tells it; of the sequences nobody counts the number.
fn summary(totals: &Totals, (lowest, highest): (u64, u64), seconds: f64) -> String {
    let kmers = |outside: &dyn Fn(u64) -> bool| -> u64 {
        let bins = totals.histogram.iter();
        bins.filter(|bin| outside(bin.0)).map(|bin| bin.1).sum()
    };
    let mut text = format!("Total    : {seconds}s\n\nStats:\n");
    for (name, number) in [
        (
            "No. of k-mers below min. threshold",
            kmers(&|count| count < lowest),
        ),
        (
            "No. of k-mers above max. threshold",
            kmers(&|count| count > highest),
        ),
        ("No. of unique k-mers", totals.distinct),
        ("No. of unique counted k-mers", totals.kept_distinct),
        ("Total no. of k-mers", totals.kmers),
        ("Total no. of super-k-mers", totals.super_kmers),
    ] {
        text.push_str(&format!("   {name:<34} : {number:>12}\n"));
    }
    text
}

fn dump(arguments: DumpArguments) -> Result<(), Fault> {
    let database = database::open(&arguments.database)?;
    refuse_input(&arguments.output, std::slice::from_ref(&arguments.database))?;
    let output = if arguments.output == Path::new("/dev/stdout") {
        Output::stdout()?
    } else {
        Output::create(&arguments.output)?
    };
    let k = database.header().k;
    let dump = Dump {
        database: &database,
        sorting: Some(thalweg::kmers::database::SortOptions::default()),
        kept: arguments.kept,
        output: TextOutput::new(output, k, Separator::Tab),
    };
    dispatch(k, dump)?
}

/// What is wrong with the command line.
fn usage(message: String) -> Failure {
    Failure::usage(
        message,
        "kmc [-k -m -ci -cs -cx -b -t ...] <input or @list> <output> <directory>; \
         kmc_dump [-ci -cx] <database> <output>",
    )
}
