//! One file or folder for each subcommand.

pub(crate) mod cat;
mod completions;
pub(crate) mod count;
mod index;
mod info;
pub(crate) mod kmers;
mod man;
pub(crate) mod qc;
mod stats;
pub(crate) mod taxa;
pub(crate) mod trace;
mod verify;

use crate::options::Command;
use crate::process::exit::Failure;

/// Do what the user said.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    match command {
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
    }
}
