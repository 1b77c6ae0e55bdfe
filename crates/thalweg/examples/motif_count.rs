//! Reads with a motif on either strand, on all cores: `motif_count GAATTC READS.fastq.gz ...`.

fn main() -> Result<(), thalweg::Error> {
    let mut arguments = std::env::args().skip(1);
    let motif = arguments.next().expect("a motif, then files of reads");
    let [found, reads] = count(motif.as_bytes(), arguments)?;
    println!("{found} of {reads} reads have {motif}");
    Ok(())
}

/// Reads that have it, and all reads.
pub fn count(
    motif: &[u8],
    files: impl Iterator<Item = String>,
) -> Result<[u64; 2], thalweg::Error> {
    let other_strand = thalweg::reverse_complement(motif);
    let has = |sequence: &[u8], motif: &[u8]| sequence.windows(motif.len()).any(|at| at == motif);
    thalweg::open(files)?.all_workers().fold(
        || [0, 0],
        |[found, reads], batch| {
            for read in batch.records() {
                let sequence = read.sequence();
                *found += u64::from(has(&sequence, motif) || has(&sequence, &other_strand));
                *reads += 1;
            }
        },
        |sum, part| {
            sum[0] += part[0];
            sum[1] += part[1];
        },
    )
}
