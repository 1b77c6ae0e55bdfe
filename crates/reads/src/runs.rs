//! How indexes cut the records that are wanted into runs, and which chunks of each file a run has.
//!
//! ```text
//! records       0 |--- run ---|--- run ---|--- run ---|
//! first file      |---chunk---|----chunk---|--chunk----|
//! mate            |--chunk----|---chunk----|----chunk--|
//! ```
//! A file is decoded from the last checkpoint before a run's first record, and what lies between them a second time:
//! by the run before, too. So of files in step a run begins where the chunks of all of them nearly do.

use std::ops::Range;

use thalweg_gzip::index::Index;

/// Consecutive records that are claimed as one, of all files in step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) first: u64,
    pub(crate) records: u64,
    /// The last run of a selection: no other one verifies the chunk with its last byte.
    pub(crate) ends_selection: bool,
}

/// A run in one of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) first: u64,
    pub(crate) records: u64,
    /// The chunk to begin with.
    pub(crate) first_chunk: usize,
    /// The last chunk to be verified; none if they all lie in one that the next run begins with.
    pub(crate) last_chunk: Option<usize>,
    /// Where the last record ends, if the index says so.
    pub(crate) end: Option<u64>,
}

impl Run {
    /// All of `runs`, which follow one another.
    pub(crate) fn joined(runs: &[Run]) -> Option<Self> {
        let (first, last) = (runs.first()?, runs.last()?);
        Some(Self {
            first: first.first,
            records: last.first + last.records - first.first,
            ends_selection: last.ends_selection,
        })
    }

    /// About the bytes of its text in the file of `index`: those of its chunks.
    pub(crate) fn bytes(self, index: &Index) -> u64 {
        let end = self.first + self.records;
        let begin = index.checkpoints[last_chunk_from(index, self.first)].output_offset;
        let checkpoints = &index.checkpoints;
        let next = checkpoints.partition_point(|checkpoint| checkpoint.record_rank < end);
        let next = checkpoints.get(next);
        let end = next.map_or(index.output_size, |next| next.output_offset);
        end.saturating_sub(begin)
    }

    /// The same records in the file of `index`.
    ///
    /// Every chunk is verified by one run: those before the one that the next run begins with, and behind the last
    /// record of all, all.
    pub(crate) fn of_file(self, index: &Index) -> Stretch {
        let Self { first, records, .. } = self;
        let end = first + records;
        let chunks_before = |holds: &dyn Fn(u64) -> bool| {
            let checkpoints = &index.checkpoints;
            checkpoints.partition_point(|checkpoint| holds(checkpoint.record_rank))
        };
        let last_chunk = if end == index.record_count {
            index.chunks().checked_sub(1)
        } else if self.ends_selection {
            Some(chunk_before(index, end, chunks_before(&|rank| rank < end)))
        } else {
            chunks_before(&|rank| rank <= end).checked_sub(2)
        };
        let first_chunk = match first {
            // Also the chunks, if there are any, that end before it.
            0 => 0,
            _ => last_chunk_from(index, first),
        };
        Stretch {
            first,
            records,
            first_chunk,
            last_chunk: last_chunk.filter(|&last| last >= first_chunk),
            end: record_offset(index, end),
        }
    }
}

impl Stretch {
    /// Number of chunks that it verifies.
    pub(crate) fn chunks(&self) -> usize {
        self.last_chunk
            .map_or(0, |last| last + 1 - self.first_chunk)
    }

    /// The records that start in chunk `chunk` of the file of `index`.
    pub(crate) fn of_chunk(index: &Index, chunk: usize) -> Self {
        let first = rank_of(index, chunk);
        let end = rank_of(index, chunk + 1);
        Self {
            first,
            records: end - first,
            first_chunk: chunk,
            last_chunk: Some(chunk),
            end: record_offset(index, end),
        }
    }
}

/// Runs that cover the records `wanted` of files in step, cut at multiples of `group` and near to every
/// `chunks_per_run`th chunk of the first file.
pub(crate) fn runs(
    indexes: &[&Index],
    wanted: &Range<u64>,
    group: u64,
    chunks_per_run: usize,
) -> Vec<Run> {
    let everything = *wanted == (0..indexes[0].record_count);
    let mut runs: Vec<Run> = Vec::new();
    let mut push = |first, end| {
        runs.push(Run {
            first,
            records: end - first,
            ends_selection: !everything && end == wanted.end,
        });
    };
    let mut first = wanted.start;
    for chunk in (chunks_per_run..indexes[0].chunks()).step_by(chunks_per_run) {
        let next = rank_of(indexes[0], chunk + chunks_per_run);
        let rank = best_cut(indexes, rank_of(indexes[0], chunk), next);
        let cut = rank.next_multiple_of(group).min(wanted.end);
        if cut > first {
            push(first, cut);
            first = cut;
        }
    }
    // Without records, too, all chunks are verified.
    if wanted.end > first || (everything && first == 0) {
        push(first, wanted.end);
    }
    runs
}

/// Where to cut, at `rank` or between it and `end`: the fewest records of all files lie between the cut and the
/// last checkpoints before it.
///
/// Candidates are `rank`, at which a chunk of the first file begins, and the next checkpoint of each mate: where the
/// chunks of mates have records of equal lengths, one of these is a few records away from one of all others.
fn best_cut(indexes: &[&Index], rank: u64, end: u64) -> u64 {
    let twice = |cut: u64| -> u64 {
        let begin = |index: &&Index| rank_of(index, last_chunk_from(index, cut));
        let between = |index| cut.saturating_sub(begin(index));
        indexes.iter().map(between).sum()
    };
    let next = |index: &&Index| {
        let checkpoints = &index.checkpoints;
        let next = checkpoints.partition_point(|checkpoint| checkpoint.record_rank < rank);
        rank_of(index, next)
    };
    let later = indexes[1..].iter().map(next).filter(|&next| next < end);
    let candidates = std::iter::once(rank).chain(later);
    candidates.min_by_key(|&cut| twice(cut)).unwrap_or(rank)
}

/// The chunk to begin with for record `rank`: the last one whose first record is not behind it.
fn last_chunk_from(index: &Index, rank: u64) -> usize {
    index
        .checkpoints
        .partition_point(|checkpoint| checkpoint.record_rank <= rank)
        .saturating_sub(1)
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
fn rank_of(index: &Index, chunk: usize) -> u64 {
    let checkpoint = index.checkpoints.get(chunk);
    checkpoint.map_or(index.record_count, |checkpoint| checkpoint.record_rank)
}

/// Where record `rank` starts, if that is the first of a chunk. Not behind the last
/// record, where blank lines may follow.
fn record_offset(index: &Index, rank: u64) -> Option<u64> {
    let checkpoints = &index.checkpoints;
    let chunk = checkpoints.partition_point(|checkpoint| checkpoint.record_rank < rank);
    let checkpoint = checkpoints.get(chunk)?;
    (checkpoint.record_rank == rank && rank < index.record_count)
        .then_some(checkpoint.record_offset)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use thalweg_gzip::index::{Checkpoint, Container, IndexBuilder, IndexedFile};
    use thalweg_gzip::index::{Summary, WINDOW_SIZE};

    use super::*;

    /// Where records begin and, last, where the text ends.
    fn starts(lengths: &[u64]) -> Vec<u64> {
        let mut starts = vec![0];
        starts.extend(lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        }));
        starts
    }

    /// An index of records that begin at `starts`, and chunks that begin at 0 and at those of `places` that it has.
    fn index(starts: &[u64], places: &[u64]) -> Index {
        let size = starts[starts.len() - 1];
        let mut offsets: Vec<u64> = places.iter().copied().filter(|at| *at < size).collect();
        offsets.push(0);
        offsets.sort_unstable();
        offsets.dedup();
        let mut builder = IndexBuilder::new();
        for output_offset in offsets {
            let rank = starts.partition_point(|&start| start < output_offset);
            let checkpoint = Checkpoint {
                bit_offset: 80 + output_offset,
                output_offset,
                record_rank: rank as u64,
                record_offset: starts[rank],
                crc32: Some(0),
            };
            let window = vec![0; (output_offset as usize).min(WINDOW_SIZE)];
            builder.push(checkpoint, &window, None);
        }
        let summary = Summary {
            identity: IndexedFile {
                compressed_size: 2 * size + 100,
                blake3: None,
                head_tail: None,
            },
            container: Container::Gzip,
            record_format: Some(crate::Format::Fastq.into()),
            has_records: true,
            output_size: size,
            record_count: starts.len() as u64 - 1,
            metadata: None,
        };
        builder.finish(summary).expect("an index")
    }

    fn lengths() -> impl Strategy<Value = Vec<u64>> {
        let length = prop_oneof![4 => 4u64..60, 1 => 60u64..2000];
        prop::collection::vec(length, 1..60)
    }

    fn places() -> impl Strategy<Value = Vec<u64>> {
        prop::collection::vec(0u64..8000, 0..60)
    }

    proptest! {
        #[test]
        fn all_records_are_read_once_and_all_their_chunks_verified(
            of_first in lengths(),
            of_mate in lengths(),
            chunks in [places(), places()],
            bounds in [0u64..60, 0u64..60],
            is_everything in any::<bool>(),
            group in 1u64..3,
            chunks_per_run in 1usize..4,
        ) {
            let group = if chunks_per_run == 1 { group } else { 1 };
            let records = of_first.len().min(of_mate.len()) / group as usize * group as usize;
            let starts = [&of_first, &of_mate].map(|lengths| starts(&lengths[..records]));
            let [first, mate] = [0, 1].map(|file| index(&starts[file], &chunks[file]));
            let records = records as u64;
            let wanted = match is_everything {
                true => 0..records,
                false => {
                    let [one, other] = bounds.map(|bound| bound.min(records) / group * group);
                    one.min(other)..one.max(other)
                }
            };
            let files = match group {
                1 => vec![&first, &mate],
                _ => vec![&first],
            };
            let runs = runs(&files, &wanted, group, chunks_per_run);
            let mut next = wanted.start;
            for run in &runs {
                prop_assert_eq!(run.first, next);
                prop_assert!(run.first % group == 0 && run.records % group == 0);
                next += run.records;
            }
            prop_assert_eq!(next, wanted.end);

            for (index, starts) in files.iter().zip(&starts) {
                let mut verified = vec![0; index.chunks()];
                for run in &runs {
                    let stretch = run.of_file(index);
                    let from = index.checkpoints[stretch.first_chunk].record_rank;
                    prop_assert!(stretch.first_chunk == 0 || from <= run.first);
                    if let Some(end) = stretch.end {
                        prop_assert_eq!(end, starts[(run.first + run.records) as usize]);
                    }
                    let chunks = stretch.last_chunk.map(|last| stretch.first_chunk..last + 1);
                    for chunk in chunks.unwrap_or_default() {
                        verified[chunk] += 1;
                    }
                }
                if wanted.is_empty() && !is_everything {
                    continue;
                }
                let text = match is_everything {
                    true => 0..index.output_size,
                    false => starts[wanted.start as usize]..starts[wanted.end as usize],
                };
                for (chunk, verified) in verified.iter().enumerate() {
                    let begin = index.checkpoints[chunk].output_offset;
                    let is_wanted = begin < text.end && index.chunk_end(chunk) > text.start;
                    prop_assert!(*verified > 0 || !is_wanted, "chunk {} of {:?}", chunk, runs);
                    prop_assert!(*verified < 2, "chunk {} of {:?}", chunk, runs);
                }
            }
        }
    }

    /// Chunks of mates as an index has them: of about a span each, but blocks end where they please.
    #[test]
    fn runs_of_mates_begin_where_the_chunks_of_both_nearly_do() {
        let starts = starts(&[100; 10_000]);
        let near = |by: [u64; 9]| -> Vec<u64> {
            (1..)
                .zip(by)
                .map(|(number, by)| number * 100_000 + by)
                .collect()
        };
        let first = near([0, 900, 2500, 4000, 100, 50, 3000, 1000, 7000]);
        let mate = near([700, 800, 5000, 10, 2000, 50, 4500, 900, 100]);
        let [first, mate] = [first, mate].map(|places| index(&starts, &places));
        let files = [&first, &mate];
        let runs = runs(&files, &(0..10_000), 1, 1);
        assert_eq!(runs.len(), 10, "{runs:?}");
        for run in &runs {
            for index in files {
                let chunk = run.of_file(index).first_chunk;
                let twice = run.first - index.checkpoints[chunk].record_rank;
                assert!(twice <= 70, "{run:?}: {twice}");
            }
        }
    }
}
