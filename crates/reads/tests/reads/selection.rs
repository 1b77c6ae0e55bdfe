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

/// Reads all that a reader gives; how many records, of mates how many pairs.
fn read(options: ReaderOptions) -> Result<usize, Error> {
    let mut worker = Arc::new(options.budget(Budget::new(1)).open()?).worker(0, None);
    let mut count = 0;
    while let Some(batch) = worker.next_batch()? {
        count += batch.len();
    }
    Ok(count)
}

fn fastq(names: impl IntoIterator<Item = usize>) -> String {
    names.into_iter().fold(String::new(), |mut text, name| {
        let _ = writeln!(text, "@r{name}\nACGTACGTAC\n+\nIIIIIIIIII");
        text
    })
}

/// What comes behind the wanted records may be damaged: nobody looks at it, nor when another fault is looked for.
#[test]
fn what_is_behind_the_first_records_is_not_looked_at() {
    let place = tempfile::tempdir().unwrap();
    let [lane, damaged, first, second] =
        ["lane.fq", "damaged.gz", "first.fq", "second.fq"].map(|name| place.path().join(name));
    std::fs::write(&lane, fastq(0..1000)).unwrap();
    let mut bytes = crate::support::gzip(fastq(0..100_000).as_bytes());
    let middle = bytes.len() / 8;
    bytes[middle..middle + 100].fill(0xff);
    std::fs::write(&damaged, bytes).unwrap();
    let lanes = || ReaderOptions::new().file(&lane).file(&damaged);
    assert_eq!(read(lanes().at_most(1000)).unwrap(), 1000);
    assert_eq!(read(lanes().at_most(1)).unwrap(), 1);
    assert!(read(lanes()).is_err());

    let mut other = fastq((0..5).chain([77]).chain(6..20));
    std::fs::write(&second, &other).unwrap();
    other = fastq(0..20).replace("@r12\nACGTACGTAC\n+", "@r12\nACGTACGTAC\n-");
    std::fs::write(&first, &other).unwrap();
    let mates = || ReaderOptions::new().mates([&first, &second]);
    let error = read(mates().at_most(10)).unwrap_err();
    assert!(
        matches!(error.kind(), thalweg_reads::ErrorKind::MatesDisagree { .. }),
        "{error}"
    );
    assert_eq!(error.location().record, Some(5));
}

/// Nothing can begin at it, and nobody would verify the file.
#[test]
fn an_index_without_a_checkpoint_is_none() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.gz");
    std::fs::write(&path, crate::support::gzip(fastq(0..9).as_bytes())).unwrap();
    let index = build_index(&path, None, &IndexOptions::default(), &|_, _| ()).unwrap();
    let mut summary = index.summary();
    (summary.output_size, summary.record_count) = (0, 0);
    let empty = thalweg_gzip::index::IndexBuilder::new()
        .finish(summary)
        .unwrap();
    empty.write(&index_path(&path)).unwrap();
    assert_eq!(read(ReaderOptions::new().file(&path)).unwrap(), 9);
    let error = read(ReaderOptions::new().file(&path).index(IndexUse::Require)).unwrap_err();
    assert!(error.to_string().contains("checkpoint"), "{error}");
}
