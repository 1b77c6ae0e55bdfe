//! The second stage for each type of k-mers: compiled with this crate, and not once more with each that calls it.

use super::{CountTotals, Counter, Sink, stage1::Share};
use crate::{
    error::Result,
    kmer::{EachType, Family, Kmer, Wide},
};

/// A type whose k-mers can be counted: all of them can.
trait Countable: Kmer {
    /// [`Counter::finish_groups`] for k-mers that fit into this type.
    fn finish(
        counter: &Counter,
        shares: Vec<Share>,
        groups: usize,
        sink: &dyn Sink<Self>,
    ) -> Result<CountTotals>;
}

/// [`Countable::finish`] of each type.
struct Finish;

impl Family for Finish {
    type Of<K: Kmer> = fn(&Counter, Vec<Share>, usize, &dyn Sink<K>) -> Result<CountTotals>;
}

/// [`Countable::finish`] of a type of k-mers.
pub(super) fn finish<K: Kmer>(
    counter: &Counter,
    shares: Vec<Share>,
    groups: usize,
    sink: &dyn Sink<K>,
) -> Result<CountTotals> {
    let finish = K::choose(EachType::<Finish> {
        one: Countable::finish,
        two: Countable::finish,
        four: Countable::finish,
        eight: Countable::finish,
    });
    finish(counter, shares, groups, sink)
}

/// The code is large, so it exists for the records that there can be: those of the k of a type are of two widths.
///
/// A record holds 2k - m bases and the end mark (`minimizer_length`, `words_for`):
///
/// | k | longest | words |
/// |---|---|---|
/// | 1..=21, 22..=32 | 31, 53 bases | 1, 2 |
/// | 33..=38, 39..=64 | 63, 113 bases | 2, 4 |
/// | 65..=71, 72..=128 | 127, 241 bases | 4, 8 |
/// | 129..=135, 136..=255 | 255, 495 bases | 8, 16 |
///
/// Who wants narrow k-mers in a wider type than they need has them counted in a narrower one.
macro_rules! countable {
    ($type:ty: $words:literal, $more:literal $(; $narrower:ty: $fewer:pat)?) => {
        impl Countable for $type {
            fn finish(
                counter: &Counter,
                shares: Vec<Share>,
                groups: usize,
                sink: &dyn Sink<Self>,
            ) -> Result<CountTotals> {
                if counter.plan.direct {
                    return counter.finish_direct(shares, sink);
                }
                match counter.plan.shape.record_words {
                    $($fewer => <$narrower>::finish(counter, shares, groups, &Widened(sink)),)?
                    $words => counter.finish_records::<Self, $words>(shares, groups, sink),
                    words => {
                        debug_assert_eq!(words, $more, "k = {}", counter.plan.scheme.k());
                        counter.finish_records::<Self, $more>(shares, groups, sink)
                    }
                }
            }
        }
    };
}

countable!(u64: 1, 2);
countable!(u128: 2, 4; u64: 1);
countable!(Wide<4>: 4, 8; u128: 1 | 2);
countable!(Wide<8>: 8, 16; Wide<4>: 1 | 2 | 4);

/// Takes k-mers for a sink that wants them wider.
struct Widened<'a, K>(&'a dyn Sink<K>);

impl<T: Kmer, K: Kmer> Sink<T> for Widened<'_, K> {
    fn accept(&self, partition: usize, entries: &[(T, u64)]) -> Result<()> {
        let widen = |&(kmer, count): &(T, u64)| (K::from_words(&kmer.to_words()), count);
        let entries: Vec<(K, u64)> = entries.iter().map(widen).collect();
        self.0.accept(partition, &entries)
    }

    fn end(&self, partition: usize) -> Result<()> {
        self.0.end(partition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kmer::{KmerTask, dispatch},
        options::CountOptions,
    };
    use std::{collections::BTreeMap, sync::Mutex};
    use thalweg_flow::Budget;

    struct Letters(usize, Mutex<BTreeMap<Vec<u8>, u64>>);

    impl<K: Kmer> Sink<K> for Letters {
        fn accept(&self, _: usize, entries: &[(K, u64)]) -> Result<()> {
            let mut all = self.1.lock().expect("no panic");
            all.extend(
                entries
                    .iter()
                    .map(|(kmer, count)| (kmer.to_letters(self.0), *count)),
            );
            Ok(())
        }
    }

    fn counts<K: Kmer>(k: usize) -> BTreeMap<Vec<u8>, u64> {
        let options = CountOptions::new(k).expect("a good k");
        let counter = Counter::new(options, Budget::new(1)).expect("a plan");
        let mut worker = counter.worker().expect("the first");
        let mut state = 7u64;
        let mut base = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            b"ACGT"[(state >> 62) as usize]
        };
        let read: Vec<u8> = (0..1000).map(|_| base()).collect();
        worker.add(&read).expect("memory");
        worker.add(&read[300..]).expect("memory");
        let letters = Letters(k, Mutex::default());
        let totals = counter
            .finish::<K>(vec![worker.into_share().expect("memory")], &letters)
            .expect("a result");
        assert_eq!(totals.kmers as usize, 1000 + 700 - 2 * (k - 1));
        letters.1.into_inner().expect("no panic")
    }

    #[test]
    fn wider_types_than_needed_get_the_same_counts() {
        for k in [5, 21, 22, 32] {
            let expected = counts::<u64>(k);
            assert!(expected.values().any(|&count| count == 2));
            assert_eq!(counts::<u128>(k), expected, "k = {k}");
            assert_eq!(counts::<Wide<4>>(k), expected, "k = {k}");
            assert_eq!(counts::<Wide<8>>(k), expected, "k = {k}");
        }
        for k in [38, 39, 64] {
            assert_eq!(counts::<Wide<8>>(k), counts::<u128>(k), "k = {k}");
        }
        assert_eq!(counts::<Wide<8>>(71), counts::<Wide<4>>(71));
    }

    /// The table above: a record of another width would not be found by [`dispatch`]'s type.
    #[test]
    fn records_of_every_k_have_a_width_of_its_type() {
        struct Words(usize);
        impl KmerTask for Words {
            type Output = ();
            fn run<K: Kmer>(self) {
                let options = CountOptions::new(self.0).expect("a good k");
                let plan = Counter::new(options, Budget::new(1)).expect("a plan").plan;
                assert!(
                    [K::WORDS, 2 * K::WORDS].contains(&plan.shape.record_words),
                    "k = {}",
                    self.0
                );
            }
        }
        for k in 1..=255 {
            dispatch(k, Words(k)).expect("a good k");
        }
    }
}
