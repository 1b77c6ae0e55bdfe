//! kraken2's command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Parser;

/// What is printed for `--version`: scripts take the word behind `version`. It says whose options these are, and whose program.
pub(super) const VERSION: &str = concat!(
    "Kraken version 2.1.2 (thalweg ",
    env!("CARGO_PKG_VERSION"),
    ")"
);

/// Classifies reads with thalweg, for scripts that call kraken2
#[derive(Debug, Parser)]
#[command(
    name = "kraken2",
    infer_long_args = true,
    after_help = "Databases are built with `thalweg taxa build`. See `thalweg classify --help` for more options."
)]
pub(super) struct Kraken {
    /// FASTQ or FASTA files, compressed or not
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// A database built with thalweg taxa build: its name with or without .tht, or a directory that has one [default:
    /// $KRAKEN2_DEFAULT_DB]; names without a slash are looked for in $KRAKEN2_DB_PATH
    #[arg(long, value_name = "NAME")]
    pub(super) db: Option<PathBuf>,

    /// Number of threads [default: $KRAKEN2_NUM_THREADS, or 1]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,

    /// Files are mate pairs, two for each set of pairs
    #[arg(long)]
    pub(super) paired: bool,

    /// With --paired: mates alternate in the same file
    #[arg(long, requires = "paired")]
    pub(super) interleaved: bool,

    /// Pair reads by position, ignoring names
    #[arg(long)]
    pub(super) ignore_names: bool,

    /// Where labels go [default: the standard output]; - for nowhere
    #[arg(long, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,

    /// Write names of taxa, too
    #[arg(long)]
    pub(super) use_names: bool,

    /// Write reads with a label here; of pairs # is _1 or _2
    #[arg(long, value_name = "PATH")]
    pub(super) classified_out: Option<PathBuf>,

    /// Write reads without a label here; of pairs # is _1 or _2
    #[arg(long, value_name = "PATH")]
    pub(super) unclassified_out: Option<PathBuf>,

    /// The share of a read's k-mers that must be of its taxon or below, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub(super) confidence: f64,

    /// Treat bases below this quality as N
    #[arg(long, value_name = "QUALITY", default_value_t = 0)]
    pub(super) minimum_base_quality: u8,

    /// Write how many reads are of each taxon and below
    #[arg(long, value_name = "PATH")]
    pub(super) report: Option<PathBuf>,

    /// Write paths of names and numbers in the report
    #[arg(long)]
    pub(super) use_mpa_style: bool,

    /// List all taxa of the database in the report
    #[arg(long)]
    pub(super) report_zero_counts: bool,

    /// Two columns more in the report: k-mers of each taxon, and how many distinct ones
    #[arg(long)]
    pub(super) report_minimizer_data: bool,

    /// Read the database page by page, even a small one, which is otherwise read as a whole first
    #[arg(long)]
    pub(super) memory_mapping: bool,

    /// Not needed: all k-mers are looked up
    #[arg(long)]
    pub(super) quick: bool,

    /// Not needed: there are no chance hits
    #[arg(long, value_name = "N")]
    pub(super) minimum_hit_groups: Option<u64>,

    /// Not needed: detected from the content
    #[arg(long)]
    pub(super) gzip_compressed: bool,

    /// Not needed: detected from the content
    #[arg(long)]
    pub(super) bzip2_compressed: bool,

    /// Without effect, as in kraken2
    #[arg(long, hide = true)]
    pub(super) only_classified_output: bool,
}

/// Why an option of other versions of kraken2 is not there.
pub(super) fn why_not(option: &str) -> Option<&'static str> {
    match option {
        "--use-daemon" | "--stop-daemon" => Some(
            "no daemon is needed: processes share a mapped database, and `thalweg classify --samples` opens it once",
        ),
        "--protein-query" | "--translated-search" => Some("there are no databases of proteins"),
        _ => None,
    }
}
