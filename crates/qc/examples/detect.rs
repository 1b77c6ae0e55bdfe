//! Which adapter the reads of plain FASTQ files end in, as fastp sees it and as we do.
//!
//! `cargo run --release -p thalweg-qc --example detect -- reads.fq...`

use thalweg_formats::{Format, Records, Scanner};
use thalweg_qc::{AdapterDetector, FastpVersion, Mode};

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).expect("a file");
        let mut ends = Vec::new();
        Scanner::new(Format::Fastq)
            .scan(&text, 0, true, usize::MAX, &mut ends)
            .expect("FASTQ");
        for mode in [Mode::Fastp(FastpVersion::V0_23), Mode::Correct] {
            let mut detector = AdapterDetector::new(mode, 0);
            for record in Records::new(&text, 0, Format::Fastq, &ends) {
                detector.add(&record.sequence());
            }
            let sequence = detector.detect().map(|adapter| adapter.sequence);
            let sequence = String::from_utf8(sequence.unwrap_or_default()).expect("letters");
            println!("{path}\t{mode:?}\t{sequence}");
        }
    }
}
