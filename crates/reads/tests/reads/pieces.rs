//! Long sequences of FASTA in pieces.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_flow::Budget;
use thalweg_reads::{
    Checkpoints, Error, Format, IndexOptions, IndexUse, ReaderOptions, Statistics, build_index,
    index_path,
};

use super::support::gzip;

/// What the reader makes batches of.
const SLAB: usize = 256 * 1024;

/// A record: its header and its sequence.
type Plain = (Vec<u8>, Vec<u8>);

/// Lines of `widths` in turn, of letters that differ from place to place.
fn sequence(text: &mut String, length: usize, widths: &[usize], end: &str) -> Vec<u8> {
    let letters: Vec<u8> = (0..length)
        .map(|place| {
            b"ACGTacgtN"[place.wrapping_mul(2_654_435_761) >> 7 & 7 | (place % 97 == 5) as usize]
        })
        .collect();
    let mut rest = &letters[..];
    for &width in widths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (line, later) = rest.split_at(width.min(rest.len()));
        write!(text, "{}{end}", std::str::from_utf8(line).unwrap()).unwrap();
        rest = later;
    }
    letters
}

/// Records around and far beyond the length of a slab, some without any sequence.
fn text(end: &str) -> (String, Vec<Plain>) {
    let (mut text, mut records) = (String::new(), Vec::new());
    let layouts: [(usize, &[usize]); 8] = [
        (5 * SLAB, &[80]),
        (0, &[80]),
        (100, &[60]),
        (3 * SLAB, &[70, 0, 1, 5000]),
        (SLAB - 9, &[61]),
        (2 * SLAB, &[usize::MAX]),
        (4 * SLAB, &[SLAB, 3, 17]),
        (2 * SLAB + 77, &[60]),
    ];
    for (number, (length, widths)) in layouts.into_iter().enumerate() {
        write!(text, ">r{number} what it is{end}").unwrap();
        let letters = sequence(&mut text, length, widths, end);
        records.push((format!("r{number} what it is").into_bytes(), letters));
    }
    (text, records)
}

/// The same text as a plain file, as one member with and without an index.
fn files(directory: &Path, text: &[u8]) -> [PathBuf; 3] {
    let paths = ["a.fa", "a.fa.gz", "b.fa.gz"].map(|name| directory.join(name));
    std::fs::write(&paths[0], text).unwrap();
    for path in &paths[1..] {
        std::fs::write(path, gzip(text)).unwrap();
    }
    let options = IndexOptions {
        checkpoints: Checkpoints::Span(1 << 17),
        ..IndexOptions::default()
    };
    build_index(
        &paths[2],
        Some(&index_path(&paths[2])),
        &options,
        &|_, _| (),
    )
    .unwrap();
    paths
}

fn options(path: &Path) -> ReaderOptions {
    let options = ReaderOptions::new().file(path).part_size(150_000);
    options.index(IndexUse::Auto).check_letters(true)
}

/// All records of `path`, put together again, and the largest batch of one file.
fn read(path: &Path, overlap: usize) -> Result<(Vec<Plain>, usize), Error> {
    let options = options(path).long_sequences_in_pieces(overlap);
    let reader = Arc::new(options.budget(Budget::new(1)).open()?);
    let given = reader.records_given();
    let mut worker = reader.worker(0, None);
    let mut records = Vec::new();
    // Of each ticket, as a worker has several pieces of work at once.
    let mut begun = std::collections::HashMap::new();
    let mut largest = 0;
    let mut place = 0;
    while let Some(batch) = worker.next_batch()? {
        // What is read in order has a ticket for each batch.
        let ticket = match path.ends_with("a.fa.gz") {
            true => 0,
            false => batch.place().ticket,
        };
        let block = &batch.blocks()[0];
        largest = largest.max(block.as_bytes().len());
        let Some(piece) = block.piece() else {
            for record in block.records() {
                place += 1;
                records.push((
                    ticket,
                    place,
                    (record.head().to_vec(), record.sequence().into_owned()),
                ));
            }
            continue;
        };
        assert_eq!(block.len(), 1);
        let record = block.records().next().unwrap();
        let sequence: &mut Vec<u8> = begun.entry(ticket).or_default();
        assert_eq!(piece.is_first(), sequence.is_empty());
        let new = record.sequence().into_owned();
        if !piece.is_first() {
            let common = sequence.len() - piece.letters_before() as usize;
            assert_eq!(common, overlap);
            assert_eq!(sequence[sequence.len() - common..], new[..common]);
            sequence.truncate(piece.letters_before() as usize);
        }
        sequence.extend(new);
        if piece.is_last() {
            place += 1;
            let sequence = begun.remove(&ticket).unwrap();
            records.push((ticket, place, (record.head().to_vec(), sequence)));
        }
    }
    assert!(begun.is_empty());
    assert_eq!(given(), records.len() as u64);
    records.sort_by_key(|(ticket, place, _)| (*ticket, *place));
    let records = records.into_iter().map(|(_, _, record)| record).collect();
    Ok((records, largest))
}

#[test]
fn pieces_make_the_records() {
    let place = tempfile::tempdir().unwrap();
    for (end, last) in [("\n", ""), ("\r\n", "\r\n\r\n")] {
        let (text, records) = text(end);
        for text in [format!("{text}{last}"), text.trim_end().to_owned()] {
            for path in files(place.path(), text.as_bytes()) {
                for overlap in [0, 1, 30, 254] {
                    let (found, largest) = read(&path, overlap).unwrap();
                    assert!(found == records, "{path:?} {overlap}");
                    // The longest line, and what else comes with it.
                    assert!(largest < 4 * SLAB, "{path:?} {overlap}: {largest}");
                }
            }
        }
    }
}

#[test]
fn statistics_of_pieces_are_those_of_records() {
    let place = tempfile::tempdir().unwrap();
    for path in files(place.path(), text("\n").0.as_bytes()) {
        let statistics = |options: ReaderOptions| {
            let reader = Arc::new(options.budget(Budget::new(1)).open().unwrap());
            let mut worker = reader.worker(0, None);
            let mut statistics = Statistics::new(false);
            let mut pieces = 0;
            while let Some(batch) = worker.next_batch().unwrap() {
                let block = &batch.blocks()[0];
                assert_eq!(block.format(), Format::Fasta);
                pieces += usize::from(block.piece().is_some());
                statistics.add_block(block);
            }
            (statistics, pieces)
        };
        let (whole, none) = statistics(options(&path));
        let (in_pieces, some) = statistics(options(&path).long_sequences_in_pieces(0));
        assert_eq!(whole, in_pieces);
        assert!(none == 0 && some > 10, "{none} {some}");
    }
}

/// What is wrong is told as of the whole record, wherever it is.
#[test]
fn faults_are_the_same() {
    let place = tempfile::tempdir().unwrap();
    let (text, _) = text("\n");
    let fault = |options: ReaderOptions| {
        let reader = Arc::new(options.budget(Budget::new(1)).open().unwrap());
        let mut worker = reader.worker(0, None);
        loop {
            match worker.next_batch() {
                Ok(batch) => assert!(batch.is_some(), "the fault was passed over"),
                Err(error) => return (error.to_string(), error.location().clone()),
            }
        }
    };
    // Around the first places at which the first record is cut, and in others.
    let step = SLAB - 32 * 1024;
    let places = (step - 200..step + 200).step_by(67);
    let places = places.chain([1000, 2 * step, 5 * SLAB + 9000, 8 * SLAB + 20_000]);
    for at in places {
        for wrong in [&b" "[..], b"\x80", b"\n@r x\nACGT\n+\nIIII\n"] {
            let mut text = text.clone().into_bytes();
            text.splice(at..at, wrong.iter().copied());
            let [plain, gzip, indexed] = files(place.path(), &text);
            let whole = fault(options(&plain));
            for path in [&plain, &gzip, &indexed] {
                let (message, location) = fault(options(path).long_sequences_in_pieces(30));
                let (same_message, same_location) = fault(options(path));
                assert_eq!(
                    (&message, &location),
                    (&same_message, &same_location),
                    "{at}"
                );
                assert_eq!(location.text_offset, whole.1.text_offset);
                assert_eq!(location.record, whole.1.record);
            }
        }
    }
}
