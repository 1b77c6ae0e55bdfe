//! `thalweg qc`: what the user said to [a job of the library](thalweg::clean), and its result to the terminal.
//!
//! - `command_line`: as reports tell it; `summary`: what came of it, in a few lines.

mod command_line;
mod summary;

use std::path::PathBuf;
use std::time::Instant;

use thalweg::clean::{CleanJob, Cleaned, OutputSettings};
use thalweg::write::OutputFormat;
use thalweg::{Control, Fault, Listener, Message, MessageKind};

use self::command_line::command_line;
use crate::input::{indexes, tell_of_wait};
use crate::jobs::count::temporary_directory;
use crate::options::qc::{Files, QcArguments};
use crate::output::refuse_terminal;
use crate::process::exit::Failure;
use crate::process::progress::{Progress, counter};

pub(crate) fn run(arguments: &mut QcArguments) -> Result<(), Failure> {
    let started = Instant::now();
    let running = &arguments.running;
    if running.fastp_compat.is_some() {
        leave_out_words(&mut arguments.files, running.quiet);
    }
    // From here on they stay as they are.
    let arguments = &*arguments;
    let quiet = running.quiet;
    let mut settings = arguments.settings()?;
    refuse_terminals(&settings.outputs)?;
    let inputs: Vec<PathBuf> = (settings.in1.iter().chain(&settings.in2).cloned()).collect();
    indexes::check(&inputs, &running.index)?;
    settings.indexes = indexes::to_library(&running.index);
    settings.temporary_directory = temporary_directory(running.tmp.as_deref())?;
    settings.on_wait = (!quiet).then(|| Listener::new(tell_of_wait));
    let says = |message: Message| {
        let is_wanted = match message.kind {
            MessageKind::Warning => true,
            MessageKind::Detail => running.verbose,
            _ => !quiet,
        };
        if is_wanted {
            tell!("{message}");
        }
    };
    let (report, position) = counter();
    let progress = |done: u64, all: Option<u64>| report(done, all.unwrap_or_default());
    let control = Control {
        says: Some(&says),
        progress: Some(&progress),
        ..Control::default()
    };
    let mut job = CleanJob::new(settings, &control)?;
    if running.fastp_compat.is_some() && !quiet {
        let deprecated = arguments.trimming.deprecated();
        deprecated.iter().for_each(|line| tell!("{line}"));
    }
    let by_place = &arguments.files.files;
    job.set_command(command_line(by_place, job.settings(), job.lanes()));
    let drawn = Progress::start_if(running.draws(), &job.lanes()[0][0], position);
    let cleaned = job.run(&control);
    drop(drawn);
    let cleaned = cleaned.map_err(of_job)?;
    if !quiet {
        tell_of(&cleaned, started);
    }
    Ok(())
}

/// Refuses to write compressed reads to a terminal, whose name says nothing of compression.
fn refuse_terminals(outputs: &OutputSettings) -> Result<(), Failure> {
    let is_compressed = |format: OutputFormat| format != OutputFormat::Plain;
    if !outputs.output_format.is_some_and(is_compressed) {
        return Ok(());
    }
    let standard_output = outputs.stdout.then(|| PathBuf::from("-"));
    let files = [
        &outputs.out1,
        &outputs.out2,
        &outputs.unpaired1,
        &outputs.unpaired2,
        &outputs.failed_out,
        &outputs.overlapped_out,
        &outputs.merged_out,
        &standard_output,
    ];
    let hint = "name a file, write to a pipe, or leave out --output_format";
    let mut files = files.into_iter().flatten();
    files.try_for_each(|file| refuse_terminal(file, hint))
}

/// Inputs have options, beside which other words mean nothing to fastp.
fn leave_out_words(files: &mut Files, quiet: bool) {
    if !files.in1.is_empty() || files.stdin {
        for word in files.files.drain(..).filter(|_| !quiet) {
            let word = word.display();
            tell!("thalweg: note: {word} is ignored, as in fastp: it belongs to no option");
        }
    }
    if !files.in1.is_empty() {
        files.stdin = false;
    }
}

fn of_job(fault: Fault) -> Failure {
    if let Fault::Report(_) = &fault
        && !fault.is_unread()
    {
        tell!("thalweg: note: all reads are written; it is the reports that fail");
    }
    match fault {
        Fault::Report(fault) => (*fault).into(),
        fault => fault.into(),
    }
}

fn tell_of(cleaned: &Cleaned, started: Instant) {
    match cleaned.as_fastp() {
        Some(said) => summary::as_fastp(cleaned, &said, started.elapsed()),
        None => summary::summarise(cleaned),
    }
}
