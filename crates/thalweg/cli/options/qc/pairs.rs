//! Overlapping pairs.

use std::path::PathBuf;

use clap::Args;
use thalweg::clean::CleanSettings;
use thalweg::qc::ranges;

use super::USUAL;
use crate::options::quantity::whole;

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Pairs")]
pub(crate) struct Pairs {
    /// Correct bad bases from the overlapping mate
    #[arg(hide_short_help = true, short = 'c', long)]
    pub(crate) correction: bool,

    /// Minimum length of an overlap
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.overlap_len_require, value_parser = whole(0..=usize::MAX))]
    pub(crate) overlap_len_require: usize,

    /// Maximum number of mismatches in an overlap
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.overlap_diff_limit, value_parser = whole(0..=usize::MAX))]
    pub(crate) overlap_diff_limit: usize,

    /// Maximum percentage of mismatches in an overlap
    #[arg(hide_short_help = true, long, value_name = "PERCENT", default_value_t = USUAL.steps.overlap_diff_percent_limit, value_parser = whole(ranges::PERCENT))]
    pub(crate) overlap_diff_percent_limit: u8,

    /// Merge overlapping mates into one read
    #[arg(short = 'm', long)]
    pub(crate) merge: bool,

    /// Write merged reads to FILE
    ///
    /// Without it, --stdout writes them to standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) merged_out: Option<PathBuf>,

    /// Write unmerged reads to --merged_out as well
    #[arg(hide_short_help = true, long)]
    pub(crate) include_unmerged: bool,

    /// Without effect, as in fastp, except that no note reports unmerged pairs that are not written
    #[arg(long, hide = true)]
    pub(crate) discard_unmerged: bool,
}

impl Pairs {
    /// Adds the options to `settings`.
    pub(super) fn apply(&self, settings: &mut CleanSettings) {
        settings.outputs.merged_out = self.merged_out.clone();
        settings.discard_unmerged = self.discard_unmerged;
        let steps = &mut settings.steps;
        steps.correction = self.correction;
        steps.overlap_len_require = self.overlap_len_require;
        steps.overlap_diff_limit = self.overlap_diff_limit;
        steps.overlap_diff_percent_limit = self.overlap_diff_percent_limit;
        steps.merge = self.merge;
        steps.include_unmerged = self.include_unmerged;
    }
}
