//! Indexes of large gzip files, which threads decode in several places at once: the same bytes for any number of them.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use flate2::{Compression, write::GzEncoder};
use thalweg_flow::{Budget, Failure, run};
use thalweg_reads::{
    Checkpoints, IndexOptions, IndexUse, ReaderOptions, VerifyOptions, build_index, index_path,
    verify,
};

use crate::legs::reads;

fn gzip(text: &str, level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn options(checkpoints: Checkpoints, threads: usize) -> IndexOptions {
    IndexOptions {
        checkpoints,
        metadata: None,
        budget: Budget::new(threads),
        check_end: true,
    }
}

/// The bytes of the index that is built, or the fault.
fn built(path: &Path, checkpoints: Checkpoints, threads: usize) -> Result<Vec<u8>, String> {
    let beside = index_path(path);
    let options = options(checkpoints, threads);
    let index = build_index(path, Some(&beside), &options, &|_, _| {});
    index.map_err(|fault| fault.to_string())?;
    Ok(std::fs::read(&beside).unwrap())
}

/// The bytes of the index that falls out while the file is read by so many workers.
fn saved(path: &Path, checkpoints: Checkpoints, threads: usize) -> Vec<u8> {
    let reader = ReaderOptions::new()
        .file(path)
        .index(IndexUse::Never)
        .budget(Budget::new(threads))
        .save_indexes(options(checkpoints, threads));
    let reader = Arc::new(reader.open().unwrap());
    let outcome = run(threads, |number, _| {
        let mut worker = reader.worker(number, None);
        while worker.next_batch()?.is_some() {}
        Ok(())
    });
    assert!(!matches!(
        outcome,
        Err(Failure::<thalweg_reads::Error>::Failed(_) | Failure::Panicked(_))
    ));
    std::fs::read(index_path(path)).unwrap()
}

#[test]
fn are_the_same_for_any_number_of_threads() {
    let place = tempfile::tempdir().unwrap();
    let text = reads(1, 40_000);
    let (first, second) = text.split_at(text.len() / 2 + 77);
    // Of several members, one begins and ends between two marks, and one right behind a mark.
    let small = text.split_inclusive('\n').take(4 * 20).collect::<String>();
    let files = [
        ("level 2", gzip(&text, 2)),
        ("level 6", gzip(&text, 6)),
        ("level 9", gzip(&text, 9)),
        (
            "members",
            [
                gzip(first, 6),
                gzip(second, 6),
                gzip(&small, 6),
                gzip(&text, 6),
            ]
            .concat(),
        ),
    ];
    for (name, file) in files {
        let path = place.path().join(format!("{name}.fq.gz"));
        std::fs::write(&path, file).unwrap();
        for checkpoints in [
            Checkpoints::Span(8_000_000),
            Checkpoints::Span(100_000),
            Checkpoints::Span(1),
            Checkpoints::AtMost(5),
        ] {
            let expected = built(&path, checkpoints, 1).unwrap();
            for threads in [2, 3, 8] {
                let found = built(&path, checkpoints, threads).unwrap();
                assert!(
                    found == expected,
                    "{name}, {checkpoints:?}, {threads} threads"
                );
            }
            let full = VerifyOptions {
                full: true,
                ..VerifyOptions::default()
            };
            assert!(verify(&path, &full, &|_, _| {}).unwrap().hash_matches);
            let by_one = saved(&path, checkpoints, 1);
            for threads in [2, 8] {
                let found = saved(&path, checkpoints, threads);
                assert!(
                    found == by_one,
                    "{name}, {checkpoints:?}, saved by {threads}"
                );
            }
            assert!(by_one == expected, "{name}, {checkpoints:?}, saved");
        }
    }
}

#[test]
fn the_same_fault_for_any_number_of_threads() {
    let place = tempfile::tempdir().unwrap();
    let text = reads(2, 40_000);
    let whole = gzip(&text, 6);
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x10;
    let line = text.len() / 2 + text[text.len() / 2..].find("\n@run").unwrap() + 1;
    let files = [
        ("cut", whole[..whole.len() * 2 / 3].to_vec()),
        ("flipped", flipped),
        (
            "no record",
            gzip(&format!("{}ACGT\n{}", &text[..line], &text[line..]), 6),
        ),
    ];
    for (name, file) in files {
        let path = place.path().join(format!("{name}.fq.gz"));
        std::fs::write(&path, file).unwrap();
        let checkpoints = Checkpoints::Span(100_000);
        let expected = built(&path, checkpoints, 1).unwrap_err();
        for threads in [2, 3, 8] {
            assert_eq!(
                built(&path, checkpoints, threads).unwrap_err(),
                expected,
                "{name}"
            );
        }
        assert!(!index_path(&path).exists(), "{name}");
    }
}
