//! What masking costs, and how much it masks: `mask_rate FILE.fa`, of one sequence after the other.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use thalweg_taxa::mask::low_complexity;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = fs::read(std::env::args_os().nth(1).ok_or("a FASTA file is needed")?)?;
    let sequences: Vec<Vec<u8>> = file
        .split(|byte| *byte == b'>')
        .skip(1)
        .map(|record| {
            let lines = record.split(|byte| *byte == b'\n');
            lines.skip(1).flatten().copied().collect()
        })
        .collect();
    let letters: usize = sequences.iter().map(Vec::len).sum();
    for _ in 0..20 {
        let mut masked = Vec::new();
        let start = Instant::now();
        let mut sum = 0;
        for sequence in &sequences {
            masked.clear();
            low_complexity(black_box(sequence), &mut masked);
            sum += masked.iter().map(|range| range.len()).sum::<usize>();
        }
        let took = start.elapsed().as_nanos() as f64 / letters as f64;
        println!("{letters} letters, {sum} masked: {took:.2} ns a letter");
    }
    Ok(())
}
