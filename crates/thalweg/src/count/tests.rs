//! Counts that are cancelled when all reads are read.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use thalweg_flow::Budget;
use thalweg_kmers::count::{Counter, Sink};
use thalweg_kmers::database::{DatabaseFormat, Description};
use thalweg_kmers::kmer::dispatch;
use thalweg_kmers::options::CountOptions;
use thalweg_kmers::{Kmer, Result};

use super::{CountJob, CountSettings, Inputs, PartitionOutput, Target};
use crate::stoppable::StoppableSink;
use crate::{Control, Fault, Reads, open_reader};

const K: usize = 15;

const FORMATS: [DatabaseFormat; 5] = [
    DatabaseFormat::Thk,
    DatabaseFormat::Jellyfish,
    DatabaseFormat::Kmc,
    DatabaseFormat::Tsv,
    DatabaseFormat::Fasta,
];

/// Bases without an order.
fn bases(number: usize) -> Vec<u8> {
    let mut state = 1u64;
    let next = |_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(7);
        b"ACGT"[(state >> 62) as usize]
    };
    (0..number).map(next).collect()
}

fn options(directory: &Path) -> CountOptions {
    let options = CountOptions::new(K).unwrap();
    options.with_temporary_directory(directory)
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().count() == 0
}

/// Hands everything on, and has the job cancelled at the third call.
struct Cancels<'a, S> {
    sink: &'a S,
    calls: AtomicUsize,
    cancel: &'a AtomicBool,
}

impl<K: Kmer, S: Sink<K>> Sink<K> for Cancels<'_, S> {
    fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<()> {
        if self.calls.fetch_add(1, Ordering::Relaxed) == 2 {
            self.cancel.store(true, Ordering::Relaxed);
        }
        self.sink.accept(partition, entries)
    }

    fn end(&self, partition: usize) -> Result<()> {
        self.sink.end(partition)
    }
}

#[test]
fn partitions_are_counted_no_longer_than_is_wanted() {
    for format in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        let cancel = AtomicBool::new(false);
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        let options = options(directory.path());
        let budget = Budget::new(2).with_memory(64 << 20);
        let counter = Counter::new(options.clone(), budget).unwrap();
        let mut worker = counter.worker().unwrap();
        worker.add(&bases(100_000)).unwrap();
        let shares = vec![worker.into_share().unwrap()];
        let target = Target::with_format(&directory.path().join("a"), format, directory.path());
        let (target, partitions) = (target.unwrap(), counter.partitions());
        let description = Description::new(K, true);
        let output =
            PartitionOutput::<u64>::create(&target, &description, partitions, &options, budget);
        let output = output.unwrap();
        let cancels = Cancels {
            sink: &output,
            calls: AtomicUsize::new(0),
            cancel: &cancel,
        };
        let outcome = counter.finish(shares, &StoppableSink::new(&cancels, &control));
        assert!(Fault::from(outcome.unwrap_err()).is_cancelled(), "{format}");
        // Another thread may have been under way.
        assert!(cancels.calls.into_inner() <= 4, "{format}");
        drop(output);
        assert!(is_empty(directory.path()), "{format}");
    }
}

/// Reads whose file has the job cancelled when it is closed.
struct CancelsWhenClosed {
    text: io::Cursor<Vec<u8>>,
    cancel: Arc<AtomicBool>,
}

impl Read for CancelsWhenClosed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.text.read(buffer)
    }
}

impl Drop for CancelsWhenClosed {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_job_that_is_cancelled_at_the_end_of_its_input_leaves_nothing() {
    let text = [b">r\n", &bases(100_000)[..], b"\n"].concat();
    for format in FORMATS.map(Some).into_iter().chain([None]) {
        let directory = tempfile::tempdir().unwrap();
        let cancel = Arc::new(AtomicBool::new(false));
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        let output = directory.path().join("a");
        let target = format.map(|format| Target::with_format(&output, format, directory.path()));
        let target = target.transpose().unwrap();
        let inputs = Inputs::all(&["r.fa".into()], |_, _| {
            let reads = CancelsWhenClosed {
                text: io::Cursor::new(text.clone()),
                cancel: Arc::clone(&cancel),
            };
            Ok::<Reads, Fault>(open_reader("r.fa", reads)?)
        });
        let job = CountJob {
            inputs: inputs.unwrap(),
            control: &control,
            options: options(directory.path()),
            budget: Budget::new(2).with_memory(64 << 20),
            target: target.as_ref(),
            histo: None,
            largest: u64::MAX,
            description: Description::new(K, true),
        };
        let outcome = dispatch(K, job).unwrap();
        assert!(outcome.unwrap_err().is_cancelled(), "{format:?}");
        assert!(is_empty(directory.path()), "{format:?}");
    }
}

/// All is read, and the job is cancelled before anything is counted: also where only totals are wanted.
#[test]
fn the_second_stage_does_not_go_on_when_it_is_cancelled() {
    let text = [b">r\n", &bases(100_000)[..], b"\n"].concat();
    for format in FORMATS.map(Some).into_iter().chain([None]) {
        let directory = tempfile::tempdir().unwrap();
        let cancel = AtomicBool::new(false);
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        let output = directory.path().join("a");
        let target = format.map(|format| Target::with_format(&output, format, directory.path()));
        let target = target.transpose().unwrap();
        let inputs = Inputs::all(&["r.fa".into()], |_, _| {
            let reads = io::Cursor::new(text.clone());
            Ok::<Reads, Fault>(open_reader("r.fa", reads)?)
        });
        let job = CountJob {
            inputs: inputs.unwrap(),
            control: &control,
            options: options(directory.path()),
            budget: Budget::new(2).with_memory(64 << 20),
            target: target.as_ref(),
            histo: None,
            largest: u64::MAX,
            description: Description::new(K, true),
        };
        let mut stage = job.read_all::<u64>().unwrap();
        cancel.store(true, Ordering::Relaxed);
        assert!(stage.count().unwrap_err().is_cancelled(), "{format:?}");
        drop(stage);
        assert!(is_empty(directory.path()), "{format:?}");
    }
}

/// A spectrum that is compressed goes out at its end: the disk is full then.
#[test]
fn a_database_does_not_appear_without_its_spectrum() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("r.fa"), [b">r\n", &bases(1000)[..], b"\n"].concat()).unwrap();
    std::os::unix::fs::symlink("/dev/full", path("full.gz")).unwrap();
    for (histo, is_full) in [("full.gz", true), ("histo.gz", false)] {
        let mut settings = CountSettings::new(K, [path("r.fa")]);
        settings.output = Some(path("a.thk"));
        settings.histo = Some(path(histo));
        assert_eq!(settings.run(&Control::default()).is_err(), is_full);
        assert_eq!(path("a.thk").exists(), !is_full);
    }
}

/// Text that is written to a pipe, whose reader cancels when he has opened it: all is counted then.
#[test]
fn what_is_written_ends_when_it_is_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let (reads, pipe) = (directory.path().join("r.fa"), directory.path().join("pipe"));
    fs::write(&reads, [b">r\n", &bases(2_000_000)[..], b"\n"].concat()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let cancel = AtomicBool::new(false);
    let control = Control {
        cancel: Some(&cancel),
        ..Control::default()
    };
    let mut settings = CountSettings::new(K, [&reads]);
    settings.output = Some(pipe.clone());
    settings.format = DatabaseFormat::Tsv;
    let (outcome, read) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut file = fs::File::open(&pipe).unwrap();
            cancel.store(true, Ordering::Relaxed);
            let mut read = Vec::new();
            file.read_to_end(&mut read).unwrap();
            read
        });
        (settings.run(&control), reader.join().unwrap())
    });
    assert!(outcome.unwrap_err().is_cancelled());
    // So much would all of it be, at least.
    assert!(read.len() < 1_500_000 * (K + 3));
}
