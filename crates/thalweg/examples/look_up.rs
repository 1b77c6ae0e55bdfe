//! How often k-mers were counted: `look_up COUNTS.thk ACGTACGTACGTACGTACGTA ...`.

use thalweg::databases::find_counts;
use thalweg::{Control, Fault};

fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let database = arguments.next().expect("a database, then k-mers");
    let kmers: Vec<String> = arguments.collect();
    for (kmer, count) in kmers.iter().zip(counts(&database, &kmers)?) {
        println!("{kmer}\t{count}");
    }
    Ok(())
}

/// Of each k-mer; 0 of those that the database does not have.
pub fn counts(database: &str, kmers: &[String]) -> Result<Vec<u64>, Fault> {
    let control = Control {
        says: Some(&|message| eprintln!("{message}")),
        ..Control::default()
    };
    let found = find_counts(database, kmers, &control)?;
    Ok(found.into_iter().map(Option::unwrap_or_default).collect())
}
