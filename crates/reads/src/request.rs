//! Which records are wanted, and how an index cuts them into runs.

use std::ops::Range;

use thalweg_gzip::index::Index;

use crate::indexing::SaveIndex;

/// Which records of a section are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    /// These ranks.
    Ranks(Range<u64>),
    /// So many from the start, or all if there are fewer.
    First(u64),
    /// Part `number` of `of` equal ones.
    Shard {
        number: u64,
        of: u64,
    },
}

impl Selection {
    /// Whether there are no records before it.
    pub(crate) fn is_from_start(&self) -> bool {
        match self {
            Self::All | Self::First(_) => true,
            Self::Ranks(ranks) => ranks.start == 0,
            Self::Shard { number, .. } => *number == 0,
        }
    }
}

/// What is wanted of a section.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) selection: Selection,
    /// Records that stay together: 2 for interleaved pairs.
    pub(crate) group: usize,
    /// The names of mates are compared.
    pub(crate) names_agree: bool,
    /// The letters of records are checked.
    pub(crate) check_letters: bool,
    /// All bytes are wanted, and no records.
    pub(crate) text: bool,
    /// Bytes on disk of a part found by inspection, if not the usual.
    pub(crate) part_size: Option<u64>,
    /// Keep the index that falls out.
    pub(crate) save: Option<SaveIndex>,
}

/// Consecutive records that are claimed as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) first: u64,
    pub(crate) records: u64,
    /// The chunk to begin with, if not the last one before the first record.
    pub(crate) first_chunk: Option<usize>,
    /// The last chunk to be verified with them; none if they all lie in one that another run verifies.
    pub(crate) last_chunk: Option<usize>,
    /// Where the last record ends in the first file, if the index says so.
    pub(crate) end: Option<u64>,
    /// The last run of a selection: no other one verifies the chunk with its last byte.
    pub(crate) ends_selection: bool,
}

impl Run {
    /// The same records of a mate. Its chunks before the one that the next run
    /// starts with are verified with them; behind the last record, all.
    pub(crate) fn of_mate(self, index: &Index) -> Self {
        let end = self.first + self.records;
        let chunks_with = |holds: &dyn Fn(u64) -> bool| {
            let checkpoints = &index.checkpoints;
            checkpoints.partition_point(|checkpoint| holds(checkpoint.record_rank))
        };
        let last_chunk = if end == index.record_count {
            index.chunks().checked_sub(1)
        } else if self.ends_selection {
            Some(chunk_before(index, end, chunks_with(&|rank| rank < end)))
        } else {
            chunks_with(&|rank| rank <= end).checked_sub(2)
        };
        Self {
            last_chunk,
            end: None,
            ..self
        }
    }
}

/// Runs of `chunks_per_run` chunks that cover the records `wanted`, cut at
/// multiples of `group`.
pub(crate) fn runs(
    index: &Index,
    wanted: &Range<u64>,
    group: u64,
    chunks_per_run: usize,
) -> Vec<Run> {
    let checkpoints = &index.checkpoints;
    let mut runs: Vec<Run> = Vec::new();
    let mut chunk = 0;
    while chunk < checkpoints.len() {
        let next = (chunk + chunks_per_run).min(checkpoints.len());
        let rank = |chunk: usize| {
            rank_of(index, chunk)
                .next_multiple_of(group)
                .clamp(wanted.start, wanted.end)
        };
        let (first, end) = (rank(chunk), rank(next));
        let everything = *wanted == (0..index.record_count);
        if end > first || (everything && runs.is_empty()) {
            let ends_selection = !everything && end == wanted.end;
            runs.push(Run {
                first,
                records: end - first,
                first_chunk: None,
                last_chunk: Some(match ends_selection {
                    true => chunk_before(index, end, next),
                    false => next - 1,
                }),
                end: record_offset(index, next).filter(|_| end == rank_of(index, next)),
                ends_selection,
            });
        } else if let (true, Some(run)) = (everything, runs.last_mut()) {
            // Chunks in which no record starts belong to the long record before.
            run.last_chunk = Some(next - 1);
            run.end = record_offset(index, next);
        }
        chunk = next;
    }
    runs
}

/// The chunk with the last byte before record `end`, which starts at the latest
/// in chunk `next`: nobody else would verify it.
fn chunk_before(index: &Index, end: u64, next: usize) -> usize {
    let checkpoint = index.checkpoints.get(next);
    match checkpoint.filter(|checkpoint| checkpoint.record_rank == end) {
        None => next.saturating_sub(1),
        Some(next) => index
            .checkpoints
            .partition_point(|checkpoint| checkpoint.output_offset < next.record_offset)
            .saturating_sub(1),
    }
}

/// Rank of the first record that starts in `chunk`; behind the last chunk, the
/// number of records.
pub(crate) fn rank_of(index: &Index, chunk: usize) -> u64 {
    let checkpoint = index.checkpoints.get(chunk);
    checkpoint.map_or(index.record_count, |checkpoint| checkpoint.record_rank)
}

/// Where that record starts; `None` behind the last chunk, where blank lines
/// may follow the last record.
fn record_offset(index: &Index, chunk: usize) -> Option<u64> {
    index
        .checkpoints
        .get(chunk)
        .map(|checkpoint| checkpoint.record_offset)
}
