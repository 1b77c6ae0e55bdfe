//! Files that can only be decoded in order, read by workers that take batches in any order: several are decoded at once.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::gzip;
use thalweg_flow::{Budget, Failure, run};
use thalweg_reads::{Batch, Error, IndexUse, Reader, ReaderOptions};

/// Records of several slabs, unless they are few; those of one file have the same prefix to their names.
fn records(prefix: &str, count: usize) -> String {
    let mut text = String::new();
    for record in 0..count {
        let length = 80 + record * 7 % 61;
        let letter = |place: usize| b"ACGT"[(record * 31 + place * place / 3) % 4] as char;
        let letters: String = (0..length).map(letter).collect();
        let qualities = "F".repeat(length);
        writeln!(text, "@{prefix}.{record}\n{letters}\n+\n{qualities}").unwrap();
    }
    text
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn open(paths: &[PathBuf], threads: usize) -> Arc<Reader> {
    let options = ReaderOptions::new()
        .index(IndexUse::Never)
        .check_letters(true)
        .budget(Budget::new(threads));
    let options = paths.iter().fold(options, ReaderOptions::file);
    Arc::new(options.open().unwrap())
}

/// With the number of the file before each.
fn names(batch: &Batch, into: &mut Vec<String>) {
    let heads = batch.records().map(|record| record.head().to_vec());
    let named = |head| format!("{}: {}", batch.set(), String::from_utf8(head).unwrap());
    into.extend(heads.map(named));
}

/// All names, in the order of the files; or the first fault.
fn in_order(paths: &[PathBuf]) -> Result<Vec<String>, Error> {
    let mut worker = open(paths, 1).worker(0, None);
    let mut all = Vec::new();
    while let Some(batch) = worker.next_batch()? {
        names(&batch, &mut all);
    }
    Ok(all)
}

/// All names, in any order; or the fault that is told.
fn in_any_order(paths: &[PathBuf], threads: usize) -> Result<Vec<String>, Failure<Error>> {
    let reader = open(paths, threads);
    let parts = run(threads, |number, _| {
        let mut worker = reader.worker_in_any_order(number);
        let mut part = Vec::new();
        while let Some(batch) = worker.next_batch()? {
            names(&batch, &mut part);
        }
        assert!(worker.next_batch()?.is_none());
        Ok(part)
    })?;
    Ok(parts.concat())
}

#[test]
fn each_record_is_given_once() {
    let place = Place::new();
    let files: Vec<PathBuf> = (0..9)
        .map(|file| {
            // One is empty, one has a few records, one is plain, one has two members.
            let count = [9000, 0, 3000, 12_000, 5, 4000, 7000, 20_000, 100][file];
            let text = records(&format!("f{file}"), count);
            let bytes = match file {
                5 => text.into_bytes(),
                6 => [gzip(text.as_bytes()), gzip(records("more", 9).as_bytes())].concat(),
                _ => gzip(text.as_bytes()),
            };
            place.write(&format!("{file}.gz"), &bytes)
        })
        .collect();
    for some in [&files[..1], &files[..2], &files[2..5], &files[3..8], &files] {
        let mut expected = in_order(some).unwrap();
        expected.sort_unstable();
        for threads in [1, 2, 3, 8] {
            let mut found = in_any_order(some, threads).unwrap();
            found.sort_unstable();
            assert!(found == expected, "{} files, {threads} threads", some.len());
        }
    }
    // The same file twice is read twice.
    let twice = [files[0].clone(), files[0].clone()];
    assert_eq!(in_any_order(&twice, 2).unwrap().len(), 2 * 9000);
}

#[test]
fn of_one_thread_batches_of_several_files_come_by_turns() {
    let place = Place::new();
    let files = ["a", "b"].map(|name| place.write(name, &gzip(records(name, 20_000).as_bytes())));
    let all = in_any_order(&files, 1).unwrap();
    let file = |name: &String| name[..1].parse::<usize>().unwrap();
    assert!(
        all.iter()
            .all(|name| name[3..].starts_with(["a.", "b."][file(name)]))
    );
    let turns = all
        .windows(2)
        .filter(|pair| file(&pair[0]) != file(&pair[1]));
    assert!(turns.count() > 4);
}

/// A file of four, with this fault in the middle of its records.
fn faulty(fault: &str, text: &str) -> Vec<u8> {
    let middle = text.len() / 2;
    let (before, after) = text.split_at(middle + text[middle..].find("\n@").unwrap() + 1);
    match fault {
        "cut" => {
            let whole = gzip(text.as_bytes());
            whole[..whole.len() / 2].to_vec()
        }
        "damaged" => {
            let mut whole = gzip(text.as_bytes());
            let trailer = whole.len() - 6;
            whole[trailer] ^= 1;
            whole
        }
        "no record" => gzip(format!("{before}ACGT\n{after}").as_bytes()),
        "no letter" => gzip(format!("{before}@x\nAC\x07T\n+\nFFFF\n{after}").as_bytes()),
        _ => gzip(text.as_bytes()),
    }
}

#[test]
fn the_first_fault_in_the_order_of_files_is_told() {
    let place = Place::new();
    let write = |file: usize, fault: &str| {
        // Later files are shorter: their faults come sooner.
        let text = records(&format!("f{file}"), 24_000 >> file);
        place.write(
            &format!("{file}.{}.gz", fault.replace(' ', "-")),
            &faulty(fault, &text),
        )
    };
    let faults = ["cut", "damaged", "no record", "no letter"];
    for first in faults {
        for second in faults {
            for (one, other) in [(0, 3), (1, 2), (2, 3)] {
                let files = (0..4).map(|file| match file {
                    _ if file == one => write(file, first),
                    _ if file == other => write(file, second),
                    _ => write(file, "none"),
                });
                // Nobody goes on with what is behind them.
                let behind = place.write("behind.fq", records("behind", 3000).as_bytes());
                let files: Vec<PathBuf> = files.chain([behind]).collect();
                let expected = in_order(&files).unwrap_err().to_string();
                assert!(
                    expected.contains(&format!("/{one}.")),
                    "{one} {first}, {other} {second}: {expected}"
                );
                for threads in [1, 2, 3, 8] {
                    match in_any_order(&files, threads) {
                        Err(Failure::Failed(error)) => assert_eq!(error.to_string(), expected),
                        _ => panic!("{expected} was not told"),
                    }
                }
            }
        }
    }
}

/// Files that are large enough: workers that find no file of their own decode parts of those of others, also of the last one that is left.
#[test]
fn fewer_large_files_than_workers() {
    let place = Place::new();
    let large = |name: &str, count| {
        let text = crate::legs::reads(name.len() as u64, count);
        place.write(name, &gzip(text.as_bytes()))
    };
    let small = |name: &str| place.write(name, &gzip(records(name, 5000).as_bytes()));
    let files = [
        large("1.gz", 40_000),
        small("2.gz"),
        large("three.gz", 45_000),
        small("4.gz"),
    ];
    assert!(std::fs::metadata(&files[0]).unwrap().len() > 5 << 19);
    for some in [&files[..2], &files[1..3], &files] {
        let mut expected = in_order(some).unwrap();
        expected.sort_unstable();
        for threads in [3, 5, 8] {
            let mut found = in_any_order(some, threads).unwrap();
            found.sort_unstable();
            assert!(found == expected, "{} files, {threads} threads", some.len());
        }
    }
    // A fault far behind the start of one, and behind it in the other.
    for (one, other) in [(0, 2), (2, 0)] {
        let originals = files.each_ref().map(|file| std::fs::read(file).unwrap());
        for (file, share) in [(one, 3), (other, 2)] {
            let mut bytes = originals[file].clone();
            let place = bytes.len() - bytes.len() / share;
            bytes[place] ^= 0x10;
            std::fs::write(&files[file], bytes).unwrap();
        }
        let expected = in_order(&files).unwrap_err().to_string();
        for threads in [2, 5, 8] {
            match in_any_order(&files, threads) {
                Err(Failure::Failed(error)) => assert_eq!(error.to_string(), expected),
                _ => panic!("{expected} was not told"),
            }
        }
        for (file, bytes) in files.iter().zip(originals) {
            std::fs::write(file, bytes).unwrap();
        }
    }
}

#[test]
fn a_file_that_changes_is_told() {
    let place = Place::new();
    let files =
        ["a", "b", "c"].map(|name| place.write(name, &gzip(records(name, 9000).as_bytes())));
    let reader = open(&files, 1);
    let mut worker = reader.worker_in_any_order(0);
    assert!(worker.next_batch().unwrap().is_some());
    append(&files[1]);
    let error = loop {
        match worker.next_batch() {
            Ok(batch) => assert!(batch.is_some(), "the change was not told"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("changed"), "{error}");
}

fn append(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes.extend(gzip(records("later", 3).as_bytes()));
    std::fs::write(path, bytes).unwrap();
}
