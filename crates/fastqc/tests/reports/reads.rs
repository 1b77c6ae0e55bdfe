//! Records of four lines, and reports on them, made in parts.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use thalweg_fastqc::{Findings, KeptCopies, Ledger, Notes, Report, Samples, Settings, Tally};

pub(crate) struct Record {
    pub(crate) head: Vec<u8>,
    pub(crate) bases: Vec<u8>,
    pub(crate) qualities: Vec<u8>,
}

/// The records of a file that is compressed with gzip.
pub(crate) fn read(path: &Path) -> Vec<Record> {
    let file = std::fs::File::open(path).expect("a file that is there");
    let mut text = Vec::new();
    let mut decoder = flate2::read::MultiGzDecoder::new(file);
    decoder.read_to_end(&mut text).expect("whole gzip");
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let (records, _) = lines.as_chunks::<4>();
    records
        .iter()
        .map(|[head, bases, _, qualities]| Record {
            head: head[1..].to_vec(),
            bases: bases.trim_ascii_end().to_ascii_uppercase(),
            qualities: qualities.trim_ascii_end().to_vec(),
        })
        .collect()
}

/// A report on records that `workers` take in turns, so many at a time, and look at once more in the opposite order.
pub(crate) fn report(
    records: &[Record],
    name: &str,
    settings: Settings,
    batch: usize,
    workers: usize,
) -> Report {
    let settings = Arc::new(settings);
    let mut tallies: Vec<Tally> = (0..workers).map(|_| Tally::new(&settings)).collect();
    let mut samples: Vec<Samples> = (0..workers).map(|_| Samples::new(&settings)).collect();
    let mut ledger = Ledger::new(&settings);
    let mut later = Vec::new();
    for (number, records) in records.chunks(batch).enumerate() {
        let (mut notes, mut kept) = (Notes::new(), KeptCopies::default());
        for Record {
            head,
            bases,
            qualities,
        } in records
        {
            notes.push(&tallies[number % workers].add(bases, qualities));
            kept.push(head, bases, qualities);
        }
        let standing = ledger.enter(&notes, &kept);
        later.push((notes, standing, kept));
    }
    for (number, (notes, standing, kept)) in later.iter().enumerate().rev() {
        samples[number % workers].add(notes, standing, kept);
    }
    tallies.reverse();
    let findings = Findings::new(&settings, tallies, ledger, samples);
    Report::new(&findings, name)
}
