//! Partitions shared out among more of them, after counting.
//!
//! A partition's number is the upper bits of a hash, so that of more partitions several, side by side, are one of fewer. The k-mers
//! of each stay in order.

use super::sink::Sink;
use crate::{
    error::{Error, Result},
    kmer::Kmer,
};
use std::sync::{Mutex, PoisonError};
use thalweg_superkmers::{Scheme, minimizer::Minimizers};

/// k-mers whose minimizers are searched for at once.
const TOGETHER: usize = 64;

/// A sink of few partitions, whose own sink has more.
pub(super) struct Split<'a, K> {
    sink: &'a dyn Sink<K>,
    /// That of the sink.
    scheme: Scheme,
    /// Partitions of the sink for each.
    parts: usize,
    idle: Mutex<Vec<Buffers<K>>>,
}

/// The buffers with which a thread sorts.
struct Buffers<K> {
    finder: Finder,
    parts: Vec<Vec<(K, u64)>>,
}

impl<'a, K: Kmer> Split<'a, K> {
    /// For `partitions` partitions by the rule of `scheme`, each of which becomes `parts`.
    pub(super) fn new(
        sink: &'a dyn Sink<K>,
        scheme: Scheme,
        partitions: usize,
        parts: usize,
    ) -> Result<Self> {
        let bits = (partitions * parts).trailing_zeros();
        Ok(Self {
            sink,
            scheme: scheme.with_partition_bits(bits).map_err(Error::from)?,
            parts,
            idle: Mutex::default(),
        })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Buffers<K>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Kmer> Sink<K> for Split<'_, K> {
    fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<()> {
        let idle = self.idle().pop();
        let mut buffers = idle.unwrap_or_else(|| Buffers {
            finder: Finder::default(),
            parts: vec![Vec::new(); self.parts],
        });
        let Buffers { finder, parts } = &mut buffers;
        let first = partition * self.parts;
        for some in entries.chunks(TOGETHER) {
            let least = finder.find(some, &self.scheme);
            for (entry, least) in some.iter().zip(least) {
                // Its upper bits are those of the partition.
                let part = self.scheme.partition(least) & (self.parts - 1);
                parts[part].push(*entry);
            }
        }
        for (number, part) in (first..).zip(parts) {
            if !part.is_empty() {
                self.sink.accept(number, part)?;
                part.clear();
            }
        }
        self.idle().push(buffers);
        Ok(())
    }

    fn end(&self, partition: usize) -> Result<()> {
        let first = partition * self.parts;
        (first..first + self.parts).try_for_each(|part| self.sink.end(part))
    }
}

/// Finds the minimizers of single k-mers, as one sequence that holds them one after the other.
#[derive(Default)]
struct Finder {
    packed: Vec<u64>,
    minimizers: Box<Minimizers>,
}

impl Finder {
    /// The least value of each k-mer.
    fn find<K: Kmer>(
        &mut self,
        entries: &[(K, u64)],
        scheme: &Scheme,
    ) -> impl Iterator<Item = u32> {
        let (k, m) = (scheme.k(), scheme.m());
        let bases = entries.len() * k;
        self.packed.clear();
        self.packed.resize(bases.div_ceil(32) + 1, 0);
        for (number, &(kmer, _)) in entries.iter().enumerate() {
            // Turned, its first base is in the lowest bits.
            let turned = kmer.reverse_complement(k).to_words();
            let start = 2 * number * k;
            for (word, place) in turned.iter().zip((0..2 * k).step_by(64)) {
                let bits = (2 * k - place).min(64);
                let bases = !word & u64::MAX >> (64 - bits);
                let (at, shift) = ((start + place) / 64, (start + place) % 64);
                self.packed[at] |= bases << shift;
                if shift + bits > 64 {
                    self.packed[at + 1] |= bases >> (64 - shift);
                }
            }
        }
        self.minimizers.find(&self.packed, bases, k, m);
        self.minimizers.least().iter().copied().step_by(k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::Wide;

    struct Seen<K>(Mutex<Vec<Vec<(K, u64)>>>);

    impl<K: Kmer> Sink<K> for Seen<K> {
        fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<()> {
            self.0.lock().unwrap()[partition].extend_from_slice(entries);
            Ok(())
        }

        fn end(&self, partition: usize) -> Result<()> {
            self.0.lock().unwrap()[partition].push((K::default(), u64::MAX));
            Ok(())
        }
    }

    /// Each alone has the partition that it has among others.
    fn check<K: Kmer>(k: usize) {
        let scheme = Scheme::new(k).unwrap();
        let mut state = k as u64;
        let mut base = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            b"ACGT"[(state >> 62) as usize]
        };
        let letters = (0..500).map(|_| (0..k).map(|_| base()).collect::<Vec<u8>>());
        let mut entries: Vec<(K, u64)> = (letters.zip(1..))
            .map(|(letters, count)| (K::from_letters(&letters).unwrap(), count))
            .collect();
        entries.sort_unstable();
        entries.dedup_by_key(|entry| entry.0);
        let (few, all) = (4, 64);
        let with = |partitions: usize| scheme.with_partition_bits(partitions.trailing_zeros());
        let (coarse, fine) = (with(few).unwrap(), with(all).unwrap());
        let alone = |entry: &(K, u64), scheme: &Scheme| {
            let least = Finder::default().find(&[*entry], scheme).next();
            scheme.partition(least.unwrap())
        };
        let seen = Seen(Mutex::new(vec![Vec::new(); all]));
        let split = Split::new(&seen, coarse, few, all / few).unwrap();
        for partition in 0..few {
            let is_of = |entry: &&(K, u64)| alone(entry, &coarse) == partition;
            let own: Vec<(K, u64)> = entries.iter().filter(is_of).copied().collect();
            own.chunks(150)
                .for_each(|piece| split.accept(partition, piece).unwrap());
            split.end(partition).unwrap();
        }
        for (partition, seen) in seen.0.into_inner().unwrap().iter().enumerate() {
            let is_of = |entry: &&(K, u64)| alone(entry, &fine) == partition;
            let mut expected: Vec<(K, u64)> = entries.iter().filter(is_of).copied().collect();
            expected.push((K::default(), u64::MAX));
            assert_eq!(*seen, expected, "k = {k}, partition {partition}");
        }
    }

    #[test]
    fn k_mers_go_where_their_minimizers_say() {
        for k in [3, 11, 12, 21, 31, 32] {
            check::<u64>(k);
        }
        check::<u128>(33);
        check::<u128>(64);
        check::<Wide<4>>(101);
        check::<Wide<8>>(255);
    }
}
