//! Why few reads pass, in words.

use crate::counts::FilteringCounts;

impl FilteringCounts {
    /// If less than half of the reads are kept, of which there are `kept`: the likely cause, and the option that has to do
    /// with it.
    pub fn why_few_pass(&self, kept: u64) -> Option<&'static str> {
        let causes = [
            (
                self.low_quality,
                "most fail for low quality: -q, -u and -e say what that is, and --cut_right cuts tails of low quality \
                 instead of losing the reads",
            ),
            (self.too_many_n, "most fail for too many N: -n allows more"),
            (
                self.too_short,
                "most are too short: -l allows shorter ones; if they are after cutting, look at which adapter was cut (-a \
                 names one), and at --cut_right and --cut_tail",
            ),
            (
                self.too_long,
                "most are too long: --length_limit allows longer ones",
            ),
            (
                self.low_complexity,
                "most fail for low complexity: -Y and --dust say what that is",
            ),
            (
                self.adapter_dimer,
                "most are adapters without an insert: that is how the library was made, unless -a names a wrong one",
            ),
            (
                self.removed_by_index,
                "most are removed by their index: look at --filter_by_index1 and --filter_by_index2",
            ),
            (
                self.removed_duplicates,
                "most are copies of others, which --dedup removes",
            ),
            (self.contaminated, "most are of what --remove leaves out"),
        ];
        let lost: u64 = causes.iter().map(|(reads, _)| reads).sum();
        if kept >= lost {
            return None;
        }
        let (_, cause) = causes.into_iter().max_by_key(|(reads, _)| *reads)?;
        Some(cause)
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
                .why_few_pass(10)
                .is_some_and(|cause| cause.contains("-l "))
        );
        assert_eq!(counts.why_few_pass(11), None);
        let copies = FilteringCounts {
            passed: 10,
            removed_duplicates: 9,
            ..FilteringCounts::default()
        };
        let cause = copies.why_few_pass(1).unwrap();
        assert!(cause.contains("--dedup"));
        assert_eq!(FilteringCounts::default().why_few_pass(0), None);
    }
}
