//! Estimates from the spectra of simulated reads, whose genome is known.

use crate::support::Random;
use thalweg_kmers::database::SequenceKmers;
use thalweg_kmers::histogram::Histogram;
use thalweg_kmers::kmer::Kmer;

/// Counts of the canonical 21-mers of reads of 150 bases of both copies.
fn spectrum(size: usize, heterozygosity: f64, coverage: f64, errors: f64, seed: u64) -> Histogram {
    let mut random = Random(seed);
    let letter = |random: &mut Random| b"ACGT"[random.below(4) as usize];
    let happens = |random: &mut Random, rate: f64| {
        (random.below(1 << 32) as f64) < rate * (1u64 << 32) as f64
    };
    let first: Vec<u8> = (0..size).map(|_| letter(&mut random)).collect();
    let mut second = first.clone();
    for base in &mut second {
        if happens(&mut random, heterozygosity) {
            *base = other(*base);
        }
    }
    let mut kmers: Vec<u64> = Vec::new();
    for copy in [&first, &second] {
        for _ in 0..(size as f64 * coverage / 150.0) as usize {
            let start = random.below((size - 150) as u64) as usize;
            let mut read = copy[start..start + 150].to_vec();
            for base in &mut read {
                if happens(&mut random, errors) {
                    *base = other(*base);
                }
            }
            for (_, kmer) in SequenceKmers::<u64>::new(&read, 21) {
                kmers.push(kmer.canonical(21));
            }
        }
    }
    kmers.sort_unstable();
    let equal = kmers.chunk_by(|a, b| a == b);
    equal.map(|equal| (equal.len() as u64, 1)).collect()
}

fn other(base: u8) -> u8 {
    match base {
        b'A' => b'C',
        b'C' => b'G',
        b'G' => b'T',
        _ => b'A',
    }
}

#[test]
fn a_diploid_genome_is_measured() {
    for (heterozygosity, coverage) in [(0.0, 25.0), (0.002, 20.0), (0.01, 25.0), (0.03, 30.0)] {
        let histogram = spectrum(150_000, heterozygosity, coverage, 0.003, 5);
        let found = histogram.estimate(21).unwrap();
        // Of a read's 150 bases 130 begin a 21-mer.
        let expected = coverage * 130.0 / 150.0 * (1.0f64 - 0.003).powi(21);
        assert!(
            (found.coverage / expected - 1.0).abs() < 0.05,
            "{expected}: {found:?}"
        );
        let size = found.genome_size as f64 / 150_000.0;
        assert!((0.95..1.05).contains(&size), "{size}: {found:?}");
        let wrong = (found.heterozygosity - heterozygosity).abs();
        assert!(
            wrong < 0.15 * heterozygosity + 5e-4,
            "{heterozygosity}: {found:?}"
        );
        assert!((found.error_rate / 0.003 - 1.0).abs() < 0.2, "{found:?}");
        assert!(found.fit > 0.9, "{found:?}");
        let main = 2.0 * expected;
        let near = |peak: &u64| (*peak as f64 / main - 1.0).abs() < 0.15;
        assert!(
            heterozygosity > 0.02 || found.peaks.first().is_some_and(near),
            "{found:?}"
        );

        let svg = histogram.to_svg("simulated", Some(&found));
        assert!(svg.contains("both copies") && svg.contains("<polyline") && !svg.contains("NaN"));
    }
}

#[test]
fn low_coverage_gives_no_estimate() {
    let histogram = spectrum(150_000, 0.001, 1.5, 0.005, 9);
    assert!(histogram.estimate(21).is_err());
}
