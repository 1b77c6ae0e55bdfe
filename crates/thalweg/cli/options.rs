//! The command line.
//!
//! A file for the options of each large subcommand, those of the others here, and:
//!
//! - `files_from`: lists of input files; `bam`: how BAM becomes FASTQ; `repack`: which records `cat` writes, and where.
//! - `outputs`: whether files are to be written.
//! - `quantity`: numbers with units, as people write and read them.
//! - `parsing`: how all this is parsed, and what is told of what it does not know; `elsewhere`: what others call otherwise.

pub(crate) mod bam;
pub(crate) mod count;
mod elsewhere;
pub(crate) mod files_from;
pub(crate) mod kmers;
mod outputs;
mod parsing;
pub(crate) mod qc;
pub(crate) mod quantity;
pub(crate) mod repack;
pub(crate) mod taxa;
pub(crate) mod trace;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};

use self::bam::BamArguments;
use self::count::CountArguments;
pub(crate) use self::elsewhere::in_place_of_program;
use self::files_from::FilesFrom;
use self::kmers::KmersArguments;
pub(crate) use self::parsing::{command, parse, print_answer};
use self::qc::QcArguments;
use self::quantity::{
    Ranks, Shard, parse_level, parse_memory, parse_parts, parse_ranks, parse_shard, parse_size,
    parse_threads,
};
use self::repack::RepackArguments;
use self::taxa::{ClassifyArguments, TaxaArguments};
use self::trace::TraceArguments;
pub(crate) use crate::dropin::fastp::is_named_so as is_named_fastp;
use thalweg::copy::ReadGroup;
use thalweg::stats::SeqkitLayout;
use thalweg::verify::FaultCode;
use thalweg::write::Level;

/// Read sequencing data with all cores
///
/// Every core reads its own record-aligned share of FASTQ, FASTA and BAM files. They may be plain, gzip,
/// BGZF, zstd, bzip2 or xz; the format is detected from the content. `thalweg index` builds an index of a
/// gzip file in one pass, for random access. The file itself is never modified.
#[derive(Debug, Parser)]
#[command(
    name = "thalweg",
    version,
    subcommand_required = true,
    after_help = "\
Examples:
  thalweg index sample.fastq.gz              once; writes sample.fastq.gz.thw
  thalweg stats sample.fastq.gz              count reads and bases
  thalweg cat sample.fastq.gz | tool         decompress with all cores
  thalweg cat --shard 3/8 sample.fastq.gz    read the third of eight parts
  thalweg qc r1.fq.gz r2.fq.gz -o c1.fq.gz -O c2.fq.gz       clean pairs
  thalweg count -k 31 *.fastq.gz -o all.thk  count all k-mers exactly
  thalweg classify ref.tht r1.fq.gz r2.fq.gz > labels.tsv    label reads

Exit codes: 0 success; 1 invalid data; 2 usage, I/O or internal error."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Index(IndexArguments),
    Info(InfoArguments),
    Verify(VerifyArguments),
    Cat(Box<CatArguments>),
    Stats(StatsArguments),
    Qc(Box<QcArguments>),
    Count(CountArguments),
    Kmers(KmersArguments),
    Taxa(TaxaArguments),
    Classify(Box<ClassifyArguments>),
    Trace(TraceArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
}

/// Options that all commands which read have.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// Threads to use [default: one per core]
    #[arg(short, long, help_heading = "Common options", value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Memory limit for buffered output [default: 1Gi]
    #[arg(long, help_heading = "Common options", value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Print only results and errors
    #[arg(short, long, help_heading = "Common options")]
    pub(crate) quiet: bool,

    /// Report how the files are read
    #[arg(short, long, help_heading = "Common options", conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Hide the progress bar, which appears only on a terminal
    #[arg(long, help_heading = "Common options", hide_short_help = true)]
    pub(crate) no_progress: bool,
}

impl Common {
    /// Whether progress is drawn on a terminal.
    pub(crate) fn draws(&self) -> bool {
        !self.quiet && !self.no_progress
    }

    /// What programs have that another one stands in for: nothing is said but errors, and which pipe is waited for.
    pub(crate) fn quiet(threads: Option<NonZeroUsize>, memory: Option<u64>) -> Self {
        Self {
            threads,
            memory,
            quiet: true,
            verbose: false,
            no_progress: true,
        }
    }
}

/// How long records may be.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct RecordLimit {
    /// Reject records longer than SIZE (for untrusted input)
    ///
    /// The size includes name and qualities, and needs a unit (10M). No more than SIZE of a record is kept in memory.
    #[arg(long, help_heading = "Common options", hide_short_help = true, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) max_record: Option<u64>,
}

/// Which files are whole.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct EndCheck {
    /// Accept BAM without an end-of-file block, with a warning
    ///
    /// Without this option, a missing BGZF end-of-file block is an error. Programs that are killed while
    /// writing leave such files.
    #[arg(
        long = "no-eof-check",
        help_heading = "Common options",
        hide_short_help = true
    )]
    no_eof_check: bool,
}

impl EndCheck {
    /// Whether the block must be there.
    pub(crate) fn is_wanted(self) -> bool {
        !self.no_eof_check
    }
}

/// What to do about indexes.
#[derive(Clone, Debug, Args)]
pub(crate) struct IndexChoice {
    /// Use of the index next to a gzip file
    #[arg(long, help_heading = "Common options", hide_short_help = true, value_enum, default_value_t = IndexMode::Auto, value_name = "WHAT")]
    pub(crate) index: IndexMode,

    /// Use this index file (.thw or .mim)
    ///
    /// For several inputs, repeat the option once per input, in the same order (mates: r1, r2).
    #[arg(
        long = "index-file",
        help_heading = "Common options",
        hide_short_help = true,
        value_name = "PATH"
    )]
    pub(crate) index_files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) directory: IndexDirectory,
}

impl IndexChoice {
    /// For who has no such options: those that are there are used.
    pub(crate) fn automatic() -> Self {
        Self {
            index: IndexMode::Auto,
            index_files: Vec::new(),
            directory: IndexDirectory::default(),
        }
    }

    /// That of the files at these places among all: an index that was named goes with its file.
    pub(crate) fn of_places(&self, places: &[usize]) -> Self {
        let named = |&place: &usize| self.index_files.get(place).cloned();
        Self {
            index_files: places.iter().filter_map(named).collect(),
            ..self.clone()
        }
    }
}

/// Where indexes lie that do not lie beside their files.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct IndexDirectory {
    /// Also read indexes from DIR, and write them there
    ///
    /// Use it for files in a read-only place. Indexes are found by name and fingerprint of the file. DIR is
    /// created if needed [default: $THALWEG_INDEX_DIR, if set]
    #[arg(
        id = "index_dir",
        long = "index-dir",
        help_heading = "Common options",
        hide_short_help = true,
        value_name = "DIR"
    )]
    named: Option<PathBuf>,
}

impl IndexDirectory {
    /// The directory that was named, or else that of the environment.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.named.clone().or_else(Self::of_environment)
    }

    /// The directory of the environment, for who has no such option.
    pub(crate) fn of_environment() -> Option<PathBuf> {
        let variable = std::env::var_os("THALWEG_INDEX_DIR");
        variable.filter(|path| !path.is_empty()).map(PathBuf::from)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndexMode {
    /// Use it if it exists
    Auto,
    /// Ignore it
    Never,
    /// Fail if a gzip file has no index, or if the index lacks checksums for the part read (plain files need no index)
    Require,
    /// Use it if it exists; otherwise build it first, in one pass, and keep it
    Save,
}

/// Index gzip files for random access
///
/// The index is written next to the file, under its name with .thw appended. It stores points where
/// decoding can start, the first record after each, and a checksum per chunk.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg index *.fastq.gz
  thalweg index --checkpoints auto --for-threads 64 big.fastq.gz
  thalweg index --metadata '{\"run\": \"A17\"}' sample.fastq.gz
  thalweg index --format mim sample.fastq.gz      for tools that read .mim")]
pub(crate) struct IndexArguments {
    /// Gzip or BGZF files of reads, including BAM
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Write the index to PATH (one FILE only)
    ///
    /// [default: FILE.thw, FILE.mim or FILE.gzi]
    #[arg(short, long, value_name = "PATH", conflicts_with = "index_dir")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) directory: IndexDirectory,

    /// Uncompressed bytes between checkpoints [default: 8M]
    ///
    /// M is 1000000, Mi is 1048576.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, conflicts_with = "checkpoints")]
    pub(crate) span: Option<u64>,

    /// Maximum number of checkpoints, or `auto`
    ///
    /// At least N/2 are set if the file has more than 1 MiB of uncompressed data for each. `auto` uses the fewest checkpoints that
    /// keep --for-threads threads busy.
    #[arg(long, value_name = "N|auto", value_parser = parse_checkpoints)]
    pub(crate) checkpoints: Option<CheckpointChoice>,

    /// Threads that `--checkpoints auto` plans for [default: 16]
    #[arg(long, value_name = "N", requires = "checkpoints", value_parser = parse_threads)]
    pub(crate) for_threads: Option<NonZeroUsize>,

    /// Format of the index
    #[arg(long, value_enum, default_value_t = IndexFormatName::Thw)]
    pub(crate) format: IndexFormatName,

    /// Store JSON in the index; @FILE reads it from FILE
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) metadata: Option<String>,

    /// Overwrite an existing index
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckpointChoice {
    Auto,
    AtMost(usize),
}

fn parse_checkpoints(text: &str) -> Result<CheckpointChoice, String> {
    match text.parse() {
        Ok(0) => Err("at least one is needed".to_owned()),
        Ok(number) => Ok(CheckpointChoice::AtMost(number)),
        Err(_) if text == "auto" => Ok(CheckpointChoice::Auto),
        Err(_) => Err("expected a number or 'auto'".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndexFormatName {
    /// Thalweg's own: smallest, with a checksum for each chunk
    Thw,
    /// Format of mim 0.1
    Mim,
    /// Format of bgzip: block offsets of BGZF files, no records
    Gzi,
}

/// Show what an index contains, or how a file will be read
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg info sample.fastq.gz
  thalweg info --json sample.fastq.gz.thw | jq .files[0].index.records")]
pub(crate) struct InfoArguments {
    /// FASTQ, FASTA or BAM files, compressed or not, or index files (.thw, .mim, .gzi)
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// List all checkpoints
    #[arg(long)]
    pub(crate) checkpoints: bool,

    #[command(flatten)]
    pub(crate) directory: IndexDirectory,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Threads to plan for [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Check files against their indexes, or in full
///
/// Compares the BLAKE3 hash of the file with the one in its index. --full also decodes the file: it checks all
/// gzip members, chunk checksums and the structure of every record. A file without an index is always checked
/// in full. If a file and its index disagree, the report says which of the two is wrong. Checking continues with
/// the next file after an error.
///
/// --faults, --mates and --interleaved list every malformed record, with fq lint's codes. S001: missing + line.
/// S002: letter other than A, C, G, T, N. S003: missing @. S004: empty line. S005: lengths of sequence and
/// qualities differ. S006: invalid quality. S007: duplicate name. P001: names of mates differ.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg verify *.fastq.gz
  thalweg verify --full sample.fastq.gz
  thalweg verify --faults sample.fastq.gz
  thalweg verify --mates r1.fastq.gz r2.fastq.gz    in place of fq lint
  thalweg verify --mates --json r1.fq.gz r2.fq.gz | jq .reports[0].totals")]
pub(crate) struct VerifyArguments {
    /// FASTQ, FASTA or BAM files, compressed or not
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Decode and check everything
    #[arg(long)]
    pub(crate) full: bool,

    /// List all malformed FASTQ records, not just the first
    #[arg(long)]
    pub(crate) faults: bool,

    /// Check the files as mates, and list all malformed records
    ///
    /// The list includes names that differ, and places where the files get out of step.
    #[arg(long, conflicts_with = "interleaved")]
    pub(crate) mates: bool,

    /// Check interleaved mates, and list all malformed records
    #[arg(long)]
    pub(crate) interleaved: bool,

    /// Skip checks: S001 to S007, P001 (repeatable)
    ///
    /// Codes can also be separated by commas.
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = parse_fault_code)]
    pub(crate) disable: Vec<FaultCode>,

    /// Faults to list per code and file [default: 100]
    ///
    /// Unlisted faults are still counted.
    #[arg(long, value_name = "N")]
    pub(crate) list: Option<u64>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: Common,
}

fn parse_fault_code(text: &str) -> Result<FaultCode, String> {
    FaultCode::of_code(text).ok_or_else(|| "there are S001 to S007, and P001".to_owned())
}

/// Decompress, convert, split or sample reads
///
/// Whole files are copied byte for byte, and records are not checked (use `thalweg verify`). Several files are
/// concatenated in order; they must have one format and end after a complete record. A missing newline
/// between them is added.
///
/// BAM is converted to FASTQ as by `samtools fastq`, but all reads are kept, including consecutive reads with the
/// same name and reads without a sequence. Output named .bam is unaligned BAM. Tags after the read name, separated by tabs
/// (RX:Z:ACGT), become BAM tags; other text becomes a comment (CO). /1 and /2 become flags.
///
/// Output named .gz or .bgz is compressed as BGZF, .zst as zstd, by all threads. Other output is plain. The
/// order is that of the input. Output files appear under their names only when complete.
#[derive(Debug, Args)]
#[command(
    mut_arg("mates", |argument| argument.long_help(
        "Read the files as mates, and check their names\n\n\
         The files are read in step. Unless -O is given, -o and standard output get the mates interleaved."
    )),
    mut_arg("interleaved", |argument| argument.long_help(
        "Read interleaved mates, and check their names\n\n\
         Pairs are kept whole in parts, shards and selections."
    )),
    after_help = "\
Examples:
  thalweg cat sample.fastq.gz | tool
  thalweg cat --shard 3/8 sample.fastq.gz | tool
  thalweg cat --sample 10% --mates r1.fq.gz r2.fq.gz -o s1.fq.gz -O s2.fq.gz
  thalweg cat reads.bam -o reads.fq.gz

More examples and options: thalweg cat --help",
    after_long_help = "\
Examples:
  thalweg cat sample.fastq.gz | tool
  thalweg cat --records 1000000..2000000 sample.fastq.gz -o some.fastq
  thalweg cat --shard $SLURM_ARRAY_TASK_ID/100 sample.fastq.gz | tool
  thalweg cat --mates r1.fastq.gz r2.fastq.gz | tool --interleaved
  thalweg cat --parts 4 sample.fastq.gz      sample.part_001.fastq.gz, ...
  thalweg cat --records-per-part 1M --mates r1.fq.gz r2.fq.gz
  thalweg cat --sample 10% --mates r1.fq.gz r2.fq.gz -o s1.fq.gz -O s2.fq.gz
  thalweg cat --sample 30x --genome-size 4.6M sample.fastq.gz -o 30x.fq.gz
  thalweg cat --names list.txt sample.fastq.gz | tool
  thalweg cat --grep CTGTCTCTTATA --mismatches 1 --both-strands sample.fastq.gz
  thalweg cat --join lane1.fq.gz lane2.fq.gz -o sample.fq.gz
  thalweg cat --mates r1.fastq.bz2 r2.fastq.bz2 -o interleaved.fastq.gz
  thalweg cat -T MM,ML reads.bam | minimap2 -y -ax map-ont ref.fa -
  thalweg cat -1 r1.fq.gz -2 r2.fq.gz -s single.fq.gz -0 other.fq.gz grouped.bam
  thalweg cat --read-group sample1 reads.fq.gz -o reads.bam
  thalweg cat --parts 4 --pipes -o 'pipe_{}' sample.fastq.gz &
      four named pipes, for tools that read files; pipes that exist are used"
)]
pub(crate) struct CatArguments {
    /// FASTQ, FASTA or BAM files, compressed or not; - is stdin
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Write to PATH instead of standard output
    ///
    /// For parts, PATH is a pattern in which {} stands for the number (001, 002, ...). Without {}, it is a
    /// prefix; the number and .fastq or .fasta are appended. By default, parts of NAME.fastq.gz are written
    /// next to it as NAME.part_001.fastq.gz, mates in separate files. With --pipes, the default prefix is part_.
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Write only these records, counted from 0
    ///
    /// A..B is half-open: A is included, B is not. A.. and ..B are accepted. A range beyond the last
    /// record is an error (exit code 2).
    #[arg(long, value_name = "A..B", value_parser = parse_ranks)]
    pub(crate) records: Option<Ranks>,

    /// Write only part I of N parts of about equal size
    ///
    /// I starts at 1. A single file must be plain, BGZF or indexed. With several files, a file of any other kind is not
    /// split; it goes into one part. Mates and interleaved reads need indexes of all files.
    #[arg(long, value_name = "I/N", value_parser = parse_shard, conflicts_with = "records")]
    pub(crate) shard: Option<Shard>,

    /// Write N parts with equal numbers of reads
    ///
    /// The numbers differ by at most one. Reads of files without an index are counted first. With --pipes, parts
    /// have about equal size, and the input must be one that --shard accepts.
    #[arg(long, value_name = "N", conflicts_with_all = ["records", "shard"], value_parser = parse_parts)]
    pub(crate) parts: Option<NonZeroUsize>,

    /// Write the parts to named pipes
    ///
    /// Each pipe has its own thread, and is removed at the end.
    #[arg(long, hide_short_help = true, requires = "parts")]
    pub(crate) pipes: bool,

    /// Decompress BAM without converting it to FASTQ
    #[arg(long, hide_short_help = true, conflicts_with_all = ["records", "shard", "parts", "mates", "interleaved", "max_record"])]
    pub(crate) raw: bool,

    #[command(flatten)]
    pub(crate) compression: Compression,

    #[command(flatten)]
    pub(crate) pairing: Pairing,

    #[command(flatten)]
    pub(crate) repack: RepackArguments,

    #[command(flatten)]
    pub(crate) bam: BamArguments,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: Common,

    /// Assign reads in BAM output to a read group
    ///
    /// GROUP is a name, or '@RG\tID:NAME\tSM:SAMPLE'. Reads with a group of their own (RG:Z:NAME after their
    /// name) keep it. Requires BAM output (-o FILE.bam).
    #[arg(long, help_heading = "Options for BAM", hide_short_help = true, value_name = "GROUP", value_parser = ReadGroup::from_str)]
    pub(crate) read_group: Option<ReadGroup>,
}

/// How hard output is compressed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Compression {
    /// Compression level, 1 to 12 [default: 4]
    ///
    /// 1 is fastest, 12 gives the smallest files. It applies to output named .gz, .bgz or .zst. Levels 2 to 4 are the same for .gz.
    #[arg(short = 'z', long, value_name = "LEVEL", value_parser = parse_level)]
    compression: Option<Level>,
}

impl Compression {
    pub(crate) fn level(self) -> Level {
        self.compression.unwrap_or_default()
    }

    pub(crate) fn is_given(self) -> bool {
        self.compression.is_some()
    }
}

/// Which records belong together.
#[derive(Clone, Debug, Args)]
pub(crate) struct Pairing {
    /// Read the files as mates, and check their names
    ///
    /// The files are read in step.
    #[arg(long, conflicts_with = "interleaved")]
    pub(crate) mates: bool,

    /// Read interleaved mates, and check their names
    #[arg(long)]
    pub(crate) interleaved: bool,

    /// Pair mates by position, without checking names
    #[arg(long, hide_short_help = true)]
    pub(crate) ignore_names: bool,
}

/// Count reads and bases; report lengths, GC and qualities
///
/// Prints one row per file. A, C, G, T and N include lower case; `other` is everything else. N50: reads of this
/// length or longer contain half of all bases. `mean Q` is the mean of the Phred values. `Q of mean error` is the
/// Phred value of the mean error probability, as in seqkit and NanoPlot.
///
/// A file that cannot be counted has no row. Errors are printed after the table, and the exit code is nonzero.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg stats *.fastq.gz
  thalweg stats --quality --tsv sample.fastq.gz > sample.tsv
  thalweg stats --seqkit *.fastq.gz > seqkit_stats.tsv   for MultiQC
  thalweg stats --mates r1.fastq.gz r2.fastq.gz   check the names too
  curl -s $URL | thalweg stats -")]
pub(crate) struct StatsArguments {
    /// FASTQ, FASTA or BAM files, compressed or not; - is stdin
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Add columns of qualities
    ///
    /// They are the percentages of Q20 and Q30, the mean quality, and the quality of the mean error.
    #[arg(long)]
    pub(crate) quality: bool,

    /// Print the table of `seqkit stats`, for MultiQC
    ///
    /// Without LAYOUT, it is the table of `seqkit stats -a -T`.
    #[arg(long, value_name = "LAYOUT", num_args = 0..=1, require_equals = true, default_missing_value = "tabular-all", conflicts_with_all = ["tsv", "json", "total"])]
    pub(crate) seqkit: Option<SeqkitLayoutName>,

    /// Print tab-separated values with plain numbers
    #[arg(long, conflicts_with = "json")]
    pub(crate) tsv: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Add a row of totals
    #[arg(long)]
    pub(crate) total: bool,

    #[command(flatten)]
    pub(crate) pairing: Pairing,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: Common,
}

/// The tables of `seqkit stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SeqkitLayoutName {
    /// All columns, tab-separated: -a -T
    TabularAll,
    /// Numbers and lengths, tab-separated: -T
    Tabular,
    /// All columns, aligned: -a
    All,
    /// Numbers and lengths, aligned
    Few,
}

impl From<SeqkitLayoutName> for SeqkitLayout {
    fn from(name: SeqkitLayoutName) -> Self {
        use SeqkitLayoutName::{All, Tabular, TabularAll};

        Self {
            all: matches!(name, All | TabularAll),
            tabular: matches!(name, Tabular | TabularAll),
        }
    }
}

/// Print shell completions
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg completions bash > ~/.local/share/bash-completion/completions/thalweg
  thalweg completions fish jellyfish > ~/.config/fish/completions/jellyfish.fish")]
pub(crate) struct CompletionsArguments {
    /// Shell to print completions for
    pub(crate) shell: clap_complete::Shell,

    /// Name of the command to complete
    ///
    /// A symlink to thalweg with that name accepts that program's options.
    #[arg(value_enum, value_name = "NAME", default_value_t = NamedAs::Thalweg)]
    pub(crate) name: NamedAs,
}

/// Names under which the program is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum NamedAs {
    Thalweg,
    Fastp,
    Fastqc,
    Jellyfish,
    Kmc,
    KmcDump,
    KmcTools,
    Kraken2,
}

/// Print the manual page, or write all pages to a directory
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  thalweg man ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// Directory for thalweg.1, thalweg-index.1, ... (created if needed)
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}
