//! Read names and UMIs.

use clap::Args;
use thalweg::clean::CleanSettings;
use thalweg::qc::{UmiLocation, ranges};

use super::USUAL;
use crate::options::quantity::whole;
use crate::process::exit::Failure;

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Names and UMIs")]
pub(crate) struct Names {
    /// Move unique molecular identifiers (UMIs) to read names
    #[arg(hide_short_help = true, short = 'U', long)]
    pub(crate) umi: bool,

    /// Location of UMIs: read1, read2, per_read, index1, ...
    ///
    /// WHERE is index1, index2, read1, read2, per_index, per_read, or a tag such as tag:RX. The tag is a BAM tag, or
    /// a tag after the read name in FASTQ.
    #[arg(hide_short_help = true, long, value_name = "WHERE", default_value = "")]
    pub(crate) umi_loc: String,

    /// Length of a UMI in a read
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.umi_len, value_parser = whole(0..=*ranges::UMI_LENGTH.end()))]
    pub(crate) umi_len: usize,

    /// Text before the UMI in the name
    #[arg(hide_short_help = true, long, value_name = "TEXT", default_value = USUAL.steps.umi_prefix.as_str())]
    pub(crate) umi_prefix: String,

    /// Bases to cut after a UMI in a read
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.umi_skip, value_parser = whole(0..=usize::MAX))]
    pub(crate) umi_skip: usize,

    /// Text between name and UMI
    #[arg(hide_short_help = true, long, value_name = "TEXT", default_value = USUAL.steps.umi_delim.as_str())]
    pub(crate) umi_delim: String,

    /// Fix read names of MGI instruments
    #[arg(hide_short_help = true, long)]
    pub(crate) fix_mgi_id: bool,
}

impl Names {
    /// Adds the options to `settings`.
    pub(super) fn apply(&self, settings: &mut CleanSettings) -> Result<(), Failure> {
        let steps = &mut settings.steps;
        steps.umi_loc = match self.umi_loc.as_str() {
            "" => None,
            name => Some(UmiLocation::parse(name).ok_or_else(|| {
                Failure::usage(
                    format!("--umi_loc {name}: no such place"),
                    "index1, index2, read1, read2, per_index, per_read, or a tag such as tag:RX",
                )
            })?),
        };
        steps.umi = self.umi;
        steps.umi_len = self.umi_len;
        steps.umi_prefix = self.umi_prefix.clone();
        steps.umi_skip = self.umi_skip;
        steps.umi_delim = self.umi_delim.clone();
        steps.fix_mgi_id = self.fix_mgi_id;
        Ok(())
    }
}
