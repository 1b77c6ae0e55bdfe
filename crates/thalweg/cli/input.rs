//! From options to open reads.
//!
//! - `indexes`: which indexes the files have; `sharing`: which of the files a part is of.

pub(crate) mod indexes;
pub(crate) mod sharing;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use thalweg::{Budget, ReaderOptions, Reads, inputs, notes};

use crate::options::{Common, IndexChoice, Pairing};
use crate::process::exit::Failure;
use crate::process::hearing::heard_of;

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
    tell_of_terminal(&files, common);
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
pub(crate) fn refuse_two_formats(reads: &Reads, hint: &'static str) -> Result<(), Failure> {
    Ok(inputs::refuse_two_formats(reads, hint)?)
}

/// Warn of a BGZF file that may have been truncated between two blocks: also with --quiet, as reads may be lost.
pub(crate) fn warn_if_cut(file: &Path) {
    notes::cut(file).for_each(|note| tell!("{note}"));
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
pub(crate) fn tell_of_terminal(files: &[PathBuf], common: &Common) {
    let is_read = files.iter().any(|file| file.as_os_str() == "-");
    if is_read && !common.quiet && std::io::stdin().is_terminal() {
        tell!("thalweg: reading from the terminal; press Ctrl-D to end");
    }
}

/// Have pipes told that are waited for, unless the user wants to hear of errors only.
pub(crate) fn telling(options: ReaderOptions, quiet: bool) -> ReaderOptions {
    match quiet {
        true => options,
        false => options.on_wait(tell_of_wait),
    }
}

/// Open, and tell how the files will be read if the user wants to know.
pub(crate) fn open(options: ReaderOptions, common: &Common) -> Result<Reads, Failure> {
    let options = telling(options, common.quiet).on_missing_end(warn_of_missing_end);
    Ok(heard_of(common, |control| inputs::open(options, control))?)
}

/// Names of single reads are not compared.
pub(crate) fn refuse_idle_names(ignore_names: bool, are_paired: bool) -> Result<(), Failure> {
    Ok(inputs::check_names_matter(ignore_names, are_paired)?)
}

/// The same file twice is a slip of the keyboard that no check of names would find.
fn check_mates(files: &[PathBuf], pairing: &Pairing) -> Result<(), Failure> {
    refuse_idle_names(pairing.ignore_names, pairing.mates || pairing.interleaved)?;
    match pairing.mates {
        true => Ok(inputs::check_mates(files)?),
        false => Ok(()),
    }
}

pub(crate) fn check_stdin(files: &[PathBuf]) -> Result<(), Failure> {
    Ok(inputs::check_standard_input(files)?)
}
