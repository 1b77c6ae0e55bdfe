//! The thalweg command: every core its own reads.
//!
//! One file for each subcommand: `index`, `info`, `verify`, `cat` (with `copy`,
//! `parts` and `pipes`), `stats`, `qc` (with a folder of its own), `completions`, `man`. They share:
//!
//! - `arguments`, `quantity`: what the user said.
//! - `input`: from there to open reads.
//! - `output`, `signals`: files that appear when they are whole, and the
//!   standard output.
//! - `progress`: a line on a terminal.
//! - `exit`: what went wrong, and the exit code.
#![forbid(unsafe_code)]

mod arguments;
mod cat;
mod completions;
mod copy;
mod exit;
mod gzi;
mod index;
mod info;
mod input;
mod man;
mod output;
mod parts;
mod pipes;
mod progress;
mod qc;
mod quantity;
mod signals;
mod stats;
mod table;
mod verify;

use std::process::ExitCode;

use arguments::Command;

fn main() -> ExitCode {
    let arguments = arguments::parse();
    let outcome = match &arguments.command {
        Command::Index(arguments) => index::run(arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Cat(arguments) => cat::run(arguments),
        Command::Stats(arguments) => stats::run(arguments),
        Command::Qc(arguments) => qc::run(arguments),
        Command::Completions(arguments) => completions::run(arguments),
        Command::Man(arguments) => man::run(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
