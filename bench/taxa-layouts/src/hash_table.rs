//! A plain hash table: 8 bytes of the k-mer and 4 of its set, one behind the other, at its hash or behind it.

use crate::{Layout, kmers_of};

/// Bytes of a place.
const PLACE: u64 = 12;

pub struct HashTable {
    k: usize,
    /// Set 0 where none is.
    places: Vec<(u64, u32)>,
}

impl HashTable {
    /// Three quarters of its places are taken.
    pub fn new(k: usize, kmers: &[(u64, u32)]) -> Self {
        let mut table = Self {
            k,
            places: vec![(0, 0); kmers.len() / 3 * 4 + 2],
        };
        for &(kmer, set) in kmers {
            let mut at = table.first(kmer);
            while table.places[at].1 != 0 {
                at = (at + 1) % table.places.len();
            }
            table.places[at] = (kmer, set);
        }
        table
    }

    fn first(&self, kmer: u64) -> usize {
        let hash = (kmer ^ kmer >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ hash >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((u128::from(hash) * self.places.len() as u128) >> 64) as usize
    }
}

impl Layout for HashTable {
    fn name(&self) -> String {
        "hash table, 12 bytes, load 0.75".to_owned()
    }

    fn bytes(&self) -> u64 {
        PLACE * self.places.len() as u64
    }

    fn look_up(&mut self, read: &[u8], sets: &mut Vec<u32>, touch: &mut dyn FnMut(u64, u64)) {
        for kmer in kmers_of(read, self.k) {
            let Some(kmer) = kmer else {
                sets.push(0);
                continue;
            };
            let mut at = self.first(kmer);
            let found = loop {
                touch(PLACE * at as u64, PLACE);
                match self.places[at] {
                    (_, 0) => break 0,
                    (other, set) if other == kmer => break set,
                    _ => at = (at + 1) % self.places.len(),
                }
            };
            sets.push(found);
        }
    }
}
