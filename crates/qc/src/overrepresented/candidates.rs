//! Sequences to count, and the tables to find them by.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::rolling::{hashes, without_last};
use crate::SequenceHasher;

/// The shortest subsequence that is looked for.
const SHORTEST: usize = 10;

/// The lengths that are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lengths([usize; 5]);

impl Lengths {
    /// For reads of so many bases.
    pub(super) fn of_reads(longest: usize) -> Self {
        Lengths([10, 20, 40, 100, longest.saturating_sub(2).min(150)])
    }

    /// All; one may occur twice.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> {
        self.0.into_iter().filter(|&length| length >= SHORTEST)
    }

    /// Each once.
    pub(super) fn different(&self) -> Vec<usize> {
        let mut lengths: Vec<usize> = self.all().collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }
}

/// Sequences to count in all reads. Shared by all workers, for reads before and after the
/// steps; each mate has its own.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    sequences: Vec<Box<[u8]>>,
    tables: Vec<Table>,
}

/// The candidates of one length.
#[derive(Clone, Debug)]
struct Table {
    length: usize,
    /// How often the length is in the list, which is how often each occurrence counts.
    weight: u64,
    /// A bit for the highest bits of each candidate's hash.
    filter: Vec<u64>,
    shift: u32,
    places: HashMap<Box<[u8]>, u32, BuildHasherDefault<SequenceHasher>>,
}

impl Candidates {
    /// Take sequences in alphabetical order, whose lengths are among those given.
    pub(super) fn new(lengths: Lengths, sequences: Vec<Box<[u8]>>) -> Self {
        let mut tables = Vec::new();
        for length in lengths.different() {
            let places: HashMap<_, _, _> = sequences
                .iter()
                .zip(0..)
                .filter(|(sequence, _)| sequence.len() == length)
                .map(|(sequence, place)| (sequence.clone(), place))
                .collect();
            if places.is_empty() {
                continue;
            }
            // Sixteen bits for each, so that one look-up in sixteen is in vain.
            let bits = (places.len() * 16).next_power_of_two().max(64).ilog2();
            let mut filter = vec![0_u64; 1 << (bits - 6)];
            let shift = 64 - bits;
            for sequence in places.keys() {
                let bit = hashes(sequence, length).next().unwrap_or(0) >> shift;
                filter[(bit >> 6) as usize] |= 1 << (bit & 63);
            }
            tables.push(Table {
                length,
                weight: lengths.all().filter(|&other| other == length).count() as u64,
                filter,
                shift,
                places,
            });
        }
        Candidates { sequences, tables }
    }

    /// The sequences, in alphabetical order.
    pub fn sequences(&self) -> &[Box<[u8]>] {
        &self.sequences
    }

    /// Call `found` with the place in [`Candidates::sequences`] of each candidate in a read,
    /// and how often it counts. Of one length, occurrences do not overlap nor touch:
    /// as in fastp, the search goes on one base behind an occurrence.
    pub(super) fn find(&self, read: &[u8], mut found: impl FnMut(usize, u64)) {
        for table in &self.tables {
            let mut from = 0;
            for (start, hash) in hashes(without_last(read), table.length).enumerate() {
                let bit = hash >> table.shift;
                if table.filter[(bit >> 6) as usize] >> (bit & 63) & 1 == 0 || start < from {
                    continue;
                }
                let window = &read[start..start + table.length];
                if let Some(&place) = table.places.get(window) {
                    found(place as usize, table.weight);
                    from = start + table.length + 1;
                }
            }
        }
    }
}
