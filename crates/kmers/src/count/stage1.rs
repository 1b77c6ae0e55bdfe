//! Stage 1: sequence to records by partition.
//!
//! ```text
//! for each segment of the sequence (overlapping by k - 1 bases):
//!   encode both strands to two bits per base; note where letters are no bases
//!   least[i] = least m-mer of the k-mer that begins at i, for all i   (see minimizer)
//!   for each longest stretch of valid bases and equal least: a record to its partition     (see cut)
//! ```

use super::{direct::Direct, plan::Plan};
use crate::{
    error::{Error, Result},
    options::CountOptions,
};
pub use thalweg_superkmers::other_letters::OtherLetters;
use thalweg_superkmers::{
    Kernel,
    cut::{Ends, SEGMENT, Segment},
    encode::Encoded,
    minimizer::Minimizers,
    partition::{SealedStore, Store},
    pieces::for_each_piece,
};

/// One thread's part of the first stage. Made by [`Counter::worker`](super::Counter::worker).
///
/// It stays on its thread, as what it stores past the caches is not in order for others yet; its [`Share`] is. One that is
/// dropped has taken nothing: only shares are counted.
///
/// ```compile_fail,E0277
/// # use thalweg_kmers::{count::Worker, Result};
/// fn hand_over(worker: Worker) {
///     std::thread::spawn(|| drop(worker));
/// }
/// ```
///
/// ```
/// # use thalweg_kmers::{count::Share, Result};
/// fn hand_over(share: Share) {
///     std::thread::spawn(|| drop(share));
/// }
/// ```
#[derive(Debug)]
#[must_use = "only its share is counted"]
pub struct Worker {
    plan: Plan,
    store: Store,
    direct: Option<Direct>,
    totals: WorkerTotals,
    other_letters: OtherLetters,
    canonical: bool,
    minimum_quality: u8,
    kernel: Kernel,
    encoded: Encoded,
    minimizers: Minimizers,
    ends: Ends,
    /// A segment of a sequence on several lines.
    letters: Vec<u8>,
}

/// What one worker has taken, for [`Counter::finish`](super::Counter::finish) on any thread.
#[derive(Debug)]
pub struct Share {
    pub(super) store: SealedStore,
    pub(super) direct: Option<Direct>,
    pub(super) totals: WorkerTotals,
    pub(super) other_letters: OtherLetters,
}

/// What one worker has seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WorkerTotals {
    /// Letters, whatever they are.
    pub(super) bases: u64,
    /// Windows of k valid bases.
    pub(super) kmers: u64,
    /// Records that were cut.
    pub(super) records: u64,
}

impl Worker {
    pub(super) fn new(plan: Plan, options: &CountOptions, kernel: Kernel, store: Store) -> Self {
        Self {
            plan,
            store,
            direct: plan.direct.then(|| Direct::new(plan.scheme.k())),
            totals: WorkerTotals::default(),
            other_letters: OtherLetters::default(),
            canonical: options.canonical(),
            minimum_quality: options.minimum_quality(),
            kernel,
            encoded: Encoded::new(options.alphabet()),
            minimizers: Minimizers::default(),
            ends: Ends::default(),
            letters: Vec::new(),
        }
    }

    /// Takes the k-mers of `sequence`: the letters of one read or one whole sequence.
    ///
    /// A k-mer with a letter that is no base by [`CountOptions::with_alphabet`] does not count; such letters are told in
    /// [`Totals::other_letters`](super::Totals::other_letters).
    /// The sequence is not kept. Empty ones, and those shorter than k, hold no k-mer.
    /// A sequence that is given in pieces must have its pieces overlap by k - 1 letters.
    ///
    /// # Errors
    ///
    /// [`Error::Temporary`] if records must go to a temporary file and cannot.
    pub fn add(&mut self, sequence: &[u8]) -> Result<()> {
        self.add_segments(sequence, b"", 0)
    }

    /// As [`Self::add`], of the sequence that `lines` make. It is never joined: of a long one, that would be a copy.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_lines<'a>(&mut self, lines: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        self.add_lines_behind(0, lines)
    }

    /// As [`Self::add_lines`], of what follows a piece of the same sequence, with the last k - 1 letters of that before
    /// it: they are no further bases.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_next_piece<'a>(&mut self, lines: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        let overlap = self.plan.scheme.k() - 1;
        self.add_lines_behind(overlap, lines)?;
        self.totals.bases -= overlap as u64;
        Ok(())
    }

    /// As [`Self::add`], and no k-mer counts that has a base with a quality byte below
    /// [`CountOptions::with_minimum_quality`]'s.
    ///
    /// # Errors
    ///
    /// As [`Self::add`]; [`Error::BadOption`] if `quality` is not as long as `sequence`.
    pub fn add_with_quality(&mut self, sequence: &[u8], quality: &[u8]) -> Result<()> {
        if quality.len() != sequence.len() {
            return Err(Error::BadOption(format!(
                "{} bases with {} quality values",
                sequence.len(),
                quality.len()
            )));
        }
        let quality = if self.minimum_quality == 0 {
            b""
        } else {
            quality
        };
        self.add_segments(sequence, quality, 0)
    }

    /// Ends the taking.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn into_share(self) -> Result<Share> {
        Ok(Share {
            store: self.store.seal()?,
            direct: self.direct,
            totals: self.totals,
            other_letters: self.other_letters,
        })
    }

    /// k-mers taken so far.
    pub fn kmers(&self) -> u64 {
        self.totals.kmers
    }

    /// Takes the sequence that `lines` make, of which the first `known` letters were taken before.
    fn add_lines_behind<'a>(
        &mut self,
        known: usize,
        lines: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<()> {
        let mut lines = lines.into_iter();
        let Some(first) = lines.next() else {
            return Ok(());
        };
        let Some(second) = lines.next() else {
            return self.add_segments(first, b"", known);
        };
        let lines = [first, second].into_iter().chain(lines);
        let mut letters = std::mem::take(&mut self.letters);
        let overlap = self.plan.scheme.k() - 1;
        let mut behind = known;
        // The segments that `add` makes of the joined sequence.
        let outcome = for_each_piece(lines, SEGMENT, overlap, &mut letters, |segment| {
            let known = std::mem::replace(&mut behind, overlap);
            self.add_segment(segment, b"", known)
        });
        if matches!(outcome, Ok(length) if length <= overlap as u64) {
            self.note_other_letters(&letters, known);
        }
        self.letters = letters;
        self.totals.bases += outcome?;
        Ok(())
    }

    /// Takes a sequence, of which the first `known` letters were taken before.
    #[inline]
    fn add_segments(&mut self, sequence: &[u8], quality: &[u8], known: usize) -> Result<()> {
        self.totals.bases += sequence.len() as u64;
        let overlap = self.plan.scheme.k() - 1;
        if sequence.len() <= overlap {
            self.note_other_letters(sequence, known);
            return Ok(());
        }
        let (mut start, mut known) = (0, known);
        while start + overlap < sequence.len() {
            let end = sequence.len().min(start + SEGMENT + overlap);
            let quality = if quality.is_empty() {
                b""
            } else {
                &quality[start..end]
            };
            self.add_segment(&sequence[start..end], quality, known)?;
            start += SEGMENT;
            known = overlap;
        }
        Ok(())
    }

    /// Notes what letters of a sequence that has no k-mer are no bases.
    fn note_other_letters(&mut self, letters: &[u8], known: usize) {
        self.kernel.encode(&mut self.encoded, letters, b"", 0);
        self.other_letters.note(&self.encoded, letters, known);
    }

    /// Takes the k-mers of a segment, of which the first `known` letters were taken before.
    fn add_segment(&mut self, letters: &[u8], quality: &[u8], known: usize) -> Result<()> {
        self.kernel
            .encode(&mut self.encoded, letters, quality, self.minimum_quality);
        self.other_letters.note(&self.encoded, letters, known);
        if let Some(direct) = &mut self.direct {
            self.totals.kmers += direct.add(&self.encoded);
            return Ok(());
        }
        let scheme = self.plan.scheme;
        self.kernel
            .minimizers(&mut self.minimizers, &self.encoded, scheme.k(), scheme.m());
        match self.plan.shape.record_words {
            1 => self.cut::<1>(),
            2 => self.cut::<2>(),
            4 => self.cut::<4>(),
            8 => self.cut::<8>(),
            _ => self.cut::<16>(),
        }
    }

    fn cut<const N: usize>(&mut self) -> Result<()> {
        let segment = Segment {
            encoded: &self.encoded,
            minimizers: &self.minimizers,
            scheme: self.plan.scheme,
            canonical: self.canonical,
        };
        let cuts = self
            .kernel
            .cut::<N>(segment, &mut self.ends, &mut self.store)?;
        self.totals.kmers += cuts.kmers;
        self.totals.records += cuts.records;
        Ok(())
    }
}
