//! `thalweg completions`

use crate::options::{self, CompletionsArguments};
use crate::output;
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut options::command(),
        "thalweg",
        &mut script,
    );
    output::print(&String::from_utf8_lossy(&script))
}
