//! From options to open reads.
//!
//! - `indexes`: which indexes the files have; `sharing`: which of the files a part is of.

pub(crate) mod indexes;
pub(crate) mod sharing;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use thalweg::{Budget, FilePlan, ReaderOptions, Reads, notes};

use crate::options::{Common, IndexChoice, Pairing};
use crate::process::exit::Failure;

/// Threads and memory that the user allows.
pub(crate) fn budget(common: &Common) -> Budget {
    let all = Budget::all_cores();
    let threads = common.threads.map_or(all.threads(), usize::from);
    Budget::new(threads).with_memory(common.memory.unwrap_or(all.memory()))
}

/// Options for one set of files: read in step if they are mates, else one
/// after the other.
pub(crate) fn options(
    files: &[PathBuf],
    pairing: &Pairing,
    index: &IndexChoice,
    common: &Common,
) -> Result<ReaderOptions, Failure> {
    let lanes: Vec<_> = match pairing.mates {
        true => vec![files.to_vec()],
        false => files.iter().map(|file| vec![file.clone()]).collect(),
    };
    options_of_lanes(&lanes, pairing, index, common)
}

/// The same for several sets, one after the other: each a file, or files in step.
pub(crate) fn options_of_lanes(
    lanes: &[Vec<PathBuf>],
    pairing: &Pairing,
    index: &IndexChoice,
    common: &Common,
) -> Result<ReaderOptions, Failure> {
    let files: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
    indexes::check(&files, index)?;
    check_stdin(&files)?;
    if files.iter().any(|file| file.as_os_str() == "-") && !common.quiet {
        tell_of_terminal();
    }
    (lanes.iter()).try_for_each(|lane| check_mates(lane, pairing))?;
    indexes::save_named(&files, index, budget(common), common.draws())?;
    let options = lanes
        .iter()
        .fold(ReaderOptions::new(), |options, lane| match pairing.mates {
            true => options.mates(lane),
            false => lane.iter().fold(options, ReaderOptions::file),
        });
    Ok(indexes::choose(options, index, budget(common))
        .interleaved(pairing.interleaved)
        .check_names(!pairing.ignore_names)
        .budget(budget(common)))
}

/// FASTQ and FASTA behind one another are neither.
pub(crate) fn refuse_two_formats(reads: &Reads, hint: &str) -> Result<(), Failure> {
    let plans = reads.plan();
    let other = plans
        .iter()
        .find(|plan| plan.format.has_qualities() != plans[0].format.has_qualities());
    match other {
        Some(other) => Err(Failure::usage(
            format!(
                "{} and {}: FASTQ and FASTA would be joined",
                plans[0].path.display(),
                other.path.display()
            ),
            hint,
        )),
        None => Ok(()),
    }
}

/// Say so if a BGZF file may have been cut off between two blocks: no checksum can tell. Also to those who want to
/// hear of errors only, as reads may be lost.
pub(crate) fn warn_if_cut(file: &Path) {
    // What cannot be opened is reported by whoever reads it.
    if thalweg::lacks_bgzf_end(file).unwrap_or(false) {
        warn_of_missing_end(file);
    }
}

/// The same, and of a compressed file that was cut off before its first byte.
pub(crate) fn warn_if_cut_or_empty(file: &Path) {
    notes::cut_or_empty(file).for_each(|note| tell!("{note}"));
}

/// The same of a pipe, when it has ended.
pub(crate) fn warn_of_missing_end(file: &Path) {
    tell!("{}", notes::missing_end(file));
}

/// Say so if a pipe is waited for.
pub(crate) fn tell_of_wait(pipe: &Path) {
    let name = match pipe.as_os_str() == "-" {
        true => "the standard input".into(),
        false => pipe.to_string_lossy(),
    };
    tell!(
        "thalweg: waiting for data from {name}: its writer may be slow, not there, or wait at another pipe"
    );
}

/// Say so if somebody is to type what is read.
fn tell_of_terminal() {
    if std::io::stdin().is_terminal() {
        tell!("thalweg: reading what is typed here, up to Ctrl-D");
    }
}

/// Have pipes told that are waited for, unless the user wants to hear of errors only.
pub(crate) fn telling(options: ReaderOptions, quiet: bool) -> ReaderOptions {
    match quiet {
        true => options,
        false => options.on_wait(tell_of_wait),
    }
}

/// Say so if a file is to be read more than once as one sample: two lanes are seldom the same.
pub(crate) fn warn_of_repeats(plans: &[FilePlan]) {
    notes::repeats(plans).for_each(|note| tell!("{note}"));
}

/// Open, and tell how the files will be read if the user wants to know.
pub(crate) fn open(options: ReaderOptions, common: &Common) -> Result<Reads, Failure> {
    let options = telling(options, common.quiet);
    let reads = Reads::open(options.on_missing_end(warn_of_missing_end))?;
    for plan in reads.plan() {
        warn_if_cut_or_empty(&plan.path);
    }
    if common.verbose {
        for plan in reads.plan() {
            describe(&plan, budget(common).threads());
        }
    }
    Ok(reads)
}

/// Tell how a file will be read.
pub(crate) fn describe(plan: &FilePlan, threads: usize) {
    if plan.compression == "unread" {
        return tell!(
            "thalweg: {}: read as data come; threads: {threads}",
            plan.path.display()
        );
    }
    let index = if plan.indexed { ", with its index" } else { "" };
    let pieces = match plan.pieces {
        Some(1) => "in one piece".to_owned(),
        Some(pieces) => format!("in {pieces} pieces"),
        None if plan.cut_by_name => "in parts, cut between mates".to_owned(),
        None => "decoded in order".to_owned(),
    };
    tell!(
        "thalweg: {}: {} {}{index}, {pieces}; threads: {threads}; kernel {}",
        plan.path.display(),
        plan.compression,
        plan.format_name,
        thalweg::active_kernel(),
    );
}

/// Names of single reads are not compared.
pub(crate) fn refuse_idle_names(ignore_names: bool, are_paired: bool) -> Result<(), Failure> {
    match ignore_names && !are_paired {
        true => Err(Failure::usage(
            "--ignore-names is for mates",
            "say --mates if the files belong together, or --interleaved",
        )),
        false => Ok(()),
    }
}

/// The same file twice is a slip of the keyboard that no check of names would find.
fn check_mates(files: &[PathBuf], pairing: &Pairing) -> Result<(), Failure> {
    refuse_idle_names(pairing.ignore_names, pairing.mates || pairing.interleaved)?;
    if !pairing.mates {
        return Ok(());
    }
    if files.len() < 2 {
        return Err(Failure::usage(
            "--mates needs two files or more",
            "mates that follow each other in one file are --interleaved",
        ));
    }
    let identity = |file: &PathBuf| std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
    let mut seen = Vec::new();
    for file in files {
        let identity = identity(file);
        if seen.contains(&identity) && file.as_os_str() != "-" {
            return Err(Failure::usage(
                format!("{}: named twice as its own mate", file.display()),
                "name the other file of the pair",
            ));
        }
        seen.push(identity);
    }
    Ok(())
}

pub(crate) fn check_stdin(files: &[PathBuf]) -> Result<(), Failure> {
    let count = files.iter().filter(|file| file.as_os_str() == "-").count();
    if count > 1 {
        return Err(Failure::usage(
            "the standard input can be read only once",
            "name - only once",
        ));
    }
    Ok(())
}
