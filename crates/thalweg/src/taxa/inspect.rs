//! Databases that are looked at: every byte, or every k-mer.

use std::io::{self, Write};
use std::path::Path;

use thalweg_taxa::database::TaxonDatabase;
use thalweg_write::{OutputContents, check_contents, check_not_input};

use super::find_database;
use crate::{Control, Fault, OutputFile};

/// Open a database, or a part of one, and compare all of it with its checksums, and its records with each other: the job behind
/// `thalweg taxa verify`. Of a directory it is the only database in it.
///
/// # Errors
/// The first damage that is found; if it cannot be read; if it was cancelled.
pub fn verify_database(path: &Path, control: &Control) -> Result<TaxonDatabase, Fault> {
    let database = TaxonDatabase::open_or_part(&find_database(path)?)?;
    database.verify_unless(&|| control.check_taxa())?;
    Ok(database)
}

/// Write every k-mer of a database with its taxa, a line each as [`TaxonDatabase::dump`] has them: the job behind `thalweg taxa dump`.
/// The output may be `-`, the standard output.
///
/// # Errors
/// If the database is damaged or cannot be read, or the output not be written; if it was cancelled. No output is there, then.
pub fn dump_database(path: &Path, output: &Path, control: &Control) -> Result<(), Fault> {
    let path = find_database(path)?;
    let database = TaxonDatabase::open(&path)?;
    check_not_input(output, std::slice::from_ref(&path))?;
    check_contents(output, &[OutputContents::Tabs, OutputContents::Text])?;
    let mut lines = Lines {
        output: OutputFile::create(output)?,
        control,
        bytes: Vec::new(),
        fault: None,
    };
    let dumped = database.dump(&mut lines);
    if let Some(fault) = lines.fault {
        return Err(fault);
    }
    dumped?;
    control.check()?;
    lines.output.write(&lines.bytes)?;
    lines.output.finish()
}

/// Collects lines to blocks for an output.
struct Lines<'a> {
    output: OutputFile,
    control: &'a Control<'a>,
    bytes: Vec<u8>,
    fault: Option<Fault>,
}

/// Bytes that are written at once.
const BLOCK: usize = 1 << 18;

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= BLOCK {
            let control = self.control.check().map_err(Fault::from);
            let written = control.and_then(|()| self.output.write(&self.bytes));
            self.bytes.clear();
            if let Err(fault) = written {
                self.fault = Some(fault);
                return Err(io::ErrorKind::Other.into());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
