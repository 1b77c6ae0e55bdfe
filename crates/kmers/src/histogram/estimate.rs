//! Coverage, genome size and heterozygosity from the spectrum of counts.
//!
//! ```text
//! valley   = the first count at which the smoothed spectrum stops to fall: below it, errors of sequencing
//! peak     = the highest point behind the valley
//! for coverage = peak (two copies that differ) and peak / 2 (copies that are the same), and several
//!         heterozygosities:
//!     fit the model (module `model`) to the counts from the valley to five times the peak, least squares,
//!         by Nelder and Mead's simplex; the number of k-mers follows from the rest by one division
//! take the fit with the smallest (error + 0.002) * (1 + 10 * duplication) * (1 + 30 * heterozygosity), the error
//!     as a part of the spectrum: a high and a low peak are one genome and its duplicates, or two copies that
//!     differ nearly everywhere, two like peaks copies that differ, or a genome of duplicates; where both fit,
//!     the less extreme is the more common
//! genome size = sum of count * k-mers from the valley on / (2 * coverage)
//! ```
//!
//! Limits. The model is diploid. A haploid genome (bacteria) fits as one whose copies are the same, and its size is
//! right; of a polyploid one size and heterozygosity are wrong. Below some 10x (15x for the peak of two copies) errors
//! and genome run into each other, and there is no estimate. Contamination, organelles and adapters count
//! as genome; counts that were cut off (Jellyfish's 4-byte counts are not, `-h` of `histo` or KMC's `-cs255` are) make the
//! genome smaller. A genome of repeats only, or one in which both peaks are equally high, may be taken for
//! one of half or twice its coverage: look at the plot.

use super::Histogram;
use super::model::Shape;

/// Counts that a fit looks at, at most: more cost time and lie in the flat tail.
const LONGEST: u64 = 4000;

/// A fit that explains less says nothing about a genome.
const LEAST_FIT: f64 = 0.9;

/// Steps of a fit.
const STEPS: usize = 400;

/// What a spectrum says about the genome that was sequenced.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The count below which k-mers are taken for errors of sequencing.
    pub valley: u64,
    /// Where the spectrum has local maxima behind the valley, the highest first.
    pub peaks: Vec<u64>,
    /// Mean count of a k-mer that lies on one of the two copies of the genome; twice that for k-mers of both.
    pub coverage: f64,
    /// Bases of one copy.
    pub genome_size: u64,
    /// Differences between both copies per base.
    pub heterozygosity: f64,
    /// Part of the genome that lies at two places.
    pub duplication: f64,
    /// Distinct k-mers that are taken for errors.
    pub error_kmers: u64,
    /// Errors of sequencing per base: errors among all k-mers counted, for the k bases of each.
    pub error_rate: f64,
    /// Part of the spectrum, from the valley to five times the peak, that the fit explains: 1 less the sum of
    /// squares of what is left, of that of the spectrum; at least 0.9.
    pub fit: f64,
    /// k-mers of each count from `valley` on that the model expects, for a plot.
    pub model: Vec<f64>,
}

/// Why there is no estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoEstimate {
    /// The spectrum falls all the way: the coverage is too low to tell genome from errors, or there is no genome.
    #[error("the spectrum has no peak other than the error peak: the coverage is too low")]
    NoPeak,
    /// There is a peak, but k-mers that occur more than once mostly lie before it: repeats or organelles at low coverage.
    #[error(
        "most k-mers that occur more than once do so less often than the peak: the coverage is too low"
    )]
    SmallPeak,
    /// No diploid genome explains the spectrum: RNA, a metagenome, an assembly, or several genomes.
    #[error("the spectrum is not that of one genome")]
    PoorFit,
}

impl Estimate {
    /// Mean count of k-mers of both copies from which on an estimate can be relied on.
    pub const ENOUGH_COVERAGE: f64 = 15.0;

    /// Returns true if the coverage is so low that errors and genome run into each other: sizes and heterozygosity may be wrong.
    pub fn has_low_coverage(&self) -> bool {
        2.0 * self.coverage < Self::ENOUGH_COVERAGE
    }
}

impl Histogram {
    /// Estimates coverage, size and heterozygosity of the genome; the module says how, and how far to trust it.
    ///
    /// `k` is the length of the k-mers. Takes some tens of milliseconds.
    ///
    /// # Errors
    /// [`NoEstimate`] says why the spectrum is not that of a genome, covered well enough.
    pub fn estimate(&self, k: usize) -> Result<Estimate, NoEstimate> {
        let smoothed = self.smoothed();
        let valley = valley(&smoothed).ok_or(NoEstimate::NoPeak)?;
        let peaks = peaks(&smoothed, valley);
        let peak = *peaks.first().ok_or(NoEstimate::NoPeak)?;

        let last = (5 * peak).min(LONGEST).max(valley + 10);
        let observed: Vec<f64> = (valley..=last)
            .map(|count| self.get(count) as f64)
            .collect();
        let squares: f64 = observed.iter().map(|x| x * x).sum();
        let score = |left: f64, shape: &Shape| {
            (left / squares + 0.002)
                * (1.0 + 10.0 * shape.duplication)
                * (1.0 + 30.0 * shape.heterozygosity)
        };
        let mut best: Option<(f64, Shape, f64)> = None;
        for coverage in [peak as f64 / 2.0, peak as f64] {
            for heterozygosity in [0.0005, 0.005, 0.03] {
                let start = Shape {
                    coverage,
                    heterozygosity,
                    duplication: 0.05,
                    spread: 0.5,
                };
                let fitted = fit(start, k, valley, &observed);
                let better =
                    |best: (f64, Shape, f64)| score(fitted.0, &fitted.1) < score(best.0, &best.1);
                if best.is_none_or(better) {
                    best = Some(fitted);
                }
            }
        }
        let (left, shape, kmers) = best.ok_or(NoEstimate::NoPeak)?;

        let mut model = vec![0.0; observed.len()];
        shape.densities(k, valley, &mut model);
        model.iter_mut().for_each(|density| *density *= kmers);
        let part = |range: &dyn Fn(u64) -> bool| -> (u64, f64) {
            (self.iter().filter(|&(count, _)| range(count)))
                .fold((0, 0.0), |sum, (count, kmers)| {
                    (sum.0 + kmers, sum.1 + count as f64 * kmers as f64)
                })
        };
        let (error_kmers, errors) = part(&|count| count < valley);
        let (_, genome) = part(&|count| count >= valley);
        let (_, repeated) = part(&|count| count > 1 && count < valley);
        if repeated > genome {
            return Err(NoEstimate::SmallPeak);
        }
        let fit = 1.0 - left / squares;
        if fit < LEAST_FIT {
            return Err(NoEstimate::PoorFit);
        }
        Ok(Estimate {
            valley,
            peaks,
            coverage: shape.coverage,
            genome_size: (genome / (2.0 * shape.coverage)).round() as u64,
            heterozygosity: shape.heterozygosity,
            duplication: shape.duplication,
            error_kmers,
            // A k-mer without error has k bases without: 1 - e of each.
            error_rate: 1.0 - (genome / (genome + errors)).powf(1.0 / k as f64),
            fit,
            model,
        })
    }

    /// The spectrum up to the count at which hardly anything is left, each number the mean of itself and of its
    /// neighbours within a twentieth.
    fn smoothed(&self) -> Vec<f64> {
        let end = (self.max_count().min(LONGEST) + 2) as usize;
        let sums: Vec<f64> = (0..end as u64)
            .scan(0.0, |sum, count| {
                *sum += self.get(count) as f64;
                Some(*sum)
            })
            .collect();
        (0..end)
            .map(|count| {
                let reach = count / 20;
                let (low, high) = (count - reach, (count + reach).min(end - 1));
                let before = if low == 0 { 0.0 } else { sums[low - 1] };
                (sums[high] - before) / (high - low + 1) as f64
            })
            .collect()
    }
}

/// The first count, from 1 on, at which the numbers stop to fall; `None` if they never do.
fn valley(smoothed: &[f64]) -> Option<u64> {
    let rises = |count: usize| {
        // Not by a hair: noise makes single steps up. Behind a valley the next counts are higher, too.
        smoothed
            .get(count + 1)
            .is_some_and(|next| *next > smoothed[count])
            && smoothed
                .get(count + 2)
                .is_some_and(|next| *next > smoothed[count])
            && smoothed[count + 1] + smoothed[count + 2]
                > 2.0 * smoothed[count] + 3.0 * smoothed[count].sqrt()
    };
    (1..smoothed.len())
        .find(|&count| rises(count))
        .map(|count| count as u64)
}

/// Local maxima from the valley on, the highest first; neighbours within a quarter belong to the higher one.
fn peaks(smoothed: &[f64], valley: u64) -> Vec<u64> {
    let highest_near = |count: usize| {
        let reach = (count / 4).max(1);
        let (low, high) = (count - reach, (count + reach).min(smoothed.len() - 1));
        (low.max(valley as usize)..=high).all(|other| smoothed[other] <= smoothed[count])
    };
    let mut peaks: Vec<usize> = (valley as usize + 1..smoothed.len())
        .filter(|&count| smoothed[count] > 0.0 && highest_near(count))
        .collect();
    peaks.sort_by(|&a, &b| smoothed[b].total_cmp(&smoothed[a]).then(a.cmp(&b)));
    // What is less than a thousandth of the highest is noise.
    let least = peaks.first().map_or(0.0, |&first| smoothed[first] / 1000.0);
    (peaks.into_iter())
        .filter(|&count| smoothed[count] >= least)
        .take(8)
        .map(|count| count as u64)
        .collect()
}

/// The shape near `start` that leaves least of the numbers observed from the count `first` on; what it leaves, the
/// shape, and the k-mers of the genome.
fn fit(start: Shape, k: usize, first: u64, observed: &[f64]) -> (f64, Shape, f64) {
    let mut densities = vec![0.0; observed.len()];
    let mut evaluate = |point: &[f64; 4]| -> (f64, f64) {
        from_point(point).densities(k, first, &mut densities);
        // The best factor in the sense of least squares.
        let (mut product, mut square) = (0.0, 0.0);
        for (density, observed) in densities.iter().zip(observed) {
            product += density * observed;
            square += density * density;
        }
        let kmers = if square > 0.0 { product / square } else { 0.0 };
        let left = (densities.iter().zip(observed))
            .map(|(density, observed)| (observed - kmers * density).powi(2))
            .sum::<f64>();
        (if left.is_finite() { left } else { f64::MAX }, kmers)
    };

    // Nelder and Mead: a simplex of five points, whose worst is reflected at the others.
    let origin = to_point(&start);
    let mut simplex: Vec<(f64, [f64; 4])> = (0..5)
        .map(|i| {
            let mut point = origin;
            if i > 0 {
                point[i - 1] += [0.1, 0.7, 0.7, 0.5][i - 1];
            }
            (evaluate(&point).0, point)
        })
        .collect();
    for _ in 0..STEPS {
        simplex.sort_by(|a, b| a.0.total_cmp(&b.0));
        if simplex[4].0 - simplex[0].0 <= 1e-10 * simplex[0].0 {
            break;
        }
        let mut centre = [0.0; 4];
        for (_, point) in &simplex[..4] {
            for (sum, x) in centre.iter_mut().zip(point) {
                *sum += x / 4.0;
            }
        }
        let worst = simplex[4].1;
        let toward = |factor: f64| -> [f64; 4] {
            std::array::from_fn(|i| centre[i] + factor * (centre[i] - worst[i]))
        };
        let mut attempt = |factor: f64| {
            let point = toward(factor);
            (evaluate(&point).0, point)
        };
        let reflected = attempt(1.0);
        let better = if reflected.0 < simplex[0].0 {
            let expanded = attempt(2.0);
            if expanded.0 < reflected.0 {
                expanded
            } else {
                reflected
            }
        } else if reflected.0 < simplex[3].0 {
            reflected
        } else {
            attempt(if reflected.0 < simplex[4].0 {
                0.5
            } else {
                -0.5
            })
        };
        if better.0 < simplex[4].0 {
            simplex[4] = better;
        } else {
            let best = simplex[0].1;
            for vertex in &mut simplex[1..] {
                for (x, best) in vertex.1.iter_mut().zip(best) {
                    *x = (*x + best) / 2.0;
                }
                vertex.0 = evaluate(&vertex.1).0;
            }
        }
    }
    simplex.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (left, point) = simplex[0];
    let kmers = evaluate(&point).1;
    (left, from_point(&point), kmers)
}

/// Coordinates in which every point is a possible shape: logarithms, and logits of parts.
fn to_point(shape: &Shape) -> [f64; 4] {
    let logit = |part: f64| (part / (1.0 - part)).ln();
    [
        shape.coverage.ln(),
        logit(shape.heterozygosity),
        logit(shape.duplication),
        shape.spread.ln(),
    ]
}

fn from_point(point: &[f64; 4]) -> Shape {
    let part = |x: f64| 1.0 / (1.0 + (-x).exp());
    Shape {
        coverage: point[0].clamp(-1.0, 20.0).exp(),
        heterozygosity: part(point[1]),
        duplication: part(point[2]),
        spread: point[3].clamp(-7.0, 10.0).exp(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spectrum that the model expects, with errors below.
    fn spectrum(size: f64, shape: Shape, k: usize, errors: f64) -> Histogram {
        let mut densities = vec![0.0; 1000];
        shape.densities(k, 0, &mut densities);
        (densities.iter().enumerate().skip(1))
            .map(|(count, density)| {
                let error = errors * 0.2f64.powi(count as i32);
                (count as u64, (size * density + error).round() as u64)
            })
            .collect()
    }

    #[test]
    fn a_spectrum_of_the_model_is_found_again() {
        for (coverage, heterozygosity) in
            [(20.0, 0.001), (25.0, 0.01), (30.0, 0.03), (50.0, 0.0001)]
        {
            let shape = Shape {
                coverage,
                heterozygosity,
                duplication: 0.03,
                spread: 0.4,
            };
            let histogram = spectrum(1e7, shape, 21, 1e8);
            let found = histogram.estimate(21).unwrap();
            assert!((found.coverage / coverage - 1.0).abs() < 0.01, "{found:?}");
            assert!(
                (found.heterozygosity - heterozygosity).abs() < 0.05 * heterozygosity + 1e-4,
                "{found:?}"
            );
            // Each haploid k-mer of the model stands for 1 + d places.
            assert!(
                (found.genome_size as f64 / 1.03e7 - 1.0).abs() < 0.02,
                "{found:?}"
            );
            assert!(found.fit > 0.999);
        }
    }

    /// Four genomes of one sample at coverages that no two copies have.
    #[test]
    fn where_the_model_fits_poorly_there_is_no_estimate() {
        let genome = |coverage| {
            let shape = Shape {
                coverage,
                heterozygosity: 0.0001,
                duplication: 0.01,
                spread: 0.2,
            };
            spectrum(1e6, shape, 21, 2e6)
        };
        let mixed: Histogram = [12.0, 31.0, 70.0, 111.0]
            .into_iter()
            .flat_map(|coverage| genome(coverage).iter().collect::<Vec<_>>())
            .collect();
        assert_eq!(mixed.estimate(21), Err(NoEstimate::PoorFit));
        // Each of them alone is one.
        for coverage in [12.0, 31.0, 70.0, 111.0] {
            let found = genome(coverage).estimate(21).unwrap();
            assert!(found.fit >= LEAST_FIT, "{found:?}");
        }
    }

    #[test]
    fn without_a_peak_there_is_no_estimate() {
        let falling: Histogram = (1..50)
            .map(|count| (count, 1_000_000 >> count.min(20)))
            .collect();
        assert_eq!(falling.estimate(21), Err(NoEstimate::NoPeak));
        assert_eq!(Histogram::new().estimate(21), Err(NoEstimate::NoPeak));
        let one = Histogram::from_iter([(u64::MAX, u64::MAX)]);
        assert_eq!(one.estimate(21), Err(NoEstimate::NoPeak));
    }
}
