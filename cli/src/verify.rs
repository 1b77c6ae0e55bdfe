//! `thalweg verify`

use std::path::Path;

use thalweg::{IndexUse, VerifyOptions, VerifyReport};

use crate::arguments::{IndexMode, VerifyArguments};
use crate::exit::Failure;
use crate::input::{
    budget, check_index_file, index_use, save_index, warn_if_cut, warn_of_missing_end,
};
use crate::output::Printer;
use crate::progress::{Progress, counter};
use crate::quantity::thousands;

pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    check_index_file(&arguments.files, &arguments.index)?;
    let mut worst = 0;
    let mut printer = Printer::default();
    for file in &arguments.files {
        match verify(file, arguments) {
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

/// What was checked and found to be right.
fn verify(file: &Path, arguments: &VerifyArguments) -> Result<String, Failure> {
    warn_if_cut(file);
    if arguments.index.index == IndexMode::Save {
        save_index(file, &arguments.index, &arguments.common)?;
    }
    let index = index_use(&arguments.index);
    let has_index = match &index {
        IndexUse::Never => false,
        IndexUse::Auto => is_regular(file) && thalweg::index_path(file).exists(),
        _ => true,
    };
    let mut options = VerifyOptions {
        full: arguments.full || !has_index,
        index,
        budget: budget(&arguments.common),
        on_missing_end: Some(warn_of_missing_end),
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
    Ok(describe(&report))
}

fn is_regular(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file())
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
