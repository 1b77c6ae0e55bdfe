//! `thalweg verify`

mod faults;
mod json;

use std::path::Path;

use thalweg::files::{counted, one_line};
use thalweg::verify::VerifySettings;
use thalweg::{Fault, ForeignLetters, VerifyReport};

use crate::input::{budget, indexes};
use crate::options::VerifyArguments;
use crate::options::quantity::thousands;
use crate::output::Printer;
use crate::process::exit::Failure;
use crate::process::hearing::heard;

pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let common = &arguments.common;
    if arguments.faults || arguments.mates || arguments.interleaved {
        return faults::run(arguments);
    }
    if !arguments.disable.is_empty() || arguments.list.is_some() {
        return Err(Failure::usage(
            "--disable and --list require --faults, --mates or --interleaved",
            "use --faults, or --mates if the files belong together",
        ));
    }
    let settings = VerifySettings {
        full: arguments.full,
        indexes: indexes::to_library(&arguments.index),
        threads: budget(common).threads(),
        check_end: arguments.end.is_wanted(),
        ..VerifySettings::new(&arguments.files)
    };
    indexes::check(&arguments.files, &arguments.index)?;
    settings.check()?;
    let mut worst = 0;
    let mut printer = Printer::new()?;
    heard(common, &arguments.files[0], |control| {
        settings.prepare(control)
    })?;
    let mut outcomes = Vec::new();
    for (place, file) in arguments.files.iter().enumerate() {
        let outcome = verify(&settings, place, arguments);
        match &outcome {
            Ok(_) if arguments.json => {}
            Ok(report) => {
                printer.print(&format!("{}: OK ({})\n", one_line(file), describe(report)))?;
            }
            Err(_) => {}
        }
        let outcome = outcome.map_err(|fault| {
            let told = fault.to_string();
            let failure = Failure::from(fault);
            failure.print();
            worst = worst.max(failure.code());
            told
        });
        outcomes.push((&**file, outcome));
    }
    if arguments.json {
        printer.print(&json::of_outcomes(&outcomes))?;
    }
    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

/// What was checked and found to be right.
fn verify(
    settings: &VerifySettings,
    place: usize,
    arguments: &VerifyArguments,
) -> Result<VerifyReport, Fault> {
    let (file, common) = (&settings.files[place], &arguments.common);
    let report = heard(common, file, |control| settings.verify(place, control))?;
    if let Some(foreign) = &report.foreign_letters {
        warn_of_letters(file, foreign);
    }
    Ok(report)
}

/// Say so if sequences have letters that reads of nucleotides have not.
fn warn_of_letters(file: &Path, foreign: &ForeignLetters) {
    let are = if foreign.letters == 1 {
        "is not a nucleotide"
    } else {
        "are not nucleotides"
    };
    tell!(
        "thalweg: warning: {}: {} in {} {are} (IUPAC, '*', '-' or '.'): \
         the first is '{}', record {}, base {}",
        file.display(),
        counted(foreign.letters, "letter"),
        counted(foreign.records, "record"),
        char::from(foreign.first_letter),
        thousands(foreign.first_record + 1),
        thousands(foreign.first_place + 1),
    );
}

fn describe(report: &VerifyReport) -> String {
    let mut checked = Vec::new();
    if report.hash_matches {
        checked.push("hash".to_owned());
    }
    for (count, name) in [
        (report.chunks, "chunk"),
        (report.members, "gzip member"),
        (report.records, "record"),
    ] {
        checked.extend(count.map(|count| counted(count, name)));
    }
    checked.join(", ")
}
