//! fastp: what scripts call, done by `thalweg qc --fastp-compat`
//!
//! The options are those of `thalweg qc`, which are fastp's and more; here is what words of the command line mean to fastp
//! alone. What it ignores, and what it says, is in [`crate::jobs::qc`].

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::options::qc::taking_what_fastp_takes;
use crate::process::exit::after_printing;

/// Whether the program has the name of fastp, by a link.
pub(crate) fn is_named_so() -> bool {
    let name = std::env::args_os().next().map(PathBuf::from);
    name.is_some_and(|name| name.file_stem().is_some_and(|stem| stem == "fastp"))
}

/// The command line of fastp, for words that it was called with, which become those of `thalweg qc`. If they ask for no more, or
/// for nothing, that is printed, and the exit code is what is left.
pub(crate) fn stand_in(
    command: clap::Command,
    words: &mut Vec<OsString>,
) -> Result<clap::Command, ExitCode> {
    let is_alone = words.len() == 1;
    if words[1..] == ["--version"] || words[1..] == ["-v"] {
        let version = env!("CARGO_PKG_VERSION");
        let written = writeln!(io::stdout(), "fastp 1.3.6 (thalweg {version})");
        return Err(after_printing(written, 0));
    }
    as_fastp(words);
    let mut command = command.mut_subcommand("qc", |qc| {
        qc.override_usage("fastp -i <IN1> [-I <IN2>] [-o <OUT1>] [-O <OUT2>] [OPTIONS]")
            .long_about(FASTP_ABOUT)
            .after_help(FASTP_EXAMPLES)
    });
    if is_alone && let Some(qc) = command.find_subcommand_mut("qc") {
        // As fastp does.
        tell!("{}", qc.render_help());
        return Err(ExitCode::SUCCESS);
    }
    Ok(command)
}

/// Where words say that fastp is to be followed, by whatever name, take them as fastp does.
pub(crate) fn follow(command: clap::Command, words: &mut Vec<OsString>) -> clap::Command {
    join_version(words);
    if !words.iter().any(follows_fastp) {
        return command;
    }
    leave_out_empty_names(words);
    // Of an option that is given twice, fastp takes the last.
    command.mut_subcommand("qc", |qc| {
        taking_what_fastp_takes(qc.args_override_self(true))
    })
}

/// The command line of fastp, of that of `thalweg`: for completions.
pub(crate) fn command(thalweg: clap::Command) -> clap::Command {
    let qc = thalweg.find_subcommand("qc").cloned();
    qc.unwrap_or(thalweg).name("fastp").bin_name("fastp")
}

/// What it does then.
const FASTP_ABOUT: &str = "\
Trim and filter reads, and report on their quality

Reproduces fastp 1.3 byte for byte, even where it differs from its documentation (--fastp-compat=0.23: version 0.23.2). \
Inputs are FASTQ, plain or compressed, files or pipes; outputs ending in .gz are \
BGZF, in .zst zstd. The output is the same for every number of threads.";

/// Examples for whoever calls the program so.
const FASTP_EXAMPLES: &str = "\
Examples:
  fastp -i r1.fq.gz -I r2.fq.gz -o clean1.fq.gz -O clean2.fq.gz
  fastp -i sample.fq.gz -o clean.fq.gz --cut_right
  curl -s $URL | fastp --stdin --stdout | aligner -
This is thalweg under the name of fastp: thalweg qc --fastp-compat";

/// What the option is called, as all options are.
const NAMES_OF_MODE: [&str; 2] = ["--fastp-compat", "--fastp_compat"];

/// The version behind `--fastp-compat`, which may be left out and so must follow `=`: all other options take their values
/// behind a blank, and a file of reads has no such name.
fn join_version(words: &mut Vec<OsString>) {
    let is_version = |words: &[OsString]| {
        NAMES_OF_MODE.iter().any(|name| words[0] == *name)
            && (words[1] == "0.23" || words[1] == "1.3")
    };
    if let Some(option) = words.windows(2).position(is_version) {
        let version = words.remove(option + 1);
        words[option].push("=");
        words[option].push(version);
    }
}

/// Whether a word says that fastp is to be followed.
fn follows_fastp(word: &OsString) -> bool {
    word.to_str()
        .is_some_and(|word| NAMES_OF_MODE.iter().any(|name| word.starts_with(name)))
}

/// To fastp a file without a name is none, which scripts make use of.
fn leave_out_empty_names(words: &mut Vec<OsString>) {
    const NAMES: [&str; 14] = [
        "-I",
        "--in2",
        "-o",
        "--out1",
        "-O",
        "--out2",
        "--unpaired1",
        "--unpaired2",
        "--overlapped_out",
        "--failed_out",
        "--merged_out",
        "--adapter_fasta",
        "--filter_by_index1",
        "--filter_by_index2",
    ];
    let is_name = |word: &OsString| NAMES.iter().any(|name| word == name);
    while let Some(at) = words
        .windows(2)
        .position(|pair| is_name(&pair[0]) && pair[1].is_empty())
    {
        words.drain(at..at + 2);
    }
}

/// A program under the name of fastp does as fastp does.
fn as_fastp(words: &mut Vec<OsString>) {
    words.splice(
        0..1,
        ["thalweg", "qc", "--fastp-compat=1.3"].map(OsString::from),
    );
}
