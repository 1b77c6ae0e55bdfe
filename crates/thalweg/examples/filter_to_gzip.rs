//! Reads of a length and with few N, in order, compressed, on all cores: `filter_to_gzip OUT.fastq.gz READS.fastq.gz ...`.

use thalweg::{Fault, Record};

fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let output = arguments.next().expect("the output, then files of reads");
    let [kept, read] = filter(&output, arguments)?;
    println!("{kept} of {read} reads are in {output}");
    Ok(())
}

/// Reads that are kept, and all reads.
pub fn filter(output: &str, files: impl Iterator<Item = String>) -> Result<[u64; 2], Fault> {
    let done = thalweg::filter_reads(files, output, is_wanted)?;
    Ok([done.kept, done.read])
}

/// At least 100 bases, of which at most one in a hundred is N.
fn is_wanted(read: &Record<'_>) -> bool {
    let sequence = read.sequence();
    let unknown = sequence.iter().filter(|base| **base == b'N').count();
    sequence.len() >= 100 && unknown * 100 <= sequence.len()
}
