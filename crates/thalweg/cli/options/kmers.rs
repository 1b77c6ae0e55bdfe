//! The command line of `thalweg kmers`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use thalweg::databases::{FilterSettings, check_counts};

use crate::jobs::kmers::OutputFormat;
use crate::options::files_from::FilesFrom;
use crate::options::quantity::{Shard, parse_memory, parse_shard, parse_threads};
use crate::process::exit::Failure;

/// Inspect and combine databases of counted k-mers
///
/// Databases are those of `thalweg count` (.thk), jellyfish and KMC, and dumps as lines of text or FASTA. The format is
/// detected from the content. A KMC database is named by either of its two files, or by the common part of their names.
#[derive(Debug, Args)]
pub(crate) struct KmersArguments {
    #[command(subcommand)]
    pub(crate) command: KmersCommand,
}

/// The commands on databases.
#[derive(Debug, Subcommand)]
pub(crate) enum KmersCommand {
    Histo(HistoArguments),
    Dump(DumpArguments),
    Stats(StatsArguments),
    Query(QueryArguments),
    /// Merge databases, adding up counts; or convert one
    ///
    /// All databases must have the same k and treat the strands in the same way; formats may differ. A single
    /// database is converted to another format, or filtered by -L and -U.
    Merge(UnionArguments),
    Join(JoinArguments),
    /// Keep k-mers that all databases have
    ///
    /// All databases must have the same k and treat the strands in the same way; formats may differ. Counts are added up;
    /// --count min takes the smallest, as kmc_tools simple does.
    Intersect(MergeArguments),
    /// Remove k-mers that other databases have
    ///
    /// K-mers of the other databases are removed from the first, however often they occur. Counts of the rest stay as they
    /// are. To subtract counts, use `thalweg kmers diff`.
    Subtract(SubtractArguments),
    /// Subtract the counts of other databases
    ///
    /// The counts of the other databases are subtracted from those of the first. K-mers with no count left are dropped.
    Diff(SubtractArguments),
    Info(InfoArguments),
    Verify(VerifyArguments),
    FilterReads(FilterArguments),
}

/// Print the k-mer spectrum, as text, JSON or a plot
///
/// Each line has a count and the number of distinct k-mers with that count. Unsorted text, such as jellyfish's dumps, is sorted
/// first, as it may contain a k-mer twice. This takes temporary files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers histo sample.thk > sample.histo
  thalweg kmers histo sample.thk --plot sample.svg -o sample.histo
  thalweg kmers histo --high 10000 --full sample.jf")]
pub(crate) struct HistoArguments {
    /// Database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Lowest count to list
    ///
    /// Lower counts are pooled in one bin below --low.
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) low: u64,

    /// Highest count to list [default: no limit]
    ///
    /// Higher counts are pooled in one bin above --high.
    #[arg(long, value_name = "COUNT")]
    pub(crate) high: Option<u64>,

    /// Counts per bin
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) increment: u64,

    /// Print empty bins too, up to --high
    #[arg(long, requires = "high")]
    pub(crate) full: bool,

    /// Print the whole spectrum as JSON
    #[arg(long, conflicts_with_all = ["low", "high", "increment", "full"])]
    pub(crate) json: bool,

    /// Plot the spectrum, with estimates for the genome, to SVG
    #[arg(long, value_name = "SVG")]
    pub(crate) plot: Option<PathBuf>,

    /// Write to PATH instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sorting: Sorting,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// List all k-mers and their counts, as TSV or FASTA
///
/// K-mers are in ascending order, unless --file-order is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers dump sample.thk | head
  thalweg kmers dump -L 10 --format fasta sample.jf -o frequent.fasta
  thalweg kmers dump -c sample.thk > counts.txt    as jellyfish dump -c")]
pub(crate) struct DumpArguments {
    /// Database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Format of the output [default: from its name, else tsv]
    ///
    /// tsv is tab-separated: k-mer, count. fasta has counts as sequence names, as from `jellyfish dump`.
    #[arg(long, value_enum)]
    pub(crate) format: Option<DumpFormat>,

    /// Separate k-mer and count by a space, as jellyfish dump -c
    #[arg(short = 'c', long, conflicts_with = "format")]
    pub(crate) column: bool,

    /// Keep the order of the database, unsorted
    ///
    /// It depends on the threads and memory of the count. Keeping it is faster, and needs no temporary files.
    #[arg(long)]
    pub(crate) file_order: bool,

    /// Threads to use [default: one per core]
    #[arg(short, long, help_heading = "Common options", value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Write to PATH instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limits: Limits,

    #[command(flatten)]
    pub(crate) sorting: Sorting,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DumpFormat {
    Tsv,
    Fasta,
}

/// Summarize counts; estimate genome size, coverage and heterozygosity
///
/// The estimates come from a model of a diploid genome, fitted to the k-mer spectrum; genome size is also valid for
/// haploid genomes. The estimates need a coverage of about 15 or more, and counts without a lower or upper limit.
#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) sorting: Sorting,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// Look up the counts of k-mers, or of all k-mers in sequences
///
/// Prints each k-mer and its count, 0 if the database does not have it. A canonical database is searched for both strands,
/// and k-mers are printed as it stores them. U counts as T, and is printed as T.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers query sample.thk ACGTACGTACGTACGTACGTACGTACGTACG
  thalweg kmers query sample.thk --sequence contigs.fasta
  thalweg kmers query sample.thk - < list_of_kmers.txt
  thalweg kmers query sample.thk --interactive    print a count after each k-mer")]
pub(crate) struct QueryArguments {
    /// Database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// K-mers; - reads them from standard input, one per line
    #[arg(value_name = "KMER")]
    pub(crate) kmers: Vec<String>,

    /// Look up every k-mer of FILE (repeatable)
    ///
    /// FILE is FASTA or FASTQ, compressed or not.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) sequence: Vec<PathBuf>,

    /// Print the count of each k-mer as soon as it is entered
    ///
    /// There is one k-mer per line. A line that is not a k-mer is reported on standard error, and gets no answer.
    #[arg(short, long, conflicts_with_all = ["kmers", "sequence", "output"])]
    pub(crate) interactive: bool,

    /// Threads for --sequence [default: one per core]
    #[arg(short, long, help_heading = "Common options", value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Memory limit for buffered answers [default: 1Gi]
    ///
    /// It does not include the database. The default is higher if 1Gi does not keep all threads busy.
    #[arg(long, help_heading = "Common options", value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Write to PATH instead of standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) end: crate::options::EndCheck,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// A merge, by one or several jobs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers merge lane1.thk lane2.thk -o both.thk
  thalweg kmers merge sample.jf -o sample.kmc
In parts, each a separate job:
  thalweg kmers merge shard.*.thk --partition $i/4 -o counts/part.$i.thk
  thalweg kmers join counts/part.*.thk && thalweg kmers histo counts/")]
pub(crate) struct UnionArguments {
    #[command(flatten)]
    pub(crate) merge: MergeArguments,

    /// Merge only part I of N (I starts at 1)
    ///
    /// Each job merges one part of the k-mers of the same databases. `thalweg kmers join` then joins all parts into one
    /// database.
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) partition: Option<Shard>,

    /// Merge even if shards (count --shard) are missing
    ///
    /// Use it to merge the shards of `thalweg count --shard` in stages. Without it, a missing shard is an error.
    #[arg(long)]
    pub(crate) some_shards: bool,
}

/// Combine the parts from merge --partition into one database
///
/// The parts stay where they are, in one directory. The command writes manifest.json there. Other commands then accept the
/// name of the directory as a database.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  thalweg kmers join counts/part.*.thk
  thalweg kmers histo counts/")]
pub(crate) struct JoinArguments {
    /// All parts, in one directory
    #[arg(required = true, value_name = "PART")]
    pub(crate) parts: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// Arguments of commands that combine databases; see [`KmersCommand`].
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  thalweg kmers intersect --count min mother.thk father.thk -o common.thk")]
pub(crate) struct MergeArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    /// Rule for combining counts of shared k-mers
    #[arg(long, value_enum, default_value_t = CombinedCount::Sum, value_name = "WHICH")]
    pub(crate) count: CombinedCount,

    #[command(flatten)]
    pub(crate) result: ResultArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CombinedCount {
    /// The sum
    Sum,
    /// The smallest
    Min,
    /// The largest
    Max,
    /// The count in the first database that has it
    First,
}

/// Arguments of commands that subtract databases from the first one; see [`KmersCommand`].
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers subtract child.thk mother.thk father.thk -o new.thk
  thalweg kmers diff after.thk before.thk -o more.thk")]
pub(crate) struct SubtractArguments {
    /// The database to subtract from, then those to subtract
    #[arg(required = true, value_name = "DB", num_args = 2..)]
    pub(crate) databases: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) result: ResultArguments,
}

/// The resulting database.
#[derive(Debug, Args)]
pub(crate) struct ResultArguments {
    /// Write the database to PATH
    ///
    /// The name selects the format (.thk .jf .kmc .tsv .fasta).
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    /// Format of the database, regardless of its name
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,

    /// Threads to use [default: one per core]
    #[arg(short, long, help_heading = "Common options", value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Print only warnings and errors
    #[arg(short, long, help_heading = "Common options")]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) limits: Limits,

    /// Cap counts at the maximum of the format
    ///
    /// Without this option, larger counts are an error (KMC: from 2^32 on).
    #[arg(long, hide_short_help = true)]
    pub(crate) saturate: bool,

    #[command(flatten)]
    pub(crate) sorting: Sorting,
}

/// Limits of counts.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Limits {
    /// Drop k-mers that occur less often
    #[arg(
        short = 'L',
        long,
        value_name = "COUNT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) min: u64,

    /// Drop k-mers that occur more often
    #[arg(short = 'U', long, value_name = "COUNT", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) max: u64,
}

impl Limits {
    /// Rejects limits that exclude every count.
    pub(crate) fn check(self) -> Result<(), Failure> {
        Ok(check_counts((self.min, self.max))?)
    }
}

/// A choice of notes. Commands without notes accept it as well, for the sake of scripts.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Notes {
    /// Print no notes, only warnings and errors
    #[arg(short, long, help_heading = "Common options")]
    pub(crate) quiet: bool,
}

/// Memory and disk for sorting, if a database is not sorted.
#[derive(Clone, Debug, Args)]
pub(crate) struct Sorting {
    /// Memory limit for sorting k-mers [default: 256Mi]
    ///
    /// K-mers are sorted only if the input is unsorted, or the result needs another order.
    #[arg(long, help_heading = "Common options", value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Directory for temporary files [default: $TMPDIR or /tmp]
    #[arg(long, help_heading = "Common options", value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,
}

/// Show the header of a database: format, k, strands, origin
///
/// The k-mers are not read.
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// Check databases for damage, reading everything
///
/// As far as the format allows, it checks checksums, order, totals, and whether k-mers of canonical databases are canonical.
///
/// Text and jellyfish's own databases have no totals. There, truncation between two k-mers is not detected, and a note says
/// so. Text that is truncated within its last count still has a count there. A warning reports a last line without a
/// line feed.
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) sorting: Sorting,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// Filter reads or pairs by their k-mers in a database
///
/// A read matches if enough of its k-mers have a count from -L to -U in the database. Matching reads are kept, or dropped with
/// --invert. A pair matches if either mate does, or with --both if both do. Reads are written unchanged, in their order.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers filter-reads phix.thk reads.fq.gz --invert -o clean.fq.gz
  thalweg kmers filter-reads reads.thk reads.fq.gz -L 3 --fraction 0.9 -o ok.fq
  thalweg kmers filter-reads phix.thk --mates r1.fq.gz r2.fq.gz --invert \\
    -o c1.fq.gz -O c2.fq.gz")]
pub(crate) struct FilterArguments {
    /// Database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// FASTQ, FASTA or BAM files, compressed or not; - is standard input
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Minimum fraction of matching k-mers (0: at least one)
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = parse_fraction)]
    pub(crate) fraction: f64,

    /// Keep the reads that do not match
    #[arg(long)]
    pub(crate) invert: bool,

    /// Read two files as mates, and check their names
    ///
    /// A pair is kept or dropped as a whole.
    #[arg(long, conflicts_with = "interleaved")]
    pub(crate) mates: bool,

    /// Read interleaved mates, and check their names
    ///
    /// A pair is kept or dropped as a whole.
    #[arg(long)]
    pub(crate) interleaved: bool,

    /// Pair mates by position, without checking names
    #[arg(long, hide_short_help = true)]
    pub(crate) ignore_names: bool,

    /// Require both mates to match [default: either one]
    #[arg(long)]
    pub(crate) both: bool,

    /// Write to PATH instead of standard output
    ///
    /// Output named .gz is compressed as BGZF, .zst as zstd.
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Write second mates to PATH, and first mates to -o
    ///
    /// Without it, mates are written interleaved to -o.
    #[arg(short = 'O', long, value_name = "PATH")]
    pub(crate) out2: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) index: crate::options::IndexChoice,

    #[command(flatten)]
    pub(crate) end: crate::options::EndCheck,

    #[command(flatten)]
    pub(crate) limits: FilterLimits,

    #[command(flatten)]
    pub(crate) compression: crate::options::Compression,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    #[command(flatten)]
    pub(crate) common: crate::options::Common,
}

/// Limits of the counts that match.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct FilterLimits {
    /// Ignore k-mers that occur less often
    #[arg(short = 'L', long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) min: u64,

    /// Ignore k-mers that occur more often
    #[arg(short = 'U', long, value_name = "COUNT", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) max: u64,
}

fn parse_fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(fraction) if FilterSettings::FRACTION.contains(&fraction) => Ok(fraction),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}
