//! Early ends: consumers that leave, panics, failing sinks.

use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use thalweg::{Batch, Error, ErrorKind, ReaderOptions};

use crate::support::check;
use crate::support::naive::Digest;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

/// Files of all plans: indexed, parts, in order, in step.
fn inputs(directory: &std::path::Path) -> Vec<(&'static str, ReaderOptions)> {
    let shape = Shape {
        records: 15_000,
        ..Shape::default()
    };
    let text = texts::fastq(1, shape);
    let indexed = write(directory, "indexed.gz", &compress::gzip(&text, 1));
    check::index_every(&indexed, 100_000);
    let plain = write(directory, "plain", &text);
    let mates: Vec<PathBuf> = vec![plain.clone(), indexed.clone()];
    vec![
        ("indexed", check::file(&indexed)),
        ("in order", check::unindexed(&indexed)),
        ("parts", check::file(&plain).part_size(200_000)),
        ("mates", ReaderOptions::new().mates(&mates)),
        (
            "mates with indexes",
            ReaderOptions::new().mates([&indexed, &indexed]),
        ),
        ("lanes", check::file(&plain).file(&indexed)),
    ]
}

const THREADS: [usize; 3] = [1, 2, 5];

/// Every plan tells how many records its workers gave; files that follow one another add up.
#[test]
fn records_given_are_all_in_the_end() {
    within(60, || {
        let directory = directory();
        for (what, options) in inputs(directory.path()) {
            for threads in THREADS {
                let reads = check::open(options.clone(), threads, None).expect(what);
                let given = reads.records_given();
                assert_eq!(given(), 0, "{what}");
                reads
                    .all_workers()
                    .fold(|| (), |(), _| (), |(), ()| ())
                    .expect(what);
                let expected = if what == "lanes" { 30_000 } else { 15_000 };
                assert_eq!(given(), expected, "{what}, {threads} threads");
            }
        }
    });
}

#[test]
fn states_stay_on_their_threads_until_they_end() {
    type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
    within(60, || {
        let directory = directory();
        for (what, options) in inputs(directory.path()) {
            for threads in THREADS {
                let open = || {
                    check::open(options.clone(), threads, None)
                        .expect(what)
                        .all_workers()
                };
                let expected = if what == "lanes" { 30_000 } else { 15_000 };
                // A state that no other thread may have.
                let start = || Ok(Rc::new(Cell::new(0)));
                let count = |seen: &mut Rc<Cell<usize>>, batch: &Batch| -> Outcome<()> {
                    seen.set(seen.get() + batch.records().len());
                    Ok(())
                };
                let parts = open().gather(start, count, |seen| Ok(seen.get()));
                let parts = parts.expect(what);
                assert_eq!(parts.len(), threads);
                assert_eq!(
                    parts.iter().sum::<usize>(),
                    expected,
                    "{what}, {threads} threads"
                );

                let fails = |_| -> Outcome<()> { Err("no end".into()) };
                let error = open().gather(start, count, fails).expect_err(what);
                assert_eq!(error.to_string(), "no end");
                let fails = |_: &mut _, _: &Batch| -> Outcome<()> { Err("no batch".into()) };
                let error = open().gather(start, fails, |_| Ok(())).expect_err(what);
                assert_eq!(error.to_string(), "no batch");
            }
        }
    });
}

#[test]
fn iterators_that_are_dropped_early() {
    within(60, || {
        let directory = directory();
        for (what, options) in inputs(directory.path()) {
            for threads in THREADS {
                for taken in [0, 1, 3] {
                    for memory in [None, Some(1)] {
                        let reads = check::open(options.clone(), threads, memory).expect(what);
                        let batches = reads.all_workers().into_iter().take(taken);
                        let count = batches.filter(|batch| batch.is_ok()).count();
                        assert_eq!(count, taken, "{what}");
                    }
                }
            }
        }
    });
}

#[test]
fn iterators_beside_the_caller() {
    within(60, || {
        let directory = directory();
        for (what, options) in inputs(directory.path()) {
            for threads in THREADS {
                let open = || check::open(options.clone(), threads, None).expect(what);
                let expected: Vec<usize> = (open().all_workers().into_iter())
                    .map(|batch| batch.expect(what).len())
                    .collect();
                let mut batches = open().all_workers().beside();
                let mut found = Vec::new();
                loop {
                    match batches.next_within(Duration::from_millis(1)) {
                        None => {}
                        Some(None) => break,
                        Some(Some(batch)) => found.push(batch.expect(what).len()),
                    }
                }
                let sum = |lengths: &[usize]| lengths.iter().sum::<usize>();
                assert_eq!(sum(&found), sum(&expected), "{what}, {threads} threads");
                assert!(
                    batches
                        .next_within(Duration::ZERO)
                        .is_some_and(|end| end.is_none())
                );
                for taken in [0, 1, 3] {
                    let mut batches = open().all_workers().beside();
                    assert_eq!(batches.by_ref().take(taken).count(), taken, "{what}");
                    batches.leave();
                }
            }
        }
    });
}

/// Whatever threads make of batches: nothing is lost, doubled or moved, and nothing is given of which there is nothing.
#[test]
fn values_that_threads_make() {
    /// A value of as many batches as `most`, or of all of a claim.
    fn add(made: &mut Option<(usize, Vec<Digest>)>, batch: &Batch, most: usize) -> bool {
        if batch.is_empty() {
            return false;
        }
        let (batches, records) = made.get_or_insert_default();
        *batches += 1;
        records.extend(check::of_batch(batch));
        *batches == most
    }
    within(100, || {
        let directory = directory();
        let mut inputs = inputs(directory.path());
        let shape = Shape {
            records: 40_000,
            ..Shape::default()
        };
        // Each claim has many batches, and a worker several claims at a time.
        let long = write(
            directory.path(),
            "long.gz",
            &compress::gzip(&texts::fastq(2, shape), 1),
        );
        check::index_every(&long, 1_000_000);
        inputs.push(("long claims", check::file(&long)));
        for (what, options) in inputs {
            let open = |threads| {
                let reads = check::open(options.clone(), threads, None).expect(what);
                reads.all_workers()
            };
            let batches = open(1).into_iter();
            let expected: Vec<Digest> = batches
                .flat_map(|batch| check::of_batch(&batch.expect(what)))
                .collect();
            let mut numbers = Vec::new();
            for most in [1, 3, usize::MAX] {
                let mut divisions = Vec::new();
                for (threads, beside) in [(1, false), (1, true), (4, false), (4, true)] {
                    let add = move |made: &mut _, batch| add(made, &batch, most);
                    let mut left = open(threads).made_in_order(beside, add);
                    assert!(left.next().is_some_and(|value| value.is_ok()), "{what}");
                    drop(left);
                    let values = open(threads).made_in_order(beside, add);
                    let values: Vec<_> = values.map(|value| value.expect(what)).collect();
                    let is_full = |(batches, records): &(usize, Vec<Digest>)| {
                        (1..=most).contains(batches) && !records.is_empty()
                    };
                    assert!(values.iter().all(is_full), "{what}, {most}");
                    divisions.push(values.iter().map(|value| value.1.len()).collect::<Vec<_>>());
                    let found: Vec<Digest> = values.into_iter().flat_map(|value| value.1).collect();
                    assert!(found == expected, "{what}, {most}, {threads} threads");
                }
                if what == "long claims" {
                    assert!(divisions.iter().all(|other| *other == divisions[0]));
                }
                numbers.push(divisions[0].len());
            }
            // Of long claims, fewer values are made of more batches; several all the same.
            let is_long = what == "long claims";
            let numbers: [usize; 3] = numbers.try_into().expect("three ways");
            let [each, some, all] = numbers;
            let is_divided = each > some && some > all && all > 1;
            assert!(!is_long || is_divided, "{what}: {numbers:?}");
        }
    });
}

#[test]
fn what_is_cancelled() {
    within(60, || {
        let directory = directory();
        for (what, options) in inputs(directory.path()) {
            for threads in THREADS {
                for memory in [None, Some(1)] {
                    let flag = Arc::new(AtomicBool::new(false));
                    let open = || {
                        flag.store(false, Ordering::Relaxed);
                        let options = options.clone().cancel(&flag);
                        check::open(options, threads, memory).expect(what)
                    };
                    let cancel = || flag.store(true, Ordering::Relaxed);
                    let expect = |outcome: Result<(), Error>, how: &str| {
                        let Err(error) = outcome else {
                            // Others had read all before.
                            assert!(threads > 1, "{what}, {how}");
                            return;
                        };
                        let cancelled = matches!(error.kind(), ErrorKind::Cancelled);
                        assert!(cancelled, "{what}, {how}, {threads} threads: {error}");
                    };
                    let workers = open().all_workers();
                    let fold = workers.fold(|| (), |(), _| cancel(), |(), ()| ());
                    expect(fold, "fold");
                    let workers = open().all_workers();
                    let work = |batch: Batch| Ok::<_, Error>(batch.len());
                    let sink = |_| {
                        cancel();
                        Ok(())
                    };
                    expect(workers.map_in_order(work, sink), "map_in_order");
                    let mut batches = open().all_workers().into_iter();
                    batches.next().expect(what).expect(what);
                    cancel();
                    expect(batches.try_for_each(|batch| batch.map(drop)), "iterator");
                }
            }
        }
    });
}

#[test]
fn a_closure_that_panics() {
    within(60, || {
        let directory = directory();
        for (what, options) in inputs(directory.path()) {
            for threads in THREADS {
                for memory in [None, Some(1)] {
                    let calls = AtomicUsize::new(0);
                    let third = || assert!(calls.fetch_add(1, Ordering::Relaxed) != 2, "my panic");
                    let open = || check::open(options.clone(), threads, memory).expect(what);
                    let expect = |outcome: Result<(), Error>, how: &str| {
                        calls.store(0, Ordering::Relaxed);
                        let error = outcome.expect_err(what);
                        let panicked =
                            matches!(error.kind(), ErrorKind::Panicked(text) if text == "my panic");
                        assert!(panicked, "{what}, {how}, {threads} threads: {error}");
                    };
                    let fold = open()
                        .all_workers()
                        .fold(|| (), |(), _| third(), |(), ()| ());
                    expect(fold, "fold");
                    let each = open().all_workers().for_each(|_| {
                        third();
                        Ok(())
                    });
                    expect(each, "for_each");
                    let work = open().all_workers().map_in_order(
                        |batch| {
                            third();
                            Ok::<_, Error>(batch.len())
                        },
                        |_| Ok(()),
                    );
                    expect(work, "work");
                    let sink = open().all_workers().map_in_order(
                        |batch| Ok::<_, Error>(batch.len()),
                        |_| {
                            third();
                            Ok(())
                        },
                    );
                    expect(sink, "sink");
                }
            }
        }
    });
}

#[derive(Debug, PartialEq)]
enum Mine {
    Full,
    Reader(String),
}

impl From<Error> for Mine {
    fn from(error: Error) -> Self {
        Self::Reader(error.to_string())
    }
}

#[test]
fn work_and_sinks_that_fail() {
    within(60, || {
        let directory = directory();
        for (what, options) in inputs(directory.path()) {
            for threads in THREADS {
                for memory in [None, Some(1)] {
                    for _ in 0..5 {
                        let calls = AtomicUsize::new(0);
                        let third = || match calls.fetch_add(1, Ordering::Relaxed) {
                            2 => Err(Mine::Full),
                            _ => Ok(()),
                        };
                        let open = || check::open(options.clone(), threads, memory).expect(what);
                        let mut written = 0;
                        let sink = open().all_workers().map_in_order(
                            |batch| Ok(batch.len()),
                            |_| {
                                written += 1;
                                third()
                            },
                        );
                        assert_eq!(sink, Err(Mine::Full), "{what}, {threads}, {memory:?}");
                        assert_eq!(written, 3, "{what}: nothing comes after a failure");
                        calls.store(0, Ordering::Relaxed);
                        let work = open().all_workers().map_in_order(|_| third(), |()| Ok(()));
                        assert_eq!(work, Err(Mine::Full), "{what}, {threads}, {memory:?}");
                        calls.store(0, Ordering::Relaxed);
                        let each = open().all_workers().for_each(|_| third());
                        assert_eq!(each, Err(Mine::Full), "{what}, {threads}, {memory:?}");
                    }
                }
            }
        }
    });
}

/// Whatever worker meets the fault, and whoever is stopped by it: the error is
/// the fault's.
#[test]
fn a_fault_in_the_file_is_what_is_reported() {
    within(60, || {
        let directory = directory();
        let shape = Shape {
            records: 15_000,
            ..Shape::default()
        };
        let mut text = texts::fastq(1, shape);
        let starts = texts::fastq_starts(&text);
        text[starts[9000]] = b'x';
        let path = write(directory.path(), "reads", &text);
        let gz = write(directory.path(), "reads.gz", &compress::gzip(&text, 1));
        for options in [check::file(&path).part_size(100_000), check::file(&gz)] {
            for threads in [1, 2, 5] {
                for mode in check::MODES {
                    for _ in 0..10 {
                        let error = check::read(options.clone(), threads, None, mode)
                            .expect_err("a malformed record");
                        assert!(matches!(error.kind(), ErrorKind::Format(_)), "{error}");
                        assert_eq!(error.location().record, Some(9000), "{error}");
                        assert_eq!(error.location().text_offset, Some(starts[9000] as u64));
                    }
                }
            }
        }
    });
}
