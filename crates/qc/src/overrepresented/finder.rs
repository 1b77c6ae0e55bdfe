//! Which sequences are worth counting.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::Candidates;
use super::candidates::Lengths;
use super::rolling::{hashes, without_last};
use crate::SequenceHasher;

/// Bases that are looked at: fastp's ten thousand reads of 151.
const BASES: usize = 10_000 * 151;

/// Reads of which the longest sets the longest length that is looked for.
const LENGTH_READS: usize = 1000;

/// Counters of hashes. With 1.5 million subsequences a length, two of three counters
/// count more than none, but few more than a handful.
const COUNTERS_LOG2: u32 = 21;

type ByHash<T> = HashMap<u64, T, BuildHasherDefault<SequenceHasher>>;

/// Collects the first reads of a file, and finds candidates in them.
///
/// Holds 1.5 MB of bases and the read at the end of them, and while it looks for
/// candidates 2 MiB more and the frequent subsequences of one length.
#[derive(Clone, Debug, Default)]
pub struct CandidateFinder {
    bases: Vec<u8>,
    ends: Vec<usize>,
    longest: usize,
}

impl CandidateFinder {
    /// No read has been seen.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether more reads are wanted. Ask before [`CandidateFinder::add`].
    pub fn wants_more(&self) -> bool {
        self.bases.len() < BASES
    }

    /// Look at the next read of the file. Reads that are not wanted any more are ignored.
    pub fn add(&mut self, sequence: &[u8]) {
        if !self.wants_more() {
            return;
        }
        if self.ends.len() < LENGTH_READS {
            self.longest = self.longest.max(sequence.len());
        }
        self.bases.extend_from_slice(sequence);
        self.ends.push(self.bases.len());
    }

    /// The candidates in the reads seen so far. Takes a tenth of a second to a
    /// second, the longer the more repetitive the reads are.
    pub fn finish(self) -> Candidates {
        let lengths = Lengths::of_reads(self.longest);
        let mut frequent = Vec::new();
        for length in lengths.different() {
            // A length that occurs twice in the list counts everything twice.
            let weight = lengths.all().filter(|&other| other == length).count() as u32;
            let least = least(length).div_ceil(weight);
            let mut counters = vec![0_u8; 1 << COUNTERS_LOG2];
            for read in self.reads() {
                for hash in hashes(without_last(read), length) {
                    let counter = &mut counters[(hash >> (64 - COUNTERS_LOG2)) as usize];
                    *counter = counter.saturating_add(1);
                }
            }
            // By hash: of 1.5 million different subsequences two share theirs in one of
            // ten million runs.
            let mut counts = ByHash::<(u32, &[u8])>::default();
            let enough = least.min(255) as u8;
            for read in self.reads() {
                let windows = read.windows(length);
                for (hash, window) in hashes(without_last(read), length).zip(windows) {
                    if counters[(hash >> (64 - COUNTERS_LOG2)) as usize] >= enough {
                        counts.entry(hash).or_insert((0, window)).0 += 1;
                    }
                }
            }
            let often = counts.into_values().filter(|&(count, _)| count >= least);
            frequent.extend(often.map(|(count, sequence)| (sequence, count * weight)));
        }
        Candidates::new(lengths, without_parts(frequent))
    }

    fn reads(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts
            .zip(&self.ends)
            .map(|(&start, &end)| &self.bases[start..end])
    }
}

/// How often a subsequence must occur in the first reads.
fn least(length: usize) -> u32 {
    match length {
        100.. => 5,
        40.. => 20,
        20.. => 100,
        _ => 500,
    }
}

/// Leave out what is part of a longer sequence that is at least a tenth as frequent.
/// One after the other, in alphabetical order; what is left out is no reason to
/// leave out another.
fn without_parts(mut frequent: Vec<(&[u8], u32)>) -> Vec<Box<[u8]>> {
    frequent.sort_unstable();
    let mut lengths: Vec<usize> = frequent
        .iter()
        .map(|(sequence, _)| sequence.len())
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    let mut kept = vec![true; frequent.len()];
    // (part, whole) where the whole comes first, so that it may have been left out by then.
    let mut undecided = Vec::new();
    for length in lengths {
        let parts = frequent.iter().enumerate();
        let parts: ByHash<usize> = parts
            .filter(|(_, (sequence, _))| sequence.len() == length)
            .filter_map(|(place, (sequence, _))| Some((hashes(sequence, length).next()?, place)))
            .collect();
        let wholes = frequent.iter().enumerate();
        for (whole, (sequence, count)) in wholes.filter(|(_, (one, _))| one.len() > length) {
            for hash in hashes(sequence, length) {
                let Some(&part) = parts.get(&hash) else {
                    continue;
                };
                if !kept[part] || frequent[part].1 / count >= 10 {
                    continue;
                }
                if whole > part {
                    kept[part] = false;
                } else {
                    undecided.push((part, whole));
                }
            }
        }
    }
    undecided.sort_unstable();
    for (part, whole) in undecided {
        if kept[whole] {
            kept[part] = false;
        }
    }
    let kept = frequent.iter().zip(kept).filter(|(_, kept)| *kept);
    kept.map(|((sequence, _), _)| (*sequence).into()).collect()
}
