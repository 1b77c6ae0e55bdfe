//! Why few reads pass, in words.

use thalweg_files::thousands;

use crate::Options;
use crate::counts::FilteringCounts;

/// Bases that no short read has, nor a pair of them that was merged, nor a read of Sanger's method.
const SHORT_READ: usize = 1200;

/// The quality that most bases of nearly all long reads have, as `-q` wants it.
const LONG_READ_QUALITY: u8 = 7;

/// Long reads are lost to a filter if more than one in so many are.
const LOST: u64 = 10;

impl FilteringCounts {
    /// If more than a tenth of long reads fail the quality filter of `options`, whose limits are for short reads: what to do
    /// about it. The longest read has `longest` bases, as it came.
    ///
    /// Most bases of a long read may be of lower quality than the default asks for, and the read is sound. (Cutting them off
    /// by their quality would leave stumps.)
    pub fn why_long_reads_fail(&self, options: &Options, longest: usize) -> Option<String> {
        let all = self.passed + self.lost();
        let is_strict = options.qualified_quality_phred > LONG_READ_QUALITY;
        let is_lost = self.low_quality > all / LOST;
        let is_doubted = longest > SHORT_READ && is_strict && options.average_qual == 0 && is_lost;
        is_doubted.then(|| {
            format!(
                "these are long reads, and {} of {} fail the quality filter, whose limits (-q {}, -u {}) are for short reads: \
                 -Q switches it off, and with -q {LONG_READ_QUALITY} only the worst reads fail",
                thousands(self.low_quality),
                thousands(all),
                options.qualified_quality_phred,
                options.unqualified_percent_limit,
            )
        })
    }

    /// If less than half of the reads are kept, of which there are `kept`: the likely cause, and the option that has to do
    /// with it. The longest read has `longest` bases, as it came.
    pub fn why_few_pass(&self, kept: u64, longest: usize) -> Option<&'static str> {
        let is_long = longest > SHORT_READ;
        let causes = [
            (
                self.low_quality,
                if is_long {
                    "most fail the quality filter (-q, -u, -e): -Q switches it off, and with -q 7 only the worst reads fail"
                } else {
                    "most fail the quality filter (-q, -u, -e): --cut_right cuts tails of low quality instead of losing the \
                     reads"
                },
            ),
            (self.too_many_n, "most fail for too many N: -n allows more"),
            (
                self.too_short,
                if is_long {
                    "most are too short: -l allows shorter ones; if cutting made them short, check the adapter (-a) and omit \
                     --cut_front, --cut_tail and --cut_right, which are for short reads"
                } else {
                    "most are too short: -l allows shorter ones; if cutting made them short, check the adapter (-a), --cut_right \
                     and --cut_tail"
                },
            ),
            (
                self.too_long,
                "most are too long: --length_limit allows longer ones",
            ),
            (
                self.low_complexity,
                "most fail the complexity filter (-Y, --dust)",
            ),
            (
                self.adapter_dimer,
                "most are adapter dimers: the library has them, unless -a is wrong",
            ),
            (
                self.removed_by_index,
                "most are removed by their index (--filter_by_index1, --filter_by_index2)",
            ),
            (
                self.removed_duplicates,
                "most are duplicates, which --dedup removes",
            ),
            (self.contaminated, "most match a contaminant of --remove"),
        ];
        if kept >= self.lost() {
            return None;
        }
        let (_, cause) = causes.into_iter().max_by_key(|(reads, _)| *reads)?;
        Some(cause)
    }

    /// Reads that are not kept, for any cause.
    fn lost(&self) -> u64 {
        self.low_quality
            + self.too_many_n
            + self.too_short
            + self.too_long
            + self.low_complexity
            + self.adapter_dimer
            + self.removed_by_index
            + self.removed_duplicates
            + self.contaminated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_cause_is_told_if_most_fail() {
        let counts = FilteringCounts {
            passed: 10,
            low_quality: 4,
            too_short: 7,
            ..FilteringCounts::default()
        };
        assert!(
            counts
                .why_few_pass(10, 300)
                .is_some_and(|cause| cause.contains("-l "))
        );
        assert_eq!(counts.why_few_pass(11, 300), None);
        let copies = FilteringCounts {
            passed: 10,
            removed_duplicates: 9,
            ..FilteringCounts::default()
        };
        let cause = copies.why_few_pass(1, 300).unwrap();
        assert!(cause.contains("--dedup"));
    }

    /// Cutting by quality would ruin long reads.
    #[test]
    fn long_reads_are_told_to_stay() {
        let counts = FilteringCounts {
            passed: 800,
            low_quality: 200,
            too_short: 999,
            ..FilteringCounts::default()
        };
        let options = Options::default();
        assert_eq!(counts.why_long_reads_fail(&options, 300), None);
        let told = counts.why_long_reads_fail(&options, 35_000).unwrap();
        assert!(
            told.contains("200 of 1,999 fail the quality filter"),
            "{told}"
        );
        assert!(
            told.contains("(-q 15, -u 40)") && told.contains("-Q "),
            "{told}"
        );
        let few = FilteringCounts {
            low_quality: 100,
            ..counts
        };
        assert_eq!(few.why_long_reads_fail(&options, 35_000), None);
        let asked = Options {
            qualified_quality_phred: 7,
            ..Options::default()
        };
        assert_eq!(counts.why_long_reads_fail(&asked, 35_000), None);
        for counts in [
            counts,
            FilteringCounts {
                low_quality: 2000,
                ..counts
            },
        ] {
            let short = counts.why_few_pass(800, 300).unwrap();
            let long = counts.why_few_pass(800, 35_000).unwrap();
            assert!(short.contains("--cut_right"), "{short}");
            assert!(
                !long.contains("at --cut_right") && !long.contains("and --cut_right cuts"),
                "{long}"
            );
        }
        assert_eq!(FilteringCounts::default().why_few_pass(0, 0), None);
    }
}
