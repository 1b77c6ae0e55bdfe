//! A text made of the first reads, in which later reads are found instead of being cut.
//!
//! At high coverage nearly every read repeats what others have said. Such a read is one stretch of a text that holds each
//! k-mer about once, and counting its k-mers is two steps at the ends of that stretch:
//!
//! ```text
//! one worker, the builder, for each of its first reads:                                    (builder)
//!   locate it; append what is not found to the text, and its anchors to the table; count both as below
//!   until little is new: the text is the backbone, for all workers
//! every worker, for each run of valid bases from then on:                                  (locate)
//!   for each anchor of the run that has a place in the text:                               (anchors)
//!     extend the match to both sides while bases are equal                                 (text)
//!     n k-mers matched, the first at place p: step[p] += 1, step[p + n] -= 1
//!     go on behind the first base that differs
//!   k-mers that are in no match are cut into super-k-mers, as without a backbone
//! at the end:                                                                              (coverage)
//!   weight[p] = all workers' step[FIRST] + ... + step[p]
//!   cut the text into super-k-mers, each with the weights of its k-mers; the second stage has those of a partition
//! ```
//!
//! Nothing depends on what the text is: a k-mer may be in it twice, or where two pieces meet, or not at all. Every
//! k-mer of the input is counted once, by a step or by a super-k-mer, and those of equal k-mers are added up.
//!
//! Reads with nothing in common cost a try and no more: [`Builder`] gives up when it sees that the text would not be worth
//! its while, and [`Follower`] when it finds too little.

mod anchors;
mod builder;
mod coverage;
mod follower;
mod join;
mod text;

use super::encode::Encoded;
use crate::prefetch::prefetch;
use anchors::{Anchors, Stretch, Stretches};
pub(super) use coverage::{Coverage, Covered};
pub(super) use follower::{Ahead, Follower, Meeting};
use std::sync::Arc;
use text::Text;

/// Shorter k-mers, of few bases more than an anchor, would often have none.
pub(super) const LEAST_K: usize = anchors::BASES + 1;

/// Anchors of a run whose matches are shorter than k, before the rest of it is cut: in low complexity, every base may be one.
const MOST_MISSES: usize = 8;

/// Bytes of all that a backbone of one base needs, of which `threads` workers have steps.
pub(super) const fn bytes_per_base(threads: usize) -> usize {
    // Of all steps the first become weights. A super-k-mer of the text takes 12 bytes twice while they are sorted, and
    // has two bases at least that no other begins at, but for k-mers of hardly more bases than a minimizer.
    size_of::<u32>() * threads + Anchors::BYTES_PER_BASE + 12 + 1
}

/// The text, and where to look in it.
#[derive(Debug)]
pub(super) struct Backbone {
    k: usize,
    text: Text,
    anchors: Anchors,
}

/// How often matches began at each place of a text, less how often they ended behind the one before; modulo 2^32.
pub(super) type Steps = Vec<u32>;

/// What one worker has counted by the backbone.
pub(super) type Followed = (Arc<Backbone>, Steps);

impl Backbone {
    /// An empty one, with room for so many bases.
    fn with_room(k: usize, bases: usize) -> Self {
        Self {
            k,
            text: Text::with_room(bases),
            anchors: Anchors::new(),
        }
    }

    /// The first anchor of a run, whose memory is asked for.
    #[inline(always)]
    fn approach(&self, encoded: &Encoded, (start, end): (usize, usize)) -> Option<Stretch> {
        let first = Stretches::new(encoded, start, end).next()?;
        self.anchors.ask(first);
        Some(first)
    }

    /// Asks for the text and the steps that [`Self::locate`] needs if all of the run is found where its first anchor is.
    #[inline(always)]
    fn ask(&self, stretch: Stretch, (start, end): (usize, usize), steps: &[u32]) {
        let Some(place) = self.anchors.place(stretch) else {
            return;
        };
        let (before, behind) = match stretch.is_reverse == place.is_reverse {
            true => (stretch.at - start, end - stretch.at),
            false => {
                let stretch_end = stretch.at + anchors::BASES;
                (end - stretch_end, stretch_end - start)
            }
        };
        let (first, end) = (place.at.saturating_sub(before), place.at + behind);
        let words = self.text.words();
        for base in [first, end] {
            if let Some(word) = words.get(base / 32) {
                prefetch(word);
            }
        }
        for kmer in [first, end + 1 - self.k] {
            if let Some(step) = steps.get(kmer) {
                prefetch(step);
            }
        }
    }

    /// Counts those k-mers of the bases `run` that are found, by steps, and appends where the others are to `left`: `(start, end)`
    /// of bases whose k-mers are not counted. Tells how many were counted, and by how many matches.
    #[inline(always)]
    fn locate(
        &self,
        encoded: &Encoded,
        (start, end): (usize, usize),
        steps: &mut [u32],
        waiting: &mut Waiting,
        left: &mut Vec<(usize, usize)>,
    ) -> Located {
        let (packed, reverse_end) = (&encoded.packed, encoded.reverse_end() / 2);
        // The first base whose k-mer is not accounted for.
        let mut from = start;
        let mut stretches = Stretches::new(encoded, start, end);
        let mut located = Located::default();
        let mut misses = 0;
        while let Some(stretch) = stretches.next() {
            let Some(place) = self.anchors.place(stretch) else {
                continue;
            };
            // Bases of the read by where they are on the strand that the text is of.
            let is_reverse = stretch.is_reverse != place.is_reverse;
            let (at, low, high) = match is_reverse {
                false => (stretch.at, from, end),
                true => (
                    reverse_end - stretch.at - anchors::BASES,
                    reverse_end - end,
                    reverse_end - from,
                ),
            };
            let behind = self.text.equal_from(place.at, packed, at, high);
            let before = self.text.equal_before(place.at, packed, at, low);
            let Some(more) = (before + behind).checked_sub(self.k) else {
                misses += 1;
                if misses == MOST_MISSES {
                    break;
                }
                continue;
            };
            misses = 0;
            let (first, kmers) = (place.at - before, more + 1);
            if let (Some(one), Some(other)) = (steps.get(first), steps.get(first + kmers)) {
                prefetch(one);
                prefetch(other);
            }
            let slot = &mut waiting.steps[waiting.next % WAITING];
            waiting.next += 1;
            let (old_start, old_end) =
                std::mem::replace(slot, (first as u32, (first + kmers) as u32));
            let (old_start, old_end) = (old_start as usize, old_end as usize);
            steps[old_start] = steps[old_start].wrapping_add(1);
            steps[old_end] = steps[old_end].wrapping_sub(1);
            located.kmers += kmers;
            located.matches += 1;
            let (match_start, match_end) = match is_reverse {
                false => (at - before, at + behind),
                true => (reverse_end - at - behind, reverse_end - at + before),
            };
            if match_start > from {
                left.push((from, match_start + self.k - 1));
            }
            from = match_end - (self.k - 1);
            // An anchor with the base that differs has no place, or another one.
            stretches = Stretches::new(encoded, match_end + 1, end);
        }
        if from + self.k <= end {
            left.push((from, end));
        }
        located
    }
}

const WAITING: usize = 16;

/// Steps whose memory was asked for; (0, 0) are none.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    steps: [(u32, u32); WAITING],
    next: usize,
}

impl Waiting {
    pub(super) fn flush(&mut self, steps: &mut [u32]) {
        for (start, end) in std::mem::take(&mut self.steps) {
            steps[start as usize] = steps[start as usize].wrapping_add(1);
            steps[end as usize] = steps[end as usize].wrapping_sub(1);
        }
    }
}

/// What was found of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Located {
    kmers: usize,
    matches: usize,
}
