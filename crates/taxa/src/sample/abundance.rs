//! How many reads are of each species, where reads may be of several: by expectation and maximisation.
//!
//! ```text
//! x(s)     = share of the sample's reads that are of species s; at first all equal
//! again:     each read r is of s by  w(r, s) x(s) / (sum of this over the species of r)
//!            x(s) = the mean over all reads
//! ```
//! w(r, s) is the weight of the rule of posteriors, by how many k-mers less than the best s has. Where a species that is
//! present has as many k-mers as any, those that are not present have no part in the read. Where it has less, the read is
//! rather of something that is not in the database: then they keep their part of it. Sums go over classes of equal reads
//! in one order, so that the last digit is always the same.

use super::classes::{Claim, Classes};

/// Rounds at most; what has not converged then differs by few reads.
const MOST_ROUNDS: usize = 500;

/// A share that changes by less than this in a round is left as it is.
const CONVERGED: f64 = 1e-7;

/// By species: the number of reads that are expected to be of it.
pub(super) fn reads_of_species(classes: &Classes, is_present: &[bool]) -> Vec<f64> {
    let mut ambiguous: Vec<(Vec<Claim>, f64)> = Vec::new();
    let mut certain = vec![0.0; is_present.len()];
    for (mut class, reads) in classes.in_order() {
        let is_there = |species: u32| is_present[species as usize];
        if (class.iter()).any(|&(species, less)| less == 0 && is_there(species)) {
            class.retain(|(species, _)| is_there(*species));
        }
        match *class {
            [(only, _)] => certain[only as usize] += reads as f64,
            _ => ambiguous.push((class, reads as f64)),
        }
    }
    let all = certain
        .iter()
        .chain(ambiguous.iter().map(|(_, reads)| reads));
    let all: f64 = all.sum();
    let weights = Vec::from_iter((0..=u8::MAX).map(|less| classes.weight(less)));
    let weight = |less: u8| weights[usize::from(less)];
    let mut reads_of = vec![1.0; is_present.len()];
    for _ in 0..MOST_ROUNDS {
        let mut next = certain.clone();
        for (class, reads) in &ambiguous {
            let share = |&(species, less): &Claim| weight(less) * reads_of[species as usize];
            let sum: f64 = class.iter().map(share).sum();
            for claim in class {
                // Where none of them has any reads, as all have less than a number can tell, they have equal parts.
                let part = match sum > 0.0 {
                    true => share(claim) / sum,
                    false => 1.0 / class.len() as f64,
                };
                next[claim.0 as usize] += reads * part;
            }
        }
        let changes = next
            .iter()
            .zip(&reads_of)
            .map(|(new, old)| (new - old).abs());
        let change = changes.fold(0.0, f64::max);
        reads_of = next;
        if change <= CONVERGED * all {
            break;
        }
    }
    reads_of
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(reads: &[(&[(u32, u32)], usize)]) -> Classes {
        let mut classes = Classes::new(31, 4);
        for &(read, times) in reads {
            (0..times).for_each(|_| classes.add(read));
        }
        classes
    }

    #[test]
    fn shared_reads_go_where_others_are() {
        let reads: [(&[_], _); 3] = [
            (&[(0, 20)], 30),
            (&[(1, 20)], 10),
            (&[(0, 20), (1, 20)], 40),
        ];
        let found = reads_of_species(&classes(&reads), &[true; 4]);
        let expected = [60.0, 20.0, 0.0, 0.0];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        }
    }

    /// One equation for the maximum of the likelihood, solved by halving.
    #[test]
    fn the_likelihood_is_greatest() {
        let reads: [(&[_], _); 3] = [(&[(0, 20)], 7), (&[(1, 20)], 3), (&[(0, 20), (1, 17)], 11)];
        let classes = classes(&reads);
        let found = reads_of_species(&classes, &[true; 4]);
        let weight = (-3.0 * 12.0_f64 / 31.0).exp();
        // Of shares x and 1 - x: 7 ln x + 3 ln (1 - x) + 11 ln (x + w (1 - x))
        let slope =
            |x: f64| 7.0 / x - 3.0 / (1.0 - x) + 11.0 * (1.0 - weight) / (x + weight * (1.0 - x));
        let (mut low, mut high) = (1e-9, 1.0 - 1e-9);
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            match slope(middle) > 0.0 {
                true => low = middle,
                false => high = middle,
            }
        }
        assert!(
            (found[0] / 21.0 - low).abs() < 1e-4,
            "{} {low}",
            found[0] / 21.0
        );
    }

    #[test]
    fn what_is_not_there_keeps_what_it_is_best_for() {
        let reads: [(&[_], _); 3] = [
            (&[(0, 20), (1, 20)], 40),
            (&[(2, 20)], 5),
            (&[(0, 1), (2, 20)], 7),
        ];
        let found = reads_of_species(&classes(&reads), &[true, false, false, true]);
        assert_eq!((found[1], found[3]), (0.0, 0.0));
        assert!((found[0] - 40.0).abs() < 0.05, "{found:?}");
        assert!((found[2] - 12.0).abs() < 0.05, "{found:?}");
        assert_eq!(reads_of_species(&classes(&[]), &[true; 4]), [0.0; 4]);
    }
}
