//! Shards of a count in a directory are what one file of it is.

use std::ops::Range;
use std::path::Path;

use serde_json::Map;
use thalweg_flow::Budget;
use thalweg_kmers::count::{Counter, Sink};
use thalweg_kmers::database::set::{MANIFEST, Manifest, is_set};
use thalweg_kmers::database::{Database, Description, SortOptions, open, thk};
use thalweg_kmers::kmer::Wide;
use thalweg_kmers::options::CountOptions;
use thalweg_kmers::set_operations::{
    Combine, Operation, combine_partitions, common_partitions, copy_partitions,
};
use thalweg_kmers::{Error, Kmer, Result};

const PARTITIONS: usize = 64;

/// Partitions that each shard has; one of them has none.
const RANGES: [Range<usize>; 4] = [0..20, 20..20, 20..21, 21..PARTITIONS];

/// Each partition to the shard that it is of, and all to one file.
struct Shards<K: Kmer> {
    shards: Vec<thk::ThkWriter<K>>,
    whole: thk::ThkWriter<K>,
}

impl<K: Kmer> Sink<K> for Shards<K> {
    fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<()> {
        let shard = RANGES.iter().position(|range| range.contains(&partition));
        self.shards[shard.expect("a shard")].accept(partition, entries)?;
        self.whole.accept(partition, entries)
    }

    fn end(&self, partition: usize) -> Result<()> {
        for shard in &self.shards {
            shard.end(partition)?;
        }
        self.whole.end(partition)
    }
}

fn bases() -> Vec<u8> {
    let mut state = 7u64;
    let mut letter = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        b"ACGT"[(state >> 62) as usize]
    };
    let half: Vec<u8> = (0..40_000).map(|_| letter()).collect();
    [&half[..], b"N", &half[..30_000]].concat()
}

/// A set in `directory`, and beside it one file of the same.
fn write<K: Kmer>(directory: &Path, k: usize) {
    let options = CountOptions::new(k).unwrap().with_partitions(PARTITIONS);
    let counter = Counter::new(options.unwrap(), Budget::new(1)).unwrap();
    let mut worker = counter.worker().unwrap();
    worker.add(&bases()).unwrap();
    let set = directory.join("set");
    std::fs::create_dir(&set).unwrap();
    let create = |path: &Path| {
        let rule = thk::Partitioning::minimizers(PARTITIONS, k);
        thk::ThkWriter::<K>::create(path, &Description::new(k, true), rule).unwrap()
    };
    let names: Vec<String> = (0..RANGES.len()).map(|i| format!("{i}.thk")).collect();
    let sink = Shards {
        shards: names.iter().map(|name| create(&set.join(name))).collect(),
        whole: create(&directory.join("whole.thk")),
    };
    counter
        .finish(vec![worker.into_share().unwrap()], &sink)
        .unwrap();
    for shard in sink.shards {
        shard.finish().unwrap();
    }
    sink.whole.finish().unwrap();
    assert!(!is_set(&set));
    let shards = names.into_iter().zip(RANGES);
    let manifest = Manifest::of_shards(&set, shards, Map::new()).unwrap();
    std::fs::write(set.join(MANIFEST), manifest.to_json()).unwrap();
    assert_eq!(Manifest::read(&set).unwrap(), manifest);
}

fn agrees<K: Kmer>(k: usize) {
    let directory = tempfile::tempdir().unwrap();
    write::<K>(directory.path(), k);
    let set = open(directory.path().join("set")).unwrap();
    let whole = open(directory.path().join("whole.thk")).unwrap();
    let options = SortOptions::default();
    let all = |records: Result<thalweg_kmers::database::KmerRecords<K>>| -> Vec<(K, u64)> {
        records.unwrap().collect::<Result<_>>().unwrap()
    };
    let expected = all(whole.sorted(&options));
    assert!(expected.len() > 30_000);
    assert!(all(set.sorted(&options)) == expected);
    // The order of partitions is the same, too.
    assert!(all(set.records()) == all(whole.records()));
    assert_eq!(set.stored_totals(), whole.stored_totals());
    assert_eq!(set.header().order, whole.header().order);
    assert_eq!(
        set.verify(&options).unwrap(),
        whole.verify(&options).unwrap()
    );
    assert_eq!(
        set.histogram(&options).unwrap(),
        whole.histogram(&options).unwrap()
    );
    let (mut found, loaded) = (set.lookup::<K>().unwrap(), set.load::<K>(2).unwrap());
    let mut in_memory = loaded.lookup();
    for &(kmer, count) in expected.iter().step_by(97) {
        assert_eq!(found.find(kmer).unwrap(), Some(count));
        assert_eq!(in_memory.find(kmer).unwrap(), Some(count));
    }
    let databases = [set, whole];
    assert_eq!(common_partitions(&databases), Some(PARTITIONS));
    let sum = directory.path().join("sum.thk");
    let rule = thk::Partitioning::minimizers(PARTITIONS, k);
    let writer = thk::ThkWriter::<K>::create(&sum, &Description::new(k, true), rule).unwrap();
    let union = Operation::Union(Combine::Sum);
    combine_partitions(&databases, union, 1..=u64::MAX, 2, &writer).unwrap();
    writer.finish().unwrap();
    let twice: Vec<(K, u64)> = expected.iter().map(|&(kmer, n)| (kmer, 2 * n)).collect();
    assert!(all(open(&sum).unwrap().sorted(&options)) == twice);
}

/// Shards one by one, and the set, are copied to what one file is; what both have is not.
fn is_copied<K: Kmer>(k: usize) {
    let directory = tempfile::tempdir().unwrap();
    write::<K>(directory.path(), k);
    let set = directory.path().join("set");
    let shards = (0..RANGES.len())
        .rev()
        .map(|i| open(set.join(format!("{i}.thk"))).unwrap());
    let shards: Vec<Database> = shards.collect();
    let whole = open(directory.path().join("whole.thk")).unwrap();
    let records = |database: &Database| -> Vec<(K, u64)> {
        let sorted = database.sorted(&SortOptions::default()).unwrap();
        sorted.collect::<Result<_>>().unwrap()
    };
    let expected = records(&whole);
    let create = || {
        let path = directory.path().join("copy.thk");
        let rule = thk::Partitioning::minimizers(PARTITIONS, k);
        thk::ThkWriter::<K>::create(&path, &Description::new(k, true), rule).unwrap()
    };
    for databases in [
        &shards[..],
        &[open(&set).unwrap()],
        std::slice::from_ref(&whole),
    ] {
        for threads in [1, 3] {
            let writer = create();
            let totals =
                copy_partitions(databases, PARTITIONS, threads, &writer, || Ok(())).unwrap();
            assert_eq!(totals, whole.stored_totals());
            assert_eq!(Some(writer.finish().unwrap()), totals);
            let copy = open(directory.path().join("copy.thk")).unwrap();
            assert_eq!(Some(copy.verify(&SortOptions::default()).unwrap()), totals);
            assert!(records(&copy) == expected);
        }
    }
    let both = [shards[0].clone(), whole.clone()];
    assert_eq!(
        copy_partitions(&both, PARTITIONS, 1, &create(), || Ok(())).unwrap(),
        None
    );
    assert_eq!(
        copy_partitions(&shards, 2 * PARTITIONS, 1, &create(), || Ok(())).unwrap(),
        None
    );
    // A byte of a block.
    let path = set.join("0.thk");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[200] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error =
        copy_partitions(&[open(&set).unwrap()], PARTITIONS, 2, &create(), || Ok(())).unwrap_err();
    assert!(error.to_string().contains("0.thk"), "{error}");
}

#[test]
fn partitions_that_one_has_alone_are_copied() {
    is_copied::<u64>(31);
    is_copied::<Wide<4>>(101);
}

#[test]
fn a_set_is_what_one_file_is() {
    agrees::<u64>(21);
    agrees::<u64>(31);
    agrees::<Wide<4>>(101);
}

/// What is said of a set after `damage`.
fn fault(damage: impl Fn(&Path)) -> String {
    let directory = tempfile::tempdir().unwrap();
    write::<u64>(directory.path(), 21);
    let set = directory.path().join("set");
    damage(&set);
    let whole = |database: Database| database.verify(&SortOptions::default());
    let error = open(&set).and_then(whole).expect_err("a fault");
    assert!(!matches!(error, Error::Totals { .. }), "{error}");
    error.to_string()
}

#[test]
fn what_is_wrong_with_a_set_is_told() {
    let edit = |from: &str, to: &str| {
        let (from, to) = (from.to_owned(), to.to_owned());
        move |set: &Path| {
            let text = std::fs::read_to_string(set.join(MANIFEST)).unwrap();
            assert!(text.contains(&from), "{text}");
            std::fs::write(set.join(MANIFEST), text.replacen(&from, &to, 1)).unwrap();
        }
    };
    let said = |damage: &dyn Fn(&Path), words: &str| {
        let fault = fault(damage);
        assert!(fault.contains(words), "{fault}");
    };
    said(
        &|set| std::fs::remove_file(set.join("2.thk")).unwrap(),
        "2.thk",
    );
    said(
        &|set| {
            std::fs::copy(set.join("0.thk"), set.join("2.thk")).unwrap();
        },
        "2.thk is another file",
    );
    // One byte of a block: the file is named, and where in it.
    said(
        &|set| {
            let path = set.join("3.thk");
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[200] ^= 1;
            std::fs::write(&path, bytes).unwrap();
        },
        "3.thk",
    );
    said(
        &edit("\"end_partition\": 20", "\"end_partition\": 19"),
        "partitions 19 on",
    );
    said(
        &edit("\"end_partition\": 64", "\"end_partition\": 63"),
        "not all partitions",
    );
    said(
        &edit("\"file\": \"2.thk\"", "\"file\": \"../2.thk\""),
        "a field",
    );
    said(&edit("\"version\": 1", "\"version\": 2"), "version 2");
    said(&edit("k-mer set", "thing"), "not of a k-mer set");
    said(&edit("{", ""), "not JSON");
    // Ranges that agree with each other, but not with the shards.
    let moved = |set: &Path| {
        edit("\"end_partition\": 21", "\"end_partition\": 22")(set);
        edit("\"first_partition\": 21", "\"first_partition\": 22")(set);
    };
    said(&moved, "in other shards");
}
