//! The thalweg command: every core its own reads.
//!
//! Three rooms, which a call passes through:
//!
//! - `options`: what the user said, as clap takes it.
//! - `jobs`: one file or folder for each subcommand.
//! - `dropin`: the programs under whose names the command does as they do.
//!
//! And what all of them share:
//!
//! - `input`: from options to open reads, with the indexes that they have.
//! - `output`: files that appear when they are whole, and the standard output.
//! - `process`: errors and exit codes, limits, signals, standard streams, progress.
#![forbid(unsafe_code)]

#[macro_use]
mod process;

mod dropin;
mod input;
mod jobs;
mod options;
mod output;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use process::exit::Failure;
use process::{limits, signals, standard_streams};

#[global_allocator]
static ALLOCATOR: thalweg_memory::OrExit = thalweg_memory::OrExit;

fn main() -> ExitCode {
    standard_streams::keep_closed();
    thalweg::files::before_temporary_names(signals::wait_for_them);
    thalweg_memory::before_refusal_ends(thalweg::files::remove_unfinished_now);
    thalweg_memory::explain_bus_errors();
    limits::of_sizes_are_errors();
    limits::allow_many_files();
    limits::fit_few_addresses();
    // A link of such a name lets scripts that call the program use this.
    let name = std::env::args_os().next().map(PathBuf::from);
    let name = name.as_deref().and_then(Path::file_name);
    if let Some(run) = name.and_then(dropin::of_name) {
        return run();
    }
    if let Some(name) = name.and_then(OsStr::to_str)
        && let Some(instead) = options::in_place_of_program(name)
    {
        let wrong = format!("{name}: thalweg does not stand in for this program");
        return Failure::usage(wrong, instead).report();
    }
    let (mut arguments, assignments) = match options::parse() {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    if arguments.command.writes_files() {
        signals::expect_files();
    }
    if let Err(failure) = arguments.command.read_lists() {
        return failure.report();
    }
    match jobs::run(&mut arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => assignments.report(failure),
    }
}
