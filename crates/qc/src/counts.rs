//! What the steps did to the reads, as plain numbers that merge.
//!
//! Unless a field says otherwise the unit is *reads*: a pair counts twice where
//! the verdict is about the pair. Every worker has counts of its own;
//! [`Counts::merge`] is associative and commutative, so their sum does not depend
//! on the number of threads or on who read what.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::hash::SequenceHasher;

/// Everything that the steps count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Verdicts of the filters.
    pub filtering: FilteringCounts,
    /// Reads of each contaminant, in the order in which whoever tells them numbers these; of those of which there are none at the
    /// end, there is nothing. All of them together are `filtering.contaminated`.
    pub contaminants: Vec<u64>,
    /// Adapters that were cut.
    pub adapters: AdapterCounts,
    /// Adapters that were cut at the 5' end, by their sequences as given; in none of the
    /// counts above.
    pub front_adapters: AdapterCounts,
    /// Tails of G that were cut (`--trim_poly_g`, or for the instrument).
    pub poly_g: FixedCounts,
    /// Tails of A that were cut (`--trim_poly_a`).
    pub poly_a: PolyACounts,
    /// Tails of one base that were cut (`--trim_poly_x`; neither polyG nor polyA).
    pub poly_x: PolyXCounts,
    /// Bases corrected where mates overlap.
    pub correction: CorrectionCounts,
    /// Lengths of the fragments between the adapters. Empty for single reads.
    pub insert_sizes: InsertSizes,
    /// Pairs that were merged into one read, whatever the filters said of it. Those that are
    /// removed as duplicates are none. With fastp, all merged reads that are written.
    pub merged_pairs: u64,
    /// Of these, pairs that pass as one read.
    pub passed_as_merged: u64,
    /// Reads that pass, are not merged where others are, and for which there is no output.
    pub discarded: u64,
    /// Reads that are written as unpaired; with fastp, which judges pairs, they fail in `filtering`.
    pub unpaired: u64,
    /// Fixed numbers of bases that were cut off the starts of reads (`--trim_front1`, `--trim_front2`).
    pub fronts: FixedCounts,
    /// Fixed numbers of bases that were cut off tails (`--trim_tail1`, `--trim_tail2`).
    pub tails: FixedCounts,
    /// Reads that are written, but are not in the statistics after the steps.
    pub uncounted: UncountedReads,
}

impl Counts {
    /// Count so many reads of the contaminant with this number.
    pub(crate) fn add_contaminated(&mut self, number: usize, reads: u64) {
        let length = self.contaminants.len().max(number + 1);
        self.contaminants.resize(length, 0);
        self.contaminants[number] += reads;
    }

    /// Add what another worker counted.
    pub fn merge(&mut self, other: &Counts) {
        self.filtering.merge(&other.filtering);
        add_each(&mut self.contaminants, &other.contaminants);
        self.adapters.merge(&other.adapters);
        self.front_adapters.merge(&other.front_adapters);
        self.poly_g.merge(&other.poly_g);
        self.poly_a.merge(&other.poly_a);
        self.poly_x.merge(&other.poly_x);
        self.correction.merge(&other.correction);
        self.insert_sizes.merge(&other.insert_sizes);
        self.merged_pairs += other.merged_pairs;
        self.passed_as_merged += other.passed_as_merged;
        self.discarded += other.discarded;
        self.unpaired += other.unpaired;
        self.fronts.merge(&other.fronts);
        self.tails.merge(&other.tails);
        self.uncounted.merge(&other.uncounted);
    }
}

/// Adds `more` to the sums with the same numbers.
fn add_each(sums: &mut Vec<u64>, more: &[u64]) {
    sums.resize(sums.len().max(more.len()), 0);
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

/// Reads by the verdict of the filters. Reads that are removed as duplicates are
/// counted under the verdict that they would have had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FilteringCounts {
    /// Reads that pass. Both mates of a pair must, unless one alone is wanted (`--unpaired1`,
    /// `--unpaired2`).
    pub passed: u64,
    /// Too many bases below the quality, or too low an average.
    pub low_quality: u64,
    /// Too many N.
    pub too_many_n: u64,
    /// Too few different neighbours.
    pub low_complexity: u64,
    /// Nothing but adapter.
    pub adapter_dimer: u64,
    /// Of a contaminant, whatever else is wrong with them.
    pub contaminated: u64,
    /// Too short, or nothing left after trimming.
    pub too_short: u64,
    /// Too long.
    pub too_long: u64,
    /// Reads that vanished because of the index in their name
    /// (`--filter_by_index1`, `--filter_by_index2`). In none of the counts above.
    pub removed_by_index: u64,
    /// Reads that would pass, but are duplicates of earlier ones (`--dedup`). They
    /// are in `passed`, too.
    pub removed_duplicates: u64,
}

impl FilteringCounts {
    /// Add what another worker counted.
    pub fn merge(&mut self, other: &FilteringCounts) {
        self.passed += other.passed;
        self.low_quality += other.low_quality;
        self.too_many_n += other.too_many_n;
        self.low_complexity += other.low_complexity;
        self.adapter_dimer += other.adapter_dimer;
        self.contaminated += other.contaminated;
        self.too_short += other.too_short;
        self.too_long += other.too_long;
        self.removed_by_index += other.removed_by_index;
        self.removed_duplicates += other.removed_duplicates;
    }
}

/// How often each sequence was cut as adapter.
pub type AdapterTable = HashMap<Box<[u8]>, u64, BuildHasherDefault<SequenceHasher>>;

/// What was cut as adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdapterCounts {
    /// Reads of which adapter was cut.
    pub trimmed_reads: u64,
    /// Bases cut from them.
    pub trimmed_bases: u64,
    /// What was cut from first (or single) reads, and how often.
    pub read1: AdapterTable,
    /// What was cut from second reads, and how often.
    pub read2: AdapterTable,
    /// Sequences that found no place in the tables, which hold at most
    /// [`AdapterCounts::CAPACITY`] each per worker: `[read 1, read 2]`.
    pub untabulated: [u64; 2],
}

impl AdapterCounts {
    /// The most different sequences that a worker tabulates for each mate. Of
    /// sequences that make up one percent of all, the least that reports show, there
    /// are at most a hundred; 2^16 entries of 100 bytes stay below 7 MB.
    pub const CAPACITY: usize = 1 << 16;

    /// Count one sequence cut from read `mate` (0 or 1). Sequences longer than
    /// `keep` bases are tabulated by so many.
    pub(crate) fn tabulate(&mut self, mate: usize, sequence: &[u8], keep: usize) {
        let sequence = &sequence[..sequence.len().min(keep)];
        let table = if mate == 0 {
            &mut self.read1
        } else {
            &mut self.read2
        };
        if let Some(count) = table.get_mut(sequence) {
            *count += 1;
        } else if table.len() < Self::CAPACITY {
            table.insert(sequence.into(), 1);
        } else {
            self.untabulated[mate] += 1;
        }
    }

    /// Add what another worker counted.
    pub fn merge(&mut self, other: &AdapterCounts) {
        self.trimmed_reads += other.trimmed_reads;
        self.trimmed_bases += other.trimmed_bases;
        for (table, more) in [
            (&mut self.read1, &other.read1),
            (&mut self.read2, &other.read2),
        ] {
            for (sequence, count) in more {
                if let Some(known) = table.get_mut(sequence) {
                    *known += count;
                } else {
                    table.insert(sequence.clone(), *count);
                }
            }
        }
        for (sum, more) in self.untabulated.iter_mut().zip(other.untabulated) {
            *sum += more;
        }
    }
}

/// Tails of A that were cut from first or single reads, and heads of T from second ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolyACounts {
    /// Reads that were cut, by mate.
    pub reads: [u64; 2],
    /// Bases cut from them.
    pub bases: [u64; 2],
}

impl PolyACounts {
    /// Add what another worker counted.
    pub fn merge(&mut self, other: &PolyACounts) {
        for mate in 0..2 {
            self.reads[mate] += other.reads[mate];
            self.bases[mate] += other.bases[mate];
        }
    }
}

/// Bases cut off one end of reads, whichever read of a pair it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedCounts {
    /// Reads that were cut.
    pub reads: u64,
    /// Bases cut from them.
    pub bases: u64,
}

impl FixedCounts {
    /// Count a read that lost so many bases.
    pub(crate) fn add(&mut self, bases: usize) {
        self.reads += 1;
        self.bases += bases as u64;
    }

    /// Add what another worker counted.
    pub fn merge(&mut self, other: &FixedCounts) {
        self.reads += other.reads;
        self.bases += other.bases;
    }
}

/// Tails of one base that were cut, by that base in the order A, T, C, G.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolyXCounts {
    /// Reads that were cut.
    pub reads: [u64; 4],
    /// Bases cut from them.
    pub bases: [u64; 4],
}

impl PolyXCounts {
    /// The bases in the order of the fields.
    pub const BASES: [u8; 4] = *b"ATCG";

    /// Add what another worker counted.
    pub fn merge(&mut self, other: &PolyXCounts) {
        for base in 0..4 {
            self.reads[base] += other.reads[base];
            self.bases[base] += other.bases[base];
        }
    }
}

/// Bases corrected where mates overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CorrectionCounts {
    /// Reads with at least one corrected base.
    pub reads: u64,
    /// Corrected bases.
    pub bases: u64,
    /// Corrected bases by what stood there (row) and what was put there (column), in
    /// the order A, C, G, T, N, in the direction of the read that was corrected.
    pub changes: [[u64; 5]; 5],
}

impl CorrectionCounts {
    /// Add what another worker counted.
    pub fn merge(&mut self, other: &CorrectionCounts) {
        self.reads += other.reads;
        self.bases += other.bases;
        for (row, more) in self.changes.iter_mut().zip(&other.changes) {
            for (count, more) in row.iter_mut().zip(more) {
                *count += more;
            }
        }
    }
}

/// Reads that are written, but are not in the statistics after the steps: mates that are not
/// merged where others are, and with fastp unpaired reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UncountedReads {
    /// How many there are.
    pub reads: u64,
    /// Their bases.
    pub bases: u64,
    /// Of these, bases whose quality is at least 30.
    pub q30_bases: u64,
}

impl UncountedReads {
    /// Count a read by its qualities as they stand in the file (`!` is 0).
    pub(crate) fn add(&mut self, qualities: &[u8]) {
        const Q30: u8 = b'!' + 30;
        self.reads += 1;
        self.bases += qualities.len() as u64;
        self.q30_bases += qualities.iter().filter(|quality| **quality >= Q30).count() as u64;
    }

    /// Add what another worker counted.
    pub fn merge(&mut self, other: &UncountedReads) {
        self.reads += other.reads;
        self.bases += other.bases;
        self.q30_bases += other.q30_bases;
    }
}

/// How many pairs come from fragments of which length, as far as the mates overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertSizes {
    /// Pairs by length of the fragment in bases, 0 to [`InsertSizes::LONGEST`].
    pub histogram: Vec<u64>,
    /// Pairs that do not overlap, or whose fragment is longer than that.
    pub unknown: u64,
}

impl InsertSizes {
    /// The longest fragment that has a place in the histogram.
    pub const LONGEST: usize = 511;

    /// The most frequent length (the shortest of them), and how many pairs have it.
    pub fn peak(&self) -> (usize, u64) {
        let mut peak = (0, 0);
        for (length, &count) in self.histogram.iter().enumerate() {
            if count > peak.1 {
                peak = (length, count);
            }
        }
        peak
    }

    /// The most frequent length in words: of the longest that has a place nothing tells whether longer ones are not as
    /// frequent, as mates that do not overlap tell no length.
    pub fn told_peak(&self) -> String {
        let longest = self.histogram.iter().rposition(|&count| count > 0);
        match self.peak() {
            (peak, 1..) if Some(peak) == longest && self.unknown > 0 => format!("{peak} or more"),
            (peak, _) => peak.to_string(),
        }
    }

    /// Count a pair by the length of its fragment.
    pub(crate) fn add(&mut self, length: Option<usize>) {
        match length.and_then(|length| self.histogram.get_mut(length)) {
            Some(count) => *count += 1,
            None => self.unknown += 1,
        }
    }

    /// Add what another worker counted.
    pub fn merge(&mut self, other: &InsertSizes) {
        for (count, more) in self.histogram.iter_mut().zip(&other.histogram) {
            *count += more;
        }
        self.unknown += other.unknown;
    }
}

impl Default for InsertSizes {
    fn default() -> Self {
        InsertSizes {
            histogram: vec![0; Self::LONGEST + 1],
            unknown: 0,
        }
    }
}
