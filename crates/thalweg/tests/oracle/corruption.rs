//! Damaged files, and indexes that do not belong to what they are used with.

use thalweg::IndexOptions;
use thalweg::index::Index;

use crate::support::check::{self, Mode};
use crate::support::naive::{self, Digest};
use crate::support::random::Random;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

/// The records of `expected`, or an error.
#[track_caller]
fn right_or_error(what: &str, options: &thalweg::ReaderOptions, mode: Mode, expected: &[Digest]) {
    if let Ok(mut found) = check::read(options.clone(), 2, None, mode) {
        let mut expected = expected.to_vec();
        if mode == Mode::Fold {
            found.sort_unstable();
            expected.sort_unstable();
        }
        check::compare(what, &found, &expected);
    }
}

fn small() -> (Vec<u8>, Vec<Digest>) {
    let shape = Shape {
        records: 20,
        longest: 60,
        ..Shape::default()
    };
    let text = texts::fastq(1, shape);
    let expected = naive::parse(&text).expect("well-formed");
    (text, expected)
}

fn kinds(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("gzip", compress::gzip(text, 6)),
        ("flushed", compress::flushed(text, 2, 500)),
        ("members", compress::members(text, 3, 600)),
        ("bgzf", compress::bgzf_random(text, 4, 600, true)),
    ]
}

#[test]
fn every_byte_changed() {
    within(120, || {
        let directory = directory();
        let (text, expected) = small();
        for (kind, bytes) in kinds(&text) {
            let path = write(directory.path(), "reads.gz", &bytes);
            check::index_every(&path, 1);
            for at in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                if at % 5 == 0 {
                    damaged[at] = !damaged[at];
                }
                write(directory.path(), "reads.gz", &damaged);
                let mode = check::MODES[at % 3];
                let what = format!("{kind}, byte {at}");
                right_or_error(&what, &check::unindexed(&path), mode, &expected);
                let parts = check::unindexed(&path).part_size(500);
                right_or_error(&format!("{what}, parts"), &parts, mode, &expected);
                right_or_error(
                    &format!("{what}, index"),
                    &check::indexed(&path),
                    mode,
                    &expected,
                );
            }
            std::fs::remove_file(thalweg::index_path(&path)).expect("an index");
        }
    });
}

/// What is damaged behind the header is told as such, and not as the records that it makes of sound ones.
#[test]
fn no_record_is_blamed_for_a_changed_byte() {
    within(60, || {
        let directory = directory();
        let (text, _) = small();
        for (kind, bytes) in kinds(&text) {
            let path = write(directory.path(), "reads.gz", &bytes);
            for at in 10..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                write(directory.path(), "reads.gz", &damaged);
                for threads in [1, 2] {
                    let options = check::unindexed(&path).part_size(500);
                    let found = check::read(options, threads, None, Mode::Fold);
                    let is_format = matches!(
                        found.as_ref().map_err(thalweg::Error::kind),
                        Err(thalweg::ErrorKind::Format(_))
                    );
                    assert!(!is_format, "{kind}, byte {at}: {found:?}");
                }
            }
        }
    });
}

#[test]
fn cut_off_at_every_byte() {
    within(60, || {
        let directory = directory();
        let (text, expected) = small();
        for (kind, bytes) in kinds(&text) {
            for length in 1..bytes.len() {
                let path = write(directory.path(), "reads.gz", &bytes[..length]);
                let mode = check::MODES[length % 3];
                let what = format!("{kind}, {length} bytes");
                let whole_members = kind == "members" || kind == "bgzf";
                for options in [
                    check::unindexed(&path),
                    check::unindexed(&path).part_size(300),
                ] {
                    let Ok(found) = check::read(options, 2, None, mode) else {
                        continue;
                    };
                    // Between two members nothing tells; the text tells then.
                    assert!(whole_members, "{what}: not noticed");
                    let mut found = found;
                    let mut prefix = expected[..found.len()].to_vec();
                    if mode == Mode::Fold {
                        found.sort_unstable();
                        prefix.sort_unstable();
                    }
                    check::compare(&what, &found, &prefix);
                }
            }
            let path = write(directory.path(), "reads.gz", &bytes);
            check::index_every(&path, 300);
            for length in (0..bytes.len()).step_by(3) {
                write(directory.path(), "reads.gz", &bytes[..length]);
                let options = check::file(&path);
                let found = check::read(options, 2, None, Mode::Fold);
                assert!(
                    found.is_err() || length == 0,
                    "{kind}, {length} bytes, indexed"
                );
            }
            std::fs::remove_file(thalweg::index_path(&path)).expect("an index");
        }
    });
}

/// Same size, same head and tail, other reads in the middle.
#[test]
fn another_file_under_the_same_name() {
    within(60, || {
        let directory = directory();
        let shape = Shape {
            records: 4000,
            ..Shape::default()
        };
        let text = texts::fastq(1, shape);
        let path = write(directory.path(), "reads.gz", &compress::gzip(&text, 0));
        check::index_every(&path, 100_000);
        let starts = texts::fastq_starts(&text);
        let mut other = text.clone();
        // A base of a record in the middle: still well-formed.
        let base = starts[2000]
            + text[starts[2000]..]
                .iter()
                .position(|b| *b == b'\n')
                .expect("a line");
        for at in base.. {
            if text[at] == b'A' {
                other[at] = b'C';
                break;
            }
        }
        write(directory.path(), "reads.gz", &compress::gzip(&other, 0));
        for mode in check::MODES {
            for threads in [1, 3] {
                let error = check::read(check::indexed(&path), threads, None, mode);
                assert!(error.expect_err("another file").is_data());
            }
        }
        // As a mate it must be noticed too, wherever the change is.
        let mate = write(directory.path(), "mate.gz", &compress::gzip(&text, 6));
        check::index_every(&mate, 100_000);
        for _ in 0..3 {
            for mates in [[&mate, &path], [&path, &mate]] {
                let options = thalweg::ReaderOptions::new().mates(mates);
                let found = check::read(options, 2, None, Mode::Fold);
                assert!(found.is_err(), "a mate that was changed");
            }
        }
    });
}

/// A change in any chunk of a mate is noticed, the last ones included.
#[test]
fn every_chunk_of_a_mate_is_verified() {
    within(60, || {
        let directory = directory();
        let shape = Shape {
            records: 200,
            longest: 100,
            ..Shape::default()
        };
        let text = texts::fastq(1, shape);
        let starts = texts::fastq_starts(&text);
        let first = write(directory.path(), "1.gz", &compress::gzip(&text, 6));
        check::index_every(&first, 1 << 20);
        // Stored, so that only the index tells; blocks that end where records end.
        let stored = |text: &[u8]| {
            use std::io::Write;
            let level = flate2::Compression::new(0);
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            for bounds in starts.windows(2) {
                encoder
                    .write_all(&text[bounds[0]..bounds[1]])
                    .expect("memory");
                encoder.flush().expect("memory");
            }
            encoder.finish().expect("memory")
        };
        let second = write(directory.path(), "2.gz", &stored(&text));
        for span in [1, 2000] {
            check::index_every(&second, span);
            for record in (0..200).step_by(3).chain([197, 198, 199]) {
                let mut other = text.clone();
                let end = starts[record + 1] - 2;
                other[end] = if text[end] == b'I' { b'F' } else { b'I' };
                if text[end] == b'\n' {
                    continue;
                }
                write(directory.path(), "2.gz", &stored(&other));
                for threads in [1, 2] {
                    let options = thalweg::ReaderOptions::new().mates([&first, &second]);
                    let found = check::read(options, threads, None, Mode::Fold);
                    assert!(
                        found.is_err(),
                        "record {record}, span {span}, {threads} threads"
                    );
                }
            }
            write(directory.path(), "2.gz", &stored(&text));
        }
    });
}

#[test]
fn indexes_with_one_thing_wrong() {
    within(120, || {
        let directory = directory();
        let mut random = Random::new(9);
        let shape = Shape {
            records: 500,
            longest: 150,
            ..Shape::default()
        };
        let text = texts::fastq(1, shape);
        let expected = naive::parse(&text).expect("well-formed");
        for (kind, bytes) in kinds(&text) {
            let path = write(directory.path(), "reads.gz", &bytes);
            let destination = thalweg::index_path(&path);
            let good = [1, 4000, 20_000].map(|span| {
                check::index_every(&path, span);
                std::fs::read(&destination).expect("an index")
            });
            for round in 0..64 {
                let good = random.pick(&good).clone();
                let mut index = Index::from_bytes(good).expect("an index");
                let number = random.range(0, index.checkpoints.len());
                let up = random.chance(2);
                let by = *random.pick(&[1, 1, 2, 8, 100]);
                let change = |value: &mut u64| {
                    *value = match up {
                        true => value.wrapping_add(by),
                        false => value.wrapping_sub(by),
                    };
                };
                let checkpoint = &mut index.checkpoints[number];
                let what = match round % 8 {
                    0 => {
                        change(&mut checkpoint.bit_offset);
                        "bit offset"
                    }
                    1 => {
                        change(&mut checkpoint.output_offset);
                        "output offset"
                    }
                    2 => {
                        change(&mut checkpoint.record_rank);
                        "rank"
                    }
                    3 => {
                        change(&mut checkpoint.record_offset);
                        "record offset"
                    }
                    4 => {
                        checkpoint.crc32 = checkpoint.crc32.map(|crc| crc ^ 1);
                        "CRC32"
                    }
                    5 => {
                        change(&mut index.record_count);
                        "number of records"
                    }
                    6 => {
                        change(&mut index.output_size);
                        "output size"
                    }
                    _ => {
                        // The next record's, as if one were forgotten.
                        let starts = texts::fastq_starts(&text);
                        let rank = checkpoint.record_rank as usize + 1;
                        if rank < starts.len() && number > 0 {
                            checkpoint.record_offset = starts[rank] as u64;
                        }
                        "next record"
                    }
                };
                let what = format!("{kind}, round {round}: {what} of {number}, {up} by {by}");
                if index.write(&destination).is_err() {
                    continue;
                }
                for mode in check::MODES {
                    right_or_error(&what, &check::indexed(&path), mode, &expected);
                }
                let mates = thalweg::ReaderOptions::new().mates([&path, &path]);
                let both = check::zipped(&[expected.clone(), expected.clone()]);
                right_or_error(&format!("{what}, mates"), &mates, Mode::InOrder, &both);
            }
            std::fs::remove_file(thalweg::index_path(&path)).expect("an index");
        }
    });
}

#[test]
fn bytes_behind_the_last_member() {
    within(60, || {
        let directory = directory();
        let (text, expected) = small();
        for (kind, mut bytes) in kinds(&text) {
            bytes.extend_from_slice(&[0; 1000]);
            let path = write(directory.path(), "reads.gz", &bytes);
            check::expect_all(kind, &check::unindexed(&path), &expected);
            check::expect_all(kind, &check::unindexed(&path).part_size(300), &expected);
            check::index_every(&path, 1000);
            check::expect_all(kind, &check::indexed(&path), &expected);
            std::fs::remove_file(thalweg::index_path(&path)).expect("an index");
            for garbage in [
                b"x".as_slice(),
                b"\x1f",
                b"\x1f\x8b",
                b"\0\0x",
                b"@a\nA\n+\nI\n",
            ] {
                let bytes = [&bytes[..bytes.len() - 1000], garbage].concat();
                let path = write(directory.path(), "reads.gz", &bytes);
                for options in [
                    check::unindexed(&path),
                    check::unindexed(&path).part_size(300),
                ] {
                    for mode in check::MODES {
                        let found = check::read(options.clone(), 2, None, mode);
                        assert!(found.is_err(), "{kind}, {garbage:?}");
                    }
                }
                let built = thalweg::build_index(&path, None, &IndexOptions::default(), &|_, _| {});
                assert!(built.is_err(), "{kind}, {garbage:?}");
            }
        }
    });
}
