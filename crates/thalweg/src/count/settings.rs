//! What a user can ask of a count.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use thalweg_flow::Budget;
use thalweg_kmers::database::{Description, Format};
use thalweg_kmers::kmer::{MAX_K, dispatch};
use thalweg_kmers::options::CountOptions;
use thalweg_reads::{FilePlan, ReaderOptions};

use super::{CountJob, Counted, Fault, Inputs, OutputFile, Target, for_counting, provenance};
use crate::Reads;

/// The lowest quality byte of FASTQ: Phred 0.
const PHRED: u8 = b'!';

/// Of the memory allowed, what the reader may use; it needs little.
const READER_SHARE: u64 = 16;

/// Files that a library has open at a time; the command asks the system how many it may have.
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
    /// Where the database goes, if one is wanted.
    pub output: Option<PathBuf>,
    /// Its format; our own by default.
    pub format: Format,
    /// Where the spectrum goes, before `least` and `most`, if it is wanted.
    pub histo: Option<PathBuf>,
    /// Where temporary files go, which have no names; the system's directory for them by default.
    pub temporary_directory: PathBuf,
    /// Threads in all; by default as many as there are cores.
    pub threads: usize,
    /// Bytes that the process may have in all; by default half of what is available.
    pub memory: Option<u64>,
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
            output: None,
            format: Format::Thk,
            histo: None,
            temporary_directory: std::env::temp_dir(),
            threads: Budget::all_cores().threads(),
            memory: None,
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
        description.provenance = provenance();
        description.saturate = self.saturate;
        description
    }

    /// How files are read for it, without any yet.
    pub fn reading(&self, budget: Budget) -> ReaderOptions {
        ReaderOptions::new()
            .check_letters(true)
            .pipes_as_they_come(true)
            .long_sequences_in_pieces(self.k.saturating_sub(1))
            .budget(reader_budget(budget))
    }

    /// Threads, and the memory that counting may take, so that the process stays within its limit.
    ///
    /// # Errors
    /// If the limit is too low for so many threads.
    pub fn budget(&self) -> Result<Budget, Fault> {
        let memory = for_counting(self.memory, self.threads, None)?;
        Ok(Budget::new(self.threads).with_memory(memory))
    }

    /// Count. Indexes beside files are used.
    ///
    /// # Errors
    /// If files cannot be read or written, or settings do not go together.
    pub fn count(&self) -> Result<Counted, Fault> {
        let options = self.options()?;
        let tmp = &self.temporary_directory;
        let target = match &self.output {
            Some(path) => Some(Target::with_format(path, self.format, tmp)?),
            None => None,
        };
        let histo = (self.histo.as_deref().map(OutputFile::create)).transpose()?;
        let budget = self.budget()?;
        let inputs = Inputs::open(&self.files, MOST_OPEN, |range, _| {
            let files = self.files[range].iter();
            let reading = files.fold(self.reading(budget), ReaderOptions::file);
            Ok::<_, Fault>(Reads::open(reading)?)
        })?;
        let job = CountJob {
            options: options.with_expected_bases(expected_bases(inputs.plans())),
            inputs,
            watch: &|_| Box::new(()),
            budget,
            target: target.as_ref(),
            histo,
            largest: u64::MAX,
            description: self.description(),
        };
        dispatch(self.k, job)?
    }
}

/// The reader's part of a budget. Counting gets what it would get without: the reader's buffers are a
/// few hundred kilobytes for each thread unless its output must wait, which a count's never does.
pub fn reader_budget(budget: Budget) -> Budget {
    budget.with_memory((budget.memory() / READER_SHARE).min(Budget::DEFAULT_MEMORY))
}

/// About how many bases there are, if all files tell their size: half of FASTQ is bases, nearly
/// all of FASTA, and compression makes a quarter of either.
pub fn expected_bases(plans: &[FilePlan]) -> Option<u64> {
    let bases = |plan: &FilePlan| {
        let metadata = std::fs::metadata(&plan.path).ok()?;
        let size = metadata.is_file().then_some(metadata.len())?;
        let text = match plan.compression {
            "plain" => size,
            _ => size.saturating_mul(4),
        };
        Some(text / if plan.format.has_qualities() { 2 } else { 1 })
    };
    plans.iter().map(bases).sum()
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
        settings.format = Format::Tsv;
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
            .contains("1..=0")
        );
    }
}
