//! Databases written, read and searched, without any other program.

use std::collections::BTreeMap;

use crate::support::{Content, content, letters, write};
use proptest::prelude::*;
use thalweg_kmers::database::{
    self, Database, DatabaseFormat, DatabaseWriter, Description, Order, SortOptions, thk,
};
use thalweg_kmers::kmer::{Kmer, KmerTask, Wide, dispatch};
use thalweg_kmers::{Error, Result};

/// What is written, and read again.
pub(crate) const WRITTEN: [DatabaseFormat; 6] = [
    DatabaseFormat::Thk,
    DatabaseFormat::Jellyfish,
    DatabaseFormat::JellyfishText,
    DatabaseFormat::Kmc,
    DatabaseFormat::Tsv,
    DatabaseFormat::Fasta,
];

fn read<K: Kmer>(database: &Database) -> Vec<(K, u64)> {
    let records: Result<Vec<_>> = database.records::<K>().unwrap().collect();
    records.unwrap()
}

#[test]
fn every_format_gives_back_what_was_written() {
    struct Task(usize);
    impl KmerTask for Task {
        type Output = ();
        fn run<K: Kmer>(self) {
            let k = self.0;
            for records in [0, 1, 1025, 5000] {
                let content: Content<K> = content(k, true, records, 99);
                for format in WRITTEN {
                    check_format(&content, k, format);
                }
            }
        }
    }
    for k in [
        1, 2, 4, 5, 16, 21, 31, 32, 33, 55, 64, 65, 127, 128, 129, 255,
    ] {
        dispatch(k, Task(k)).unwrap();
    }
}

fn check_format<K: Kmer>(content: &Content<K>, k: usize, format: DatabaseFormat) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("database");
    write(&path, format, content, &Description::new(k, true));
    let files = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(files, if format == DatabaseFormat::Kmc { 2 } else { 1 });

    let text = matches!(format, DatabaseFormat::Tsv | DatabaseFormat::Fasta);
    if text && content.is_empty() {
        assert!(matches!(
            database::open(&path),
            Err(Error::UnknownFormat { .. })
        ));
        return;
    }
    let database = database::open(&path).unwrap();
    let header = database.header();
    assert_eq!((header.format, header.k), (format, k));
    assert_eq!(header.canonical, (!text).then_some(true));
    if !text && format != DatabaseFormat::JellyfishText {
        assert_eq!(header.distinct, Some(content.len() as u64), "{format}");
    }
    assert_eq!(header.order == Order::Sorted, !text);
    let expected: Vec<(K, u64)> = content.clone().into_iter().collect();
    assert!(read::<K>(&database) == expected, "{format}, k = {k}");
    let sorted: Result<Vec<_>> = (database.sorted::<K>(&SortOptions::default()).unwrap()).collect();
    assert!(sorted.unwrap() == expected);
    let totals = database.verify(&SortOptions::default()).unwrap();
    assert_eq!(totals.distinct, content.len() as u64);
    assert_eq!(
        totals.total,
        content.values().map(|&count| u128::from(count)).sum()
    );
    let histogram = database.histogram(&SortOptions::default()).unwrap();
    assert_eq!(histogram.total(), totals.total);
    assert_eq!(histogram.unique(), totals.unique);
    assert_eq!(histogram.max_count(), totals.max_count);

    let mut lookup = database.lookup::<K>().unwrap().with_canonical(true);
    for (i, (&kmer, &count)) in content.iter().enumerate().step_by(content.len() / 100 + 1) {
        let asked = if i % 2 == 0 {
            kmer
        } else {
            kmer.reverse_complement(k)
        };
        assert_eq!(lookup.find(asked).unwrap(), Some(count), "{format}");
        let letters = asked.to_letters(k).to_ascii_lowercase();
        assert_eq!(lookup.find_letters(&letters).unwrap(), Some(count));
    }
    for (kmer, _) in self::content::<K>(k, true, 50, 7777) {
        assert_eq!(
            lookup.find(kmer).unwrap(),
            content.get(&kmer).copied(),
            "{format}"
        );
    }
    assert!(lookup.find_letters(&vec![b'A'; k + 1]).is_err());
    assert!(lookup.find_letters(&vec![b'N'; k]).is_err());
}

#[test]
fn partitions_come_in_any_order_from_several_workers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("partitioned.thk");
    let k = 31;
    let content: Content<u64> = content(k, true, 30_000, 5);
    let partitions = 7u32;
    let partition_of = |kmer: u64| (kmer.mix() % u64::from(partitions)) as u32;
    let mut description = Description::new(k, true);
    description.kept = (2, 1000);
    description
        .provenance
        .insert("command".into(), "x y".into());
    let writer =
        thk::ThkWriter::create(&path, &description, thk::Partitioning::unknown(partitions))
            .unwrap();
    thalweg_flow::run::<(), Error, _>(2, |worker, _| {
        let mut encoder = writer.encoder();
        for partition in (0..partitions).rev().filter(|p| *p as usize % 2 == worker) {
            encoder.begin(partition)?;
            for (&kmer, &count) in content.iter().filter(|r| partition_of(*r.0) == partition) {
                encoder.push(kmer, count)?;
            }
            encoder.end()?;
        }
        Ok(())
    })
    .unwrap();
    let totals = writer.finish().unwrap();
    assert_eq!(totals.distinct, content.len() as u64);

    let database = database::open(&path).unwrap();
    assert_eq!(database.header().order, Order::Partitioned(partitions));
    assert_eq!(database.header().kept, (2, 1000));
    assert_eq!(database.header().provenance, description.provenance);
    assert_eq!(database.stored_totals(), Some(totals));
    assert_eq!(database.verify(&SortOptions::default()).unwrap(), totals);
    let mut in_file_order: Vec<(u64, u64)> = content.clone().into_iter().collect();
    in_file_order.sort_by_key(|record| (partition_of(record.0), record.0));
    assert!(read::<u64>(&database) == in_file_order);
    let sorted: Result<Vec<_>> = (database.sorted(&SortOptions::default()).unwrap()).collect();
    assert!(sorted.unwrap().into_iter().eq(content.clone()));
    let mut lookup = database.lookup::<u64>().unwrap();
    for (&kmer, &count) in content.iter().step_by(97) {
        assert_eq!(lookup.find(kmer).unwrap(), Some(count));
        assert_eq!(
            lookup.find(kmer ^ 1).unwrap(),
            content.get(&(kmer ^ 1)).copied()
        );
    }
}

#[test]
fn a_writer_refuses_what_would_make_a_bad_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    let description = Description::new(5, false);
    for format in [
        DatabaseFormat::Thk,
        DatabaseFormat::Jellyfish,
        DatabaseFormat::Kmc,
    ] {
        let mut writer = DatabaseWriter::<u64>::create(&path, format, &description).unwrap();
        writer.push(5, 1).unwrap();
        for kmer in [5, 4] {
            assert!(matches!(writer.push(kmer, 1), Err(Error::BadOption(_))));
        }
        drop(writer);
    }
    assert!(matches!(
        DatabaseWriter::<u64>::create(&path, DatabaseFormat::Thk, &Description::new(33, false)),
        Err(Error::BadK { k: 33, max: 32 })
    ));
    assert!(matches!(
        DatabaseWriter::<u64>::create(&path, DatabaseFormat::Kmc2, &description),
        Err(Error::BadOption(_))
    ));
    let mut narrow = description.clone();
    narrow.counter_bytes = Some(1);
    for format in [DatabaseFormat::Jellyfish, DatabaseFormat::Kmc] {
        let mut writer = DatabaseWriter::<u64>::create(&path, format, &narrow).unwrap();
        writer.push(1, 255).unwrap();
        let error = writer.push(2, 256).unwrap_err();
        assert!(error.to_string().contains("AAAAG"), "{error}");
    }
    // A number beyond 4^5.
    let mut writer =
        DatabaseWriter::<u64>::create(&path, DatabaseFormat::Thk, &description).unwrap();
    writer.push(1024, 1).unwrap();
    assert!(writer.finish().is_err());

    let writer =
        thk::ThkWriter::<u64>::create(&path, &description, thk::Partitioning::ranges(2)).unwrap();
    let mut encoder = writer.encoder();
    assert!(encoder.push(1, 1).is_ok() && encoder.end().is_err());
    // A partition cannot end without records that it was given: a whole block, or the last ones.
    for numbers in [0..1024u64, 0..3] {
        let path = directory.path().join("lacking");
        let ranges = thk::Partitioning::ranges(1);
        let writer = thk::ThkWriter::<u64>::create(&path, &description, ranges).unwrap();
        let mut encoder = writer.encoder();
        encoder.begin(0).unwrap();
        let records: Vec<_> = numbers.map(|number| (4u64.pow(5) + number, 1)).collect();
        assert!(encoder.extend(&records).is_err() || records.len() == 3);
        assert!(encoder.end().is_err() && encoder.end().is_err());
    }
    // Nor with k-mers out of order, whether they fill a block, wait for others, or begin a block that others fill.
    let swapped = |at: usize| {
        let mut kmers: Vec<u64> = (0..1024).collect();
        kmers.swap(at, at + 1);
        kmers
    };
    for (kmers, more) in [
        (swapped(0), 0),
        (swapped(1022), 0),
        (vec![5, 3], 0),
        (vec![3, 3], 0),
        (vec![5, 3], 1),
        (vec![5, 3], 1022),
        (vec![3, 3], 1023),
    ] {
        let path = directory.path().join("unsorted");
        let ranges = thk::Partitioning::ranges(1);
        let description = Description::new(9, false);
        let writer = thk::ThkWriter::<u64>::create(&path, &description, ranges).unwrap();
        let mut encoder = writer.encoder();
        encoder.begin(0).unwrap();
        let records: Vec<_> = kmers.iter().map(|&kmer| (kmer, 1)).collect();
        let mut results = vec![encoder.extend(&records)];
        results.extend((0..more).map(|number| encoder.push(1 << 12 | number, 1)));
        let is_told = results.iter().any(|result| result.is_err());
        assert_eq!(is_told, kmers.len() == 1024 || more > 1000);
        assert!(encoder.end().is_err() && encoder.end().is_err());
        drop(encoder);
        assert!(writer.finish().is_err());
    }
    let mut encoder = writer.encoder();
    assert!(encoder.begin(2).is_err());
    encoder.begin(0).unwrap();
    assert!(encoder.begin(1).is_err());
    encoder.push(7, 1).unwrap();
    encoder.end().unwrap();
    assert!(encoder.begin(0).is_err());
    encoder.begin(1).unwrap();
    encoder.push(3, 1).unwrap();
    encoder.end().unwrap();
    let error = writer.finish().unwrap_err();
    assert!(error.to_string().contains("overlap"), "{error}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn counts_saturate_only_if_asked_to() {
    let directory = tempfile::tempdir().unwrap();
    let mut description = Description::new(5, false);
    description.counter_bytes = Some(2);
    description.saturate = true;
    for format in [DatabaseFormat::Jellyfish, DatabaseFormat::Kmc] {
        let path = directory.path().join(format.name());
        write(
            &path,
            format,
            &Content::from([(1u64, 70_000), (2, 65_535)]),
            &description,
        );
        let database = database::open(&path).unwrap();
        assert_eq!(read::<u64>(&database), [(1, 65_535), (2, 65_535)]);
    }
}

#[test]
fn dumps_of_other_shapes_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dump");
    for (text, expected) in [
        ("ACG 3\nAAA 1\n", vec![("ACG", 3), ("AAA", 1)]),
        ("acg\t3\r\nAAA\t1", vec![("ACG", 3), ("AAA", 1)]),
        (">3\nACG\n>1\nAAA\n", vec![("ACG", 3), ("AAA", 1)]),
        ("ACG 1\nACG 2\n", vec![("ACG", 1), ("ACG", 2)]),
    ] {
        std::fs::write(&path, text).unwrap();
        let records = read::<u64>(&database::open(&path).unwrap());
        let records: Vec<_> = (records.iter().map(|r| (letters(r.0, 3), r.1))).collect();
        let expected: Vec<_> = (expected.iter().map(|r| (r.0.to_owned(), r.1))).collect();
        assert_eq!(records, expected);
    }
    // Sorting adds up what comes twice.
    let sorted = database::open(&path).unwrap();
    let sorted: Result<Vec<_>> = (sorted.sorted::<u64>(&SortOptions::default()).unwrap()).collect();
    assert_eq!(sorted.unwrap(), [(0b000110, 3)]);
    // So do totals and spectra, wherever it comes again.
    for text in [
        "ACG 1\nACG 2\nTTT 1\n",
        "ACG 1\nTTT 1\nACG 2\n",
        "TTT 1\nACG 3\n",
        "ACG 3\nTTT 1\n",
        ">1\nACG\n>1\nTTT\n>2\nACG\n",
    ] {
        std::fs::write(&path, text).unwrap();
        let database = database::open(&path).unwrap();
        let totals = database.verify(&SortOptions::default()).unwrap();
        assert_eq!((totals.distinct, totals.total), (2, 4), "{text:?}");
        assert_eq!((totals.unique, totals.max_count), (1, 3), "{text:?}");
        let histogram = database.histogram(&SortOptions::default()).unwrap();
        assert_eq!((histogram.distinct(), histogram.unique()), (2, 1));
        assert_eq!((histogram.total(), histogram.max_count()), (4, 3));
    }
    std::fs::write(&path, format!("ACG {}\nACG 1\n", u64::MAX)).unwrap();
    let (database, options) = (database::open(&path).unwrap(), SortOptions::default());
    let faults = [
        database.histogram(&options).err(),
        database.verify(&options).err(),
    ];
    for fault in faults {
        assert!(matches!(fault, Some(Error::Damaged { path: of, .. }) if of == path));
    }
    for (text, line) in [
        ("ACG 3\nACGT 1\n", "line 2"),
        ("ACG 3\nACN 1\n", "line 2"),
        ("ACG 3\n\n", "line 2"),
        ("ACG 3\nACT -1\n", "line 2"),
        ("ACG 3\nACT 99999999999999999999\n", "line 2"),
        (">3\nACG\n>1\n", "line 3"),
        (">3\nACG\n>x\nACG\n", "line 3"),
    ] {
        std::fs::write(&path, text).unwrap();
        let database = database::open(&path).unwrap();
        let error = (database.records::<u64>().unwrap()).find_map(|record| record.err());
        let error = error.unwrap().to_string();
        assert!(error.contains(line), "{text:?}: {error}");
    }
    for text in [
        "",
        "hello",
        "@r\nACGT\n+\nIIII\n",
        ">r1\nACGT\n",
        "\u{8b}THK",
    ] {
        std::fs::write(&path, text).unwrap();
        assert!(
            matches!(
                database::open(&path),
                Err(Error::UnknownFormat { .. } | Error::WrongKind { .. })
            ),
            "{text:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_content_survives(
        k in 1usize..=255,
        words in prop::collection::btree_map(any::<[u64; 8]>(), any::<u64>(), 0..40),
    ) {
        let cut = |mut words: [u64; 8]| {
            for (i, word) in words.iter_mut().enumerate() {
                let bits = (2 * k).saturating_sub(64 * i).min(64);
                *word &= if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            }
            Wide::<8>::from_words(&words)
        };
        let content: BTreeMap<Wide<8>, u64> = words.into_iter().map(|(w, c)| (cut(w), c)).collect();
        let directory = tempfile::tempdir().unwrap();
        let mut description = Description::new(k, false);
        description.counter_bytes = Some(8);
        for format in [DatabaseFormat::Thk, DatabaseFormat::Jellyfish, DatabaseFormat::JellyfishText] {
            let path = directory.path().join(format.name());
            write(&path, format, &content, &description);
            let database = database::open(&path).unwrap();
            prop_assert_eq!(read::<Wide<8>>(&database), content.clone().into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_rule_that_does_not_hold_is_not_told() {
    let directory = tempfile::tempdir().unwrap();
    let content: Content<u64> = content(31, true, 5000, 8);
    let path = directory.path().join("misplaced.thk");
    let partitioning = thk::Partitioning::minimizers(8, 31);
    let writer = thk::ThkWriter::create(&path, &Description::new(31, true), partitioning).unwrap();
    let mut encoder = writer.encoder();
    for partition in 0..8 {
        encoder.begin(partition).unwrap();
        for (&kmer, &count) in content.iter().filter(|r| r.0 % 8 == u64::from(partition)) {
            encoder.push(kmer, count).unwrap();
        }
        encoder.end().unwrap();
    }
    writer.finish().unwrap();
    let mut lookup = database::open(&path).unwrap().lookup::<u64>().unwrap();
    for (&kmer, &count) in &content {
        assert_eq!(lookup.find(kmer).unwrap(), Some(count));
    }
}
