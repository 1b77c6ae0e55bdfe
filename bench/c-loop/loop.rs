//! Reads of files, and the bytes of their names and sequences: see `run`. Arguments: threads, files.
#![forbid(unsafe_code)]

use thalweg::{Budget, ReaderOptions, Reads};

fn main() -> Result<(), thalweg::Error> {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments.next().and_then(|threads| threads.parse().ok());
    let options = ReaderOptions::new().budget(Budget::new(threads.expect("threads, then files")));
    let options = arguments.fold(options, ReaderOptions::file);
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
