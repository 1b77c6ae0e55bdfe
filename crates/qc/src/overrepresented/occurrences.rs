//! How often each candidate occurs.

use super::Candidates;

/// Occurrences of candidates in some of the reads.
///
/// Which reads are looked at is for the caller to say, by their rank in the input, so that
/// it does not depend on the number of threads. [`Occurrences::merge`] is associative and
/// commutative; the neutral element is the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    counts: Vec<u64>,
}

/// A sequence that occurs too often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overrepresented {
    /// Its bases, as in the reads.
    pub sequence: Box<[u8]>,
    /// How often it was found in the reads that were looked at.
    pub count: u64,
}

impl Occurrences {
    /// Look at a read.
    pub fn add(&mut self, read: &[u8], candidates: &Candidates) {
        let counts = &mut self.counts;
        candidates.find(read, |place, weight| {
            if counts.len() <= place {
                counts.resize(candidates.sequences().len(), 0);
            }
            counts[place] += weight;
        });
    }

    /// Add what was found in other reads, of the same candidates.
    pub fn merge(&mut self, other: &Occurrences) {
        crate::statistics::add_up(&mut self.counts, &other.counts);
    }

    /// The sequences that are frequent, in alphabetical order, if one of `sampling` reads
    /// was looked at.
    pub fn frequent(&self, candidates: &Candidates, sampling: u64) -> Vec<Overrepresented> {
        let all = candidates.sequences().iter().zip(&self.counts);
        let frequent = all.filter(|(sequence, count)| {
            // So many in all reads are no surprise.
            let expected = match sequence.len() {
                10 => 500,
                20 => 200,
                40 => 100,
                100 => 50,
                _ => 20,
            };
            count.saturating_mul(sampling) > expected
        });
        let frequent = frequent.map(|(sequence, &count)| Overrepresented {
            sequence: sequence.clone(),
            count,
        });
        frequent.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::overrepresented::CandidateFinder;

    /// Both steps as plainly as they can be said.
    fn oracle(reads: &[Vec<u8>], sampling: usize) -> Vec<Overrepresented> {
        let longest = reads.iter().take(1000).map(Vec::len).max().unwrap_or(0);
        let lengths = [10, 20, 40, 100, longest.saturating_sub(2).min(150)];
        let lengths: Vec<usize> = lengths.into_iter().filter(|&length| length >= 10).collect();
        let mut counts = BTreeMap::new();
        for read in reads {
            for &length in &lengths {
                for start in 0..read.len().saturating_sub(length) {
                    *counts.entry(&read[start..start + length]).or_insert(0) += 1;
                }
            }
        }
        counts.retain(|sequence, count| {
            let least = [(100, 5), (40, 20), (20, 100), (10, 500)];
            let least = least
                .into_iter()
                .find(|(length, _)| sequence.len() >= *length);
            least.is_some_and(|(_, least)| *count >= least)
        });
        for (part, count) in counts.clone() {
            let whole = |(whole, wholes): (&&[u8], &u32)| {
                whole.len() > part.len()
                    && whole.windows(part.len()).any(|window| window == part)
                    && count / wholes < 10
            };
            if counts.iter().any(whole) {
                counts.remove(part);
            }
        }
        let mut found = BTreeMap::new();
        for read in reads.iter().step_by(sampling) {
            for &length in &lengths {
                let mut start = 0;
                while start + length < read.len() {
                    let window = &read[start..start + length];
                    if counts.contains_key(window) {
                        *found.entry(window).or_insert(0) += 1;
                        start += length;
                    }
                    start += 1;
                }
            }
        }
        let frequent = found.into_iter().filter(|(sequence, count)| {
            let expected = [(10, 500), (20, 200), (40, 100), (100, 50)];
            let expected = expected
                .into_iter()
                .find(|(length, _)| sequence.len() == *length);
            count * sampling as u64 > expected.map_or(20, |(_, expected)| expected)
        });
        let frequent = frequent.map(|(sequence, count)| Overrepresented {
            sequence: sequence.into(),
            count,
        });
        frequent.collect()
    }

    fn count(reads: &[Vec<u8>], sampling: usize) -> Vec<Overrepresented> {
        let mut finder = CandidateFinder::new();
        for read in reads {
            assert!(finder.wants_more());
            finder.add(read);
        }
        let candidates = finder.finish();
        let mut parts = [Occurrences::default(), Occurrences::default()];
        for (index, read) in reads.iter().step_by(sampling).enumerate() {
            parts[index % 2].add(read, &candidates);
        }
        let [mut a, mut b] = parts;
        let reverse = b.clone();
        b.merge(&a);
        a.merge(&reverse);
        assert_eq!(a, b);
        a.merge(&Occurrences::default());
        a.frequent(&candidates, sampling as u64)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Reads cut from few short sources, so that much of them is too frequent.
        #[test]
        fn finds_what_two_plain_loops_find(
            source in prop::collection::vec(prop::sample::select(b"ACGT".to_vec()), 30..170),
            cuts in prop::collection::vec((0_usize..40, 10_usize..160), 300..700),
            sampling in 1_usize..4,
        ) {
            let reads: Vec<Vec<u8>> = cuts
                .iter()
                .map(|&(start, length)| source.iter().copied().skip(start).take(length).collect())
                .collect();
            prop_assert_eq!(count(&reads, sampling), oracle(&reads, sampling));
        }
    }

    #[test]
    fn a_length_that_is_looked_for_twice_counts_twice() {
        // Reads of 42: 40 and 42 - 2.
        let reads = vec![b"ACGTTGCAACGTAGCTAGCTTTTGACCCGATAGCATCATTAT".to_vec(); 60];
        let found = count(&reads, 1);
        assert_eq!(found, oracle(&reads, 1));
        assert!(
            found
                .iter()
                .any(|one| one.sequence.len() == 40 && one.count == 120)
        );
    }

    #[test]
    fn nothing_is_overrepresented_in_nothing() {
        assert_eq!(count(&[], 20), []);
        assert_eq!(count(&[Vec::new(), b"A".to_vec()], 1), []);
    }
}
