//! The index is the same whichever way it is made: in one pass, from the parts
//! of a file of many members, or as a by-product of reading.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::support::gzip;
use thalweg_flow::Budget;
use thalweg_gzip::index::Index;
use thalweg_reads::{
    Checkpoints, IndexOptions, IndexUse, Reader, ReaderOptions, VerifyOptions, build_index,
    index_path, verify,
};

/// `count` records of various lengths.
fn fastq(count: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut text = Vec::new();
    for record in 0..count {
        let length = random() as usize % 300;
        let mut line = |letters: &[u8]| -> Vec<u8> {
            (0..length)
                .map(|_| letters[random() as usize % letters.len()])
                .collect()
        };
        let (sequence, quality) = (line(b"ACGTN"), line(b"@+FGH:,"));
        writeln!(text, "@read.{record} x").unwrap();
        for part in [&sequence[..], b"+", &quality] {
            text.extend_from_slice(part);
            text.push(b'\n');
        }
    }
    text
}

fn members(text: &[u8], length: usize) -> Vec<u8> {
    text.chunks(length).flat_map(gzip).collect()
}

fn options(span: u64, threads: usize) -> IndexOptions {
    IndexOptions {
        checkpoints: Checkpoints::Span(span),
        metadata: None,
        budget: Budget::new(threads),
        check_end: true,
    }
}

fn read(reader: Reader) -> u64 {
    let reader = Arc::new(reader);
    let mut records = 0;
    for number in 0..reader.budget().threads() {
        let mut worker = reader.worker(number, None);
        while let Some(batch) = worker.next_batch().unwrap() {
            records += batch.len() as u64;
        }
    }
    records
}

/// All ways to index `path`; returns the index that was made in one pass.
fn check(path: &Path, span: u64) -> Index {
    let beside = index_path(path);
    let one_pass = build_index(path, None, &options(span, 1), &|_, _| {}).unwrap();
    for threads in [1, 2] {
        let built = build_index(path, Some(&beside), &options(span, threads), &|_, _| {}).unwrap();
        assert_eq!(built.checkpoints, one_pass.checkpoints);
        assert_eq!(built.summary(), one_pass.summary());
        let full = VerifyOptions {
            full: true,
            ..VerifyOptions::default()
        };
        let report = verify(path, &full, &|_, _| {}).unwrap();
        assert!(report.hash_matches);
        assert_eq!(report.records, Some(one_pass.record_count));
        std::fs::remove_file(&beside).unwrap();

        let reading = ReaderOptions::new()
            .file(path)
            .index(IndexUse::Never)
            .budget(Budget::new(threads))
            .save_indexes(options(span, threads));
        for text in [false, true] {
            let reader = reading.clone().as_text(text).open().unwrap();
            let records = read(reader);
            if text && !beside.exists() {
                continue;
            }
            assert!(text || records == one_pass.record_count);
            let saved = Index::open(&beside).unwrap();
            assert_eq!(saved.checkpoints, one_pass.checkpoints);
            assert_eq!(saved.summary(), one_pass.summary());
            std::fs::remove_file(&beside).unwrap();
        }
    }
    one_pass
}

#[test]
fn one_member() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("one.fq.gz");
    std::fs::write(&path, gzip(&fastq(30_000))).unwrap();
    for span in [1, 300_000, 2_000_000, u64::MAX / 2] {
        let index = check(&path, span);
        assert_eq!(index.record_count, 30_000);
        assert_eq!(index.checkpoints[0].output_offset, 0);
    }
}

#[test]
fn many_members() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("many.fq.gz");
    let text = fastq(60_000);
    for length in [70_000, 900_000] {
        std::fs::write(&path, members(&text, length)).unwrap();
        for span in [1_000_000, u64::MAX / 2] {
            let index = check(&path, span);
            assert_eq!(index.record_count, 60_000);
            assert_eq!(index.windows_size(), 0, "members need no windows");
        }
    }
}
