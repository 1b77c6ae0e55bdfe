//! Reading by the fast paths, in every way.

use std::path::Path;

use thalweg::{
    Batch, Budget, Checkpoints, Error, IndexOptions, IndexUse, ReaderOptions, Reads, Record,
};

use super::naive::{Digest, digest};

/// How to consume the batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Fold,
    InOrder,
    Iterator,
}

pub(crate) const MODES: [Mode; 3] = [Mode::Fold, Mode::InOrder, Mode::Iterator];
pub(crate) const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Each mode with several thread counts, and each thread count with a mode that cares: one thread has no order to keep, and of
/// a fold the order of its parts is nobody's business.
const WAYS: [(usize, Mode); 6] = [
    (1, Mode::Iterator),
    (2, Mode::Fold),
    (2, Mode::InOrder),
    (3, Mode::Iterator),
    (3, Mode::InOrder),
    (8, Mode::Fold),
];

pub(crate) fn digest_of(record: &Record<'_>) -> Digest {
    digest(
        record.head(),
        &record.sequence(),
        record.quality().as_deref(),
    )
}

/// The records of a batch, those of mates side by side: one list for each file.
fn digests(batch: &Batch) -> Vec<Vec<Digest>> {
    let file = |mate| batch.mates(mate).map(|record| digest_of(&record)).collect();
    let all: Vec<Vec<Digest>> = (0..batch.blocks().len()).map(file).collect();
    for block in batch.blocks() {
        assert_eq!(block.len(), batch.len(), "mates are in step");
    }
    all
}

/// Record `i` of all files in one number, for comparisons.
fn zip(files: &[Vec<Digest>]) -> Vec<Digest> {
    match files {
        [only] => only.clone(),
        _ => (0..files[0].len())
            .map(|record| {
                let mates: Vec<Digest> = files.iter().map(|file| file[record]).collect();
                digest(format!("{mates:?}").as_bytes(), b"", None)
            })
            .collect(),
    }
}

/// The records of a batch, those of mates as one.
pub(crate) fn of_batch(batch: &Batch) -> Vec<Digest> {
    zip(&digests(batch))
}

/// What is expected of files in step.
pub(crate) fn zipped(files: &[Vec<Digest>]) -> Vec<Digest> {
    zip(files)
}

pub(crate) fn open(
    options: ReaderOptions,
    threads: usize,
    memory: Option<u64>,
) -> Result<Reads, Error> {
    let budget = Budget::new(threads);
    let budget = match memory {
        Some(memory) => budget.with_memory(memory),
        None => budget,
    };
    Reads::open(options.budget(budget))
}

/// All records, in order, or sorted if the mode has no order.
pub(crate) fn read(
    options: ReaderOptions,
    threads: usize,
    memory: Option<u64>,
    mode: Mode,
) -> Result<Vec<Digest>, Error> {
    let workers = open(options, threads, memory)?.all_workers();
    let mut all = Vec::new();
    match mode {
        Mode::Fold => {
            all = workers.fold(
                Vec::new,
                |part: &mut Vec<Digest>, batch| part.extend(of_batch(batch)),
                |whole, part| whole.extend(part),
            )?;
        }
        Mode::InOrder => {
            workers.map_in_order(
                |batch| Ok::<_, Error>(of_batch(&batch)),
                |part| {
                    all.extend(part);
                    Ok(())
                },
            )?;
        }
        Mode::Iterator => {
            for batch in workers {
                all.extend(of_batch(&batch?));
            }
        }
    }
    Ok(all)
}

/// Read and compare.
#[track_caller]
pub(crate) fn expect(
    what: &str,
    options: ReaderOptions,
    threads: usize,
    memory: Option<u64>,
    mode: Mode,
    expected: &[Digest],
) {
    let what = format!("{what}, {threads} threads, memory {memory:?}, {mode:?}");
    let mut found = match read(options, threads, memory, mode) {
        Ok(found) => found,
        Err(error) => panic!("{what}: {error}"),
    };
    if mode == Mode::Fold {
        found.sort_unstable();
        let mut sorted = expected.to_vec();
        sorted.sort_unstable();
        compare(&what, &found, &sorted);
    } else {
        compare(&what, &found, expected);
    }
}

#[track_caller]
pub(crate) fn compare(what: &str, found: &[Digest], expected: &[Digest]) {
    let same = found
        .iter()
        .zip(expected)
        .take_while(|(a, b)| a == b)
        .count();
    assert!(
        found == expected,
        "{what}: {} records instead of {}, the first {same} agree",
        found.len(),
        expected.len(),
    );
}

/// Every mode, for some thread counts and both ends of memory.
#[track_caller]
pub(crate) fn expect_all(what: &str, options: &ReaderOptions, expected: &[Digest]) {
    for (threads, mode) in WAYS {
        // A byte of memory: one piece of work at a time.
        let memory = (threads == 3).then_some(1);
        expect(what, options.clone(), threads, memory, mode, expected);
    }
}

/// Every mode once: for texts that take long.
#[track_caller]
pub(crate) fn expect_each(what: &str, options: &ReaderOptions, expected: &[Digest]) {
    expect(what, options.clone(), 1, None, Mode::Iterator, expected);
    expect(what, options.clone(), 2, None, Mode::Fold, expected);
    expect(what, options.clone(), 3, Some(1), Mode::InOrder, expected);
}

/// Bytes of all blocks one after the other; ranks and offsets must fit.
#[track_caller]
pub(crate) fn expect_text(what: &str, options: &ReaderOptions, text: &[u8], known: bool) {
    for threads in [1, 2] {
        let workers = open(options.clone(), threads, None)
            .unwrap_or_else(|error| panic!("{what}: {error}"))
            .all_workers();
        let mut bytes: Vec<u8> = Vec::new();
        let mut rank = 0;
        for batch in workers {
            let batch = batch.unwrap_or_else(|error| panic!("{what}: {error}"));
            let block = &batch.blocks()[0];
            if block.is_empty() {
                // Where nothing stands is anybody's guess.
                continue;
            }
            if let Some(offset) = block.text_offset() {
                assert_eq!(offset, bytes.len() as u64, "{what}: offset");
            } else {
                assert!(!known, "{what}: offset unknown");
            }
            if let Some(first) = block.first_rank() {
                assert_eq!(first, rank, "{what}: rank");
            } else {
                assert!(!known, "{what}: rank unknown");
            }
            rank += block.len() as u64;
            bytes.extend_from_slice(block.as_bytes());
        }
        let rest = text.strip_prefix(bytes.as_slice());
        assert!(
            rest.is_some_and(|rest| rest.iter().all(|byte| matches!(byte, b'\r' | b'\n'))),
            "{what}: {} bytes that differ from the {} of the text",
            bytes.len(),
            text.len()
        );
    }
}

/// Write an index beside `path`.
#[track_caller]
pub(crate) fn index(path: &Path, options: &IndexOptions) {
    let destination = thalweg::index_path(path);
    thalweg::build_index(path, Some(&destination), options, &|_, _| {})
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// The same with a checkpoint every `span` bytes or so, by one thread.
#[track_caller]
pub(crate) fn index_every(path: &Path, span: u64) {
    let options = IndexOptions {
        checkpoints: Checkpoints::Span(span),
        budget: Budget::new(1),
        ..IndexOptions::default()
    };
    index(path, &options);
}

pub(crate) fn file(path: &Path) -> ReaderOptions {
    ReaderOptions::new().file(path)
}

pub(crate) fn unindexed(path: &Path) -> ReaderOptions {
    file(path).index(IndexUse::Never)
}

pub(crate) fn indexed(path: &Path) -> ReaderOptions {
    file(path).index(IndexUse::Require)
}
