//! The shape of the spectrum of a diploid genome.
//!
//! Let `l` be the mean count of a k-mer that lies on one of the two copies of the genome. Of two copies of one place
//! that differ at a rate `r` per base, the k-mers are equal with probability `h = (1 - r)^k`, and then count
//! `2l`; otherwise they are two k-mers that count `l` each. Let a part `d` of the genome lie at two places:
//! such a pair of places gives a k-mer of `4l` if neither place differs between the copies, one of `3l` and
//! one of `l` if one place does, and one of `2l` and two of `l` if both do. So for each k-mer of the haploid genome
//! there are
//!
//! ```text
//! at  l:  2 (1 - d)(1 - h) + 2 d h (1 - h) + 2 d (1 - h)^2
//! at 2l:    (1 - d) h      +   d (1 - h)^2
//! at 3l:                      2 d h (1 - h)
//! at 4l:                        d h^2
//! ```
//!
//! and each of the four is spread as a negative binomial, whose variance is `1 + b` times its mean: coverage varies
//! more than chance alone (`b = 0`) would make it. That is the model of GenomeScope (Vurture and others, 2017),
//! derived here anew.

/// Parameters of the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    /// Mean count of a k-mer of one copy.
    pub(super) coverage: f64,
    /// Differences between the copies per base.
    pub(super) heterozygosity: f64,
    /// Part of the genome that lies at two places.
    pub(super) duplication: f64,
    /// Variance beyond that of chance, as a multiple of the mean.
    pub(super) spread: f64,
}

impl Shape {
    /// How many k-mers there are at one to four times the coverage, for each of the haploid genome.
    pub(super) fn weights(&self, k: usize) -> [f64; 4] {
        let same = (1.0 - self.heterozygosity).powi(k as i32);
        let (differs, d) = (1.0 - same, self.duplication);
        [
            2.0 * (1.0 - d) * differs + 2.0 * d * same * differs + 2.0 * d * differs * differs,
            (1.0 - d) * same + d * differs * differs,
            2.0 * d * same * differs,
            d * same * same,
        ]
    }

    /// The expected number of k-mers of each count from `first` on, for each of the haploid genome.
    pub(super) fn densities(&self, k: usize, first: u64, out: &mut [f64]) {
        out.fill(0.0);
        for (i, weight) in self.weights(k).into_iter().enumerate() {
            if weight > 0.0 {
                let mean = self.coverage * (i + 1) as f64;
                add_negative_binomial(mean, self.spread, weight, first, out);
            }
        }
    }
}

/// Adds `weight` times the probabilities of `first`, `first + 1`, ... of a negative binomial with this mean and a
/// variance of `1 + spread` times it.
fn add_negative_binomial(mean: f64, spread: f64, weight: f64, first: u64, out: &mut [f64]) {
    // P(x) = Gamma(x + n) / (Gamma(n) x!) p^n (1 - p)^x with p = 1 / (1 + spread), n = mean / spread; a Poisson
    // distribution in the limit, which 1e-3 is near enough to and stays within the precision of ln_gamma.
    let spread = spread.max(1e-3);
    let n = mean / spread;
    let (ln_p, ln_q) = (-spread.ln_1p(), (spread / (1.0 + spread)).ln());
    let x = first as f64;
    let ln_first = ln_gamma(x + n) - ln_gamma(n) - ln_gamma(x + 1.0) + n * ln_p + x * ln_q;
    let (mut ln, q) = (ln_first, ln_q);
    for (i, density) in out.iter_mut().enumerate() {
        *density += weight * ln.exp();
        let x = x + i as f64;
        // From x to x + 1; in logarithms, since far from the mean the probabilities vanish.
        ln += ((x + n) / (x + 1.0)).ln() + q;
    }
}

/// The logarithm of the gamma function for positive numbers, by Stirling's series: 1e-10 near.
fn ln_gamma(mut x: f64) -> f64 {
    // The series is good from about 10 on; below, Gamma(x) = Gamma(x + 1) / x.
    let mut shift = 0.0;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series =
        inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
    shift + (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gamma_function_is_that_of_factorials() {
        let mut factorial: f64 = 1.0;
        for n in 1..100 {
            assert!((ln_gamma(n as f64) - factorial.ln()).abs() < 1e-9, "{n}");
            factorial *= n as f64;
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-9);
    }

    #[test]
    fn probabilities_add_up_and_have_the_mean_and_the_variance() {
        for (mean, spread) in [(3.0, 0.0), (20.0, 0.5), (150.0, 3.0)] {
            let mut densities = vec![0.0; 2000];
            add_negative_binomial(mean, spread, 1.0, 0, &mut densities);
            let moment = |power: i32| -> f64 {
                (densities.iter().enumerate())
                    .map(|(x, p)| p * (x as f64).powi(power))
                    .sum()
            };
            assert!((moment(0) - 1.0).abs() < 1e-6);
            assert!((moment(1) - mean).abs() < 1e-4 * mean);
            let variance = moment(2) - moment(1) * moment(1);
            assert!((variance / (mean * (1.0 + spread)) - 1.0).abs() < 0.01);
        }
    }

    #[test]
    fn every_place_of_both_copies_is_covered() {
        // The mean counts of all k-mers of a haploid genome's length add up to two copies (of one place).
        for (r, d) in [(0.0, 0.0), (0.01, 0.0), (0.05, 0.3), (0.5, 1.0)] {
            let shape = Shape {
                coverage: 1.0,
                heterozygosity: r,
                duplication: d,
                spread: 0.0,
            };
            let sum: f64 = (1..)
                .zip(shape.weights(21))
                .map(|(n, w)| n as f64 * w)
                .sum();
            // A duplicated place stands for two places of the genome.
            assert!((sum - 2.0 * (1.0 + d)).abs() < 1e-12, "{sum}");
        }
    }
}
