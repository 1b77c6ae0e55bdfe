//! Counts k-mers, and shows how many occur once, twice, ...: `kmer_count COUNTS.thk READS.fastq.gz ...`.

use thalweg::count::CountSettings;
use thalweg::databases::HistogramSettings;
use thalweg::{Control, Fault};

fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let database = arguments.next().expect("the database, then files of reads");
    for (count, kmers) in count(&database, arguments)? {
        println!("{kmers} k-mers occur {count} times");
    }
    Ok(())
}

/// The spectrum: for each count, how many k-mers have it.
pub fn count(
    database: &str,
    files: impl Iterator<Item = String>,
) -> Result<Vec<(u64, u64)>, Fault> {
    let mut settings = CountSettings::new(21, files);
    settings.output = Some(database.into());
    let counted = settings.run(&Control::default())?;
    eprintln!("{} different k-mers", counted.totals.distinct);
    let spectrum = HistogramSettings::new(database).run(&Control::default())?;
    Ok(spectrum.iter().collect())
}
