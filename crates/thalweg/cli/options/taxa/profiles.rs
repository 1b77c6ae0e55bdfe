//! The composition of a sample, beyond labels.

use std::path::PathBuf;

use clap::Args;
use thalweg::taxa::sample::PresenceTest;

/// Outputs on a sample as a whole.
#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// Write a table of the taxa present, with abundances
    ///
    /// Columns include reads, distinct k-mers and their expected number, the ratio of unique k-mers (see --present-ratio),
    /// identity, abundance, and present: yes or no.
    #[arg(help_heading = "Sample composition", long, value_name = "PATH")]
    pub(crate) presence: Option<PathBuf>,

    /// Write an interactive HTML page of the composition
    ///
    /// With --samples, one page shows all samples side by side. It is written to PATH, not to --out-dir.
    #[arg(help_heading = "Sample composition", long, value_name = "PATH")]
    pub(crate) html: Option<PathBuf>,

    /// Add k-mers and distinct k-mers to the report
    ///
    /// The two columns are those of Kraken 2's --report-minimizer-data. MultiQC 1.35 cannot read reports in which a
    /// species has zero distinct k-mers.
    #[arg(help_heading = "Sample composition", hide_short_help = true, long)]
    pub(crate) report_kmers: bool,

    /// Write reads by lineage, for Krona's ktImportText
    #[arg(
        help_heading = "Sample composition",
        hide_short_help = true,
        long,
        value_name = "PATH"
    )]
    pub(crate) krona: Option<PathBuf>,

    /// Write abundances of the taxa present, in CAMI's profiling format
    #[arg(
        help_heading = "Sample composition",
        hide_short_help = true,
        long,
        value_name = "PATH"
    )]
    pub(crate) cami_profile: Option<PathBuf>,

    /// Write the taxon of each read, in CAMI's binning format
    #[arg(
        help_heading = "Sample composition",
        hide_short_help = true,
        long,
        value_name = "PATH"
    )]
    pub(crate) cami_binning: Option<PathBuf>,

    /// Sample name in the CAMI files [default: from the first file]
    #[arg(
        help_heading = "Sample composition",
        hide_short_help = true,
        long,
        value_name = "NAME",
        conflicts_with = "samples"
    )]
    pub(crate) sample_name: Option<String>,

    /// Minimum number of reads for a taxon to be called present
    #[arg(
        help_heading = "Sample composition", hide_short_help = true,
        long,
        value_name = "READS",
        default_value_t = PresenceTest::default().reads
    )]
    pub(crate) present_reads: u64,

    /// Minimum ratio of unique k-mers for a taxon to be called present
    ///
    /// Unique k-mers are those that no other taxon of the database has. The ratio is observed to expected: unique
    /// k-mers in the reads assigned to the taxon, divided by the number if these reads came from its genomes. Sequencing
    /// errors lower it: to about a fifth at 5% errors, and to a 25th at 10%.
    #[arg(
        help_heading = "Sample composition", hide_short_help = true,
        long,
        value_name = "RATIO",
        default_value_t = PresenceTest::default().ratio
    )]
    pub(crate) present_ratio: f64,
}
