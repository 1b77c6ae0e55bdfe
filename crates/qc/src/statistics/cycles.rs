//! Letters and quality sums by cycle: the counters that every base touches.
//!
//! ```text
//! for each sixteen bases of two reads, at cycles 16 i to 16 i + 15:
//!     for each letter of A, C, G, T:
//!         equal1, equal2 = bases == letter                 (255 or 0 in each lane)
//!         counts[letter] -= equal1 + equal2                (u8 lanes)
//!         both            = (qualities1 & equal1) + (qualities2 & equal2)
//!         sums[letter]   += both                           (u16 lanes)
//! ```
//! Two reads at once, because loading, widening and storing the counters is most of the
//! work; the first one waits in a copy. Two quality bytes below 128 fit into a lane; a read
//! with others is counted alone. What is none of the four letters is rare; the caller is
//! told and looks again.
//!
//! After 254 reads a u8 lane may be full (a u16 lane never is: 254 x 255 < 65536), so
//! the rows are then added to wide ones.
//!
//! Tried instead, in instructions per base for this and the distribution of qualities
//! together: one increment for each base in a table by cycle, letter and quality, which is
//! all one could wish to know: 13 (1.6 ns here; 1.1 ns in blocks of 32 cycles, which stay
//! in the L1 cache). One read at a time, left to the compiler to vectorise: 8.7, and 22
//! when compiled for AVX2, where it does not succeed.

use wide::{u8x16, u16x8};

use super::{Cycle, Statistics};

/// Reads after which the counters could overflow by two more.
const FULL: u32 = 254;

/// Lanes: one register of bytes on every 64-bit machine.
const LANES: usize = 16;

/// The letters of the rows.
const LETTERS: [u8; 4] = *b"ACGT";

/// Counters of sixteen cycles.
#[derive(Clone, Copy, Default)]
struct Row {
    counts: [u8x16; 4],
    /// Lanes 0 to 7, and 8 to 15.
    sums: [[u16x8; 2]; 4],
}

/// Narrow counters by cycle.
#[derive(Default)]
pub(super) struct CycleCounters {
    rows: Vec<Row>,
    /// Rows that were used since they were last emptied.
    used: usize,
    reads: u32,
}

/// Sixteen bases of a read with their qualities.
#[derive(Clone, Copy)]
struct Sixteen {
    bases: u8x16,
    qualities: u8x16,
    /// 255 in the lanes behind the end of the read.
    behind: u8x16,
}

impl CycleCounters {
    /// Count one read, of which only the first [`Statistics::CYCLE_LIMIT`] bases are
    /// given. True if all are A, C, G or T; the other bases are not counted.
    pub(super) fn add(&mut self, sequence: &[u8], quality: &[u8], wide: &mut [Cycle]) -> bool {
        self.make_room(sequence.len(), wide);
        self.reads += 1;
        self.add_from(0, sequence, quality)
    }

    /// Count two reads, of ASCII qualities, in the same way.
    #[inline]
    pub(super) fn add_two(
        &mut self,
        first: (&[u8], &[u8]),
        second: (&[u8], &[u8]),
        wide: &mut [Cycle],
    ) -> [bool; 2] {
        let lengths = [first.0.len(), second.0.len()];
        self.make_room(lengths[0].max(lengths[1]), wide);
        self.reads += 2;

        let whole = lengths[0].min(lengths[1]) / LANES;
        let mut clean = add_pairs(
            &mut self.rows[..whole],
            [first.0.as_chunks().0, second.0.as_chunks().0],
            [first.1.as_chunks().0, second.1.as_chunks().0],
        );
        let start = whole * LANES;
        if lengths[0] == lengths[1] {
            if start < lengths[0] {
                let first = Sixteen::of_end(&first.0[start..], &first.1[start..]);
                let second = Sixteen::of_end(&second.0[start..], &second.1[start..]);
                let known = self.rows[whole].add_two(first, second);
                clean[0] &= (known[0] | first.behind).all();
                clean[1] &= (known[1] | second.behind).all();
            }
        } else {
            clean[0] &= self.add_from(whole, &first.0[start..], &first.1[start..]);
            clean[1] &= self.add_from(whole, &second.0[start..], &second.1[start..]);
        }
        clean
    }

    /// Count what is left of a read from this row on.
    fn add_from(&mut self, row: usize, sequence: &[u8], quality: &[u8]) -> bool {
        let mut clean = u8x16::splat(255);
        let chunks = sequence.chunks(LANES).zip(quality.chunks(LANES));
        for ((bases, qualities), row) in chunks.zip(&mut self.rows[row..]) {
            let sixteen = Sixteen::of_end(bases, qualities);
            clean &= row.add(sixteen) | sixteen.behind;
        }
        clean.all()
    }

    #[inline]
    fn make_room(&mut self, length: usize, wide: &mut [Cycle]) {
        if self.reads >= FULL - 1 {
            self.drain_into(wide);
        }
        let rows = length.div_ceil(LANES);
        if rows > self.used {
            if rows > self.rows.len() {
                self.rows.resize(rows, Row::default());
            }
            self.used = rows;
        }
    }

    /// Empty the counters into wide ones, of which there are as many as cycles of the
    /// longest read so far.
    pub(super) fn drain_into(&mut self, wide: &mut [Cycle]) {
        for (row, cycles) in self.rows[..self.used]
            .iter_mut()
            .zip(wide.chunks_mut(LANES))
        {
            let counts = row.counts.map(|counts| counts.to_array());
            let sums = row.sums.map(|sums| sums.map(|sums| sums.to_array()));
            for (lane, cycle) in cycles.iter_mut().enumerate() {
                for letter in 0..4 {
                    cycle.letters[letter] += u64::from(counts[letter][lane]);
                    let sum = sums[letter][lane / 8][lane % 8];
                    cycle.quality_bytes[letter] += u64::from(sum);
                }
            }
            *row = Row::default();
        }
        self.reads = 0;
        self.used = 0;
    }
}

impl Sixteen {
    /// The last bases of a read, or sixteen.
    fn of_end(bases: &[u8], qualities: &[u8]) -> Self {
        let (mut padded, mut padded_qualities) = ([0; LANES], [0; LANES]);
        padded[..bases.len()].copy_from_slice(bases);
        padded_qualities[..bases.len()].copy_from_slice(qualities);
        let lanes = u8x16::new([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        Sixteen {
            bases: u8x16::new(padded),
            qualities: u8x16::new(padded_qualities),
            behind: lanes.max(u8x16::splat(bases.len() as u8)).simd_eq(lanes),
        }
    }
}

impl Row {
    /// Count; 255 in the lanes of A, C, G and T.
    #[inline(always)]
    fn add(&mut self, one: Sixteen) -> u8x16 {
        for (letter, value) in LETTERS.into_iter().enumerate() {
            let equal = one.bases.simd_eq(u8x16::splat(value));
            self.counts[letter] -= equal;
            self.add_sums(letter, one.qualities & equal);
        }
        known(one.bases)
    }

    /// The same for two reads, of ASCII qualities.
    #[inline(always)]
    fn add_two(&mut self, first: Sixteen, second: Sixteen) -> [u8x16; 2] {
        let mut known = [u8x16::splat(0); 2];
        for (letter, value) in LETTERS.into_iter().enumerate() {
            let value = u8x16::splat(value);
            let equal = [first.bases.simd_eq(value), second.bases.simd_eq(value)];
            self.counts[letter] -= equal[0] + equal[1];
            let both = (first.qualities & equal[0]) + (second.qualities & equal[1]);
            self.add_sums(letter, both);
            known[0] |= equal[0];
            known[1] |= equal[1];
        }
        known
    }

    #[inline(always)]
    fn add_sums(&mut self, letter: usize, qualities: u8x16) {
        let [low, high] = &mut self.sums[letter];
        *low += u16x8::from_u8x16_low(qualities);
        *high += u16x8::from_u8x16_high(qualities);
    }
}

/// Count sixteen bases of two reads in each row; whether all are A, C, G or T.
fn add_pairs(
    rows: &mut [Row],
    bases: [&[[u8; LANES]]; 2],
    qualities: [&[[u8; LANES]]; 2],
) -> [bool; 2] {
    let mut clean = [u8x16::splat(255); 2];
    let first = bases[0].iter().zip(qualities[0]);
    let second = bases[1].iter().zip(qualities[1]);
    for ((row, first), second) in rows.iter_mut().zip(first).zip(second) {
        let [first, second] = [first, second].map(|(bases, qualities)| Sixteen {
            bases: u8x16::new(*bases),
            qualities: u8x16::new(*qualities),
            behind: u8x16::splat(0),
        });
        let known = row.add_two(first, second);
        clean[0] &= known[0];
        clean[1] &= known[1];
    }
    clean.map(u8x16::all)
}

/// 255 in the lanes of A, C, G and T.
#[inline(always)]
fn known(bases: u8x16) -> u8x16 {
    let equal = LETTERS.map(|letter| bases.simd_eq(u8x16::splat(letter)));
    (equal[0] | equal[1]) | (equal[2] | equal[3])
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
fn is_clean(bases: &[u8; LANES]) -> bool {
    known(u8x16::new(*bases)).all()
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
