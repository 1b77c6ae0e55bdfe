//! What is cut off reads, but for adapters.

use clap::Args;
use thalweg::clean::CleanSettings;
use thalweg::qc::ranges;

use super::{MOST, USUAL};
use crate::options::quantity::whole;

#[derive(Debug, Args)]
#[command(rename_all = "snake_case", next_help_heading = "Trimming")]
pub(crate) struct Trimming {
    /// Bases to cut from the front of read 1
    #[arg(short = 'f', long, value_name = "N", default_value_t = USUAL.steps.trim_front1, value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_front1: usize,

    /// Bases to cut from the tail of read 1 (the number of threads is -w)
    #[arg(short = 't', long, value_name = "N", default_value_t = USUAL.steps.trim_tail1, value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_tail1: usize,

    /// Cut read 1 at its tail to at most so many bases; 0: no limit
    #[arg(short = 'b', long, value_name = "N", default_value_t = USUAL.steps.max_len1, value_parser = whole(0..=usize::MAX))]
    pub(crate) max_len1: usize,

    /// Bases to cut from the front of read 2 [default: as read 1]
    #[arg(short = 'F', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_front2: Option<usize>,

    /// Bases to cut from the tail of read 2 [default: as read 1]
    #[arg(short = 'T', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) trim_tail2: Option<usize>,

    /// Cut read 2 at its tail to at most so many bases [default: as read 1]
    #[arg(short = 'B', long, value_name = "N", value_parser = whole(0..=usize::MAX))]
    pub(crate) max_len2: Option<usize>,

    /// Cut tails of G [default: if the instrument calls G where there is no signal]
    #[arg(short = 'g', long, conflicts_with = "disable_trim_poly_g")]
    pub(crate) trim_poly_g: bool,

    /// Never cut tails of G
    #[arg(short = 'G', long)]
    pub(crate) disable_trim_poly_g: bool,

    /// Least length of a tail of G
    #[arg(long, value_name = "N", default_value_t = USUAL.steps.poly_g_min_len, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_g_min_len: usize,

    /// Cut tails of A from read 1, heads of T from read 2 (mRNA)
    #[arg(long)]
    pub(crate) trim_poly_a: bool,

    /// Least length of such a tail or head
    #[arg(long, value_name = "N", default_value_t = USUAL.steps.poly_a_min_len, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_a_min_len: usize,

    /// Cut tails of any one base
    #[arg(short = 'x', long)]
    pub(crate) trim_poly_x: bool,

    /// Least length of a tail of any base
    #[arg(long, value_name = "N", default_value_t = USUAL.steps.poly_x_min_len, value_parser = whole(ranges::TAIL_LENGTH))]
    pub(crate) poly_x_min_len: usize,

    /// Cut from the front while a window's mean quality is low
    #[arg(short = '5', long)]
    pub(crate) cut_front: bool,

    /// Cut from the tail while a window's mean quality is low
    #[arg(short = '3', long)]
    pub(crate) cut_tail: bool,

    /// Cut from the first window of low mean quality to the tail
    #[arg(short = 'r', long, help_heading = MOST)]
    pub(crate) cut_right: bool,

    /// Bases of a window
    #[arg(short = 'W', long, value_name = "N", default_value_t = USUAL.steps.cut_window_size, value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_window_size: usize,

    /// Mean quality that a window needs
    #[arg(short = 'M', long, value_name = "QUALITY", default_value_t = USUAL.steps.cut_mean_quality, value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_mean_quality: u8,

    /// As --cut_window_size, for --cut_front
    #[arg(long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_front_window_size: Option<usize>,

    /// As --cut_mean_quality, for --cut_front
    #[arg(long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_front_mean_quality: Option<u8>,

    /// As --cut_window_size, for --cut_tail
    #[arg(long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_tail_window_size: Option<usize>,

    /// As --cut_mean_quality, for --cut_tail
    #[arg(long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
    pub(crate) cut_tail_mean_quality: Option<u8>,

    /// As --cut_window_size, for --cut_right
    #[arg(long, value_name = "N", value_parser = whole(ranges::WINDOW_SIZE))]
    pub(crate) cut_right_window_size: Option<usize>,

    /// As --cut_mean_quality, for --cut_right
    #[arg(long, value_name = "QUALITY", value_parser = whole(ranges::WINDOW_QUALITY))]
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
    /// Put what was said into `settings`.
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

    /// What fastp says of old names of options.
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
