//! `kraken2`: what scripts call, done by thalweg
//!
//! The options and the output are those of Kraken 2.1. The database is one of `thalweg taxa build`, whose k-mers are compared
//! in full, so that none is found by chance; the rule is kraken2's, and its shares are of k-mers without letters that are
//! no bases. Mates whose names disagree are an error. Outputs of reads are compressed where their names end in .gz.
//! --report-minimizer-data tells k-mers, and distinct ones exactly, where kraken2 has minimizers and an estimate.

mod arguments;
mod database;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches};
use thalweg::Listener;
use thalweg::classify::{
    Chosen, ClassifySettings, Form, Loading, OfSingles, ReadsOutput, ReportStyle, SampleOutputs,
    SampleSettings, open_database,
};
use thalweg::files::one_line;
use thalweg::taxa::label::Columns;
use thalweg::taxa::report::Listed;

use self::arguments::{Kraken, VERSION};
use crate::dropin::getopt::as_getopt;
use crate::input::{self, indexes};
use crate::jobs::taxa::classify::{label, lca};
use crate::options::{Common, IndexChoice, print_answer};
use crate::process::exit::{Failure, after_printing};
use crate::process::hearing::heard_of;

/// The command line, for completions.
pub(crate) fn command() -> clap::Command {
    arguments::Kraken::command()
}

/// Do what the command line says, which is kraken2's.
pub(crate) fn run() -> ExitCode {
    let words = as_getopt(std::env::args_os());
    if words.iter().skip(1).any(|word| asks_for_version(word)) {
        return after_printing(writeln!(io::stdout(), "{VERSION}"), 0);
    }
    // Of an option that is given twice, kraken2 takes the last.
    let matches = Kraken::command()
        .args_override_self(true)
        .try_get_matches_from(words);
    let arguments = match matches.and_then(|matches| Kraken::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(mut message) => {
            let unknown = match message.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(option)) => arguments::why_not(option),
                _ => None,
            };
            // To take an option of kraken2's for the name of a file helps nobody.
            message.remove(ContextKind::Suggested);
            let printed = print_answer(&message, unknown.map(str::to_owned));
            return after_printing(printed, u8::try_from(message.exit_code()).unwrap_or(2));
        }
    };
    match classify(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Whether a word is `-v` or `--version`, as Perl's Getopt takes it: shortened, and in capitals too.
fn asks_for_version(word: &OsStr) -> bool {
    let word = word.to_string_lossy().to_ascii_lowercase();
    let name = word.strip_prefix("--").or(word.strip_prefix('-'));
    name.is_some_and(|name| !name.is_empty() && "version".starts_with(name))
}

fn classify(arguments: &Kraken) -> Result<(), Failure> {
    check(arguments)?;
    let path = database::find(arguments.db.as_deref())?;
    let sample = sample(arguments)?;
    let common = Common {
        threads: Some(threads(arguments)?),
        memory: None,
        quiet: false,
        verbose: false,
        no_progress: true,
    };
    let loading = match arguments.memory_mapping {
        true => Loading::Mapped,
        false => Loading::For(&arguments.files),
    };
    thalweg_memory::name_mapped_file(one_line(&path));
    let loaded = heard_of(&common, |control| open_database(&path, loading, control))?;
    let settings = ClassifySettings {
        rule: lca(arguments.confidence)?,
        columns: Columns {
            names: arguments.use_names,
            more: false,
        },
        least_quality: arguments.minimum_base_quality,
        any_endings: true,
        pairing_option: "--paired --interleaved",
        style: ReportStyle {
            listed: match arguments.report_zero_counts {
                true => Listed::All,
                false => Listed::WithReads,
            },
            mpa: arguments.use_mpa_style,
            kmers: arguments.report_minimizer_data,
        },
        indexes: indexes::to_library(&IndexChoice::automatic()),
        budget: input::budget(&common),
        on_wait: Some(Listener::new(input::tell_of_wait)),
        ..ClassifySettings::new(&loaded, &path)
    };
    settings.check(std::slice::from_ref(&sample))?;
    tell!("Loading database information... done.");
    label(&settings, &sample, &common).map(drop)
}

/// Refuse what cannot be done, and tell what is done without being asked for.
fn check(arguments: &Kraken) -> Result<(), Failure> {
    if arguments.gzip_compressed && arguments.bzip2_compressed {
        return Err(Failure::usage(
            "--gzip-compressed and --bzip2-compressed",
            "omit both: compression is recognised from the content of files",
        ));
    }
    let is_report_asked =
        arguments.report_zero_counts || arguments.use_mpa_style || arguments.report_minimizer_data;
    if is_report_asked && arguments.report.is_none() {
        tell!("thalweg: note: report options have no effect without --report");
    }
    if arguments.quick {
        tell!("thalweg: note: --quick has no effect: all k-mers are looked up");
    }
    if arguments.minimum_hit_groups.is_some() {
        tell!(
            "thalweg: note: --minimum-hit-groups has no effect: k-mers are compared in full, so there are no chance hits"
        );
    }
    Ok(())
}

fn sample(arguments: &Kraken) -> Result<SampleSettings, Failure> {
    let files = &arguments.files;
    let together = match (arguments.paired, arguments.interleaved) {
        (true, false) if !files.len().is_multiple_of(2) => {
            return Err(Failure::usage(
                format!(
                    "--paired needs an even number of files, not {}",
                    files.len()
                ),
                "give two files for each set of pairs",
            ));
        }
        (true, false) => 2,
        _ => 1,
    };
    let mut reads = Vec::new();
    for (option, name, chosen) in [
        (
            "--classified-out",
            &arguments.classified_out,
            Chosen::Classified,
        ),
        (
            "--unclassified-out",
            &arguments.unclassified_out,
            Chosen::Unclassified,
        ),
    ] {
        if let Some(name) = name {
            if arguments.paired && !name.to_string_lossy().contains('#') {
                return Err(Failure::usage(
                    format!(
                        "{option} {}: with --paired, the name needs a #",
                        name.display()
                    ),
                    "# stands for the mate: reads#.fq becomes reads_1.fq and reads_2.fq",
                ));
            }
            reads.push(ReadsOutput {
                option,
                before: OsString::new(),
                name: name.clone(),
                chosen,
                form: Form::Kraken,
                of_singles: OfSingles::Letter,
            });
        }
    }
    Ok(SampleSettings {
        name: String::new(),
        interleaved: arguments.paired && arguments.interleaved,
        pairs_by_flags: false,
        ignore_names: arguments.ignore_names,
        outputs: SampleOutputs {
            labels: match &arguments.output {
                None => Some(PathBuf::from("-")),
                Some(path) if path == Path::new("-") || path == Path::new("/dev/null") => None,
                Some(path) => Some(path.clone()),
            },
            report: arguments.report.clone(),
            bins: None,
            texts: Vec::new(),
            reads,
            trace: None,
        },
        ..SampleSettings::of_lanes(files.chunks(together).map(<[PathBuf]>::to_vec).collect())
    })
}

/// As many as are asked for, or as the environment says, or one.
fn threads(arguments: &Kraken) -> Result<NonZeroUsize, Failure> {
    let variable = "KRAKEN2_NUM_THREADS";
    match (arguments.threads, std::env::var(variable)) {
        (Some(threads), _) => Ok(threads),
        (None, Ok(text)) if !text.is_empty() => text.parse().map_err(|_| {
            Failure::usage(
                format!("{variable}={text}: not a number of threads"),
                "1 or more",
            )
        }),
        (None, _) => Ok(NonZeroUsize::MIN),
    }
}
