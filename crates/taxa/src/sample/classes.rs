//! Reads that say the same about species, as one.
//!
//! What a read says is which species have how many k-mers less than the best. A sample has few different ones, as most
//! reads are of one species alone. If there are too many, all are made coarser:
//!
//! ```text
//! 0   all k-mers less, as long as they leave a weight of 1e-6
//! 1   none less, or which of few ranges
//! 2   the best species alone, several if they are equal
//! 3   the first of the best
//! ```
//! The level is the least at which all reads of the sample have room. A part of them has no more different ones than all:
//! so neither their order nor threads show.

use std::collections::HashMap;

/// Counts of reads by what they say.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// By species: reads that are of it alone.
    alone: Vec<u64>,
    /// By what others say: species in rising order, with how many k-mers less they have.
    shared: HashMap<Box<[Claim]>, u64>,
    /// Claims of all that is in `shared`.
    claims: usize,
    level: u8,
    most_claims: usize,
    /// k-mers less than the best that count.
    most_less: u32,
    /// How much one k-mer less takes of a weight, as the rule of posteriors has it.
    beta: f64,
    /// What the read at hand says.
    read: Vec<Claim>,
}

/// A species with how many k-mers less than the best it has.
pub(super) type Claim = (u32, u8);

/// Claims that are kept: with the table around them, less than 64 bytes each.
const MOST_CLAIMS: usize = 1 << 20;

/// What divided by k is the beta of weights.
const BETA_BASES: f64 = 12.0;

/// A weight of e^-14 is less than one in a million.
const NO_WEIGHT: f64 = 14.0;

impl Classes {
    /// Of no reads, whose k-mers have `k` bases, and species with numbers below `species`.
    pub(super) fn new(k: usize, species: usize) -> Self {
        let beta = BETA_BASES / k as f64;
        Self {
            alone: vec![0; species],
            shared: HashMap::new(),
            claims: 0,
            level: 0,
            most_claims: MOST_CLAIMS,
            most_less: ((NO_WEIGHT / beta) as u32).min(u8::MAX.into()),
            beta,
            read: Vec::new(),
        }
    }

    /// Adds a read whose distinct k-mers are so many of each species.
    pub(super) fn add(&mut self, species_kmers: &[(u32, u32)]) {
        let most = species_kmers.iter().map(|(_, kmers)| *kmers).max();
        let Some(most) = most else {
            return;
        };
        self.read.clear();
        let claims = species_kmers.iter().filter_map(|&(species, kmers)| {
            let less = most - kmers;
            (less <= self.most_less).then_some((species, less as u8))
        });
        self.read.extend(claims);
        let mut read = std::mem::take(&mut self.read);
        coarsen(&mut read, self.level);
        self.add_class(&read, 1);
        self.read = read;
    }

    /// Adds reads that say this, on the level at hand.
    fn add_class(&mut self, class: &[Claim], reads: u64) {
        if let [(only, _)] = *class {
            self.alone[only as usize] += reads;
        } else if let Some(count) = self.shared.get_mut(class) {
            *count += reads;
        } else {
            self.shared.insert(class.into(), reads);
            self.claims += class.len();
            while self.claims > self.most_claims && self.level < 3 {
                self.coarsen();
            }
        }
    }

    /// Adds those of another one of the same species.
    pub(super) fn merge(&mut self, mut other: Self) {
        while self.level < other.level {
            self.coarsen();
        }
        while other.level < self.level {
            other.coarsen();
        }
        for (own, others) in self.alone.iter_mut().zip(&other.alone) {
            *own += others;
        }
        for (class, reads) in other.shared {
            // The level may have risen with the one before.
            let mut class = class.into_vec();
            coarsen(&mut class, self.level);
            self.add_class(&class, reads);
        }
    }

    fn coarsen(&mut self) {
        self.level += 1;
        self.claims = 0;
        for (class, reads) in std::mem::take(&mut self.shared) {
            let mut class = class.into_vec();
            coarsen(&mut class, self.level);
            // No more claims than before, but no level is passed by.
            let most = std::mem::replace(&mut self.most_claims, usize::MAX);
            self.add_class(&class, reads);
            self.most_claims = most;
        }
    }

    /// All classes, in an order that follows from them alone.
    pub(super) fn in_order(&self) -> Vec<(Vec<Claim>, u64)> {
        let alone = (0..).zip(&self.alone).filter(|(_, reads)| **reads > 0);
        let alone = alone.map(|(species, &reads)| (vec![(species, 0)], reads));
        let shared = (self.shared.iter()).map(|(class, &reads)| (class.to_vec(), reads));
        let mut classes = Vec::from_iter(alone.chain(shared));
        classes.sort_unstable();
        classes
    }

    /// The weight of a species that has so many k-mers less than the best.
    pub(super) fn weight(&self, less: u8) -> f64 {
        (-self.beta * f64::from(less)).exp()
    }
}

/// That they are of the same reads.
impl PartialEq for Classes {
    fn eq(&self, other: &Self) -> bool {
        self.level == other.level && self.alone == other.alone && self.shared == other.shared
    }
}

/// What is left of claims on a level; what they were on a level before it does not matter.
fn coarsen(claims: &mut Vec<Claim>, level: u8) {
    if level == 1 {
        for (_, less) in claims.iter_mut() {
            *less = match *less {
                0 => 0,
                1..4 => 2,
                4..12 => 8,
                _ => 20,
            };
        }
    } else if level >= 2 {
        claims.retain(|(_, less)| *less == 0);
        if level == 3 {
            claims.truncate(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads of up to five of 40 species.
    fn reads() -> Vec<Vec<(u32, u32)>> {
        let mut state = 1_u64;
        let mut below = |end: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(3);
            (state >> 33) as u32 % end
        };
        let read = |_| {
            let first = below(36);
            let count = 1 + below(5);
            Vec::from_iter((first..first + count).map(|species| (species, 100 - below(50))))
        };
        (0..3000).map(read).collect()
    }

    fn of<'a>(reads: impl IntoIterator<Item = &'a Vec<(u32, u32)>>, most_claims: usize) -> Classes {
        let mut classes = Classes::new(31, 40);
        classes.most_claims = most_claims;
        for read in reads {
            classes.add(read);
        }
        classes
    }

    #[test]
    fn neither_order_nor_threads_show() {
        let reads = reads();
        let mut all = of(&reads, usize::MAX);
        for level in 0..4 {
            // Just enough room on this level, and too little on the one before.
            let most = all.claims;
            let one = of(&reads, most);
            assert_eq!(one.level, level, "{most} claims");
            assert_eq!(one.in_order(), all.in_order());
            let mut parts = of(reads[..100].iter().rev(), most);
            parts.merge(of(&reads[1500..], most));
            parts.merge(of(&reads[100..1500], most));
            assert_eq!(parts.level, level);
            assert_eq!(parts.claims, one.claims);
            assert_eq!(parts.in_order(), one.in_order());
            let sum: u64 = one.in_order().iter().map(|(_, reads)| reads).sum();
            assert_eq!(sum, reads.len() as u64);
            all.coarsen();
        }
    }

    #[test]
    fn classes_are_what_reads_say() {
        let classes = of(
            &[
                vec![(3, 50), (7, 48), (9, 3)],
                vec![(3, 30), (7, 28)],
                vec![(5, 1)],
                vec![],
            ],
            usize::MAX,
        );
        // 47 less leave no weight.
        let expected = vec![(vec![(3, 0), (7, 2)], 2), (vec![(5, 0)], 1)];
        assert_eq!(classes.in_order(), expected);
        assert!((classes.weight(2) - (-24.0_f64 / 31.0).exp()).abs() < 1e-15);
    }
}
