//! Inputs and outputs.

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
    /// One file of reads, or two files of mates
    #[arg(value_name = "FILE", conflicts_with_all = ["in1", "in2", "stdin"], num_args = 0..=2, help_heading = MOST)]
    pub(crate) files: Vec<PathBuf>,

    /// Read 1; repeat for more lanes
    ///
    /// Single reads are given in the same way. Lanes are cleaned as one sample.
    #[arg(short = 'i', long, value_name = "FILE", action = ArgAction::Append, help_heading = MOST)]
    pub(crate) in1: Vec<PathBuf>,

    /// Read 2; repeat as often as -i
    #[arg(short = 'I', long, value_name = "FILE", action = ArgAction::Append, help_heading = MOST)]
    pub(crate) in2: Vec<PathBuf>,

    /// Write read 1 to FILE
    #[arg(short = 'o', long, value_name = "FILE", help_heading = MOST)]
    pub(crate) out1: Option<PathBuf>,

    /// Write read 2 to FILE
    #[arg(short = 'O', long, value_name = "FILE", help_heading = MOST)]
    pub(crate) out2: Option<PathBuf>,

    /// Write read 1 here if only read 2 fails
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub(crate) unpaired1: Option<PathBuf>,

    /// Write read 2 here if only read 1 fails [default: --unpaired1]
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub(crate) unpaired2: Option<PathBuf>,

    /// Write failing reads to FILE
    ///
    /// The reason is appended to their names.
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub(crate) failed_out: Option<PathBuf>,

    /// Write what was cut from each read, and whether it passed
    ///
    /// The records are for other programs. FILE ends in .msgpack.lz4, .msgpack.zst, .msgpack or .jsonl; see `thalweg trace`.
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Write the bases where mates overlap and agree
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub(crate) overlapped_out: Option<PathBuf>,

    /// Read standard input
    ///
    /// With --interleaved_in, it holds pairs.
    #[arg(hide_short_help = true, long)]
    pub(crate) stdin: bool,

    /// Write to standard output
    ///
    /// Pairs are interleaved. With --merge, the merged reads are written.
    #[arg(hide_short_help = true, long)]
    pub(crate) stdout: bool,

    /// Read interleaved pairs
    #[arg(long, visible_alias = "interleaved", help_heading = MOST)]
    pub(crate) interleaved_in: bool,

    /// Pair mates by position, without checking names
    #[arg(hide_short_help = true, long, visible_alias = "ignore-names")]
    pub(crate) ignore_names: bool,

    /// Process only the first N reads or pairs; 0: all
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.reads_to_process, value_parser = whole(0..=u64::MAX))]
    pub(crate) reads_to_process: u64,

    /// Do not overwrite existing files
    #[arg(hide_short_help = true, long)]
    pub(crate) dont_overwrite: bool,

    /// Do not wait until output is on disk
    ///
    /// After a power failure, files may then lack reads or contain zeros.
    #[arg(hide_short_help = true, long)]
    pub(crate) no_sync: bool,

    /// Compression level, 1 to 12
    ///
    /// 1 is fastest, 12 gives the smallest files. Levels 2 to 4 are the same for gzip.
    #[arg(short = 'z', long, value_name = "LEVEL", help_heading = MOST, default_value = USUAL.outputs.compression.number().to_string(), value_parser = parse_level)]
    pub(crate) compression: Level,

    /// Compression of output [default: from its name; .gz is BGZF]
    #[arg(hide_short_help = true, long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<FormatName>,

    /// Read qualities with an offset of 64
    ///
    /// They are written with an offset of 33.
    #[arg(hide_short_help = true, short = '6', long)]
    pub(crate) phred64: bool,

    /// Split output into N files, 2 to 999
    ///
    /// They are named 0001.NAME, 0002.NAME, and so on. Reads or pairs are dealt out to the files in
    /// turn, 1000 at a time. With --fastp-compat, each file gets one consecutive share of the input. The input is then counted
    /// or estimated first, so it must be a file.
    #[arg(hide_short_help = true, short = 's', long, value_name = "N", conflicts_with = "split_by_lines", value_parser = whole(OutputSettings::SPLIT))]
    pub(crate) split: Option<u64>,

    /// Split output into files of N lines
    ///
    /// N is a multiple of 4, and at least 1000. With --fastp-compat, files may have more than N lines: as in fastp, they
    /// end only after multiples of 1000 reads or pairs of the input.
    #[arg(hide_short_help = true, short = 'S', long, value_name = "N", value_parser = whole(OutputSettings::SPLIT_LINES))]
    pub(crate) split_by_lines: Option<u64>,

    /// Digits in the numbers of split files; 0: no leading zeros
    #[arg(hide_short_help = true, short = 'd', long, value_name = "N", default_value_t = USUAL.outputs.split_prefix_digits, value_parser = whole(OutputSettings::SPLIT_DIGITS))]
    pub(crate) split_prefix_digits: u8,
}

impl Files {
    /// Adds the options to `settings`.
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

    /// Returns the files of read 1 and of read 2.
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
        "0" => format!("{told}, or use --output_format plain"),
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
