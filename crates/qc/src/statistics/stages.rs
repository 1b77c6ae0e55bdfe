//! Statistics before and after the steps, with one look at what the steps leave alone.

use super::{Collector, LetterRule, ReadStatistics};

/// Collects the statistics of one mate before and after the steps.
///
/// Every read is reported once: as kept unchanged, as changed, or as removed. The
/// first kind, which is most reads of a good run, is counted once for both sides;
/// so two statistics cost hardly more than one, and never more than two.
pub struct Stages {
    unchanged: Collector,
    only_before: Collector,
    only_after: Collector,
}

impl Stages {
    /// Nothing collected yet.
    pub fn new(rule: LetterRule) -> Self {
        Stages {
            unchanged: Collector::new(rule),
            only_before: Collector::new(rule),
            only_after: Collector::new(rule),
        }
    }

    /// A read that leaves the steps as it came: bases and qualities as long as each other.
    #[inline]
    pub fn unchanged(&mut self, sequence: &[u8], quality: &[u8]) {
        self.unchanged.add(sequence, quality);
    }

    /// A read as it came, which leaves the steps changed or not at all.
    #[inline]
    pub fn before(&mut self, sequence: &[u8], quality: &[u8]) {
        self.only_before.add(sequence, quality);
    }

    /// A read as it left the steps, changed, or made by them (merged).
    #[inline]
    pub fn after(&mut self, sequence: &[u8], quality: &[u8]) {
        self.only_after.add(sequence, quality);
    }

    /// The statistics before and after the steps; the collectors begin anew.
    pub fn take(&mut self) -> (ReadStatistics, ReadStatistics) {
        let mut before = self.unchanged.take();
        let mut after = before.clone();
        before.merge(&self.only_before.take());
        after.merge(&self.only_after.take());
        (before, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_two_collectors() {
        let (mut before, mut after) = (
            Collector::new(LetterRule::Plain),
            Collector::new(LetterRule::Plain),
        );
        let mut stages = Stages::new(LetterRule::Plain);
        for kept in [9, 4, 0, 9, 9] {
            let (sequence, quality) = (b"ACGTTGCAN", b"IIIIFFF##");
            before.add(sequence, quality);
            if kept > 0 {
                after.add(&sequence[..kept], &quality[..kept]);
            }
            if kept == 9 {
                stages.unchanged(sequence, quality);
                continue;
            }
            stages.before(sequence, quality);
            if kept > 0 {
                stages.after(&sequence[..kept], &quality[..kept]);
            }
        }
        assert_eq!(stages.take(), (before.finish(), after.finish()));
        assert_eq!(
            stages.take(),
            (ReadStatistics::default(), ReadStatistics::default())
        );
    }
}
