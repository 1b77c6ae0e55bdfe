//! FastQC's command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgAction, Parser, ValueEnum};

/// Makes FastQC's reports with thalweg, for scripts that call fastqc
#[derive(Debug, Parser)]
#[command(
    name = "fastqc",
    infer_long_args = true,
    disable_version_flag = true,
    after_help = "Differences from FastQC's reports: docs/guide/fastqc.md."
)]
pub(super) struct Fastqc {
    /// FASTQ or BAM files, compressed or not; stdin or stdin:NAME for the standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// An existing directory for all reports [default: that of each file]
    #[arg(short, long, value_name = "DIR")]
    pub(super) outdir: Option<PathBuf>,

    /// Write the folder of the archive, too
    #[arg(long)]
    pub(super) extract: bool,

    /// Write the archive alone, as without options
    #[arg(long, overrides_with = "extract")]
    pub(super) noextract: bool,

    /// With --extract: write the folder, and no archive
    #[arg(long)]
    pub(super) delete: bool,

    /// Casava files: merge those that differ only in their group number, and skip reads that failed the filter
    #[arg(long)]
    pub(super) casava: bool,

    /// With --casava: keep reads that failed the filter
    #[arg(long)]
    pub(super) nofilter: bool,

    /// Refused: fast5 is not read
    #[arg(long)]
    pub(super) nano: bool,

    /// A row for each position
    #[arg(long, conflicts_with = "expgroup")]
    pub(super) nogroup: bool,

    /// Groups of positions that get wider towards the end
    #[arg(long)]
    pub(super) expgroup: bool,

    /// Put positions together as for reads of this length, if none is longer
    #[arg(long = "min_length", value_name = "N", default_value_t = 0)]
    pub(super) min_length: usize,

    /// Bases compared to find duplicates [default: 50]
    #[arg(long = "dup_length", value_name = "N")]
    pub(super) dup_length: Option<NonZeroUsize>,

    /// Not needed: detected from the content
    #[arg(short, long, value_enum, value_name = "FORMAT")]
    pub(super) format: Option<GivenFormat>,

    /// Number of threads in all; each file is read by all of them
    #[arg(short, long, value_name = "N", default_value = "1")]
    pub(super) threads: NonZeroUsize,

    /// Not needed: memory does not grow with the length of reads. A number of megabytes, from 100 to 10000
    #[arg(long, value_name = "MB", value_parser = parse_megabytes)]
    pub(super) memory: Option<u64>,

    /// What frequent sequences are compared with: lines of a name, a tab and a sequence
    #[arg(short, long, value_name = "FILE")]
    pub(super) contaminants: Option<PathBuf>,

    /// Adapters to look for: lines of a name, a tab and a sequence
    #[arg(short, long, value_name = "FILE")]
    pub(super) adapters: Option<PathBuf>,

    /// Thresholds for warnings and failures, and modules to skip: FastQC's limits.txt
    #[arg(short, long, value_name = "FILE")]
    pub(super) limits: Option<PathBuf>,

    /// Length of k-mers, if limits ask for them (2 to 10)
    #[arg(short, long, value_name = "K", default_value_t = 7, value_parser = clap::value_parser!(u8).range(2..=10))]
    pub(super) kmers: u8,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(super) quiet: bool,

    /// Not needed: there are no temporary files
    #[arg(short, long, value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,

    /// Not needed: there is no Java
    #[arg(short, long, value_name = "FILE")]
    pub(super) java: Option<PathBuf>,

    /// Not needed: pictures are SVG
    #[arg(long)]
    pub(super) svg: bool,

    /// Print version
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub(super) version: bool,
}

/// FastQC's rule for its memory, which has no units. What is out of its range is no reason to end here.
fn parse_megabytes(text: &str) -> Result<u64, String> {
    let told = "FastQC takes a number of megabytes without a unit, from 100 to 10000: 1000 for 1 GB; here it may be left out";
    text.parse().map_err(|_| told.to_owned())
}

/// What FastQC would be told of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum GivenFormat {
    /// Text
    Fastq,
    /// All records
    Bam,
    /// Not read: `samtools view -u FILE | fastqc stdin`
    Sam,
    /// Mapped records
    BamMapped,
    /// Not read, as SAM
    SamMapped,
}
