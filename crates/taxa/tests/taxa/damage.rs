//! Damage of a database is an error, in every way that it is looked up, and never another answer.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use thalweg_superkmers::Kernel;
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::lookup::{Places, Run, TaxonLookup};
use thalweg_taxa::{Error, Result};

use crate::database::{Made, Random, genomes, reads};

const PAGE: usize = 4096;

/// Bytes of a section, by its place in the table.
fn section(bytes: &[u8], entry: usize) -> Range<usize> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let at = 128 + 32 * entry;
    number(at + 8)..number(at + 8) + number(at + 16)
}

const DIRECTORY: usize = 6;
const RECORDS: usize = 7;
const OVERFLOW: usize = 8;

/// Answers of a way in.
#[derive(Debug, PartialEq)]
struct Answers {
    runs: Vec<Vec<Run>>,
    places: Vec<(u64, u32)>,
    dump: Vec<u8>,
}

/// Answers of the ways in, each of which may fail.
fn ways(database: &TaxonDatabase, reads: &[Vec<u8>]) -> [Result<Answers>; 4] {
    let runs = |lookup: &TaxonLookup| {
        let runs = (0..reads.len()).map(|read| lookup.runs(read).to_vec());
        Answers {
            runs: runs.collect(),
            places: Vec::new(),
            dump: Vec::new(),
        }
    };
    let plain = |mut lookup: TaxonLookup, is_swept: bool| {
        reads.iter().for_each(|read| lookup.push([read]));
        let looked_up = if is_swept {
            lookup.sweep()
        } else {
            lookup.look_up()
        };
        looked_up.map(|()| runs(&lookup))
    };
    let mut places = Vec::new();
    let mut all = Places::new(database, Kernel::best());
    (reads.iter()).for_each(|read| all.visit(read, |place, set| places.push((place, set))));
    let mut dump = Vec::new();
    let dumped = database.dump(&mut dump);
    [
        plain(TaxonLookup::new(database, Kernel::best()), false),
        plain(TaxonLookup::of_large(database, Kernel::best()), true),
        database.check_looked_up().map(|()| Answers {
            runs: Vec::new(),
            places,
            dump: Vec::new(),
        }),
        dumped.map(|()| Answers {
            runs: Vec::new(),
            places: Vec::new(),
            dump,
        }),
    ]
}

/// Checks that all ways into a damaged database fail, or tell what they told of the whole one. Returns how many fail.
fn failures(database: Result<TaxonDatabase>, reads: &[Vec<u8>], expected: &[Answers; 4]) -> usize {
    let Ok(database) = database else {
        return expected.len();
    };
    let answers = ways(&database, reads);
    let differ = (answers.iter().zip(expected))
        .any(|(answer, expected)| answer.as_ref().is_ok_and(|answer| answer != expected));
    assert!(!differ, "another answer");
    let errors = answers.iter().filter_map(|answer| answer.as_ref().err());
    errors.inspect(|error| assert!(error.is_data())).count()
}

#[test]
fn damage_is_never_another_answer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged.tht");
    let mut random = Random(21);
    let mut failed = 0;
    for (k, m, bases) in [(31, 15, 1500), (16, 3, 400)] {
        let made = Made::new(21, k, m, bases, true, 16);
        let whole = std::fs::read(made.file(directory.path())).unwrap();
        let genomes = genomes(&mut Random(21), bases);
        let reads = &reads(&mut random, &genomes)[..60];
        let expected = {
            let database = TaxonDatabase::from_bytes(Path::new("whole"), whole.clone()).unwrap();
            ways(&database, reads).map(Result::unwrap)
        };
        let mut check = |what: &str, bytes: &[u8], must_fail: bool| {
            std::fs::write(&path, bytes).unwrap();
            let mapped = failures(TaxonDatabase::open(&path), reads, &expected);
            let owned = TaxonDatabase::from_bytes(&path, bytes.to_vec());
            assert_eq!(failures(owned, reads, &expected), mapped, "{what}");
            let loaded = failures(TaxonDatabase::preload(&path), reads, &expected);
            assert!(
                [0, expected.len()].contains(&loaded) && loaded >= mapped,
                "{what}"
            );
            assert!(!must_fail || mapped == expected.len(), "{what}: {mapped}");
            failed += mapped;
        };
        for (what, entry) in [
            ("directory", DIRECTORY),
            ("records", RECORDS),
            ("overflow", OVERFLOW),
        ] {
            let range = section(&whole, entry);
            let mut bytes = whole.clone();
            bytes[range.clone()].fill(0);
            check(what, &bytes, bytes != whole);
            let mut bytes = whole.clone();
            if range.len() >= 2 * PAGE {
                let (one, other) = bytes[range.clone()].split_at_mut(PAGE);
                one.swap_with_slice(&mut other[..PAGE]);
                check("pages swapped", &bytes, false);
            }
            for _ in 0..60 {
                let mut bytes = whole.clone();
                bytes[range.start + random.below(range.len())] ^= 1 << random.below(8);
                check("a bit", &bytes, false);
            }
        }
        for _ in 0..100 {
            let mut bytes = whole.clone();
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
            check("a bit anywhere", &bytes, false);
        }
    }
    assert!(failed > 300, "{failed}");
}

#[test]
fn damage_is_told_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged.tht");
    let made = Made::new(22, 31, 15, 120, true, 16);
    let mut bytes = std::fs::read(made.file(directory.path())).unwrap();
    let records = section(&bytes, RECORDS);
    bytes[records.start + 7] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let expected = format!(
        "{}: the database is damaged: section RECS: the checksum of the page at byte {} is wrong",
        path.display(),
        records.start
    );
    let told = |error: Error| {
        assert_eq!(error.to_string(), expected);
        assert!(error.is_data());
        assert!(error.hint().unwrap().contains("thalweg taxa verify"));
    };
    told(TaxonDatabase::preload(&path).unwrap_err());
    let database = TaxonDatabase::open(&path).unwrap();
    database.check_unchanged().unwrap();
    told(database.verify().unwrap_err());
    told(database.check_unchanged().unwrap_err());
    let database = TaxonDatabase::open(&path).unwrap();
    told(database.dump(&mut Vec::new()).unwrap_err());
}

#[test]
fn whoever_writes_to_a_mapped_database_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let made = Made::new(23, 31, 15, 120, true, 16);
    let path = made.file(directory.path());
    let bytes = std::fs::read(&path).unwrap();
    let preloaded = TaxonDatabase::preload(&path).unwrap();
    // By the same bytes, at another time.
    let database = TaxonDatabase::open(&path).unwrap();
    database.check_unchanged().unwrap();
    let mut file = File::options().write(true).open(&path).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    file.write_all(&bytes).unwrap();
    file.set_modified(later).unwrap();
    let told = database.check_unchanged().unwrap_err();
    assert!(told.is_data());
    let told = told.to_string();
    let expected = "the database changed while it was used: its time of change is another one";
    assert!(told.ends_with(expected), "{told}");
    assert!(told.starts_with(path.to_str().unwrap()), "{told}");
    // By more bytes.
    let database = TaxonDatabase::open(&path).unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    file.write_all(b"more").unwrap();
    let told = database.check_unchanged().unwrap_err().to_string();
    let (had, has) = (bytes.len(), bytes.len() + 4);
    assert!(
        told.contains(&format!("it had {had} bytes and has {has}")),
        "{told}"
    );
    preloaded.check_unchanged().unwrap();
    // A new file of its name does not matter: the old one is still open.
    std::fs::write(&path, &bytes).unwrap();
    let database = TaxonDatabase::open(&path).unwrap();
    let other = directory.path().join("other");
    std::fs::write(&other, &bytes[..bytes.len() / 2]).unwrap();
    std::fs::rename(&other, &path).unwrap();
    database.verify().unwrap();
}

/// A file of the first version is refused as such.
#[test]
fn other_versions_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let made = Made::new(24, 31, 15, 120, true, 16);
    let mut bytes = std::fs::read(made.file(directory.path())).unwrap();
    for version in [1, 3] {
        bytes[8] = version;
        crate::database::mend(&mut bytes);
        let error = TaxonDatabase::from_bytes(Path::new("x.tht"), bytes.clone()).unwrap_err();
        let expected = format!(
            "x.tht: a database of format version {version}, but this program reads version 2"
        );
        assert_eq!(error.to_string(), expected);
        assert!(!error.is_data() && error.hint().unwrap().contains("build it again"));
    }
}
