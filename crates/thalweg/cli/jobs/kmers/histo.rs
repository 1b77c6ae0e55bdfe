//! `thalweg kmers histo`

use std::path::PathBuf;

use thalweg::databases::{HistogramForm, HistogramSettings};
use thalweg::kmers::histogram::TableOptions;

use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use crate::options::kmers::HistoArguments;
use crate::process::hearing::heard_unless;

pub(crate) fn run(arguments: &HistoArguments) -> Result<(), Fault> {
    let settings = settings(arguments)?;
    let outcome = heard_unless(arguments.notes.quiet, |control| settings.run(control));
    outcome.map_err(|fault| Fault::from(fault).of_temporary_files(TMP_HINT))?;
    Ok(())
}

/// What the user has said, as the library takes it.
fn settings(arguments: &HistoArguments) -> Result<HistogramSettings, Fault> {
    let table = TableOptions {
        low: arguments.low,
        high: arguments.high.unwrap_or(u64::MAX),
        increment: arguments.increment,
        full: arguments.full,
    };
    Ok(HistogramSettings {
        output: Some((arguments.output.clone()).unwrap_or(PathBuf::from("-"))),
        form: match arguments.json {
            true => HistogramForm::Json,
            false => HistogramForm::Table(table),
        },
        plot: arguments.plot.clone(),
        sorting: sort_options(&arguments.sorting)?,
        ..HistogramSettings::new(&arguments.database)
    })
}
