//! What a sample is of, beyond labels.

use std::path::PathBuf;

use clap::Args;

/// Outputs that tell of a sample as a whole.
#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// Write which taxa are there, as a table: reads, distinct k-mers and how many are expected, how much is found of
    /// what only they have, identity, abundance, present or not
    #[arg(help_heading = "What a sample is of", long, value_name = "PATH")]
    pub(crate) presence: Option<PathBuf>,

    /// Write a page for a browser, to click through, sort and filter; of --samples all side by side
    #[arg(help_heading = "What a sample is of", long, value_name = "PATH")]
    pub(crate) html: Option<PathBuf>,

    /// Two columns more in the report, as kraken2's --report-minimizer-data: k-mers of each taxon, and distinct ones
    #[arg(help_heading = "What a sample is of", long)]
    pub(crate) report_kmers: bool,

    /// Write reads by lineage, for Krona's ktImportText
    #[arg(help_heading = "What a sample is of", long, value_name = "PATH")]
    pub(crate) krona: Option<PathBuf>,

    /// Write abundances of the taxa that are there, as CAMI's profiling format
    #[arg(help_heading = "What a sample is of", long, value_name = "PATH")]
    pub(crate) cami_profile: Option<PathBuf>,

    /// Write the taxon of each read, as CAMI's binning format
    #[arg(help_heading = "What a sample is of", long, value_name = "PATH")]
    pub(crate) cami_binning: Option<PathBuf>,

    /// What the sample is called in these [default: by the name of its first file]
    #[arg(
        help_heading = "What a sample is of",
        long,
        value_name = "NAME",
        conflicts_with = "samples"
    )]
    pub(crate) sample_name: Option<String>,

    /// Reads that a taxon needs to be there
    #[arg(
        help_heading = "What a sample is of",
        long,
        value_name = "READS",
        default_value_t = 5
    )]
    pub(crate) present_reads: u64,

    /// How much of what only its references have a taxon needs to be there, where 1 is what reads of these would have;
    /// reads with many errors have less: at 5 in 100 bases a fifth is left, at 10 a 25th
    #[arg(
        help_heading = "What a sample is of",
        long,
        value_name = "RATIO",
        default_value_t = 0.25
    )]
    pub(crate) present_ratio: f64,
}
