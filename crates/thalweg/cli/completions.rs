//! `thalweg completions`

use crate::arguments::{self, CompletionsArguments};
use crate::exit::Failure;
use crate::output;

pub(crate) fn run(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut arguments::command(),
        "thalweg",
        &mut script,
    );
    output::print(&String::from_utf8_lossy(&script))
}
