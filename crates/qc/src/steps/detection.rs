//! Finding the adapter of single reads in the reads themselves.
//!
//! Published adapters are counted. Where none is frequent, fastp goes on to ask which
//! words of ten bases are, and lets the commonest grow at both ends as long as (almost)
//! all reads agree (0.23 does only that). If what comes of it begins with a whole adapter
//! that fastp knows, that is the answer; else the sequence itself, but only if few reads
//! are left to disagree at either end. So an adapter that is not published is never found,
//! because the bases before it differ, but repeats of the genome are: this is done only
//! where fastp is followed.
//!
//! fastp knows other adapters than are known here, and more letters of some.

use super::fastp_adapters::{self, Adapter};
use super::{known_adapters::KNOWN, known_search::KnownSearch};
use crate::{FastpVersion, Mode};

/// Collects the first reads of a file, and tells which adapter they end in.
#[derive(Debug)]
pub struct AdapterDetector {
    mode: Mode,
    /// Bases that the options cut off the tails.
    tail: usize,
    bases: Vec<u8>,
    ends: Vec<usize>,
}

/// An adapter that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedAdapter {
    /// As it is to be searched.
    pub sequence: Vec<u8>,
    /// What it is, if published; where fastp is followed, in its words.
    pub name: Option<&'static str>,
}

impl DetectedAdapter {
    /// Whether it is looked for: fastp 1.3 finds adapters of more than 60 bases, names them, and then
    /// has none.
    pub fn is_used(&self, mode: Mode) -> bool {
        mode.is_correct() || self.sequence.len() <= fastp_adapters::LONGEST
    }
}

/// Reads that are looked at.
const MOST_READS: usize = 256 * 1024;

/// Bases that are looked at: of 256,000 reads of 151.
const MOST_BASES: usize = 256_000 * 151;

/// Reads in which published adapters are counted.
const KNOWN_READS: usize = 100_000;

/// Bases of a word.
const WORD: usize = 10;

/// Where words begin: what stands before is not behind a fragment, usually.
const FIRST_WORD: usize = 20;

/// Where words from which an adapter grows begin at the latest, in fastp 1.3.
const LAST_SEED: usize = 499;

impl AdapterDetector {
    /// With fewer reads nothing is detected.
    pub const LEAST_READS: usize = 10_000;

    /// Nothing collected yet. `tail` bases at the end of each read do not count.
    pub fn new(mode: Mode, tail: usize) -> Self {
        AdapterDetector {
            mode,
            tail: tail.max(1),
            bases: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Whether no more reads are wanted.
    pub fn is_full(&self) -> bool {
        self.ends.len() >= MOST_READS || self.bases.len() >= MOST_BASES
    }

    /// Whether something can be detected.
    pub fn has_enough(&self) -> bool {
        self.ends.len() >= Self::LEAST_READS
    }

    /// Returns whether any read has a base.
    pub fn has_bases(&self) -> bool {
        !self.bases.is_empty()
    }

    /// Look at one more read, unless there are enough.
    pub fn add(&mut self, bases: &[u8]) {
        if !self.is_full() {
            self.bases.extend_from_slice(bases);
            self.ends.push(self.bases.len());
        }
    }

    /// The adapter in which the reads end, if they do.
    pub fn detect(&self) -> Option<DetectedAdapter> {
        if !self.has_enough() {
            return None;
        }
        match self.mode {
            Mode::Correct => self.known(),
            Mode::Fastp(version) => self.known_to(version),
        }
    }

    fn reads(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.bases[start..end])
    }

    /// A published adapter that is frequent.
    fn known(&self) -> Option<DetectedAdapter> {
        let mut hits = [(0usize, 0usize); KNOWN.len()];
        let search = KnownSearch::new(&KNOWN);
        let mut found = search.nothing();
        for read in self.reads().take(KNOWN_READS) {
            search.find(read, &mut found);
            for (found, (reads, mismatches)) in found.iter().zip(&mut hits) {
                if let Some(found) = found {
                    *reads += 1;
                    *mismatches += found.mismatches;
                }
            }
        }
        let checked = self.ends.len().min(KNOWN_READS);
        let (best, &(reads, mismatches)) = hits
            .iter()
            .enumerate()
            .rev()
            .max_by_key(|(_, (reads, _))| *reads)?;
        let is_frequent = reads > checked / 50 || (reads > checked / 200 && mismatches < checked);
        let (sequence, name) = KNOWN[best];
        is_frequent.then(|| DetectedAdapter {
            sequence: sequence.to_vec(),
            name: Some(name),
        })
    }

    /// What fastp finds.
    fn known_to(&self, version: FastpVersion) -> Option<DetectedAdapter> {
        let adapters = fastp_adapters::known_to(version);
        let known = match version {
            FastpVersion::V0_23 => None,
            FastpVersion::V1_3 => fastp_adapters::frequent(self.reads(), &adapters),
        };
        let known = known.map(|(sequence, name)| DetectedAdapter {
            sequence: sequence.to_vec(),
            name: Some(name),
        });
        known.or_else(|| {
            let last = match version {
                FastpVersion::V0_23 => usize::MAX,
                FastpVersion::V1_3 => LAST_SEED,
            };
            self.unknown(&adapters, last)
        })
    }

    /// What grows from a frequent word. It is looked for up to `last`.
    fn unknown(&self, adapters: &[Adapter], last: usize) -> Option<DetectedAdapter> {
        let mut counts = vec![0u32; 1 << (2 * WORD)];
        for read in self.reads() {
            self.each_word(read, |_, word| counts[word] += 1);
        }
        counts[0] = 0;
        let mut total = 0u64;
        let mut frequent: Vec<(u32, usize)> = Vec::new();
        for (word, &count) in counts.iter().enumerate() {
            if !is_simple(word) {
                total += u64::from(count);
                frequent.push((count, word));
            }
        }
        // The commonest first; of equals, the later word.
        frequent.sort_unstable_by(|a, b| b.cmp(a));
        for &(count, word) in frequent.iter().take(10) {
            // Less than twenty times the mean.
            if count < 10 || u64::from(count) * (counts.len() as u64) < total * 20 {
                break;
            }
            if changes(word) < 3 {
                continue;
            }
            if let Some(adapter) = self.grow(word, adapters, last) {
                return Some(adapter);
            }
        }
        None
    }

    /// What all reads agree on around a word.
    fn grow(&self, seed: usize, adapters: &[Adapter], last: usize) -> Option<DetectedAdapter> {
        let mut behind = Vec::new();
        let mut before = Vec::new();
        for read in self.reads() {
            let end = read.len().saturating_sub(self.tail);
            self.each_word(read, |at, word| {
                if word == seed && at <= last {
                    behind.push(&read[at + WORD..end]);
                    before.push(&read[..at]);
                }
            });
        }
        let (behind, ends_behind) = agreement(behind, |read, at| read.get(at).copied());
        let (mut before, ends_before) = agreement(before, |read, at| {
            Some(read[read.len().checked_sub(at + 1)?])
        });
        before.reverse();
        let mut adapter = before;
        adapter.extend(letters(seed));
        adapter.extend(behind);
        adapter.truncate(fastp_adapters::LONGEST);
        for &(sequence, name) in adapters {
            if adapter.starts_with(sequence) {
                return Some(DetectedAdapter {
                    sequence: sequence.to_vec(),
                    name: Some(name),
                });
            }
        }
        (ends_behind && ends_before).then_some(DetectedAdapter {
            sequence: adapter,
            name: None,
        })
    }

    /// Calls `each` with the place and the code of each word, without those that hold
    /// something else than A, C, G, T.
    fn each_word(&self, read: &[u8], mut each: impl FnMut(usize, usize)) {
        let Some(last) = read.len().checked_sub(WORD + self.tail) else {
            return;
        };
        let (mut word, mut known) = (0, 0);
        let from = FIRST_WORD.min(read.len());
        for (at, &base) in read.iter().enumerate().skip(from) {
            match code(base) {
                Some(code) => {
                    word = ((word << 2) | code) & ((1 << (2 * WORD)) - 1);
                    known += 1;
                }
                None => known = 0,
            }
            if at + 1 >= from + WORD && at + 1 - WORD <= last && known >= WORD {
                each(at + 1 - WORD, word);
            }
        }
    }
}

/// The letters that at least 19 in 20 of the reads agree on, one after the other, while
/// there are at least 50 of them. Also tells whether
/// none of so many disagreed.
///
/// Letters are the same whose lower three bits are, and the first of those is taken; at an N a read ends.
fn agreement(
    mut reads: Vec<&[u8]>,
    letter: impl Fn(&[u8], usize) -> Option<u8>,
) -> (Vec<u8>, bool) {
    let letter = |read: &[u8], at| letter(read, at).filter(|&letter| letter != b'N');
    let slot = |letter: u8| usize::from(letter & 7);
    let mut path = Vec::new();
    loop {
        let at = path.len();
        let mut counts = [(0usize, 0u8); 8];
        for letter in reads.iter().rev().filter_map(|read| letter(read, at)) {
            let (count, first) = &mut counts[slot(letter)];
            *count += 1;
            *first = letter;
        }
        let total: usize = counts.iter().map(|(count, _)| count).sum();
        if total < LEAST_AGREEING {
            return (path, true);
        }
        let is_dominant = |(count, _): &&(usize, u8)| count * 20 >= total * 19;
        let Some(&(_, base)) = counts.iter().find(is_dominant) else {
            return (path, false);
        };
        reads.retain(|read| letter(read, at).map(slot) == Some(slot(base)));
        path.push(base);
    }
}

/// Reads that must agree on a letter.
const LEAST_AGREEING: usize = 50;

/// Bases by their code.
const BASES: [u8; 4] = *b"ATCG";

fn code(base: u8) -> Option<usize> {
    BASES.iter().position(|&other| other == base)
}

/// The letters of a word.
fn letters(word: usize) -> impl Iterator<Item = u8> {
    (0..WORD).rev().map(move |at| BASES[(word >> (2 * at)) & 3])
}

/// Words of mostly one base, of mostly C and G, or that begin with GGGG.
fn is_simple(word: usize) -> bool {
    let mut counts = [0; 4];
    for at in 0..WORD {
        counts[(word >> (2 * at)) & 3] += 1;
    }
    counts.iter().any(|&count| count >= WORD - 4)
        || counts[2] + counts[3] >= WORD - 2
        || word >> (2 * (WORD - 4)) == 0xff
}

/// How many letters of a word differ from the next one.
fn changes(word: usize) -> usize {
    (0..WORD - 1)
        .filter(|at| (word >> (2 * at)) & 3 != (word >> (2 * (at + 1))) & 3)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(mode: Mode, reads: impl Iterator<Item = Vec<u8>>) -> Option<DetectedAdapter> {
        let mut detector = AdapterDetector::new(mode, 0);
        reads.for_each(|read| detector.add(&read));
        detector.detect()
    }

    /// Reads of a random fragment and an adapter.
    fn reads(adapter: &'static [u8], count: u64) -> impl Iterator<Item = Vec<u8>> {
        let mut state = 7u64;
        (0..count).map(move |number| {
            let mut read: Vec<u8> = (0..100)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    BASES[(state >> 60) as usize & 3]
                })
                .collect();
            if number % 10 == 0 {
                read.truncate(30 + (state >> 40) as usize % 60);
                read.extend_from_slice(adapter);
                read.extend_from_slice(&BASES.repeat(10)[number as usize % 4..]);
                read.truncate(100);
            }
            read
        })
    }

    #[test]
    fn published_adapters_are_found_in_every_mode() {
        for (sequence, name) in KNOWN.into_iter().take(4) {
            let found = detect(Mode::Correct, reads(sequence, 12_000)).expect(name);
            assert_eq!(
                (found.sequence.as_slice(), found.name),
                (sequence, Some(name))
            );
        }
    }

    #[test]
    fn fastp_grows_published_adapters_from_words() {
        for version in [FastpVersion::V0_23, FastpVersion::V1_3] {
            for sequence in [
                b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCA".as_slice(),
                b"AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT",
                b"CTGTCTCTTATACACATCTCCGAGCCCACGAGAC",
            ] {
                let found = detect(Mode::Fastp(version), reads(sequence, 12_000)).expect("one");
                assert_eq!(found.sequence, sequence);
                assert!(found.name.is_some_and(|name| name.starts_with('>')));
                assert!(found.is_used(Mode::Fastp(version)));
            }
            let other = b"ACGTCCATGATCGTACGATTAGCATCAGACTGCATG";
            assert_eq!(detect(Mode::Fastp(version), reads(other, 12_000)), None);
        }
    }

    #[test]
    fn few_reads_say_nothing() {
        assert_eq!(detect(Mode::Correct, reads(KNOWN[0].0, 9_999)), None);
    }
}
