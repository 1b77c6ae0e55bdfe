//! BAM: its header, records in pieces and from anywhere, and the FASTQ that they become.
//!
//! The first byte of the input says how large the pieces are in which the data come. Asserted is that pieces of any size
//! give the same records and the same fault as the whole; that what a record becomes is FASTQ of as many records; and
//! that of well-formed records the inspection finds no other than those that follow one another.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg_formats::bam::{Bam, BamOptions, BamRecord, TagChoice};
use thalweg_formats::{FileFormat, RawRecords, Records, Rendered, Scanner, Search};

static ALL: Bam = Bam::new(BamOptions {
    hidden: 0,
    with_mate: true,
    tags: TagChoice::All,
    missing_quality: b'B',
    original_qualities: true,
});

fuzz_target!(|input: &[u8]| {
    let Some((&piece, data)) = input.split_first() else {
        return;
    };
    let format = FileFormat::Binary(&ALL);
    let Ok(start) = format.header().pass(data, true) else {
        return;
    };
    let data = &data[start..];
    let (ends, whole) = scan(format, data, data.len().max(1));
    let (in_pieces, outcome) = scan(format, data, usize::from(piece).max(1));
    assert_eq!(ends, in_pieces);
    assert_eq!(whole, outcome);

    let raw = RawRecords::new(data, &ends);
    let mut rendered = Rendered::default();
    if format.render(data, &ends, &mut rendered).is_ok() {
        let text = Records::new(rendered.text(), 0, format.text_format(), rendered.ends());
        assert_eq!(text.len(), raw.len());
        for (record, bytes) in text.zip(raw) {
            let view = BamRecord::try_new(bytes).expect("what was scanned");
            assert!(record.head().starts_with(view.name()));
            assert_eq!(record.length(), view.bases());
            assert_eq!(record.quality().map(|quality| quality.len()), Some(view.bases()));
        }
        let lines = rendered.text().iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(lines, rendered.ends().len());
    }
    for from in 0..data.len().min(300) {
        let found = format.find_first(data, from, true);
        // Another may seem to start before the next one, but never none where there are more.
        if let (true, Some(next)) = (whole, ends.chunks(2).map(|ends| ends[0] as usize).find(|&next| next >= from)) {
            assert!(matches!(found, Search::Found(found) if found <= next), "{from}: {found:?}, {next}");
        }
    }
});

/// The records, and whether all are whole.
fn scan(format: FileFormat, data: &[u8], piece: usize) -> (Vec<u32>, bool) {
    let mut scanner = Scanner::new(format);
    let (mut ends, mut next, mut shown) = (Vec::new(), 0, 0);
    loop {
        shown = data.len().min(shown + piece);
        let at_end = shown == data.len();
        match scanner.scan(&data[..shown], next, at_end, usize::MAX, &mut ends) {
            Ok(place) => next = place,
            Err(_) => return (ends, false),
        }
        if at_end {
            return (ends, true);
        }
    }
}
