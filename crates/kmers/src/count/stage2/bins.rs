//! k-mers counted by sorting: for the many that come once or twice after merging.
//!
//! ```text
//! keys   = every k-mer with its weight less one below it, as they are cut out of the records
//! bins   = keys by their upper bits, so finely that a bin has some 8 of them          (one counting sort)
//! groups = neighbouring bins, together at most 64 keys: sorted in registers
//! equal k-mers of a group are neighbours now: one entry with the sum of their weights
//! ```
//!
//! A table costs a search, a clearing, a collection and a sort of what it collected, all of it spread over memory:
//! much for each k-mer where most come once. Here a key is written twice,
//! both times in order of some thousand places, and every group ends up sorted at no further cost.
//! What is so heavy that it would be many keys goes into the table instead (see `stage2`).

use super::fold::MAX_KMERS;
use crate::kmer::Kmer;

/// A k-mer that may have its weight less one in the bits below it.
pub(crate) trait Key: Kmer {
    /// The bits below its upper word.
    const BELOW: u32;

    /// The upper word, or the only one.
    fn upper_word(self) -> u64;

    /// The bits from `shift` on, which are at most 32.
    fn upper_from(self, shift: u32) -> usize;

    /// The k-mer `bits` bits higher, its weight less one below.
    fn with_weight(self, weight: u32, bits: u32) -> Self;

    /// The k-mer alone.
    fn kmer(self, bits: u32) -> Self;

    /// The weight alone.
    fn weight(self, bits: u32) -> u64;
}

macro_rules! key {
    ($word:ty) => {
        impl Key for $word {
            const BELOW: u32 = <$word>::BITS - u64::BITS;

            #[inline(always)]
            fn upper_word(self) -> u64 {
                (self >> Self::BELOW) as u64
            }

            #[inline(always)]
            fn upper_from(self, shift: u32) -> usize {
                (self >> shift) as usize
            }

            #[inline(always)]
            fn with_weight(self, weight: u32, bits: u32) -> Self {
                self << bits | <$word>::from(weight - 1)
            }

            #[inline(always)]
            fn kmer(self, bits: u32) -> Self {
                self >> bits
            }

            #[inline(always)]
            fn weight(self, bits: u32) -> u64 {
                (self as u64 & ((1 << bits) - 1)) + 1
            }
        }
    };
}

key!(u64);
key!(u128);

/// Keys that one sort in registers takes.
pub(in crate::count) const GROUP: usize = 64;

/// Keys of a bin on average, rounded up to a power of two of bins: as the k-mers of a genome are not spread evenly,
/// a few bins to a group make most groups nearly full.
const BIN: usize = 8;

/// At most so many bins. The counters of 2^13, as many as a partition of 100,000 keys has, fill the first-level cache;
/// ranges of a database in the order of k-mers may have more keys, and bins that are too large for a group cost more
/// than counters in the second-level cache.
const MAX_BINS_LOG: u32 = 15;

/// A k-mer may be so many keys at most before it is left to the table.
pub(super) const MAX_COPIES: u32 = 2;

/// Keys that there is always room for: those of a record, of which vectors are written whole, and read whole behind the end.
const ROOM: usize = MAX_KMERS + GROUP;

/// More keys have no numbers for the ends of their bins.
pub(super) const MAX_KEYS: usize = u32::MAX as usize;

/// Bits for a weight that are of use.
pub(super) const MAX_WEIGHT_BITS: u32 = 8;

/// What takes k-mers with their counts, and may change them.
pub(in crate::count) type See<'a, T> = &'a mut dyn FnMut(&mut Entries<T>);

/// Entries that are shown at once: 64 KiB, or 128 KiB of two words, so that they are in the cache still. A whole partition of
/// them is 600 KiB, which is written and read several times.
const BATCH: usize = 4096;

/// The keys of one partition; all buffers are used again.
#[derive(Debug)]
pub(crate) struct Bins<T> {
    /// 2 bits for each base, or fewer if all k-mers begin alike.
    kmer_bits: u32,
    weight_bits: u32,
    /// Whether every key has another k-mer.
    are_distinct: bool,
    keys: Vec<T>,
    len: usize,
    binned: Vec<T>,
    /// Where each bin ends.
    ends: Vec<u32>,
    /// Those that are shown next.
    entries: Entries<T>,
}

/// Sorted k-mers with their counts, some thousand at once.
///
/// The buffer stays as long as it is: to cut it off and clear it again took a hundredth of the time of counting. Being one
/// value, it can be asked at run time which k-mers it has, other than a slice.
#[derive(Debug)]
pub(crate) struct Entries<T> {
    /// None, or [`BATCH`] and a group; what is behind those that are used means nothing.
    buffer: Vec<(T, u64)>,
    used: usize,
}

impl<T> Entries<T> {
    /// Those that are shown, which may be changed.
    pub(crate) fn shown(&mut self) -> &mut [(T, u64)] {
        &mut self.buffer[..self.used]
    }
}

impl<T: Key> Bins<T> {
    /// For k-mers of `k` bases.
    pub(super) fn new(k: usize) -> Self {
        Self::of_bits(2 * k as u32)
    }

    /// For numbers of so many bits.
    pub(super) fn of_bits(kmer_bits: u32) -> Self {
        Self {
            kmer_bits,
            weight_bits: (T::MAX_K as u32 * 2)
                .saturating_sub(kmer_bits)
                .min(MAX_WEIGHT_BITS),
            are_distinct: false,
            keys: Vec::new(),
            len: 0,
            binned: Vec::new(),
            ends: Vec::new(),
            entries: Entries {
                buffer: Vec::new(),
                used: 0,
            },
        }
    }

    /// As [`Self::of_bits`], for numbers that all differ: where they do not, equal ones may stay apart.
    pub(super) fn of_distinct(bits: u32) -> Self {
        Self {
            are_distinct: true,
            ..Self::of_bits(bits)
        }
    }

    /// Whether every key has another k-mer than all others.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for vector kernels")
    )]
    pub(in crate::count) fn are_distinct(&self) -> bool {
        self.are_distinct
    }

    /// The greatest weight of a key.
    pub(super) fn heaviest(&self) -> u32 {
        1 << self.weight_bits
    }

    /// Bits by which a k-mer is shifted in a key.
    pub(in crate::count) fn weight_bits(&self) -> u32 {
        self.weight_bits
    }

    /// Forgets all keys and makes room for `keys`.
    pub(super) fn begin(&mut self, keys: usize) {
        self.len = 0;
        if self.keys.len() < keys + ROOM {
            renew(&mut self.keys, keys + ROOM);
        }
    }

    /// Where the next keys go, those of a record at most.
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [T] {
        if self.keys.len() < self.len + ROOM {
            self.grow();
        }
        &mut self.keys[self.len..]
    }

    /// Makes room for as many keys again.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let room = 2 * self.len.max(ROOM) + ROOM;
        self.keys.reserve_exact(room - self.keys.len());
        self.keys.resize(room, T::default());
    }

    /// Appends `keys` keys that lie in the room already.
    #[inline(always)]
    pub(super) fn push(&mut self, keys: usize) {
        self.len += keys;
        debug_assert!(self.len + GROUP <= self.keys.len());
    }

    /// Appends a k-mer with its weight, at most [`Self::heaviest`], for which there is room.
    #[inline(always)]
    pub(super) fn push_one(&mut self, kmer: T, weight: u32) {
        self.push_key(kmer.with_weight(weight, self.weight_bits));
    }

    /// Appends a key, for which there is room.
    #[inline(always)]
    pub(super) fn push_key(&mut self, key: T) {
        self.keys[self.len] = key;
        self.len += 1;
    }

    /// Appends a k-mer of any weight, as often as it takes.
    #[inline(always)]
    pub(super) fn push_split(&mut self, kmer: T, weight: u32) {
        let mut left = weight;
        while left > 0 {
            self.room();
            let weight = left.min(self.heaviest());
            self.push_one(kmer, weight);
            left -= weight;
        }
    }

    /// Bits of a key, from the lowest.
    pub(in crate::count) fn key_bits(&self) -> u32 {
        self.kmer_bits + self.weight_bits
    }

    /// Shows every different k-mer with the sum of its weights to `see`, in order, some thousand at once.
    ///
    /// `sum` is given an array and a number n: it sorts the first n keys by their k-mers (behind them is anything), writes each different
    /// k-mer with the sum of its weights to the beginning of another array, and returns how many they are.
    #[inline(always)]
    pub(in crate::count) fn count(
        &mut self,
        see: See<T>,
        mut sum: impl FnMut(&[T; GROUP], usize, &mut [(T, u64); GROUP]) -> usize,
    ) {
        self.bin();
        let weight_bits = self.weight_bits;
        let entries = &mut self.entries;
        entries.used = 0;
        entries.buffer.resize(BATCH + GROUP, (T::default(), 0));
        let mut show = |entries: &mut Entries<T>| {
            see(entries);
            entries.used = 0;
        };
        let mut start = 0;
        let mut bins = self.ends.iter().map(|&end| end as usize).peekable();
        while let Some(mut end) = bins.next() {
            while let Some(next) = bins.next_if(|&next| next <= start + GROUP) {
                end = next;
            }
            match (self.binned[start..].first_chunk())
                .zip(entries.buffer[entries.used..].first_chunk_mut())
            {
                Some((group, out)) if end - start <= GROUP => {
                    entries.used += sum(group, end - start, out);
                }
                _ => {
                    let bin = &mut self.binned[start..end];
                    bin.sort_unstable();
                    for keys in bin.chunk_by(|a, b| a.kmer(weight_bits) == b.kmer(weight_bits)) {
                        let weights = keys.iter().map(|key| key.weight(weight_bits));
                        entries.buffer[entries.used] = (keys[0].kmer(weight_bits), weights.sum());
                        entries.used += 1;
                        // However many they are, the entries take no more memory.
                        if entries.used == BATCH {
                            show(entries);
                        }
                    }
                }
            }
            start = end;
            if entries.used >= BATCH || start == self.len && entries.used > 0 {
                show(entries);
            }
        }
    }

    /// Puts the keys into bins.
    #[inline(always)]
    fn bin(&mut self) {
        let bits = (self.len / BIN)
            .max(1)
            .ilog2()
            .min(MAX_BINS_LOG)
            .min(self.kmer_bits);
        let shift = self.key_bits() - bits;
        match shift.checked_sub(T::BELOW) {
            // A shift by all bits would be none.
            _ if bits == 0 => self.bin_by(1, |_| 0),
            // Of most keys of two words it is the upper one alone that tells, which takes half of the instructions.
            Some(shift) => self.bin_by(1 << bits, |key| (key.upper_word() >> shift) as usize),
            None => self.bin_by(1 << bits, |key| key.upper_from(shift)),
        }
    }

    /// Puts the keys into so many bins, of which `bin` tells one for each.
    #[inline(always)]
    fn bin_by(&mut self, number: usize, bin: impl Fn(T) -> usize) {
        let keys = &self.keys[..self.len];
        self.ends.clear();
        self.ends.resize(number, 0);
        let bins = &mut self.ends[..];
        for &key in keys {
            bins[bin(key)] += 1;
        }
        let mut start = 0;
        for end in bins.iter_mut() {
            start += std::mem::replace(end, start);
        }
        // A group behind the end.
        if self.binned.len() < keys.len() + GROUP {
            renew(&mut self.binned, self.keys.len());
        }
        let binned = &mut self.binned[..keys.len()];
        for &key in keys {
            let place = &mut bins[bin(key)];
            binned[*place as usize] = key;
            *place += 1;
        }
    }
}

/// Puts so many zeros in place of what a buffer holds, which goes first: memory never has both.
fn renew<T: Key>(buffer: &mut Vec<T>, len: usize) {
    *buffer = Vec::new();
    *buffer = vec![T::default(); len];
}

/// [`Bins::count`] with the sort of the standard library.
#[inline(always)]
pub(in crate::count) fn count_plainly<T: Key>(bins: &mut Bins<T>, see: See<T>) {
    let weight_bits = bins.weight_bits();
    bins.count(see, |keys, len, entries| {
        let mut sorted = *keys;
        let sorted = &mut sorted[..len];
        sorted.sort_unstable();
        sum_group(sorted, weight_bits, entries)
    });
}

/// Sorts a few keys, most of which are in their order, by their k-mers alone.
#[inline(always)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "for vector kernels")
)]
pub(in crate::count) fn insert(keys: &mut [u128], weight_bits: u32) {
    let weight = (1 << weight_bits) - 1;
    for i in 1..keys.len() {
        let mut to = i;
        // Greater than the greatest key of that k-mer.
        while to > 0 && keys[to - 1] > keys[to] | weight {
            keys.swap(to - 1, to);
            to -= 1;
        }
    }
}

/// Puts the different k-mers of a sorted group, each with the sum of its weights, to the beginning of `out`, and tells how many
/// they are: whether the next key is another one cannot be predicted, so no branch asks.
#[inline(always)]
pub(in crate::count) fn sum_group<T: Key>(
    keys: &[T],
    weight_bits: u32,
    out: &mut [(T, u64); GROUP],
) -> usize {
    let (mut len, mut total) = (0, 0);
    let mut add = |key: T, is_last: bool| {
        total += key.weight(weight_bits);
        out[len % GROUP] = (key.kmer(weight_bits), total);
        len += usize::from(is_last);
        total = if is_last { 0 } else { total };
    };
    for pair in keys.windows(2) {
        add(
            pair[0],
            pair[0].kmer(weight_bits) != pair[1].kmer(weight_bits),
        );
    }
    if let Some(&last) = keys.last() {
        add(last, true);
    }
    len
}

#[cfg(test)]
pub(in crate::count) mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// That both sort the first numbers of a group, of which they are given the number; the second one those of so many
    /// bits more than 58, by what is above their lowest bits.
    pub(in crate::count) fn check_network(
        sort: impl Fn(&[u64; GROUP], usize, &mut [u64; GROUP]),
        sort_wide: impl Fn(&[u128; GROUP], usize, u32, u32, &mut [u128; GROUP]),
    ) {
        let mut state = 1u64;
        for round in 0..2000usize {
            let mut step = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(99);
                state
            };
            // Few different ones in some rounds, and the greatest among them.
            let mask = if round % 3 == 0 { 7 << 61 } else { u64::MAX };
            let numbers: [u64; GROUP] = std::array::from_fn(|i| match step() >> 60 {
                0 => u64::MAX,
                1 => i as u64,
                _ => step() & mask,
            });
            let len = round % (GROUP + 1);
            let mut sorted = [0; GROUP];
            sort(&numbers, len, &mut sorted);
            let mut expected = numbers[..len].to_vec();
            expected.sort_unstable();
            assert_eq!(sorted[..len], expected);

            let below = [0, 8, 58, 70][round % 4];
            let wide = numbers.map(|number| {
                let upper = u128::from(number >> 6) << below;
                upper | u128::from(number).pow(2) & ((1 << below) - 1)
            });
            // Few different ones, which differ in bits that are not sorted by, or in all.
            let bits = [0, 8, 3][round % 5 % 3].min(below);
            let mut sorted = [0; GROUP];
            sort_wide(&wide, len, bits, below, &mut sorted);
            assert!(sorted[..len].is_sorted_by_key(|number| number >> bits));
            let mut expected = wide[..len].to_vec();
            expected.sort_unstable();
            sorted[..len].sort_unstable();
            assert_eq!(sorted[..len], expected);
        }
    }

    fn check<T: Key>(k: usize, kmers: &[(T, u32)]) {
        let mut bins = Bins::<T>::new(k);
        let mut expected = BTreeMap::new();
        // Twice, as buffers are used again.
        for kmers in [kmers, &kmers[kmers.len() / 3..]] {
            expected.clear();
            bins.begin(kmers.len());
            for &(kmer, weight) in kmers {
                assert!((1..=bins.heaviest()).contains(&weight));
                bins.push_one(kmer, weight);
                *expected.entry(kmer).or_insert(0) += u64::from(weight);
            }
            let mut all = Vec::new();
            let mut see = |entries: &mut Entries<_>| all.extend_from_slice(entries.shown());
            let weight_bits = bins.weight_bits();
            bins.count(&mut see, |keys, len, out| {
                let mut sorted = *keys;
                sorted[..len].sort_unstable();
                sum_group(&sorted[..len], weight_bits, out)
            });
            assert!(all == Vec::from_iter(expected.clone()), "k = {k}");
        }
    }

    #[test]
    fn any_spread_is_counted() {
        let mut state = 1u64;
        for k in [1, 2, 5, 12, 21, 28, 31] {
            let all = u64::MAX >> (64 - 2 * k);
            // Of all k-mers; of few; of those that begin alike; the first and the last one.
            for (mask, base) in [
                (all, 0),
                (all & 0x3f, 0),
                (all >> 13, all & !(all >> 13)),
                (all, all),
                (0, 0),
            ] {
                for number in [1, 2, 7, 63, 64, 65, 1000, 20_000] {
                    let mut step = || {
                        state = state
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(99);
                        state >> 2
                    };
                    let heaviest = Bins::<u64>::new(k).heaviest();
                    let kmers: Vec<_> = (0..number)
                        .map(|_| (step() & mask | base, 1 + (step() >> 20) as u32 % heaviest))
                        .collect();
                    check(k, &kmers);
                    let wide = |&(kmer, weight): &(u64, u32)| (u128::from(kmer) << 55 | 9, weight);
                    check(k + 28, &kmers.iter().map(wide).collect::<Vec<_>>());
                }
            }
        }
        // Groups that nearly fill a batch, then a bin that does not fit it.
        let spread = (0..BATCH as u64 - 9).map(|i| (i << 40, 1));
        let alike = (0..3000).map(|i| ((u64::MAX >> 14 << 12) | (i % 2500), 1));
        check(31, &spread.chain(alike).collect::<Vec<_>>());
        // Keys of some lengths leave no room for a weight.
        let narrow = [31, 32, 33].map(|k| Bins::<u64>::new(k).weight_bits());
        let wide = [55, 63, 64, 255].map(|k| Bins::<u128>::new(k).weight_bits());
        assert_eq!((narrow, wide), ([2, 0, 0], [8, 2, 0, 0]));
    }
}
