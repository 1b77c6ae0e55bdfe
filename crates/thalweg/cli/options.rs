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
/// Every core gets its own record-aligned share of FASTQ, FASTA and BAM files: plain, gzip, BGZF, zstd,
/// bzip2 or xz, told from the content. A gzip file is as parallel as the others once it has an
/// index beside it, which `thalweg index` makes in one pass; the file itself is never changed.
#[derive(Debug, Parser)]
#[command(
    name = "thalweg",
    version,
    subcommand_required = true,
    after_help = "\
Examples:
  thalweg index sample.fastq.gz              once; makes sample.fastq.gz.thw
  thalweg stats sample.fastq.gz              counts, with all cores
  thalweg cat sample.fastq.gz | tool         decompress, with all cores
  thalweg cat --shard 3/8 sample.fastq.gz    the third of eight parts
  thalweg qc r1.fq.gz r2.fq.gz -o c1.fq.gz -O c2.fq.gz    clean reads and a report
  thalweg count -k 31 *.fastq.gz -o all.thk  all k-mers, counted exactly
  thalweg classify ref.tht r1.fq.gz r2.fq.gz > labels.tsv    which organism each read is of

Exit codes: 0 all is well; 1 the data are at fault; 2 usage, input or output, internal error."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
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
    /// Number of threads in all [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Bytes that output may hold while it waits for its turn, such as 512M or 2G [default: 1Gi]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Print nothing but results and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Say how the files are read
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Draw no progress bar (there is one only on a terminal)
    #[arg(long)]
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
    /// Refuse a read of more bytes than this, with its name and qualities, and hold no more of it: for services, which read
    /// what strangers send
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) max_record: Option<u64>,
}

/// Which files are whole.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct EndCheck {
    /// Accept BAM without the end-of-file block of BGZF, with a warning: a writer that was killed leaves it so [default: an
    /// error]
    #[arg(long = "no-eof-check")]
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
    /// What to do about the index beside a gzip file
    #[arg(long, value_enum, default_value_t = IndexMode::Auto, value_name = "WHAT")]
    pub(crate) index: IndexMode,

    /// Use this index (.thw or .mim); of several inputs give it for each, in their order (mates: r1, r2)
    #[arg(long = "index-file", value_name = "PATH")]
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
    /// Look for indexes here, too, and write them here, by name and fingerprint of the file; made if it is not there. It
    /// is for files in a place that nobody may write to [default: $THALWEG_INDEX_DIR, if set]
    #[arg(id = "index_dir", long = "index-dir", value_name = "DIR")]
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
    /// Use it if there is one
    Auto,
    /// Read as if there were none
    Never,
    /// Fail if a gzip file has none (plain files need none), or one without checksums for the part that is read
    Require,
    /// Use it if there is one; else build it first, in one pass, and keep it
    Save,
}

/// Index gzip files, once, so that all cores can read them from then on
///
/// The index lies beside the file and has its name with .thw added. It tells where decoding can
/// start, which record comes next, and checksums of everything between.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg index *.fastq.gz
  thalweg index --checkpoints auto --for-threads 64 big.fastq.gz
  thalweg index --metadata '{\"run\": \"A17\"}' sample.fastq.gz
  thalweg index --format mim sample.fastq.gz      for tools that read .mim")]
pub(crate) struct IndexArguments {
    /// gzip or BGZF files of reads, BAM among them
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Where the index goes [default: FILE.thw, FILE.mim or FILE.gzi]; one FILE only
    #[arg(short, long, value_name = "PATH", conflicts_with = "index_dir")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) directory: IndexDirectory,

    /// Uncompressed bytes between checkpoints (M is 1000000, Mi is 1048576) [default: 8M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, conflicts_with = "checkpoints")]
    pub(crate) span: Option<u64>,

    /// At most N checkpoints (at least half as many, if the file is longer than N MiB of text), or
    /// `auto`: as few as keep the threads of --for-threads busy
    #[arg(long, value_name = "N|auto", value_parser = parse_checkpoints)]
    pub(crate) checkpoints: Option<CheckpointChoice>,

    /// Number of threads that `--checkpoints auto` provides for [default: 16]
    #[arg(long, value_name = "N", requires = "checkpoints", value_parser = parse_threads)]
    pub(crate) for_threads: Option<NonZeroUsize>,

    /// Format of the index
    #[arg(long, value_enum, default_value_t = IndexFormatName::Thw)]
    pub(crate) format: IndexFormatName,

    /// Keep this with the index: JSON, or @FILE that holds JSON
    #[arg(long, value_name = "JSON|@FILE")]
    pub(crate) metadata: Option<String>,

    /// Replace an index that exists
    #[arg(short, long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) end: EndCheck,

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
    /// thalweg's own: smallest, with a checksum for each chunk
    Thw,
    /// That of mim 0.1
    Mim,
    /// That of bgzip: block offsets of BGZF files, no records
    Gzi,
}

/// Show what an index holds, or how a data file would be read
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg info sample.fastq.gz
  thalweg info --json sample.fastq.gz.thw | jq .files[0].index.records")]
pub(crate) struct InfoArguments {
    /// FASTQ, FASTA or BAM files, compressed or not, or index files (.thw, .mim, .gzi)
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// List every checkpoint too
    #[arg(long)]
    pub(crate) checkpoints: bool,

    #[command(flatten)]
    pub(crate) directory: IndexDirectory,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    /// Number of threads to plan for [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Check files against their indexes, or in full
///
/// Compares the BLAKE3 of the file with the one in its index. With --full everything is decoded
/// too: checksums of all gzip members and chunks, and the structure of every record. If a file and its index
/// disagree, it says which of them is wrong. A file without index is always checked in full. Goes on to the next file when one is at fault.
///
/// With --faults, --mates or --interleaved it does not stop at the first fault of a record, but lists all by the
/// codes of fq lint. S001: no line with +. S002: a letter that is none of A, C, G, T and N. S003: no @. S004: a line
/// is empty. S005: lengths differ. S006: a byte that is no quality. S007: a name comes again. P001: mates have
/// different names.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg verify *.fastq.gz
  thalweg verify --full sample.fastq.gz
  thalweg verify --faults sample.fastq.gz
  thalweg verify --mates r1.fastq.gz r2.fastq.gz    in place of fq lint
  thalweg verify --mates --json r1.fq.gz r2.fq.gz | jq .reports[0].totals")]
pub(crate) struct VerifyArguments {
    /// FASTQ, FASTA or BAM files, compressed or not, to check
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Decode and check everything
    #[arg(long)]
    pub(crate) full: bool,

    /// List all faults of the records of FASTQ, and go on behind each
    #[arg(long)]
    pub(crate) faults: bool,

    /// The files are mates: list all faults of their records, where names differ, and where they fall out of step
    #[arg(long, conflicts_with = "interleaved")]
    pub(crate) mates: bool,

    /// Mates follow each other in each file: list all faults likewise
    #[arg(long)]
    pub(crate) interleaved: bool,

    /// Do not look for faults of this code: S001 to S007, or P001. May be given more than once
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = parse_fault_code)]
    pub(crate) disable: Vec<FaultCode>,

    /// How many faults of each code to list of each file; all are counted [default: 100]
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
    pub(crate) common: Common,
}

fn parse_fault_code(text: &str) -> Result<FaultCode, String> {
    FaultCode::of_code(text).ok_or_else(|| "there are S001 to S007, and P001".to_owned())
}

/// Decompress to the standard output or to files, all of it or some records
///
/// Whole files come out byte for byte, records unchecked (`thalweg verify` checks them); several
/// follow one another, with a line end between them if one is missing: of one format, and each ending
/// behind a whole record. BAM comes out as FASTQ, as
/// `samtools fastq` writes it, with all reads: also those of one name behind one another, and those
/// without a sequence. Output named .bam is unaligned BAM: tags behind names (RX:Z:ACGT, each behind a
/// tab) become its tags, what else stands there a comment (CO), /1 and /2 flags. The order is always that of
/// the input. Output named .gz or .bgz is compressed as BGZF, .zst as zstd, by all threads; other
/// output is plain. Output files appear under their names only when they are whole.
#[derive(Debug, Args)]
#[command(after_help = "\
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
      four named pipes, for tools that read files; pipes that exist are used")]
pub(crate) struct CatArguments {
    /// FASTQ, FASTA or BAM files, compressed or not; - is the standard input
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Write here instead of the standard output. Of parts, a pattern in which {} stands for the number
    /// (001, 002, ...), or a prefix that the number and .fastq or .fasta are added to [default of parts: beside the
    /// input, NAME.part_001.fastq.gz of NAME.fastq.gz, mates in files of their own; with --pipes: part_]
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Only these records, counted from 0: A..B goes from A up to but without B; A.. and ..B work
    /// too. To ask for more than there are is an error (exit code 2)
    #[arg(long, value_name = "A..B", value_parser = parse_ranks)]
    pub(crate) records: Option<Ranks>,

    /// Only part I of N parts of about equal size, counted from 1: of a plain or BGZF file, or with an
    /// index; of mates and interleaved reads, with indexes of all files. Of several files, one that has no
    /// index is in one part as a whole
    #[arg(long, value_name = "I/N", value_parser = parse_shard, conflicts_with = "records")]
    pub(crate) shard: Option<Shard>,

    /// Write N parts with the same number of reads, or one more. Of what has no index, the reads are counted first; with
    /// --pipes, of what --shard can share out, of about equal size
    #[arg(long, value_name = "N", conflicts_with_all = ["records", "shard"], value_parser = parse_parts)]
    pub(crate) parts: Option<NonZeroUsize>,

    /// Make the parts named pipes, each written by its own thread, removed at the end
    #[arg(long, requires = "parts")]
    pub(crate) pipes: bool,

    /// Of BAM, write the decompressed bytes, and no FASTQ
    #[arg(long, conflicts_with_all = ["records", "shard", "parts", "mates", "interleaved", "max_record"])]
    pub(crate) raw: bool,

    #[command(flatten)]
    pub(crate) compression: Compression,

    #[command(flatten)]
    pub(crate) pairing: Pairing,

    #[command(flatten)]
    pub(crate) index: IndexChoice,

    #[command(flatten)]
    pub(crate) limit: RecordLimit,

    #[command(flatten)]
    pub(crate) end: EndCheck,

    #[command(flatten)]
    pub(crate) common: Common,

    #[command(flatten)]
    pub(crate) repack: RepackArguments,

    #[command(flatten)]
    pub(crate) bam: BamArguments,

    /// Say in output that is BAM (-o FILE.bam) that reads are of this group: a name, or '@RG\tID:NAME\tSM:SAMPLE'.
    /// Those that say of which they are (RG:Z:NAME behind their name) stay of that
    #[arg(long, value_name = "GROUP", value_parser = ReadGroup::from_str)]
    pub(crate) read_group: Option<ReadGroup>,
}

/// How hard output is compressed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Compression {
    /// How hard to compress output that is named .gz, .bgz or .zst: 1 (fastest) to 12 (smallest);
    /// 2 to 4 are alike for .gz [default: 4]
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
    /// The files are mates: read in step, names checked (cat writes them interleaved)
    #[arg(long, conflicts_with = "interleaved")]
    pub(crate) mates: bool,

    /// Mates follow each other in the same file: names checked, never parted
    #[arg(long)]
    pub(crate) interleaved: bool,

    /// Take reads in the same position of all files for mates, whatever their names
    #[arg(long)]
    pub(crate) ignore_names: bool,
}

/// Count reads, bases and letters; lengths, GC and qualities
///
/// One row for each file. A, C, G, T and N count both cases; `other` is everything else. N50: reads
/// of this length or longer hold half of all bases. `mean Q` is the mean of the Phred values, `Q of mean error`
/// the Phred value of the mean probability of an error, as seqkit and NanoPlot tell it.
///
/// A file that cannot be counted has no row. What is wrong with it is told behind the rows of the others, and the
/// exit code says so.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg stats *.fastq.gz
  thalweg stats --quality --tsv sample.fastq.gz > sample.tsv
  thalweg stats --seqkit *.fastq.gz > seqkit_stats.tsv   for MultiQC
  thalweg stats --mates r1.fastq.gz r2.fastq.gz   checks that they are mates, too
  curl -s $URL | thalweg stats -")]
pub(crate) struct StatsArguments {
    /// FASTQ, FASTA or BAM files, compressed or not; - is the standard input
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// Add Q20 and Q30 percentages, the mean quality, and the quality of the mean error
    #[arg(long)]
    pub(crate) quality: bool,

    /// Print the table of seqkit stats, which MultiQC reads: as `seqkit stats -a -T` prints it, or with
    /// --seqkit=LAYOUT another one
    #[arg(long, value_name = "LAYOUT", num_args = 0..=1, require_equals = true, default_missing_value = "tabular-all", conflicts_with_all = ["tsv", "json", "total"])]
    pub(crate) seqkit: Option<SeqkitLayoutName>,

    /// Print tab-separated values with plain numbers
    #[arg(long, conflicts_with = "json")]
    pub(crate) tsv: bool,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Add a row for all files together
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
    pub(crate) common: Common,
}

/// The tables of `seqkit stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SeqkitLayoutName {
    /// All columns behind tabs: -a -T
    TabularAll,
    /// Numbers and lengths behind tabs: -T
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

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg completions bash > ~/.local/share/bash-completion/completions/thalweg
  thalweg completions fish jellyfish > ~/.config/fish/completions/jellyfish.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: clap_complete::Shell,

    /// The name by which the program is called: a link of that name takes the options of the program that has it
    #[arg(value_enum, value_name = "NAME", default_value_t = NamedAs::Thalweg)]
    pub(crate) name: NamedAs,
}

/// Names by which the program is called.
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

/// Print the manual page, or write all of them to a directory
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  thalweg man ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// A directory for thalweg.1, thalweg-index.1, ...; made if there is none
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}
