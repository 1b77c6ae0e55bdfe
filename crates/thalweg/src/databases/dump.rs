//! All k-mers of a database with their counts, as lines of text.

use std::path::PathBuf;

use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Database, KmerRecords, Separator, SortOptions, Totals};
use thalweg_kmers::kmer::{KmerTask, dispatch};
use thalweg_write::check_written;

use super::check_counts;
use super::names::{check_text_name, check_text_not_over, separator_of};
use super::open_database;
use crate::count::{OutputFile, TextFile};
use crate::{Budget, Control, Fault};

/// Which k-mers are listed, and where. All fields can be set; [`new`](Self::new) has the defaults.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::databases::DumpSettings;
///
/// let mut settings = DumpSettings::new("counts.jf", "frequent.tsv.gz");
/// settings.kept.0 = 10;
/// let listed = settings.run(&Control::default())?;
/// println!("{} k-mers occur 10 times or more", listed.distinct);
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct DumpSettings {
    /// The database.
    pub database: PathBuf,
    /// Where the lines go, compressed as its name says; `-` is the standard output.
    pub output: PathBuf,
    /// What is between a k-mer and its count. By default a tab, or FASTA where the name of the output says so.
    pub separator: Option<Separator>,
    /// Whether k-mers come as they stand in the file, and not in their own order, which is the default.
    pub file_order: bool,
    /// The least and the largest count that are listed; all by default.
    pub kept: (u64, u64),
    /// Memory for what must be put in order, and the directory of what it has no room for.
    pub sorting: SortOptions,
    /// Threads in all; by default as many as there are cores.
    pub threads: usize,
}

impl DumpSettings {
    /// All of `database`.
    pub fn new(database: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            database: database.into(),
            output: output.into(),
            separator: None,
            file_order: false,
            kept: (0, u64::MAX),
            sorting: SortOptions::default(),
            threads: Budget::all_cores().threads(),
        }
    }

    /// List them; what is listed, all in all.
    ///
    /// # Errors
    /// If the database cannot be read, or the output not be written; if settings contradict each other; if it was cancelled.
    /// No output is there, then.
    pub fn run(&self, control: &Control) -> Result<Totals, Fault> {
        check_counts(self.kept)?;
        check_written(&self.output)?;
        let database = open_database(&self.database, control)?;
        check_text_not_over(&self.output, &self.database, &[])?;
        check_text_name(&self.output)?;
        let separator = match self.separator {
            Some(separator) => separator,
            None => separator_of(&self.output)?,
        };
        let dump = Dump {
            database: &database,
            sorting: (!self.file_order).then_some(&self.sorting),
            kept: self.kept,
            separator,
            output: OutputFile::create(&self.output)?,
            threads: self.threads,
            control,
        };
        dump.run()
    }
}

/// An open database on its way to lines of text.
pub struct Dump<'a> {
    /// What is listed.
    pub database: &'a Database,
    /// How k-mers are put in order; `None` for the order of the file.
    pub sorting: Option<&'a SortOptions>,
    /// The least and the largest count that are listed.
    pub kept: (u64, u64),
    /// What is between a k-mer and its count.
    pub separator: Separator,
    /// Where the lines go.
    pub output: OutputFile,
    /// Threads in all.
    pub threads: usize,
    /// Who is told how far it is, and may stop it.
    pub control: &'a Control<'a>,
}

impl Dump<'_> {
    /// List them; what is listed, all in all.
    ///
    /// # Errors
    /// Those of reading and writing; if it was cancelled.
    pub fn run(self) -> Result<Totals, Fault> {
        dispatch(self.database.header().k, self)?
    }
}

impl KmerTask for Dump<'_> {
    type Output = Result<Totals, Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let watch = self.control.watch(self.database);
        let records = match self.sorting {
            Some(options) => self.database.sorted_unless::<K>(options, &watch)?,
            None => self.database.records::<K>()?,
        };
        let k = self.database.header().k;
        let text = TextFile::new(self.output, k, self.separator);
        list(records, text, self.kept, self.threads, watch, self.control)
    }
}

/// Lists records of k-mers of `k` bases whose counts are in `kept`, in the order in which they come, as lines of k-mer, tab,
/// count.
///
/// # Errors
/// Those of the records and of writing; if it was cancelled.
pub fn list_records<K: Kmer>(
    records: KmerRecords<K>,
    k: usize,
    kept: (u64, u64),
    output: OutputFile,
    threads: usize,
    control: &Control,
) -> Result<Totals, Fault> {
    let text = TextFile::new(output, k, Separator::Tab);
    list(
        records,
        text,
        kept,
        threads,
        |_| control.check_kmers(),
        control,
    )
}

fn list<K: Kmer>(
    records: KmerRecords<K>,
    mut text: TextFile,
    kept: (u64, u64),
    threads: usize,
    watch: impl Fn(u64) -> thalweg_kmers::Result<()> + Sync,
    control: &Control,
) -> Result<Totals, Fault> {
    text.extend(records, kept, threads, watch)?;
    control.check()?;
    text.finish()
}
