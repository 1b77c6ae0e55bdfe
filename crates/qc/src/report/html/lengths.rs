//! Long reads, whose lengths say more than a mean.

use crate::statistics::ReadStatistics;

/// Bases of a long read. Short reads, and merged pairs of them, have fewer.
const LONG: usize = 1000;

/// Reads are long if one of so many is.
const READS_TO_LONG: u64 = 100;

/// Returns true if the reads are long ones, such as those of nanopores.
pub(super) fn has_long_reads(statistics: &ReadStatistics) -> bool {
    let long = statistics.lengths().iter().skip(LONG).sum::<u64>();
    long > 0 && long.saturating_mul(READS_TO_LONG) >= statistics.reads()
}

/// Returns the length N50: half of the bases are in reads of this length or more. 0 of no bases.
pub(super) fn n50(statistics: &ReadStatistics) -> u64 {
    let bases = statistics.bases();
    let mut longer = bases;
    for (length, &reads) in (0..).zip(statistics.lengths()) {
        longer = longer.saturating_sub(length * reads);
        if longer < bases - longer {
            return length;
        }
    }
    longest(statistics)
}

/// Returns the length of the longest read.
pub(super) fn longest(statistics: &ReadStatistics) -> u64 {
    let last = statistics.lengths().iter().rposition(|&reads| reads > 0);
    last.unwrap_or(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Collector, LetterRule};

    fn of_lengths(lengths: &[usize]) -> ReadStatistics {
        let mut collector = Collector::new(LetterRule::Plain);
        for &length in lengths {
            collector.add(&vec![b'A'; length], &vec![b'I'; length]);
        }
        collector.finish()
    }

    #[test]
    fn half_of_the_bases_are_in_reads_of_n50_or_more() {
        for (lengths, wanted) in [
            (&[][..], 0),
            (&[0, 0], 0),
            (&[7], 7),
            (&[2, 2, 2, 3, 3, 4, 8, 8], 8),
            (&[1, 1, 1, 1, 4], 4),
            (&[10, 10, 19], 10),
            (&[10, 10, 20], 20),
        ] {
            // By its definition: from the longest on, until half is reached.
            let mut sorted = lengths.to_vec();
            sorted.sort_unstable_by_key(|&length| std::cmp::Reverse(length));
            let sum: usize = lengths.iter().sum();
            let mut reached = 0;
            let slow = sorted.iter().find(|&&length| {
                reached += length;
                2 * reached >= sum
            });
            assert_eq!(slow.copied().unwrap_or(0), wanted, "{lengths:?}");
            assert_eq!(n50(&of_lengths(lengths)), wanted as u64, "{lengths:?}");
        }
        assert_eq!(longest(&of_lengths(&[3, 9, 0])), 9);
        let mut lengths = vec![999; 99];
        assert!(!has_long_reads(&of_lengths(&lengths)));
        lengths.push(1000);
        assert!(has_long_reads(&of_lengths(&lengths)));
        lengths.push(999);
        assert!(!has_long_reads(&of_lengths(&lengths)));
    }
}
