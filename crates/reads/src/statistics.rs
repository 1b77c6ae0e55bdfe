//! The numbers behind `thalweg stats`.

use std::collections::BTreeMap;
use std::fmt;

use thalweg_scan::{Letters, Qualities, QualityCounters};

use crate::batch::Block;
use crate::{Format, Record, Records};

/// Numbers of reads, bases, letters, lengths and qualities; adds up over batches and threads.
///
/// Memory: 4 KiB, with qualities up to a MiB, 8 bytes per possible length below 64 Ki, and a map entry per distinct length
/// from there on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statistics {
    letters: Letters,
    lengths: Lengths,
    qualities: Option<Box<QualityCounts>>,
}

impl Statistics {
    /// Nothing seen yet. Qualities are added up only if `with_quality`.
    pub fn new(with_quality: bool) -> Self {
        Statistics {
            letters: Letters::default(),
            lengths: Lengths::default(),
            qualities: with_quality.then(Box::default),
        }
    }

    /// Add all records of a block, or the piece of one that it is. Pieces must have no letters in common.
    pub fn add_block(&mut self, block: &Block) {
        let Some(piece) = block.piece() else {
            return self.add(block.records());
        };
        for record in block.records() {
            let letters = &mut self.letters;
            let length = thalweg_scan::letters_in_lines(record.raw_sequence(), letters);
            if piece.is_last() {
                // Below the 2^63 bytes of a file.
                self.lengths.add(piece.letters_before() as usize + length);
            }
        }
    }

    /// Add all records of a batch.
    pub fn add(&mut self, records: Records<'_>) {
        match records.format() {
            Format::Fastq => self.add_one_line(records),
            Format::FastqMultiline | Format::Fasta => {
                records.for_each(|record| self.add_wrapped(record));
            }
        }
    }

    /// Add what another counted.
    pub fn merge(&mut self, other: &Statistics) {
        self.letters.merge(&other.letters);
        self.lengths.merge(&other.lengths);
        if let (Some(mine), Some(others)) = (&mut self.qualities, &other.qualities) {
            for (count, more) in mine.wide.iter_mut().zip(others.all()) {
                *count += more;
            }
        }
    }

    /// Reads (records) seen.
    pub fn reads(&self) -> u64 {
        self.lengths.ascending().map(|(_, count)| count).sum()
    }

    /// Bases seen: the sum of all lengths.
    pub fn bases(&self) -> u64 {
        self.lengths
            .ascending()
            .map(|(length, count)| length * count)
            .sum()
    }

    /// How often each letter was seen.
    pub fn letters(&self) -> &Letters {
        &self.letters
    }

    /// The length of the shortest read, `None` without reads.
    pub fn shortest(&self) -> Option<u64> {
        self.lengths.ascending().next().map(|(length, _)| length)
    }

    /// The length of the longest read, `None` without reads.
    pub fn longest(&self) -> Option<u64> {
        self.lengths.ascending().last().map(|(length, _)| length)
    }

    /// Bases per read, `None` without reads.
    pub fn mean_length(&self) -> Option<f64> {
        ratio(self.bases(), self.reads())
    }

    /// The length such that reads of it or longer hold at least half of all bases; `None` without
    /// reads, 0 if all are empty.
    pub fn n50(&self) -> Option<u64> {
        let bases = self.bases();
        // From the shortest up: the first length up to which (inclusive) more than half of the
        // bases lie. The longer ones then hold less than half, and those of this length and longer
        // at least half.
        let mut below = 0;
        self.lengths
            .ascending()
            .find(|&(length, count)| {
                below += length * count;
                bases == 0 || below > bases / 2
            })
            .map(|(length, _)| length)
    }

    /// The lengths that were seen, ascending, with the number of reads of each.
    pub fn lengths(&self) -> impl Iterator<Item = (u64, u64)> {
        self.lengths.ascending()
    }

    /// The share of bases that are `G`, `C`, `g` or `c`, 0 to 1; `None` without bases.
    pub fn gc(&self) -> Option<f64> {
        let sum = b"GCgc"
            .iter()
            .map(|&letter| self.letters.count(letter))
            .sum();
        ratio(sum, self.bases())
    }

    /// How many reads, the longest first, hold at least half of all bases together: as few as can. `None` without reads.
    pub fn l50(&self) -> Option<u64> {
        let (n50, bases) = (self.n50()?, self.bases());
        let longer = self.lengths.ascending().filter(|&(length, _)| length > n50);
        let (reads, held) = longer.fold((0, 0), |(reads, held), (length, count)| {
            (reads + count, held + length * count)
        });
        let lacking = bases.div_ceil(2) - held;
        Some(reads + lacking.div_ceil(n50.max(1)).max(1))
    }

    /// How often each byte was seen among the qualities, if that was asked for. All zeros for FASTA.
    pub fn quality_counts(&self) -> Option<[u64; 256]> {
        self.qualities.as_ref().map(|counts| counts.all())
    }

    /// Quality totals, if they were asked for. All zeros for FASTA.
    pub fn qualities(&self) -> Option<Qualities> {
        let counts = self.quality_counts()?;
        let mut totals = Qualities::default();
        for (quality, count) in (-ZERO..).zip(counts) {
            totals.sum += quality * count as i64;
            totals.bases += count;
            totals.q20 += if quality >= 20 { count } else { 0 };
            totals.q30 += if quality >= 30 { count } else { 0 };
        }
        Some(totals)
    }

    /// The share of bases of quality 20 or more, 0 to 1; `None` if no quality was seen.
    pub fn q20(&self) -> Option<f64> {
        let qualities = self.qualities()?;
        ratio(qualities.q20, qualities.bases)
    }

    /// The share of bases of quality 30 or more, 0 to 1; `None` if no quality was seen.
    pub fn q30(&self) -> Option<f64> {
        let qualities = self.qualities()?;
        ratio(qualities.q30, qualities.bases)
    }

    /// The mean of all Phred qualities; `None` if no quality was seen.
    ///
    /// This is the mean of the values: [`quality_of_mean_error`](Self::quality_of_mean_error) is never more.
    pub fn mean_quality(&self) -> Option<f64> {
        let qualities = self.qualities().filter(|qualities| qualities.bases > 0)?;
        Some(qualities.sum as f64 / qualities.bases as f64)
    }

    /// The Phred quality of the mean error of all bases; `None` if no quality was seen.
    ///
    /// Each quality stands for a probability that its base is wrong: the mean of these, as a quality again. It tells how many
    /// errors to expect, which the [mean of the qualities](Self::mean_quality) does not. Bytes below `!` are taken for `!`.
    pub fn quality_of_mean_error(&self) -> Option<f64> {
        let counts = self.quality_counts()?;
        let bases: u64 = counts.iter().sum();
        let errors: f64 = (-ZERO..)
            .zip(counts)
            .map(|(quality, count)| count as f64 * 10_f64.powf(quality.max(0) as f64 / -10.0))
            .sum();
        // Nothing but errors is 0, and not -0.
        (bases > 0).then(|| (-10.0 * (errors / bases as f64).log10()).max(0.0))
    }

    fn add_one_line(&mut self, records: Records<'_>) {
        let lengths = &mut self.lengths;
        let sequences = records
            .one_line_sequences()
            .inspect(|sequence| lengths.add(sequence.len()));
        thalweg_scan::letters_of_all(sequences, &mut self.letters);
        if let Some(counts) = &mut self.qualities {
            records
                .one_line_qualities()
                .for_each(|line| counts.add(line));
        }
    }

    fn add_wrapped(&mut self, record: Record<'_>) {
        let length = thalweg_scan::letters_in_lines(record.raw_sequence(), &mut self.letters);
        self.lengths.add(length);
        if let Some(counts) = &mut self.qualities {
            record.quality_lines().for_each(|line| counts.add(line));
        }
    }
}

/// How often each byte was seen among the qualities.
#[derive(Clone)]
struct QualityCounts {
    wide: [u64; 256],
    /// What is not in the wide ones.
    counters: QualityCounters,
}

impl QualityCounts {
    #[inline]
    fn add(&mut self, line: &[u8]) {
        self.counters.add(line, &mut self.wide);
    }

    fn all(&self) -> [u64; 256] {
        let mut all = self.wide;
        self.counters.add_to(&mut all);
        all
    }
}

impl Default for QualityCounts {
    fn default() -> Self {
        Self {
            wide: [0; 256],
            counters: QualityCounters::new(),
        }
    }
}

impl PartialEq for QualityCounts {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl Eq for QualityCounts {}

impl fmt::Debug for QualityCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.all();
        let seen = (0_u8..).zip(all).filter(|&(_, count)| count > 0);
        let seen = seen.map(|(byte, count)| (char::from(byte), count));
        f.debug_map().entries(seen).finish()
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// What the byte of quality 0 is.
const ZERO: i64 = 33;

/// How many reads of each length.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Lengths {
    /// By length; as long as the longest seen that is below `DENSE` requires.
    dense: Vec<u64>,
    sparse: BTreeMap<u64, u64>,
}

/// Lengths with a place of their own: half a mebibyte at most, and all but ultra-long reads.
const DENSE: usize = 64 * 1024;

impl Lengths {
    #[inline(always)]
    fn add(&mut self, length: usize) {
        match self.dense.get_mut(length) {
            Some(count) => *count += 1,
            None => self.add_new(length, 1),
        }
    }

    #[cold]
    fn add_new(&mut self, length: usize, count: u64) {
        if length < DENSE {
            if length >= self.dense.len() {
                self.dense.resize(length + 1, 0);
            }
            self.dense[length] += count;
        } else {
            *self.sparse.entry(length as u64).or_default() += count;
        }
    }

    fn merge(&mut self, other: &Lengths) {
        for (length, count) in other.ascending() {
            self.add_new(length as usize, count);
        }
    }

    fn ascending(&self) -> impl Iterator<Item = (u64, u64)> {
        let dense = (0u64..).zip(self.dense.iter().copied());
        let sparse = self.sparse.iter().map(|(&length, &count)| (length, count));
        dense.filter(|&(_, count)| count > 0).chain(sparse)
    }
}
