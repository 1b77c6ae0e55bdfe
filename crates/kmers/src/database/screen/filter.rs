//! Which minimizers the k-mers of a database have: a Bloom filter of which each of them sets bits of one word.

use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_superkmers::prefetch::prefetch;

/// Bits of the filter for each minimizer. With [`BITS`] of them set, one foreign minimizer in some hundred passes.
const BITS_PER_MINIMIZER: f64 = 16.0;

/// The most bits for each k-mer: an eighth of what the k-mer takes itself.
const MOST_PER_KMER: f64 = 16.0;

/// Bits that a minimizer sets.
const BITS: u32 = 3;

/// Odd, and its multiples are well spread: the golden ratio's fraction.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Where a set bit in so many says little: the k-mers are most of those that there can be.
const FULL: f64 = 0.6;

/// A set of minimizers, which may say of a few more that they are in it, and never of one that is in it that it is not.
pub(super) struct Filter {
    words: Box<[u64]>,
}

/// The same while threads fill it.
pub(super) struct Filling {
    words: Box<[AtomicU64]>,
}

/// Minimizers whose words are asked for before the first of them is added.
const AHEAD: usize = 16;

/// Where a minimizer's bits are.
#[derive(Clone, Copy)]
pub(super) struct Place {
    word: usize,
    bits: u64,
}

impl Place {
    #[inline(always)]
    fn of(class: u32, words: usize) -> Self {
        let hash = u64::from(class + 1).wrapping_mul(ODD);
        let hash = (hash ^ hash >> 32).wrapping_mul(ODD);
        let product = u128::from(hash) * words as u128;
        // What is left of the hash once the word is chosen.
        let rest = product as u64;
        let bit = |number: u32| 1 << (rest >> (58 - 6 * number) & 63);
        Self {
            word: (product >> 64) as usize,
            bits: (0..BITS).map(bit).fold(0, |all, bit: u64| all | bit),
        }
    }
}

impl Filling {
    /// Room for the minimizers, of `m` bases, of so many k-mers; `None` if there is no such memory.
    pub(super) fn new(distinct: u64, k: usize, m: usize) -> Option<Self> {
        let words = words_for(distinct, k, m)?;
        let mut all = Vec::new();
        all.try_reserve_exact(words).ok()?;
        all.resize_with(words, AtomicU64::default);
        Some(Self {
            words: all.into_boxed_slice(),
        })
    }

    /// Adds some.
    pub(super) fn add_all(&self, classes: &[u32]) {
        let place = |class: &u32| Place::of(*class, self.words.len());
        for class in classes.iter().take(AHEAD) {
            prefetch(&self.words[place(class).word]);
        }
        for (number, class) in classes.iter().enumerate() {
            if let Some(later) = classes.get(number + AHEAD) {
                prefetch(&self.words[place(later).word]);
            }
            self.add(place(class));
        }
    }

    #[inline(always)]
    fn add(&self, place: Place) {
        let word = &self.words[place.word];
        // Most are there, and looking costs less than changing.
        if word.load(Ordering::Relaxed) & place.bits != place.bits {
            word.fetch_or(place.bits, Ordering::Relaxed);
        }
    }

    /// The set; `None` if it would let most pass.
    pub(super) fn finish(self) -> Option<Filter> {
        let words: Box<[u64]> = (self.words.into_iter())
            .map(AtomicU64::into_inner)
            .collect();
        let set: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
        (set as f64 <= FULL * 64.0 * words.len() as f64).then_some(Filter { words })
    }
}

impl Filter {
    /// Where to look for a minimizer; what stands there is asked for.
    #[inline(always)]
    pub(super) fn ask(&self, class: u32) -> Place {
        let place = Place::of(class, self.words.len());
        prefetch(&self.words[place.word]);
        place
    }

    /// Whether the minimizer with this place may be in the set.
    #[inline(always)]
    pub(super) fn has(&self, place: Place) -> bool {
        self.words[place.word] & place.bits == place.bits
    }
}

/// Words of a filter. Of each `w + 1` k-mers of a sequence, of `w` m-mers each, two have a minimizer of their own.
fn words_for(distinct: u64, k: usize, m: usize) -> Option<usize> {
    let minimizers = (2.0 / (k - m + 2) as f64).min(1.0);
    let bits = (minimizers * BITS_PER_MINIMIZER).min(MOST_PER_KMER) * distinct as f64;
    // The conversion saturates.
    let words = (bits / 64.0).ceil() as usize + 1;
    (words < usize::MAX / 8).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_are_in_it_pass_and_few_others() {
        let filling = Filling::new(100_000, 31, 16).unwrap();
        // As many minimizers as so many k-mers have.
        let classes: Vec<u32> = (0..11_764).map(|number| number * 7919).collect();
        filling.add_all(&classes);
        let filter = filling.finish().unwrap();
        let has = |class: u32| filter.has(filter.ask(class));
        assert!(classes.iter().all(|&class| has(class)));
        let others = classes.iter().filter(|&&class| has(class + 3)).count();
        assert!(others < 400, "{others}");
    }

    #[test]
    fn memory_is_an_eighth_of_the_k_mers_at_most() {
        // 64 bits at most for each 17 bytes of 4 k-mers.
        assert_eq!(words_for(1_000_000, 16, 16), Some(250_001));
        assert_eq!(words_for(1_000_000, 31, 16), Some(29_413));
        assert_eq!(words_for(u64::MAX, 16, 16), None);
    }

    #[test]
    fn one_that_lets_all_pass_is_none() {
        let filling = Filling::new(1000, 5, 5).unwrap();
        filling.add_all(&(0..50_000).collect::<Vec<u32>>());
        assert!(filling.finish().is_none());
    }
}
