//! Streams: named pipes, read once, from whoever writes them.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use thalweg::ReaderOptions;

use crate::support::check::{self, MODES, expect};
use crate::support::naive;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within};

fn pipe(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(name);
    let made = Command::new("mkfifo")
        .arg(&path)
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
    path
}

fn shape(records: usize) -> Shape {
    Shape {
        records,
        ..Shape::default()
    }
}

#[test]
fn one_pipe_of_every_kind() {
    within(60, || {
        let directory = directory();
        let path = pipe(directory.path(), "pipe");
        let text = texts::fastq(1, shape(2000));
        let expected = naive::parse(&text).expect("well-formed");
        for (kind, compress) in compress::all() {
            for mode in MODES {
                let bytes = compress(&text);
                let to = path.clone();
                let writer = std::thread::spawn(move || {
                    let mut pipe = OpenOptions::new().write(true).open(to).expect("opens");
                    for piece in bytes.chunks(1000) {
                        pipe.write_all(piece).expect("read");
                    }
                });
                expect(kind, check::file(&path), 2, None, mode, &expected);
                writer.join().expect("wrote");
            }
        }
    });
}

/// One writer that opens both pipes before it writes, and feeds them in turn.
#[test]
fn two_pipes_from_one_writer() {
    within(60, || {
        let directory = directory();
        let paths = [pipe(directory.path(), "1"), pipe(directory.path(), "2")];
        let texts = [
            texts::fastq_named(
                1,
                Shape {
                    longest: 28,
                    ..shape(6000)
                },
                "/1",
            ),
            texts::fastq_named(
                2,
                Shape {
                    longest: 400,
                    ..shape(6000)
                },
                "/2",
            ),
        ];
        let files: Vec<_> = texts
            .iter()
            .map(|text| naive::parse(text).expect("well-formed"))
            .collect();
        let expected = check::zipped(&files);
        for swapped in [false, true] {
            for buffer in [1, 20, 60] {
                for mode in MODES {
                    let order: Vec<usize> = if swapped { vec![1, 0] } else { vec![0, 1] };
                    let (to, texts) = (paths.clone(), texts.clone());
                    let writer = std::thread::spawn(move || {
                        let mut pipes: Vec<_> = order
                            .iter()
                            .map(|&mate| {
                                OpenOptions::new()
                                    .write(true)
                                    .open(&to[mate])
                                    .expect("opens")
                            })
                            .collect();
                        let starts: Vec<_> = order
                            .iter()
                            .map(|&mate| texts::fastq_starts(&texts[mate]))
                            .collect();
                        for first in (0..6000).step_by(buffer) {
                            let end = (first + buffer).min(6000);
                            for (pipe, (starts, &mate)) in
                                pipes.iter_mut().zip(starts.iter().zip(&order))
                            {
                                pipe.write_all(&texts[mate][starts[first]..starts[end]])
                                    .expect("read");
                            }
                        }
                    });
                    let options = ReaderOptions::new().mates(&paths);
                    let what = format!("buffers of {buffer}, swapped {swapped}");
                    expect(&what, options, 2, None, mode, &expected);
                    writer.join().expect("wrote");
                }
            }
        }
    });
}
