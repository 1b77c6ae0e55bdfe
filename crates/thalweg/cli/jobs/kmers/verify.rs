//! `thalweg kmers verify`

use thalweg::databases::CheckSettings;
use thalweg::files::one_line;

use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use crate::options::kmers::VerifyArguments;
use crate::options::quantity::thousands;
use crate::output::Printer;
use crate::process::exit::Failure;
use crate::process::hearing::heard_unless;

pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Fault> {
    let settings = CheckSettings {
        sorting: sort_options(&arguments.sorting)?,
        ..CheckSettings::new(&arguments.databases)
    };
    let quiet = arguments.notes.quiet;
    let mut worst = 0;
    let mut printer = Printer::new()?;
    for (place, path) in arguments.databases.iter().enumerate() {
        match heard_unless(quiet, |control| settings.check(place, control)) {
            Ok(checked) => {
                printer.print(&format!(
                    "{}: OK ({}, {} k-mers, {} distinct)\n",
                    one_line(path),
                    checked.format,
                    thousands(checked.totals.total),
                    thousands(checked.totals.distinct),
                ))?;
                let notes = checked.notes(path).filter(|_| !quiet);
                notes.for_each(|note| tell!("{note}"));
            }
            Err(fault) => {
                let failure = Fault::from(fault)
                    .of_temporary_files(TMP_HINT)
                    .into_failure();
                failure.print();
                worst = worst.max(failure.code());
            }
        }
    }
    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code).into()),
    }
}
