//! `thalweg kmers verify`

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use thalweg::kmers::database::{self, Format};

use super::arguments::VerifyArguments;
use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use crate::exit::Failure;
use crate::output::Printer;
use crate::quantity::thousands;

pub(crate) fn run(arguments: &VerifyArguments) -> Result<(), Fault> {
    let sorting = sort_options(&arguments.sorting)?;
    let mut worst = 0;
    let mut printer = Printer::default();
    for path in &arguments.databases {
        let outcome =
            database::open(path).and_then(|database| Ok((database.verify(&sorting)?, database)));
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
                let is_text = matches!(
                    database.header().format,
                    Format::Tsv | Format::Fasta | Format::JellyfishText
                );
                if is_text && lacks_line_end(path).map_err(|error| Failure::io(path, error))? {
                    tell!(
                        "thalweg: warning: {}: its last line has no line feed: if the file was cut off there, the last \
                         count may have lost digits",
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

/// Whether a file that is not empty ends within a line.
fn lacks_line_end(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
