//! Files in step.

use std::path::PathBuf;

use thalweg::{ErrorKind, ReaderOptions};

use crate::support::check::{self, MODES, THREADS, expect, expect_all, expect_each};
use crate::support::naive::{self, Digest};
use crate::support::random::Random;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

pub(crate) fn texts_of(mates: usize, records: usize, seed: u64) -> Vec<Vec<u8>> {
    (0..mates)
        .map(|mate| {
            let shape = Shape {
                records,
                longest: [28, 150, 10, 400][mate],
                line_end: ["\n", "\n", "\r\n", "\n"][mate],
                giants: (mate == 3).then_some(records / 2),
                ..Shape::default()
            };
            texts::fastq_named(seed + mate as u64, shape, &format!("/{}", mate.min(2) + 1))
        })
        .collect()
}

pub(crate) fn expected(texts: &[Vec<u8>]) -> Vec<Digest> {
    let all: Option<Vec<_>> = texts.iter().map(|text| naive::parse(text)).collect();
    check::zipped(&all.expect("generated texts are well-formed"))
}

#[test]
fn two_to_four_files_of_all_kinds() {
    within(120, || {
        let directory = directory();
        let mut random = Random::new(11);
        for mates in 2..=4 {
            let texts = texts_of(mates, 3000, 20);
            let expected = expected(&texts);
            for round in 0..6 {
                let mut what = format!("{mates} files, round {round}:");
                let paths: Vec<PathBuf> = texts
                    .iter()
                    .enumerate()
                    .map(|(mate, text)| {
                        // Every second round all files can have an index.
                        let (kind, compress) = match round % 2 {
                            0 => *random.pick(&compress::GZIP),
                            _ => *random.pick(&compress::all()),
                        };
                        let bytes = compress(text);
                        let path = write(directory.path(), &format!("{mate}.fq"), &bytes);
                        let _ = std::fs::remove_file(thalweg::index_path(&path));
                        what += &format!(" {kind}");
                        if round % 2 == 0 || (bytes[0] == 0x1f && random.chance(2)) {
                            let most = *random.pick(&[2, 1000, 30_000, 300_000]);
                            let span = random.range(1, most) as u64;
                            check::index_every(&path, span);
                            what += &format!(" (span {span})");
                        }
                        path
                    })
                    .collect();
                let options = ReaderOptions::new().mates(&paths);
                for mode in MODES {
                    let threads = *random.pick(&THREADS);
                    let memory = random.chance(3).then_some(1);
                    expect(&what, options.clone(), threads, memory, mode, &expected);
                }
                if round % 2 == 0 {
                    for _ in 0..3 {
                        let start = random.range(0, 3001);
                        let end = random.range(start, 3001);
                        let options = options.clone().records(start as u64..end as u64);
                        let what = format!("{what}, {start}..{end}");
                        let mode = check::Mode::Iterator;
                        expect(&what, options, 2, None, mode, &expected[start..end]);
                    }
                }
            }
        }
    });
}

#[test]
fn unequal_numbers() {
    within(60, || {
        let directory = directory();
        let texts = texts_of(2, 5000, 30);
        let starts = texts::fastq_starts(&texts[1]);
        for missing in [1, 2, 1000, 4999, 5000] {
            let cut = &texts[1][..starts[5000 - missing]];
            for (indexes, swapped) in [(0, false), (1, true), (2, false), (2, true), (0, true)] {
                let mut paths = [
                    write(directory.path(), "long.gz", &compress::gzip(&texts[0], 6)),
                    write(directory.path(), "short.gz", &compress::gzip(cut, 6)),
                ];
                for path in &paths {
                    let _ = std::fs::remove_file(thalweg::index_path(path));
                }
                for path in &paths[..indexes] {
                    check::index_every(path, 100_000);
                }
                if swapped {
                    paths.reverse();
                }
                for threads in [1, 2, 3] {
                    for mode in MODES {
                        let options = ReaderOptions::new().mates(&paths);
                        let what = format!(
                            "{missing} missing, {indexes} indexes, {swapped}, {threads}, {mode:?}"
                        );
                        let error = check::read(options, threads, None, mode).expect_err(&what);
                        let ErrorKind::UnequalFiles { shorter, .. } = error.kind() else {
                            panic!("{what}: {error}");
                        };
                        assert!(shorter.ends_with("short.gz"), "{what}: {error}");
                        let rank = (5000 - missing) as u64;
                        assert_eq!(error.location().record, Some(rank), "{what}: {error}");
                    }
                }
            }
        }
    });
}

#[test]
fn names_that_disagree() {
    within(60, || {
        let directory = directory();
        let texts = texts_of(2, 5000, 40);
        let starts = texts::fastq_starts(&texts[1]);
        for rank in [0, 1, 777, 4999] {
            let mut other = texts[1].clone();
            other[starts[rank] + 3] = b'#';
            let paths = [
                write(directory.path(), "1.gz", &compress::gzip(&texts[0], 6)),
                write(directory.path(), "2.gz", &compress::gzip(&other, 6)),
            ];
            for indexes in 0..3 {
                for path in &paths[..indexes] {
                    check::index_every(path, 100_000);
                }
                for mode in MODES {
                    for threads in [1, 3] {
                        let options = ReaderOptions::new().mates(&paths);
                        let what = format!("rank {rank}, {indexes} indexes, {mode:?}");
                        let error =
                            check::read(options.clone(), threads, None, mode).expect_err(&what);
                        let disagree = matches!(error.kind(), ErrorKind::MatesDisagree { .. });
                        assert!(disagree, "{what}: {error}");
                        assert_eq!(error.location().record, Some(rank as u64), "{what}");
                        let options = options.check_names(false);
                        check::read(options, threads, None, mode).expect(&what);
                    }
                }
            }
            for path in &paths {
                let _ = std::fs::remove_file(thalweg::index_path(path));
            }
        }
    });
}

pub(crate) fn interleave(texts: &[Vec<u8>]) -> Vec<u8> {
    let starts = [
        texts::fastq_starts(&texts[0]),
        texts::fastq_starts(&texts[1]),
    ];
    let mut text = Vec::new();
    for record in 0..starts[0].len() - 1 {
        for (text_of, starts) in texts.iter().zip(&starts) {
            text.extend_from_slice(&text_of[starts[record]..starts[record + 1]]);
        }
    }
    text
}

#[test]
fn interleaved() {
    within(60, || {
        let directory = directory();
        let text = interleave(&texts_of(2, 3000, 50));
        let expected = naive::parse(&text).expect("well-formed");
        for (kind, compress) in compress::all() {
            let bytes = compress(&text);
            let path = write(directory.path(), "both", &bytes);
            let options = check::file(&path).interleaved(true);
            expect_all(kind, &options, &expected);
            if bytes[0] == 0x1f {
                for span in [1, 4000, 200_000] {
                    check::index_every(&path, span);
                    expect_each(&format!("{kind}, span {span}"), &options, &expected);
                }
                std::fs::remove_file(thalweg::index_path(&path)).expect("an index");
            }
            for batch in check::open(options, 2, None).expect(kind).all_workers() {
                let batch = batch.expect(kind);
                assert_eq!(batch.len() % 2, 0, "{kind}: pairs stay together");
                assert_eq!(batch.pairs().count(), batch.len() / 2);
                for (left, right) in batch.pairs() {
                    assert!(left.id().ends_with(b"/1") && right.id().ends_with(b"/2"));
                }
            }
        }
    });
}

#[test]
fn interleaved_and_odd() {
    within(60, || {
        let directory = directory();
        let text = interleave(&texts_of(2, 3000, 60));
        let starts = texts::fastq_starts(&text);
        let text = &text[..starts[5999]];
        for (kind, bytes) in [
            ("plain", text.to_vec()),
            ("gzip", compress::gzip(text, 6)),
            ("bgzf", compress::bgzf_even(text)),
        ] {
            let path = write(directory.path(), "both", &bytes);
            for with_index in [false, true] {
                if with_index && kind == "plain" {
                    continue;
                }
                if with_index {
                    check::index_every(&path, 50_000);
                }
                for mode in MODES {
                    let options = check::file(&path).interleaved(true);
                    let error = check::read(options, 2, None, mode).expect_err(kind);
                    assert!(
                        matches!(error.kind(), ErrorKind::OddInterleaved),
                        "{kind}: {error}"
                    );
                }
            }
            let _ = std::fs::remove_file(thalweg::index_path(&path));
        }
    });
}

/// Plain files in step, of lengths of their own, are cut at records of the same name.
#[test]
fn plain_mates_in_parts() {
    within(120, || {
        let directory = directory();
        let texts = texts_of(4, 3000, 70);
        for mates in 2..=4 {
            let expected = expected(&texts[..mates]);
            let paths: Vec<PathBuf> = (0..mates)
                .map(|mate| write(directory.path(), &format!("{mate}.fq"), &texts[mate]))
                .collect();
            for part in [1, 700, 30_000, 1 << 20] {
                let options = ReaderOptions::new().mates(&paths).part_size(part);
                let what = format!("{mates} files in parts of {part}");
                match mates {
                    2 => expect_all(&what, &options, &expected),
                    _ => expect_each(&what, &options, &expected),
                }
                let workers = check::open(options, 2, None)
                    .expect("plain files")
                    .all_workers();
                let places = workers
                    .into_iter()
                    .map(|batch| batch.expect("well-formed").place().ticket);
                let parts = places.max().expect("batches") + 1;
                let least = texts[0].len() as u64 / part.max(8000) / 4;
                assert!(parts >= least.max(1), "{parts} parts of {part} bytes");
            }
        }
    });
}

/// Where names do not tell records apart, nothing is cut, and nothing lost.
#[test]
fn plain_mates_with_one_name_for_all() {
    within(60, || {
        let directory = directory();
        let text: Vec<u8> = (0..3000)
            .flat_map(|i| {
                format!(
                    "@r\n{}\n+\n{}\n",
                    "ACGT".repeat(i % 7),
                    "IIII".repeat(i % 7)
                )
                .into_bytes()
            })
            .collect();
        let other = text.clone();
        let expected = expected(&[text.clone(), other.clone()]);
        let paths = [
            write(directory.path(), "1.fq", &text),
            write(directory.path(), "2.fq", &other),
        ];
        for part in [100, 5000] {
            let options = ReaderOptions::new().mates(&paths).part_size(part);
            expect_all("one name", &options, &expected);
        }
    });
}

/// Of mates whose very first names disagree nothing is cut: one thread at a time decodes, all compare names.
/// Every batch has a fault, and the one that is told is the first.
#[test]
fn mates_of_different_samples() {
    within(120, || {
        let directory = directory();
        let sample = |name: &str, length: usize| -> Vec<u8> {
            let record = |i: usize| {
                let (bases, qualities) = ("A".repeat(length), "I".repeat(length));
                format!("@{name}.{i}\n{bases}\n+\n{qualities}\n").into_bytes()
            };
            (0..12_000).flat_map(record).collect()
        };
        let texts = [sample("left", 150), sample("right", 80)];
        // Nearly all of the first batch, of some thousand bytes a file, agrees: the batches behind it
        // are found faulty while it is still compared.
        let agreeing = 500;
        let starts = texts.each_ref().map(|text| texts::fastq_starts(text));
        let mut late = texts[1].clone();
        late.splice(
            ..starts[1][agreeing],
            texts[0][..starts[0][agreeing]].iter().copied(),
        );
        let plain = [
            write(directory.path(), "1.fq", &texts[0]),
            write(directory.path(), "2.fq", &texts[1]),
        ];
        let gzip = [
            write(directory.path(), "1.gz", &compress::gzip(&texts[0], 1)),
            write(directory.path(), "late.gz", &compress::gzip(&late, 1)),
        ];
        let pairs = interleave(&[texts[0].clone(), late]);
        let interleaved = write(directory.path(), "pairs.fq", &pairs);
        let later = agreeing as u64;
        let cases = [
            ("plain", ReaderOptions::new().mates(&plain), 0),
            ("gzip", ReaderOptions::new().mates(&gzip), later),
            (
                "interleaved",
                check::file(&interleaved).interleaved(true),
                2 * later,
            ),
        ];
        for (what, options, first) in cases {
            for mode in MODES {
                for threads in [2, 4, 8] {
                    for repetition in 0..12 {
                        let error = check::read(options.clone(), threads, None, mode)
                            .expect_err("names disagree");
                        let what = format!("{what}, {mode:?}, {threads} threads, {repetition}");
                        let disagree = matches!(error.kind(), ErrorKind::MatesDisagree { .. });
                        assert!(disagree, "{what}: {error}");
                        assert_eq!(error.location().record, Some(first), "{what}");
                    }
                }
            }
        }
    });
}
