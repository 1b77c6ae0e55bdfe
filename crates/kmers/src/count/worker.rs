//! Stage 1: sequence to records by partition.
//!
//! ```text
//! for each segment of the sequence (overlapping by k - 1 bases):
//!   encode both strands to two bits per base; note where letters are no bases
//!   least[i] = least m-mer of the k-mer that begins at i, for all i   (see minimizer)
//!   for each run of valid bases, for each longest stretch of equal least (at most k - m + 1 k-mers):
//!     cut the record from the strand that the minimizer is on
//!     append it to the partition of the minimizer
//! ```

use super::{direct::Direct, encode::Encoded, kernel::Kernel, plan::Plan, record};
use crate::{
    error::{Error, Result},
    minimizer::{Minimizers, partition},
    options::CountOptions,
    partition::Store,
};

/// k-mers that begin in one segment: what is computed of it (16 bytes per base) stays in the
/// first-level cache, and the k - 1 bases that are seen twice are few.
const SEGMENT: usize = 2048;

/// One thread's share of the first stage. Made by [`Counter::worker`](super::Counter::worker).
#[derive(Debug)]
pub struct Worker {
    pub(super) plan: Plan,
    pub(super) store: Store,
    pub(super) direct: Option<Direct>,
    pub(super) totals: WorkerTotals,
    canonical: bool,
    minimum_quality: u8,
    kernel: Kernel,
    encoded: Encoded,
    minimizers: Minimizers,
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
            direct: plan.direct.then(|| Direct::new(plan.k)),
            totals: WorkerTotals::default(),
            canonical: options.canonical(),
            minimum_quality: options.minimum_quality(),
            kernel,
            encoded: Encoded::default(),
            minimizers: Minimizers::default(),
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
    /// [`Error::Io`] if records must go to a temporary file and cannot.
    pub fn add(&mut self, sequence: &[u8]) -> Result<()> {
        self.add_segments(sequence, b"")
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
        self.kernel
            .encode(&mut self.encoded, letters, quality, self.minimum_quality);
        if let Some(direct) = &mut self.direct {
            self.totals.kmers += direct.add(&self.encoded);
            return Ok(());
        }
        let Plan { k, m, .. } = self.plan;
        self.kernel
            .minimizers(&mut self.minimizers, &self.encoded, k, m);
        match self.plan.shape.record_words {
            1 => self.emit::<1>(),
            2 => self.emit::<2>(),
            4 => self.emit::<4>(),
            8 => self.emit::<8>(),
            _ => self.emit::<16>(),
        }
    }

    fn emit<const N: usize>(&mut self) -> Result<()> {
        let Plan {
            k,
            m,
            partition_bits,
            ..
        } = self.plan;
        let widest = k - m + 1;
        let (encoded, least) = (&self.encoded, &self.minimizers.least[..]);
        let changes = &self.minimizers.changes[..];
        let (store, totals) = (&mut self.store, &mut self.totals);
        let canonical = self.canonical;
        let mut outcome = Ok(());
        let mut cut = |start: usize, end: usize| {
            let value = least[start];
            let len = end - start + k - 1;
            let bit = if canonical && value & 1 == 1 {
                encoded.reverse_bit(start, len)
            } else {
                2 * start
            };
            let record = record::cut::<N>(&encoded.packed, bit, len);
            if let Err(error) = store.push(partition(value, partition_bits), record) {
                outcome = Err(error);
            }
            totals.records += 1;
        };
        encoded.for_each_run(k, |start, end| {
            let windows = end - k + 1;
            totals.kmers += (windows - start) as u64;
            let mut first = start;
            for_each_set(changes, start, windows - 1, |i| {
                // Where a minimizer repeats, more than `widest` k-mers may share its value.
                while i + 1 - first > widest {
                    cut(first, first + widest);
                    first += widest;
                }
                cut(first, i + 1);
                first = i + 1;
            });
            while windows - first > widest {
                cut(first, first + widest);
                first += widest;
            }
            cut(first, windows);
        });
        outcome
    }
}

/// Calls `each` with the numbers of the set bits in `start..end`, in order.
#[inline(always)]
fn for_each_set(bits: &[u64], start: usize, end: usize, mut each: impl FnMut(usize)) {
    if start >= end {
        return;
    }
    for (i, &word) in bits
        .iter()
        .enumerate()
        .take(end.div_ceil(64))
        .skip(start / 64)
    {
        let mut word = word;
        if i == start / 64 {
            word &= u64::MAX << (start % 64);
        }
        if i == end / 64 {
            word &= (1 << (end % 64)) - 1;
        }
        while word != 0 {
            each(64 * i + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}
