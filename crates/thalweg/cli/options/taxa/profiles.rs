//! Which taxa are in a sample, beyond labels.

use std::path::PathBuf;

use clap::Args;
use thalweg::taxa::sample::PresenceTest;

/// Outputs that tell of a sample as a whole.
#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    /// Write which taxa are there, as a table: reads, distinct k-mers and how many are expected, how much is found of
    /// what only they have, identity, abundance, present or not
    #[arg(help_heading = "Which taxa are in a sample", long, value_name = "PATH")]
    pub(crate) presence: Option<PathBuf>,

    /// Write a page for a browser, to click through, sort and filter; of --samples one of all, side by side, which goes here
    /// and not to --out-dir
    #[arg(help_heading = "Which taxa are in a sample", long, value_name = "PATH")]
    pub(crate) html: Option<PathBuf>,

    /// Two columns more in the report, as kraken2's --report-minimizer-data: k-mers of each taxon, and distinct ones.
    /// MultiQC 1.35 cannot read reports in which a species has none
    #[arg(help_heading = "Which taxa are in a sample", long)]
    pub(crate) report_kmers: bool,

    /// Write reads by lineage, for Krona's ktImportText
    #[arg(help_heading = "Which taxa are in a sample", long, value_name = "PATH")]
    pub(crate) krona: Option<PathBuf>,

    /// Write abundances of the taxa that are there, as CAMI's profiling format
    #[arg(help_heading = "Which taxa are in a sample", long, value_name = "PATH")]
    pub(crate) cami_profile: Option<PathBuf>,

    /// Write the taxon of each read, as CAMI's binning format
    #[arg(help_heading = "Which taxa are in a sample", long, value_name = "PATH")]
    pub(crate) cami_binning: Option<PathBuf>,

    /// What the sample is called in these [default: by the name of its first file]
    #[arg(
        help_heading = "Which taxa are in a sample",
        long,
        value_name = "NAME",
        conflicts_with = "samples"
    )]
    pub(crate) sample_name: Option<String>,

    /// Reads that a taxon needs to count as present
    #[arg(
        help_heading = "Which taxa are in a sample",
        long,
        value_name = "READS",
        default_value_t = PresenceTest::default().reads
    )]
    pub(crate) present_reads: u64,

    /// The ratio that a taxon needs to count as present. It is of the k-mers that no other taxon of the database has: how many
    /// its reads have, over how many reads of its very genomes would have. Errors lower it: with 5 in 100 bases a fifth is left, with
    /// 10 a 25th
    #[arg(
        help_heading = "Which taxa are in a sample",
        long,
        value_name = "RATIO",
        default_value_t = PresenceTest::default().ratio
    )]
    pub(crate) present_ratio: f64,
}
