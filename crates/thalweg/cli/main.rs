//! The thalweg command: every core its own reads.
//!
//! One file for each subcommand: `index`, `info`, `verify`, `cat` (with `copy`,
//! `parts` and `pipes`), `stats`, `qc` (also under the name of fastp), `count`
//! and `kmers` (also under those of Jellyfish and KMC), `taxa` and `classify`
//! (also under that of kraken2), `trace`, `completions`, `man`. `fastqc` is done under that name alone, and by
//! `qc --fastqc`.
//! They share:
//!
//! - `arguments`, `quantity`: what the user said.
//! - `input`: from there to open reads; `indexes`: which indexes they have.
//! - `output`, `signals`: files that appear when they are whole, and the
//!   standard output; `standard_streams`: what of them is closed; `limits`:
//!   what `ulimit` set.
//! - `progress`: a line on a terminal; `tell`: a line on the standard error.
//! - `exit`: what went wrong, and the exit code.
#![forbid(unsafe_code)]

#[macro_use]
mod tell;

mod arguments;
mod bam;
mod cat;
mod completions;
mod copy;
mod count;
mod exit;
mod fastqc;
mod files_from;
mod getopt;
mod gzi;
mod identity;
mod index;
mod indexes;
mod info;
mod input;
mod kmers;
mod limits;
mod man;
mod output;
mod parts;
mod pipes;
mod progress;
mod qc;
mod quantity;
mod routes;
mod sharing;
mod signals;
mod standard_streams;
mod stats;
mod table;
mod taxa;
mod threads;
mod trace;
mod unaligned;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arguments::Command;

#[global_allocator]
static ALLOCATOR: thalweg_memory::OrExit = thalweg_memory::OrExit;

fn main() -> ExitCode {
    standard_streams::keep_closed();
    thalweg::files::before_temporary_names(signals::wait_for_them);
    limits::of_sizes_are_errors();
    limits::allow_many_files();
    limits::fit_few_addresses();
    // A link of such a name lets scripts that call the program use this.
    let name = std::env::args_os().next().map(PathBuf::from);
    let name = name.as_deref().and_then(Path::file_name);
    let stand_in = |name| {
        let other = || taxa::stand_in(name).or_else(|| fastqc::stand_in(name));
        kmers::stand_in(name).or_else(other)
    };
    if let Some(run) = name.and_then(stand_in) {
        return run();
    }
    let mut arguments = match arguments::parse() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    if let Err(failure) = arguments.command.read_lists() {
        return failure.report();
    }
    let outcome = match &mut arguments.command {
        Command::Index(arguments) => index::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Cat(arguments) => cat::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::Qc(arguments) => qc::run(arguments),
        Command::Count(arguments) => count::run(arguments),
        Command::Kmers(arguments) => kmers::run(arguments),
        Command::Taxa(arguments) => taxa::run(arguments),
        Command::Classify(arguments) => taxa::classify::run(arguments),
        Command::Trace(arguments) => trace::run(arguments),
        Command::Completions(arguments) => completions::run(arguments),
        Command::Man(arguments) => man::run(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
