//! Boundaries found by inspection: parts of all sizes, well-formed and not.

use proptest::prelude::*;

use crate::support::check::{self, MODES, Mode};
use crate::support::naive::{self, Digest};
use crate::support::random::Random;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

/// Read in parts of `part` bytes.
fn read(path: &std::path::Path, part: u64, mode: Mode) -> Result<Vec<Digest>, thalweg::Error> {
    check::read(check::unindexed(path).part_size(part), 2, None, mode)
}

/// Lines of letters that are hard to tell from headers and separators.
fn record() -> impl Strategy<Value = (String, String, String)> {
    ("[@+>a]{0,4}", 0_usize..12).prop_flat_map(|(head, length)| {
        let sequence = proptest::collection::vec(prop::sample::select(b"ACGTN".to_vec()), length);
        let quality = proptest::collection::vec(prop::sample::select(b"@+I>".to_vec()), length);
        (Just(head), sequence, quality).prop_map(|(head, sequence, quality)| {
            let text = |bytes| String::from_utf8(bytes).expect("ASCII");
            (head, text(sequence), text(quality))
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parts_of_any_size(
        records in proptest::collection::vec(record(), 0..30),
        part in 1_u64..200,
        crlf: bool,
        last_end: bool,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut text: String = records
            .iter()
            .map(|(head, sequence, quality)| {
                format!("@{head}{end}{sequence}{end}+{head}{end}{quality}{end}")
            })
            .collect();
        if !last_end && records.last().is_some_and(|(_, sequence, _)| !sequence.is_empty()) {
            text.truncate(text.len() - end.len());
        }
        let expected = naive::parse(text.as_bytes()).expect("well-formed");
        prop_assert_eq!(expected.len(), records.len());
        let directory = directory();
        let plain = write(directory.path(), "plain", text.as_bytes());
        let bgzf = compress::bgzf_random(text.as_bytes(), part, 40, true);
        let bgzf = write(directory.path(), "bgzf", &bgzf);
        for path in [&plain, &bgzf] {
            for mode in [Mode::InOrder, Mode::Iterator] {
                let found = read(path, part, mode).map_err(|error| error.to_string());
                prop_assert_eq!(found.as_ref(), Ok(&expected));
            }
        }
    }

    /// One byte of a text is another: the records that a sequential reader
    /// finds, or an error where it has none.
    #[test]
    fn a_fault_is_never_passed_over(
        records in proptest::collection::vec(record(), 1..12),
        part in 1_u64..80,
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(b"@+\nA\r".to_vec()),
        what in 0..3,
    ) {
        let text: String = records
            .iter()
            .map(|(head, sequence, quality)| format!("@{head}\n{sequence}\n+\n{quality}\n"))
            .collect();
        let mut text = text.into_bytes();
        let at = at.index(text.len());
        match what {
            0 => text[at] = byte,
            1 => text.insert(at, byte),
            _ => { text.remove(at); }
        }
        let directory = directory();
        let plain = write(directory.path(), "plain", &text);
        // One part is the sequential reader, as the others tests show.
        let whole = read(&plain, 1 << 20, Mode::InOrder);
        let parts = read(&plain, part, Mode::InOrder);
        match (whole, parts) {
            (Ok(whole), Ok(parts)) => {
                prop_assert_eq!(&whole, &parts);
                let oracles = [naive::parse(&text), naive::parse_multiline(&text)];
                let agrees = oracles.contains(&Some(whole));
                prop_assert!(agrees, "{:?}: {:?}", String::from_utf8_lossy(&text), oracles.map(|records| records.map(|all| all.len())));
            }
            (Err(whole), Err(parts)) => prop_assert_eq!(whole.to_string(), parts.to_string()),
            (whole, parts) => prop_assert!(false, "{:?} {:?} {:?}", String::from_utf8_lossy(&text), whole.map(|all| all.len()), parts.map(|all| all.len())),
        }
        if naive::parse(&text).is_none() && naive::parse_multiline(&text).is_none() {
            prop_assert!(read(&plain, part, Mode::Fold).is_err());
        }
    }
}

/// A text with a fault in it may be another one of wrapped lines, with a blank line behind it.
#[test]
fn a_fault_that_makes_lines_wrapped() {
    let text = b"@\nAAAAAA\n+@@@@@@\n@a@@@\n\n+\n\n";
    let expected = [naive::digest(b"", b"AAAAAA", Some(b"@a@@@+"))];
    assert!(naive::parse(text).is_none());
    assert_eq!(naive::parse_multiline(text).as_deref(), Some(&expected[..]));
    let directory = directory();
    let plain = write(directory.path(), "plain", text);
    for mode in MODES {
        assert_eq!(read(&plain, 29, mode).ok().as_deref(), Some(&expected[..]));
    }
}

/// With a sequence that begins like a header or a separator, the quality line before could be taken for a header, and the
/// records behind it for others: it is a fault wherever parts begin.
#[test]
fn a_sequence_that_looks_like_another_line() {
    let directory = directory();
    for start in ["+", "@"] {
        let text = format!(
            "@a\nACGTACGTAC\n+\n@@+@@>++++\n@\n{start}CNGNCNATT\n+\nI>+II+@>+I\n@b\nAC\n+\nII\n"
        );
        let plain = write(directory.path(), "plain", text.as_bytes());
        for part in 1..100 {
            let error = read(&plain, part, Mode::InOrder).expect_err("a fault");
            let error = error.to_string();
            assert!(
                error.contains("the sequence has a byte that is not a letter"),
                "{part}: {error}"
            );
        }
    }
}

/// A malformed record anywhere, and so at the start of a part of many a size.
#[test]
fn a_malformed_record_is_an_error_wherever_it_is() {
    within(100, || {
        let directory = directory();
        let mut random = Random::new(3);
        let shape = Shape {
            records: 12,
            longest: 30,
            ..Shape::default()
        };
        for seed in 0..12 {
            let text = texts::fastq(seed, shape);
            let starts = texts::fastq_starts(&text);
            for number in 0..shape.records {
                let record = &text[starts[number]..starts[number + 1]];
                let lines: Vec<&[u8]> = record.split_inclusive(|byte| *byte == b'\n').collect();
                let bad: [Vec<u8>; 4] = [
                    // A quality too few or too many, no plus, no at.
                    [lines[0], lines[1], lines[2], b"I", lines[3]].concat(),
                    [lines[0], b"A", lines[1], lines[2], lines[3]].concat(),
                    [lines[0], lines[1], b"-", lines[2], lines[3]].concat(),
                    [b"x", lines[0], lines[1], lines[2], lines[3]].concat(),
                ];
                for bad in bad {
                    let (before, after) = (&text[..starts[number]], &text[starts[number + 1]..]);
                    let text = [before, &bad, after].concat();
                    let part = random.range(1, 150) as u64;
                    let plain = write(directory.path(), "plain", &text);
                    let bgzf = compress::bgzf_random(&text, part, 100, true);
                    let bgzf = write(directory.path(), "bgzf", &bgzf);
                    for path in [&plain, &bgzf] {
                        let mode = *random.pick(&MODES);
                        let found = read(path, part, mode);
                        assert!(
                            found.is_err(),
                            "record {number}, parts of {part}, {mode:?}: {}",
                            String::from_utf8_lossy(&text)
                        );
                    }
                }
            }
        }
    });
}

/// The data end inside a record, at every byte.
#[test]
fn a_text_that_is_cut_off() {
    within(60, || {
        let directory = directory();
        let shape = Shape {
            records: 6,
            longest: 20,
            ..Shape::default()
        };
        let text = texts::fastq(5, shape);
        for length in 0..text.len() {
            let cut = &text[..length];
            let plain = write(directory.path(), "plain", cut);
            let expected = naive::parse(cut);
            for part in [7, 40, 150, 10_000] {
                match (read(&plain, part, Mode::InOrder), &expected) {
                    (Ok(found), Some(expected)) => assert_eq!(&found, expected, "{length}, {part}"),
                    (Err(_), None) => {}
                    (found, _) => panic!("{length}, {part}: {:?}", found.map(|all| all.len())),
                }
            }
        }
    });
}

/// A carriage return alone in a header is told or not, wherever reading begins.
#[test]
fn returns_in_headers_are_the_same_in_all_parts() {
    let directory = directory();
    let read = |text: &[u8], part| {
        let plain = write(directory.path(), "plain", text);
        read(&plain, part, Mode::InOrder).map_err(|error| error.to_string())
    };
    let short = b"@long\nA\n+\n@\n@>\ra\nAAGG\n+\nI>>I\n@b\nN\n+\n>\n";
    let hidden = [
        b"@h\r",
        &b"ACGTTGCA".repeat(6)[..],
        b"\r+\r",
        &b"IIIIIIII".repeat(6),
    ]
    .concat();
    let long = [&short[..], &hidden, b"\nACGT\n+\nIIII\n@c\nA\n+\nI\n"].concat();
    for part in 1..40 {
        assert_eq!(read(short, part).expect("no fault").len(), 3, "{part}");
        let told = read(&long, part).expect_err("records in a header");
        assert!(told.contains("carriage return"), "{part}: {told}");
    }
}
