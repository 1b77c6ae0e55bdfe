//! Stage 1: sequence to records by partition.
//!
//! ```text
//! for each segment of the sequence (overlapping by k - 1 bases):             (superkmers' segments)
//!   encode both strands to two bits per base; note where letters are no bases
//!   least[i] = least m-mer of the k-mer that begins at i, for all i       (superkmers' partitioner)
//!   for each longest stretch of valid bases and equal least: a record to its partition
//! ```

use super::{direct::Direct, plan::Plan};
use crate::{
    error::{Error, Result},
    options::CountOptions,
};
pub use thalweg_superkmers::other_letters::OtherLetters;
use thalweg_superkmers::{
    Kernel,
    encode::Encoded,
    partition::{BlockSink, Chunks, SealedStore, Store},
    partitioner::Partitioner,
    segments::Segments,
};

/// One thread's part of the first stage. Made by [`Counter::worker`](super::Counter::worker).
///
/// It stays on its thread, as what it stores past the caches is not in order for others yet; its [`Share`] is. One that is
/// dropped has taken nothing: only shares are counted.
///
/// ```compile_fail,E0277
/// # use thalweg_kmers::{count::CountWorker, Result};
/// fn hand_over(worker: CountWorker) {
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
pub struct CountWorker<S = Chunks> {
    segments: Segments,
    kmers: Kmers<S>,
}

/// Where k-mers go.
#[derive(Debug)]
struct Kmers<S> {
    partitioner: Partitioner<S>,
    direct: Option<Direct>,
    /// Those that went to `direct`.
    direct_kmers: u64,
}

/// What one worker has taken, for [`Counter::finish`](super::Counter::finish) on any thread.
#[derive(Debug)]
pub struct Share {
    pub(super) store: Option<SealedStore>,
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

impl Share {
    /// Blocks that were cut elsewhere, such as an [`Inbox`](thalweg_superkmers::partition::Inbox) has taken. The sequences
    /// that they come from are in the share of who has cut them.
    pub fn of_blocks(store: SealedStore) -> Self {
        Self {
            store: Some(store),
            direct: None,
            totals: WorkerTotals::default(),
            other_letters: OtherLetters::default(),
        }
    }
}

impl<S: BlockSink> CountWorker<S> {
    pub(super) fn new(plan: Plan, options: &CountOptions, kernel: Kernel, store: Store<S>) -> Self {
        let k = plan.scheme.k();
        Self {
            segments: Segments::new(k, kernel, options.alphabet())
                .with_minimum_quality(options.minimum_quality()),
            kmers: Kmers {
                partitioner: Partitioner::new(plan.scheme, kernel, store)
                    .with_canonical(options.canonical()),
                direct: plan.direct.then(|| Direct::new(k)),
                direct_kmers: 0,
            },
        }
    }

    /// Takes the k-mers of `sequence`: the letters of one read or one whole sequence.
    ///
    /// A k-mer with a letter that is no base by [`CountOptions::with_alphabet`] does not count; such letters are told in
    /// [`CountTotals::other_letters`](super::CountTotals::other_letters).
    /// The sequence is not kept. Empty ones, and those shorter than k, hold no k-mer.
    /// A sequence that is given in pieces must have its pieces overlap by k - 1 letters.
    ///
    /// # Errors
    ///
    /// [`Error::Temporary`] if records must go to a temporary file and cannot; those of another sink of blocks.
    pub fn add(&mut self, sequence: &[u8]) -> Result<()> {
        let kmers = &mut self.kmers;
        self.segments.add(sequence, |segment| kmers.take(segment))
    }

    /// As [`Self::add`], of the sequence that `lines` make. It is never joined: of a long one, that would be a copy.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_lines<'a>(&mut self, lines: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        let kmers = &mut self.kmers;
        (self.segments).add_lines(lines, |segment| kmers.take(segment))
    }

    /// As [`Self::add_lines`], of what follows a piece of the same sequence, with the last k - 1 letters of that before
    /// it: they are no further bases.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_next_piece<'a>(&mut self, lines: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        let kmers = &mut self.kmers;
        (self.segments).add_next_piece(lines, |segment| kmers.take(segment))
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
        let kmers = &mut self.kmers;
        (self.segments).add_with_quality(sequence, quality, |segment| kmers.take(segment))
    }

    /// Hands on what is staged, so that it is counted while more is taken. Blocks that are not full are as long.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.kmers.partitioner.store_mut().flush()?)
    }

    /// What takes its blocks.
    pub fn sink_mut(&mut self) -> &mut S {
        self.kmers.partitioner.store_mut().sink_mut()
    }

    /// Ends the taking, and gives the sink back with a share that has no blocks: they are where the sink has brought them.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn finish(self) -> Result<(Share, S)> {
        let Kmers {
            partitioner,
            direct,
            direct_kmers,
        } = self.kmers;
        let cuts = partitioner.cuts();
        let share = Share {
            store: None,
            direct,
            totals: WorkerTotals {
                bases: self.segments.bases(),
                kmers: cuts.kmers + direct_kmers,
                records: cuts.records,
            },
            other_letters: self.segments.into_other_letters(),
        };
        Ok((share, partitioner.finish()?))
    }

    /// k-mers taken so far.
    pub fn kmers(&self) -> u64 {
        self.kmers.partitioner.cuts().kmers + self.kmers.direct_kmers
    }
}

impl CountWorker {
    /// Ends the taking.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn into_share(self) -> Result<Share> {
        let (share, chunks) = self.finish()?;
        let store = Some(chunks.seal());
        Ok(Share { store, ..share })
    }
}

impl<S: BlockSink> Kmers<S> {
    /// Takes the k-mers of a segment.
    #[inline]
    fn take(&mut self, segment: &Encoded) -> Result<()> {
        match &mut self.direct {
            Some(direct) => self.direct_kmers += direct.add(segment),
            None => self.partitioner.take(segment)?,
        }
        Ok(())
    }
}
