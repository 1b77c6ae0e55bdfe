//! Several files as one stream.

use thalweg::{Budget, Checkpoints, IndexOptions, ReaderOptions};

use crate::support::check::{self, expect_all};
use crate::support::naive;
use crate::support::random::Random;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

#[test]
fn files_of_all_kinds_behind_each_other() {
    within(120, || {
        let directory = directory();
        let mut random = Random::new(5);
        for round in 0..8 {
            let mut options = ReaderOptions::new();
            let mut expected = Vec::new();
            let mut what = format!("round {round}:");
            for lane in 0..random.range(2, 6) {
                let shape = Shape {
                    records: *random.pick(&[0, 1, 500, 3000]),
                    ..Shape::default()
                };
                let text = texts::fastq(random.next(), shape);
                let (kind, compress) = *random.pick(&compress::all());
                let bytes = compress(&text);
                what += &format!(" {kind} {}", shape.records);
                let path = write(directory.path(), &format!("{round}.{lane}"), &bytes);
                if bytes.starts_with(&[0x1f]) && random.chance(2) {
                    let index = IndexOptions {
                        checkpoints: Checkpoints::Span(random.range(1, 200_000) as u64),
                        budget: Budget::new(1),
                        ..IndexOptions::default()
                    };
                    check::index(&path, &index);
                    what += " indexed";
                }
                options = options.file(&path);
                expected.extend(naive::parse(&text).expect("well-formed"));
            }
            expect_all(&what, &options, &expected);
            expect_all(&what, &options.part_size(50_000), &expected);
        }
    });
}

#[test]
fn lanes_of_mates() {
    within(60, || {
        let directory = directory();
        let mut options = ReaderOptions::new();
        let mut expected = Vec::new();
        for lane in 0..3_u64 {
            let mut files = Vec::new();
            let mut paths = Vec::new();
            for mate in 0..2 {
                let shape = Shape {
                    records: [2000, 0, 700][lane as usize],
                    longest: 50 + 100 * mate,
                    ..Shape::default()
                };
                let text = texts::fastq(10 * lane + mate as u64, shape);
                files.push(naive::parse(&text).expect("well-formed"));
                let name = format!("{lane}.{mate}");
                paths.push(write(directory.path(), &name, &compress::gzip(&text, 6)));
            }
            if lane == 0 {
                paths
                    .iter()
                    .for_each(|path| check::index(path, &IndexOptions::default()));
            }
            expected.extend(check::zipped(&files));
            options = options.mates(&paths);
        }
        expect_all("lanes of mates", &options, &expected);
    });
}
