//! What is read, and where reads go.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use thalweg::clean::{CleanSettings, OutputSettings};
use thalweg::write::{Level, OutputFormat};

use super::{MOST, USUAL};
use crate::options::is_named_fastp;
use crate::options::quantity::whole;
use crate::options::trace::trace_settings;
use crate::process::exit::Failure;

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Input and output")]
pub(crate) struct Files {
    /// Reads, or the two files of pairs; -i and -I do the same
    #[arg(value_name = "FILE", conflicts_with_all = ["in1", "in2", "stdin"], num_args = 0..=2, help_heading = MOST)]
    pub(crate) files: Vec<PathBuf>,

    /// Read 1, or single reads; given again: further lanes of the same sample
    #[arg(short = 'i', long, value_name = "FILE", action = ArgAction::Append, help_heading = MOST)]
    pub(crate) in1: Vec<PathBuf>,

    /// Read 2; as often as -i
    #[arg(short = 'I', long, value_name = "FILE", action = ArgAction::Append, help_heading = MOST)]
    pub(crate) in2: Vec<PathBuf>,

    /// Where read 1 goes
    #[arg(short = 'o', long, value_name = "FILE", help_heading = MOST)]
    pub(crate) out1: Option<PathBuf>,

    /// Where read 2 goes
    #[arg(short = 'O', long, value_name = "FILE", help_heading = MOST)]
    pub(crate) out2: Option<PathBuf>,

    /// Where read 1 goes if only read 2 fails
    #[arg(long, value_name = "FILE")]
    pub(crate) unpaired1: Option<PathBuf>,

    /// Where read 2 goes if only read 1 fails [default: as --unpaired1]
    #[arg(long, value_name = "FILE")]
    pub(crate) unpaired2: Option<PathBuf>,

    /// Where reads go that fail, with the reason behind their names
    #[arg(long, value_name = "FILE")]
    pub(crate) failed_out: Option<PathBuf>,

    /// Write what became of each read, and which step cut what off it, as records for other programs
    ///
    /// .msgpack.lz4, .msgpack.zst, .msgpack or .jsonl; see `thalweg trace`.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Where the bases go on which mates agree
    #[arg(long, value_name = "FILE")]
    pub(crate) overlapped_out: Option<PathBuf>,

    /// Read from the standard input (interleaved pairs with --interleaved_in)
    #[arg(long)]
    pub(crate) stdin: bool,

    /// Write to the standard output (pairs interleaved; with --merge the merged reads)
    #[arg(long)]
    pub(crate) stdout: bool,

    /// The input holds pairs one after the other
    #[arg(long, visible_alias = "interleaved")]
    pub(crate) interleaved_in: bool,

    /// Take reads in the same position of both files for mates, whatever their names
    #[arg(long, visible_alias = "ignore-names")]
    pub(crate) ignore_names: bool,

    /// Only the first N reads or pairs; 0: all
    #[arg(long, value_name = "N", default_value_t = USUAL.reads_to_process, value_parser = whole(0..=u64::MAX))]
    pub(crate) reads_to_process: u64,

    /// Refuse to replace files that exist
    #[arg(long)]
    pub(crate) dont_overwrite: bool,

    /// Do not wait until the disk has the reads: after a power failure files may lack some, or have zeros
    #[arg(long)]
    pub(crate) no_sync: bool,

    /// How hard to compress: 1 (fastest) to 12 (smallest); 2 to 4 are alike for gzip
    #[arg(short = 'z', long, value_name = "LEVEL", default_value = USUAL.outputs.compression.number().to_string(), value_parser = parse_level)]
    pub(crate) compression: Level,

    /// What outputs are compressed with [default: by their names, .gz as BGZF]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<FormatName>,

    /// Qualities count from 64; they are written counting from 33
    #[arg(short = '6', long)]
    pub(crate) phred64: bool,

    /// Split the output into N files (2 to 999), named 0001.NAME and so on
    ///
    /// They get 1000 reads or pairs each in turn. With --fastp-compat each gets its share of the
    /// input, one after the other; that is counted, or estimated, first, for which the input must
    /// be a file.
    #[arg(short = 's', long, value_name = "N", conflicts_with = "split_by_lines", value_parser = whole(OutputSettings::SPLIT))]
    pub(crate) split: Option<u64>,

    /// Split the output into files of exactly N lines (a multiple of 4, at least 1000)
    ///
    /// With --fastp-compat of N lines or more, as a file ends only where a thousand reads or pairs
    /// of the input do.
    #[arg(short = 'S', long, value_name = "N", value_parser = whole(OutputSettings::SPLIT_LINES))]
    pub(crate) split_by_lines: Option<u64>,

    /// Digits of the numbers of split files; 0: no leading zeros
    #[arg(short = 'd', long, value_name = "N", default_value_t = USUAL.outputs.split_prefix_digits, value_parser = whole(OutputSettings::SPLIT_DIGITS))]
    pub(crate) split_prefix_digits: u8,
}

impl Files {
    /// Put what was said into `settings`.
    pub(super) fn apply(&self, settings: &mut CleanSettings) -> Result<(), Failure> {
        [settings.in1, settings.in2] = self.inputs()?;
        settings.interleaved_in = self.interleaved_in;
        settings.ignore_names = self.ignore_names;
        settings.reads_to_process = self.reads_to_process;
        settings.steps.phred64 = self.phred64;
        settings.outputs = OutputSettings {
            out1: self.out1.clone(),
            out2: self.out2.clone(),
            unpaired1: self.unpaired1.clone(),
            unpaired2: self.unpaired2.clone(),
            failed_out: self.failed_out.clone(),
            trace: self.trace.as_deref().map(trace_settings),
            overlapped_out: self.overlapped_out.clone(),
            stdout: self.stdout,
            dont_overwrite: self.dont_overwrite,
            no_sync: self.no_sync,
            compression: self.compression,
            output_format: self.output_format.map(FormatName::format),
            split: self.split,
            split_by_lines: self.split_by_lines,
            split_prefix_digits: self.split_prefix_digits,
            // It is of pairs.
            merged_out: None,
        };
        Ok(())
    }

    /// Files of read 1, and of read 2.
    fn inputs(&self) -> Result<[Vec<PathBuf>; 2], Failure> {
        if self.stdin && !self.in1.is_empty() {
            return Err(Failure::usage(
                "--stdin and -i name different inputs",
                "leave out one of them; -i - is the standard input, too",
            ));
        }
        if self.files.len() > 2 || !self.files.is_empty() && !self.in2.is_empty() {
            return Err(Failure::usage(
                "too many inputs are named by their places",
                "one file, or two for pairs; more with -i and -I",
            ));
        }
        let inputs = match self.files.as_slice() {
            [] if self.stdin => [vec![PathBuf::from("-")], self.in2.clone()],
            [] => [self.in1.clone(), self.in2.clone()],
            [only] => [vec![only.clone()], Vec::new()],
            [first, second, ..] => [vec![first.clone()], vec![second.clone()]],
        };
        if inputs[0].is_empty() {
            let hint = match is_named_fastp() {
                true => {
                    "fastp -i r1.fq.gz [-I r2.fq.gz] -o clean1.fq.gz [-O clean2.fq.gz]; or --stdin"
                }
                false => {
                    "name one file, or two for pairs: thalweg qc r1.fq.gz r2.fq.gz; or --stdin"
                }
            };
            return Err(Failure::usage("no input", hint));
        }
        Ok(inputs)
    }
}

/// [`parse_level`](crate::options::quantity::parse_level), with the other way not to compress.
fn parse_level(text: &str) -> Result<Level, String> {
    crate::options::quantity::parse_level(text).map_err(|told| match text {
        "0" => format!("{told}, or say --output_format plain"),
        _ => told,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    Plain,
    Gzip,
    Bgzf,
    Zstd,
}

impl FormatName {
    fn format(self) -> OutputFormat {
        match self {
            Self::Plain => OutputFormat::Plain,
            Self::Gzip => OutputFormat::Gzip,
            Self::Bgzf => OutputFormat::Bgzf,
            Self::Zstd => OutputFormat::Zstd,
        }
    }
}
