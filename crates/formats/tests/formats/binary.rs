//! A format that is no text, through all that there is for one.

use thalweg_formats::{
    FileFormat, FormatErrorKind, RawRecords, Records, Rendered, Scanner, Search,
};

use crate::made_up::{MadeUp, View, Written, write};

const MADE_UP: FileFormat = FileFormat::Binary(&MadeUp);

#[test]
fn records_are_rendered_beside_their_bytes() {
    let Written {
        data, text, tags, ..
    } = write(500, 1000, true);
    let mut header = MADE_UP.header();
    let start = header.pass(&data, true).unwrap();
    assert!(header.is_over());
    let mut ends = Vec::new();
    let next = Scanner::new(MADE_UP)
        .scan(&data, start, true, usize::MAX, &mut ends)
        .unwrap();
    assert_eq!(next, data.len());

    let mut rendered = Rendered::default();
    MADE_UP.render(&data, &ends, &mut rendered).unwrap();
    assert_eq!(rendered.text(), text);
    let format = MADE_UP.text_format();
    let records = Records::new(rendered.text(), 0, format, rendered.ends());
    let raw = RawRecords::new(&data, &ends);
    assert_eq!(records.len(), tags.len());
    for ((record, raw), tag) in records.zip(raw).zip(tags) {
        assert_eq!(record.length(), record.quality().unwrap().len());
        assert_eq!(View::new(raw).tag(), tag);
    }
}

#[test]
fn a_header_may_come_in_any_pieces() {
    for length in [0, 1, 7, 300] {
        let Written { data, starts, .. } = write(3, length, false);
        for piece in 1..40 {
            let mut header = MADE_UP.header();
            // What is there, from `begin` to `end`.
            let (mut begin, mut end) = (0, 0);
            while !header.is_over() {
                end = data.len().min(end + piece);
                begin += header.pass(&data[begin..end], end == data.len()).unwrap();
            }
            assert_eq!(begin, starts[0], "{length} in pieces of {piece}");
        }
        for end in 0..starts[0] {
            let error = MADE_UP.header().pass(&data[..end], true).unwrap_err();
            assert_eq!(error.kind, FormatErrorKind::Truncated);
        }
    }
}

#[test]
fn pieces_give_the_same_records() {
    let Written { data, starts, .. } = write(60, 0, true);
    let data = &data[starts[0]..];
    let mut expected = Vec::new();
    Scanner::new(MADE_UP)
        .scan(data, 0, true, usize::MAX, &mut expected)
        .unwrap();
    for (piece, limit) in [(1, usize::MAX), (17, 1), (100, 2), (5000, 3)] {
        let mut scanner = Scanner::new(MADE_UP);
        let (mut ends, mut next, mut length) = (Vec::new(), 0, 0);
        while next < data.len() {
            let before = (next, ends.len());
            let at_end = length == data.len();
            next = scanner
                .scan(&data[..length], next, at_end, limit, &mut ends)
                .unwrap();
            if (next, ends.len()) == before {
                length = data.len().min(length + piece);
            }
        }
        assert_eq!(ends, expected, "pieces of {piece}");
    }
}

#[test]
fn records_are_found_from_anywhere() {
    let Written { data, starts, .. } = write(30, 5000, true);
    for from in 0..=data.len() {
        let next = starts.iter().copied().find(|&start| start >= from);
        let expected = match next {
            Some(start) if start < data.len() => Search::Found(start),
            _ => Search::NoneLeft,
        };
        assert_eq!(MADE_UP.find_first(&data, from, true), expected, "{from}");
        // Of part of the data, nothing that would be found is passed over.
        let cut = data.len().min(from + 300);
        match MADE_UP.find_first(&data[..cut], from, false) {
            Search::NeedMore(first) => assert!(next.is_none_or(|next| first <= next)),
            found => assert_eq!(found, expected),
        }
    }
}

#[test]
fn faults_are_told_with_their_record() {
    let Written { data, starts, .. } = write(20, 0, false);
    let scan = |data: &[u8]| {
        let mut ends = Vec::new();
        let outcome = Scanner::new(MADE_UP).scan(data, starts[0], true, usize::MAX, &mut ends);
        let error = outcome.unwrap_err();
        assert_eq!(error.record, ends.len() / 2);
        (error.kind, error.record, error.offset)
    };
    let mut damaged = data.clone();
    damaged[starts[11]] ^= 1;
    let (kind, record, offset) = scan(&damaged);
    assert!(matches!(kind, FormatErrorKind::Malformed(_)), "{kind}");
    assert_eq!((record, offset), (11, starts[11]));
    let cut_off = scan(&data[..starts[15] - 1]);
    assert_eq!(cut_off, (FormatErrorKind::Truncated, 14, starts[14]));
}
