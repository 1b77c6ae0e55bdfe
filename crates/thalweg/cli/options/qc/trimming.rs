//! Trimming, except of adapters.

use clap::Args;
use thalweg::clean::CleanSettings;
use thalweg::qc::ranges;

use super::{MOST, USUAL};
use crate::options::quantity::whole;

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Trimming")]
pub(crate) struct Trimming {
    /// Bases to cut from the start of read 1
    #[arg(short = 'f', long, value_name = "N", default_value_t = USUAL.steps.trim_front1, value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_front1: usize,

    /// Bases to cut from the end of read 1
    ///
    /// To set the number of threads, use -w.
    #[arg(hide_short_help = true, short = 't', long, value_name = "N", default_value_t = USUAL.steps.trim_tail1, value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_tail1: usize,

    /// Maximum length of read 1, cut at its end; 0: no limit
    #[arg(hide_short_help = true, short = 'b', long, value_name = "N", default_value_t = USUAL.steps.max_len1, value_parser = whole(0..=usize::MAX))]
    pub(crate) max_len1: usize,

    /// Bases to cut from the start of read 2 [default: as read 1]
    #[arg(hide_short_help = true, short = 'F', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_front2: Option<usize>,

    /// Bases to cut from the end of read 2 [default: as read 1]
    #[arg(hide_short_help = true, short = 'T', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_tail2: Option<usize>,

    /// Maximum length of read 2, cut at its end [default: as read 1]
    #[arg(hide_short_help = true, short = 'B', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) max_len2: Option<usize>,

    /// Always cut polyG tails
    ///
    /// By default, they are cut for two-colour instruments, which read a missing signal as G. These instruments are recognized by the serial number in read names.
    #[arg(short = 'g', long, conflicts_with = "disable_trim_poly_g")]
    pub(crate) trim_poly_g: bool,

    /// Never cut polyG tails
    #[arg(hide_short_help = true, short = 'G', long)]
    pub(crate) disable_trim_poly_g: bool,

    /// Minimum length of a polyG tail
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.poly_g_min_len, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_g_min_len: usize,

    /// Cut polyA tails of read 1, polyT starts of read 2 (mRNA)
    #[arg(hide_short_help = true, long)]
    pub(crate) trim_poly_a: bool,

    /// Minimum length of a polyA tail or polyT start
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.poly_a_min_len, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_a_min_len: usize,

    /// Cut polyX tails: repeats of any base
    #[arg(hide_short_help = true, short = 'x', long)]
    pub(crate) trim_poly_x: bool,

    /// Minimum length of a polyX tail
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = USUAL.steps.poly_x_min_len, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_x_min_len: usize,

    /// Cut from the start while a window's mean quality is low
    #[arg(hide_short_help = true, short = '5', long)]
    pub(crate) cut_front: bool,

    /// Cut from the end while a window's mean quality is low
    #[arg(hide_short_help = true, short = '3', long)]
    pub(crate) cut_tail: bool,

    /// Cut at the first bad window
    ///
    /// It cuts from the first window of low mean quality to the end.
    #[arg(short = 'r', long, help_heading = MOST)]
    pub(crate) cut_right: bool,

    /// Window size in bases
    #[arg(hide_short_help = true, short = 'W', long, value_name = "N", default_value_t = USUAL.steps.cut_window_size, value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_window_size: usize,

    /// Minimum mean quality of a window
    #[arg(hide_short_help = true, short = 'M', long, value_name = "QUALITY", default_value_t = USUAL.steps.cut_mean_quality, value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_mean_quality: u8,

    /// Window size for --cut_front [default: -W]
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_front_window_size: Option<usize>,

    /// Minimum mean quality for --cut_front [default: -M]
    #[arg(hide_short_help = true, long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_front_mean_quality: Option<u8>,

    /// Window size for --cut_tail [default: -W]
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_tail_window_size: Option<usize>,

    /// Minimum mean quality for --cut_tail [default: -M]
    #[arg(hide_short_help = true, long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_tail_mean_quality: Option<u8>,

    /// Window size for --cut_right [default: -W]
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_right_window_size: Option<usize>,

    /// Minimum mean quality for --cut_right [default: -M]
    #[arg(hide_short_help = true, long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_right_mean_quality: Option<u8>,

    /// Old name of --cut_front
    #[arg(long, hide = true)]
    pub(crate) cut_by_quality5: bool,

    /// Old name of --cut_tail
    #[arg(long, hide = true)]
    pub(crate) cut_by_quality3: bool,

    /// Old name of --cut_right
    #[arg(long, hide = true)]
    pub(crate) cut_by_quality_aggressive: bool,
}

impl Trimming {
    /// Adds the options to `settings`.
    pub(super) fn apply(&self, settings: &mut CleanSettings) {
        let is_correct = settings.steps.mode.is_correct();
        let steps = &mut settings.steps;
        steps.trim_poly_g = match (self.trim_poly_g, self.disable_trim_poly_g) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        // fastp takes the old name of --cut_tail for --cut_front.
        let old_tail = self.cut_by_quality3;
        steps.cut_front = self.cut_front || self.cut_by_quality5 || old_tail && !is_correct;
        steps.cut_tail = self.cut_tail || old_tail && is_correct;
        steps.cut_right = self.cut_right || self.cut_by_quality_aggressive;
        steps.trim_front1 = self.trim_front1;
        steps.trim_tail1 = self.trim_tail1;
        steps.max_len1 = self.max_len1;
        steps.trim_front2 = self.trim_front2;
        steps.trim_tail2 = self.trim_tail2;
        steps.max_len2 = self.max_len2;
        steps.poly_g_min_len = self.poly_g_min_len;
        steps.trim_poly_a = self.trim_poly_a;
        steps.poly_a_min_len = self.poly_a_min_len;
        steps.trim_poly_x = self.trim_poly_x;
        steps.poly_x_min_len = self.poly_x_min_len;
        steps.cut_window_size = self.cut_window_size;
        steps.cut_mean_quality = self.cut_mean_quality;
        steps.cut_front_window_size = self.cut_front_window_size;
        steps.cut_front_mean_quality = self.cut_front_mean_quality;
        steps.cut_tail_window_size = self.cut_tail_window_size;
        steps.cut_tail_mean_quality = self.cut_tail_mean_quality;
        steps.cut_right_window_size = self.cut_right_window_size;
        steps.cut_right_mean_quality = self.cut_right_mean_quality;
    }

    /// Returns fastp's warnings on old names of options.
    pub(crate) fn deprecated(&self) -> Vec<&'static str> {
        let mut said = Vec::new();
        // Of both names for the front, only the first is said.
        if self.cut_by_quality5 && !self.cut_front {
            said.push("WARNING: cut_by_quality5 is deprecated, please use cut_front instead.");
        } else if self.cut_by_quality3 && !self.cut_front {
            said.push("WARNING: cut_by_quality3 is deprecated, please use cut_tail instead.");
        }
        if self.cut_by_quality_aggressive && !self.cut_right {
            said.push(
                "WARNING: cut_by_quality_aggressive is deprecated, please use cut_right instead.",
            );
        }
        said
    }
}
