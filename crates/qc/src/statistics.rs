//! What a set of reads looks like: letters and qualities by cycle, lengths,
//! qualities, 5-mers.
//!
//! [`ReadStatistics`] are plain numbers that merge. A [`Collector`] makes them from
//! reads, at a cost of about one nanosecond for two bases; [`Stages`] makes those
//! before and after the steps together, and looks only once at a read that the steps
//! leave alone.
//!
//! ```
//! use thalweg_qc::statistics::{Collector, LetterRule};
//!
//! let mut collector = Collector::new(LetterRule::default());
//! collector.add(b"ACGTN", b"IIII#");
//! let statistics = collector.finish();
//! assert_eq!((statistics.reads(), statistics.bases()), (1, 5));
//! assert_eq!(statistics.cycle(4).letters[4], 1);
//! ```

mod collector;
mod cycles;
mod kmers;
#[cfg(test)]
mod oracle;
mod stages;

pub use collector::{Collector, LetterRule};
pub use stages::Stages;

/// What was counted at one cycle, the n-th base of every read.
///
/// The order is A, C, G, T, N, anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// Bases by letter.
    pub letters: [u64; 6],
    /// The sums of their quality bytes as they stand in the file, offset included.
    pub quality_bytes: [u64; 6],
}

impl Cycle {
    /// All bases.
    pub fn total(&self) -> u64 {
        self.letters.iter().sum()
    }

    pub(crate) fn merge(&mut self, other: &Cycle) {
        for letter in 0..6 {
            self.letters[letter] += other.letters[letter];
            self.quality_bytes[letter] += other.quality_bytes[letter];
        }
    }

    /// Takes back a [`Cycle::merge`].
    pub(crate) fn remove(&mut self, other: &Cycle) {
        for letter in 0..6 {
            self.letters[letter] -= other.letters[letter];
            self.quality_bytes[letter] -= other.quality_bytes[letter];
        }
    }
}

/// Numbers about a set of reads, whatever their order.
///
/// Qualities are bytes of Phred+33 text. [`ReadStatistics::merge`] is associative and
/// commutative, and its neutral element is the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadStatistics {
    reads: u64,
    /// `lengths[n]`: reads of n bases; the last one also those that are longer.
    lengths: Vec<u64>,
    /// By cycle; the one at `CYCLE_LIMIT` sums up all from there on.
    cycles: Vec<Cycle>,
    qualities: [u64; 256],
    /// By 5-mer, first base in the lowest two bits: A 0, C 1, T 2, G 3.
    kmers: Box<[u64; 1024]>,
}

impl ReadStatistics {
    /// Cycles that are told apart: most of the longest nanopore reads have fewer. What comes
    /// after so many bases of a read is counted as if it were one cycle more, so that a read of
    /// a gigabyte takes no more memory than this: in a [`Collector`] 116 MiB (104 bytes for each
    /// cycle and length of the longest read, and 12 in narrow counters). Counters are made as
    /// reads need them.
    pub const CYCLE_LIMIT: usize = 1 << 20;

    /// Reads.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// Bases of all reads.
    pub fn bases(&self) -> u64 {
        self.qualities.iter().sum()
    }

    /// Bases divided by reads, rounded down; 0 without reads.
    pub fn mean_length(&self) -> u64 {
        self.bases().checked_div(self.reads).unwrap_or(0)
    }

    /// Reads by their number of bases; those of more than [`ReadStatistics::CYCLE_LIMIT`]
    /// are counted as if they had so many.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// What was counted at each cycle, from 0 to the longest read's last base.
    pub fn cycles(&self) -> &[Cycle] {
        &self.cycles
    }

    /// What was counted at one cycle; zeros after the last.
    pub fn cycle(&self, cycle: usize) -> Cycle {
        self.cycles.get(cycle).copied().unwrap_or_default()
    }

    /// Bases by quality byte (quality + 33).
    pub fn qualities(&self) -> &[u64; 256] {
        &self.qualities
    }

    /// Bases of at least this quality.
    pub fn bases_from_quality(&self, quality: u8) -> u64 {
        let first = usize::from(quality) + 33;
        self.qualities.get(first..).unwrap_or(&[]).iter().sum()
    }

    /// Bases by letter, in the order A, C, G, T, N, anything else.
    pub fn letters(&self) -> [u64; 6] {
        let mut sum = Cycle::default();
        for cycle in &self.cycles {
            sum.merge(cycle);
        }
        sum.letters
    }

    /// How often a 5-mer of the letters A, C, G, T occurs; 0 if `kmer` is anything else.
    pub fn kmer(&self, kmer: &[u8]) -> u64 {
        kmers::code(kmer).map_or(0, |code| self.kmers[code])
    }

    /// Add those of other reads.
    pub fn merge(&mut self, other: &ReadStatistics) {
        self.reads += other.reads;
        add_up(&mut self.lengths, &other.lengths);
        if self.cycles.len() < other.cycles.len() {
            self.cycles.resize(other.cycles.len(), Cycle::default());
        }
        for (cycle, more) in self.cycles.iter_mut().zip(&other.cycles) {
            cycle.merge(more);
        }
        for (count, more) in self.qualities.iter_mut().zip(&other.qualities) {
            *count += more;
        }
        for (count, more) in self.kmers.iter_mut().zip(other.kmers.iter()) {
            *count += more;
        }
    }
}

impl Default for ReadStatistics {
    fn default() -> Self {
        ReadStatistics {
            reads: 0,
            lengths: Vec::new(),
            cycles: Vec::new(),
            qualities: [0; 256],
            kmers: Box::new([0; 1024]),
        }
    }
}

pub(crate) fn add_up(sums: &mut Vec<u64>, more: &[u64]) {
    if sums.len() < more.len() {
        sums.resize(more.len(), 0);
    }
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}
