//! What an index says, against counting.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::MultiGzDecoder;
use thalweg::index::Index;
use thalweg::{Budget, Checkpoints, IndexOptions, IndexUse};

use crate::support::check::{self, MODES, THREADS, expect};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

/// Starts of records, found slowly.
fn record_starts(text: &[u8]) -> Vec<usize> {
    let mut starts = match text.first() {
        Some(b'>') => (0..text.len())
            .filter(|&at| text[at] == b'>' && (at == 0 || text[at - 1] == b'\n'))
            .collect(),
        _ => texts::fastq_starts(text),
    };
    if text.first() != Some(&b'>') {
        starts.pop();
    }
    starts
}

fn verify(what: &str, index: &Index, bytes: &[u8]) {
    let mut text = Vec::new();
    let mut decoder = MultiGzDecoder::new(bytes);
    decoder.read_to_end(&mut text).expect("the oracle decodes");
    let starts = record_starts(&text);
    assert_eq!(index.output_size, text.len() as u64, "{what}");
    assert_eq!(index.record_count, starts.len() as u64, "{what}");
    assert_eq!(index.identity.compressed_size, bytes.len() as u64, "{what}");
    let hash = *blake3::hash(bytes).as_bytes();
    assert_eq!(index.identity.blake3, Some(hash), "{what}");
    for (number, checkpoint) in index.checkpoints.iter().enumerate() {
        let what = format!("{what}, checkpoint {number}");
        let start = checkpoint.output_offset as usize;
        let end = index.chunk_end(number) as usize;
        let rank = starts.partition_point(|record| *record < start);
        let offset = starts.get(rank).copied().unwrap_or(text.len());
        assert_eq!(checkpoint.record_rank, rank as u64, "{what}: rank");
        assert_eq!(checkpoint.record_offset, offset as u64, "{what}: record");
        let crc = crc32fast::hash(&text[start..end]);
        assert_eq!(checkpoint.crc32, Some(crc), "{what}: CRC32");
        let mut window = [0; 32768];
        let length = index.window(number, &mut window).expect("a window");
        assert!(length <= start, "{what}: window");
        for (kept, byte) in window[32768 - length..]
            .iter()
            .zip(&text[start - length..start])
        {
            assert!(kept == byte || *kept == 0, "{what}: window");
        }
    }
}

#[test]
fn every_checkpoint() {
    within(100, || {
        let directory = directory();
        let mut random = Random::new(4);
        let short = Shape {
            records: 3000,
            ..Shape::default()
        };
        let long = Shape {
            records: 12,
            longest: 60_000,
            giants: Some(8),
            ..Shape::default()
        };
        let texts = [
            texts::fastq(1, short),
            texts::fastq(2, long),
            texts::fasta(3, short, Some(70)),
        ];
        for (number, text) in texts.iter().enumerate() {
            for (kind, compress) in compress::GZIP {
                let bytes = compress(text);
                let path = write(directory.path(), "reads.gz", &bytes);
                for checkpoints in [
                    Checkpoints::Span(1),
                    Checkpoints::Span(random.range(1, 400_000) as u64),
                    Checkpoints::ForThreads(1),
                ] {
                    let what = format!("text {number}, {kind}, {checkpoints:?}");
                    let mut files = Vec::new();
                    for threads in [1, 2] {
                        let options = IndexOptions {
                            checkpoints,
                            budget: Budget::new(threads),
                            ..IndexOptions::default()
                        };
                        let destination = directory.path().join(format!("{threads}.thw"));
                        let index =
                            thalweg::build_index(&path, Some(&destination), &options, &|_, _| {})
                                .unwrap_or_else(|error| panic!("{what}: {error}"));
                        verify(&what, &index, &bytes);
                        files.push(std::fs::read(&destination).expect("an index"));
                    }
                    assert!(files[0] == files[1], "{what}: depends on threads");
                }
            }
        }
    });
}

/// So much text that checkpoints are dropped on the way.
#[test]
fn as_many_checkpoints_as_wanted() {
    within(60, || {
        let directory = directory();
        let shape = Shape {
            records: 160_000,
            longest: 200,
            ..Shape::default()
        };
        let text = texts::fastq(1, shape);
        for (kind, bytes) in [
            ("gzip", compress::libdeflate(&text, 1)),
            ("bgzf", compress::bgzf_even(&text)),
        ] {
            let path = write(directory.path(), "reads.gz", &bytes);
            let mut files = Vec::new();
            for threads in [1, 2, 2, 2] {
                let options = IndexOptions {
                    checkpoints: Checkpoints::ForThreads(1),
                    budget: Budget::new(threads),
                    ..IndexOptions::default()
                };
                let destination = directory.path().join("thw");
                let index = thalweg::build_index(&path, Some(&destination), &options, &|_, _| {})
                    .expect(kind);
                verify(kind, &index, &bytes);
                assert!(
                    (8..=16).contains(&index.chunks()),
                    "{kind}: {}",
                    index.chunks()
                );
                files.push(std::fs::read(&destination).expect("an index"));
            }
            assert!(
                files.windows(2).all(|pair| pair[0] == pair[1]),
                "{kind}: depends on threads"
            );
        }
    });
}

/// The published tool, wherever it is installed.
fn mim() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/tools/bin/mim");
    let given = std::env::var_os("THALWEG_MIM").map(PathBuf::from);
    let found = [given, Some(beside), Some("mim".into())]
        .into_iter()
        .flatten()
        .find(|path| Command::new(path).arg("--version").output().is_ok());
    if found.is_none() {
        eprintln!("SKIPPED: mim is not installed (THALWEG_MIM names it)");
    }
    found
}

#[test]
fn indexes_of_mim_and_for_mim() {
    let Some(mim) = mim() else { return };
    within(100, move || {
        let directory = directory();
        let shape = Shape {
            records: 4000,
            ..Shape::default()
        };
        let text = texts::fastq(1, shape);
        let expected = naive::parse(&text).expect("well-formed");
        for (kind, bytes) in [
            ("gzip", compress::gzip(&text, 6)),
            ("members", compress::members(&text, 3, 200_000)),
            ("bgzf", compress::bgzf_even(&text)),
        ] {
            let path = write(directory.path(), "reads.fastq.gz", &bytes);
            let theirs = directory.path().join("theirs.mim");
            let built = Command::new(&mim)
                .args(["build", "--chunk-size", "100000", "--mim"])
                .arg(&theirs)
                .arg(&path)
                .output()
                .expect("mim runs");
            let said = String::from_utf8_lossy(&built.stderr).into_owned();
            assert!(built.status.success(), "{kind}: mim build: {said}");
            for threads in THREADS {
                for mode in MODES {
                    let options = check::file(&path).index(IndexUse::At(theirs.clone()));
                    expect(
                        &format!("{kind}, mim's"),
                        options,
                        threads,
                        None,
                        mode,
                        &expected,
                    );
                }
            }
            let options = IndexOptions {
                checkpoints: Checkpoints::Span(100_000),
                ..IndexOptions::default()
            };
            let index = thalweg::build_index(&path, None, &options, &|_, _| {}).expect(kind);
            let ours = directory.path().join("ours.mim");
            index.write_mim(&ours).expect(kind);
            let unzipped = directory.path().join("unzipped");
            let _ = std::fs::remove_file(&unzipped);
            let unzip = Command::new(&mim)
                .args(["unzip", "--threads", "1", "--output"])
                .arg(&unzipped)
                .arg("--mim")
                .arg(&ours)
                .arg(&path)
                .output()
                .expect("mim runs");
            let said = String::from_utf8_lossy(&unzip.stderr).into_owned();
            assert!(unzip.status.success(), "{kind}: mim unzip: {said}");
            let found = std::fs::read(&unzipped).expect("mim unzip wrote");
            assert!(found == text, "{kind}: mim unzip gives another text");
        }
    });
}
