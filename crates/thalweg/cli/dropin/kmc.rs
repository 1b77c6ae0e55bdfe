//! `kmc`, `kmc_dump` and `kmc_tools`: what scripts call, done by thalweg
//!
//! The options and the output are those of KMC 3.2. What the input is, FASTQ or FASTA on one or many lines, is told
//! from its content, whatever -f says; -m is a hard limit; and a number that is none is an error, not a 1.

mod arguments;
pub(crate) mod completions;
pub(super) mod tools;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use thalweg::Control;
use thalweg::count::{CountJob, OutputFile, Target, expected_bases, provenance};
use thalweg::databases::Dump;
use thalweg::kmers::count::CountTotals;
use thalweg::kmers::database::{DatabaseFormat, Description, Separator, SortOptions};
use thalweg::kmers::kmer::{Alphabet, dispatch};
use thalweg::kmers::options::CountOptions;

use self::arguments::{CountArguments, DumpArguments, asks_for_help, not_done};
use super::with_counts;
use super::{FAILED, ended};
use crate::jobs::count::{budget, open};
use crate::jobs::kmers::failure::Fault;
use crate::jobs::kmers::open_database;
use crate::options::Common;
use crate::output::{self, Output, refuse_input, refuse_text_over};
use crate::process::exit::Failure;
use crate::process::threads::threads;

/// The exit code of what KMC does and this does not, so that a script can tell it from a failure.
const NOT_DONE: u8 = 2;

/// What is printed where nothing is asked for; its first line is what scripts look for.
const HELP: &str = concat!(
    "K-Mer Counter (KMC) ver. 3.2.1 (thalweg ",
    env!("CARGO_PKG_VERSION"),
    ")

Usage:
  kmc [options] <input> <database> <directory>
  kmc_dump [-ci<n>] [-cx<n>] <database> <output>

<input> is a FASTQ or FASTA file, compressed or not, or @ and the name of a list of such files; temporary files
go to <directory>. Options of kmc, their values attached:
  -k<n>      bases of a k-mer, 1 to 255 (25)
  -ci<n>     leave out k-mers that occur less often (2)
  -cx<n>     leave out k-mers that occur more often (1e9)
  -cs<n>     cut larger counts to this (255)
  -b         count the two strands separately
  -t<n>      threads (one for each core)
  -m<n>      memory of the process in GB, a hard limit (half of what is available)
  -j<file>   write a summary in JSON
  -w         write no database
Ignored: -v -r -sm -hp -f<a/q/m> -okmc -p -n -sf -sp -sr --opt-out-size
`thalweg count --help` tells more.
"
);

/// Do what the command line says, which is that of `kmc`.
pub(crate) fn run_count() -> ExitCode {
    if let Some(what) = words().ok().as_deref().and_then(not_done) {
        usage(what.to_owned()).print();
        return ExitCode::from(NOT_DONE);
    }
    run(|arguments| count(CountArguments::parse(arguments.into_iter())?))
}

/// Do what the command line says, which is that of `kmc_dump`.
pub(crate) fn run_dump() -> ExitCode {
    run(|arguments| dump(DumpArguments::parse(arguments.into_iter())?))
}

fn run(work: impl FnOnce(Vec<String>) -> Result<(), Fault>) -> ExitCode {
    let outcome = match words() {
        Ok(words) if asks_for_help(&words) => output::print(HELP).map_err(Fault::from),
        Ok(words) => work(words),
        Err(failure) => Err(failure.into()),
    };
    ended(outcome)
}

/// The command line, without the program's name. Names of files are text here.
fn words() -> Result<Vec<String>, Failure> {
    let words = std::env::args_os().skip(1);
    let text = |word: OsString| {
        word.into_string()
            .map_err(|word| usage(format!("{}: is not UTF-8", word.display())))
    };
    words.map(text).collect()
}

fn count(arguments: CountArguments) -> Result<(), Fault> {
    let start = Instant::now();
    // The summary goes there.
    output::expect_standard_output()?;
    let files = arguments.files()?;
    let list = arguments.input.strip_prefix('@').map(PathBuf::from);
    let read: Vec<PathBuf> = files.iter().cloned().chain(list).collect();
    for path in [Some(&arguments.output), arguments.summary.as_ref()]
        .into_iter()
        .flatten()
    {
        refuse_input(path, &read)?;
    }
    let options = CountOptions::new(arguments.k)?
        .with_canonical(arguments.canonical)
        .with_alphabet(Alphabet::Acgt)
        .with_temporary_directory(&arguments.directory);
    let options = with_counts(options, arguments.kept)?;
    let target = match arguments.write {
        true => Some(Target::with_format(
            &arguments.output,
            DatabaseFormat::Kmc,
            &arguments.directory,
        )?),
        false => None,
    };
    let mut description = Description::new(arguments.k, arguments.canonical);
    description.kept = arguments.kept;
    description.provenance = provenance();
    description.counter_bytes = Some(bytes_of(arguments.largest));
    description.saturate = true;
    let common = Common::quiet(arguments.threads, arguments.memory);
    let budget = budget(&common)?;
    let inputs = open(&files, arguments.k, budget)?;
    let job = CountJob {
        options: options.with_expected_bases(expected_bases(inputs.plans())),
        inputs,
        control: &Control::default(),
        budget,
        target: target.as_ref(),
        histo: None,
        largest: arguments.largest,
        description,
    };
    let of_temporary_files = |fault: Fault| {
        let remedy = "name another directory as the last argument";
        fault.of_temporary_files(remedy)
    };
    let before = start.elapsed();
    let counted = dispatch(arguments.k, job)?.map_err(of_temporary_files)?;
    let (all, totals) = (start.elapsed(), counted.totals);
    let first = before + counted.reading;
    let sequences = match arguments.of_sequences {
        true => (
            "Total no. of sequences",
            "#Total_sequences",
            counted.records,
        ),
        false => ("Total no. of reads", "#Total_reads", counted.records),
    };
    let summary = Summary {
        stages: [first, all.saturating_sub(first)],
        temporary_megabytes: totals.spilled_bytes / 1_000_000,
        numbers: numbers(&totals, sequences, arguments.kept),
    };
    if let Some(path) = &arguments.summary {
        let mut output = Output::create_plain(path)?;
        output.write(summary.to_json().as_bytes())?;
        output.finish()?;
    }
    Ok(output::print(&summary.to_text())?)
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

/// What KMC tells about a count.
struct Summary {
    /// How long reading took, and all else.
    stages: [Duration; 2],
    temporary_megabytes: u64,
    numbers: [Number; 7],
}

/// A number, with its name in text and in JSON.
type Number = (&'static str, &'static str, u64);

fn numbers(totals: &CountTotals, sequences: Number, (lowest, highest): (u64, u64)) -> [Number; 7] {
    let kmers = |outside: &dyn Fn(u64) -> bool| -> u64 {
        let bins = totals.histogram.iter();
        bins.filter(|bin| outside(bin.0)).map(|bin| bin.1).sum()
    };
    [
        (
            "No. of k-mers below min. threshold",
            "#k-mers_below_min_threshold",
            kmers(&|count| count < lowest),
        ),
        (
            "No. of k-mers above max. threshold",
            "#k-mers_above_max_threshold",
            // What is both is below, to KMC.
            kmers(&|count| count > highest && count >= lowest),
        ),
        ("No. of unique k-mers", "#Unique_k-mers", totals.distinct),
        (
            "No. of unique counted k-mers",
            "#Unique_counted_k-mers",
            totals.kept_distinct,
        ),
        ("Total no. of k-mers", "#Total no. of k-mers", totals.kmers),
        sequences,
        (
            "Total no. of super-k-mers",
            "#Total_super-k-mers",
            totals.super_kmers,
        ),
    ]
}

impl Summary {
    /// Of both stages, and of all.
    fn times(&self) -> [String; 3] {
        let [first, second] = self.stages;
        [first, second, first + second].map(|time| format!("{:.6}s", time.as_secs_f64()))
    }

    fn to_text(&self) -> String {
        let [first, second, total] = self.times();
        let megabytes = self.temporary_megabytes;
        let mut text = format!(
            "1st stage: {first}\n2nd stage: {second}\nTotal    : {total}\nTmp size : {megabytes}MB\n\nStats:\n"
        );
        for (name, _, number) in &self.numbers {
            text.push_str(&format!("   {name:<34} : {number:>12}\n"));
        }
        text
    }

    fn to_json(&self) -> String {
        let numbers = self.numbers.iter();
        let stats = numbers.map(|(_, name, number)| ((*name).to_owned(), json!(number)));
        let stats: Map<String, Value> = stats.collect();
        let [first, second, total] = self.times();
        let summary = json!({
            "1st_stage": first,
            "2nd_stage": second,
            "Total": total,
            "Tmp_size": format!("{}MB", self.temporary_megabytes),
            "Stats": stats,
        });
        format!("{summary:#}\n")
    }
}

fn dump(arguments: DumpArguments) -> Result<(), Fault> {
    let database = open_database(&arguments.database)?;
    refuse_text_over(&arguments.output, &arguments.database, &[])?;
    let dump = Dump {
        database: &database,
        sorting: Some(&SortOptions::default()),
        kept: arguments.kept,
        separator: Separator::Tab,
        output: create_text(&arguments.output)?,
        threads: threads(None),
        control: &Control::default(),
    };
    dump.run()?;
    Ok(())
}

/// A file for text, or the standard output, which scripts name as a file.
fn create_text(path: &Path) -> Result<OutputFile, thalweg::Fault> {
    OutputFile::create_plain(match path == Path::new("/dev/stdout") {
        true => Path::new("-"),
        false => path,
    })
}

/// What is wrong with the command line.
fn usage(message: String) -> Failure {
    Failure::usage(
        message,
        "kmc [-k -m -ci -cs -cx -b -t ...] <input or @list> <output> <directory>; \
         kmc_dump [-ci -cx] <database> <output>",
    )
}
