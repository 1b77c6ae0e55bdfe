//! The command line: that of `thalweg count`, and what several processes have beside it.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use thalweg::IndexUse;
use thalweg::kmers::database::DatabaseFormat;

use crate::quantity::{parse_k, parse_size, parse_threads};

/// Count k-mers by all processes of a job, over MPI
///
/// Started by mpirun or srun, with one process (rank) for each node or part of a node, and threads in each.
#[derive(Debug, Parser)]
#[command(name = "thalweg-mpi", version, subcommand_required = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Count(CountArguments),
}

/// Count all k-mers of reads, exactly
///
/// As `thalweg count`. Ranks share the files out among each other as they go; each counts some of the k-mers, and writes
/// them to a shard. The directory of all shards is a set, which stands wherever `thalweg kmers` takes a database.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("result").args(["output", "histo"]).required(true).multiple(true),
    after_help = "\
Examples:
  mpirun -n 4 thalweg-mpi count -k 31 *.fastq.gz -o counts/
  srun --mpi=pmix thalweg-mpi count -k 31 --files-from reads.txt --chunk 64Mi --tmp /local -o counts/
  mpirun -n 2 thalweg-mpi count -k 21 reads.fq --merge -o counts.thk

Exit codes: 0 all is well; 1 the data are at fault; 2 usage, input or output, internal error. A launcher may give another one
where a process was killed: a directory with a manifest.json is whole, and one without is not."
)]
pub(crate) struct CountArguments {
    /// FASTQ or FASTA files that all ranks can open, compressed or not; - is the standard input, of one rank
    #[arg(required_unless_present = "files_from", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Read the files that LIST names, too, one in each line
    #[arg(long, value_name = "LIST")]
    pub(crate) files_from: Vec<PathBuf>,

    /// Bases of a k-mer, 1 to 255
    #[arg(short, value_name = "K", value_parser = parse_k)]
    pub(crate) k: usize,

    /// The directory of the set, on a file system that all ranks share; it must be empty, not be there, or have a set or
    /// unfinished shards, which are replaced. With --merge, one file
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Make one database of all shards at the end
    #[arg(long, requires = "output")]
    pub(crate) merge: bool,

    /// Format of that database
    #[arg(long, value_enum, requires = "merge", default_value_t = OutputFormat::Thk)]
    pub(crate) format: OutputFormat,

    /// Write how many k-mers occur how often, before -L and -U; - is the standard output of rank 0
    #[arg(long, value_name = "PATH")]
    pub(crate) histo: Option<PathBuf>,

    /// Bytes on disk that are read as one, of files that are cut by size; 64Mi suits Lustre [default: some MiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) chunk: Option<u64>,

    /// Count k-mers as they stand, not as canonical k-mers
    #[arg(long)]
    pub(crate) forward: bool,

    /// Leave out k-mers that occur less often
    #[arg(short = 'L', long, value_name = "COUNT", default_value_t = 1)]
    pub(crate) min: u64,

    /// Leave out k-mers that occur more often
    #[arg(short = 'U', long, value_name = "COUNT", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) max: u64,

    /// Cut counts that the database has no room for to the largest that it has
    #[arg(long, requires = "merge")]
    pub(crate) saturate: bool,

    /// Leave out k-mers with a base of a lower Phred quality (FASTQ with an offset of 33)
    #[arg(long, value_name = "Q", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=93))]
    pub(crate) min_quality: u8,

    /// Where temporary files of each rank go, best a disk of its node [default: $TMPDIR or /tmp]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp: Option<PathBuf>,

    /// What to do about the index beside a gzip file
    #[arg(long, value_enum, default_value_t = IndexMode::Auto, value_name = "WHAT")]
    pub(crate) index: IndexMode,

    /// Look for indexes here, too [default: $THALWEG_INDEX_DIR, if set]
    #[arg(long, value_name = "DIR")]
    pub(crate) index_dir: Option<PathBuf>,

    /// Threads of each rank that read and count [default: the cores that it is bound to]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Memory that each rank may have [default: half of what is available, shared by the ranks of the machine]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,

    /// Print nothing but results and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Print more of what each rank has done
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Print no progress
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Formats that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// thalweg's own
    Thk,
    /// Jellyfish's binary/sorted
    Jf,
    /// KMC's, two files
    Kmc,
    /// Tab-separated: k-mer, count
    Tsv,
    /// FASTA with counts as sequence names
    Fasta,
}

impl OutputFormat {
    pub(crate) fn to_library(self) -> DatabaseFormat {
        match self {
            Self::Thk => DatabaseFormat::Thk,
            Self::Jf => DatabaseFormat::Jellyfish,
            Self::Kmc => DatabaseFormat::Kmc,
            Self::Tsv => DatabaseFormat::Tsv,
            Self::Fasta => DatabaseFormat::Fasta,
        }
    }
}

/// What is done about indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndexMode {
    /// Use it if there is one
    Auto,
    /// Read as if there were none
    Never,
    /// Fail if there is none
    Require,
}

impl IndexMode {
    pub(crate) fn to_library(self) -> IndexUse {
        match self {
            Self::Auto => IndexUse::Auto,
            Self::Never => IndexUse::Never,
            Self::Require => IndexUse::Require,
        }
    }
}
