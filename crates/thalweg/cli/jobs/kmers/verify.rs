//! `thalweg kmers verify`

use thalweg::kmers::database::Format;

use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use super::open_database;
use crate::options::kmers::VerifyArguments;
use crate::options::quantity::thousands;
use crate::output::Printer;
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Fault> {
    let sorting = sort_options(&arguments.sorting)?;
    let mut worst = 0;
    let mut printer = Printer::new()?;
    for path in &arguments.databases {
        let outcome =
            open_database(path).and_then(|database| Ok((database.verify(&sorting)?, database)));
        match outcome {
            Ok((totals, database)) => {
                printer.print(&format!(
                    "{}: OK ({}, {} k-mers, {} distinct)\n",
                    path.display(),
                    database.header().format,
                    thousands(totals.total),
                    thousands(totals.distinct),
                ))?;
                if database.header().format != Format::Thk && !arguments.notes.quiet {
                    tell!(
                        "thalweg: note: {} has no checksums, as its format has none: its structure is sound, but not \
                         every changed letter or count would be noticed",
                        path.display()
                    );
                }
                if !database.tells_its_end() && !arguments.notes.quiet {
                    tell!(
                        "thalweg: note: {} does not say how many k-mers it has: if it was cut between two of \
                         them, nothing tells",
                        path.display()
                    );
                }
            }
            Err(error) => {
                let failure = Fault::from(error)
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
