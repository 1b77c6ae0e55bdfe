//! `thalweg trace`: what a trace has, for people and for programs that read lines.
//!
//! - `show`: values as lines of JSON; `count`: how many of what; `convert`: a table, or another format.

mod convert;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use thalweg::trace::{Encoder, Format, Reader, Tally, Value};

use crate::options::trace::{CountArguments, ShowArguments, TraceArguments, TraceCommand};
use crate::output::{Output, print};
use crate::process::exit::Failure;
use crate::process::standard_streams::{STANDARD_INPUT, standard_input};

/// Bytes collected before the system is asked to write.
const BUFFER: usize = 1 << 18;

pub(crate) fn run(arguments: &TraceArguments) -> Result<(), Failure> {
    match &arguments.command {
        TraceCommand::Show(arguments) => show(arguments),
        TraceCommand::Count(arguments) => count(arguments),
        TraceCommand::Convert(arguments) => convert::run(arguments),
    }
}

/// An open trace, which says so if it has what is not known here.
fn open(path: &Path) -> Result<Reader<BufReader<File>>, Failure> {
    let (name, file) = match path == Path::new("-") {
        true => (Path::new(STANDARD_INPUT), standard_input()),
        false => (path, File::open(path).map(BufReader::new)),
    };
    let file = file.map_err(|error| Failure::io(name, error))?;
    let shown = name.display().to_string();
    let warn = move |kind: &str| {
        tell!(
            "thalweg: warning: {shown}: values of a kind that this version does not know are left out, such as {}",
            kind.escape_debug()
        );
    };
    Ok(Reader::new(file, name)?.on_unknown(warn))
}

/// Lines of JSON: what is whole of a trace that was cut, too.
fn show(arguments: &ShowArguments) -> Result<(), Failure> {
    let mut reader = open(&arguments.file)?;
    let mut output = Output::stdout()?;
    let mut lines = Encoder::new(Format::JsonLines)?;
    let mut text = Vec::new();
    if arguments.wants("header") && arguments.name.is_none() {
        lines.push(&Value::Header(reader.header().clone()));
    }
    let mut left = arguments.number.unwrap_or(u64::MAX);
    let mut outcome = Ok(());
    while left > 0 {
        match reader.next_value() {
            Ok(Some(value)) if arguments.is_wanted(&value) => {
                lines.push(&value);
                left -= 1;
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                outcome = Err(error.into());
                break;
            }
        }
        if lines.buffered() >= BUFFER {
            lines.take_batch(&mut text)?;
            output.write(&text)?;
            text.clear();
        }
    }
    lines.take_batch(&mut text)?;
    output.write(&text)?;
    output.finish()?;
    outcome
}

fn count(arguments: &CountArguments) -> Result<(), Failure> {
    let mut reader = open(&arguments.file)?;
    let mut tally = Tally::new();
    while let Some(value) = reader.next_value()? {
        tally.add(&value);
    }
    let lines = tally.iter().map(|(kind, what, which, number)| {
        let what = match which {
            "" => what.to_owned(),
            which => format!("{what} {which}"),
        };
        format!("{kind}\t{what}\t{number}\n")
    });
    print(&lines.collect::<String>())
}
