//! Gzip that comes through pipes, which workers decode in several places at once as far as it has come: the same batches and the same
//! fault for any number of workers, and nothing is held back.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use thalweg_flow::Budget;

use crate::legs::{Given, batches_within, reads};
use crate::support::gzip;

/// So little memory that strips are small, and a file of a few megabytes has several.
fn little(threads: usize) -> Budget {
    Budget::new(threads).with_memory((12 << 20) * (2 * threads as u64 + 4))
}

/// A named pipe, and who writes `file` to it by pieces of so many bytes; before each of them it waits as long as `wait` says.
fn pipe(
    place: &Path,
    name: &str,
    file: Vec<u8>,
    piece: usize,
    wait: impl Fn(usize) + Send + 'static,
) -> PathBuf {
    let path = place.join(name);
    let _ = std::fs::remove_file(&path);
    mkfifo(&path, Mode::S_IRWXU).unwrap();
    let to = path.clone();
    thread::spawn(move || {
        let mut to = OpenOptions::new().write(true).open(to).unwrap();
        for (number, bytes) in file.chunks(piece).enumerate() {
            wait(number * piece);
            // Whoever has met a fault reads no more.
            if to.write_all(bytes).is_err() {
                return;
            }
        }
    });
    path
}

/// What comes of `work`, which must not take long.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver): (_, Receiver<T>) = channel();
    thread::spawn(move || sender.send(work()));
    receiver
        .recv_timeout(Duration::from_secs(120))
        .expect("somebody waits for ever, or has panicked")
}

#[test]
fn batches_of_a_pipe_are_those_of_the_text() {
    let place = tempfile::tempdir().unwrap();
    let text = reads(1, 60_000);
    let file = gzip(text.as_bytes());
    assert!(file.len() > 8 << 19, "eight strips");
    let mut expected: Option<Vec<Given>> = None;
    for (threads, piece) in [
        (1, 1 << 20),
        (2, 1 << 20),
        (3, 60_000),
        (8, 1 << 20),
        (8, 1000),
    ] {
        let path = pipe(place.path(), "p.fq.gz", file.clone(), piece, |_| ());
        let found = in_time(move || batches_within(&[path], little(threads), &|_| ()).unwrap());
        match &expected {
            Some(expected) => assert!(found == *expected, "{threads} threads, pieces of {piece}"),
            None => {
                let texts: Vec<&[u8]> = found.iter().map(|batch| &batch.1[0][..]).collect();
                assert!(texts.concat() == text.as_bytes());
                expected = Some(found);
            }
        }
    }
}

#[test]
fn faults_of_a_pipe_are_told_as_by_one_worker() {
    let place = tempfile::tempdir().unwrap();
    let text = reads(3, 40_000);
    let whole = gzip(text.as_bytes());
    let flipped = |at: usize| {
        let mut file = whole.clone();
        file[at] ^= 0x10;
        file
    };
    let files = [
        ("cut", whole[..whole.len() * 2 / 3].to_vec()),
        ("flipped", flipped(whole.len() / 2)),
        ("trailer", flipped(whole.len() - 6)),
        ("garbage", [&whole[..], b"garbage"].concat()),
    ];
    for (name, file) in files {
        let tell = |threads| {
            let path = pipe(place.path(), "p.fq.gz", file.clone(), 100_000, |_| ());
            in_time(move || batches_within(&[path], little(threads), &|_| ()).unwrap_err())
        };
        let expected = tell(1);
        for threads in [2, 8] {
            assert_eq!(tell(threads), expected, "{name}, {threads} threads");
        }
    }
}

/// The writer of mates writes to one pipe and the other in turn, and to none before the other was read.
#[test]
fn mates_of_one_writer_wait_for_nobody() {
    let place = tempfile::tempdir().unwrap();
    let texts = [1, 2].map(|mate| reads(mate, 50_000));
    let files = [0, 1].map(|mate| gzip(texts[mate].as_bytes()));
    for threads in [1, 2, 3, 8] {
        let paths = ["1.fq.gz", "2.fq.gz"].map(|name| place.path().join(name));
        for path in &paths {
            let _ = std::fs::remove_file(path);
            mkfifo(path, Mode::S_IRWXU).unwrap();
        }
        let (names, files) = (paths.clone(), files.clone());
        thread::spawn(move || {
            let open = |path: &PathBuf| OpenOptions::new().write(true).open(path).unwrap();
            let mut pipes = names.each_ref().map(open);
            let mut pieces = files.each_ref().map(|file| file.chunks(32 << 10));
            while pieces.iter().any(|pieces| pieces.len() > 0) {
                for (pipe, pieces) in pipes.iter_mut().zip(&mut pieces) {
                    pipe.write_all(pieces.next().unwrap_or_default()).unwrap();
                }
            }
        });
        let found = in_time(move || batches_within(&paths, little(threads), &|_| ()).unwrap());
        for (mate, text) in texts.iter().enumerate() {
            let all: Vec<&[u8]> = found.iter().map(|batch| &batch.1[mate][..]).collect();
            assert!(all.concat() == text.as_bytes(), "{threads} threads");
        }
    }
}

/// A writer that goes on only when all has been given that it has written, but for what does not fill a batch.
#[test]
fn what_has_come_is_given_while_the_writer_waits() {
    let place = tempfile::tempdir().unwrap();
    let text = reads(5, 60_000);
    let file = gzip(text.as_bytes());
    const PIECE: usize = 50_000;
    for threads in [1, 2, 3, 8] {
        let (go_on, waits) = channel::<()>();
        let waits = Mutex::new(waits);
        let stops = [1, 12, 31, 55, 80].map(|number| number * PIECE);
        assert!(stops[4] < file.len());
        let path = pipe(place.path(), "p.fq.gz", file.clone(), PIECE, move |place| {
            if stops.contains(&place) {
                let _ = waits.lock().unwrap().recv();
            }
        });
        let (sender, given) = channel();
        let sender = Mutex::new(sender);
        let reader = thread::spawn(move || {
            let see = |batch: &Given| {
                let _ = sender.lock().unwrap().send(batch.1[0].len());
            };
            batches_within(&[path], little(threads), &see).unwrap()
        });
        let mut length = 0;
        for stop in stops {
            let mut there = Vec::new();
            let mut decoder = flate2::read::GzDecoder::new(&file[..stop]);
            let _ = decoder.read_to_end(&mut there);
            let begun = Instant::now();
            while length + (300 << 10) < there.len() {
                let left = Duration::from_secs(60).saturating_sub(begun.elapsed());
                length += given.recv_timeout(left).expect("reads are held back");
            }
            go_on.send(()).unwrap();
        }
        let found = reader.join().unwrap();
        let texts: Vec<&[u8]> = found.iter().map(|batch| &batch.1[0][..]).collect();
        assert!(texts.concat() == text.as_bytes(), "{threads} threads");
    }
}
