//! Reads of files, and the bytes of their names and sequences: see `run`. Arguments: threads, files.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use thalweg::{Budget, ReaderOptions, Reads};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments.next().and_then(|threads| threads.parse().ok());
    let Some(threads) = threads else {
        eprintln!("usage: loop THREADS FILE...");
        return ExitCode::from(2);
    };
    match read(threads, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("loop: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read(threads: usize, files: impl Iterator<Item = String>) -> Result<(), thalweg::Error> {
    let options = ReaderOptions::new().budget(Budget::new(threads));
    let options = files.fold(options, ReaderOptions::file);
    let (mut reads, mut names, mut bases) = (0_u64, 0, 0);
    for batch in Reads::open(options)?.all_workers() {
        for record in batch?.records() {
            names += record.id().len();
            bases += record.sequence().len();
            reads += 1;
        }
    }
    println!("{reads} {names} {bases}");
    Ok(())
}
