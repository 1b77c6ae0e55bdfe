//! How many k-mers of a taxon a random read has, by its composition and that of the taxon's k-mers.
//!
//! ```text
//! q(t, g) = sum over n of N(t, n) 2 (g / 2)^n ((1 - g) / 2)^(k - n)       that a k-mer is one of t
//! a(g)    = g^2 / 2 + (1 - g)^2 / 2                                      that one more base agrees with a genome, too
//! S       = clumps, as many as by Poisson's law of v q (1 - a), each of so many k-mers as by the geometric law of a
//! null    = (the least m for which S > m has a probability of 1e-7 at most) / v
//! ```
//! N(t, n) are the distinct canonical k-mers of t with n G and C, on either strand; g is the share of G and C of a read, in
//! ten steps; v are its k-mers. LMAT has the same from 10^10 bases of random reads for each taxon.

use crate::database::GC_BINS;

/// Steps of the share of G and C.
const STEPS: usize = 10;

/// The probability that is left.
const TAIL: f64 = 1e-7;

/// As many k-mers of a taxon as are looked up in a table.
const MOST_IN_TABLE: usize = 128;

/// So many standard deviations above the mean leave that probability, where k-mers are many.
const DEVIATIONS: f64 = 5.2;

/// What is by chance, of each taxon.
#[derive(Clone, Debug)]
pub struct NullModel {
    /// By node and step: the probability that a k-mer is one of the taxon's.
    hits: Vec<[f64; STEPS]>,
    /// By step: a.
    goes_on: [f64; STEPS],
    /// By step and m: the most clumps to be expected with which m k-mers are enough.
    enough: Vec<[f64; MOST_IN_TABLE]>,
}

impl NullModel {
    /// For k-mers of `k` bases, of which each node, by number, has so many with no G and C, with one, and so on.
    ///
    /// Memory: 80 bytes for a node.
    pub fn new(by_gc: impl IntoIterator<Item = [u64; GC_BINS]>, k: usize) -> Self {
        let chances = std::array::from_fn::<_, STEPS, _>(|step| {
            let gc = middle(step);
            std::array::from_fn::<_, GC_BINS, _>(|n| match k.checked_sub(n) {
                Some(others) => {
                    2.0 * (gc / 2.0).powi(n as i32) * ((1.0 - gc) / 2.0).powi(others as i32)
                }
                None => 0.0,
            })
        });
        let of_node = |by_gc: [u64; GC_BINS]| {
            chances.map(|chances| {
                let each = by_gc.iter().zip(chances);
                each.map(|(&kmers, chance)| kmers as f64 * chance)
                    .sum::<f64>()
                    .min(1.0)
            })
        };
        let goes_on = std::array::from_fn(|step| {
            let gc = middle(step);
            (gc * gc + (1.0 - gc) * (1.0 - gc)) / 2.0
        });
        Self {
            hits: by_gc.into_iter().map(of_node).collect(),
            goes_on,
            enough: goes_on.iter().map(|&goes_on| enough(goes_on)).collect(),
        }
    }

    /// The step of a share of G and C.
    pub(super) fn step(gc: usize, bases: usize) -> usize {
        (STEPS * gc)
            .checked_div(bases)
            .unwrap_or(STEPS / 2)
            .min(STEPS - 1)
    }

    /// The share of a random read's k-mers that hardly ever are a node's; it has `valid` k-mers, one or more.
    pub(super) fn share(&self, node: usize, step: usize, valid: u32) -> f64 {
        let goes_on = self.goes_on[step];
        let valid = f64::from(valid);
        let clumps = valid * self.hits[node][step] * (1.0 - goes_on);
        let enough = &self.enough[step];
        let kmers = match enough.partition_point(|&most| most < clumps) {
            MOST_IN_TABLE => {
                let mean = clumps / (1.0 - goes_on);
                let variance = clumps * (1.0 + goes_on) / (1.0 - goes_on).powi(2);
                (mean + DEVIATIONS * variance.sqrt())
                    .ceil()
                    .max(MOST_IN_TABLE as f64)
            }
            kmers => kmers as f64,
        };
        (kmers / valid).min(1.0)
    }
}

/// The share of G and C in the middle of a step.
fn middle(step: usize) -> f64 {
    (step as f64 + 0.5) / STEPS as f64
}

/// By m: the most clumps to be expected with which more than m k-mers have the least probability.
fn enough(goes_on: f64) -> [f64; MOST_IN_TABLE] {
    let mut from = 0.0;
    std::array::from_fn(|kmers| {
        let (mut low, mut high) = (from, from + 20.0);
        // To the last bit.
        for _ in 0..60 {
            let clumps = f64::midpoint(low, high);
            match more_than(kmers, clumps, goes_on) <= TAIL {
                true => low = clumps,
                false => high = clumps,
            }
        }
        from = low;
        low
    })
}

/// The probability of more than so many k-mers in clumps, of which so many are expected.
fn more_than(kmers: usize, clumps: f64, goes_on: f64) -> f64 {
    // s P(s) = (clumps (1 - a) + 2 a (s - 1)) P(s - 1) - a^2 (s - 2) P(s - 2)
    let (mut before, mut last) = (0.0, (-clumps).exp());
    let mut sum = last;
    for s in 1..=kmers {
        let s = s as f64;
        let more = clumps * (1.0 - goes_on) + 2.0 * goes_on * (s - 1.0);
        let less = goes_on * goes_on * (s - 2.0).max(0.0);
        let next = (more * last - less * before) / s;
        (before, last) = (last, next);
        sum += next;
    }
    1.0 - sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Term by term: so many clumps by Poisson's law, and their k-mers by the negative binomial.
    fn slowly(kmers: usize, clumps: f64, goes_on: f64) -> f64 {
        let mut sum = 0.0;
        let mut of_clumps = (-clumps).exp();
        for number in 0..=kmers {
            if number > 0 {
                of_clumps *= clumps / number as f64;
            }
            let mut of_kmers = (1.0 - goes_on).powi(number as i32);
            for more in 0..=kmers - number {
                if more > 0 {
                    of_kmers *= goes_on * (number + more - 1) as f64 / more as f64;
                }
                sum += of_clumps * of_kmers;
            }
        }
        1.0 - sum
    }

    #[test]
    fn the_recursion_sums_up() {
        for goes_on in [0.25, 0.3, 0.45] {
            for (kmers, clumps) in [
                (0, 1e-3),
                (0, 2.0),
                (1, 0.1),
                (5, 0.5),
                (20, 3.0),
                (100, 40.0),
            ] {
                let [fast, slow] = [more_than, slowly].map(|one| one(kmers, clumps, goes_on));
                assert!(
                    (fast - slow).abs() < 1e-12,
                    "{kmers} {clumps}: {fast} {slow}"
                );
            }
        }
    }

    #[test]
    fn more_kmers_are_more_by_chance() {
        let few = [1000; GC_BINS];
        let many = [1_000_000_000; GC_BINS];
        let null = NullModel::new([few, many], 20);
        for step in 0..STEPS {
            let shares = [0, 1].map(|node| null.share(node, step, 100));
            assert!(
                shares[0] < shares[1] && shares[1] <= 1.0,
                "{step}: {shares:?}"
            );
        }
        // A hundred k-mers with a chance of 2 10^9 * 21 / 4^20 each: 3.8 are expected.
        let all = NullModel::new([many], 20);
        assert!((0.1..0.4).contains(&all.share(0, 5, 100)));
        let long = NullModel::new([few, many], 31);
        assert_eq!(long.share(0, 5, 100), 0.0);
        assert_eq!(NullModel::step(0, 0), 5);
        assert_eq!(NullModel::step(10, 10), 9);
        assert_eq!(NullModel::step(3, 10), 3);
    }
}
