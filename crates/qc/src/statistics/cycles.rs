//! Letters and quality sums by cycle: the counters that every base touches.
//!
//! Two reads are counted at once, because loading, widening and storing the counters is most
//! of the work; the first one waits in a copy. Two quality bytes below 128 fit into a byte; a read
//! with others is counted alone. What is none of the four letters is counted by the caller.
//!
//! After 254 reads a count may be full (a sum never is: 254 x 255 < 65536), so they are then
//! added to wide ones.
//!
//! Tried instead (`docs/design/cleaning.md`): one increment for each base in a table by cycle, letter and quality, which is
//! all one could wish to know. All letters of sixteen cycles before the next sixteen: the compiler makes vectors of no more
//! than 16 bytes of it.

use thalweg_scan::{COLUMNS, add_columns, are_bases, count_below};

use super::{Cycle, ReadStatistics};

/// Reads after which the counters could overflow by two more.
const FULL: u32 = 254;

/// The letters of the rows.
const LETTERS: [u8; 4] = *b"ACGT";

/// Narrow counters by cycle, as long as each other.
#[derive(Default)]
pub(super) struct CycleCounters {
    counts: [Vec<u8>; 4],
    sums: [Vec<u16>; 4],
    /// Cycles that were used since they were last emptied: whole [`COLUMNS`].
    used: usize,
    reads: u32,
    /// A read that is to be counted with the next one, and room for that.
    pair: [Padded; 2],
    is_waiting: bool,
}

/// Bases and qualities of a read, and zeros behind them.
#[derive(Default)]
struct Padded {
    bases: Vec<u8>,
    qualities: Vec<u8>,
}

impl CycleCounters {
    /// Count the A, C, G and T of one read, of which only the first [`ReadStatistics::CYCLE_LIMIT`] bases are
    /// given. `wide` counters are as many as cycles of the longest read so far.
    #[inline]
    pub(super) fn add(&mut self, sequence: &[u8], quality: &[u8], wide: &mut [Cycle]) {
        debug_assert!(sequence.len() <= ReadStatistics::CYCLE_LIMIT);
        if count_below(quality, 0x80) < quality.len() {
            self.add_waiting(wide);
            self.pair[0].set(sequence, quality);
            self.is_waiting = true;
            self.add_waiting(wide);
            return;
        }
        self.pair[usize::from(self.is_waiting)].set(sequence, quality);
        self.is_waiting = !self.is_waiting;
        if !self.is_waiting {
            self.add_pair(wide);
        }
    }

    /// Count a read that waits for another one.
    fn add_waiting(&mut self, wide: &mut [Cycle]) {
        if std::mem::take(&mut self.is_waiting) {
            self.pair[1].set(&[], &[]);
            self.add_pair(wide);
        }
    }

    fn add_pair(&mut self, wide: &mut [Cycle]) {
        let [first, second] = &self.pair;
        let columns = first.bases.len().max(second.bases.len());
        if first.bases.len() != second.bases.len() {
            self.pair.iter_mut().for_each(|read| read.extend(columns));
        }
        self.make_room(columns, wide);
        self.reads += 2;
        let [first, second] = &self.pair;
        let bases = [&first.bases[..], &second.bases[..]];
        let qualities = [&first.qualities[..], &second.qualities[..]];
        for (letter, value) in LETTERS.into_iter().enumerate() {
            let counts = &mut self.counts[letter][..columns];
            let sums = &mut self.sums[letter][..columns];
            add_columns(value, bases, qualities, counts, sums);
        }
    }

    fn make_room(&mut self, columns: usize, wide: &mut [Cycle]) {
        if self.reads >= FULL - 1 {
            self.empty_into(wide);
        }
        if columns > self.used {
            if columns > self.counts[0].len() {
                self.counts
                    .iter_mut()
                    .for_each(|row| row.resize(columns, 0));
                self.sums.iter_mut().for_each(|row| row.resize(columns, 0));
            }
            self.used = columns;
        }
    }

    /// Count what waits, and empty the counters into wide ones.
    pub(super) fn drain_into(&mut self, wide: &mut [Cycle]) {
        self.add_waiting(wide);
        self.empty_into(wide);
    }

    fn empty_into(&mut self, wide: &mut [Cycle]) {
        for letter in 0..LETTERS.len() {
            let counts = &mut self.counts[letter][..self.used];
            let sums = &mut self.sums[letter][..self.used];
            for ((cycle, &count), &sum) in wide.iter_mut().zip(&*counts).zip(&*sums) {
                cycle.letters[letter] += u64::from(count);
                cycle.quality_bytes[letter] += u64::from(sum);
            }
            counts.fill(0);
            sums.fill(0);
        }
        self.reads = 0;
        self.used = 0;
    }
}

impl Padded {
    fn set(&mut self, sequence: &[u8], quality: &[u8]) {
        self.bases.clear();
        self.bases.extend_from_slice(sequence);
        self.qualities.clear();
        self.qualities.extend_from_slice(quality);
        self.extend(sequence.len().next_multiple_of(COLUMNS));
    }

    fn extend(&mut self, columns: usize) {
        self.bases.resize(columns, 0);
        self.qualities.resize(columns, 0);
    }
}

/// Count the bases that [`CycleCounters::add`] left out, of which `others` are the places.
pub(super) fn add_others(
    sequence: &[u8],
    quality: &[u8],
    others: &[u32],
    wide: &mut [Cycle],
    class: impl Fn(u8) -> usize,
) {
    for &place in others {
        let place = place as usize;
        let (class, cycle) = (class(sequence[place]), &mut wide[place]);
        cycle.letters[class] += 1;
        cycle.quality_bytes[class] += u64::from(quality[place]);
    }
}

/// Find the places of bases that are not A, C, G or T.
pub(super) fn find_others(sequence: &[u8], others: &mut Vec<u32>) {
    others.clear();
    for (number, block) in sequence.chunks(COLUMNS).enumerate() {
        if are_bases(block) {
            continue;
        }
        let start = (number * COLUMNS) as u32;
        let places = (start..).zip(block);
        let others_of_block = places.filter(|(_, base)| !LETTERS.contains(base));
        others.extend(others_of_block.map(|(place, _)| place));
    }
}

/// Count the bases of a read from [`ReadStatistics::CYCLE_LIMIT`] on, all at that cycle.
pub(super) fn add_beyond(
    sequence: &[u8],
    quality: &[u8],
    wide: &mut [Cycle],
    class: impl Fn(u8) -> usize,
) {
    let cycle = &mut wide[ReadStatistics::CYCLE_LIMIT];
    for (&base, &quality) in sequence.iter().zip(quality) {
        let class = class(base);
        cycle.letters[class] += 1;
        cycle.quality_bytes[class] += u64::from(quality);
    }
}
