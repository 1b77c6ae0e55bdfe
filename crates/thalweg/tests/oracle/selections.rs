//! Parts of a file: ranks, shards, contiguous intervals.

use std::sync::Mutex;

use thalweg::ErrorKind;

use crate::support::check::{self, MODES, Mode, THREADS, expect};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

fn shape(records: usize) -> Shape {
    Shape {
        records,
        ..Shape::default()
    }
}

#[test]
fn ranks() {
    within(90, || {
        let directory = directory();
        let mut random = Random::new(1);
        let text = texts::fastq(1, shape(3000));
        let expected = naive::parse(&text).expect("well-formed");
        for (kind, compress) in compress::all() {
            let bytes = compress(&text);
            let path = write(directory.path(), "reads", &bytes);
            for with_index in [false, true] {
                if with_index && bytes[0] != 0x1f {
                    continue;
                }
                if with_index {
                    check::index_every(&path, *random.pick(&[1, 3000, 100_000]));
                }
                let mut ranges = vec![0..0, 0..1, 0..3000, 2999..3000, 3000..3000, 5..5];
                for _ in 0..6 {
                    let start = random.range(0, 3001);
                    ranges.push(start..random.range(start, 3001));
                }
                for range in ranges {
                    let what = format!("{kind}, index {with_index}, {range:?}");
                    let options = check::file(&path).records(range.start as u64..range.end as u64);
                    let mode = *random.pick(&MODES);
                    let threads = *random.pick(&THREADS);
                    expect(&what, options, threads, None, mode, &expected[range]);
                }
                for range in [0..3001, 2999..5000, 3001..3001, 4000..4001] {
                    let what = format!("{kind}, index {with_index}, {range:?}");
                    let options = check::file(&path).records(range);
                    let error = check::read(options, 2, None, Mode::Iterator).expect_err(&what);
                    let past = matches!(error.kind(), ErrorKind::OutOfRange { records: 3000 });
                    assert!(past, "{what}: {error}");
                }
                #[allow(clippy::reversed_empty_ranges)]
                let options = check::file(&path).records(7..3);
                let error = check::read(options, 1, None, Mode::Iterator);
                assert!(error.is_err(), "{kind}: a range that runs backwards");
            }
            let _ = std::fs::remove_file(thalweg::index_path(&path));
        }
    });
}

#[test]
fn shards_together_are_the_whole() {
    within(90, || {
        let directory = directory();
        let mut random = Random::new(2);
        let text = texts::fastq(2, shape(3000));
        let expected = naive::parse(&text).expect("well-formed");
        for (kind, compress) in &compress::all()[..11] {
            let (kind, bytes) = (*kind, compress(&text));
            let path = write(directory.path(), "reads", &bytes);
            for with_index in [false, true] {
                let inspected = kind == "plain" || kind.starts_with("bgzf");
                if with_index && kind == "plain" || !with_index && !inspected {
                    continue;
                }
                if with_index {
                    check::index_every(&path, *random.pick(&[1, 10_000]));
                }
                for of in [1, 2, 3, 7, 100] {
                    let mut found = Vec::new();
                    let what = format!("{kind}, index {with_index}, {of} shards");
                    let part = random.range(1_000, 100_000) as u64;
                    for number in 0..of {
                        let options = check::file(&path).part_size(part).shard(number, of);
                        let mode = if random.chance(2) {
                            Mode::Iterator
                        } else {
                            Mode::InOrder
                        };
                        let shard = check::read(options, random.range(1, 4), None, mode);
                        found.extend(shard.unwrap_or_else(|error| panic!("{what}: {error}")));
                    }
                    check::compare(&what, &found, &expected);
                }
            }
            let _ = std::fs::remove_file(thalweg::index_path(&path));
        }
    });
}

#[test]
fn contiguous_intervals() {
    within(90, || {
        let directory = directory();
        let text = texts::fastq(3, shape(4000));
        let expected = naive::parse(&text).expect("well-formed");
        let gz = write(directory.path(), "reads.gz", &compress::gzip(&text, 6));
        check::index_every(&gz, 20_000);
        let plain = write(directory.path(), "reads", &text);
        for path in [&gz, &plain] {
            let options = check::file(path)
                .part_size(20_000)
                .contiguous_intervals(true);
            check::expect_all("intervals", &options, &expected);
            for threads in [1, 2, 3, 8, 100] {
                // What each worker gets is one contiguous part, in order.
                let parts = Mutex::new(Vec::new());
                let workers = check::open(options.clone(), threads, None).expect("opens");
                workers
                    .all_workers()
                    .fold(
                        Vec::new,
                        |part: &mut Vec<_>, batch| {
                            part.push((
                                batch.place(),
                                batch
                                    .records()
                                    .map(|record| check::digest_of(&record))
                                    .collect(),
                            ));
                        },
                        |_, part| parts.lock().expect("not poisoned").push(part),
                    )
                    .expect("reads");
                let mut all: Vec<(thalweg::flow::Place, Vec<naive::Digest>)> = Vec::new();
                let mut parts = parts.into_inner().expect("not poisoned");
                parts.retain(|part| !part.is_empty());
                for part in &mut parts {
                    part.sort_by_key(|(place, _)| *place);
                }
                parts.sort_by_key(|part| part[0].0);
                for part in parts {
                    let last = all.last().map(|(place, _)| place.ticket);
                    assert!(
                        last.is_none_or(|last| last < part[0].0.ticket),
                        "contiguous"
                    );
                    all.extend(part);
                }
                let found: Vec<_> = all.into_iter().flat_map(|(_, records)| records).collect();
                check::compare("intervals", &found, &expected);
            }
        }
    });
}
