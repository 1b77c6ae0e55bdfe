//! Which reads fail, and which are copies.

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
    /// Filter neither by quality nor by N
    #[arg(short = 'Q', long)]
    pub(crate) disable_quality_filtering: bool,

    /// Quality that a base needs to be good
    #[arg(short = 'q', long, value_name = "QUALITY", default_value_t = USUAL.steps.qualified_quality_phred, value_parser = whole(ranges::QUALITY))]
    pub(crate) qualified_quality_phred: u8,

    /// Percentage of bases that may be worse
    #[arg(short = 'u', long, value_name = "PERCENT", default_value_t = USUAL.steps.unqualified_percent_limit, value_parser = whole(ranges::PERCENT))]
    pub(crate) unqualified_percent_limit: u8,

    /// Bases that may be N
    #[arg(short = 'n', long, value_name = "N", default_value_t = USUAL.steps.n_base_limit, value_parser = whole(0..=usize::MAX))]
    pub(crate) n_base_limit: usize,

    /// Mean quality that a read needs; 0: any
    #[arg(short = 'e', long, value_name = "QUALITY", default_value_t = USUAL.steps.average_qual, value_parser = whole(ranges::QUALITY))]
    pub(crate) average_qual: u8,

    /// Do not filter by length
    #[arg(short = 'L', long)]
    pub(crate) disable_length_filtering: bool,

    /// Bases that a read needs
    #[arg(short = 'l', long, value_name = "N", default_value_t = USUAL.steps.length_required, value_parser = whole(0..=usize::MAX), help_heading = MOST)]
    pub(crate) length_required: usize,

    /// Bases that a read may have; 0: any number
    #[arg(long, value_name = "N", default_value_t = USUAL.steps.length_limit, value_parser = whole(0..=usize::MAX))]
    pub(crate) length_limit: usize,

    /// Filter reads of which too few bases differ from their neighbour
    #[arg(short = 'y', long)]
    pub(crate) low_complexity_filter: bool,

    /// Percentage of bases that must differ from the next
    #[arg(short = 'Y', long, value_name = "PERCENT", default_value_t = USUAL.steps.complexity_threshold, value_parser = whole(ranges::PERCENT))]
    pub(crate) complexity_threshold: u8,

    /// Filter reads of which DUST masks more than so many percent of the bases; 50 if no number is said
    ///
    /// Stretches of a few letters over and over are masked, such as microsatellites, which -y does not see: their
    /// neighbours differ. It is symmetric DUST with the level 20 of dustmasker. fastp has no such option.
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "50", value_parser = whole(ranges::PERCENT))]
    pub(crate) dust: Option<u8>,

    /// Filter reads, or pairs, that have k-mers of what is not wanted: phix, or a database of `thalweg count`
    ///
    /// phix is PhiX174, Illumina's control, by its 31-mers; ./phix is a file. It may be given several times. Mates are judged
    /// together, by what is left of both when all is cut. fastp has no such option.
    #[arg(long, value_name = "phix|FILE")]
    pub(crate) remove: Vec<PathBuf>,

    /// k-mers that a read, or a pair, must have in common with it to be removed [default: 1]
    #[arg(
        long = "remove-min",
        alias = "remove_min",
        value_name = "N",
        requires = "remove",
        conflicts_with = "remove_fraction"
    )]
    pub(crate) remove_min: Option<NonZeroU64>,

    /// Part of its k-mers that a read, or a pair, must have in common with it, above 0 to 1
    #[arg(long = "remove-fraction", alias = "remove_fraction", value_name = "PART", requires = "remove", value_parser = parse_part)]
    pub(crate) remove_fraction: Option<f64>,

    /// File of indexes, one in a line; reads with one of them as first index vanish
    #[arg(long, value_name = "FILE")]
    pub(crate) filter_by_index1: Option<PathBuf>,

    /// The same for the second index
    #[arg(long, value_name = "FILE")]
    pub(crate) filter_by_index2: Option<PathBuf>,

    /// Bases by which an index may differ
    #[arg(long, value_name = "N", default_value_t = USUAL.steps.filter_by_index_threshold, value_parser = whole(0..=usize::MAX))]
    pub(crate) filter_by_index_threshold: usize,

    /// Keep only the first of equal reads or pairs; takes 11 to 22 bytes of memory for each different one
    ///
    /// These are not among the bytes that --memory bounds: 200 million different pairs take 2 GiB, and 3 GiB
    /// when room was made for them.
    #[arg(short = 'D', long)]
    pub(crate) dedup: bool,

    /// fastp's choice of memory for duplicates; without effect: their rate takes at most 64 MiB, and
    /// is estimated beyond 6 million different reads or pairs; what --dedup takes depends on the reads
    #[arg(long, value_name = "N", value_parser = whole(DUPLICATION_ACCURACY))]
    pub(crate) dup_calc_accuracy: Option<u8>,

    /// Do not estimate how many reads are duplicates
    #[arg(long)]
    pub(crate) dont_eval_duplication: bool,
}

/// fastp's choices of memory for duplicates.
pub(super) const DUPLICATION_ACCURACY: RangeInclusive<u8> = 0..=6;

/// A share of something, which is not nothing.
fn parse_part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part <= 1.0 => Ok(part),
        _ => {
            Err("expected a number above 0, and not above 1; for one k-mer leave it out".to_owned())
        }
    }
}

impl Filters {
    /// Put what was said into `settings`.
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
