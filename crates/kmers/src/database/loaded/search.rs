//! What finds k-mers in a table, one thread's.

use super::{Loaded, Wanted};
use crate::database::SequenceKmers;
use crate::database::thk::MinimizerRule;
use crate::kmer::{Alphabet, Kmer};
use thalweg_superkmers::minimizer::{Minimizers, partition};
use thalweg_superkmers::{Kernel, encode::Encoded};

/// k-mers that are asked for before the first of them is looked at: as many lines as are under way at a time, and more,
/// so that those of the next ones come while these are compared.
const AHEAD: usize = 32;

/// Letters of a sequence whose minimizers are found at a time; what is found of them stays in the caches.
const PIECE: usize = 4096;

/// Finds k-mers. It has buffers of its own.
pub(in crate::database) struct Search<K> {
    loaded: Loaded<K>,
    by_minimizer: Option<Box<ByMinimizer>>,
}

/// What tells the regions of k-mers whose minimizers choose them.
struct ByMinimizer {
    /// Of single k-mers.
    rule: MinimizerRule,
    /// Of those of a sequence.
    kernel: Kernel,
    encoded: Encoded,
    minimizers: Minimizers,
}

impl<K: Kmer> Search<K> {
    pub(super) fn new(loaded: Loaded<K>) -> Self {
        let by_minimizer = |(length, partitions)| {
            Box::new(ByMinimizer {
                rule: MinimizerRule::new(length, partitions),
                kernel: Kernel::best(),
                encoded: Encoded::default(),
                minimizers: Minimizers::default(),
            })
        };
        Self {
            by_minimizer: loaded.rule.map(by_minimizer),
            loaded,
        }
    }

    /// The count of a k-mer, as it is stored.
    pub(in crate::database) fn find(&mut self, kmer: K) -> Option<u64> {
        let Loaded { k, table, .. } = &self.loaded;
        let wanted = match &mut self.by_minimizer {
            Some(by_minimizer) => table.wanted_in(by_minimizer.rule.partition(kmer, *k), kmer),
            None => table.wanted(kmer),
        };
        table.get(wanted)
    }

    /// Calls `use_count` with each k-mer of a sequence, canonical or as it is, and its count.
    pub(in crate::database) fn find_in_sequence(
        &mut self,
        sequence: &[u8],
        alphabet: Alphabet,
        is_canonical: bool,
        mut use_count: impl FnMut(K, Option<u64>),
    ) {
        let Loaded { k, table, .. } = &self.loaded;
        let k = *k;
        let stored = |kmer: K| match is_canonical {
            true => kmer.canonical(k),
            false => kmer,
        };
        let Some(by_minimizer) = &mut self.by_minimizer else {
            let kmers = SequenceKmers::<K>::new(sequence, k).with_alphabet(alphabet);
            let wanted = kmers.map(|(_, kmer)| table.wanted(stored(kmer)));
            return self.loaded.get_all(wanted, use_count);
        };
        let mut rest = sequence;
        while rest.len() >= k {
            let piece = &rest[..rest.len().min(PIECE + k - 1)];
            let regions = by_minimizer.regions(piece, k);
            let kmers = SequenceKmers::<K>::new(piece, k).with_alphabet(alphabet);
            let wanted = kmers.map(|(at, kmer)| table.wanted_in(regions(at), stored(kmer)));
            self.loaded.get_all(wanted, &mut use_count);
            rest = &rest[piece.len() - (k - 1)..];
        }
    }
}

impl ByMinimizer {
    /// The regions of all k-mers of some letters, by where they begin.
    fn regions(&mut self, letters: &[u8], k: usize) -> impl Fn(usize) -> usize {
        let Self {
            rule,
            kernel,
            encoded,
            minimizers,
        } = self;
        kernel.encode(encoded, letters, b"", 0);
        kernel.minimizers(minimizers, encoded, k, rule.length());
        let bits = rule.bits();
        let least = minimizers.least();
        move |at| partition(least[at], bits)
    }
}

impl<K: Kmer> Loaded<K> {
    /// Calls `use_count` with each k-mer and its count.
    fn get_all(
        &self,
        mut wanted: impl Iterator<Item = Wanted<K>>,
        mut use_count: impl FnMut(K, Option<u64>),
    ) {
        let mut asked = [Wanted::default(); AHEAD];
        loop {
            let mut number = 0;
            for (place, wanted) in asked.iter_mut().zip(&mut wanted) {
                self.table.ask(wanted);
                *place = wanted;
                number += 1;
            }
            if number == 0 {
                return;
            }
            for &wanted in &asked[..number] {
                use_count(wanted.kmer, self.table.get(wanted));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::Path;

    use thalweg_flow::Budget;

    use super::*;
    use crate::count::Counter;
    use crate::database::{Database, Description, open, thk};
    use crate::kmer::Wide;
    use crate::options::CountOptions;

    /// Bases as good as random, with a letter that is none now and then.
    fn letters(seed: u64, length: usize) -> Vec<u8> {
        let mut state = seed;
        let letter = |place: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            match place % 977 {
                500 => b'N',
                _ => b"ACGTacgt"[(state >> 61) as usize],
            }
        };
        (0..length).map(letter).collect()
    }

    /// What a count writes, in so many partitions.
    fn counted<K: Kmer>(path: &Path, sequence: &[u8], k: usize, canonical: bool) -> Database {
        let options = CountOptions::new(k).unwrap().with_canonical(canonical);
        let counter = Counter::new(options.with_partitions(64).unwrap(), Budget::new(1)).unwrap();
        let mut worker = counter.worker().unwrap();
        worker.add(sequence).unwrap();
        let rule = thk::Partitioning::minimizers(64, k);
        let writer =
            thk::ThkWriter::<K>::create(path, &Description::new(k, canonical), rule).unwrap();
        counter
            .finish(vec![worker.into_share().unwrap()], &writer)
            .unwrap();
        writer.finish().unwrap();
        open(path).unwrap()
    }

    fn check<K: Kmer>(k: usize) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.thk");
        let sequence = letters(k as u64, 3 * PIECE + 77);
        for canonical in [true, false] {
            let stored = |kmer: K| match canonical {
                true => kmer.canonical(k),
                false => kmer,
            };
            let mut expected: HashMap<K, u64> = HashMap::new();
            for (_, kmer) in SequenceKmers::<K>::new(&sequence, k) {
                *expected.entry(stored(kmer)).or_default() += 1;
            }
            let database = counted::<K>(&path, &sequence, k, canonical);
            // Some of it, on both strands, and some that is not there.
            let mut asked = sequence[PIECE / 2..].to_vec();
            let turned =
                |letter: &u8| b"TTGGACN"[b"AaCcTGN".iter().position(|l| l == letter).unwrap_or(6)];
            asked.extend(sequence.iter().rev().map(turned));
            asked.extend(letters(1, PIECE));
            for threads in [1, 3] {
                let loaded = database.load::<K>(threads).unwrap();
                assert_eq!(loaded.rule.map(|rule| rule.1), Some(64));
                assert_eq!(loaded.table.len(), expected.len());
                let mut search = Search::new(loaded);
                for (&kmer, &count) in expected.iter().take(500) {
                    assert_eq!(search.find(kmer), Some(count));
                }
                for asked in [
                    &asked[..],
                    &asked[..k - 1],
                    &asked[..k],
                    &asked[..PIECE + k - 1],
                ] {
                    let mut found = Vec::new();
                    search.find_in_sequence(asked, Alphabet::Acgt, canonical, |kmer, count| {
                        found.push((kmer, count))
                    });
                    let kmers = SequenceKmers::<K>::new(asked, k).map(|(_, kmer)| stored(kmer));
                    let counts = kmers.map(|kmer| (kmer, expected.get(&kmer).copied()));
                    assert!(counts.eq(found), "k = {k}, {threads} threads");
                }
            }
        }
    }

    #[test]
    fn what_a_count_wrote_is_found_by_minimizers() {
        check::<u64>(13);
        check::<u64>(31);
        check::<u128>(55);
        check::<Wide<4>>(101);
        check::<Wide<8>>(255);
    }
}
