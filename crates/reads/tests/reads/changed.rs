//! A file that changes while it is read is noticed, however it is read.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::support::gzip;
use thalweg_flow::Budget;
use thalweg_reads::{ErrorKind, IndexOptions, IndexUse, ReaderOptions, build_index, index_path};

fn fastq(records: usize) -> Vec<u8> {
    (0..records)
        .flat_map(|record| format!("@r{record}\nACGTACGTAC\n+\nIIIIIIIIII\n").into_bytes())
        .collect()
}

/// Open `path`, change it by `change`, and read it to its end.
fn read_changed(path: &Path, index: IndexUse, change: impl FnOnce()) -> ErrorKindName {
    let reader = ReaderOptions::new()
        .file(path)
        .index(index)
        .budget(Budget::new(1))
        .open()
        .unwrap();
    change();
    let mut worker = Arc::new(reader).worker(0, None);
    loop {
        match worker.next_batch() {
            Ok(Some(_)) => {}
            Ok(None) => return ErrorKindName::None,
            Err(error) if matches!(error.kind(), ErrorKind::Changed) => {
                assert!(error.is_data() && error.hint().is_some());
                assert_eq!(error.location().path.as_deref(), Some(path));
                return ErrorKindName::Changed;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[derive(Debug, PartialEq)]
enum ErrorKindName {
    None,
    Changed,
}

fn append(path: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn growing_and_shrinking_files() {
    let directory = tempfile::tempdir().unwrap();
    let text = fastq(50_000);
    let packed = gzip(&text);
    for (name, bytes, more) in [
        ("plain.fq", &text, fastq(10)),
        ("packed.fq.gz", &packed, gzip(&fastq(10))),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let unchanged = read_changed(&path, IndexUse::Never, || {});
        assert_eq!(unchanged, ErrorKindName::None, "{name}");
        let grown = read_changed(&path, IndexUse::Never, || append(&path, &more));
        assert_eq!(grown, ErrorKindName::Changed, "{name} grew");
        std::fs::write(&path, bytes).unwrap();
        let shrink = || {
            let file = OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(bytes.len() as u64 / 2).unwrap();
        };
        let shrunk = read_changed(&path, IndexUse::Never, shrink);
        assert_eq!(shrunk, ErrorKindName::Changed, "{name} shrank");
    }
}

#[test]
fn an_indexed_file_that_grows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("packed.fq.gz");
    std::fs::write(&path, gzip(&fastq(50_000))).unwrap();
    let options = IndexOptions::default();
    build_index(&path, Some(&index_path(&path)), &options, &|_, _| {}).unwrap();
    let more = gzip(&fastq(10));
    let grown = read_changed(&path, IndexUse::Require, || append(&path, &more));
    assert_eq!(grown, ErrorKindName::Changed);
}
