//! Sequences to super-k-mers by partition: what each thread does for itself.
//!
//! ```text
//! add(node, letters):
//!   letters of low complexity: N                                                       (mask)
//!   for each super-k-mer, under each of its tied minimizers:        (superkmers' sequence)
//!     turned so that its minimizer is canonical, with its leaf                     (oriented)
//!     to the partition of the upper bits of the minimizer's value      (superkmers' partition)
//! ```

use std::{ops::Range, sync::Arc};

use thalweg_superkmers::{
    Kernel, Scheme,
    cut::SEGMENT,
    kmer::Alphabet,
    minimizer::exact::Strand,
    partition::{SealedStore, Store},
    sequence::{Cutter, SuperKmer, Ties},
};

use super::{
    leaves::{Known, Leaves},
    options::{Plan, Values},
    oriented::{Oriented, RECORD_WORDS},
};
use crate::{Node, Result, mask};

/// Letters that are copied at once, where some of them are masked: whole segments, so that super-k-mers end where they would
/// without pieces.
const PIECE: usize = 256 * SEGMENT;

/// Letters of the [parts](BuildWorker::parts) of a long sequence.
const PART: usize = 8 * PIECE;

/// One thread's part of a build: it cuts sequences and stores what it has cut.
///
/// It stays on its thread; its [`BuildShare`] need not. One that is dropped has taken nothing: only shares are built from.
#[derive(Debug)]
#[must_use = "only its share is built from"]
pub struct BuildWorker {
    cutter: Cutter,
    store: Store,
    values: Values,
    masking: bool,
    leaves: Arc<Leaves>,
    known: Known,
    totals: WorkerTotals,
    masked: Vec<Range<usize>>,
    letters: Vec<u8>,
}

/// What one worker has taken, for [`DatabaseBuilder::finish`](super::DatabaseBuilder::finish) on any thread.
#[derive(Debug)]
pub struct BuildShare {
    pub(super) store: SealedStore,
    pub(super) totals: WorkerTotals,
}

/// What one worker has seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WorkerTotals {
    pub(super) sequences: u64,
    /// Letters, whatever they are.
    pub(super) bases: u64,
    /// Those among them that were left out.
    pub(super) masked: u64,
    /// Super-k-mers that were stored.
    pub(super) records: u64,
}

impl BuildWorker {
    pub(super) fn new(
        plan: Plan,
        masking: bool,
        kernel: Kernel,
        leaves: Arc<Leaves>,
        store: Store,
    ) -> Self {
        Self {
            cutter: Cutter::new(plan.scheme, kernel, Alphabet::Acgtu),
            store,
            values: plan.values,
            masking,
            leaves,
            known: Known::default(),
            totals: WorkerTotals::default(),
            masked: Vec::new(),
            letters: Vec::new(),
        }
    }

    /// Takes a whole sequence of a taxon: the letters, upper or lower case, without line ends. It is not kept.
    ///
    /// A k-mer with a letter that is no base, or with one of low complexity, is left out; U is T. `node` is one of the
    /// taxonomy that [`DatabaseBuilder::finish`](super::DatabaseBuilder::finish) gets. It belongs to the database even if the sequence has no
    /// k-mer. Tells whether it has one, of whichever part of a database.
    ///
    /// # Errors
    ///
    /// Those of the temporary file, and [`TooManyLeaves`](crate::ErrorKind::TooManyLeaves).
    pub fn add(&mut self, node: Node, sequence: &[u8]) -> Result<bool> {
        self.add_part(node, sequence, 0..sequence.len())
    }

    /// The parts by which a sequence of so many letters can be given to several workers: all letters, in order.
    pub fn parts(letters: usize) -> impl Iterator<Item = Range<usize>> {
        let starts = (0..letters.max(1)).step_by(PART);
        starts.map(move |start| start..letters.min(start + PART))
    }

    /// Takes one of the [`parts`](Self::parts) of a whole sequence; others are given to whichever worker. What becomes of the
    /// sequence does not depend on who takes which.
    ///
    /// A part has the k-mers that begin in it. Which letters around it are of low complexity is found out again, with as many
    /// more on both sides as that depends on. Tells whether a k-mer begins in it.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    ///
    /// # Panics
    ///
    /// If it is no part of the sequence.
    pub fn add_part(&mut self, node: Node, sequence: &[u8], part: Range<usize>) -> Result<bool> {
        assert!(part.start.is_multiple_of(PART) && part.end <= sequence.len());
        let leaf = self.leaves.number(node, &mut self.known)?;
        self.totals.sequences += u64::from(part.start == 0);
        self.totals.bases += part.len() as u64;
        let overlap = self.cutter.scheme().k() - 1;
        let end = sequence.len().min(part.end + overlap);
        self.masked.clear();
        if self.masking {
            self.mask(sequence, part.start..end);
            let of_part = |range: &Range<usize>| range.start.min(part.end)..range.end.min(part.end);
            let masked = (self.masked.iter()).map(|range| of_part(range).len() as u64);
            self.totals.masked += masked.sum::<u64>();
        }
        let mut from = part.start;
        let mut has_kmers = false;
        while from < part.end && from + overlap < end {
            let to = end.min(from + PIECE + overlap);
            has_kmers |= self.add_piece(leaf, from, &sequence[from..to])?;
            from += PIECE;
        }
        Ok(has_kmers)
    }

    /// Finds what is masked of the letters of a range.
    fn mask(&mut self, sequence: &[u8], range: Range<usize>) {
        const AROUND: usize = mask::WINDOW - 1;
        let first = range.start.saturating_sub(AROUND);
        let end = sequence.len().min(range.end + AROUND);
        mask::low_complexity(&sequence[first..end], &mut self.masked);
        for masked in &mut self.masked {
            masked.start = (masked.start + first).clamp(range.start, range.end);
            masked.end = (masked.end + first).clamp(range.start, range.end);
        }
        self.masked.retain(|masked| !masked.is_empty());
    }

    /// Takes the piece that begins `from` letters after the start of its sequence, and tells whether it has a k-mer.
    fn add_piece(&mut self, leaf: u32, from: usize, piece: &[u8]) -> Result<bool> {
        let end = from + piece.len();
        let first = self.masked.partition_point(|range| range.end <= from);
        let masked = (self.masked[first..].iter()).take_while(|range| range.start < end);
        self.letters.clear();
        for range in masked {
            if self.letters.is_empty() {
                self.letters.extend_from_slice(piece);
            }
            let range = range.start.max(from) - from..range.end.min(end) - from;
            self.letters[range].fill(b'N');
        }
        let letters = match self.letters.is_empty() {
            true => piece,
            false => &self.letters,
        };
        let (scheme, values) = (self.cutter.scheme(), self.values);
        let (store, records) = (&mut self.store, &mut self.totals.records);
        let mut outcome = Ok(());
        let mut has_kmers = false;
        let mut end_before = 0;
        self.cutter.visit(letters, Ties::All, |super_kmer| {
            has_kmers = true;
            // Those that tie follow on each other, and have a k-mer in common.
            let is_tied = super_kmer.start() < end_before;
            end_before = super_kmer.start() + super_kmer.kmers();
            let Some(partition) = values.partition(super_kmer.minimizer().value) else {
                return;
            };
            let oriented = orient(super_kmer, &scheme, is_tied, leaf);
            let (record, bytes) = oriented.to_record();
            if outcome.is_ok() {
                outcome = (store.stages()).push(partition, record, bytes);
            }
            *records += 1;
        });
        outcome?;
        Ok(has_kmers)
    }

    /// Ends the taking.
    ///
    /// # Errors
    ///
    /// Those of the temporary file.
    pub fn into_share(self) -> Result<BuildShare> {
        Ok(BuildShare {
            store: self.store.seal()?,
            totals: self.totals,
        })
    }

    /// Letters taken so far.
    pub fn bases(&self) -> u64 {
        self.totals.bases
    }
}

/// The super-k-mer as its minimizer reads.
fn orient(super_kmer: &SuperKmer<'_>, scheme: &Scheme, is_tied: bool, leaf: u32) -> Oriented {
    let minimizer = super_kmer.minimizer();
    let left = minimizer.position - super_kmer.start();
    let (codes, place) = match minimizer.strand {
        Strand::Forward => (super_kmer.forward(), left),
        Strand::Backward => (
            super_kmer.backward(),
            super_kmer.bases() - scheme.m() - left,
        ),
    };
    Oriented::new(codes.record::<RECORD_WORDS>(), place, is_tied, leaf)
}
