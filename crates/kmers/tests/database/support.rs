//! Random databases.

use std::collections::BTreeMap;
use std::path::Path;

use thalweg_kmers::database::{DatabaseFormat, DatabaseWriter, Description};
use thalweg_kmers::kmer::Kmer;

/// k-mers and their counts.
pub(crate) type Content<K> = BTreeMap<K, u64>;

/// A small generator of random numbers (SplitMix64): the same everywhere, and nothing to depend on.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// At most `records` random k-mers, poly-A and poly-T among them, with small and some large counts.
pub(crate) fn content<K: Kmer>(k: usize, canonical: bool, records: usize, seed: u64) -> Content<K> {
    let mut random = Random(seed);
    let mut content = Content::new();
    for i in 0..records {
        let mut kmer = K::default();
        let constant = i < 2;
        for _ in 0..k {
            let code = if constant {
                3 * i as u64
            } else {
                random.below(4)
            };
            kmer = kmer.append(code as u8, k);
        }
        let count = match random.below(10) {
            0..5 => 1,
            5..9 => 1 + random.below(60),
            _ => 1 + random.below(1 << 31),
        };
        content.insert(if canonical { kmer.canonical(k) } else { kmer }, count);
    }
    content
}

pub(crate) fn write<K: Kmer>(
    path: &Path,
    format: DatabaseFormat,
    content: &Content<K>,
    description: &Description,
) {
    let mut writer = DatabaseWriter::create(path, format, description).unwrap();
    for (&kmer, &count) in content {
        writer.push(kmer, count).unwrap();
    }
    let totals = writer.finish().unwrap();
    assert_eq!(totals.distinct, content.len() as u64);
}

pub(crate) fn letters<K: Kmer>(kmer: K, k: usize) -> String {
    String::from_utf8(kmer.to_letters(k)).unwrap()
}
