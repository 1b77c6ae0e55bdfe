//! `thalweg kmers histo`

use std::path::Path;

use thalweg::kmers::histogram::{Histogram, TableOptions};

use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use super::open_database;
use crate::options::kmers::HistoArguments;
use crate::output::{Output, refuse_text_over, refuse_unwritten};
use crate::process::exit::Failure;
use thalweg::write::is_same;

pub(crate) fn run(arguments: &HistoArguments) -> Result<(), Fault> {
    if let Some(plot) = &arguments.plot {
        refuse_other_pictures(plot)?;
    }
    let named = arguments.output.iter().chain(&arguments.plot);
    for path in named {
        refuse_unwritten(path)?;
    }
    let database = open_database(&arguments.database)?;
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    for path in [output].into_iter().chain(arguments.plot.as_deref()) {
        refuse_text_over(path, &arguments.database, &[])?;
    }
    refuse_one_file(arguments)?;
    let plot = arguments.plot.as_deref().map(Output::create).transpose()?;
    let mut output = Output::create(output)?;
    let histogram = database
        .histogram(&sort_options(&arguments.sorting)?)
        .map_err(|error| Fault::from(error).of_temporary_files(TMP_HINT))?;
    let text = text(arguments, &histogram)?;
    // First: a reader of the histogram that goes does not cost the picture.
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
    output.write(text.as_bytes())?;
    Ok(output.finish()?)
}

/// The histogram and its picture would be one file, or one stream.
fn refuse_one_file(arguments: &HistoArguments) -> Result<(), Failure> {
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    match &arguments.plot {
        Some(plot) if is_same(plot, output) => Err(Failure::usage(
            format!("{}: the histogram goes there, too", plot.display()),
            "name another file with --plot or -o",
        )),
        _ => Ok(()),
    }
}

/// A picture is SVG, whatever its name promises.
fn refuse_other_pictures(path: &Path) -> Result<(), Failure> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    let others = [
        "png", "pdf", "jpg", "jpeg", "gif", "tif", "tiff", "ps", "eps", "svgz",
    ];
    match others.iter().any(|other| ending == *other) {
        true => Err(Failure::usage(
            format!("{}: the picture would be SVG", path.display()),
            "give it a name that ends in .svg; browsers show it, and `rsvg-convert` makes others of it",
        )),
        false => Ok(()),
    }
}

fn text(arguments: &HistoArguments, histogram: &Histogram) -> Result<String, Failure> {
    if arguments.json {
        return Ok(format!("{:#}\n", histogram.to_json()));
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
pub(crate) fn table(histogram: &Histogram, options: &TableOptions) -> Result<String, Failure> {
    if options.high < options.low {
        return Err(Failure::usage(
            format!("--high {} is less than --low {}", options.high, options.low),
            "counts from --low to --high have lines of their own; what lies outside is added to those beside them",
        ));
    }
    /// Lines of `--full`, at most.
    const MOST: u64 = 100_000_000;
    let lines = (options.high - options.low) / options.increment.max(1);
    if options.full && lines > MOST {
        return Err(Failure::usage(
            format!(
                "--full --high {}: that would be {lines} lines",
                options.high
            ),
            "lower --high, or raise --increment; without --full, counts that do not occur have no line",
        ));
    }
    let rows = histogram.table(options);
    let lines = rows
        .iter()
        .map(|row| format!("{} {}\n", row.count, row.kmers));
    Ok(lines.collect())
}
