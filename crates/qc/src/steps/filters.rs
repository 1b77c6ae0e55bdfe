//! The verdict on what is left of a read.

use thalweg_scan::low_complexity::low_complexity;
use thalweg_scan::{count_below, count_equal};

use crate::config::Config;
use crate::{Mode, Options, Read};

/// Why a read does not pass. The order is that of severity: a pair has the more
/// severe verdict of its two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Pass,
    ManyN,
    TooShort,
    TooLong,
    LowQuality,
    LowComplexity,
    AdapterDimer,
    Contaminated,
}

impl Verdict {
    /// What stands behind the name of a read that does not pass.
    pub(crate) fn tag(self) -> &'static [u8] {
        self.word().as_bytes()
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "passed",
            Verdict::ManyN => "failed_too_many_n_bases",
            Verdict::TooShort => "failed_too_short",
            Verdict::TooLong => "failed_too_long",
            Verdict::LowQuality => "failed_quality_filter",
            Verdict::LowComplexity => "failed_low_complexity",
            Verdict::AdapterDimer => "failed_adapter_dimer",
            Verdict::Contaminated => "failed_contaminated",
        }
    }
}

/// Judge a read by all filters.
#[inline]
pub(crate) fn judge(config: &Config, read: &Read<'_>) -> Verdict {
    if read.is_lost() {
        return Verdict::TooShort;
    }
    judge_bases(config, read.bases(), read.qualities())
}

/// Judge a sequence with its qualities.
pub(crate) fn judge_bases(config: &Config, bases: &[u8], qualities: &[u8]) -> Verdict {
    if bases.is_empty() {
        return Verdict::TooShort;
    }
    if let Some(filter) = &config.quality
        && let Some(verdict) = filter.judge(bases, qualities)
    {
        return verdict;
    }
    if let Some(filter) = config.length {
        if bases.len() < filter.shortest {
            return Verdict::TooShort;
        }
        if filter.longest > 0 && bases.len() > filter.longest {
            return Verdict::TooLong;
        }
    }
    match config.complexity {
        Some(filter) if !filter.passes(bases) => Verdict::LowComplexity,
        _ => Verdict::Pass,
    }
}

/// Qualities and unknown bases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QualityFilter {
    pub(crate) qualified: u8,
    pub(crate) unqualified_percent: u8,
    /// 0: any.
    pub(crate) average: u8,
    pub(crate) most_n: usize,
    pub(crate) mode: Mode,
}

impl QualityFilter {
    /// Unless it is switched off.
    pub(crate) fn new(options: &Options) -> Option<Self> {
        (!options.disable_quality_filtering).then_some(Self {
            qualified: options.qualified_quality_phred,
            unqualified_percent: options.unqualified_percent_limit,
            average: options.average_qual,
            most_n: options.n_base_limit,
            mode: options.mode,
        })
    }

    fn judge(&self, bases: &[u8], qualities: &[u8]) -> Option<Verdict> {
        let least = self.qualified + 33;
        let low = count_below(qualities, least);
        // In hundredths, so that whole numbers are compared.
        if low * 100 > usize::from(self.unqualified_percent) * bases.len() {
            return Some(Verdict::LowQuality);
        }
        if self.average > 0 {
            let sum: usize = qualities.iter().map(|&quality| usize::from(quality)).sum();
            let sum = sum.saturating_sub(33 * qualities.len());
            let is_low = match self.mode {
                Mode::Correct => sum < usize::from(self.average) * qualities.len(),
                // fastp rounds the average down: the same, as the limit is whole.
                Mode::Fastp(_) => sum / qualities.len() < usize::from(self.average),
            };
            if is_low {
                return Some(Verdict::LowQuality);
            }
        }
        (count_equal(bases, b'N') > self.most_n).then_some(Verdict::ManyN)
    }
}

/// Lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LengthFilter {
    pub(crate) shortest: usize,
    /// 0: no limit.
    pub(crate) longest: usize,
}

impl LengthFilter {
    /// Unless it is switched off.
    pub(crate) fn new(options: &Options) -> Option<Self> {
        (!options.disable_length_filtering).then_some(Self {
            shortest: options.length_required,
            longest: options.length_limit,
        })
    }
}

/// The share of bases that differ from the next one, and that of bases that DUST masks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComplexityFilter {
    /// So many must differ.
    pub(crate) percent: Option<u8>,
    /// No more may be masked.
    pub(crate) masked: Option<u8>,
}

impl ComplexityFilter {
    /// If either is asked for.
    pub(crate) fn new(options: &Options) -> Option<Self> {
        let filter = Self {
            percent: (options.low_complexity_filter).then_some(options.complexity_threshold),
            masked: options.dust,
        };
        (filter.percent.is_some() || filter.masked.is_some()).then_some(filter)
    }

    fn passes(self, bases: &[u8]) -> bool {
        self.percent.is_none_or(|percent| are_mixed(bases, percent))
            && self.masked.is_none_or(|masked| are_clear(bases, masked))
    }
}

/// Whether so many percent of the bases differ from the next one.
fn are_mixed(bases: &[u8], percent: u8) -> bool {
    let Some(neighbours) = bases.len().checked_sub(1).filter(|&count| count > 0) else {
        return false;
    };
    let different = super::mismatches::mismatches(&bases[1..], &bases[..neighbours]);
    // fastp compares quotients in floating point.
    different as f64 / neighbours as f64 >= f64::from(percent) / 100.0
}

/// Whether DUST masks no more than so many percent of the bases.
fn are_clear(bases: &[u8], percent: u8) -> bool {
    let mut ranges = Vec::new();
    low_complexity(bases, &mut ranges);
    let masked: usize = ranges.iter().map(std::ops::Range::len).sum();
    // In hundredths, so that whole numbers are compared.
    masked * 100 <= usize::from(percent) * bases.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Microsatellites, whose neighbours all differ; and what is no such.
    #[test]
    fn dust_tells_what_neighbours_do_not() {
        let other = b"GATTACAGCTTGCCATAGGCTTAACGTCATGGACTCCGATTGCAAGTCTAGCGTTACAGGA";
        let repeat = b"ACACACACACACACACACACACACACACACACACACACACACACACACACACACACACAC";
        let half = [&other[..], &repeat[..]].concat();
        let passes = |dust, low_complexity_filter, bases: &[u8]| {
            let options = Options {
                dust,
                low_complexity_filter,
                ..Options::default()
            };
            ComplexityFilter::new(&options).is_none_or(|filter| filter.passes(bases))
        };
        assert!(passes(None, true, repeat));
        assert!(!passes(Some(50), false, repeat));
        assert!(!passes(Some(50), true, &repeat.to_ascii_lowercase()));
        assert!(passes(Some(100), false, repeat));
        assert!(passes(Some(0), true, other));
        assert!(passes(Some(55), false, &half));
        assert!(!passes(Some(40), false, &half));
        // The older filter still decides beside it.
        assert!(!passes(Some(100), true, &[b'A'; 60]));
    }
}
