//! Stage 1: sequence to records by partition.
//!
//! ```text
//! for each segment of the sequence (overlapping by k - 1 bases):
//!   encode both strands to two bits per base; note where letters are no bases
//!   least[i] = least m-mer of the k-mer that begins at i, for all i   (see minimizer)
//!   for each longest stretch of valid bases and equal least: a record to its partition     (see cut)
//! ```

use super::{
    backbone::{Ahead, Followed, Follower},
    cut::{Cuts, Ends, SEGMENT, Segment},
    direct::Direct,
    encode::Encoded,
    kernel::Kernel,
    plan::Plan,
};
use crate::{
    error::{Error, Result},
    minimizer::Minimizers,
    options::CountOptions,
    partition::{SealedStore, Store},
    pieces::for_each_piece,
};

/// Segments that wait.
const AHEAD: usize = 16;

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
    kernel: Kernel,
    minimum_quality: u8,
    direct: Option<Direct>,
    follower: Follower,
    cutter: Cutter,
    totals: WorkerTotals,
    /// Segments that wait, the oldest behind the newest.
    ahead: Box<[Ahead; AHEAD]>,
    newest: usize,
    waiting: usize,
    /// Where the bases of a segment are whose k-mers are to be cut, and a buffer for more of the same.
    runs: Vec<(usize, usize)>,
    left: Vec<(usize, usize)>,
    /// A segment of a sequence on several lines.
    letters: Vec<u8>,
}

/// What one worker has taken, for [`Counter::finish`](super::Counter::finish) on any thread.
#[derive(Debug)]
pub struct Share {
    pub(super) store: SealedStore,
    pub(super) direct: Option<Direct>,
    pub(super) followed: Option<Followed>,
    pub(super) totals: WorkerTotals,
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
    pub(super) fn new(
        plan: Plan,
        options: &CountOptions,
        kernel: Kernel,
        store: Store,
        follower: Follower,
    ) -> Self {
        Self {
            plan,
            kernel,
            minimum_quality: options.minimum_quality(),
            direct: plan.direct.then(|| Direct::new(plan.k)),
            follower,
            cutter: Cutter {
                plan,
                kernel,
                canonical: options.canonical(),
                store,
                minimizers: Minimizers::default(),
                ends: Ends::default(),
            },
            totals: WorkerTotals::default(),
            ahead: Box::default(),
            newest: 0,
            waiting: 0,
            runs: Vec::new(),
            left: Vec::new(),
            letters: Vec::new(),
        }
    }

    /// Takes the k-mers of `sequence`: the letters of one read or one whole sequence.
    ///
    /// ACGT and acgt are bases; a k-mer with any other letter does not count.
    /// The sequence is not kept. Empty ones, and those shorter than k, hold no k-mer.
    /// A sequence that is given in pieces must have its pieces overlap by k - 1 letters.
    ///
    /// # Errors
    ///
    /// [`Error::Temporary`] if records must go to a temporary file and cannot.
    pub fn add(&mut self, sequence: &[u8]) -> Result<()> {
        self.add_segments(sequence, b"")
    }

    /// As [`Self::add`], of the sequence that `lines` make. It is never joined: of a long one, that would be a copy.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_lines<'a>(&mut self, lines: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        let mut lines = lines.into_iter();
        let Some(first) = lines.next() else {
            return Ok(());
        };
        let Some(second) = lines.next() else {
            return self.add(first);
        };
        let lines = [first, second].into_iter().chain(lines);
        let mut letters = std::mem::take(&mut self.letters);
        // The segments that `add` makes of the joined sequence.
        let outcome = for_each_piece(lines, SEGMENT, self.plan.k - 1, &mut letters, |segment| {
            self.add_segment(segment, b"")
        });
        self.letters = letters;
        self.totals.bases += outcome?;
        Ok(())
    }

    /// As [`Self::add_lines`], of what follows a piece of the same sequence, with the last k - 1 letters of that before
    /// it: they are no further bases.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_next_piece<'a>(&mut self, lines: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        self.add_lines(lines)?;
        self.totals.bases -= self.plan.k as u64 - 1;
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
        self.add_segments(sequence, quality)
    }

    /// Ends the taking.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn into_share(mut self) -> Result<Share> {
        self.flush()?;
        Ok(Share {
            store: self.cutter.store.seal()?,
            direct: self.direct,
            followed: self.follower.finish(),
            totals: self.totals,
        })
    }

    /// k-mers taken so far.
    pub fn kmers(&self) -> u64 {
        self.totals.kmers
    }

    fn add_segments(&mut self, sequence: &[u8], quality: &[u8]) -> Result<()> {
        self.totals.bases += sequence.len() as u64;
        let overlap = self.plan.k - 1;
        let mut start = 0;
        while start + overlap < sequence.len() {
            let end = sequence.len().min(start + SEGMENT + overlap);
            let quality = if quality.is_empty() {
                b""
            } else {
                &quality[start..end]
            };
            self.add_segment(&sequence[start..end], quality)?;
            start += SEGMENT;
        }
        Ok(())
    }

    fn add_segment(&mut self, letters: &[u8], quality: &[u8]) -> Result<()> {
        let newest = self.newest;
        self.kernel.encode(
            &mut self.ahead[newest].encoded,
            letters,
            quality,
            self.minimum_quality,
        );
        if let Some(direct) = &mut self.direct {
            self.totals.kmers += direct.add(&self.ahead[newest].encoded);
            return Ok(());
        }
        if !self.follower.is_following() {
            return self.count(newest);
        }
        let older = (newest + AHEAD / 2) % AHEAD;
        if let Ok([new, older]) = self.ahead.get_disjoint_mut([newest, older]) {
            self.kernel
                .approach(&self.follower, self.plan.k, new, older);
        }
        self.newest = (newest + 1) % AHEAD;
        if self.waiting == AHEAD - 1 {
            self.count(self.newest)?;
            // As many wait as before: the one that was counted has made room for the new one.
            if !self.follower.is_following() {
                self.flush()?;
            }
        } else {
            self.waiting += 1;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        while self.waiting > 0 {
            let oldest = (self.newest + AHEAD - self.waiting) % AHEAD;
            self.waiting -= 1;
            self.count(oldest)?;
        }
        Ok(())
    }

    /// Counts the k-mers of a segment by the backbone, and cuts those that are not found.
    fn count(&mut self, which: usize) -> Result<()> {
        let encoded = &self.ahead[which].encoded;
        self.runs.clear();
        self.runs.extend(encoded.runs(self.plan.k));
        if self.follower.is_awake() {
            let (runs, left) = (&mut self.runs, &mut self.left);
            let found = self.kernel.follow(&mut self.follower, encoded, runs, left);
            self.totals.kmers += found;
            if let Some(rest) = self.follower.take_rest() {
                // They were counted when they came.
                rest.for_each_segment(|encoded, runs| {
                    self.totals.records += self.cutter.cut(encoded, runs)?.records;
                    Ok(())
                })?;
            }
        }
        if !self.runs.is_empty() {
            let cuts = self.cutter.cut(encoded, &self.runs)?;
            self.totals.kmers += cuts.kmers;
            self.totals.records += cuts.records;
        }
        Ok(())
    }
}

/// Brings super-k-mers to their partitions.
#[derive(Debug)]
struct Cutter {
    plan: Plan,
    kernel: Kernel,
    canonical: bool,
    store: Store,
    minimizers: Minimizers,
    ends: Ends,
}

impl Cutter {
    /// Cuts the k-mers of the runs of a segment.
    fn cut(&mut self, encoded: &Encoded, runs: &[(usize, usize)]) -> Result<Cuts> {
        let Plan { k, m, shape, .. } = self.plan;
        self.kernel.minimizers(&mut self.minimizers, encoded, k, m);
        match shape.record_words {
            1 => self.cut_records::<1>(encoded, runs),
            2 => self.cut_records::<2>(encoded, runs),
            4 => self.cut_records::<4>(encoded, runs),
            8 => self.cut_records::<8>(encoded, runs),
            _ => self.cut_records::<16>(encoded, runs),
        }
    }

    fn cut_records<const N: usize>(
        &mut self,
        encoded: &Encoded,
        runs: &[(usize, usize)],
    ) -> Result<Cuts> {
        let segment = Segment {
            encoded,
            minimizers: &self.minimizers,
            runs,
            plan: self.plan,
            canonical: self.canonical,
        };
        self.kernel
            .cut::<N>(segment, &mut self.ends, &mut self.store)
    }
}
