//! LMAT's layout, as its paper on scalability describes it.
//!
//! ```text
//! level 1: 2^b entries of 8 bytes, by the first b bits of the canonical k-mer: where its k-mers lie, and how many
//! level 2: 8 bytes for each k-mer, sorted: what is left of it, and its set       (binary search)
//! ```
//! LMAT has k = 20, 16 bits of the k-mer and 48 of an offset of a list of taxids. Here the k-mer has what it needs and the
//! set the rest; lists are in no layout's bytes.

use crate::{Layout, kmers_of};

/// Bytes of an entry of either level.
const ENTRY: u64 = 8;

pub struct Lmat {
    k: usize,
    bits: u32,
    /// Where each prefix begins, and where the last one ends.
    starts: Vec<u32>,
    /// What is left of each k-mer, above its set.
    entries: Vec<u64>,
    set_bits: u32,
}

impl Lmat {
    /// Of k-mers, ascending, with their sets.
    pub fn new(k: usize, bits: u32, kmers: &[(u64, u32)]) -> Self {
        let suffix_bits = 2 * k as u32 - bits;
        let set_bits = 64 - suffix_bits;
        let mut starts = vec![0; (1 << bits) + 1];
        let mut entries = Vec::with_capacity(kmers.len());
        for &(kmer, set) in kmers {
            assert!(
                u64::from(set) >> set_bits == 0,
                "sets fit what k-mers leave"
            );
            starts[(kmer >> suffix_bits) as usize + 1] += 1;
            entries.push(kmer << set_bits | u64::from(set));
        }
        for prefix in 1..starts.len() {
            starts[prefix] += starts[prefix - 1];
        }
        Self {
            k,
            bits,
            starts,
            entries,
            set_bits,
        }
    }
}

impl Layout for Lmat {
    fn name(&self) -> String {
        format!("LMAT's, {} bits of prefix", self.bits)
    }

    fn bytes(&self) -> u64 {
        ENTRY * ((1 << self.bits) + self.entries.len() as u64)
    }

    fn look_up(&mut self, read: &[u8], sets: &mut Vec<u32>, touch: &mut dyn FnMut(u64, u64)) {
        let level_2 = ENTRY << self.bits;
        for kmer in kmers_of(read, self.k) {
            let Some(kmer) = kmer else {
                sets.push(0);
                continue;
            };
            let prefix = kmer >> (2 * self.k as u32 - self.bits);
            touch(ENTRY * prefix, ENTRY);
            let [mut first, mut end] =
                [0, 1].map(|next| self.starts[prefix as usize + next] as usize);
            let wanted = kmer << self.set_bits >> self.set_bits;
            let mut found = 0;
            while first < end {
                let middle = first + (end - first) / 2;
                touch(level_2 + ENTRY * middle as u64, ENTRY);
                let entry = self.entries[middle];
                match (entry >> self.set_bits).cmp(&wanted) {
                    std::cmp::Ordering::Less => first = middle + 1,
                    std::cmp::Ordering::Greater => end = middle,
                    std::cmp::Ordering::Equal => {
                        found = (entry & ((1 << self.set_bits) - 1)) as u32;
                        break;
                    }
                }
            }
            sets.push(found);
        }
    }
}
