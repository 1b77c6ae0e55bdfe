//! Adapters, and the search for them.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use thalweg::clean::CleanSettings;

use super::{MOST, USUAL};
use crate::options::quantity::whole;

/// The value with which fastp detects adapters.
const AUTO: &str = "auto";

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Adapters")]
pub(crate) struct Adapters {
    /// Do not cut 3' adapters
    #[arg(short = 'A', long)]
    pub(crate) disable_adapter_trimming: bool,

    /// Adapter of read 1
    ///
    /// By default, adapters are detected. IUPAC letters are supported: N matches any base.
    #[arg(short = 'a', long, value_name = "SEQ", default_value = AUTO, help_heading = MOST)]
    pub(crate) adapter_sequence: String,

    /// Adapter of read 2
    ///
    /// It defaults to -a if that is given, unless --detect_adapter_for_pe is given.
    #[arg(hide_short_help = true, long, value_name = "SEQ", default_value = AUTO)]
    pub(crate) adapter_sequence_r2: String,

    /// FASTA of adapters of both reads
    #[arg(long, value_name = "FILE")]
    pub(crate) adapter_fasta: Option<PathBuf>,

    /// 5' adapter or primer of read 1
    ///
    /// The option is repeatable. The adapter and all bases before it are cut. It matches anywhere in the
    /// read; at the start of the read, its last 5 bases are enough.
    /// ^SEQ matches only in full and at the start. IUPAC letters are supported, and one base in 8 may differ. Among
    /// several adapters, the best match is cut.
    #[arg(hide_short_help = true, long = "adapter_sequence_5p", value_name = "SEQ", action = ArgAction::Append)]
    pub(crate) front_adapters: Vec<String>,

    /// 5' adapter or primer of read 2
    #[arg(hide_short_help = true, long = "adapter_sequence_5p_r2", value_name = "SEQ", action = ArgAction::Append)]
    pub(crate) front_adapters_r2: Vec<String>,

    /// FASTA of 5' adapters of both reads
    #[arg(hide_short_help = true, long = "adapter_fasta_5p", value_name = "FILE")]
    pub(crate) front_adapter_fasta: Option<PathBuf>,

    /// Detect adapters of pairs by sequence as well as by overlap
    #[arg(hide_short_help = true, short = '2', long)]
    pub(crate) detect_adapter_for_pe: bool,

    /// Allow one gap in the overlap of mates
    #[arg(hide_short_help = true, long)]
    pub(crate) allow_gap_overlap_trimming: bool,

    /// Longest trimmed read that counts as an adapter dimer
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.dimer_max_len, value_parser = whole(0..=usize::MAX))]
    pub(crate) dimer_max_len: usize,
}

impl Adapters {
    /// Adds the options to `settings`.
    pub(super) fn apply(&self, settings: &mut CleanSettings) {
        let given = |sequence: &str| (sequence != AUTO).then(|| sequence.as_bytes().to_vec());
        let bytes = |texts: &[String]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        settings.adapter_fasta = self.adapter_fasta.clone();
        settings.adapter_fasta_5p = self.front_adapter_fasta.clone();
        let steps = &mut settings.steps;
        steps.adapter_sequence = given(&self.adapter_sequence);
        steps.adapter_sequence_r2 = given(&self.adapter_sequence_r2);
        steps.adapter_sequence_5p = bytes(&self.front_adapters);
        steps.adapter_sequence_5p_r2 = bytes(&self.front_adapters_r2);
        steps.disable_adapter_trimming = self.disable_adapter_trimming;
        steps.detect_adapter_for_pe = self.detect_adapter_for_pe;
        steps.allow_gap_overlap_trimming = self.allow_gap_overlap_trimming;
        steps.dimer_max_len = self.dimer_max_len;
    }
}
