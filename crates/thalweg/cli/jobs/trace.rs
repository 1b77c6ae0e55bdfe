//! `thalweg trace`: what the user said to [jobs of the library](thalweg::trace), and what they say to the terminal.

use thalweg::trace::{ConvertSettings, ShowSettings, TraceTally, count_values};
use thalweg::{Control, Message};

use crate::options::trace::{
    ConvertArguments, CountArguments, ShowArguments, TraceArguments, TraceCommand,
};
use crate::output::print;
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &TraceArguments) -> Result<(), Failure> {
    match &arguments.command {
        TraceCommand::Show(arguments) => show(arguments),
        TraceCommand::Count(arguments) => count(arguments),
        TraceCommand::Convert(arguments) => convert(arguments),
    }
}

fn show(arguments: &ShowArguments) -> Result<(), Failure> {
    let mut settings = ShowSettings::new(&arguments.file, "-");
    settings.most = arguments.number;
    settings.name = arguments.name.clone().map(String::into_bytes);
    settings.kind.clone_from(&arguments.kind);
    heard(|control| settings.run(control))?;
    Ok(())
}

fn count(arguments: &CountArguments) -> Result<(), Failure> {
    let tally = heard(|control| count_values(&arguments.file, control))?;
    print(&lines_of(&tally))
}

fn lines_of(tally: &TraceTally) -> String {
    let lines = tally.iter().map(|(kind, what, which, number)| {
        let what = match which {
            "" => what.to_owned(),
            which => format!("{what} {which}"),
        };
        format!("{kind}\t{what}\t{number}\n")
    });
    lines.collect()
}

fn convert(arguments: &ConvertArguments) -> Result<(), Failure> {
    let output = arguments.output.clone().unwrap_or("-".into());
    let mut settings = ConvertSettings::new(&arguments.file, output);
    settings.target = arguments.to.map(Into::into);
    settings.kind.clone_from(&arguments.kind);
    heard(|control| settings.run(control))?;
    Ok(())
}

/// Do a job, and print what it says.
fn heard<T>(job: impl FnOnce(&Control) -> T) -> T {
    let says = |message: Message| tell!("{message}");
    job(&Control {
        says: Some(&says),
        ..Control::default()
    })
}
