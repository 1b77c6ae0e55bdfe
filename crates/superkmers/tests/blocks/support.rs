//! What several tests here need.

use std::sync::Arc;
use thalweg_superkmers::{
    Error, Kernel, Kmer, Scheme,
    kmer::{Alphabet, LETTERS},
    packed::BLOCK_WORDS,
    partition::{BlockSink, Ledger, SealedStore, Shape, Store},
    partitioner::Partitioner,
    record::{self, Record},
    segments::Segments,
    spill::Spill,
};

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        (self.0 >> 33) as usize % bound
    }

    pub(crate) fn letters(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| LETTERS[self.below(4)]).collect()
    }
}

/// Sixteen partitions of k-mers of `k` bases.
pub(crate) fn scheme(k: usize) -> Scheme {
    Scheme::new(k).unwrap().with_partition_bits(4).unwrap()
}

/// Memory for the chunks that are set aside, and no more: the rest is spilled.
pub(crate) fn spill(shape: Shape) -> (Arc<Ledger>, Spill) {
    let spill = Spill::new(&std::env::temp_dir(), shape.partitions);
    (Arc::new(Ledger::new(0)), spill)
}

pub(crate) fn store(shape: Shape) -> Store {
    let (ledger, spill) = spill(shape);
    Store::new(shape, ledger, spill)
}

/// What cuts sequences into a store.
pub(crate) struct Cutting<S> {
    segments: Segments,
    pub(crate) partitioner: Partitioner<S>,
}

impl<S: BlockSink> Cutting<S> {
    pub(crate) fn new(scheme: Scheme, store: Store<S>) -> Self {
        let kernel = Kernel::best();
        Self {
            segments: Segments::new(scheme.k(), kernel, Alphabet::Acgt),
            partitioner: Partitioner::new(scheme, kernel, store),
        }
    }

    pub(crate) fn add(&mut self, letters: &[u8]) -> Result<(), Error> {
        self.segments
            .add(letters, |segment| self.partitioner.take(segment))
    }
}

/// The blocks of a partition, from memory and from the file.
pub(crate) fn blocks(store: &SealedStore, partition: usize) -> Vec<u64> {
    let mut all: Vec<u64> = store.chunks(partition).flatten().copied().collect();
    store
        .visit_spilled(partition, &mut Vec::new(), &mut Vec::new(), |words| {
            all.extend_from_slice(words);
            Some(())
        })
        .unwrap();
    assert!(all.len().is_multiple_of(BLOCK_WORDS) || store.words(partition) == all.len() as u64);
    all
}

/// The k-mers of records, canonical, in letters.
pub(crate) fn kmers<const N: usize>(records: &[Record<N>], k: usize, all: &mut Vec<Vec<u8>>) {
    for record in records {
        record::for_each_kmer::<u128, N>(record, k, true, |kmer| all.push(kmer.to_letters(k)));
    }
}

/// Those of a sequence.
pub(crate) fn kmers_of(letters: &[u8], k: usize) -> impl Iterator<Item = Vec<u8>> {
    let canonical = move |letters| u128::from_letters(letters).unwrap().canonical(k);
    letters
        .windows(k)
        .map(move |kmer| canonical(kmer).to_letters(k))
}
