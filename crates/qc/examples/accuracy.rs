//! How well adapters are cut: reads simulated mates whose names end in the length of
//! their fragment (`@x:y:LENGTH 1:N:0:...`), and prints the error of the cut in each mode.
//!
//! `cargo run --release -p thalweg-qc --example accuracy -- 1.fq 2.fq`

use thalweg_formats::{Format, Record, Records, Scanner};
use thalweg_qc::{Config, FastpVersion, Mode, Observer, Options, Pieces, Read, Routes, Worker};

/// Remembers how much was kept of each mate.
#[derive(Default)]
struct Kept([usize; 2]);

impl Observer for Kept {
    fn unchanged(&mut self, mate: usize, bases: &[u8], _: &[u8]) {
        self.0[mate] = bases.len();
    }

    fn before(&mut self, _: usize, _: &[u8], _: &[u8]) {}

    fn after(&mut self, mate: usize, bases: &[u8], _: &[u8]) {
        self.0[mate] = bases.len();
    }
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<Vec<u8>> = paths
        .iter()
        .map(|path| std::fs::read(path).expect("a file"))
        .collect();
    let ends: Vec<Vec<u32>> = texts
        .iter()
        .map(|text| {
            let mut ends = Vec::new();
            Scanner::new(Format::Fastq)
                .scan(text, 0, true, usize::MAX, &mut ends)
                .expect("FASTQ");
            ends
        })
        .collect();
    println!("mode\tRMSE\tfalse trims per million\tmissed per million\ttoo short\ttoo long");
    for mode in [
        Mode::Correct,
        Mode::Fastp(FastpVersion::V1_3),
        Mode::Fastp(FastpVersion::V0_23),
    ] {
        let config = Config::new(Options {
            paired: true,
            mode,
            disable_quality_filtering: true,
            disable_length_filtering: true,
            ..Options::default()
        });
        let config = config.expect("options");
        let mut worker = Worker::new(&config);
        let mut pieces = Pieces::new(Routes::none());
        let (mut first, mut second) = (Read::default(), Read::default());
        let (mut squares, mut reads) = (0.0, 0.0);
        let (mut falsely, mut missed, mut short, mut long) = (0.0, 0.0, 0.0, 0.0);
        let records = |file: usize| Records::new(&texts[file], 0, Format::Fastq, &ends[file]);
        for (record, mate) in records(0).zip(records(1)) {
            first.load(&record);
            second.load(&mate);
            let mut kept = Kept::default();
            worker.pair(&mut first, &mut second, false, &mut pieces, &mut kept);
            for (record, kept) in [record, mate].iter().zip(kept.0) {
                let length = record.length();
                let expected = fragment(record).min(length);
                let error = kept as f64 - expected as f64;
                reads += 1.0;
                squares += error * error;
                falsely += f64::from(expected == length && kept < length);
                missed += f64::from(expected < length && kept == length);
                short += f64::from(kept < expected);
                long += f64::from(kept > expected);
            }
        }
        let million = 1e6 / reads;
        println!(
            "{mode:?}\t{:.4}\t{:.1}\t{:.1}\t{short}\t{long}",
            (squares / reads).sqrt(),
            falsely * million,
            missed * million
        );
    }
}

/// The number behind the last colon of a read's name.
fn fragment(record: &Record<'_>) -> usize {
    let name = String::from_utf8_lossy(record.id()).into_owned();
    let number = name.rsplit(':').next().unwrap_or_default();
    number.parse().expect("a name that ends in a length")
}
