//! Every kind of file, with and without index.

use thalweg::{Budget, Checkpoints, IndexOptions};

use crate::support::check::{self, expect_all, expect_each, expect_text};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

/// Compress `text` in every way, and read it in every way. With indexes, which have random spans, it is read
/// once in each mode.
fn every_kind(name: &'static str, text: Vec<u8>, multiline: bool) {
    within(120, move || {
        let directory = directory();
        let expected = match multiline {
            true => naive::parse_multiline(&text),
            false => naive::parse(&text),
        }
        .expect("generated texts are well-formed");
        let expect_some = match text.len() > 1 << 20 {
            true => expect_each,
            false => expect_all,
        };
        let mut random = Random::new(text.len() as u64);
        for (kind, compress) in compress::OTHERS {
            let what = format!("{name}, {kind}");
            let path = write(directory.path(), "others", &compress(&text));
            expect_some(&what, &check::file(&path), &expected);
            expect_text(&what, &check::file(&path), &text, false);
            if kind == "plain" {
                let parts = check::file(&path).part_size(100_000);
                expect_some(&format!("{what}, small parts"), &parts, &expected);
                expect_text(&what, &parts, &text, false);
            }
        }
        let mut all = compress::GZIP.to_vec();
        if !multiline && text.starts_with(b"@") {
            all.push(("bgzf at records", |text| {
                compress::bgzf_at_records(text, &texts::fastq_starts(text))
            }));
        }
        for (kind, compress) in all {
            let what = format!("{name}, {kind}");
            let path = write(directory.path(), "reads.gz", &compress(&text));
            expect_some(&what, &check::unindexed(&path), &expected);
            expect_text(&what, &check::unindexed(&path), &text, false);
            if kind.starts_with("bgzf") {
                let parts = check::unindexed(&path).part_size(30_000);
                expect_some(&format!("{what}, small parts"), &parts, &expected);
                expect_text(&what, &parts, &text, false);
            }
            for _ in 0..2 {
                let checkpoints = match random.range(0, 4) {
                    0 => Checkpoints::Span(1),
                    1 => Checkpoints::Span(random.range(1, 5_000) as u64),
                    2 => Checkpoints::Span(random.range(1, 500_000) as u64),
                    _ => Checkpoints::ForThreads(random.range(1, 3)),
                };
                let what = format!("{what}, {checkpoints:?}");
                let options = IndexOptions {
                    checkpoints,
                    budget: Budget::new(random.range(1, 3)),
                    ..IndexOptions::default()
                };
                check::index(&path, &options);
                expect_each(&what, &check::indexed(&path), &expected);
                expect_text(&what, &check::indexed(&path), &text, true);
            }
            std::fs::remove_file(thalweg::index_path(&path)).expect("an index");
        }
    });
}

#[test]
fn fastq() {
    every_kind("fastq", texts::fastq(1, Shape::default()), false);
}

#[test]
fn fastq_crlf_without_last_line_end() {
    let shape = Shape {
        records: 1500,
        line_end: "\r\n",
        last_line_end: false,
        ..Shape::default()
    };
    every_kind("crlf", texts::fastq(2, shape), false);
}

#[test]
fn fastq_of_long_reads() {
    let shape = Shape {
        records: 30,
        longest: 20_000,
        giants: Some(30),
        ..Shape::default()
    };
    every_kind("long", texts::fastq(3, shape), false);
}

#[test]
fn fastq_with_blank_lines_behind() {
    let shape = Shape {
        records: 300,
        ..Shape::default()
    };
    let mut text = texts::fastq(4, shape);
    text.extend_from_slice(b"\n\r\n\n");
    every_kind("blank lines", text, false);
}

#[test]
fn fastq_multiline() {
    every_kind("multiline", texts::fastq_multiline(5, 1200), true);
}

#[test]
fn fasta_of_one_line() {
    let shape = Shape {
        records: 1500,
        last_line_end: false,
        ..Shape::default()
    };
    every_kind("fasta", texts::fasta(6, shape, None), false);
}

#[test]
fn fasta_of_many_lines() {
    let shape = Shape {
        records: 300,
        longest: 5_000,
        line_end: "\r\n",
        ..Shape::default()
    };
    every_kind("wrapped fasta", texts::fasta(7, shape, Some(60)), false);
}

#[test]
fn fasta_of_chromosomes() {
    let shape = Shape {
        records: 4,
        giants: Some(2),
        ..Shape::default()
    };
    every_kind("chromosomes", texts::fasta(8, shape, None), false);
}

#[test]
fn one_record() {
    every_kind("one", b"@a\nACGT\n+\nIIII\n".to_vec(), false);
    every_kind("empty sequence", b"@a\n\n+\n\n".to_vec(), false);
    every_kind("one fasta", b">a".to_vec(), false);
}

#[test]
fn no_records() {
    within(60, || {
        let directory = directory();
        for (kind, compress) in compress::all() {
            let bytes = compress(b"");
            let path = write(directory.path(), "empty", &bytes);
            expect_all(kind, &check::unindexed(&path), &[]);
            if bytes.starts_with(&[0x1f, 0x8b]) {
                check::index(&path, &IndexOptions::default());
                expect_all(kind, &check::indexed(&path), &[]);
            }
        }
    });
}
