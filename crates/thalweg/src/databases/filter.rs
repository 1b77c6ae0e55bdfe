//! Reads that a database has k-mers of.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thalweg_kmers::database::{Threshold, files_of};
use thalweg_kmers::kmer::Alphabet;
use thalweg_reads::{Batch, Listener, ReaderOptions};
use thalweg_write::{Level, check_not_input, check_written};

use super::counts::check_counts;
use super::filtering::{Filtered, Filtering};
use super::lookups::Lack;
use super::open::open_database;
use super::screen::{Judge, Screen};
use super::strands::say_strands;
use crate::count::available;
use crate::index::IndexChoice;
use crate::inputs::{self, MissingEnds, check_names_matter, refuse_two_formats};
use crate::{Budget, Control, Fault, notes};

/// Which reads are kept, and where they go. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct FilterSettings {
    /// What has the k-mers.
    pub database: PathBuf,
    /// FASTQ or FASTA, compressed or not; `-` is the standard input.
    pub files: Vec<PathBuf>,
    /// Where reads go, or pairs, or the first mates if there is a second output; `-` is the standard output.
    pub output: PathBuf,
    /// Where second mates go, if not behind their first ones.
    pub second_output: Option<PathBuf>,
    /// Whether the two files are mates. Not so by default.
    pub mates: bool,
    /// Whether mates follow each other. Not so by default.
    pub interleaved: bool,
    /// Whether mates may have any names. Not so by default.
    pub ignore_names: bool,
    /// The least and the largest count of a k-mer that is taken for one of the database; all by default.
    pub kept: (u64, u64),
    /// Of the k-mers of a read, the share that must be in the database, in [`FRACTION`](Self::FRACTION); 0, the default, for one
    /// of them.
    pub fraction: f64,
    /// Whether both mates must have enough of them, and not one. Not so by default.
    pub both: bool,
    /// Whether the others are kept instead. Not so by default.
    pub invert: bool,
    /// How hard outputs are compressed whose names say that they are.
    pub level: Level,
    /// Which indexes are used.
    pub indexes: IndexChoice,
    /// Threads, and bytes that output may hold while it waits for its turn.
    pub budget: Budget,
    /// Bytes of addresses that the process may use, if there is a limit (`ulimit -v`).
    pub addresses: Option<u64>,
    /// Who is told of pipes that are waited for.
    pub on_wait: Option<Listener>,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](ReaderOptions::check_end)). So by default.
    pub check_end: bool,
}

impl FilterSettings {
    /// Shares of a read's k-mers that can be asked for.
    pub const FRACTION: RangeInclusive<f64> = 0.0..=1.0;

    /// Single reads of `files` that have a k-mer of `database`.
    pub fn new<P: Into<PathBuf>>(
        database: impl Into<PathBuf>,
        files: impl IntoIterator<Item = P>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self {
            database: database.into(),
            files: files.into_iter().map(Into::into).collect(),
            output: output.into(),
            second_output: None,
            mates: false,
            interleaved: false,
            ignore_names: false,
            kept: (1, u64::MAX),
            fraction: 0.0,
            both: false,
            invert: false,
            level: Level::default(),
            indexes: IndexChoice::default(),
            budget: Budget::all_cores(),
            addresses: None,
            on_wait: None,
            check_end: true,
        }
    }

    /// Where reads go.
    pub fn outputs(&self) -> Vec<&Path> {
        let first: &Path = &self.output;
        let second = self.second_output.as_deref();
        [first].into_iter().chain(second).collect()
    }

    /// Whether reads are kept by pairs.
    pub fn is_paired(&self) -> bool {
        self.mates || self.interleaved
    }

    /// Whether all that is asked for goes together.
    ///
    /// # Errors
    /// [`Fault::Usage`].
    pub fn check(&self) -> Result<(), Fault> {
        check_counts(self.kept)?;
        if !Self::FRACTION.contains(&self.fraction) {
            return Err(Fault::usage(
                format!("a fraction of {} of a read's k-mers", self.fraction),
                "use a number from 0 to 1",
            ));
        }
        if self.mates && self.files.len() != 2 {
            return Err(Fault::usage(
                format!("--mates needs two files, not {}", self.files.len()),
                "use --interleaved if the mates alternate in one file",
            ));
        }
        inputs::check_standard_input(&self.files)?;
        check_names_matter(self.ignore_names, self.is_paired())?;
        if self.mates {
            inputs::check_mates(&self.files)?;
        }
        let of_mates = match (&self.second_output, self.both) {
            (Some(_), _) => Some("-O requires pairs, but these are single reads"),
            (None, true) => Some("--both requires pairs, but these are single reads"),
            (None, false) => None,
        };
        if let Some(wrong) = of_mates.filter(|_| !self.is_paired()) {
            return Err(Fault::usage(
                wrong,
                "use --mates if the two files belong together, or --interleaved",
            ));
        }
        self.indexes.check(&self.files)
    }

    /// Keep what is wanted, in the order of the files.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); if files or the database cannot be read, or outputs not be written; if it was
    /// cancelled. No output is there, then.
    pub fn run(&self, control: &Control) -> Result<Filtered, Fault> {
        self.check()?;
        let paths = self.outputs();
        paths.iter().try_for_each(|path| check_written(path))?;
        let database = open_database(&self.database, control)?;
        let mut inputs = self.files.clone();
        inputs.extend(files_of(&self.database));
        for path in &paths {
            check_not_input(path, &inputs)?;
        }
        (self.indexes).build_named(&self.files, self.budget, control)?;
        let options = match self.mates {
            true => ReaderOptions::new().mates(&self.files),
            false => self
                .files
                .iter()
                .fold(ReaderOptions::new(), ReaderOptions::file),
        };
        let options = inputs::tell_of_waits(options, self.on_wait.as_ref());
        let ends = MissingEnds::default();
        let options = options
            .interleaved(self.interleaved)
            .check_names(!self.ignore_names)
            .check_letters(true)
            .on_missing_end(ends.note())
            .check_end(self.check_end)
            .budget(self.budget);
        let reads = inputs::open(self.indexes.choose(options, self.budget), control)?;
        refuse_two_formats(&reads, "filter them one after the other")?;
        let plans = reads.plan();
        (paths.iter()).try_for_each(|path| inputs::check_output_name(path, &plans))?;
        notes::colour_space(&plans).for_each(|note| control.tell(note));
        if !self.is_paired() {
            let single = notes::taken_as_single(&plans, "--interleaved");
            let mates = notes::look_like_mates(&plans, "--mates");
            (single.into_iter().chain(mates)).for_each(|note| control.tell(note));
        }
        let filtering = Filtering {
            database: &database,
            files: &self.files,
            reads,
            alphabet: Alphabet::Acgtu,
            paths,
            level: self.level,
            addresses: self.addresses,
            control,
        };
        let outcome = self.filter(filtering);
        ends.say(control);
        outcome
    }

    fn filter(&self, filtering: Filtering<'_>) -> Result<Filtered, Fault> {
        let (database, threads) = (filtering.database, filtering.reads.threads());
        let (files, kept, control) = (&self.files, self.kept, filtering.control);
        let screen = Screen::for_files(database, files, kept, threads, self.addresses, control)?;
        say_strands(database, screen.is_canonical(), filtering.control);
        let needed = Screen::bytes_within(database, &self.files, u64::MAX)?;
        if needed > 0 && !screen.is_in_memory() {
            let available = available(self.addresses);
            Lack { needed, available }.say(database, filtering.control);
        }
        let selection = Selection {
            settings: self,
            threshold: Threshold {
                least: 1,
                fraction: self.fraction,
            },
        };
        let alphabet = filtering.alphabet;
        filtering.pass(
            || screen.judge(alphabet),
            |judge, batch, texts| selection.keep(judge, batch, texts),
        )
    }
}

/// What of a batch is kept.
struct Selection<'a> {
    settings: &'a FilterSettings,
    threshold: Threshold,
}

impl Selection<'_> {
    /// Appends what is kept of a batch to the texts, one for each output.
    fn keep(
        &self,
        judge: &mut Judge,
        batch: &Batch,
        texts: &mut [Vec<u8>],
    ) -> thalweg_kmers::Result<Filtered> {
        let mut qualifies = |record| judge.reaches(&[record], self.threshold);
        let (mut kept, mut read) = (0, 0);
        if self.settings.is_paired() {
            for (first, second) in batch.pairs() {
                read += 1;
                // The second is not looked at where the first decides.
                let decides = qualifies(first)?;
                let is_kept = match decides == self.settings.both {
                    true => qualifies(second)?,
                    false => decides,
                };
                if is_kept != self.settings.invert {
                    kept += 1;
                    let last = texts.len() - 1;
                    first.append_to(&mut texts[0]);
                    second.append_to(&mut texts[last]);
                }
            }
            let records = match texts.len() {
                1 => 2 * kept,
                _ => kept,
            };
            return Ok(Filtered {
                kept,
                read,
                records,
            });
        }
        for record in batch.records() {
            read += 1;
            if qualifies(record)? != self.settings.invert {
                kept += 1;
                record.append_to(&mut texts[0]);
            }
        }
        Ok(Filtered {
            kept,
            read,
            records: kept,
        })
    }
}
