//! `fastqc`: what scripts call, done by thalweg
//!
//! The options, the names of files and the text of fastqc_data.txt and summary.txt are those of FastQC 0.12.1, the same for any
//! number of threads. A fault of a file is told and ends in exit code 1, after the other files; so are qualities that are
//! fewer than bases. Pictures in the archive are SVG, and there is no fastqc.fo.
//!
//! - `arguments`: the command line; `lists`: files that it names.
//! - `casava`: which files are one.

mod arguments;
mod casava;
mod lists;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches};
use thalweg::fastqc::{
    Extract, FastqcJob, Grouping, Report, ReportFiles, Settings, VERSION, doubt_encoding,
    report_name,
};
use thalweg::files::escape_controls;
use thalweg::{Budget, Format, ReaderOptions, Reads, notes};

use self::arguments::Fastqc;
use crate::dropin::getopt::as_getopt;
use crate::input::indexes;
use crate::input::{telling, warn_if_cut, warn_of_missing_end};
use crate::options::{IndexChoice, print_answer};
use crate::process::exit::{Failure, after_printing};
use crate::process::hearing::drawn;

/// Bytes that batches may hold while they wait for those before them.
const MEMORY: u64 = 256 << 20;

/// Bytes of the parts that plain files are read in: what is counted of a part waits for those before it.
const PART: u64 = 512 << 10;

/// The command line, for completions.
pub(crate) fn command() -> clap::Command {
    arguments::Fastqc::command()
}

/// Do what the command line says, which is FastQC's.
pub(super) fn run() -> ExitCode {
    let words = as_getopt(std::env::args_os());
    if words
        .iter()
        .skip(1)
        .any(|word| word == "--version" || word == "-v")
    {
        // Scripts take what is behind the `v` of the line that has the name.
        let text = format!("FastQC v{VERSION}\n(thalweg {})", env!("CARGO_PKG_VERSION"));
        return after_printing(writeln!(io::stdout(), "{text}"), 0);
    }
    let matches = Fastqc::command()
        .args_override_self(true)
        .try_get_matches_from(words);
    let arguments = match matches.and_then(|matches| Fastqc::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(message) => {
            let printed = print_answer(&message, None);
            return after_printing(printed, u8::try_from(message.exit_code()).unwrap_or(2));
        }
    };
    match report_all(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// What a report is on.
struct Input {
    /// Files that follow one another.
    files: Vec<PathBuf>,
    /// What the report calls them.
    name: String,
    /// Where the report goes.
    directory: PathBuf,
}

fn report_all(arguments: &Fastqc) -> Result<(), Failure> {
    let settings = Arc::new(settings(arguments)?);
    let inputs = inputs(arguments)?;
    let mut worst = 0;
    for input in &inputs {
        // Others do not suffer from the fault of one.
        if let Err(failure) = report(arguments, &settings, input) {
            // What makes text of other formats goes on to this program.
            failure.print_as(|hint| hint.replace("| thalweg ... -", "| fastqc stdin"));
            worst = match (worst, failure.code()) {
                (0, code) => code,
                (worst, 0) => worst,
                // What is not the data's fault is worse.
                (worst, code) => worst.max(code),
            };
        }
    }
    match worst {
        0 => Ok(()),
        worst => Err(Failure::Reported(worst)),
    }
}

fn settings(arguments: &Fastqc) -> Result<Settings, Failure> {
    if arguments.nano {
        return Err(Failure::usage(
            "--nano: fast5 is not read",
            "have the basecaller write FASTQ or BAM",
        ));
    }
    let mut settings = Settings {
        grouping: match (arguments.nogroup, arguments.expgroup) {
            (true, _) => Grouping::None,
            (_, true) => Grouping::Exponential,
            _ => Grouping::Linear,
        },
        min_length: arguments.min_length,
        dup_length: arguments.dup_length.map_or(50, usize::from),
        kmer_length: usize::from(arguments.kmers),
        casava: arguments.casava && !arguments.nofilter,
        ..Settings::default()
    };
    if let Some(path) = &arguments.contaminants {
        settings.contaminants = lists::list(path)?;
    }
    if let Some(path) = &arguments.adapters {
        settings.adapters = lists::list(path)?;
    }
    if let Some(path) = &arguments.limits {
        settings.limits = lists::limits(path)?;
    }
    Ok(settings)
}

/// What there is to report on, in its order; each has a report of its own.
fn inputs(arguments: &Fastqc) -> Result<Vec<Input>, Failure> {
    if let Some(directory) = &arguments.outdir
        && !directory.is_dir()
    {
        return Err(Failure::usage(
            format!(
                "Specified output directory '{}' does not exist",
                directory.display()
            ),
            "create it first: mkdir -p",
        ));
    }
    let sets = match arguments.casava {
        true => casava::sets(&arguments.files),
        false => arguments
            .files
            .iter()
            .map(|file| (file.clone(), vec![file.clone()]))
            .collect(),
    };
    let mut inputs = Vec::new();
    for (named, files) in sets {
        let text = named.to_string_lossy();
        let from_stdin = text
            .strip_prefix("stdin")
            .and_then(|rest| match rest.split_once(':') {
                Some(("", name)) if !name.is_empty() => Some(name),
                _ => rest.is_empty().then_some("stdin"),
            });
        // A file of this name goes first, as everywhere.
        let from_stdin = from_stdin.filter(|_| !named.exists());
        let name = match from_stdin {
            Some(name) => name.to_owned(),
            None => named
                .file_name()
                .unwrap_or(named.as_os_str())
                .to_string_lossy()
                .into_owned(),
        };
        let beside = match from_stdin {
            Some(_) => Path::new("."),
            None => thalweg::write::directory_of(&named),
        };
        inputs.push(Input {
            files: match from_stdin {
                Some(_) => vec![PathBuf::from("-")],
                None => files,
            },
            name,
            directory: arguments
                .outdir
                .clone()
                .unwrap_or_else(|| beside.to_owned()),
        });
    }
    refuse_two_of_a_name(&inputs)?;
    Ok(inputs)
}

/// The report on one would replace that on the other.
fn refuse_two_of_a_name(inputs: &[Input]) -> Result<(), Failure> {
    let mut seen = BTreeMap::new();
    for input in inputs {
        let path = input.directory.join(report_name(&input.name));
        if let Some(other) = seen.insert(path.clone(), &input.files[0]) {
            return Err(Failure::usage(
                format!(
                    "{} and {}: reports on both would be {}_fastqc.html",
                    other.display(),
                    input.files[0].display(),
                    path.display(),
                ),
                "run fastqc for each, with directories of their own: -o",
            ));
        }
    }
    Ok(())
}

/// A folder that is in the way is no reason to lose what is in it.
fn of_folder(error: thalweg::write::Error) -> Failure {
    match error {
        thalweg::write::Error::Exists { path } => Failure::usage(
            format!(
                "{}: exists, but is not a report that can be replaced",
                path.display()
            ),
            "move it away, or use another directory: -o",
        ),
        error => error.into(),
    }
}

fn report(arguments: &Fastqc, settings: &Arc<Settings>, input: &Input) -> Result<(), Failure> {
    let index = IndexChoice::automatic();
    let budget = Budget::new(usize::from(arguments.threads)).with_memory(MEMORY);
    let options = input
        .files
        .iter()
        .fold(ReaderOptions::new(), ReaderOptions::file);
    let options = options.budget(budget).on_missing_end(warn_of_missing_end);
    // Reads of usual letters need no copy.
    let options = options.part_size(PART).check_letters(true);
    let options = telling(options, arguments.quiet);
    let reads = Reads::open(indexes::choose(options, &index, budget))?;
    notes::colour_space(&reads.plan()).for_each(|warning| tell!("{warning}"));
    if let Some(plan) = reads
        .plan()
        .iter()
        .find(|plan| plan.format == Format::Fasta)
    {
        return Err(Failure::usage(
            format!("{}: is FASTA", plan.path.display()),
            "FastQC needs qualities, which FASTQ and BAM have",
        ));
    }
    input.files.iter().for_each(|file| warn_if_cut(file));
    let extract = match (arguments.extract && !arguments.noextract, arguments.delete) {
        (false, _) => Extract::No,
        (true, false) => Extract::Yes,
        (true, true) => Extract::Instead,
    };
    let name = report_name(&input.name);
    let files = ReportFiles::create(&input.directory, &name, extract)?;
    if !arguments.quiet {
        tell!("Started analysis of {}", input.name);
    }
    let workers = reads.all_workers();
    let job = FastqcJob {
        settings: Arc::clone(settings),
    };
    let findings = drawn(!arguments.quiet, &input.files[0], |control| {
        job.run(workers, 1, control)
    });
    // One file in step, one report.
    if let Some(findings) = findings?.first() {
        doubt_encoding(findings, &input.name).for_each(|warning| tell!("{warning}"));
        let report = Report::new(findings, &input.name);
        files.finish(&report).map_err(of_folder)?;
    }
    if !arguments.quiet {
        // Nobody may read it; the report is there.
        let name = escape_controls(&input.name, |_| true);
        let _ = writeln!(io::stdout(), "Analysis complete for {name}");
    }
    Ok(())
}
