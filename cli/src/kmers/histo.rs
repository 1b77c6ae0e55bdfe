//! `thalweg kmers histo`

use std::path::Path;

use thalweg::kmers::database;
use thalweg::kmers::histogram::{Histogram, TableOptions};

use super::arguments::HistoArguments;
use super::failure::Fault;
use crate::output::{Output, refuse_text_over};

pub(crate) fn run(arguments: &HistoArguments) -> Result<(), Fault> {
    let database = database::open(&arguments.database)?;
    for path in arguments.output.iter().chain(&arguments.plot) {
        refuse_text_over(path, &arguments.database, &[])?;
    }
    let plot = arguments.plot.as_deref().map(Output::create).transpose()?;
    let mut output = match &arguments.output {
        Some(path) => Output::create(path)?,
        None => Output::stdout()?,
    };
    let histogram = database.histogram()?;
    output.write(text(arguments, &histogram).as_bytes())?;
    if let Some(mut plot) = plot {
        let estimate = histogram.estimate(database.header().k).ok();
        let name = arguments.database.file_name().map(Path::new);
        let title = format!(
            "{}: {}-mers",
            name.unwrap_or(&arguments.database).display(),
            database.header().k
        );
        plot.write(histogram.to_svg(&title, estimate.as_ref()).as_bytes())?;
        plot.finish()?;
    }
    Ok(output.finish()?)
}

fn text(arguments: &HistoArguments, histogram: &Histogram) -> String {
    if arguments.json {
        return format!("{:#}\n", histogram.to_json());
    }
    table(
        histogram,
        &TableOptions {
            low: arguments.low,
            high: arguments.high.unwrap_or(u64::MAX),
            increment: arguments.increment,
            full: arguments.full,
        },
    )
}

/// Lines of `count number`.
pub(super) fn table(histogram: &Histogram, options: &TableOptions) -> String {
    let rows = histogram.table(options);
    rows.iter()
        .map(|row| format!("{} {}\n", row.count, row.kmers))
        .collect()
}
