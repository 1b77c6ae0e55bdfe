//! What is read, and how.

use std::ops::Range;
use std::path::PathBuf;

use thalweg_flow::Budget;
use thalweg_formats::BinaryFormat;
use thalweg_formats::bam::{BAM, Bam, BamOptions};
use thalweg_reads::{FilePlan, IndexUse, Listener, ReaderOptions};

use crate::index::IndexChoice;
use crate::inputs::{self, Inputs, MissingEnds};
use crate::sharing::{Shard, Sharing};
use crate::{Control, Fault, Reads};

/// Files that are open at a time unless told otherwise.
const MOST_OPEN: usize = 1024;

/// Which records of which files are read. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct ReadingSettings {
    /// FASTQ, FASTA or BAM, compressed or not; `-` is the standard input.
    pub files: Vec<PathBuf>,
    /// Whether the files are mates, which must match. Not so by default.
    pub mates: bool,
    /// Whether mates follow each other in each file, which must match. Not so by default.
    pub interleaved: bool,
    /// Whether mates may have any names. Not so by default.
    pub ignore_names: bool,
    /// Only the records of these ranks, of one file or one set of mates. All by default.
    pub records: Option<Range<u64>>,
    /// Only this part of all files together, if not all is wanted.
    pub shard: Option<Shard>,
    /// How records of BAM become FASTQ. If not as usual, one of the files at least must be BAM.
    pub bam: BamOptions,
    /// Whether one of the files at least must be BAM in any case. Not so by default.
    pub expects_bam: bool,
    /// Which indexes are used.
    pub indexes: IndexChoice,
    /// Threads, and bytes that output may hold while it waits for its turn; all cores by default.
    pub budget: Budget,
    /// Files that are open at a time; the system may have a lower limit.
    pub most_open: usize,
    /// Bytes that a record may have, [if there is a limit](ReaderOptions::max_record).
    pub max_record: Option<u64>,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](ReaderOptions::check_end)). So by default.
    pub check_end: bool,
    /// Who is told of pipes that are waited for.
    pub on_wait: Option<Listener>,
}

/// As what the bytes of files are read where nobody needs to know where records are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AsText {
    /// Records are told apart.
    No,
    /// All bytes, but the text of records of BAM.
    Rendered,
    /// All bytes.
    Raw,
}

impl ReadingSettings {
    /// All records of `files`, by all cores.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            mates: false,
            interleaved: false,
            ignore_names: false,
            records: None,
            shard: None,
            bam: BamOptions::new(),
            expects_bam: false,
            indexes: IndexChoice::default(),
            budget: Budget::all_cores(),
            most_open: MOST_OPEN,
            max_record: None,
            check_end: true,
            on_wait: None,
        }
    }

    /// Whether all that is asked for goes together.
    ///
    /// # Errors
    /// [`Fault::Usage`].
    pub fn check(&self) -> Result<(), Fault> {
        if self.records.is_some() && !self.mates && self.files.len() != 1 {
            return Err(Fault::usage(
                "--records and --pipes work with one file or one set of mates only",
                "run it for each file, or use --mates if the files belong together",
            ));
        }
        if self.records.is_some() && self.shard.is_some() {
            return Err(Fault::usage(
                "records of these ranks, and a part of all",
                "ask for one of them",
            ));
        }
        inputs::check_standard_input(&self.files)?;
        self.indexes.check(&self.files)?;
        inputs::check_names_matter(self.ignore_names, self.mates || self.interleaved)?;
        match self.mates {
            true => inputs::check_mates(&self.files),
            false => Ok(()),
        }
    }

    /// The files that are read of, and how much of each; indexes that are missing are made before only a part is read.
    pub(super) fn share(&self, control: &Control) -> Result<Sharing, Fault> {
        let sharing = Sharing::of(&self.files, self.mates, self.shard)?;
        if self.records.is_some() || self.shard.is_some() {
            (self.indexes).build_all_missing(sharing.files(), self.budget, control)?;
        }
        Ok(sharing)
    }

    /// Look at all files, and leave them open if they are not too many.
    pub(super) fn open<'a>(
        &'a self,
        sharing: &'a Sharing,
        as_text: AsText,
        check_letters: bool,
        ends: &'a MissingEnds,
        control: &'a Control<'a>,
    ) -> Result<Inputs<'a, Fault>, Fault> {
        let indexes = self.indexes_of_bam()?;
        let format = self.format();
        let opener = move |range: Range<usize>, tells: bool| {
            let indexes = indexes.of_places(&sharing.places()[range.clone()]);
            let files = &sharing.files()[range.clone()];
            indexes.build_named(files, self.budget, control)?;
            let mut options = match self.mates {
                true => ReaderOptions::new().mates(files),
                false => files.iter().fold(ReaderOptions::new(), ReaderOptions::file),
            };
            options = indexes
                .choose(options, self.budget)
                .interleaved(self.interleaved)
                .check_names(!self.ignore_names)
                .check_letters(check_letters)
                .max_record(self.max_record)
                .check_end(self.check_end)
                .budget(self.budget)
                .on_missing_end(ends.note());
            options = inputs::tell_of_waits(options, self.on_wait.as_ref());
            if let Some(ranks) = &self.records {
                options = options.records(ranks.clone());
            } else if self.shard.is_some() {
                options = sharing.choose(options, range);
            }
            options = match as_text {
                AsText::No => options,
                AsText::Rendered => options.as_rendered_text(true),
                AsText::Raw => options.as_text(true),
            };
            if let Some(format) = format {
                options = options.format(format);
            }
            match tells {
                true => inputs::open(options, control),
                false => Ok(Reads::open(options)?),
            }
        };
        let inputs = match self.mates {
            true => Inputs::all(sharing.files(), opener)?,
            false => Inputs::open(sharing.files(), self.most_open, opener)?,
        };
        self.check_bam(inputs.plans())?;
        Ok(inputs)
    }

    /// Whether records are chosen, read with their mates, or of a limited size.
    pub(super) fn takes_records(&self) -> bool {
        let some = self.records.is_some() || self.shard.is_some();
        some || self.mates || self.interleaved || self.max_record.is_some()
    }

    /// Refuse records where none are told apart, for this reason.
    pub(super) fn refuse_records(&self, reason: &'static str) -> Result<(), Fault> {
        match self.takes_records() {
            true => Err(Fault::usage(
                reason,
                "leave records, parts, mates, interleaved reads and a limit of their size out",
            )),
            false => Ok(()),
        }
    }

    /// What reads BAM, if not as usual.
    fn format(&self) -> Option<&'static dyn BinaryFormat> {
        let is_usual = self.bam == BamOptions::new();
        (!is_usual).then(|| Bam::shared(&self.bam) as &dyn BinaryFormat)
    }

    /// Refuse indexes, which have the ranks of the usual records, where others are wanted; none is used then.
    fn indexes_of_bam(&self) -> Result<IndexChoice, Fault> {
        if self.bam.hidden == BamOptions::new().hidden {
            return Ok(self.indexes.clone());
        }
        let is_used = self.indexes.save || matches!(self.indexes.using, IndexUse::Require);
        match is_used || !self.indexes.files.is_empty() {
            true => Err(Fault::usage(
                "an index of BAM leaves secondary and supplementary records out",
                "omit --index and --index-file: BAM is read by all threads without them",
            )),
            false => Ok(IndexChoice {
                using: IndexUse::Never,
                ..self.indexes.clone()
            }),
        }
    }

    /// Refuse what is wanted of BAM where there is none.
    fn check_bam(&self, plans: &[FilePlan]) -> Result<(), Fault> {
        let is_asked_for = self.expects_bam || self.bam != BamOptions::new();
        match is_asked_for && !plans.iter().any(may_be_bam) {
            true => Err(no_bam()),
            false => Ok(()),
        }
    }
}

/// What is wanted of BAM is wanted of what is none.
pub(super) fn no_bam() -> Fault {
    Fault::usage(
        "-1, -2, -T, -n, -N, -O, --secondary and --supplementary apply to BAM input only",
        "omit them",
    )
}

/// Whether a file may be BAM: what is cut off before its first record is told when it is read.
pub(super) fn may_be_bam(plan: &FilePlan) -> bool {
    is_bam(plan) || plan.first_head.is_empty()
}

/// Whether a file is BAM.
pub(super) fn is_bam(plan: &FilePlan) -> bool {
    plan.format_name == BAM.name()
}
