//! What a user can ask of a count.

use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;

use thalweg_flow::Budget;
use thalweg_kmers::database::{DatabaseFormat, Description, files_written};
use thalweg_kmers::kmer::{MAX_K, dispatch};
use thalweg_kmers::options::CountOptions;
use thalweg_reads::{FilePlan, Listener, ReaderOptions};
use thalweg_write::{OutputContents, check_contents, check_not_input, check_written, is_same};

#[cfg(feature = "trace")]
use super::trace::TraceOfCount;
use super::{CountJob, Counted, Fault, Inputs, OutputFile, Target, for_counting, provenance};
#[cfg(feature = "trace")]
use crate::MessageKind;
use crate::index::IndexChoice;
use crate::inputs::{self, MissingEnds, check_standard_input};
use crate::sharing::{Shard, Sharing};
#[cfg(feature = "trace")]
use crate::trace::TraceSettings;
use crate::{Control, Reads, notes};

/// The lowest quality byte of FASTQ: Phred 0.
const PHRED: u8 = b'!';

/// Of the memory allowed, what the reader may use; it needs little.
const READER_SHARE: u64 = 16;

/// Of more bases than these there are so many partitions that twice as many would take longer.
const MANY_BASES: u64 = 600_000_000;

/// Files that are open at a time unless told otherwise.
const MOST_OPEN: usize = 1024;

/// What is counted, of which files, and what becomes of it. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct CountSettings {
    /// FASTQ or FASTA, compressed or not; `-` is the standard input.
    pub files: Vec<PathBuf>,
    /// Bases of a k-mer, in [`K`](Self::K).
    pub k: usize,
    /// Whether the two strands are counted apart. Not so by default.
    pub forward: bool,
    /// k-mers that occur less often are left out; 0 is as good as 1, the default.
    pub least: u64,
    /// k-mers that occur more often are left out. None by default.
    pub most: u64,
    /// Bases of a lower Phred quality break k-mers, in [`QUALITY`](Self::QUALITY); 0, the default, for none.
    pub minimum_quality: u8,
    /// Whether counts that a database has no room for are cut, and no error. Not so by default.
    pub saturate: bool,
    /// True if the database says which command made it, where and when. So by default; otherwise the same reads make the same
    /// bytes, however they came.
    pub provenance: bool,
    /// Where the database goes, if one is wanted.
    pub output: Option<PathBuf>,
    /// Its format; our own by default.
    pub format: DatabaseFormat,
    /// Where the spectrum goes, before `least` and `most`, if it is wanted.
    pub histo: Option<PathBuf>,
    /// Where temporary files go, which have no names; the system's directory for them by default.
    pub temporary_directory: PathBuf,
    /// Threads in all; by default as many as there are cores.
    pub threads: usize,
    /// Bytes that the process may have in all; by default half of what is available.
    pub memory: Option<u64>,
    /// Bytes of addresses that the process may use, if there is a limit (`ulimit -v`): much less is taken by itself then.
    pub addresses: Option<u64>,
    /// Of all files together, the part that is counted, if not all is.
    pub shard: Option<Shard>,
    /// Where the k-mers of the database go as records for other programs, if they are wanted.
    #[cfg(feature = "trace")]
    pub trace: Option<TraceSettings>,
    /// Which indexes are used.
    pub indexes: IndexChoice,
    /// Files that are open at a time; the system may have a lower limit.
    pub most_open: usize,
    /// Bytes that a record may have, [if there is a limit](ReaderOptions::max_record).
    pub max_record: Option<u64>,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](ReaderOptions::check_end)). So by default.
    pub check_end: bool,
    /// Who is told of pipes that are waited for.
    pub on_wait: Option<Listener>,
}

impl CountSettings {
    /// Lengths of k-mers.
    pub const K: RangeInclusive<usize> = 1..=MAX_K;

    /// Phred qualities that can be asked for.
    pub const QUALITY: RangeInclusive<u8> = 0..=93;

    /// All canonical k-mers of `files`.
    pub fn new<P: Into<PathBuf>>(k: usize, files: impl IntoIterator<Item = P>) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            k,
            forward: false,
            least: 1,
            most: u64::MAX,
            minimum_quality: 0,
            saturate: false,
            provenance: true,
            output: None,
            format: DatabaseFormat::Thk,
            histo: None,
            temporary_directory: std::env::temp_dir(),
            threads: Budget::all_cores().threads(),
            memory: None,
            addresses: None,
            shard: None,
            #[cfg(feature = "trace")]
            trace: None,
            indexes: IndexChoice::default(),
            most_open: MOST_OPEN,
            max_record: None,
            check_end: true,
            on_wait: None,
        }
    }

    /// The least and the largest count that are kept. A k-mer that does not occur has none, so that 0 is as good as 1.
    pub fn kept(&self) -> (u64, u64) {
        (self.least.max(1), self.most)
    }

    /// What of this is for the count itself.
    ///
    /// # Errors
    /// If k or a quality is out of its range, or no count can be kept.
    pub fn options(&self) -> Result<CountOptions, Fault> {
        if !Self::QUALITY.contains(&self.minimum_quality) {
            let most = Self::QUALITY.end();
            let message = format!(
                "a quality of {}: there are 0 to {most}",
                self.minimum_quality
            );
            return Err(Fault::usage(message, "ask for a Phred quality"));
        }
        let (least, most) = self.kept();
        let options = CountOptions::new(self.k)?
            .with_canonical(!self.forward)
            .with_counts(least, most)?
            .with_temporary_directory(&self.temporary_directory);
        Ok(match self.minimum_quality {
            0 => options,
            quality => options.with_minimum_quality(PHRED + quality),
        })
    }

    /// What a database of it says about itself.
    pub fn description(&self) -> Description {
        let mut description = Description::new(self.k, !self.forward);
        description.kept = self.kept();
        if self.provenance {
            description.provenance = provenance();
        }
        description.in_order = !self.provenance;
        description.saturate = self.saturate;
        description
    }

    /// How files are read for it, without any yet.
    pub fn reading(&self, budget: Budget) -> ReaderOptions {
        ReaderOptions::new()
            .check_letters(true)
            .max_record(self.max_record)
            .check_end(self.check_end)
            .pipes_as_they_come(true)
            .long_sequences_in_pieces(self.k.saturating_sub(1))
            .budget(reader_budget(budget))
    }

    /// Threads, and the memory that counting may take, so that the process stays within its limit.
    ///
    /// # Errors
    /// If the limit is too low for so many threads.
    pub fn budget(&self) -> Result<Budget, Fault> {
        let memory = for_counting(self.memory, self.threads, self.addresses)?;
        Ok(Budget::new(self.threads).with_memory(memory))
    }

    /// Count.
    ///
    /// # Errors
    /// If files cannot be read or written, or settings do not go together; if it was cancelled. No output is there, then, but
    /// the database where it is the trace of it that failed, or that was being written when it was cancelled.
    pub fn run(&self, control: &Control) -> Result<Counted, Fault> {
        let options = self.options()?;
        self.check_outputs()?;
        let tmp = &self.temporary_directory;
        let target = match &self.output {
            Some(path) => Some(Target::with_format(path, self.format, tmp)?),
            None => None,
        };
        #[cfg(feature = "trace")]
        let trace = TraceOfCount::output(self.trace.as_ref(), target.as_ref(), &self.files)?;
        #[cfg(feature = "trace")]
        let trace = trace.as_ref().map(TraceOfCount::create).transpose()?;
        let histo = (self.histo.as_deref().map(OutputFile::create)).transpose()?;
        let budget = self.budget()?;
        check_standard_input(&self.files)?;
        self.indexes.check(&self.files)?;
        let sharing = Sharing::of(&self.files, false, self.shard)?;
        let mut description = self.description();
        if let Some(shard) = self.shard {
            (self.indexes).build_all_missing(sharing.files(), budget, control)?;
            let share = sharing.share(&self.files, shard, &self.indexes)?;
            share.tell(&mut description.provenance);
        }
        let indexes = self.indexes.of_places(sharing.places());
        indexes.build_named(sharing.files(), budget, control)?;
        let ends = MissingEnds::default();
        let inputs = Inputs::open(sharing.files(), self.most_open, |range, tells| {
            let reading = self.reading_of(&sharing, range, budget);
            let reading = reading.on_missing_end(ends.note());
            match tells {
                true => inputs::open(reading, control),
                false => Ok(Reads::open(reading)?),
            }
        })?;
        notes::repeats(inputs.plans()).for_each(|note| control.tell(note));
        notes::colour_space(inputs.plans()).for_each(|note| control.tell(note));
        let job = CountJob {
            options: options.with_expected_bases(expected_bases(inputs.plans())),
            inputs,
            control,
            budget,
            target: target.as_ref(),
            histo,
            largest: u64::MAX,
            description,
        };
        let counted = dispatch(self.k, job)?;
        ends.say(control);
        let counted = counted?;
        #[cfg(feature = "trace")]
        if let (Some(trace), Some(target)) = (trace, &target) {
            trace.write(target, budget, control).inspect_err(|fault| {
                if !fault.is_cancelled() {
                    let text = "the database is written; it is the trace that fails";
                    control.say(MessageKind::Note, text);
                }
            })?;
        }
        Ok(counted)
    }

    /// [`run`](Self::run), without anybody who watches.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn count(&self) -> Result<Counted, Fault> {
        self.run(&Control::default())
    }

    /// Refuse outputs that are read, that promise what is not written, or that are each other.
    fn check_outputs(&self) -> Result<(), Fault> {
        for path in self.output.iter().chain(&self.histo) {
            check_not_input(path, &self.files)?;
            check_written(path)?;
        }
        let database = self.output.as_ref();
        let files = database.map_or_else(Vec::new, |path| files_written(path, self.format));
        if let Some(histo) = &self.histo
            && files.iter().any(|file| is_same(file, histo))
        {
            let message = format!("{} is both --output and --histo", histo.display());
            return Err(Fault::usage(message, "give them two names"));
        }
        #[cfg(feature = "trace")]
        if let (Some(TraceSettings { path: trace, .. }), Some(_)) = (&self.trace, database) {
            check_not_input(trace, &self.files)?;
            let mut others = files.iter().chain(&self.histo);
            if let Some(other) = others.find(|other| is_same(other, trace)) {
                let message = format!(
                    "{}: --trace and another output name the same file",
                    other.display()
                );
                return Err(Fault::usage(message, "give each its own"));
            }
        }
        self.check_histo()
    }

    /// Refuses a name of the histogram that says another format or a compression that is not written, or that of an input.
    ///
    /// # Errors
    /// [`Fault::Write`].
    pub fn check_histo(&self) -> Result<(), Fault> {
        if let Some(histo) = &self.histo {
            check_not_input(histo, &self.files)?;
            check_written(histo)?;
            check_contents(histo, &[OutputContents::Text, OutputContents::Tabs])?;
        }
        Ok(())
    }

    /// How those of the shared files are read that are in `range`.
    fn reading_of(&self, sharing: &Sharing, range: Range<usize>, budget: Budget) -> ReaderOptions {
        let files = sharing.files()[range.clone()].iter();
        let reading = files.fold(self.reading(budget), ReaderOptions::file);
        let indexes = self.indexes.of_places(&sharing.places()[range.clone()]);
        let reading = sharing.choose(indexes.choose(reading, budget), range);
        inputs::tell_of_waits(reading, self.on_wait.as_ref())
    }
}

/// The reader's part of a budget. Counting gets what it would get without: the reader's buffers are a
/// few hundred kilobytes for each thread unless its output must wait, which a count's never does.
pub fn reader_budget(budget: Budget) -> Budget {
    budget.with_memory((budget.memory() / READER_SHARE).min(Budget::DEFAULT_MEMORY))
}

/// About how many bases there are, if all files tell their size: half of FASTQ is bases, nearly
/// all of FASTA. Rather more than fewer: too many partitions cost less than too few.
pub fn expected_bases(plans: &[FilePlan]) -> Option<u64> {
    let mut bases = 0;
    let mut is_certain = true;
    for plan in plans {
        let metadata = std::fs::metadata(&plan.path).ok()?;
        let size = metadata.is_file().then_some(metadata.len())?;
        let is_compressed = plan.compression != "plain";
        let text = inputs::text_bytes(size, is_compressed);
        bases += text / if plan.format.has_qualities() { 2 } else { 1 };
        is_certain &= !is_compressed;
    }
    // Text with few kinds of qualities is compressed to an eighth.
    Some(match is_certain {
        true => bases,
        false => bases.max((2 * bases).min(MANY_BASES)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_counts_as_the_command_does() {
        let directory = tempfile::tempdir().unwrap();
        let reads = directory.path().join("reads.fa");
        std::fs::write(&reads, ">a\nACGTT\n>b\nAACGN\n").unwrap();
        let mut settings = CountSettings::new(3, [&reads]);
        settings.output = Some(directory.path().join("counts.tsv"));
        settings.format = DatabaseFormat::Tsv;
        settings.histo = Some(directory.path().join("histo"));
        let counted = settings.count().unwrap();
        assert_eq!((counted.totals.kmers, counted.totals.distinct), (5, 2));
        assert_eq!(counted.records, 2);
        let text =
            |path: &Option<PathBuf>| std::fs::read_to_string(path.as_ref().unwrap()).unwrap();
        assert_eq!(text(&settings.output), "AAC\t2\nACG\t3\n");
        assert_eq!(text(&settings.histo), "2 1\n3 1\n");
    }

    #[test]
    fn what_cannot_be_is_told() {
        let settings = CountSettings::new(3, ["-"]);
        let fault = |settings: CountSettings| settings.options().unwrap_err().to_string();
        let bad_k = CountSettings {
            k: 256,
            ..settings.clone()
        };
        assert!(fault(bad_k).contains("256"));
        let bad_quality = CountSettings {
            minimum_quality: 94,
            ..settings.clone()
        };
        assert!(fault(bad_quality).contains("94"));
        assert!(
            fault(CountSettings {
                most: 0,
                ..settings
            })
            .contains("maximum count 0")
        );
    }
}
