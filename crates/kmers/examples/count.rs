//! Counts the k-mers of a FASTQ or FASTA file and says what each stage took.
//!
//! ```text
//! cargo run --release --example count -- FILE [k] [threads] [memory in MiB] [partitions or 0] [kernel]
//! ```
//!
//! The file is read once before, into memory, so that the times are those of the counting alone.

use std::{error::Error, sync::Mutex, time::Instant};
use thalweg_flow::{Budget, Claims, run};
use thalweg_kmers::{
    Kmer,
    count::{CountTotals, Counter, Share, Sink},
    kmer::{KmerTask, dispatch},
    options::CountOptions,
};

/// Adds up a number that depends on every k-mer and count, in any order.
struct Checksum(Mutex<u64>);

impl<K: Kmer> Sink<K> for Checksum {
    fn accept(&self, _: usize, entries: &[(K, u64)]) -> thalweg_kmers::Result<()> {
        let sum = entries.iter().fold(0u64, |sum, entry| {
            sum.wrapping_add(entry.0.mix().wrapping_mul(entry.1 | 1))
        });
        let mut total = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        *total = total.wrapping_add(sum);
        Ok(())
    }
}

struct Finish<'a>(&'a Counter, Vec<Share>);

impl KmerTask for Finish<'_> {
    type Output = thalweg_kmers::Result<(CountTotals, u64)>;

    fn run<K: Kmer>(self) -> Self::Output {
        let sink = Checksum(Mutex::new(0));
        let totals = self.0.finish::<K>(self.1, &sink)?;
        let sum = *sink
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        Ok((totals, sum))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: usize| match arguments.get(i) {
        Some(text) => text.parse(),
        None => Ok(default),
    };
    let file = arguments.first().ok_or("which file?")?;
    let (k, threads, memory) = (number(1, 31)?, number(2, 1)?, number(3, 4096)?);
    let partitions = number(4, 0)?;
    let text = std::fs::read(file)?;
    // Four lines per record of FASTQ; each line of FASTA by itself would break k-mers, so joined.
    let reads = sequences(&text);
    let mut options = CountOptions::new(k)?
        .with_expected_bases(Some(reads.iter().map(|read| read.len() as u64).sum()));
    if let Some(name) = arguments.get(5) {
        options = options.with_kernel(name);
    }
    if partitions > 0 {
        options = options.with_partitions(partitions)?;
    }
    let counter = Counter::new(
        options,
        Budget::new(threads).with_memory((memory as u64) << 20),
    )?;

    let start = Instant::now();
    let before = processor_seconds();
    // 4096 reads of a claim: one atomic operation for half a megabase.
    let claims = Claims::new(reads.len().div_ceil(4096) as u64);
    let shares = run::<_, thalweg_kmers::Error, _>(threads, |_, stop| {
        let mut worker = counter.worker()?;
        while let Some(next) = claims.claim().filter(|_| !stop.is_stopped()) {
            let first = next as usize * 4096;
            for read in &reads[first..reads.len().min(first + 4096)] {
                worker.add(read)?;
            }
        }
        worker.into_share()
    })
    .map_err(|failure| format!("{failure:?}"))?;
    let first = start.elapsed().as_secs_f64();
    let between = processor_seconds();
    let (totals, checksum) = dispatch(k, Finish(&counter, shares))??;
    let second = start.elapsed().as_secs_f64() - first;
    let after = processor_seconds();

    let per_kmer = |seconds: f64| 1e9 * seconds / totals.kmers as f64;
    println!(
        "k {k}, {threads} threads, {} partitions, {}",
        counter.partitions(),
        counter.kernel()
    );
    println!(
        "total {} distinct {} singletons {}",
        totals.kmers,
        totals.distinct,
        totals.histogram.get(1)
    );
    println!("checksum {checksum:016x}");
    println!(
        "super-k-mers {} merged {} bytes/k-mer {:.2} spilled/k-mer {:.2} extra passes {}",
        totals.super_kmers,
        totals.merged_super_kmers,
        totals.record_bytes as f64 / totals.kmers as f64,
        totals.spilled_bytes as f64 / totals.kmers as f64,
        totals.extra_passes
    );
    for (name, wall, processor) in [
        ("stage 1", first, between - before),
        ("stage 2", second, after - between),
        ("together", first + second, after - before),
    ] {
        println!(
            "{name:8} {wall:.3} s by the clock, {processor:.2} s of processors, {:.2} ns/k-mer of processors",
            per_kmer(processor)
        );
    }
    Ok(())
}

/// The second line of every four of FASTQ, or what lies between the headers of FASTA as it is
/// (line ends break k-mers: use unwrapped FASTA).
fn sequences(text: &[u8]) -> Vec<&[u8]> {
    let lines = text.split(|&byte| byte == b'\n');
    if text.first() == Some(&b'>') {
        lines.filter(|line| line.first() != Some(&b'>')).collect()
    } else {
        lines.skip(1).step_by(4).collect()
    }
}

/// What all threads have computed so far: on a machine with other work the clock says little.
///
/// Fields 14 to 17 of Linux's process status are hundredths of seconds; zero elsewhere.
fn processor_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = status.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(4);
    ticks
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
