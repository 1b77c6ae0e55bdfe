//! How many k-mers occur once, twice, and so on: as lines, JSON or a picture.

use std::path::{Path, PathBuf};

use thalweg_kmers::database::SortOptions;
use thalweg_kmers::histogram::{Histogram, TableOptions};
use thalweg_write::{OutputContents, check_contents, check_written, is_same};

use super::names::check_text_not_over;
use super::open_database;
use crate::count::OutputFile;
use crate::{Control, Fault};

/// Which spectrum is written, and where. All fields can be set; [`new`](Self::new) has the defaults.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::databases::HistogramSettings;
///
/// let mut settings = HistogramSettings::new("counts.thk");
/// settings.plot = Some("counts.svg".into());
/// let histogram = settings.run(&Control::default())?;
/// println!("{} k-mers occur once", histogram.unique());
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "histo")]
pub struct HistogramSettings {
    /// The database.
    pub database: PathBuf,
    /// Where it goes as text, if it is wanted so; `-` is the standard output.
    pub output: Option<PathBuf>,
    /// What that text is like: lines of all counts by default.
    pub form: HistogramForm,
    /// Where a picture of it goes, in SVG, if one is wanted.
    pub plot: Option<PathBuf>,
    /// Memory for what must be put in order, and the directory of what it has no room for.
    pub sorting: SortOptions,
}

/// Text that a spectrum becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistogramForm {
    /// Lines of a count, a blank, and the number of different k-mers that have it.
    Table(TableOptions),
    /// All of it as JSON.
    Json,
}

impl HistogramSettings {
    /// All of the spectrum of `database`, as a value alone.
    pub fn new(database: impl Into<PathBuf>) -> Self {
        let all = TableOptions {
            high: u64::MAX,
            ..TableOptions::default()
        };
        Self {
            database: database.into(),
            output: None,
            form: HistogramForm::Table(all),
            plot: None,
            sorting: SortOptions::default(),
        }
    }

    /// The spectrum, which is written where it is wanted.
    ///
    /// # Errors
    /// If the database cannot be read, or an output not be written; if settings contradict each other; if it was cancelled. No
    /// output is there, then, but the picture if it was the histogram that could not be written.
    pub fn run(&self, control: &Control) -> Result<Histogram, Fault> {
        if let Some(plot) = &self.plot {
            check_picture(plot)?;
        }
        for path in self.outputs() {
            check_written(path)?;
        }
        let database = open_database(&self.database, control)?;
        for path in self.outputs() {
            check_text_not_over(path, &self.database, &[])?;
        }
        self.check_apart()?;
        if let Some(path) = &self.output {
            let accepted = match self.form {
                HistogramForm::Table(_) => &[OutputContents::Text, OutputContents::Tabs],
                HistogramForm::Json => &[OutputContents::Json, OutputContents::Text],
            };
            check_contents(path, accepted)?;
        }
        let plot = self.plot.as_deref().map(OutputFile::create).transpose()?;
        let output = self.output.as_deref().map(OutputFile::create).transpose()?;
        let histogram = database.histogram_unless(&self.sorting, &control.watch(&database))?;
        control.check()?;
        // What cannot be asked for leaves no picture, either.
        let text = match output {
            Some(output) => Some((output, self.form.text(&histogram)?)),
            None => None,
        };
        // First: a reader of the histogram that goes does not cost the picture.
        if let Some(mut plot) = plot {
            plot.write(self.picture(&histogram, database.header().k).as_bytes())?;
            plot.finish()?;
        }
        if let Some((mut output, text)) = text {
            output.write(text.as_bytes())?;
            output.finish()?;
        }
        Ok(histogram)
    }

    fn outputs(&self) -> impl Iterator<Item = &Path> {
        let outputs = self.output.iter().chain(&self.plot);
        outputs.map(PathBuf::as_path)
    }

    /// The histogram and its picture would be one file, or one stream.
    fn check_apart(&self) -> Result<(), Fault> {
        match (&self.plot, &self.output) {
            (Some(plot), Some(output)) if is_same(plot, output) => Err(Fault::usage(
                format!("{}: the histogram is written there, too", plot.display()),
                "name another file with --plot or -o",
            )),
            _ => Ok(()),
        }
    }

    fn picture(&self, histogram: &Histogram, k: usize) -> String {
        let name = self.database.file_name().map(Path::new);
        let name = name.unwrap_or(&self.database).display();
        let estimate = histogram.estimate(k).ok();
        histogram.to_svg(&format!("{name}: {k}-mers"), estimate.as_ref())
    }
}

impl HistogramForm {
    /// What `histogram` becomes, with the end of its last line.
    ///
    /// # Errors
    /// If no lines can be had of the kind that is asked for, or so many that nobody wants them.
    pub fn text(&self, histogram: &Histogram) -> Result<String, Fault> {
        match self {
            Self::Table(options) => table(histogram, options),
            Self::Json => Ok(format!("{:#}\n", histogram.to_json())),
        }
    }
}

fn table(histogram: &Histogram, options: &TableOptions) -> Result<String, Fault> {
    if options.high < options.low {
        return Err(Fault::usage(
            format!("--high {} is less than --low {}", options.high, options.low),
            "counts from --low to --high have bins; counts outside are pooled in one bin at each end",
        ));
    }
    /// Lines of `--full`, at most.
    const MOST: u64 = 100_000_000;
    let lines = (options.high - options.low) / options.increment.max(1);
    if options.full && lines > MOST {
        return Err(Fault::usage(
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

/// A picture is SVG, whatever its name promises.
fn check_picture(path: &Path) -> Result<(), Fault> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    let others = [
        "png", "pdf", "jpg", "jpeg", "gif", "tif", "tiff", "ps", "eps", "svgz",
    ];
    match others.iter().any(|other| ending == *other) {
        true => Err(Fault::usage(
            format!("{}: --plot writes SVG only", path.display()),
            "use a name that ends in .svg; browsers show SVG, and `rsvg-convert` converts it",
        )),
        false => Ok(()),
    }
}
