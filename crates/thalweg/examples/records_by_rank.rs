//! Some reads from the middle of a gzip file, for which little is decoded: `records_by_rank READS.fastq.gz 1000000 10`.

use std::io::Write;

use thalweg::index::IndexSettings;
use thalweg::{Control, Fault, OwnedRecord, ReaderOptions, Reads};

fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, first, count] = &arguments[..] else {
        return Err(Fault::usage("three arguments", "FILE FIRST COUNT"));
    };
    let number = |text: &str| text.parse().map_err(|_| Fault::usage(text, "a number"));
    let mut output = std::io::stdout().lock();
    for record in records(file, number(first)?, number(count)?)? {
        let written = record.write_to(&mut output);
        written.map_err(|error| Fault::io("standard output".as_ref(), error))?;
    }
    output
        .flush()
        .map_err(|error| Fault::io("standard output".as_ref(), error))
}

/// The records `first` and so on, counted from 0.
pub fn records(file: &str, first: u64, count: u64) -> Result<Vec<OwnedRecord>, Fault> {
    // Made once, beside the file; later it is found.
    if thalweg::find_index(file.as_ref(), None)?.is_none() {
        for (_, made) in IndexSettings::new([file]).run(&Control::default())? {
            made?;
        }
    }
    let options = ReaderOptions::new().file(file);
    let reads = Reads::open(options.records(first..first.saturating_add(count)))?;
    let mut records = Vec::new();
    for batch in reads.all_workers() {
        // What is kept longer than the batch must be its own.
        records.extend(batch?.records().map(OwnedRecord::from));
    }
    Ok(records)
}
