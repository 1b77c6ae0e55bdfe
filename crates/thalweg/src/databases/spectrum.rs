//! Totals of databases, and what their spectra say of genomes.

use std::path::PathBuf;

use thalweg_kmers::database::{Header, SortOptions};
use thalweg_kmers::histogram::{Estimate, Histogram, NoEstimate};

use super::open_database;
use crate::{Control, Fault, MessageKind};

/// Whose spectra are wanted. All fields can be set; [`new`](Self::new) has the defaults.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::databases::SpectrumSettings;
///
/// for spectrum in SpectrumSettings::new(["counts.thk"]).run(&Control::default())? {
///     println!("{} different k-mers", spectrum.histogram.distinct());
///     if let Ok(genome) = &spectrum.estimate {
///         println!("a genome of {} bases", genome.genome_size);
///     }
/// }
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "stats")]
pub struct SpectrumSettings {
    /// Databases of any formats.
    pub databases: Vec<PathBuf>,
    /// Memory for what must be put in order, and the directory of what it has no room for.
    pub sorting: SortOptions,
}

/// The spectrum of a database.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Spectrum {
    /// Of which database.
    pub path: PathBuf,
    /// Bases of its k-mers.
    pub k: usize,
    /// How many k-mers have which count.
    pub histogram: Histogram,
    /// What that says of the genome, or why it says nothing.
    pub estimate: Result<Estimate, NoEstimate>,
}

impl SpectrumSettings {
    /// Those of `databases`.
    pub fn new<P: Into<PathBuf>>(databases: impl IntoIterator<Item = P>) -> Self {
        Self {
            databases: databases.into_iter().map(Into::into).collect(),
            sorting: SortOptions::default(),
        }
    }

    /// The spectra of all, in their order. What makes an estimate false is said.
    ///
    /// # Errors
    /// If a database cannot be read, or it was cancelled.
    pub fn run(&self, control: &Control) -> Result<Vec<Spectrum>, Fault> {
        let spectra = (self.databases.iter()).map(|path| {
            let database = open_database(path, control)?;
            let histogram = database.histogram_unless(&self.sorting, &control.watch(&database))?;
            let k = database.header().k;
            let spectrum = Spectrum {
                path: path.clone(),
                k,
                estimate: histogram.estimate(k),
                histogram,
            };
            spectrum.say_doubts(database.header(), control);
            Ok(spectrum)
        });
        spectra.collect()
    }
}

impl Spectrum {
    /// Say what makes totals or an estimate false, or the latter impossible.
    fn say_doubts(&self, header: &Header, control: &Control) {
        let doubts = [self.few_counts(header), self.of_strands(header)];
        let doubts = doubts.into_iter().chain([self.cut_counts(header)]);
        for doubt in doubts.flatten() {
            let text = format!("{}: {doubt}", self.path.display());
            control.say(MessageKind::Warning, text);
        }
    }

    /// Counts that were left out.
    fn few_counts(&self, header: &Header) -> Option<String> {
        /// The largest count that `kmc` keeps unless told otherwise; hardly a k-mer occurs so often.
        const KMC_LARGEST: u64 = 1_000_000_000;
        let only = match header.kept {
            (1, KMC_LARGEST..) => return None,
            (least, u64::MAX) => format!("of counts from {least} on only"),
            (least, largest) => format!("of counts from {least} to {largest} only"),
        };
        let so = match self.estimate.is_ok() {
            true => "what is estimated is false if others occurred",
            false => "that may be why nothing can be estimated",
        };
        Some(format!("{only}: {so}"))
    }

    /// An estimate that means something else than it says.
    fn of_strands(&self, header: &Header) -> Option<String> {
        let are_apart = self.estimate.is_ok() && header.canonical == Some(false);
        are_apart.then(|| {
            "the strands are counted apart: of reads of both strands, the genome size is that of \
             both strands together, and the coverage that of one"
                .to_owned()
        })
    }

    /// The largest count that the file has room for: `kmc` and `jellyfish` cut larger ones. What they were told to cut
    /// otherwise (`kmc -cs1000`) their files do not say.
    fn cut_counts(&self, header: &Header) -> Option<String> {
        let bits = header.counter_bytes.map_or(0, |bytes| 8 * u32::from(bytes));
        let largest = u64::MAX.checked_shr(64 - bits.min(64)).unwrap_or(0);
        let has_largest = largest > 0 && self.histogram.max_count() == largest;
        // Where larger ones were left out, none were cut.
        (has_largest && header.kept.1 > largest).then(|| {
            format!(
                "the largest count, {largest}, is the largest that the file has room for \
                 (k-mers with it: {}): if larger ones were cut, the total is too small",
                self.histogram.get(largest)
            )
        })
    }
}
