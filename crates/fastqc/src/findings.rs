//! All that was found of the reads of a report.

use std::sync::Arc;

use crate::groups::{Group, groups};
use crate::ledger::Ledger;
use crate::samples::Samples;
use crate::tally::Counts;
use crate::{Settings, Tally};

/// What modules make their tables of.
pub struct Findings {
    pub(crate) settings: Arc<Settings>,
    pub(crate) counts: Counts,
    pub(crate) ledger: Ledger,
    pub(crate) samples: Samples,
    /// What is subtracted of a quality letter, and what that is called.
    pub(crate) offset: u8,
    pub(crate) encoding: &'static str,
    pub(crate) longest: usize,
}

impl Findings {
    /// Put together what all workers have counted, in any order: `tallies` of the report's reads, each of which was
    /// [entered](Ledger::enter) into the ledger.
    pub fn new(
        settings: &Arc<Settings>,
        tallies: impl IntoIterator<Item = Tally>,
        ledger: Ledger,
        samples: impl IntoIterator<Item = Samples>,
    ) -> Self {
        let mut counts = Counts::default();
        tallies
            .into_iter()
            .for_each(|tally| counts.merge(tally.finish()));
        Self::of_counts(settings, counts, ledger, samples)
    }

    pub(crate) fn of_counts(
        settings: &Arc<Settings>,
        counts: Counts,
        ledger: Ledger,
        samples: impl IntoIterator<Item = Samples>,
    ) -> Self {
        let mut all = Samples::new(settings);
        samples.into_iter().for_each(|samples| all.merge(samples));
        let longest = counts.longest();
        // FastQC begins with the highest that it takes.
        let (offset, encoding) = encoding(counts.qualities.lowest(longest).unwrap_or(126));
        let mut findings = Findings {
            settings: Arc::clone(settings),
            counts,
            ledger,
            samples: all,
            offset,
            encoding,
            longest,
        };
        findings.count_keys();
        findings
    }

    /// Why qualities that FastQC's rule has count from 64 may count from 33; `None` where there is no doubt.
    ///
    /// The rule goes by the lowest letter, and good reads of today may have none below `@`. Reads that count from 64 are of
    /// 2010 and before, and the best bases of a run have qualities from 30 to 42.
    pub fn doubted_encoding(&self) -> Option<String> {
        let qualities = &self.counts.qualities;
        let lowest = qualities.lowest(self.longest)?;
        let highest = qualities.highest(self.longest)?;
        let (best, usual) = (highest.checked_sub(self.offset)?, 30..=42);
        (self.offset == 64 && !usual.contains(&best)).then(|| {
            format!(
                "the encoding of the qualities is ambiguous: their letters are '{}' to '{}'. FastQC's rule has them count from \
                 64 ({}), so the best is {best}; if they count from 33, as those of today do, it is {}, and the report's \
                 qualities are 31 too low",
                char::from(lowest),
                char::from(highest),
                self.encoding,
                highest - 33,
            )
        })
    }

    /// All reads of each key.
    fn count_keys(&mut self) {
        let counts = &mut self.ledger.counts;
        counts
            .iter_mut()
            .zip(&self.samples.counts)
            .for_each(|(all, later)| *all += later);
    }

    /// Groups of as many positions as the longest read has.
    pub(crate) fn groups(&self) -> Vec<Group> {
        self.groups_of(self.longest)
    }

    pub(crate) fn groups_of(&self, length: usize) -> Vec<Group> {
        groups(length.max(self.settings.min_length), self.settings.grouping)
    }
}

/// What is subtracted of quality letters, of which this is the lowest.
fn encoding(lowest: u8) -> (u8, &'static str) {
    match lowest {
        ..=63 => (33, "Sanger / Illumina 1.9"),
        65 => (64, "Illumina 1.3"),
        _ => (64, "Illumina 1.5"),
    }
}
