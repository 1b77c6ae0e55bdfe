//! The k-mers of a partition, numbered in the order in which they come first.
//!
//! ```text
//! slots: number + 1 of a k-mer, at its hash or behind it, or 0          keys: the k-mers by number
//! ```
//! The k-mers of a super-k-mer that is new get numbers that follow each other. Where it comes again, as in related genomes,
//! the number behind the last one is the right one, and its key lies in the same cache line: most look-ups need no hash.

/// k-mers as numbers whose first base is lowest.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    keys: Vec<u64>,
    /// A power of two of them, at most half of which are taken.
    slots: Vec<u32>,
}

/// Odd, with well spread bits: the fraction of the golden ratio.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Slots to begin with.
const FEWEST_SLOTS: usize = 1 << 10;

impl Numbers {
    /// Forgets all, and has room for `kmers` without moving their keys.
    pub(super) fn clear(&mut self, kmers: usize) {
        self.keys.clear();
        self.keys.reserve(kmers);
        // Of a partition before, there may be far more than are needed.
        if self.slots.len() > 4 * kmers.max(FEWEST_SLOTS) {
            self.slots = Vec::new();
        }
        self.slots.fill(0);
        if self.slots.is_empty() {
            self.slots = vec![0; FEWEST_SLOTS];
        }
    }

    /// All of them, by number.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The number of a k-mer, which may be `guess`, and perhaps is new.
    #[inline]
    pub(super) fn find_or_add(&mut self, key: u64, guess: u32) -> u32 {
        if self.keys.get(guess as usize) == Some(&key) {
            return guess;
        }
        let mask = self.slots.len() - 1;
        let mut slot = self.hash(key);
        loop {
            match self.slots[slot] {
                0 => break,
                number if self.keys[number as usize - 1] == key => return number - 1,
                _ => slot = (slot + 1) & mask,
            }
        }
        let number = self.keys.len() as u32;
        self.keys.push(key);
        self.slots[slot] = number + 1;
        if 2 * self.keys.len() > self.slots.len() {
            self.grow();
        }
        number
    }

    /// The number of a k-mer, which may be `guess`, if it is there.
    #[inline]
    pub(super) fn find(&self, key: u64, guess: u32) -> Option<u32> {
        if self.keys.get(guess as usize) == Some(&key) {
            return Some(guess);
        }
        let mask = self.slots.len() - 1;
        let mut slot = self.hash(key);
        loop {
            match self.slots[slot] {
                0 => return None,
                number if self.keys[number as usize - 1] == key => return Some(number - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    #[inline]
    fn hash(&self, key: u64) -> usize {
        // k-mers of a partition may have all but a few bits in common, wherever these stand.
        let hash = (key ^ key >> 32).wrapping_mul(ODD);
        (hash >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    #[cold]
    fn grow(&mut self) {
        let slots = 2 * self.slots.len();
        // The keys are elsewhere: both tables need not be there at once.
        self.slots = Vec::new();
        self.slots = vec![0; slots];
        for number in 0..self.keys.len() {
            let mut slot = self.hash(self.keys[number]);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = number as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn numbers_are_those_of_a_map() {
        let mut numbers = Numbers::default();
        for round in 0..3 {
            numbers.clear(10);
            let mut expected = HashMap::new();
            let mut last = 0;
            for i in 0..20_000u64 {
                let key = ((i * i * 7919 + round) % 9001) << (i % 3 * 20);
                let next = expected.len() as u32;
                let number = *expected.entry(key).or_insert(next);
                assert_eq!(numbers.find(key, last).is_some(), number != next);
                assert_eq!(numbers.find_or_add(key, last + 1), number);
                assert_eq!(numbers.find(key, 0), Some(number));
                assert_eq!(numbers.keys()[number as usize], key);
                last = number;
            }
            assert_eq!(numbers.keys().len(), expected.len());
        }
    }
}
