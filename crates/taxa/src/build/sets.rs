//! All sets of a build, each once, with a number that says nothing: which thread came first.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use crate::{Error, ErrorKind, Result};

/// Sets by their bytes. Threads that bring different ones seldom wait for each other.
#[derive(Debug)]
pub(super) struct Sets {
    shards: Vec<Mutex<Shard>>,
    /// Bytes that they may take and do take.
    limit: u64,
    used: AtomicU64,
}

/// Those of one range of hashes.
#[derive(Debug, Default)]
pub(super) struct Shard {
    bytes: Vec<u8>,
    /// Where the bytes of each end.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    kmers: Vec<u64>,
    /// Number + 1 of a set, at its hash or behind it, or 0. A power of two of them, at most half of which are taken.
    slots: Vec<u32>,
}

/// Binary logarithm of the number of shards.
const SHARD_BITS: u32 = 6;

/// Sets of a shard, at most: a number has 32 bits.
const MOST_OF_SHARD: usize = 1 << (32 - SHARD_BITS);

/// Bytes that a set takes beside its own, and as many of these, as vectors grow by doubling.
const BYTES_OF_SET: u64 = 2 * (8 + 8 + 8) + 16;

impl Sets {
    /// None yet; they may take `limit` bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self {
            shards: (0..1 << SHARD_BITS).map(|_| Mutex::default()).collect(),
            limit,
            used: AtomicU64::new(0),
        }
    }

    /// The number of the set that has these bytes, of which `kmers` more k-mers are.
    pub(super) fn add(&self, bytes: &[u8], kmers: u64) -> Result<u32> {
        let hash = hash(bytes);
        let shard = (hash >> (64 - SHARD_BITS)) as u32;
        let mut sets = (self.shards[shard as usize].lock()).unwrap_or_else(PoisonError::into_inner);
        let number = match sets.find(bytes, hash) {
            Some(number) => number,
            None => {
                let more = BYTES_OF_SET + 2 * bytes.len() as u64;
                // A sum of numbers, tied to no other memory.
                let used = self.used.fetch_add(more, Ordering::Relaxed) + more;
                if used > self.limit {
                    return Err(Error::new(ErrorKind::MemoryOfSets { limit: self.limit }));
                }
                if sets.kmers.len() == MOST_OF_SHARD {
                    let limit = MOST_OF_SHARD << SHARD_BITS;
                    return Err(Error::new(ErrorKind::TooManySets { limit }));
                }
                sets.push(bytes, hash)
            }
        };
        sets.kmers[number as usize] += kmers;
        Ok(number << SHARD_BITS | shard)
    }

    /// All of them, when no more can come.
    pub(super) fn into_shards(self) -> Vec<Shard> {
        let shards = self.shards.into_iter();
        shards
            .map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }
}

/// Which of the shards a number is of, and the number in it.
pub(super) fn split(number: u32) -> (usize, usize) {
    let shard = number & ((1 << SHARD_BITS) - 1);
    (shard as usize, (number >> SHARD_BITS) as usize)
}

impl Shard {
    /// Bytes of each set, and number of its k-mers.
    pub(super) fn sets(&self) -> impl Iterator<Item = (&[u8], u64)> {
        (0..self.kmers.len()).map(|number| (self.set(number), self.kmers[number]))
    }

    fn set(&self, number: usize) -> &[u8] {
        let start = match number {
            0 => 0,
            _ => self.ends[number - 1],
        };
        &self.bytes[start..self.ends[number]]
    }

    fn find(&self, bytes: &[u8], hash: u64) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        loop {
            let number = self.slots[slot].checked_sub(1)?;
            if self.hashes[number as usize] == hash && self.set(number as usize) == bytes {
                return Some(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn push(&mut self, bytes: &[u8], hash: u64) -> u32 {
        let number = self.kmers.len() as u32;
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len());
        self.hashes.push(hash);
        self.kmers.push(0);
        if 2 * self.kmers.len() > self.slots.len() {
            self.slots = vec![0; (2 * self.slots.len()).max(64)];
            (0..=number).for_each(|number| self.enter(number));
        } else {
            self.enter(number);
        }
        number
    }

    fn enter(&mut self, number: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = self.hashes[number as usize] as usize & mask;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = number + 1;
    }
}

/// The same on every machine; equal ones are compared in full.
fn hash(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut hash = bytes.len() as u64;
    for word in words.iter().chain([&last]) {
        hash = (hash.rotate_left(29) ^ u64::from_le_bytes(*word)).wrapping_mul(ODD);
        hash ^= hash >> 32;
    }
    hash.wrapping_mul(ODD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn equal_sets_have_one_number() {
        let sets = Sets::new(1 << 24);
        let mut expected: HashMap<Vec<u8>, (u32, u64)> = HashMap::new();
        for i in 0..20_000u32 {
            let kind = i * i % 5003;
            let bytes = kind.to_le_bytes().repeat(kind as usize % 5);
            let number = sets.add(&bytes, 1 + u64::from(i % 3)).unwrap();
            let entry = expected.entry(bytes).or_insert((number, 0));
            assert_eq!(entry.0, number);
            entry.1 += 1 + u64::from(i % 3);
        }
        let shards = sets.into_shards();
        let all: usize = shards.iter().map(|shard| shard.sets().count()).sum();
        assert_eq!(all, expected.len());
        for (bytes, (number, kmers)) in expected {
            let (shard, number) = split(number);
            let found = shards[shard].sets().nth(number);
            assert_eq!(found, Some((&bytes[..], kmers)));
        }
    }

    #[test]
    fn they_take_no_more_memory_than_they_may() {
        let sets = Sets::new(1000);
        let first = sets.add(b"first", 1).unwrap();
        let refused = (0..1000u32).find_map(|i| sets.add(&i.to_le_bytes(), 1).err());
        let kind = refused.expect("1000 bytes are too few").kind().to_string();
        assert!(kind.contains("1000 bytes"), "{kind}");
        assert_eq!(sets.add(b"first", 1).unwrap(), first);
    }
}
