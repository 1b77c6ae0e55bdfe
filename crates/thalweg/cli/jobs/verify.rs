//! `thalweg verify`

use std::path::{Path, PathBuf};

use thalweg::{ForeignLetters, IndexUse, Listener, VerifyOptions, VerifyReport};

use crate::input::indexes;
use crate::input::{budget, warn_if_cut, warn_of_missing_end};
use crate::options::quantity::thousands;
use crate::options::{IndexMode, VerifyArguments};
use crate::output::Printer;
use crate::process::exit::Failure;
use crate::process::progress::{Progress, counter};

pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let index = &arguments.index;
    indexes::check(&arguments.files, index)?;
    let mut worst = 0;
    let mut printer = Printer::new()?;
    let common = &arguments.common;
    indexes::save_named(&arguments.files, index, budget(common), common.draws())?;
    for (number, file) in arguments.files.iter().enumerate() {
        match verify(file, index.index_files.get(number), arguments) {
            Ok(what) => printer.print(&format!("{}: OK ({what})\n", file.display()))?,
            Err(failure) => {
                failure.print();
                worst = worst.max(failure.code());
            }
        }
    }
    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

/// What was checked and found to be right; of an index that was named, that one.
fn verify(
    file: &Path,
    index_file: Option<&PathBuf>,
    arguments: &VerifyArguments,
) -> Result<String, Failure> {
    warn_if_cut(file);
    let choice = &arguments.index;
    if choice.index == IndexMode::Save && index_file.is_none() {
        let common = &arguments.common;
        indexes::save_if_missing(file, choice, budget(common), common.draws())?;
    }
    let index = match index_file {
        Some(path) => IndexUse::At(path.clone()),
        None => indexes::beside(choice),
    };
    let index_directory = choice.directory.path();
    let has_index = match &index {
        IndexUse::Never => false,
        IndexUse::Auto => thalweg::find_index(file, index_directory.as_deref())?.is_some(),
        _ => true,
    };
    let mut options = VerifyOptions {
        full: arguments.full || !has_index,
        index,
        index_directory,
        budget: budget(&arguments.common),
        on_missing_end: Some(Listener::new(warn_of_missing_end)),
    };
    let (tell, position) = counter();
    let progress = Progress::start(&arguments.common, file, position);
    let mut report = thalweg::verify(file, &options, &tell)?;
    if !options.full && !report.hash_matches {
        // An index without a hash leaves only this.
        options.full = true;
        report = thalweg::verify(file, &options, &tell)?;
    }
    drop(progress);
    if let Some(foreign) = report.foreign_letters {
        warn_of_letters(file, &foreign);
    }
    Ok(describe(&report))
}

/// Say so if sequences have letters that reads of nucleotides have not.
fn warn_of_letters(file: &Path, foreign: &ForeignLetters) {
    let (letters, are) = match foreign.letters {
        1 => ("letter", "is none"),
        _ => ("letters", "are none"),
    };
    let records = match foreign.records {
        1 => "record",
        _ => "records",
    };
    tell!(
        "warning: {}: {} {letters} in {} {records} {are} of nucleotides (IUPAC's, '*', '-' or '.'): \
         the first is '{}', record {}, base {}",
        file.display(),
        thousands(foreign.letters),
        thousands(foreign.records),
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
        (report.chunks, "chunks"),
        (report.members, "gzip members"),
        (report.records, "records"),
    ] {
        checked.extend(count.map(|count| format!("{} {name}", thousands(count))));
    }
    checked.join(", ")
}
