//! Set operations against maps, over databases of every format.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::{Content, content, write};
use proptest::prelude::*;
use thalweg_kmers::database::{
    self, Database, DatabaseFormat, DatabaseWriter, Description, KmerRecords, SortOptions, thk,
};
use thalweg_kmers::kmer::{Kmer, Wide};
use thalweg_kmers::set_operations::{
    Combine, Operation, are_canonical, check, combine, combine_records, similarity,
};
use thalweg_kmers::{Error, Result};

/// One line of code per k-mer.
fn naive<K: Kmer>(contents: &[Content<K>], operation: Operation) -> BTreeMap<K, u64> {
    let all: BTreeSet<K> = contents.iter().flat_map(|c| c.keys().copied()).collect();
    let mut result = BTreeMap::new();
    for kmer in all {
        let counts: Vec<Option<u64>> = contents.iter().map(|c| c.get(&kmer).copied()).collect();
        let present = || counts.iter().flatten().copied();
        let combined = |combine| match combine {
            Combine::Sum => present().sum(),
            Combine::Minimum => present().min().unwrap(),
            Combine::Maximum => present().max().unwrap(),
            Combine::First => present().next().unwrap(),
            _ => unreachable!(),
        };
        let others: u64 = counts[1..].iter().flatten().sum();
        let count = match operation {
            Operation::Union(combine) => Some(combined(combine)),
            Operation::Intersection(combine) => counts
                .iter()
                .all(Option::is_some)
                .then(|| combined(combine)),
            Operation::Subtraction => counts[0].filter(|_| counts[1..].iter().all(Option::is_none)),
            Operation::Difference => counts[0]
                .and_then(|c| c.checked_sub(others))
                .filter(|&c| c > 0),
            _ => unreachable!(),
        };
        if let Some(count) = count {
            result.insert(kmer, count);
        }
    }
    result
}

const OPERATIONS: [Operation; 10] = [
    Operation::Union(Combine::Sum),
    Operation::Union(Combine::Minimum),
    Operation::Union(Combine::Maximum),
    Operation::Union(Combine::First),
    Operation::Intersection(Combine::Sum),
    Operation::Intersection(Combine::Minimum),
    Operation::Intersection(Combine::Maximum),
    Operation::Intersection(Combine::First),
    Operation::Subtraction,
    Operation::Difference,
];

proptest! {
    #[test]
    fn operations_on_streams_agree_with_maps(
        contents in prop::collection::vec(prop::collection::btree_map(0u64..256, 1u64..9, 0..100), 1..6),
    ) {
        for operation in OPERATIONS {
            let streams = contents.iter().map(|c| KmerRecords::from_vec(c.clone().into_iter().collect())).collect();
            let result: Result<BTreeMap<_, _>> = combine_records(streams, 4, operation).unwrap().collect();
            prop_assert_eq!(result.unwrap(), naive(&contents, operation));
        }
        let streams: Vec<_> = contents.iter().map(|c| KmerRecords::from_vec(c.clone().into_iter().collect())).collect();
        let found = similarity(streams, 4).unwrap();
        let sizes = |operation| naive(&contents, operation).len() as f64;
        let (common, any) = (sizes(Operation::Intersection(Combine::First)), sizes(Operation::Union(Combine::First)));
        prop_assert!(any == 0.0 || (found.jaccard - common / any).abs() < 1e-12);
        let sums = |operation| naive(&contents, operation).values().sum::<u64>() as f64;
        let (common, any) = (sums(Operation::Intersection(Combine::Minimum)), sums(Operation::Union(Combine::Maximum)));
        prop_assert!(any == 0.0 || (found.weighted_jaccard - common / any).abs() < 1e-12);
    }
}

/// The content in partitions that no rule describes.
fn write_partitions<K: Kmer>(path: &Path, content: &Content<K>, description: &Description) {
    let writer = thk::ThkWriter::create(path, description, thk::Partitioning::unknown(5)).unwrap();
    let mut encoder = writer.encoder();
    for partition in 0..5 {
        encoder.begin(partition).unwrap();
        for (&kmer, &count) in content
            .iter()
            .filter(|r| r.0.mix() % 5 == u64::from(partition))
        {
            encoder.push(kmer, count).unwrap();
        }
        encoder.end().unwrap();
    }
    writer.finish().unwrap();
}

fn check_formats<K: Kmer>(k: usize) {
    let directory = tempfile::tempdir().unwrap();
    let description = Description::new(k, true);
    // Little memory, so that the sort of the dump has several runs.
    let options = SortOptions {
        memory: 1,
        directory: directory.path().to_path_buf(),
    };
    let contents: Vec<Content<K>> = (0..6)
        .map(|i| {
            // Some in all, some in each.
            let mut content = content(k, true, 20_000, 100 + i);
            content.extend(self::content(k, true, 500, 1));
            content
        })
        .collect();
    let formats = [
        DatabaseFormat::Jellyfish,
        DatabaseFormat::Kmc,
        DatabaseFormat::Thk,
        DatabaseFormat::Fasta,
        DatabaseFormat::Tsv,
    ];
    let mut databases: Vec<Database> = Vec::new();
    for (i, (content, format)) in contents.iter().zip(formats).enumerate() {
        let path = directory.path().join(i.to_string());
        if format == DatabaseFormat::Tsv {
            // Unsorted.
            let mut writer = DatabaseWriter::<K>::create(&path, format, &description).unwrap();
            for (&kmer, &count) in content.iter().rev() {
                writer.push(kmer, count).unwrap();
            }
            writer.finish().unwrap();
        } else {
            write(&path, format, content, &description);
        }
        databases.push(database::open(&path).unwrap());
    }
    let path = directory.path().join("partitions");
    write_partitions(&path, &contents[5], &description);
    databases.push(database::open(&path).unwrap());

    assert_eq!(check(&databases).unwrap(), (k, Some(true)));
    for operation in OPERATIONS {
        let result: Result<BTreeMap<K, u64>> =
            (combine(&databases, operation, &options).unwrap()).collect();
        let expected = naive(&contents, operation);
        assert!(!expected.is_empty() || operation == Operation::Difference);
        assert!(result.unwrap() == expected, "{operation:?}, k = {k}");
    }
    // What was merged can be written, and merged again.
    let path = directory.path().join("merged");
    let mut writer = DatabaseWriter::<K>::create(&path, DatabaseFormat::Thk, &description).unwrap();
    writer
        .extend(combine(&databases, Operation::Union(Combine::Sum), &options).unwrap())
        .unwrap();
    writer.finish().unwrap();
    let merged = database::open(&path).unwrap();
    let again = combine::<K>(&[merged], Operation::Union(Combine::First), &options).unwrap();
    assert!(again.collect::<Result<BTreeMap<_, _>>>().unwrap() == naive(&contents, OPERATIONS[0]));
}

#[test]
fn all_formats_combine() {
    check_formats::<u64>(21);
    check_formats::<u128>(55);
    check_formats::<Wide<8>>(200);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let make = |name: &str, k: usize, canonical: bool, format: DatabaseFormat| {
        let path = directory.path().join(name);
        write(
            &path,
            format,
            &Content::from([(1u64, 5)]),
            &Description::new(k, canonical),
        );
        database::open(&path).unwrap()
    };
    let (a, b) = (
        make("a", 5, true, DatabaseFormat::Thk),
        make("b", 6, true, DatabaseFormat::Thk),
    );
    let (c, d) = (
        make("c", 5, false, DatabaseFormat::Kmc),
        make("d", 5, false, DatabaseFormat::Tsv),
    );
    let error = check(&[a.clone(), b]).unwrap_err().to_string();
    assert!(
        error.contains("k = 5") && error.contains("k = 6"),
        "{error}"
    );
    let error = check(&[d.clone(), c.clone(), a.clone()])
        .unwrap_err()
        .to_string();
    assert!(error.contains("canonical"), "{error}");
    assert_eq!(check(&[d.clone(), a.clone()]).unwrap(), (5, Some(true)));
    assert_eq!(check(&[c, d.clone()]).unwrap(), (5, Some(false)));
    assert_eq!(check(std::slice::from_ref(&d)).unwrap(), (5, None));
    // k-mer 1 is AAAAC, 1023 TTTTT.
    let path = directory.path().join("e.tsv");
    std::fs::write(&path, "AAAAC\t5\nTTTTT\t1\n").unwrap();
    let (e, c) = (
        database::open(&path).unwrap(),
        make("c", 5, false, DatabaseFormat::Kmc),
    );
    assert!(are_canonical(std::slice::from_ref(&d)).unwrap());
    assert!(are_canonical(&[a.clone(), d.clone()]).unwrap());
    assert!(!are_canonical(&[d.clone(), e.clone()]).unwrap());
    assert!(!are_canonical(&[d.clone(), c]).unwrap());
    let error = are_canonical(&[d, e, a.clone()]).unwrap_err().to_string();
    assert!(error.contains("reverse complements"), "{error}");
    assert!(matches!(check(&[]), Err(Error::BadOption(_))));
    let path = directory.path().join("wide");
    write(
        &path,
        DatabaseFormat::Thk,
        &Content::from([(1u128, 5)]),
        &Description::new(40, true),
    );
    let wide = database::open(&path).unwrap();
    assert!(matches!(
        combine::<u64>(&[wide], Operation::Subtraction, &SortOptions::default()),
        Err(Error::BadK { .. })
    ));
}

#[test]
fn a_sum_that_overflows_is_an_error() {
    let stream = || KmerRecords::from_vec(vec![(3u64, u64::MAX / 2 + 1)]);
    let mut sum =
        combine_records(vec![stream(), stream()], 2, Operation::Union(Combine::Sum)).unwrap();
    let error = sum.next().unwrap().unwrap_err().to_string();
    assert!(error.contains("AT add up"), "{error}");
    assert!(sum.next().is_none());
}
