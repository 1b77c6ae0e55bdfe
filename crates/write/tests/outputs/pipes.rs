//! Pipes and devices: order, slow and impatient readers, mates read in step.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::support::{Random, batches, expected, runs, write};
use nix::sys::stat::Mode;
use proptest::prelude::*;
use thalweg_flow::Failure;
use thalweg_write::{Error, OutputOptions, OutputPiece, Outputs, Split, ordinal};

fn fifo(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(name);
    nix::unistd::mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
    path
}

/// Read a pipe in small pieces, with pauses.
fn read_slowly(path: PathBuf, pause: u64) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut file = File::open(path).unwrap();
        let mut random = Random(pause);
        let (mut text, mut part) = (Vec::new(), vec![0; 5000]);
        loop {
            let size = file.read(&mut part).unwrap();
            if size == 0 {
                return text;
            }
            text.extend_from_slice(&part[..size]);
            if pause > 0 {
                thread::sleep(Duration::from_micros(random.below(pause)));
            }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn one_pipe_beside_a_file(
        run in runs(6, 30),
        pause in prop_oneof![Just(0_u64), Just(200)],
    ) {
        let directory = tempfile::tempdir().unwrap();
        let batches = run.batches(2, 60);
        let pipe = fifo(directory.path(), "pipe");
        let file = directory.path().join("file");
        let reader = read_slowly(pipe.clone(), pause);
        let options = [&pipe, &file].map(OutputOptions::new);
        let written = run.write(options.into(), &batches, 100);
        let text = reader.join().unwrap();
        prop_assert_eq!(written[0][0].bytes, text.len() as u64);
        prop_assert!(text == expected(&batches, 0));
        prop_assert!(std::fs::read(file).unwrap() == expected(&batches, 1));
    }

    #[test]
    fn several_pipes_with_readers_of_their_own(
        run in runs(6, 30),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let batches = run.batches(3, 60);
        let pipes = ["a", "b", "c"].map(|name| fifo(directory.path(), name));
        let readers: Vec<_> = [0, 100, 200].into_iter().zip(&pipes)
            .map(|(pause, pipe)| read_slowly(pipe.clone(), pause))
            .collect();
        run.write(pipes.iter().map(OutputOptions::new).collect(), &batches, 100);
        for (number, reader) in readers.into_iter().enumerate() {
            prop_assert!(reader.join().unwrap() == expected(&batches, number));
        }
    }
}

/// Mates of equal length in batches much larger than a pipe, for a tool that reads
/// a few bytes of each in turn.
fn mates_in_step(threads: usize, ahead: u64) {
    const TICKETS: u64 = 6;
    const SIZE: usize = 3 << 20;
    let directory = tempfile::tempdir().unwrap();
    let pipes = ["r1", "r2"].map(|name| fifo(directory.path(), name));
    let paths = pipes.clone();
    let reader = thread::spawn(move || {
        let mut files = paths.map(|path| File::open(path).unwrap());
        let mut parts = [vec![0; 1000], vec![0; 1000]];
        let mut sum = 0;
        loop {
            let mut read = |mate: usize| {
                let mut whole = 0;
                while whole < 1000 {
                    match files[mate].read(&mut parts[mate][whole..]).unwrap() {
                        0 => break,
                        size => whole += size,
                    }
                }
                whole
            };
            let (first, second) = (read(0), read(1));
            assert_eq!(first, second);
            assert!(parts[0][..first] == parts[1][..first]);
            if first == 0 {
                return sum;
            }
            sum += first;
        }
    });
    let outputs = Outputs::open(pipes.iter().map(OutputOptions::new).collect(), ahead).unwrap();
    let claims = thalweg_flow::Claims::new(TICKETS);
    thalweg_flow::run_or(
        threads,
        |_, _| {
            let mut writer = outputs.writer()?;
            while let Some(ticket) = claims.claim() {
                outputs.begin(ticket)?;
                let mut texts = [0, 1].map(|_| vec![b'A' + ticket as u8; SIZE]);
                let [first, second] = &mut texts;
                let mut pieces = [first, second].map(|text| OutputPiece::new(text, 0));
                writer.write(ordinal(ticket), &mut pieces)?;
            }
            Ok::<_, Error>(())
        },
        || outputs.close(),
    )
    .unwrap();
    outputs.finish(TICKETS).unwrap();
    assert_eq!(reader.join().unwrap(), SIZE * TICKETS as usize);
}

#[test]
fn mates_can_be_read_in_step_whatever_the_threads_and_the_capacity() {
    for threads in [1, 2, 4] {
        for ahead in [1, 2, 5] {
            mates_in_step(threads, ahead);
        }
    }
}

/// A reader that takes `bytes` and goes away.
fn read_some(path: PathBuf, bytes: usize) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut file = File::open(path).unwrap();
        file.read_exact(&mut vec![0; bytes]).unwrap();
    })
}

#[test]
fn a_pipe_that_nobody_reads_any_more_is_an_error_of_its_own() {
    for pipes in [1, 2] {
        for threads in [1, 4] {
            let directory = tempfile::tempdir().unwrap();
            let batches = batches(3, 200, pipes + 1, 200);
            let mut options = vec![OutputOptions::new(directory.path().join("file.gz"))];
            let mut readers = Vec::new();
            for number in 0..pipes {
                let pipe = fifo(directory.path(), &number.to_string());
                readers.push(read_some(pipe.clone(), 10_000));
                options.push(OutputOptions::new(&pipe));
            }
            let outputs = Outputs::open(options, 4).unwrap();
            let failure = write(&outputs, &batches, threads, 2, 0).unwrap_err();
            let Failure::Failed(Error::ClosedPipe { path }) = failure else {
                panic!("{failure:?}");
            };
            assert_eq!(path.parent(), Some(directory.path()));
            assert!(matches!(outputs.finish(200), Err(Error::Stopped)));
            readers
                .into_iter()
                .for_each(|reader| reader.join().unwrap());
            assert_eq!(crate::support::names(directory.path()).len(), pipes);
        }
    }
}

#[test]
fn a_slow_reader_stops_the_workers() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = fifo(directory.path(), "pipe");
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let path = pipe.clone();
    let reader = thread::spawn(move || {
        let mut file = File::open(path).unwrap();
        wait.recv().unwrap();
        let mut text = Vec::new();
        file.read_to_end(&mut text).unwrap();
        text
    });
    let outputs = Outputs::open(vec![OutputOptions::new(&pipe)], 3).unwrap();
    let begun = std::sync::atomic::AtomicU64::new(0);
    let claims = thalweg_flow::Claims::new(20);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut writer = outputs.writer().unwrap();
                while let Some(ticket) = claims.claim() {
                    outputs.begin(ticket).unwrap();
                    begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    // More than a pipe holds.
                    let mut text = vec![b'a' + ticket as u8; 5 << 20];
                    writer
                        .write(ordinal(ticket), &mut [OutputPiece::new(&mut text, 0)])
                        .unwrap();
                }
            });
        }
        thread::sleep(Duration::from_millis(300));
        let stopped_at = begun.load(std::sync::atomic::Ordering::Relaxed);
        go.send(()).unwrap();
        assert!(stopped_at <= 3, "{stopped_at} batches with a capacity of 3");
    });
    outputs.finish(20).unwrap();
    let text = reader.join().unwrap();
    assert_eq!(text.len(), 20 * (5 << 20));
    assert!(text.is_sorted());
}

#[test]
fn devices_take_what_they_are_given() {
    let batches = batches(5, 10, 2, 20);
    let options = vec![
        OutputOptions::new("/dev/null"),
        OutputOptions::new("/dev/null"),
    ];
    let outputs = Outputs::open(options, 2).unwrap();
    write(&outputs, &batches, 3, 1, 0).unwrap();
    outputs.finish(10).unwrap();

    let split = Split::every(std::num::NonZeroU64::MIN);
    let error = Outputs::open(vec![OutputOptions::new("-").split(split)], 1).err();
    // With a number in front it would be a file called "0001.-".
    assert!(
        matches!(error, Some(Error::SplitStream { .. })),
        "{error:?}"
    );
}

/// The child of the next test.
#[test]
#[ignore = "is started by `the_standard_output_may_be_one_of_several_pipes`"]
fn write_to_standard_output() {
    let Some(pipe) = std::env::var_os("THALWEG_WRITE_TEST_PIPE") else {
        return;
    };
    let batches = batches(21, 20, 2, 500);
    let options = vec![OutputOptions::new("-"), OutputOptions::new(pipe)];
    let outputs = Outputs::open(options, 3).unwrap();
    write(&outputs, &batches, 3, 2, 0).unwrap();
    let written = outputs.finish(20).unwrap();
    assert_eq!(written[0][0].path, Path::new("standard output"));
}

#[test]
fn the_standard_output_may_be_one_of_several_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = fifo(directory.path(), "pipe");
    let reader = read_slowly(pipe.clone(), 50);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "pipes::write_to_standard_output",
            "--ignored",
            "--nocapture",
        ])
        .env("THALWEG_WRITE_TEST_PIPE", &pipe)
        .output()
        .unwrap();
    assert!(output.status.success());
    let batches = batches(21, 20, 2, 500);
    assert!(reader.join().unwrap() == expected(&batches, 1));
    // The test harness of the child prints something around it.
    let text = expected(&batches, 0);
    assert!(text.len() > 200_000);
    let start = output
        .stdout
        .windows(5)
        .position(|part| part == b"@0.0\n")
        .unwrap();
    assert!(output.stdout[start..].starts_with(&text));
}
