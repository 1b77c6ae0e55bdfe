//! `thalweg completions`

use clap_complete::Shell;

use crate::dropin;
use crate::dropin::kmc::completions::{KMC, KMC_DUMP, KMC_TOOLS, Program};
use crate::options::{self, CompletionsArguments, NamedAs};
use crate::output;
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let shell = arguments.shell;
    let (name, mut command) = match arguments.name {
        NamedAs::Kmc => return print_words(shell, &KMC),
        NamedAs::KmcDump => return print_words(shell, &KMC_DUMP),
        NamedAs::KmcTools => return print_words(shell, &KMC_TOOLS),
        NamedAs::Thalweg => ("thalweg", options::command()),
        NamedAs::Fastp => ("fastp", dropin::fastp::command(options::command())),
        NamedAs::Fastqc => ("fastqc", dropin::fastqc::command()),
        NamedAs::Jellyfish => ("jellyfish", dropin::jellyfish::command()),
        NamedAs::Kraken2 => ("kraken2", dropin::kraken2::command()),
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Fish {
        // To fish a bare question mark stands for any letter.
        script = script.replace(" -s ? ", " -s '?' ");
    }
    output::print(&script)
}

/// Of one of KMC's programs.
fn print_words(shell: Shell, program: &Program) -> Result<(), Failure> {
    match program.script(shell) {
        Some(script) => output::print(&script),
        None => Err(Failure::usage(
            format!("{}: there are no completions for {shell}", program.name),
            "there are some for bash, zsh and fish",
        )),
    }
}
