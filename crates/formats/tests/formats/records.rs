//! Records and boundaries against slow oracles and files known to be bad.

use std::borrow::Cow;

use proptest::prelude::*;
use thalweg_formats::{Boundary, Format, FormatErrorKind, Records, Scanner, find_record, sniff};

use crate::given::{Plain, decompressed, format, layout, records, shared, write};

fn owned(records: Records<'_>) -> Vec<Plain> {
    records
        .map(|record| {
            let quality = record.quality().map(|quality| quality.into_owned());
            assert_eq!(record.length(), record.sequence().len());
            assert_eq!(record.sequence_lines().flatten().count(), record.length());
            (
                record.head().to_vec(),
                record.sequence().into_owned(),
                quality,
            )
        })
        .collect()
}

fn scan(format: Format, data: &[u8]) -> Result<Vec<Plain>, thalweg_formats::FormatError> {
    let mut ends = Vec::new();
    let next = Scanner::new(format).scan(data, 0, true, usize::MAX, &mut ends)?;
    assert_eq!(next, data.len());
    Ok(owned(Records::new(data, 0, format, &ends)))
}

fn without_quality(records: &[Plain], format: Format) -> Vec<Plain> {
    let mut records = records.to_vec();
    if format == Format::Fasta {
        records.iter_mut().for_each(|record| record.2 = None);
    }
    records
}

proptest! {
    // Files of failures beside the source are of no use here: a failing case is printed whole.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_written_is_read(records in records(20), layout in layout()) {
        let (data, starts) = write(&records, &layout);
        let expected = without_quality(&records, layout.format);
        prop_assert_eq!(scan(layout.format, &data).unwrap(), expected);

        let mut ends = Vec::new();
        Scanner::new(layout.format).scan(&data, 0, true, usize::MAX, &mut ends).unwrap();
        let view = Records::new(&data, 0, layout.format, &ends);
        prop_assert_eq!(view.len(), starts.len());
        for (index, record) in view.enumerate() {
            prop_assert_eq!(view.get(index), Some(record));
            prop_assert!(data[starts[index]..].starts_with(record.as_bytes()));
            prop_assert_eq!(view.split_at(index).1.get(0), Some(record));
            let lines: Vec<&[u8]> = record.sequence_lines().collect();
            prop_assert_eq!(record.sequence().into_owned(), lines.concat());
            prop_assert_eq!(record.length(), lines.concat().len());
            let lines: Vec<&[u8]> = record.quality_lines().collect();
            prop_assert_eq!(record.quality().unwrap_or_default().into_owned(), lines.concat());
            if layout.format == Format::Fastq {
                prop_assert!(matches!(record.sequence(), Cow::Borrowed(_)));
            }
        }
        prop_assert_eq!(view.get(starts.len()), None);
        prop_assert_eq!(view.fields().len(), view.len());
        for (record, fields) in view.zip(view.fields()) {
            prop_assert_eq!(fields.head.of(&data), record.head());
            prop_assert_eq!(fields.name.of(&data), record.id());
            prop_assert_eq!(fields.sequence.of(&data), record.raw_sequence());
            let lines: Vec<&[u8]> = record.quality_lines().collect();
            prop_assert_eq!(fields.quality.is_some(), record.has_qualities());
            if record.is_on_one_line() {
                prop_assert_eq!(fields.sequence.of(&data), &record.sequence()[..]);
                let quality = fields.quality.unwrap_or_default();
                prop_assert_eq!(quality.of(&data), lines.concat());
            }
        }
        let mut later = view;
        later.next();
        let others: Vec<_> = view.fields().skip(1).collect();
        prop_assert_eq!(later.fields().collect::<Vec<_>>(), others);
        prop_assert!(data.starts_with(view.as_bytes()));
    }

    /// However the data arrive and whatever the limit is, the positions are the same.
    #[test]
    fn pieces_give_the_same(
        records in records(20),
        layout in layout(),
        steps in prop::collection::vec((1usize..300, 0usize..5), 1..40),
    ) {
        let (data, _) = write(&records, &layout);
        let mut expected = Vec::new();
        Scanner::new(layout.format).scan(&data, 0, true, usize::MAX, &mut expected).unwrap();

        let mut scanner = Scanner::new(layout.format);
        let mut ends = Vec::new();
        let (mut length, mut next) = (0usize, 0);
        for (more, limit) in steps.into_iter().chain([(usize::MAX, usize::MAX)]) {
            length = data.len().min(length.saturating_add(more));
            let at_end = length == data.len();
            let before = ends.len();
            next = scanner.scan(&data[..length], next, at_end, limit, &mut ends).unwrap();
            let most = limit.saturating_mul(layout.format.ends_per_record());
            prop_assert!(ends.len() - before <= most);
        }
        prop_assert_eq!(next, data.len());
        prop_assert_eq!(ends, expected);
    }

    /// From wherever the search starts, it ends at the next record, or asks for more.
    #[test]
    fn boundaries_are_record_starts(
        records in records(12),
        layout in layout(),
        from in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
    ) {
        prop_assume!(layout.format != Format::FastqMultiline);
        let (data, starts) = write(&records, &layout);
        let from = from.index(data.len() + 1);
        let next = starts.iter().copied().find(|&start| start >= from);
        let expected = next.map_or(Boundary::NoneLeft, Boundary::Found);
        prop_assert_eq!(find_record(layout.format, &data, from, true), expected);

        let cut = from + cut.index(data.len() - from + 1);
        match find_record(layout.format, &data[..cut], from, false) {
            Boundary::NeedMore => {}
            found => prop_assert_eq!(found, expected),
        }
    }

    /// Garbage gives records or an error, never a panic, and the same in pieces.
    #[test]
    fn garbage_is_survived(
        format in format(),
        lines in prop::collection::vec(
            prop::sample::select(vec!["@", "@a", "+", "+a", ">", ">b", "", "A", "AC", "\r", "ACGT", "II", "@II", "+I", "\r\r"]),
            0..30,
        ),
        last_newline in any::<bool>(),
        from in any::<prop::sample::Index>(),
    ) {
        let mut data = lines.join("\n").into_bytes();
        if last_newline { data.push(b'\n'); }
        let _ = sniff(&data, true);
        let _ = sniff(&data, false);
        let _ = find_record(format, &data, from.index(data.len() + 1), true);
        let _ = find_record(format, &data, from.index(data.len() + 1), false);
        let mut ends = Vec::new();
        let whole = Scanner::new(format).scan(&data, 0, true, usize::MAX, &mut ends);
        let records = owned(Records::new(&data, 0, format, &ends));
        if let Err(error) = &whole {
            prop_assert_eq!(error.record, records.len());
            prop_assert!(error.offset <= data.len());
        }
        let mut scanner = Scanner::new(format);
        let mut piecewise = Vec::new();
        let mut next = 0;
        let mut failed = false;
        for length in 0..=data.len() {
            match scanner.scan(&data[..length], next, length == data.len(), usize::MAX, &mut piecewise) {
                Ok(position) => next = position,
                Err(_) => { failed = true; break; }
            }
        }
        prop_assert_eq!(failed, whole.is_err());
        prop_assert_eq!(piecewise, ends);
    }
}

#[test]
fn faults_are_named() {
    use FormatErrorKind::*;
    let different = |sequence, quality| LengthsDiffer { sequence, quality };
    let cases: &[(&str, FormatErrorKind, usize, usize)] = &[
        ("@a\nAC\n+\nII\nb\nAC\n+\nII\n", MissingAt, 1, 11),
        ("@a\nAC\n-\nII\n", MissingPlus, 0, 6),
        ("@a\nAC\n+\nI\n", different(2, 1), 0, 8),
        ("@a\r\nAC\r\n+\r\nII\r\r\n", different(2, 3), 0, 11),
        ("@a\nAC\n+\nI", different(2, 1), 0, 8),
        ("@a\nAC\n+\nII\n@b", Truncated, 1, 11),
        ("@a\nAC\n+\nII\n@b\nAC", Truncated, 1, 11),
        ("@a\nAC\n+\nII\n@b\nAC\n+", Truncated, 1, 11),
        ("@a\nAC\n+\nII\n@b\nAC\n+\n", Truncated, 1, 11),
        ("@a\nAC\n+\nII\n\n@b\nAC\n+\nII\n", MissingAt, 1, 11),
        ("@a\nAC\n+\nII\n\nx", MissingAt, 1, 11),
        ("@a\nAC\nAC", MissingPlus, 0, 6),
        (
            "@a\n@C\n+\nII\n",
            StrayBase {
                byte: b'@',
                place: 0,
            },
            0,
            3,
        ),
        (
            "@a\nAC\n+\nII\n@b\n+C\n+\nII",
            StrayBase {
                byte: b'+',
                place: 0,
            },
            1,
            14,
        ),
    ];
    for &(text, kind, record, offset) in cases {
        let error = scan(Format::Fastq, text.as_bytes()).unwrap_err();
        assert_eq!(
            (error.kind, error.record, error.offset),
            (kind, record, offset),
            "{text:?}"
        );
    }
    let error = scan(Format::Fasta, b"a\nAC\n").unwrap_err();
    assert_eq!(error.kind, MissingGreater);
    let error = scan(Format::Fastq, b"@a\nAC\n-\x07x\nII\n").unwrap_err();
    let message = "expected a line that starts with '+' after the sequence; found \"-\\x07x\"";
    assert_eq!(error.to_string(), message);
}

#[test]
fn odd_ends_are_fine() {
    let name = |text: &[u8]| (text.to_vec(), Vec::new(), Some(Vec::new()));
    for text in [
        "@a\n\n+\n\n",
        "@a\n\n+\n",
        "@a\n\n+\n\n\n\n",
        "@a\r\n\r\n+\r\n\r\n\r\n",
    ] {
        assert_eq!(
            scan(Format::Fastq, text.as_bytes()).unwrap(),
            [name(b"a")],
            "{text:?}"
        );
    }
    for text in [">", ">\n", ">\n\n\n", ">\r\n\r\n"] {
        let records = scan(Format::Fasta, text.as_bytes()).unwrap();
        assert_eq!(records, [(Vec::new(), Vec::new(), None)], "{text:?}");
    }
    for format in [Format::Fastq, Format::FastqMultiline, Format::Fasta] {
        assert_eq!(scan(format, b"").unwrap(), []);
    }
    let records = scan(Format::Fasta, b">a\nAC\n\nGT\n\n>b").unwrap();
    let expected: [(&[u8], &[u8]); 2] = [(b"a", b"ACGT"), (b"b", b"")];
    assert_eq!(
        records,
        expected.map(|(name, letters)| (name.to_vec(), letters.to_vec(), None))
    );
}

#[test]
fn views_show_what_is_there() {
    let data = b"@read/1 first of two\nACGT\n+\nIIII\n";
    let mut ends = Vec::new();
    Scanner::new(Format::Fastq)
        .scan(data, 0, true, usize::MAX, &mut ends)
        .unwrap();
    let record = Records::new(data, 0, Format::Fastq, &ends).get(0).unwrap();
    assert_eq!(record.id(), b"read/1");
    assert_eq!(record.description(), b"first of two");
    assert_eq!(record.raw_sequence(), b"ACGT");
    assert_eq!(record.quality_lines().collect::<Vec<_>>(), [b"IIII"]);
    assert!(matches!(
        record.sequence(),
        std::borrow::Cow::Borrowed(b"ACGT")
    ));
    assert!(record.has_qualities());
    assert_eq!(record.as_bytes(), data);
}

#[test]
fn specimens_get_their_verdicts() {
    let Some(table) = shared("specimens/STRICT4.tsv") else {
        return;
    };
    let mut judged = 0;
    for line in std::fs::read_to_string(&table).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, container, count, verdict, ..] = fields[..] else {
            panic!("{line}")
        };
        let path = table.with_file_name(name);
        let Some(data) = decompressed(&path, container) else {
            eprintln!("skipped: {name}");
            continue;
        };
        let count: usize = count.parse().unwrap();
        let mut ends = Vec::new();
        let result = Scanner::new(Format::Fastq).scan(&data, 0, true, usize::MAX, &mut ends);
        judged += 1;
        let found = ends.len() / 4;
        match verdict.split_once(": ") {
            None => assert_eq!(
                (result, found),
                (Ok(data.len()), count),
                "{name}: {verdict}"
            ),
            // Which bytes a line may hold is not for the scanner to say.
            Some((_, fault))
                if fault.contains("record") && fault.ends_with("126")
                    || fault.ends_with("letter") =>
            {
                assert!(result.is_err() || found > count, "{name}: {verdict}");
            }
            Some((_, fault)) => {
                let error = result.expect_err(name);
                assert_eq!((error.record, found), (count, count), "{name}: {verdict}");
                use FormatErrorKind::*;
                let agrees = match error.kind {
                    MissingAt => fault.ends_with("does not start with @"),
                    MissingPlus => fault.ends_with("third line does not start with +"),
                    Truncated => fault.ends_with("file ends inside the record"),
                    LengthsDiffer { sequence, quality } => {
                        fault.ends_with(&format!("{sequence} bases, {quality} qualities"))
                    }
                    _ => false,
                };
                assert!(agrees, "{name}: {verdict}: {error}");
            }
        }
    }
    assert!(judged > 100, "{judged}");
}

/// Found by fuzzing: a carriage return in a line that is no header was told, or not, by how much of it had come.
#[test]
fn a_line_that_is_no_header_is_told_as_that_in_pieces_too() {
    let data = b"@r0:0:N1 \r\nAA\r\n+\r\n:N\r\nAA\rIII \r\nAA\r\x07+\r\n";
    for format in [Format::Fastq, Format::FastqMultiline] {
        for piece in 1..=data.len() {
            let (mut scanner, mut ends) = (Scanner::new(format), Vec::new());
            let mut next = 0;
            let mut outcome = Ok(0);
            for end in (piece..data.len()).step_by(piece).chain([data.len()]) {
                outcome =
                    scanner.scan(&data[..end], next, end == data.len(), usize::MAX, &mut ends);
                match &outcome {
                    Ok(reached) => next = *reached,
                    Err(_) => break,
                }
            }
            let kind = outcome.unwrap_err().kind;
            assert_eq!(kind, FormatErrorKind::MissingAt, "{format:?}, {piece}");
        }
    }
}
