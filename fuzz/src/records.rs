//! Checks that every text format must pass, whatever the bytes are.

use thalweg_reads::{Boundary, Format, FormatError, Records, Scanner, find_record};

/// Bytes above which places are sampled rather than all tried: the checks below are quadratic.
const EXHAUSTIVE: usize = 512;

/// Scans `data` at once and in pieces, and looks at every record.
///
/// Asserts: pieces of any size give the same records and the same error as the whole; records follow one
/// another without gap; what a record shows lies within it; sequence and quality are equally long; and in
/// well-formed data the inspection finds, from every place, the next record and nothing else.
pub fn check(format: Format, data: &[u8], piece: usize) {
    let (ends, whole) = scan_at_once(format, data);
    let (pieces_ends, in_pieces) = scan_in_pieces(format, data, piece.max(1));
    assert_eq!(ends, pieces_ends, "records of the whole and of pieces of {piece} bytes differ");
    assert_eq!(whole.is_ok(), in_pieces.is_ok(), "{whole:?} of the whole, {in_pieces:?} of pieces");
    if let (Err(whole), Err(in_pieces)) = (&whole, &in_pieces) {
        assert_eq!(whole.kind, in_pieces.kind);
    }

    let mut starts = Vec::new();
    let mut place = 0;
    let mut plain = true;
    for record in Records::new(data, 0, format, &ends) {
        let bytes = record.as_bytes();
        assert_eq!(bytes, &data[place..place + bytes.len()], "records follow one another");
        starts.push(place);
        place += bytes.len();
        assert!(record.id().len() <= record.head().len());
        assert!(record.description().len() < record.head().len().max(1));
        let sequence = record.sequence();
        assert_eq!(sequence.len(), record.length());
        assert_eq!(record.has_qualities(), format != Format::Fasta);
        if let Some(quality) = record.quality() {
            assert_eq!(quality.len(), sequence.len());
        }
        plain &= sequence.iter().all(u8::is_ascii_alphabetic);
    }
    if whole.is_ok() && plain && format != Format::FastqMultiline {
        check_inspection(format, data, &starts);
    }
}

fn check_inspection(format: Format, data: &[u8], starts: &[usize]) {
    let step = 1 + data.len() / EXHAUSTIVE;
    for from in (0..=data.len()).step_by(step) {
        let expected = starts[starts.partition_point(|&start| start < from)..].first();
        match find_record(format, data, from, true) {
            Boundary::Found(found) => assert_eq!(Some(&found), expected, "from {from}"),
            Boundary::NoneLeft => assert_eq!(None, expected, "from {from}"),
            Boundary::NeedMore => panic!("there is no more, from {from}"),
        }
    }
}

fn scan_at_once(format: Format, data: &[u8]) -> (Vec<u32>, Result<usize, FormatError>) {
    let mut ends = Vec::new();
    let result = Scanner::new(format).scan(data, 0, true, usize::MAX, &mut ends);
    (ends, result)
}

/// As a reader does whose data grow: at most `piece` bytes and a few records more with each call.
fn scan_in_pieces(format: Format, data: &[u8], piece: usize) -> (Vec<u32>, Result<usize, FormatError>) {
    let mut scanner = Scanner::new(format);
    let mut ends = Vec::new();
    let (mut next, mut shown) = (0, 0);
    loop {
        shown = (shown + piece).min(data.len());
        let at_end = shown == data.len();
        match scanner.scan(&data[..shown], next, at_end, usize::MAX, &mut ends) {
            Ok(place) => next = place,
            Err(error) => return (ends, Err(error)),
        }
        if at_end {
            return (ends, Ok(next));
        }
    }
}
