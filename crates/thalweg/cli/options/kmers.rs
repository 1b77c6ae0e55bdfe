//! The command line of `thalweg kmers`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use thalweg::databases::{FilterSettings, check_counts};

use crate::jobs::kmers::OutputFormat;
use crate::options::files_from::FilesFrom;
use crate::options::quantity::{Shard, parse_memory, parse_shard, parse_threads};
use crate::process::exit::Failure;

/// Look into databases of counted k-mers, and combine them
///
/// Databases are those of `thalweg count` (.thk), of jellyfish and of kmc, and dumps of them as
/// lines of text or FASTA. What a file is, is told from its content. KMC databases are named by
/// either of their files or by the common part of their names.
#[derive(Debug, Args)]
pub(crate) struct KmersArguments {
    #[command(subcommand)]
    pub(crate) command: KmersCommand,
}

/// What to do with databases.
#[derive(Debug, Subcommand)]
pub(crate) enum KmersCommand {
    Histo(HistoArguments),
    Dump(DumpArguments),
    Stats(StatsArguments),
    Query(QueryArguments),
    /// Union: k-mers of any database, counts added up; also converts one to another format
    ///
    /// All must have the same k and treat the strands in the same way; formats may differ. The
    /// result of one database alone is the same database in another format, or with other limits.
    Merge(UnionArguments),
    Join(JoinArguments),
    /// Intersection: only k-mers that every database has
    ///
    /// All must have the same k and treat the strands in the same way; formats may differ. Counts are summed up;
    /// `--count min` does as kmc_tools simple does.
    Intersect(MergeArguments),
    /// Set difference: k-mers of the first database that no other has, their counts as they are
    ///
    /// Those of the others are left out, however often they occur; counts stay what they are. `diff`
    /// subtracts counts.
    Subtract(SubtractArguments),
    /// Difference of counts: of the first database, less those of the others
    ///
    /// What is left of a count is written; k-mers of which nothing is left are not.
    Diff(SubtractArguments),
    Info(InfoArguments),
    Verify(VerifyArguments),
    FilterReads(FilterArguments),
}

/// Spectrum: how many k-mers occur once, twice, … (as lines, JSON or a picture)
///
/// One line for each count: the count and the number of different k-mers that have it. Text whose k-mers do not
/// ascend, such as jellyfish's dumps, is sorted first, as a k-mer may come twice: that takes temporary files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers histo sample.thk > sample.histo
  thalweg kmers histo sample.thk --plot sample.svg -o sample.histo
  thalweg kmers histo --high 10000 --full sample.jf")]
pub(crate) struct HistoArguments {
    /// The database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Add what occurs less often to the bin below this one
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) low: u64,

    /// Add what occurs more often to the bin above this one [default: no limit]
    #[arg(long, value_name = "COUNT")]
    pub(crate) high: Option<u64>,

    /// Counts in a bin
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) increment: u64,

    /// Print bins without k-mers, too (up to --high)
    #[arg(long, requires = "high")]
    pub(crate) full: bool,

    /// Print all of the spectrum as JSON
    #[arg(long, conflicts_with_all = ["low", "high", "increment", "full"])]
    pub(crate) json: bool,

    /// Draw the spectrum, and what it says about the genome, to this SVG file
    #[arg(long, value_name = "SVG")]
    pub(crate) plot: Option<PathBuf>,

    /// Write here instead of the standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sorting: Sorting,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// List every k-mer with its count, as TSV or FASTA
///
/// k-mers ascend, unless the order of the file is asked for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers dump sample.thk | head
  thalweg kmers dump -L 10 --format fasta sample.jf -o frequent.fasta
  thalweg kmers dump -c sample.thk > counts.txt      for what reads `jellyfish dump -c`")]
pub(crate) struct DumpArguments {
    /// The database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Lines of k-mer, tab, count; or FASTA with the count as name [default: as the name of the
    /// output tells, else tsv]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DumpFormat>,

    /// Lines of k-mer, blank, count, as of `jellyfish dump -c`
    #[arg(short = 'c', long, conflicts_with = "format")]
    pub(crate) column: bool,

    /// Keep the order of the file, which depends on threads and memory: faster, and needs no temporary files
    #[arg(long)]
    pub(crate) file_order: bool,

    /// Number of threads that make text of k-mers [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Write here instead of the standard output
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

/// Totals, and what they say of the genome: coverage, size, heterozygosity
///
/// The estimates fit a model of a diploid genome to the spectrum of counts; the size of a haploid
/// one comes out right, too. They need a coverage of about 15, and counts that nobody cut off.
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

/// Look up the counts of given k-mers, or of all in given sequences
///
/// Prints each k-mer and its count, 0 if the database does not have it. In a canonical database
/// k-mers are found by either strand, and printed as it stores them. U is T, and printed so.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers query sample.thk ACGTACGTACGTACGTACGTACGTACGTACG
  thalweg kmers query sample.thk --sequence contigs.fasta
  thalweg kmers query sample.thk - < list_of_kmers.txt
  thalweg kmers query sample.thk --interactive       prints a count after each k-mer")]
pub(crate) struct QueryArguments {
    /// The database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// k-mers; - reads them from the standard input, one on a line
    #[arg(value_name = "KMER")]
    pub(crate) kmers: Vec<String>,

    /// Look up every k-mer of these reads or sequences (FASTA, FASTQ, compressed or not)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) sequence: Vec<PathBuf>,

    /// Read k-mers from the standard input, one on a line, and answer each with its count at once. A
    /// line that is no k-mer is told on the standard error, and has no answer
    #[arg(short, long, conflicts_with_all = ["kmers", "sequence", "output"])]
    pub(crate) interactive: bool,

    /// Number of threads, where all of a file is looked up [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Bytes that answers may hold while they wait for their turn; the database comes on top [default: 1Gi, or more if
    /// that does not keep all threads busy]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Write here instead of the standard output
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) end: crate::options::EndCheck,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// Merge, all at once or by several jobs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers merge lane1.thk lane2.thk -o both.thk
  thalweg kmers merge sample.jf -o sample.kmc
By jobs that need nothing of each other:
  thalweg kmers merge shard.*.thk --partition $i/4 -o counts/part.$i.thk
  thalweg kmers join counts/part.*.thk && thalweg kmers histo counts/")]
pub(crate) struct UnionArguments {
    #[command(flatten)]
    pub(crate) merge: MergeArguments,

    /// Only the k-mers of part I of N: each job makes one, of the same databases. `thalweg kmers join` makes all of them
    /// one database
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) partition: Option<Shard>,

    /// Merge although shards of a count (`thalweg count --shard`) are missing: to merge them in stages
    #[arg(long)]
    pub(crate) some_shards: bool,
}

/// Make one database of all parts of a merge (--partition), where they are
///
/// They stay files of one directory. This writes its manifest.json, which makes it a set: a database that the others of
/// these commands take by the name of the directory.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  thalweg kmers join counts/part.*.thk
  thalweg kmers histo counts/")]
pub(crate) struct JoinArguments {
    /// The parts, which are all in one directory
    #[arg(required = true, value_name = "PART")]
    pub(crate) parts: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) notes: Notes,
}

/// Combine databases into one; [`KmersCommand`] says how.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  thalweg kmers intersect --count min mother.thk father.thk -o common.thk")]
pub(crate) struct MergeArguments {
    /// Databases
    #[arg(required = true, value_name = "DB")]
    pub(crate) databases: Vec<PathBuf>,

    /// The count of a k-mer that several databases have
    #[arg(long, value_enum, default_value_t = CombinedCount::Sum, value_name = "WHICH")]
    pub(crate) count: CombinedCount,

    #[command(flatten)]
    pub(crate) result: ResultArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CombinedCount {
    /// All of them added up
    Sum,
    /// The smallest
    Min,
    /// The largest
    Max,
    /// That of the first database that has it
    First,
}

/// Take databases away from the first one; [`KmersCommand`] says how.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers subtract child.thk mother.thk father.thk -o new.thk
  thalweg kmers diff after.thk before.thk -o more.thk")]
pub(crate) struct SubtractArguments {
    /// The database that others are taken away from, and those others
    #[arg(required = true, value_name = "DB", num_args = 2..)]
    pub(crate) databases: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) result: ResultArguments,
}

/// Where the result goes.
#[derive(Debug, Args)]
pub(crate) struct ResultArguments {
    /// Where the result goes; its format is told from the name (.thk .jf .kmc .tsv .fasta)
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: PathBuf,

    /// Format of the result, whatever its name
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,

    /// Number of threads [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Print nothing but warnings and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) limits: Limits,

    /// Cut counts that the format has no room for (KMC's: from 2^32 on) to the largest that it has;
    /// without this, they are an error
    #[arg(long)]
    pub(crate) saturate: bool,

    #[command(flatten)]
    pub(crate) sorting: Sorting,
}

/// Counts that are kept.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Limits {
    /// Leave out k-mers that occur less often
    #[arg(
        short = 'L',
        long,
        value_name = "COUNT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) min: u64,

    /// Leave out k-mers that occur more often
    #[arg(short = 'U', long, value_name = "COUNT", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) max: u64,
}

impl Limits {
    /// Refuses limits that no count is within.
    pub(crate) fn check(self) -> Result<(), Failure> {
        Ok(check_counts((self.min, self.max))?)
    }
}

/// Whether notes are wanted; warnings come in any case. What has none takes it as well, for the sake of scripts.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Notes {
    /// Print no notes; warnings come in any case
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What sorting may use, where a database is not sorted.
#[derive(Clone, Debug, Args)]
pub(crate) struct Sorting {
    /// Memory for bringing k-mers into order, where they or the result need it [default: 256Mi]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) memory: Option<u64>,

    /// Where temporary files go [default: $TMPDIR or /tmp]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,
}

/// Header alone: format, k, strands, whence it comes (reads no k-mers)
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

/// Check for damage: reads everything
///
/// Checksums, order, totals, that k-mers of canonical databases are canonical: as far as the format
/// has it. Text, and what jellyfish itself wrote, has no totals: a cut between two k-mers is not
/// found there, and a note says so. Text that was cut within its last count still has a count
/// there: a warning tells of a last line without a line feed.
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

/// Keep the reads, or pairs, whose k-mers are in a database; or drop them
///
/// A read is kept if enough of its k-mers have a count from -L to -U in the database. Reads come
/// out as they stand in the file, in their order. Of mates, both are kept if either is, or with
/// --both if both are.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  thalweg kmers filter-reads phix.thk reads.fastq.gz --fraction 0.5 --invert -o clean.fastq
  thalweg kmers filter-reads reads.thk reads.fastq.gz -L 3 --fraction 0.9 -o trusted.fastq
  thalweg kmers filter-reads phix.thk --mates r1.fq.gz r2.fq.gz --invert -o c1.fq.gz -O c2.fq.gz")]
pub(crate) struct FilterArguments {
    /// The database
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// FASTQ, FASTA or BAM files, compressed or not; - is the standard input
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) files_from: FilesFrom,

    /// The least part of a read's k-mers, from 0 to 1; 0 means one k-mer
    #[arg(long, value_name = "PART", default_value_t = 0.0, value_parser = parse_fraction)]
    pub(crate) fraction: f64,

    /// Print the other reads
    #[arg(long)]
    pub(crate) invert: bool,

    /// The two files are mates: read in step, names checked; a pair is kept or left out as one
    #[arg(long, conflicts_with = "interleaved")]
    pub(crate) mates: bool,

    /// Mates follow each other in the same file: names checked, kept or left out as one
    #[arg(long)]
    pub(crate) interleaved: bool,

    /// Take reads in the same position of both files for mates, whatever their names
    #[arg(long)]
    pub(crate) ignore_names: bool,

    /// Keep a pair only if both mates would be kept [default: if either would]
    #[arg(long)]
    pub(crate) both: bool,

    /// Write here instead of the standard output; a name in .gz is compressed (BGZF), one in .zst, too
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Where the second mates go, beside -o [default: behind the first, as -o]
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
    pub(crate) common: crate::options::Common,
}

/// Counts that count.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct FilterLimits {
    /// k-mers that occur less often do not count
    #[arg(short = 'L', long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) min: u64,

    /// k-mers that occur more often do not count
    #[arg(short = 'U', long, value_name = "COUNT", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) max: u64,
}

fn parse_fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(fraction) if FilterSettings::FRACTION.contains(&fraction) => Ok(fraction),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}
