//! Reads that are cleaned, as values.

use std::ops::Range;

use thalweg_qc::{Observer, Outcome, Read as Cleaned, Step};
use thalweg_trace::{Cut, Error, TraceEncoder, TracedRead, Value};

/// Follows the reads of one worker through the steps, and makes values of them.
pub struct ReadTracer {
    encoder: TraceEncoder,
    /// Of the next read or pair.
    rank: u64,
    ways: [Way; 2],
}

/// The way of a read so far.
#[derive(Debug, Default)]
struct Way {
    left: Range<usize>,
    cuts: Vec<Cut<'static>>,
    corrected: u64,
}

impl ReadTracer {
    /// A tracer that has seen nothing.
    pub fn new(encoder: TraceEncoder) -> Self {
        Self {
            encoder,
            rank: 0,
            ways: Default::default(),
        }
    }

    /// How many reads or pairs came before the next one.
    #[inline]
    pub fn set_rank(&mut self, rank: u64) {
        self.rank = rank;
    }

    /// Append the bytes of all reads since the last time to `into`; returns how many these are.
    ///
    /// # Errors
    /// As [`TraceEncoder::take_batch`].
    pub fn take_batch(&mut self, into: &mut Vec<u8>) -> Result<u64, Error> {
        self.encoder.take_batch(into)
    }
}

/// Who looks at reads for other reasons, and a tracer beside.
pub struct Followed<'t, O> {
    /// Sees what it would see alone.
    pub seen: &'t mut O,
    /// Is told the rest.
    pub tracer: &'t mut ReadTracer,
}

impl<O: Observer> Observer for Followed<'_, O> {
    const FOLLOWS: bool = true;

    #[inline]
    fn unchanged(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.seen.unchanged(mate, bases, qualities);
    }

    #[inline]
    fn before(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.seen.before(mate, bases, qualities);
    }

    #[inline]
    fn after(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self.seen.after(mate, bases, qualities);
    }

    fn begin(&mut self, mate: usize, read: &Cleaned<'_>) {
        let way = &mut self.tracer.ways[mate];
        way.left = 0..read.original_length();
        way.cuts.clear();
        way.corrected = 0;
    }

    fn done(&mut self, mate: usize, step: Step, left: Range<usize>) {
        let way = &mut self.tracer.ways[mate];
        // What is given up has no place: all of it is cut off the tail.
        let left = match left.is_empty() {
            true => way.left.start..way.left.start,
            false => left,
        };
        let front = left.start.saturating_sub(way.left.start);
        let tail = way.left.end.saturating_sub(left.end);
        if front + tail > 0 {
            way.cuts.push(Cut {
                step: step.word().into(),
                front: front as u64,
                tail: tail as u64,
            });
        }
        way.left = left;
    }

    fn corrected(&mut self, bases: [u64; 2]) {
        for (way, bases) in self.tracer.ways.iter_mut().zip(bases) {
            way.corrected += bases;
        }
    }

    fn ended(&mut self, mate: usize, read: &Cleaned<'_>, verdict: &'static str, outcome: Outcome) {
        let ReadTracer {
            encoder,
            rank,
            ways,
        } = &mut *self.tracer;
        let way = &ways[mate];
        encoder.push(&Value::Read(TracedRead {
            rank: *rank,
            mate: mate as u8 + 1,
            name: id(read.original_head()).into(),
            length_before: read.original_length() as u64,
            length_after: way.left.len() as u64,
            start: way.left.start as u64,
            cuts: way.cuts.as_slice().into(),
            corrected: way.corrected,
            verdict: verdict.into(),
            outcome: outcome.word().into(),
        }));
    }
}

/// What stands before the first space or tab.
fn id(head: &[u8]) -> &[u8] {
    let end = head.iter().position(|byte| matches!(byte, b' ' | b'\t'));
    &head[..end.unwrap_or(head.len())]
}
