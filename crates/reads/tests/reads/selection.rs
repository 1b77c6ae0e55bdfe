//! Part of the records of indexed files.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use thalweg_flow::Budget;
use thalweg_reads::{
    Checkpoints, Error, IndexOptions, IndexUse, ReaderOptions, build_index, index_path,
};

/// Write a file of stored blocks, in which a byte can be changed and nothing but checksums tells, and its index.
fn write(path: &Path, text: &str) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(text.as_bytes()).unwrap();
    std::fs::write(path, encoder.finish().unwrap()).unwrap();
    let options = IndexOptions {
        checkpoints: Checkpoints::Span(1 << 18),
        ..IndexOptions::default()
    };
    build_index(path, Some(&index_path(path)), &options, &|_, _| ()).unwrap();
}

fn count(mates: [&Path; 2], ranks: std::ops::Range<u64>) -> Result<usize, Error> {
    let options = ReaderOptions::new().mates(mates).index(IndexUse::Require);
    let reader = options.records(ranks).budget(Budget::new(1)).open()?;
    let mut worker = Arc::new(reader).worker(0, None);
    let mut count = 0;
    while let Some(batch) = worker.next_batch()? {
        count += batch.len();
    }
    Ok(count)
}

/// Where a selection ends in the middle of a chunk of one mate, nobody reads on: that chunk is verified all the same.
#[test]
fn what_is_selected_is_verified() {
    let place = tempfile::tempdir().unwrap();
    let [short, long] = ["short.gz", "long.gz"].map(|name| place.path().join(name));
    let (mut texts, lengths) = ([String::new(), String::new()], [30, 110]);
    let records = 20_000;
    for (text, length) in texts.iter_mut().zip(lengths) {
        for number in 0..records {
            let (bases, qualities) = ("A".repeat(length), "I".repeat(length));
            writeln!(text, "@r{number:06}\n{bases}\n+\n{qualities}").unwrap();
        }
    }
    write(&short, &texts[0]);
    write(&long, &texts[1]);
    for (damaged, other) in [(&short, &long), (&long, &short)] {
        let sound = std::fs::read(damaged).unwrap();
        let middle = sound.len() / 2;
        let first = |bytes: &[u8]| bytes.iter().position(|byte| *byte == b'A').unwrap();
        let mut bytes = sound.clone();
        bytes[middle + first(&sound[middle..])] = b'C';
        std::fs::write(damaged, &bytes).unwrap();
        for mates in [[&**damaged, &**other], [&**other, &**damaged]] {
            let half = records / 2;
            // Ends soon behind the damage, much later, and before it, but in its chunk.
            for ranks in [half - 50..half + 50, 0..half + 3000, half - 60..half - 30] {
                let error = count(mates, ranks.clone()).expect_err("damage is noticed");
                assert!(error.to_string().contains("CRC32"), "{ranks:?}: {error}");
            }
            assert_eq!(count(mates, 0..1000).unwrap(), 1000);
        }
        std::fs::write(damaged, &sound).unwrap();
    }
}
