//! BGZF files in step and interleaved files, cut into parts by name: against reading in order.

use std::path::{Path, PathBuf};

use thalweg::{Error, ErrorKind, ReaderOptions};

use crate::mates::{expected, interleave, texts_of};
use crate::support::check::{self, MODES, expect_each};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::{compress, directory, texts, within, write};

/// Bytes on disk that are no part's: one part is the whole, which is read in order.
const WHOLE: u64 = 1 << 30;

/// How many parts there are; `None` if all is read in order, where ranks are known.
fn parts(options: &ReaderOptions) -> Option<u64> {
    let workers = check::open(options.clone(), 2, None).expect("files");
    let mut parts = None;
    for batch in workers.all_workers() {
        let batch = batch.expect("well-formed");
        if batch.blocks()[0].first_rank().is_none() {
            parts = parts.max(Some(batch.place().ticket + 1));
        }
    }
    parts
}

/// BGZF with empty blocks everywhere, also several in a row and at the very start.
fn with_empty_blocks(text: &[u8], seed: u64) -> Vec<u8> {
    let empty = compress::bgzf_even(b"");
    let mut random = Random::new(seed);
    let mut bytes = empty.repeat(2);
    for piece in text.chunks(4000) {
        bytes.extend_from_slice(&compress::bgzf(piece, |_| 4000, false));
        bytes.extend_from_slice(&empty.repeat(random.range(0, 4)));
    }
    bytes
}

const BGZF: [compress::Kind; 6] = [
    ("even", compress::bgzf_even),
    ("random", |text| compress::bgzf_random(text, 3, 5000, true)),
    // Most blocks hold no start of a record.
    ("tiny", |text| compress::bgzf_random(text, 4, 40, true)),
    ("no marker", |text| {
        compress::bgzf_random(text, 5, 60_000, false)
    }),
    ("at records", |text| {
        compress::bgzf_at_records(text, &texts::fastq_starts(text))
    }),
    ("empty blocks", |text| with_empty_blocks(text, 6)),
];

fn mates_of(directory: &Path, files: &[Vec<u8>]) -> Vec<PathBuf> {
    let name = |mate| format!("{mate}.fq.gz");
    let files = files.iter().enumerate();
    files
        .map(|(mate, bytes)| write(directory, &name(mate), bytes))
        .collect()
}

#[test]
fn bgzf_mates_in_parts() {
    within(300, || {
        let directory = directory();
        let mut random = Random::new(17);
        let texts = texts_of(3, 900, 90);
        for mates in 2..=3 {
            let expected = expected(&texts[..mates]);
            for (kind, compress) in BGZF {
                let (other_kind, other) = *random.pick(&BGZF);
                let mut files: Vec<_> = texts[1..mates].iter().map(|text| other(text)).collect();
                files.insert(0, compress(&texts[0]));
                let paths = mates_of(directory.path(), &files);
                // A part for each block, where there are not thousands.
                let least = if kind == "tiny" { 500 } else { 1 };
                for part in [least, 900, WHOLE] {
                    let options = ReaderOptions::new().mates(&paths).part_size(part);
                    let what = format!("{kind} and {other_kind}, {mates} files, parts of {part}");
                    expect_each(&what, &options, &expected);
                    let parts = parts(&options);
                    // Large blocks leave few places to cut at.
                    let small = ["random", "tiny", "empty blocks"];
                    if part == 900 && small.contains(&kind) && small.contains(&other_kind) {
                        assert!(parts >= Some(2), "{what}: {parts:?} parts");
                    }
                    if part == WHOLE {
                        assert_eq!(parts, None, "{what}");
                    }
                }
            }
        }
    });
}

/// Records of up to 2 MB, over many blocks.
#[test]
fn bgzf_mates_with_long_records() {
    within(300, || {
        let directory = directory();
        let texts = texts_of(4, 300, 95);
        let texts = [texts[1].clone(), texts[3].clone()];
        for swapped in [false, true] {
            let mut files = texts.each_ref().map(|text| compress::bgzf_even(text));
            let mut texts = texts.clone();
            if swapped {
                files.reverse();
                texts.reverse();
            }
            let paths = mates_of(directory.path(), &files);
            for part in [20_000, 300_000] {
                let options = ReaderOptions::new().mates(&paths).part_size(part);
                let what = format!("giants, {swapped}, parts of {part}");
                expect_each(&what, &options, &expected(&texts));
            }
        }
    });
}

/// One BGZF file is not enough to cut at, nor are names that do not tell records apart.
#[test]
fn what_cannot_be_cut_is_read_in_order() {
    within(300, || {
        let directory = directory();
        let texts = texts_of(2, 900, 97);
        let bgzf = |text: &[u8]| compress::bgzf_random(text, 1, 4000, true);
        for (kind, compress) in compress::all() {
            if kind.starts_with("bgzf") {
                continue;
            }
            for swapped in [false, true] {
                let mut files = [bgzf(&texts[0]), compress(&texts[1])];
                let mut texts = texts.clone();
                if swapped {
                    files.reverse();
                    texts.reverse();
                }
                let options = ReaderOptions::new()
                    .mates(mates_of(directory.path(), &files))
                    .part_size(5000);
                expect_each(kind, &options, &expected(&texts));
                assert_eq!(parts(&options), None, "{kind}, {swapped}");
            }
        }
        let same = |length: usize| {
            let record = |number: usize| {
                let length = number * 7 % length;
                format!("@r\n{}\n+\n{}\n", "A".repeat(length), "I".repeat(length))
            };
            (0..900).map(record).collect::<String>().into_bytes()
        };
        let texts = [same(90), same(50)];
        let options = ReaderOptions::new()
            .mates(mates_of(
                directory.path(),
                &texts.each_ref().map(|text| bgzf(text)),
            ))
            .part_size(3000);
        expect_each("one name", &options, &expected(&texts));
        assert_eq!(parts(&options), None);
        let both = interleave(&texts);
        for (kind, bytes) in [("plain", both.clone()), ("bgzf", bgzf(&both))] {
            let path = write(directory.path(), "both", &bytes);
            let options = check::file(&path).interleaved(true).part_size(3000);
            expect_each(kind, &options, &naive::parse(&both).expect("well-formed"));
            assert_eq!(parts(&options), None, "{kind}");
        }
    });
}

#[test]
fn interleaved_in_parts() {
    within(300, || {
        let directory = directory();
        let text = interleave(&texts_of(2, 500, 100));
        let expected = naive::parse(&text).expect("well-formed");
        let plain: compress::Kind = ("plain", <[u8]>::to_vec);
        for (kind, compress) in BGZF.into_iter().chain([plain]) {
            let path = write(directory.path(), "both", &compress(&text));
            let least = if kind == "tiny" { 500 } else { 1 };
            for part in [least, 9000, WHOLE] {
                let options = check::file(&path).interleaved(true).part_size(part);
                let what = format!("{kind} in parts of {part}");
                expect_each(&what, &options, &expected);
                let parts = parts(&options);
                if part == WHOLE {
                    assert_eq!(parts, None, "{what}");
                } else if !["even", "no marker"].contains(&kind) {
                    assert!(parts > Some(4), "{what}: {parts:?}");
                }
                let workers = check::open(options, 2, None).expect(kind);
                for batch in workers.all_workers() {
                    for (left, right) in batch.expect(kind).pairs() {
                        assert!(left.id().ends_with(b"/1") && right.id().ends_with(b"/2"));
                    }
                }
            }
        }
    });
}

/// The same pair many times over: runs of four and six of one name are cut between pairs.
#[test]
fn interleaved_with_names_that_come_again() {
    within(300, || {
        let directory = directory();
        let mut text = String::new();
        for pair in 0..1000_usize {
            let name = pair - pair % 5 % 3;
            for mate in 0..2 {
                let length = (pair * 13 + mate * 5) % 80;
                let (bases, qualities) = ("C".repeat(length), "@".repeat(length));
                text += &format!("@n{name}\n{bases}\n+\n{qualities}\n");
            }
        }
        let expected = naive::parse(text.as_bytes()).expect("well-formed");
        let bgzf = compress::bgzf_random(text.as_bytes(), 9, 3000, true);
        for (kind, bytes) in [("plain", text.as_bytes()), ("bgzf", &bgzf)] {
            let path = write(directory.path(), "both", bytes);
            for part in [100, 1000] {
                let options = check::file(&path).interleaved(true).part_size(part);
                expect_each(kind, &options, &expected);
                assert!(parts(&options) > Some(10), "{kind}");
            }
        }
    });
}

fn message(error: &Error) -> String {
    format!("{error}, {:?}", error.location())
}

/// The same fault for every size of parts and number of threads as in order. Modes take turns: fault number `at` meets
/// each, and three faults in a row meet each with every size and number.
fn expect_fault(what: &str, at: usize, options: &ReaderOptions, parts: &[u64]) {
    let whole = options.clone().part_size(WHOLE);
    let expected = check::read(whole, 1, None, check::Mode::Iterator).expect_err(what);
    let ways = parts.iter().flat_map(|&part| [(part, 1), (part, 3)]);
    for (way, (part, threads)) in ways.enumerate() {
        let mode = MODES[(at + way) % MODES.len()];
        let what = format!("{what}, {part}, {mode:?}, {threads} threads");
        let options = options.clone().part_size(part);
        let error = match check::read(options, threads, None, mode) {
            Err(error) => error,
            Ok(_) => panic!("{what}: read although {expected}"),
        };
        assert_eq!(message(&error), message(&expected), "{what}");
    }
}

/// Sizes of parts of files that are compressed, or may be.
const PARTS: [u64; 2] = [900, 9000];

/// Texts with a fault, for one that has none.
fn faulty_texts(text: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let starts = texts::fastq_starts(text);
    let half = starts.len() / 2;
    let with = |at: usize, bytes: &[u8]| [&text[..at], bytes, &text[at..]].concat();
    let without = |rank: usize| [&text[..starts[rank]], &text[starts[rank + 1]..]].concat();
    let changed = |at: usize, byte: u8| {
        let mut text = text.to_vec();
        text[at] = byte;
        text
    };
    vec![
        ("first missing", without(0)),
        ("one missing", without(half + 70)),
        ("last missing", without(starts.len() - 2)),
        ("half missing", text[..starts[half]].to_vec()),
        ("cut short", text[..text.len() - 5].to_vec()),
        ("renamed", changed(starts[half + 50] + 3, b'#')),
        ("malformed", changed(starts[half + 30], b'x')),
        ("blank line", with(starts[half + 20], b"\n")),
        ("blank line, CRLF", with(starts[half + 20], b"\r\n")),
        ("blank lines", with(starts[half + 20], b"\n\n\n")),
    ]
}

/// Files with a fault in what lies around the text.
fn faulty_files(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let marker = &compress::bgzf_even(b"");
    let blocks: Vec<usize> = memchr_all(bytes, &marker[..12]);
    let (middle, later) = (blocks[blocks.len() / 2], blocks[blocks.len() / 2 + 1]);
    let flipped = |at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 0x10;
        bytes
    };
    vec![
        ("cut in a block", bytes[..middle + 100].to_vec()),
        ("cut in a header", bytes[..middle + 7].to_vec()),
        ("cut between blocks", bytes[..middle].to_vec()),
        ("damaged data", flipped(middle.midpoint(later))),
        ("damaged checksum", flipped(later - 6)),
        ("damaged length", flipped(later - 3)),
        ("damaged magic", flipped(middle)),
        ("garbage at the end", [bytes, b"garbage"].concat()),
        (
            "a block missing",
            [&bytes[..middle], &bytes[later..]].concat(),
        ),
        (
            "a block twice",
            [&bytes[..later], &bytes[middle..]].concat(),
        ),
        (
            "garbage between blocks",
            [&bytes[..middle], b"garbage", &bytes[middle..]].concat(),
        ),
        (
            "zeros between blocks",
            [&bytes[..middle], &[0; 5], &bytes[middle..]].concat(),
        ),
    ]
}

fn memchr_all(bytes: &[u8], needle: &[u8]) -> Vec<usize> {
    let windows = bytes.windows(needle.len()).enumerate();
    windows
        .filter(|(_, window)| *window == needle)
        .map(|(at, _)| at)
        .collect()
}

fn pack(text: &[u8]) -> Vec<u8> {
    compress::bgzf_random(text, 8, 3000, true)
}

#[test]
fn faults_of_bgzf_mates() {
    within(300, || {
        let directory = directory();
        let texts = texts_of(2, 700, 110);
        let good: Vec<Vec<u8>> = texts.iter().map(|text| pack(text)).collect();
        for mate in 0..2 {
            let texts = faulty_texts(&texts[mate]).into_iter();
            let packed = texts.map(|(what, text)| (what, pack(&text)));
            let faults = packed.chain(faulty_files(&good[mate]));
            for (at, (what, bytes)) in faults.enumerate() {
                let mut files = good.clone();
                files[mate] = bytes;
                let options = ReaderOptions::new().mates(mates_of(directory.path(), &files));
                expect_fault(&format!("{what} of {mate}"), at + mate, &options, &PARTS);
            }
        }
    });
}

/// Of all kinds. A blank line where a cut would be is no end of a file.
#[test]
fn faults_of_plain_mates() {
    within(300, || {
        let directory = directory();
        // The longer file takes more than one slab of 256 KiB.
        let texts = texts_of(2, 2000, 120);
        for mate in 0..2 {
            for (at, (what, text)) in faulty_texts(&texts[mate]).into_iter().enumerate() {
                let mut files = texts.clone();
                files[mate] = text;
                let options = ReaderOptions::new().mates(mates_of(directory.path(), &files));
                let what = format!("{what} of {mate}");
                expect_fault(&what, at + mate, &options, &[1, 900, 9000]);
            }
        }
    });
}

#[test]
fn faults_of_interleaved_files() {
    within(300, || {
        let directory = directory();
        let text = interleave(&texts_of(2, 500, 130));
        let packed = pack(&text);
        let texts = faulty_texts(&text);
        let files = texts
            .iter()
            .map(|(what, text)| (*what, pack(text)))
            .chain(texts.iter().cloned())
            .chain(faulty_files(&packed));
        for (at, (what, bytes)) in files.enumerate() {
            // Half of an even number is whole.
            if what == "half missing" {
                continue;
            }
            let path = write(directory.path(), "both", &bytes);
            let options = check::file(&path).interleaved(true);
            expect_fault(what, at, &options, &PARTS);
        }
    });
}

/// Without comparing names nothing may be cut by them.
#[test]
fn names_that_are_not_compared() {
    within(300, || {
        let directory = directory();
        let texts = texts_of(2, 2000, 140);
        let files = texts.iter().map(|text| pack(text)).collect::<Vec<_>>();
        let options = ReaderOptions::new()
            .mates(mates_of(directory.path(), &files))
            .check_names(false)
            .part_size(2000);
        expect_each("mates", &options, &expected(&texts));
        assert_eq!(parts(&options), None);
        let options = options.check_names(true);
        assert!(parts(&options) > Some(5));
        let missing = &texts[1][..texts::fastq_starts(&texts[1])[1999]];
        let files = [files[0].clone(), pack(missing)];
        let options = options.mates(mates_of(directory.path(), &files));
        let error = check::read(options, 2, None, check::Mode::Fold).expect_err("unequal");
        assert!(matches!(error.kind(), ErrorKind::UnequalFiles { .. }));
    });
}

/// Where the mates of one place were trimmed short, a name of it that comes again stands where they should be.
#[test]
fn a_cut_at_the_wrong_one_of_two_names_is_told_as_such() {
    const PART: u64 = 200_000;
    let file = |first: usize, again: usize, lengths: [usize; 2]| {
        let mut text = String::new();
        for number in 0..3000 {
            let bases = "A".repeat(lengths[usize::from(number > first)]);
            // The names around the first cut come once more at `again`.
            let name = match number.checked_sub(again) {
                Some(later @ 0..3) => first - 1 + later,
                _ => number,
            };
            text += &format!("@r{name:04}\n{bases}\n+\n{bases}\n");
        }
        text
    };
    let record = "@r1000\n".len() + 2 * 101 + 2;
    let first = (PART as usize).div_ceil(record);
    // The second file's record at the same share of its bytes.
    let second = file(first, usize::MAX, [1, 400]);
    let place = second.len() / 3000 * first;
    let again = second[..place].matches('@').count();
    assert!(again > first + 300);
    let directory = directory();
    let paths = [[100; 2], [1, 400]].map(|lengths| {
        let text = file(first, again, lengths);
        write(
            directory.path(),
            &format!("{}.fq", lengths[0]),
            text.as_bytes(),
        )
    });
    let options = ReaderOptions::new().mates(&paths);
    for threads in [1, 3] {
        let read = |part| {
            let reads = check::open(options.clone().part_size(part), threads, None);
            let workers = reads.expect("files").all_workers();
            workers.into_iter().try_for_each(|batch| batch.map(drop))
        };
        read(WHOLE).expect("there is no fault");
        let error = read(PART).expect_err("a wrong cut");
        assert!(matches!(error.kind(), ErrorKind::NameComesAgain), "{error}");
    }
}
