//! What a user can ask of a cleaning.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use thalweg_qc::Options;
use thalweg_reads::Listener;
use thalweg_write::{Level, OutputFormat};

use super::{CleanJob, Cleaned, RemovalSettings};
use crate::index::IndexChoice;
use crate::trace::TraceSettings;
use crate::{Control, Fault};

/// Bytes that output may hold unless told otherwise.
pub(super) const MEMORY: u64 = 256 << 20;

/// What is read, what becomes of the reads, and where they and the reports go.
///
/// All fields can be set; [`new`](Self::new) has the defaults. They are called as fastp's options, and those of
/// `thalweg qc`, which takes its defaults and limits from here.
#[derive(Clone, Debug)]
pub struct CleanSettings {
    /// Single reads, or read 1 of pairs; several are lanes of one sample. `-` is the standard input.
    pub in1: Vec<PathBuf>,
    /// Read 2, in as many files.
    pub in2: Vec<PathBuf>,
    /// Files of `in1` have pairs, one mate after the other.
    pub interleaved_in: bool,
    /// Reads in the same position of both files are mates, whatever their names.
    pub ignore_names: bool,
    /// Only so many of the first reads or pairs; 0 for all.
    pub reads_to_process: u64,
    /// Bytes that a record may have, [if there is a limit](thalweg_reads::ReaderOptions::max_record).
    pub max_record: Option<u64>,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](thalweg_reads::ReaderOptions::check_end)). So by default.
    pub check_end: bool,
    /// Which indexes are used, and kept.
    pub indexes: IndexChoice,
    /// Who is told of pipes that are waited for.
    pub on_wait: Option<Listener>,

    /// What becomes of the reads. Whether they are pairs is told by the inputs, and not by this; adapters and indexes of the
    /// lists below are added.
    pub steps: Options,
    /// FASTA of adapters to cut at the 3' end.
    pub adapter_fasta: Option<PathBuf>,
    /// FASTA of adapters to cut at the 5' end.
    pub adapter_fasta_5p: Option<PathBuf>,
    /// Indexes, one in a line, whose reads vanish.
    pub filter_by_index1: Option<PathBuf>,
    /// The same for the second index.
    pub filter_by_index2: Option<PathBuf>,
    /// Nothing is to be said of pairs that do not merge, and are not written.
    pub discard_unmerged: bool,
    /// What reads are removed for, by their k-mers.
    pub remove: RemovalSettings,

    /// Where reads go.
    pub outputs: OutputSettings,
    /// What is told of them.
    pub reports: ReportSettings,

    /// Threads in all; one for each core by default.
    pub threads: Option<NonZeroUsize>,
    /// Bytes that output may hold while it waits for its turn, and what reads are [removed](Self::remove) for. By default output
    /// may hold 256 MiB, and databases take half of what is available, if they need it.
    pub memory: Option<u64>,
    /// Where what is kept of pipes goes that does not fit into memory, in files without names. By default `TMPDIR` or `/tmp`.
    pub temporary_directory: PathBuf,
}

/// Where reads go. By default nowhere; names tell what they are compressed with, and `-` is the standard output.
#[derive(Clone, Debug, Default)]
pub struct OutputSettings {
    /// Read 1, or single reads.
    pub out1: Option<PathBuf>,
    /// Read 2.
    pub out2: Option<PathBuf>,
    /// Read 1 if only read 2 fails.
    pub unpaired1: Option<PathBuf>,
    /// Read 2 if only read 1 fails; by default as `unpaired1`.
    pub unpaired2: Option<PathBuf>,
    /// Reads that were made of mates.
    pub merged_out: Option<PathBuf>,
    /// The bases on which mates agree.
    pub overlapped_out: Option<PathBuf>,
    /// Reads that fail, with the reason behind their names.
    pub failed_out: Option<PathBuf>,
    /// What became of each read, as records for other programs.
    pub trace: Option<TraceSettings>,
    /// All that passes goes to the standard output, pairs interleaved; of merging the merged reads.
    pub stdout: bool,
    /// Files that are there are not replaced.
    pub dont_overwrite: bool,
    /// Files of reads get their names without waiting until the disk has them: a power failure soon after may take them, or
    /// leave zeros in them.
    pub no_sync: bool,
    /// How hard to compress.
    pub compression: Level,
    /// What files are compressed with, whatever their names.
    pub output_format: Option<OutputFormat>,
    /// `out1` and `out2` are so many files each, in [`SPLIT`](Self::SPLIT).
    pub split: Option<u64>,
    /// They are files of so many lines each: a multiple of 4, in [`SPLIT_LINES`](Self::SPLIT_LINES).
    pub split_by_lines: Option<u64>,
    /// Digits of the numbers of these files, in [`SPLIT_DIGITS`](Self::SPLIT_DIGITS); 0 for no leading zeros.
    pub split_prefix_digits: u8,
}

impl OutputSettings {
    /// Whether reads, or what became of them, are written anywhere.
    pub fn writes_any(&self) -> bool {
        let files = [
            &self.out1,
            &self.out2,
            &self.unpaired1,
            &self.unpaired2,
            &self.merged_out,
            &self.overlapped_out,
            &self.failed_out,
        ];
        self.stdout || self.trace.is_some() || files.iter().any(|file| file.is_some())
    }

    /// Numbers of files.
    pub const SPLIT: RangeInclusive<u64> = 2..=999;
    /// Lines of a file.
    pub const SPLIT_LINES: RangeInclusive<u64> = 1000..=u64::MAX;
    /// Digits of a number.
    pub const SPLIT_DIGITS: RangeInclusive<u8> = 0..=10;
}

/// What is told of reads.
#[derive(Clone, Debug)]
pub struct ReportSettings {
    /// Where the JSON report goes; it is not written by default.
    pub json: Option<PathBuf>,
    /// Where the HTML report goes; it is not written by default.
    pub html: Option<PathBuf>,
    /// Nobody chose the name of the JSON report: so it is told if it takes the place of a file, and a run whose output nobody
    /// reads may go without it.
    pub json_is_unnamed: bool,
    /// The same of the HTML report.
    pub html_is_unnamed: bool,
    /// Its title.
    pub report_title: Option<String>,
    /// The sample, as it tells it; by default [what the names of the inputs have in common](super::sample_name).
    pub sample: Option<String>,
    /// The day, as it tells it; by default today.
    pub date: Option<String>,
    /// The command line that both tell, in which MultiQC looks for the name of the sample. By default one that names the
    /// inputs.
    pub command: Option<String>,
    /// A directory that is there, for FastQC's reports.
    pub fastqc: Option<PathBuf>,
    /// Nothing is collected for reports, but for FastQC's: [`Cleaned`] has no statistics.
    pub no_report: bool,
    /// Frequent sequences are looked for.
    pub overrepresentation_analysis: bool,
    /// One in so many reads is looked at for them, in [`SAMPLING`](Self::SAMPLING).
    pub overrepresentation_sampling: u32,
    /// It is not estimated how many reads are duplicates.
    pub dont_eval_duplication: bool,
}

impl ReportSettings {
    /// Where fastp writes the JSON report unless told otherwise. The command puts the name of the sample before it.
    pub const JSON: &str = "fastp.json";
    /// The same for the HTML report.
    pub const HTML: &str = "fastp.html";
    /// One in how many reads can be looked at.
    pub const SAMPLING: RangeInclusive<u32> = 1..=10_000;
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self {
            json: None,
            html: None,
            json_is_unnamed: false,
            html_is_unnamed: false,
            report_title: None,
            sample: None,
            date: None,
            command: None,
            fastqc: None,
            no_report: false,
            overrepresentation_analysis: false,
            overrepresentation_sampling: 20,
            dont_eval_duplication: false,
        }
    }
}

impl CleanSettings {
    /// Single reads of files that follow one another.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            in1: files.into_iter().map(Into::into).collect(),
            in2: Vec::new(),
            interleaved_in: false,
            ignore_names: false,
            reads_to_process: 0,
            max_record: None,
            check_end: true,
            indexes: IndexChoice::default(),
            on_wait: None,
            steps: Options::default(),
            adapter_fasta: None,
            adapter_fasta_5p: None,
            filter_by_index1: None,
            filter_by_index2: None,
            discard_unmerged: false,
            remove: RemovalSettings::default(),
            outputs: OutputSettings {
                split_prefix_digits: 4,
                ..OutputSettings::default()
            },
            reports: ReportSettings::default(),
            threads: None,
            memory: None,
            temporary_directory: std::env::temp_dir(),
        }
    }

    /// Pairs, of two files.
    pub fn new_pairs(first: impl Into<PathBuf>, second: impl Into<PathBuf>) -> Self {
        Self {
            in2: vec![second.into()],
            ..Self::new([first])
        }
    }

    /// Whether there are pairs.
    pub fn is_paired(&self) -> bool {
        self.interleaved_in || !self.in2.is_empty()
    }

    /// Where the command writes the JSON and the HTML report unless told otherwise: into the current directory, by the
    /// [name of the sample](super::sample_name), so that several samples have reports of their own. Where there is none, and
    /// where fastp is followed, by the names that fastp gives them.
    pub fn usual_reports(&self) -> [PathBuf; 2] {
        let sample = super::sample_name(&self.in1, &self.in2);
        let sample = sample.filter(|_| self.steps.mode.is_correct());
        [ReportSettings::JSON, ReportSettings::HTML].map(|name| match &sample {
            Some(sample) => PathBuf::from(format!("{sample}.{name}")),
            None => PathBuf::from(name),
        })
    }

    /// Whether whoever said `-t` may have meant threads, as it does in all other commands: nobody said how many.
    pub fn doubts_tails(&self) -> bool {
        let steps = &self.steps;
        let cuts = steps.trim_tail1 > 0 || steps.trim_tail2.is_some_and(|tail| tail > 0);
        cuts && self.threads.is_none() && steps.mode.is_correct()
    }

    /// Clean.
    ///
    /// # Errors
    /// If settings do not go together, files or reports cannot be read or written, or `control` says to stop. No output has its
    /// name then, but where nobody reads [a report](Fault::Report) any more.
    pub fn run(&self, control: &Control<'_>) -> Result<Cleaned, Fault> {
        CleanJob::new(self.clone(), control)?.run(control)
    }

    /// What is out of its range, beside what the steps are asked for.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let (outputs, reports) = (&self.outputs, &self.reports);
        self.remove.check(!self.steps.mode.is_correct())?;
        let some = |split: Option<u64>| split.map(u128::from);
        for (name, value, (least, most)) in [
            (
                "--split",
                some(outputs.split),
                bounds(OutputSettings::SPLIT),
            ),
            (
                "--split_by_lines",
                some(outputs.split_by_lines),
                bounds(OutputSettings::SPLIT_LINES),
            ),
            (
                "--split_prefix_digits",
                Some(outputs.split_prefix_digits.into()),
                bounds(OutputSettings::SPLIT_DIGITS),
            ),
            (
                "--overrepresentation_sampling",
                Some(reports.overrepresentation_sampling.into()),
                bounds(ReportSettings::SAMPLING),
            ),
        ] {
            if let Some(value) = value
                && !(least..=most).contains(&value)
            {
                let message = format!("{name}: {value} is not in {least} to {most}");
                return Err(Fault::usage(message, ""));
            }
        }
        match (outputs.split, outputs.split_by_lines) {
            (Some(_), Some(_)) => Err(Fault::usage(
                "--split and --split_by_lines exclude each other",
                "leave one of them out",
            )),
            _ => Ok(()),
        }
    }
}

fn bounds<T: Copy + Into<u128>>(range: RangeInclusive<T>) -> (u128, u128) {
    ((*range.start()).into(), (*range.end()).into())
}
