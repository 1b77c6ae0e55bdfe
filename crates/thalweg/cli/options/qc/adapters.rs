//! Adapters, and what finds them.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use thalweg::clean::CleanSettings;

use super::{MOST, USUAL};
use crate::options::quantity::whole;

/// What fastp is told when it is to find out by itself.
const AUTO: &str = "auto";

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Adapters")]
pub(crate) struct Adapters {
    /// Cut no adapters at the 3' end
    #[arg(short = 'A', long)]
    pub(crate) disable_adapter_trimming: bool,

    /// Adapter of read 1; IUPAC letters match what they stand for
    #[arg(short = 'a', long, value_name = "SEQUENCE", default_value = AUTO, help_heading = MOST)]
    pub(crate) adapter_sequence: String,

    /// Adapter of read 2 [default: that of read 1 if it is given, without --detect_adapter_for_pe]
    #[arg(long, value_name = "SEQUENCE", default_value = AUTO)]
    pub(crate) adapter_sequence_r2: String,

    /// FASTA of adapters to cut from both reads
    #[arg(long, value_name = "FILE")]
    pub(crate) adapter_fasta: Option<PathBuf>,

    /// Adapter or primer at the 5' end of read 1, cut with all before it; may be given again
    ///
    /// It may stand anywhere in the read, or its last 5 bases or more where the read begins; as
    /// ^SEQUENCE, only whole and where the read begins. IUPAC letters match what they stand for; one
    /// letter in 8 may differ. Of several, the one that agrees best is cut.
    #[arg(long = "adapter_sequence_5p", value_name = "SEQUENCE", action = ArgAction::Append)]
    pub(crate) front_adapters: Vec<String>,

    /// The same for read 2
    #[arg(long = "adapter_sequence_5p_r2", value_name = "SEQUENCE", action = ArgAction::Append)]
    pub(crate) front_adapters_r2: Vec<String>,

    /// FASTA of such adapters, for both reads
    #[arg(long = "adapter_fasta_5p", value_name = "FILE")]
    pub(crate) front_adapter_fasta: Option<PathBuf>,

    /// Find the adapters of pairs in their sequences, too
    #[arg(short = '2', long)]
    pub(crate) detect_adapter_for_pe: bool,

    /// Let the overlap of mates have one gap
    #[arg(long)]
    pub(crate) allow_gap_overlap_trimming: bool,

    /// Reads of at most so many bases after trimming are adapter dimers
    #[arg(long, value_name = "N", default_value_t = USUAL.steps.dimer_max_len, value_parser = whole(0..=usize::MAX))]
    pub(crate) dimer_max_len: usize,
}

impl Adapters {
    /// Put what was said into `settings`.
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
