//! Filters and duplicates.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use thalweg::clean::{CleanSettings, Contaminant};
use thalweg::qc::ranges;

use super::{MOST, USUAL};
use crate::options::quantity::whole;
use crate::process::limits::addresses;

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Filters")]
pub(crate) struct Filters {
    /// Do not filter by quality or N
    #[arg(hide_short_help = true, short = 'Q', long)]
    pub(crate) disable_quality_filtering: bool,

    /// Minimum quality of good bases
    #[arg(short = 'q', long, value_name = "Q", default_value_t = USUAL.steps.qualified_quality_phred, value_parser = whole(ranges::QUALITY))]
    pub(crate) qualified_quality_phred: u8,

    /// Percentage of bases that may be below -q
    #[arg(hide_short_help = true, short = 'u', long, value_name = "PERCENT", default_value_t = USUAL.steps.unqualified_percent_limit, value_parser = whole(ranges::PERCENT))]
    pub(crate) unqualified_percent_limit: u8,

    /// Maximum number of N in a read
    #[arg(hide_short_help = true, short = 'n', long, value_name = "N", default_value_t = USUAL.steps.n_base_limit, value_parser = whole(0..=usize::MAX))]
    pub(crate) n_base_limit: usize,

    /// Minimum mean quality of a read
    ///
    /// 0 means no limit.
    #[arg(short = 'e', long, value_name = "Q", default_value_t = USUAL.steps.average_qual, value_parser = whole(ranges::QUALITY))]
    pub(crate) average_qual: u8,

    /// Do not filter by length
    #[arg(hide_short_help = true, short = 'L', long)]
    pub(crate) disable_length_filtering: bool,

    /// Minimum read length
    #[arg(short = 'l', long, value_name = "N", default_value_t = USUAL.steps.length_required, value_parser = whole(0..=usize::MAX), help_heading = MOST)]
    pub(crate) length_required: usize,

    /// Maximum length of a read; 0: no limit
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.length_limit, value_parser = whole(0..=usize::MAX))]
    pub(crate) length_limit: usize,

    /// Filter out low-complexity reads; see -Y
    #[arg(hide_short_help = true, short = 'y', long)]
    pub(crate) low_complexity_filter: bool,

    /// For -y: minimum percentage of bases that differ from the next
    #[arg(hide_short_help = true, short = 'Y', long, value_name = "PERCENT", default_value_t = USUAL.steps.complexity_threshold, value_parser = whole(ranges::PERCENT))]
    pub(crate) complexity_threshold: u8,

    /// Drop reads if DUST masks more than PERCENT of their bases
    ///
    /// Without a number, PERCENT is 50. DUST masks repeats of a few letters, such as microsatellites, which -y does not
    /// detect. It is symmetric DUST with dustmasker's level 20. fastp has no such option.
    #[arg(hide_short_help = true, long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "50", value_parser = whole(ranges::PERCENT))]
    pub(crate) dust: Option<u8>,

    /// Remove reads of a contaminant
    ///
    /// It removes reads that share k-mers with the contaminant, and is repeatable. FILE is a database of
    /// `thalweg count`. `phix` is built in (PhiX174, 31-mers); for a file of that name, use ./phix. Pairs are removed as a
    /// whole. The k-mers of both mates are searched after trimming. fastp has no such option.
    #[arg(long, value_name = "phix|FILE")]
    pub(crate) remove: Vec<PathBuf>,

    /// Minimum number of shared k-mers for --remove [default: 1]
    #[arg(
        hide_short_help = true,
        long = "remove-min",
        alias = "remove_min",
        value_name = "N",
        requires = "remove",
        conflicts_with = "remove_fraction"
    )]
    pub(crate) remove_min: Option<NonZeroU64>,

    /// Minimum fraction of shared k-mers for --remove
    ///
    /// It is a fraction of the k-mers of the read or pair, above 0 and up to 1.
    #[arg(hide_short_help = true, long = "remove-fraction", alias = "remove_fraction", value_name = "PART", requires = "remove", value_parser = parse_part)]
    pub(crate) remove_fraction: Option<f64>,

    /// Drop reads whose first index is listed in FILE
    ///
    /// FILE has one index per line.
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub(crate) filter_by_index1: Option<PathBuf>,

    /// Drop reads whose second index is listed in FILE
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub(crate) filter_by_index2: Option<PathBuf>,

    /// Mismatches to allow in an index
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.filter_by_index_threshold, value_parser = whole(0..=usize::MAX))]
    pub(crate) filter_by_index_threshold: usize,

    /// Drop duplicate reads or pairs
    ///
    /// The first of equal reads is kept. This needs 11 to 22 bytes of memory per distinct read or pair, in addition to
    /// --memory. 200 million distinct pairs take 2 to 3 GiB.
    #[arg(short = 'D', long)]
    pub(crate) dedup: bool,

    /// Accepted for compatibility with fastp; has no effect
    ///
    /// In fastp, it sets the memory for detecting duplicates. Here, the duplication rate takes at most 64 MiB, and is estimated
    /// beyond 6 million distinct reads or pairs. --dedup takes as much as the reads need.
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = whole(DUPLICATION_ACCURACY))]
    pub(crate) dup_calc_accuracy: Option<u8>,

    /// Do not estimate the duplication rate
    #[arg(hide_short_help = true, long)]
    pub(crate) dont_eval_duplication: bool,
}

/// The range of fastp's --dup_calc_accuracy.
pub(super) const DUPLICATION_ACCURACY: RangeInclusive<u8> = 0..=6;

/// Parses a fraction above 0.
fn parse_part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part <= 1.0 => Ok(part),
        _ => Err(
            "expected a number above 0 and not above 1; omit it to require just one k-mer"
                .to_owned(),
        ),
    }
}

impl Filters {
    /// Adds the options to `settings`.
    pub(super) fn apply(&self, settings: &mut CleanSettings) {
        settings.filter_by_index1 = self.filter_by_index1.clone();
        settings.filter_by_index2 = self.filter_by_index2.clone();
        settings.reports.dont_eval_duplication = self.dont_eval_duplication;
        let remove = &mut settings.remove;
        remove.contaminants = self.remove.iter().map(Contaminant::named).collect();
        remove.least = self.remove_min.map_or(remove.least, NonZeroU64::get);
        remove.fraction = self.remove_fraction.unwrap_or(remove.fraction);
        remove.addresses = addresses();
        let steps = &mut settings.steps;
        steps.disable_quality_filtering = self.disable_quality_filtering;
        steps.qualified_quality_phred = self.qualified_quality_phred;
        steps.unqualified_percent_limit = self.unqualified_percent_limit;
        steps.n_base_limit = self.n_base_limit;
        steps.average_qual = self.average_qual;
        steps.disable_length_filtering = self.disable_length_filtering;
        steps.length_required = self.length_required;
        steps.length_limit = self.length_limit;
        steps.low_complexity_filter = self.low_complexity_filter;
        steps.complexity_threshold = self.complexity_threshold;
        steps.dust = self.dust;
        steps.filter_by_index_threshold = self.filter_by_index_threshold;
        steps.dedup = self.dedup;
    }
}
