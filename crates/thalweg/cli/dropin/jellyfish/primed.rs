//! `jellyfish count --if`: the k-mers of some files, with their counts in others.

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{BATCH, KmerRecords, RecordSource};

/// All k-mers of `wanted`, each with its count in `counted`, which may be 0. Both are sorted.
pub(super) struct Primed<K: Kmer> {
    pub(super) wanted: KmerRecords<K>,
    pub(super) counted: KmerRecords<K>,
}

impl<K: Kmer> RecordSource<K> for Primed<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> thalweg::kmers::Result<()> {
        batch.clear();
        while batch.len() < BATCH
            && let Some((kmer, _)) = self.wanted.take_next()?
        {
            while self.counted.peek()?.is_some_and(|other| other.0 < kmer) {
                self.counted.take_next()?;
            }
            let count = self.counted.peek()?.filter(|other| other.0 == kmer);
            batch.push((kmer, count.map_or(0, |other| other.1)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_counts_zero() {
        let primed = KmerRecords::new(Primed {
            wanted: KmerRecords::from_vec(vec![(1u64, 7), (3, 7), (5, 7), (9, 7)]),
            counted: KmerRecords::from_vec(vec![(0, 1), (3, 2), (4, 3), (5, 4)]),
        });
        let records: Vec<_> = primed.map(Result::unwrap).collect();
        assert_eq!(records, [(1, 0), (3, 2), (5, 4), (9, 0)]);
    }
}
