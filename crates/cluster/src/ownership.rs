//! Who owns which partitions.

use crate::frames;

/// Contiguous ranges of partitions, one for each rank, some of them empty.
///
/// Partitions are numbered by the upper bits of a hash, so that a range is one of any number of partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// Where the range of each rank begins, and the number of partitions.
    bounds: Vec<u32>,
}

impl Ownership {
    /// Ranges of about the same weight.
    ///
    /// Those of which nothing is known weigh something, too: more will come of them.
    ///
    /// # Panics
    /// If there is no rank.
    pub fn by_weights(weights: &[u64], ranks: usize) -> Self {
        assert!(ranks > 0);
        let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        let least = total / (16 * weights.len().max(1) as u128) + 1;
        let weight = |weight: u64| u128::from(weight).max(least);
        let all: u128 = weights.iter().map(|&each| weight(each)).sum();
        let mut bounds = vec![0];
        let mut sum = 0;
        for (partition, &each) in weights.iter().enumerate() {
            let next = sum + weight(each);
            // A bound goes to whichever side of the partition is nearer.
            while bounds.len() < ranks {
                let wanted = all * bounds.len() as u128 / ranks as u128;
                if wanted > next {
                    break;
                }
                let is_before = wanted.saturating_sub(sum) <= next - wanted;
                bounds.push((partition + usize::from(!is_before)) as u32);
            }
            sum = next;
        }
        bounds.resize(ranks, weights.len() as u32);
        bounds.push(weights.len() as u32);
        Self { bounds }
    }

    /// The partitions of a rank.
    pub fn range(&self, rank: usize) -> std::ops::Range<usize> {
        self.bounds[rank] as usize..self.bounds[rank + 1] as usize
    }

    /// Of each partition the rank that owns it.
    pub fn owners(&self) -> Vec<u16> {
        let ranks = 0..self.bounds.len() - 1;
        let owner = |rank| std::iter::repeat_n(rank as u16, self.range(rank).len());
        ranks.flat_map(owner).collect()
    }

    /// As a message.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        frames::of_numbers(self.bounds.iter().map(|&bound| bound.into()))
    }

    /// Those of a message, of so many ranks and partitions; `None` if they are not.
    pub(crate) fn from_bytes(bytes: &[u8], ranks: usize, partitions: usize) -> Option<Self> {
        let bounds = frames::numbers(bytes)?.into_iter();
        let bounds: Vec<u32> = bounds
            .map(|bound| bound.try_into().ok())
            .collect::<Option<_>>()?;
        let is_whole = bounds.len() == ranks + 1
            && bounds.is_sorted()
            && bounds[0] == 0
            && bounds[ranks] as usize == partitions;
        is_whole.then_some(Self { bounds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights_of(ownership: &Ownership, weights: &[u64], ranks: usize) -> Vec<u64> {
        let of = |rank| weights[ownership.range(rank)].iter().sum();
        (0..ranks).map(of).collect()
    }

    #[test]
    fn ranges_have_the_same_weight() {
        let even = vec![10; 1024];
        for ranks in [1, 2, 3, 7, 64] {
            let ownership = Ownership::by_weights(&even, ranks);
            let mean = 10 * 1024 / ranks as u64;
            for weight in weights_of(&ownership, &even, ranks) {
                assert!(
                    weight.abs_diff(mean) <= 10,
                    "{weight} of {mean}, {ranks} ranks"
                );
            }
            let owners = ownership.owners();
            assert_eq!(owners.len(), 1024);
            assert!(owners.is_sorted());
        }
        // A heavy partition is alone with its owner, or nearly so.
        let mut skewed = vec![10u64; 256];
        skewed[100] = 2560;
        let shares = weights_of(&Ownership::by_weights(&skewed, 4), &skewed, 4);
        assert_eq!(shares.iter().sum::<u64>(), skewed.iter().sum::<u64>());
        assert!(*shares.iter().max().unwrap() <= 2560 + 320, "{shares:?}");
    }

    #[test]
    fn nothing_known_is_even_and_more_ranks_than_partitions_do_no_harm() {
        let ownership = Ownership::by_weights(&[0; 64], 4);
        assert!((0..4).all(|rank| ownership.range(rank).len() == 16));
        let few = Ownership::by_weights(&[5, 5], 8);
        assert_eq!(few.owners().len(), 2);
        assert_eq!((0..8).map(|rank| few.range(rank).len()).sum::<usize>(), 2);
    }

    #[test]
    fn bytes_come_back() {
        let ownership = Ownership::by_weights(&[3, 1, 4, 1, 5, 9, 2, 6], 3);
        let bytes = ownership.to_bytes();
        assert_eq!(Ownership::from_bytes(&bytes, 3, 8), Some(ownership));
        assert_eq!(Ownership::from_bytes(&bytes, 2, 8), None);
        assert_eq!(Ownership::from_bytes(&bytes, 3, 9), None);
        assert_eq!(Ownership::from_bytes(&bytes[1..], 3, 8), None);
    }
}
