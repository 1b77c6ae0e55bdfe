//! Which templates a seed draws: the definition of a sample.
//!
//! Every template has a *key* of 64 bits that follows from the seed and its rank, and from nothing else:
//!
//! ```text
//! mix(x):  x ^= x >> 30;  x *= 0xbf58476d1ce4e5b9
//!          x ^= x >> 27;  x *= 0x94d049bb133111eb
//!          x ^= x >> 31
//! key(seed, rank) = mix(mix(seed) + (rank + 1) * 0x9e3779b97f4a7c15)        all modulo 2^64
//! ```
//!
//! This is output number `rank` of SplitMix64 (Steele, Lea and Flood, 2014), started at `mix(seed)`. A sample of k
//! templates is those with the k smallest keys. From this follows
//!
//! - that a sample does not depend on threads, on how files are compressed, or on which program draws it;
//! - that it is within every larger one of the same seed;
//! - that there are no ties, as `mix` is a bijection and the factor is odd: no two ranks have the same key.
//!
//! The definition is part of the interface: it stays what it is.

/// The seed of who says none.
pub const DEFAULT_SEED: u64 = 11;

/// The keys of all ranks, of one seed.
///
/// ```
/// use thalweg::repack::RankKeys;
///
/// let keys = RankKeys::new(11);
/// let limit = keys.limit(2, 5).expect("two of five");
/// assert_eq!((0..5).filter(|&rank| keys.key(rank) <= limit).count(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankKeys {
    start: u64,
}

impl RankKeys {
    /// Those of this seed.
    pub fn new(seed: u64) -> Self {
        Self { start: mix(seed) }
    }

    /// The key of the template of this rank, counted from 0 over all inputs.
    #[inline]
    pub fn key(self, rank: u64) -> u64 {
        mix(self
            .start
            .wrapping_add(rank.wrapping_add(1).wrapping_mul(GAMMA)))
    }

    /// The greatest key of the `count` smallest among those of the ranks below `all`; `None` if `count` is 0.
    /// Whoever wants more than there are has all: the limit is `u64::MAX` then.
    ///
    /// Linear in `all`, in little memory: keys are counted that lie below where the limit will be, and those are kept
    /// that lie near there.
    pub fn limit(self, count: u64, all: u64) -> Option<u64> {
        if count == 0 {
            return None;
        }
        if count >= all {
            return Some(u64::MAX);
        }
        // The place of the key in units of its standard deviation: eight of them are enough in practice, all in any case.
        let share = count as f64 / all as f64;
        let deviation = (share * (1.0 - share) / all as f64).sqrt();
        let mut width = 8.0 * deviation + 8.0 / all as f64;
        loop {
            let from = to_key(share - width);
            let to = to_key(share + width);
            let (mut below, mut near) = (0, Vec::new());
            for rank in 0..all {
                let key = self.key(rank);
                below += u64::from(key < from);
                if (from..=to).contains(&key) {
                    near.push(key);
                }
            }
            let place = (count - 1).checked_sub(below).map(|place| place as usize);
            if let Some(place) = place.filter(|&place| place < near.len()) {
                return Some(*near.select_nth_unstable(place).1);
            }
            width *= 4.0;
        }
    }
}

/// The key below which this share of all keys is.
pub(super) fn to_key(share: f64) -> u64 {
    // Of floats beyond the range, the conversion gives its ends.
    (share * 2_f64.powi(64)) as u64
}

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The meaning of a seed stays what it is.
    #[test]
    fn keys_are_those_of_splitmix64() {
        // The well-known first outputs of the generator that is started at 0, to which `mix` takes 0.
        let keys = RankKeys::new(0);
        assert_eq!(keys.key(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(keys.key(1), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(keys.key(2), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn the_limit_is_that_of_sorted_keys() {
        for (seed, all) in [(0, 1), (1, 2), (2, 10), (11, 1000), (12, 4097)] {
            let keys = RankKeys::new(seed);
            let mut sorted: Vec<u64> = (0..all).map(|rank| keys.key(rank)).collect();
            sorted.sort_unstable();
            assert_eq!(keys.limit(0, all), None);
            for count in [1, 2, 3, all / 10, all / 2, all - 1] {
                if (1..all).contains(&count) {
                    let wanted = Some(sorted[count as usize - 1]);
                    assert_eq!(keys.limit(count, all), wanted, "{count} of {all}");
                }
            }
            assert_eq!(keys.limit(all, all), Some(u64::MAX));
            assert_eq!(keys.limit(all + 7, all), Some(u64::MAX));
        }
    }

    #[test]
    fn each_tenth_of_the_ranks_has_its_share() {
        let keys = RankKeys::new(DEFAULT_SEED);
        let limit = keys.limit(10_000, 100_000).unwrap();
        for tenth in 0..10_u64 {
            let ranks = tenth * 10_000..(tenth + 1) * 10_000;
            let drawn = ranks.filter(|&rank| keys.key(rank) <= limit).count();
            // Six standard deviations of the hypergeometric distribution.
            assert!(drawn.abs_diff(1000) < 180, "{drawn} of tenth {tenth}");
        }
    }
}
