//! The different starts of reads: a table of so many of them as FastQC remembers.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// So many different ones are remembered, those that come first.
pub(crate) const REMEMBERED: usize = 100_000;

/// Hashes starts of reads, in another way in each process: results do not depend on it, but how long they take may.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyHasher {
    seed: u64,
}

impl KeyHasher {
    /// The hasher of this process.
    pub(crate) fn new() -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        KeyHasher {
            seed: *SEED.get_or_init(|| RandomState::new().hash_one(0)),
        }
    }

    #[inline]
    pub(crate) fn hash(self, key: &[u8]) -> u64 {
        let (words, rest) = key.as_chunks::<8>();
        let mut hash = self.seed ^ key.len() as u64;
        for word in words {
            hash = mix(hash, u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        mix(hash, u64::from_le_bytes(last))
    }
}

#[inline(always)]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
    (product as u64) ^ (product >> 64) as u64
}

/// Keys and their numbers, in the order of their coming.
pub(crate) struct KeyTable {
    /// The upper half of the hash, and the number of the key, counted from 1; 0 where there is none.
    slots: Vec<(u32, u32)>,
    keys: Vec<u8>,
    ends: Vec<usize>,
    hashes: Vec<u64>,
}

impl KeyTable {
    pub(crate) fn new() -> Self {
        KeyTable {
            slots: vec![(0, 0); 1 << 10],
            keys: Vec::new(),
            ends: Vec::new(),
            hashes: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The key of a number, which is counted from 0.
    pub(crate) fn key(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.keys[start..self.ends[number]]
    }

    /// The number of a key.
    #[inline]
    pub(crate) fn find(&self, hash: u64, key: &[u8]) -> Option<usize> {
        self.slot(hash, key).ok()
    }

    /// The number of a key, or the slot in which it would be.
    #[inline]
    fn slot(&self, hash: u64, key: &[u8]) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let (tag, number) = self.slots[slot];
            let Some(number) = number.checked_sub(1) else {
                return Err(slot);
            };
            if tag == (hash >> 32) as u32 && self.key(number as usize) == key {
                return Ok(number as usize);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The number of a key, which is added if it is new.
    pub(crate) fn insert(&mut self, hash: u64, key: &[u8]) -> usize {
        let slot = match self.slot(hash, key) {
            Ok(number) => return number,
            Err(slot) => slot,
        };
        let number = self.len();
        self.slots[slot] = ((hash >> 32) as u32, number as u32 + 1);
        self.keys.extend_from_slice(key);
        self.ends.push(self.keys.len());
        self.hashes.push(hash);
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let slots = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(slots, (0, 0));
        for (number, hash) in (1..).zip(&self.hashes) {
            let mut slot = *hash as usize & (slots - 1);
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = ((hash >> 32) as u32, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn keys_keep_the_numbers_that_they_get() {
        let hasher = KeyHasher::new();
        let mut table = KeyTable::new();
        let mut wanted = HashMap::new();
        for number in 0..20_000_u32 {
            let key = format!("{:b}", number % 7919).into_bytes();
            let key = &key[..key.len().min(50)];
            let hash = hasher.hash(key);
            let next = wanted.len();
            let number = *wanted.entry(key.to_vec()).or_insert(next);
            assert_eq!(table.find(hash, key).is_some(), number != next);
            assert_eq!(table.insert(hash, key), number);
            assert_eq!(table.key(number), key);
        }
        assert_eq!(table.len(), 7919);
        assert_eq!(table.find(hasher.hash(b""), b""), None);
        assert_eq!(table.insert(hasher.hash(b""), b""), 7919);
    }
}
