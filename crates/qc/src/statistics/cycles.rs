//! Letters and quality sums by cycle: the counters that every base touches.
//!
//! ```text
//! for each sixteen bases of a read, at cycles 16 i to 16 i + 15:
//!     for each letter of A, C, G, T:
//!         equal         = bases == letter          (255 or 0 in each lane)
//!         counts[letter] -= equal                  (u8 lanes)
//!         sums[letter]   += qualities & equal      (u16 lanes)
//! ```
//! Lanes are independent, so the compiler makes vector code of it for any target. What
//! is none of the four letters is rare; the caller is told and looks again.
//!
//! After 255 reads a u8 lane may be full (a u16 lane never is: 255 x 255 < 65536), so
//! the rows are then added to wide ones.

use super::{Cycle, Statistics};

/// Reads after which the counters could overflow.
const FULL: u32 = 255;

/// Lanes: one SSE2 register of bytes.
const LANES: usize = 16;

/// The letters of the rows.
const LETTERS: [u8; 4] = *b"ACGT";

/// Counters of sixteen cycles.
#[derive(Clone, Copy, Default)]
struct Row {
    counts: [[u8; LANES]; 4],
    sums: [[u16; LANES]; 4],
}

/// Narrow counters by cycle.
#[derive(Default)]
pub(super) struct CycleCounters {
    rows: Vec<Row>,
    /// Rows that were used since they were last emptied.
    used: usize,
    reads: u32,
}

impl CycleCounters {
    /// Count one read, of which only the first [`Statistics::CYCLE_LIMIT`] bases are
    /// given. True if all are A, C, G or T; the other bases are not counted.
    #[inline]
    pub(super) fn add(&mut self, sequence: &[u8], quality: &[u8], wide: &mut [Cycle]) -> bool {
        if self.reads == FULL {
            self.drain_into(wide);
        }
        self.reads += 1;
        let rows = sequence.len().div_ceil(LANES);
        if rows > self.used {
            if rows > self.rows.len() {
                self.rows.resize(rows, Row::default());
            }
            self.used = rows;
        }

        let (sequence, last_bases) = sequence.as_chunks::<LANES>();
        let (quality, last_qualities) = quality.as_chunks::<LANES>();
        let clean = add_rows(&mut self.rows, sequence, quality);
        if last_bases.is_empty() {
            return all(clean);
        }
        let (mut bases, mut qualities) = ([0; LANES], [0; LANES]);
        bases[..last_bases.len()].copy_from_slice(last_bases);
        qualities[..last_qualities.len()].copy_from_slice(last_qualities);
        let mut known = add_rows(&mut self.rows[rows - 1..], &[bases], &[qualities]);
        known[last_bases.len()..].fill(255);
        all(clean) && all(known)
    }

    /// Empty the counters into wide ones, of which there are as many as cycles of the
    /// longest read so far.
    pub(super) fn drain_into(&mut self, wide: &mut [Cycle]) {
        for (row, cycles) in self.rows[..self.used]
            .iter_mut()
            .zip(wide.chunks_mut(LANES))
        {
            for (lane, cycle) in cycles.iter_mut().enumerate() {
                for letter in 0..4 {
                    cycle.letters[letter] += u64::from(row.counts[letter][lane]);
                    cycle.quality_bytes[letter] += u64::from(row.sums[letter][lane]);
                }
            }
            *row = Row::default();
        }
        self.reads = 0;
        self.used = 0;
    }
}

/// Count sixteen bases in each row; 255 in the lanes where all are A, C, G or T.
///
/// One short loop for each operation: LLVM makes one or two vector instructions of each
/// (86 instructions for 16 bases in all), where a loop that did all at once stays
/// scalar, as does a copy of this function inlined into a larger one.
#[inline(never)]
fn add_rows(rows: &mut [Row], bases: &[[u8; LANES]], qualities: &[[u8; LANES]]) -> [u8; LANES] {
    let mut clean = [255; LANES];
    for ((row, bases), qualities) in rows.iter_mut().zip(bases).zip(qualities) {
        let (bases, qualities) = (*bases, *qualities);
        let mut known = [0; LANES];
        for (letter, value) in LETTERS.into_iter().enumerate() {
            let mut equal = [0_u8; LANES];
            for lane in 0..LANES {
                equal[lane] = if bases[lane] == value { 255 } else { 0 };
            }
            let counts = &mut row.counts[letter];
            for lane in 0..LANES {
                counts[lane] = counts[lane].wrapping_sub(equal[lane]);
            }
            let mut masked = [0; LANES];
            for lane in 0..LANES {
                masked[lane] = qualities[lane] & equal[lane];
            }
            let sums = &mut row.sums[letter];
            for lane in 0..LANES {
                sums[lane] = sums[lane].wrapping_add(u16::from(masked[lane]));
            }
            for lane in 0..LANES {
                known[lane] |= equal[lane];
            }
        }
        for lane in 0..LANES {
            clean[lane] &= known[lane];
        }
    }
    clean
}

fn all(lanes: [u8; LANES]) -> bool {
    u128::from_ne_bytes(lanes) == u128::MAX
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
    let (chunks, last) = sequence.as_chunks::<LANES>();
    let mut look = |bases: &[u8], start: usize| {
        for (base, place) in bases.iter().zip(start as u32..) {
            if !matches!(base, b'A' | b'C' | b'G' | b'T') {
                others.push(place);
            }
        }
    };
    for (index, bases) in chunks.iter().enumerate() {
        if !is_clean(bases) {
            look(bases, index * LANES);
        }
    }
    look(last, chunks.len() * LANES);
}

/// Whether all are A, C, G or T.
#[inline(never)]
fn is_clean(bases: &[u8; LANES]) -> bool {
    let mut known = [0_u8; LANES];
    for value in LETTERS {
        for lane in 0..LANES {
            known[lane] |= if bases[lane] == value { 255 } else { 0 };
        }
    }
    all(known)
}

/// Count the bases of a read from [`Statistics::CYCLE_LIMIT`] on, all at that cycle.
pub(super) fn add_beyond(
    sequence: &[u8],
    quality: &[u8],
    wide: &mut [Cycle],
    class: impl Fn(u8) -> usize,
) {
    let cycle = &mut wide[Statistics::CYCLE_LIMIT];
    for (&base, &quality) in sequence.iter().zip(quality) {
        let class = class(base);
        cycle.letters[class] += 1;
        cycle.quality_bytes[class] += u64::from(quality);
    }
}
