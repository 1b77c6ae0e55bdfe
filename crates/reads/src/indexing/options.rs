//! How an index is to be made.

use thalweg_flow::Budget;

/// How far apart checkpoints lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoints {
    /// At the first block boundary that is so many uncompressed bytes (at
    /// least) behind the one before.
    Span(u64),
    /// As few as keep so many threads busy: between 8 and 16 for each thread,
    /// however large the file, but never closer than 1 MiB.
    ///
    /// Eight chunks for each thread leave at most one eighth of the time to
    /// chance when the last chunks are handed out, and two rounds for four
    /// lanes. One pass suffices: it starts with 1 MiB, and whenever there are
    /// more than 16 for each thread, every second checkpoint is dropped and the
    /// span doubled.
    ForThreads(usize),
    /// At most so many, and at least half as many in a file long enough to have
    /// them 1 MiB apart.
    AtMost(usize),
}

/// Uncompressed bytes between checkpoints unless told otherwise.
///
/// A quarter of `mim`'s: ordered output holds a quarter of the memory, and gains
/// more from a second thread. docs/design/inflate.md has the measurements.
pub const DEFAULT_SPAN: u64 = 8_000_000;

/// Span with which [`Checkpoints::ForThreads`] starts.
const FIRST_SPAN: u64 = 1 << 20;

/// Chunks for each thread that are enough.
const CHUNKS_PER_THREAD: usize = 8;

impl Checkpoints {
    /// Span to begin with.
    pub(super) fn first_span(self) -> u64 {
        match self {
            Checkpoints::Span(span) => span.max(1),
            Checkpoints::AtMost(0 | 1) => u64::MAX,
            Checkpoints::ForThreads(_) | Checkpoints::AtMost(_) => FIRST_SPAN,
        }
    }

    /// How many checkpoints are enough, if that decides; there will be fewer
    /// than twice as many.
    pub(super) fn wanted(self) -> Option<usize> {
        match self {
            Checkpoints::Span(_) | Checkpoints::AtMost(0 | 1) => None,
            Checkpoints::AtMost(most) => Some(most / 2),
            Checkpoints::ForThreads(threads) => Some(CHUNKS_PER_THREAD * threads.max(1)),
        }
    }

    /// Span for a file of `output` uncompressed bytes, when that is known.
    pub(super) fn span_for(self, output: u64) -> u64 {
        match self.wanted() {
            None => self.first_span(),
            Some(wanted) => (output / wanted as u64).max(FIRST_SPAN),
        }
    }
}

/// How to build an index.
#[derive(Clone, Debug)]
pub struct IndexOptions {
    /// How far apart checkpoints lie.
    pub checkpoints: Checkpoints,
    /// Any JSON value that the user wants to keep with the index.
    pub metadata: Option<serde_json::Value>,
    /// Threads.
    pub budget: Budget,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](crate::ReaderOptions::check_end)). So by default.
    pub check_end: bool,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            checkpoints: Checkpoints::Span(DEFAULT_SPAN),
            metadata: None,
            budget: Budget::all_cores(),
            check_end: true,
        }
    }
}
