//! Where the mates of a pair overlap.
//!
//! ```text
//! offset >= 0:  read 1  ------------->           offset < 0:     read 1 ---------->
//!               mate         <--------------              mate <---------
//!                     |offset|overlap|                         |offset|overlap|
//! ```
//! The mate is reverse complemented, then laid at every offset. Almost all offsets are
//! wrong, so they have to be rejected fast: the first 16 letters are compared at 128
//! offsets at once, letter by letter, in lanes of bytes. With 5 mismatches allowed,
//! one in four thousand wrong offsets gets past that, and is compared in full.

use thalweg_scan::{OFFSETS, PROBE};

use super::evidence::is_whole_fragment;
use super::gap::mismatches_with_insertion;
use super::mismatches::mismatches;
use super::probe::Probe;
use super::reverse_complement::reverse_complement;
use super::short_fragment::find_short_overlap;
use crate::{Mode, Options, Read};

/// How mates overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// Where in read 1 the mate starts; negative if it starts before, as it does where
    /// the fragment is shorter than the reads.
    pub(crate) offset: isize,
    /// Bases that overlap.
    pub(crate) length: usize,
    /// Bases that differ.
    pub(crate) mismatches: usize,
    /// Whether one base is missing in one of them.
    pub(crate) has_gap: bool,
}

impl Overlap {
    /// Where the fragment ends, counted from the first base of read 1: where read 2, of
    /// `second` bases, begins. The same is true the other way round.
    pub(crate) fn end(&self, second: usize) -> usize {
        // The mates have at least nothing in common.
        second.saturating_add_signed(self.offset)
    }

    /// Bases of the fragment from which these mates of lengths `first` and `second` come.
    pub(crate) fn fragment(&self, first: usize, second: usize, mode: Mode) -> usize {
        match mode {
            Mode::Correct => self.end(second),
            // fastp takes it that neither mate reaches behind the beginning of the other
            // unless both do.
            Mode::Fastp(_) if self.offset > 0 => first + second - self.length,
            Mode::Fastp(_) => self.length,
        }
    }
}

/// Looks for overlaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OverlapFinder {
    /// The shortest overlap that is looked for, as far as the reads are not shorter.
    required: usize,
    most_mismatches: usize,
    most_fraction: f64,
    allow_gap: bool,
    mode: Mode,
}

/// Buffers for one pair.
#[derive(Debug, Default)]
pub(crate) struct OverlapScratch {
    /// Read 1, and blanks.
    first: Vec<u8>,
    /// The reverse complement of read 2, and blanks.
    second: Vec<u8>,
}

/// Up to here mismatches count for fastp.
const FASTP_COMPARED: usize = 50;

impl OverlapFinder {
    pub(crate) fn new(options: &Options) -> Self {
        OverlapFinder {
            required: options.overlap_len_require,
            most_mismatches: options.overlap_diff_limit,
            most_fraction: f64::from(options.overlap_diff_percent_limit) / 100.0,
            allow_gap: options.allow_gap_overlap_trimming,
            mode: options.mode,
        }
    }

    /// The same, without a single mismatch.
    pub(crate) fn exact(self) -> Self {
        OverlapFinder {
            most_mismatches: 0,
            most_fraction: 0.0,
            allow_gap: false,
            ..self
        }
    }

    /// Where the mates overlap. `fronts` bases were cut off their fronts.
    pub(crate) fn find(
        &self,
        first: &Read<'_>,
        second: &Read<'_>,
        fronts: [usize; 2],
        scratch: &mut OverlapScratch,
    ) -> Option<Overlap> {
        let overlap = self.find_in(first.bases(), second.bases(), fronts, scratch)?;
        // What is behind the fragment: see `AdapterTrimmer::by_overlap`.
        let is_behind = overlap.offset < 0 || overlap.end(second.len()) < first.len();
        let is_doubtful = self.mode.is_correct() && is_behind && fronts == [0; 2];
        let is_whole = || {
            // Bases before the overlap, where a mate begins before the other one ends.
            let before = overlap.offset.max(0) as usize;
            let hanging = overlap.offset.min(0).unsigned_abs();
            let other = second.len() - hanging - overlap.length;
            is_whole_fragment(
                (&first.bases()[before..], &first.qualities()[before..]),
                (&second.bases()[other..], &second.qualities()[other..]),
                overlap.length,
            )
        };
        (!is_doubtful || is_whole()).then_some(overlap)
    }

    fn find_in(
        &self,
        first: &[u8],
        second: &[u8],
        fronts: [usize; 2],
        scratch: &mut OverlapScratch,
    ) -> Option<Overlap> {
        let lengths = (first.len(), second.len());
        scratch.first.clear();
        scratch.first.extend_from_slice(first);
        scratch.second.clear();
        reverse_complement(second, &mut scratch.second);
        // So that lanes beyond the end of a read have something to compare: no letter
        // is 0.
        for buffer in [&mut scratch.first, &mut scratch.second] {
            buffer.resize(buffer.len() + OFFSETS + PROBE, 0);
        }
        let text = Padded::new(&scratch.first, lengths.0);
        let other = Padded::new(&scratch.second, lengths.1);
        match self.mode {
            Mode::Fastp(_) => self.find_first(text, other),
            Mode::Correct => self
                .find_best(text, other)
                .or_else(|| self.find_short(first, second, text.letters(), other.letters(), fronts))
                .or_else(|| match self.allow_gap {
                    true => self.find_with_gap(text.letters(), other.letters()),
                    false => None,
                }),
        }
    }

    /// The first overlap that is good enough, as fastp finds it.
    fn find_first(&self, first: Padded<'_>, second: Padded<'_>) -> Option<Overlap> {
        self.scan(first, second, Some)
            .map(|found| found.into_overlap(false, false))
            .or_else(|| {
                self.scan(second, first, Some)
                    .map(|found| found.into_overlap(true, false))
            })
    }

    /// The best of all overlaps that are good enough: repeats have several.
    fn find_best(&self, first: Padded<'_>, second: Padded<'_>) -> Option<Overlap> {
        let mut best: Option<(isize, Overlap)> = None;
        for is_reverse in [false, true] {
            let (text, other) = match is_reverse {
                false => (first, second),
                true => (second, first),
            };
            self.scan(text, other, |found| {
                let score = found.score();
                if best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, found.into_overlap(is_reverse, false)));
                }
                None
            });
        }
        best.map(|(_, overlap)| overlap)
    }

    /// An overlap of fewer bases than are required, shown by adapters behind it.
    fn find_short(
        &self,
        first: &[u8],
        second: &[u8],
        text: &[u8],
        other: &[u8],
        fronts: [usize; 2],
    ) -> Option<Overlap> {
        // Mate 1 lacks the first bases, which the end of mate 2 has, and the other way
        // round: so much further the adapters begin.
        let tails = (first.get(fronts[1]..)?, second.get(fronts[0]..)?);
        let wrong = |length: usize| {
            let start = other.len().checked_sub(length)?;
            let wrong = mismatches(text.get(..length)?, &other[start..]);
            (wrong as f64 <= length as f64 * self.most_fraction).then_some(wrong)
        };
        let length = find_short_overlap(tails.0, tails.1, self.required, wrong)?;
        Some(Overlap {
            offset: -((other.len() - length) as isize),
            length,
            mismatches: wrong(length)?,
            has_gap: false,
        })
    }

    /// Number of offsets at which to look in a read of this length.
    fn offsets(&self, length: usize) -> usize {
        match self.mode {
            // fastp stops one short of the overlap that is required.
            Mode::Fastp(_) => length.saturating_sub(self.required),
            Mode::Correct => (length + 1).saturating_sub(self.required),
        }
    }

    /// Mismatches that are allowed in an overlap.
    fn limit(&self, overlap: usize) -> usize {
        self.most_mismatches
            .min((overlap as f64 * self.most_fraction) as usize)
    }

    /// Calls `each` for the offsets of `other` in `text`, from 0, at which they overlap,
    /// until it returns one.
    fn scan(
        &self,
        text: Padded<'_>,
        other: Padded<'_>,
        mut each: impl FnMut(Found) -> Option<Found>,
    ) -> Option<Found> {
        let offsets = self.offsets(text.length);
        let mut from = 0;
        if other.length >= PROBE {
            let probe = Probe::new(other.padded.first_chunk()?, self.most_mismatches);
            // Offsets at which a whole probe fits into the text.
            let probed = offsets.min((text.length + 1).saturating_sub(PROBE));
            while from < probed {
                let found = probe.find(text.padded[from..].first_chunk()?, |lane| {
                    let offset = from + lane;
                    match offset < probed {
                        true => self.compare(text, other, offset).and_then(&mut each),
                        false => None,
                    }
                });
                if found.is_some() {
                    return found;
                }
                from += OFFSETS;
            }
            from = probed;
        }
        (from..offsets).find_map(|offset| self.compare(text, other, offset).and_then(&mut each))
    }

    fn compare(&self, text: Padded<'_>, other: Padded<'_>, offset: usize) -> Option<Found> {
        let (text, other) = (&text.letters()[offset..], other.letters());
        let length = text.len().min(other.len());
        let limit = self.limit(length);
        let (text, other) = (&text[..length], &other[..length]);
        let compared = length.min(FASTP_COMPARED);
        let near = mismatches(&text[..compared], &other[..compared]);
        if near > limit {
            return None;
        }
        let mismatches = near + mismatches(&text[compared..], &other[compared..]);
        if self.mode.is_correct() && mismatches as f64 > length as f64 * self.most_fraction {
            return None;
        }
        Some(Found {
            offset,
            length,
            mismatches,
        })
    }

    /// The same with one base missing on either side. (Of fastp's search for this no
    /// effect was seen on any data, so where it is followed there is none.)
    fn find_with_gap(&self, first: &[u8], second: &[u8]) -> Option<Overlap> {
        let one_way = |text: &[u8], other: &[u8]| {
            (0..self.offsets(text.len())).find_map(|offset| {
                let length = (text.len() - offset).min(other.len());
                // A missing base is worse than a wrong one.
                let limit = self.limit(length).checked_sub(1)?;
                let text = &text[offset..];
                let compared = length.checked_sub(1)?;
                let mismatches = mismatches_with_insertion(text, other, compared)
                    .filter(|&mismatches| mismatches <= limit)
                    .or_else(|| {
                        mismatches_with_insertion(other, text, compared)
                            .filter(|&mismatches| mismatches <= limit)
                    })?;
                Some(Found {
                    offset,
                    length,
                    mismatches,
                })
            })
        };
        one_way(first, second)
            .map(|found| found.into_overlap(false, true))
            .or_else(|| one_way(second, first).map(|found| found.into_overlap(true, true)))
    }
}

/// Letters, followed by blanks.
#[derive(Clone, Copy)]
struct Padded<'a> {
    padded: &'a [u8],
    length: usize,
}

impl<'a> Padded<'a> {
    fn new(padded: &'a [u8], length: usize) -> Self {
        Padded { padded, length }
    }

    fn letters(self) -> &'a [u8] {
        &self.padded[..self.length]
    }
}

struct Found {
    offset: usize,
    length: usize,
    mismatches: usize,
}

impl Found {
    /// More for longer overlaps, less for mismatches: a mismatch outweighs as many
    /// matches as there are for one where an overlap is just good enough.
    fn score(&self) -> isize {
        self.length as isize - 5 * self.mismatches as isize
    }

    fn into_overlap(self, is_reverse: bool, has_gap: bool) -> Overlap {
        let offset = self.offset as isize;
        Overlap {
            offset: if is_reverse { -offset } else { offset },
            length: self.length,
            mismatches: self.mismatches,
            has_gap,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FastpVersion;
    use proptest::prelude::*;

    fn finder(mode: Mode, required: usize, most: usize, percent: u8) -> OverlapFinder {
        OverlapFinder::new(&Options {
            mode,
            overlap_len_require: required,
            overlap_diff_limit: most,
            overlap_diff_percent_limit: percent,
            ..Options::default()
        })
    }

    /// One letter after the other, one offset after the other, as the facts have it.
    fn naive(finder: &OverlapFinder, first: &[u8], second: &[u8]) -> Option<Overlap> {
        let mut other = Vec::new();
        reverse_complement(second, &mut other);
        let one_way = |text: &[u8], other: &[u8]| {
            let mut all_found = Vec::new();
            for offset in 0..finder.offsets(text.len()) {
                let length = other.len().min(text.len() - offset);
                let limit = finder.limit(length);
                let (mut near, mut all) = (0, 0);
                for at in 0..length {
                    if text[offset + at] != other[at] {
                        all += 1;
                        near += usize::from(at < 50);
                    }
                }
                let is_far =
                    finder.mode.is_correct() && all as f64 > length as f64 * finder.most_fraction;
                if near <= limit && !is_far {
                    all_found.push((offset as isize, length, all));
                }
            }
            all_found
        };
        let mut found = one_way(first, &other);
        let reverse = one_way(&other, first);
        found.extend(
            reverse
                .iter()
                .map(|(offset, length, all)| (-offset, *length, *all)),
        );
        if finder.mode.is_correct() {
            // Stable: of equals, the first.
            found.sort_by_key(|(_, length, all)| 5 * *all as isize - *length as isize);
        }
        let (offset, length, mismatches) = *found.first()?;
        Some(Overlap {
            offset,
            length,
            mismatches,
            has_gap: false,
        })
    }

    proptest! {
        #[test]
        fn lanes_and_letters_agree(
            fragment in proptest::collection::vec(prop::sample::select(b"ACGT".to_vec()), 1..300),
            (length1, length2) in (0usize..160, 0usize..160),
            errors in proptest::collection::vec((any::<usize>(), any::<bool>()), 0..12),
            required in 0usize..40,
            most in 0usize..20,
            percent in 0u8..60,
            letters in 1usize..5,
            is_correct in any::<bool>(),
        ) {
            // With few letters there are many near misses.
            let mut fragment = fragment;
            for base in &mut fragment {
                *base = b"ACGT"[usize::from(*base) % letters];
            }
            let adapter = b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG".repeat(3);
            let mut first = [&fragment[..], &adapter[..]].concat();
            first.truncate(length1);
            let mut second = Vec::new();
            reverse_complement(&fragment, &mut second);
            second.extend_from_slice(&adapter);
            second.truncate(length2);
            for (at, in_first) in errors {
                let read = if in_first { &mut first } else { &mut second };
                if !read.is_empty() {
                    let at = at % read.len();
                    read[at] = b'N';
                }
            }
            let mode = if is_correct { Mode::Correct } else { Mode::Fastp(FastpVersion::V1_3) };
            let finder = finder(mode, required, most, percent);
            let mut scratch = OverlapScratch::default();
            let found = finder.find_in(&first, &second, [0; 2], &mut scratch);
            let expected = naive(&finder, &first, &second);
            let is_short = found.is_some_and(|found| found.length < required);
            prop_assert!(found == expected || (expected.is_none() && is_correct && is_short));
        }
    }
}
