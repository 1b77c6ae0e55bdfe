//! Which numbers the options take; fastp's, by the names of what they are numbers of.

use std::ops::RangeInclusive;

/// Bases of a window: `cut_window_size` and what is said of one end alone.
pub const WINDOW_SIZE: RangeInclusive<usize> = 1..=1000;

/// Mean Phred quality of a window: `cut_mean_quality` and what is said of one end alone.
pub const WINDOW_QUALITY: RangeInclusive<u8> = 1..=36;

/// Phred quality of a base or a read: `qualified_quality_phred`, `average_qual`.
pub const QUALITY: RangeInclusive<u8> = 0..=93;

/// Percent: `unqualified_percent_limit`, `complexity_threshold`, `overlap_diff_percent_limit`.
pub const PERCENT: RangeInclusive<u8> = 0..=100;

/// Bases of a tail that is cut: `poly_g_min_len`, `poly_x_min_len`, `poly_a_min_len`.
pub const TAIL_LENGTH: RangeInclusive<usize> = 1..=usize::MAX;

/// Bases of a UMI in the reads: `umi_len`.
pub const UMI_LENGTH: RangeInclusive<usize> = 1..=100;
