//! What was found out about the reads.

use thalweg_qc::counts::Counts;
use thalweg_qc::overrepresented::Occurrences;
use thalweg_qc::statistics::ReadStatistics;

use crate::fastqc::BothCounts;

/// What a thread, and in the end all of them, found out.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) counts: Counts,
    /// Before and after, of read 1 and read 2.
    pub(crate) before: [ReadStatistics; 2],
    pub(crate) after: [ReadStatistics; 2],
    pub(crate) frequent_before: [Occurrences; 2],
    pub(crate) frequent_after: [Occurrences; 2],
    /// Reads or pairs whose fingerprints were counted.
    pub(crate) fingerprints: u64,
    /// Values of the trace.
    pub(crate) traced: u64,
    /// For FastQC's reports, of one thread.
    pub(crate) fastqc: Option<BothCounts>,
    /// Bases of the longest read, as it came.
    pub(crate) longest: usize,
    /// Whether the first single reads look like pairs.
    pub(crate) interleaved: bool,
}

impl Findings {
    /// Add what another thread found; what FastQC's reports need of all stays with each.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        for mate in 0..2 {
            self.before[mate].merge(&other.before[mate]);
            self.after[mate].merge(&other.after[mate]);
            self.frequent_before[mate].merge(&other.frequent_before[mate]);
            self.frequent_after[mate].merge(&other.frequent_after[mate]);
        }
        self.fingerprints += other.fingerprints;
        self.traced += other.traced;
        self.longest = self.longest.max(other.longest);
        self.interleaved |= other.interleaved;
    }
}
