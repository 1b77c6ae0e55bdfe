//! Counts of the k-mers of one partition, in a table that fits the cache.
//!
//! Buckets of eight keys, a cache line of one-word k-mers, filled from the left;
//! counts of 32 bits beside them. A key is in the first bucket from its own on
//! that has it, and no bucket before that one has a free place, as nothing is
//! ever removed. What exceeds 32 bits is carried to a map of the few keys that
//! need it, so that counts are exact to 64 bits.
//!
//! The table doubles as it fills. At the memory limit it gives up the upper
//! half of the keys' order instead: all keys from their median on are dropped and
//! refused from then on, the others have lost nothing, and the partition is read
//! again for what lies above. So each pass yields sorted k-mers that follow
//! those of the pass before, at any limit, and no guess is needed in advance.

use crate::kmer::Kmer;
use std::collections::HashMap;

/// Keys of a bucket.
pub(crate) const BUCKET: usize = 8;

/// The smallest table.
const MIN_SLOTS: usize = 1 << 10;

/// The keys of a bucket, which begin with a cache line: one line for one-word k-mers. A vector
/// of plain keys begins 16 bytes behind one when it is large, and every bucket then lies in two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Keys<K>(pub(crate) [K; BUCKET]);

/// The counts of a bucket, in half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Counts(pub(crate) [u32; BUCKET]);

/// Counts of k-mers.
#[derive(Debug)]
pub(crate) struct Table<K> {
    keys: Vec<Keys<K>>,
    /// Those of empty places mean nothing.
    counts: Vec<Counts>,
    /// Bits to shift a mixed key to get its bucket.
    shift: u32,
    len: usize,
    /// The table changes when it holds more keys.
    limit: usize,
    max_slots: usize,
    /// How often a key was found whose bits are those of an empty slot.
    ones: u64,
    /// What each key has beyond its 32 bits.
    carried: HashMap<K, u64>,
    low: Option<K>,
    high: Option<K>,
}

/// The buckets of a table, which has room: apart from what it is, so that a loop has them at hand and does not ask the
/// table for them again after every store.
pub(crate) struct Buckets<'a, K> {
    keys: &'a mut [Keys<K>],
    counts: &'a mut [Counts],
    shift: u32,
    /// Keys that came since they were taken.
    new: usize,
    len: &'a mut usize,
    ones: &'a mut u64,
    carried: &'a mut HashMap<K, u64>,
}

impl<K> Drop for Buckets<'_, K> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.len += self.new;
    }
}

impl<K: Kmer> Buckets<'_, K> {
    /// The bucket where the search for `key` begins.
    #[inline(always)]
    pub(crate) fn bucket(&self, key: K) -> usize {
        // A shift by 64 cannot happen: there are at least 128 buckets.
        (key.mix() >> self.shift) as usize
    }

    /// The keys and counts of a bucket.
    #[inline(always)]
    pub(crate) fn at(&self, bucket: usize) -> (&Keys<K>, &Counts) {
        (&self.keys[bucket], &self.counts[bucket])
    }

    /// Adds to place `i` of a bucket, which is the key's own or, if it is new, the empty one where it belongs.
    #[inline(always)]
    pub(crate) fn add_at(&mut self, bucket: usize, i: usize, is_new: bool, key: K, weight: u32) {
        let count = &mut self.counts[bucket].0[i];
        // Which it is cannot be predicted.
        let before = std::hint::select_unpredictable(is_new, 0, *count);
        let (sum, carry) = before.overflowing_add(weight);
        self.keys[bucket].0[i] = key;
        *count = sum;
        self.new += usize::from(is_new);
        if carry {
            carry_over(self.carried, key);
        }
    }

    /// Adds `weight` occurrences of a key that is not refused.
    #[inline(always)]
    pub(crate) fn add(&mut self, key: K, weight: u32) {
        if key == K::ONES {
            *self.ones += u64::from(weight);
            return;
        }
        let mut bucket = self.bucket(key);
        loop {
            let keys = &self.keys[bucket].0;
            if let Some(i) = (keys.iter()).position(|&found| found == key || found == K::ONES) {
                self.add_at(bucket, i, keys[i] != key, key, weight);
                return;
            }
            bucket = (bucket + 1) & (self.keys.len() - 1);
        }
    }
}

#[cold]
#[inline(never)]
fn carry_over<K: Kmer>(carried: &mut HashMap<K, u64>, key: K) {
    *carried.entry(key).or_default() += 1 << 32;
}

/// The keys of a table with their counts, in no order.
fn taken<K: Kmer>(keys: &[Keys<K>], counts: &[Counts]) -> impl Iterator<Item = (K, u32)> {
    let keys = keys.iter().flat_map(|keys| keys.0);
    let counts = counts.iter().flat_map(|counts| counts.0);
    keys.zip(counts).filter(|&(key, _)| key != K::ONES)
}

impl<K: Kmer> Table<K> {
    /// Bytes that a slot may need at the peak: the key and the count, and once more half of it while the table doubles, or
    /// the keys in use while their median is found.
    pub(crate) const PEAK_BYTES_PER_SLOT: usize = {
        let slot = size_of::<K>() + 4;
        let keys_in_use = size_of::<K>() * Self::LOAD_OF_8 / 8;
        slot + if keys_in_use > slot / 2 {
            keys_in_use
        } else {
            slot / 2
        }
    };

    /// The share of slots that may be in use, of 8: more than 5 cost longer searches.
    pub(crate) const LOAD_OF_8: usize = 5;

    /// An empty table that will not grow beyond `max_slots`, rounded down to a power of two.
    pub(crate) fn new(max_slots: usize) -> Self {
        let max_slots = match max_slots.max(MIN_SLOTS) {
            slots if slots.is_power_of_two() => slots,
            slots => slots.next_power_of_two() / 2,
        };
        let mut table = Self {
            keys: Vec::new(),
            counts: Vec::new(),
            shift: 0,
            len: 0,
            limit: 0,
            max_slots,
            ones: 0,
            carried: HashMap::new(),
            low: None,
            high: None,
        };
        table.resize(MIN_SLOTS);
        table
    }

    /// Forgets all keys; from now on counts those from `low` on.
    pub(crate) fn begin(&mut self, low: Option<K>) {
        // Much too large a table costs more to clear than to grow again.
        let slots = self.slots();
        if self.len < slots / 16 && slots > MIN_SLOTS {
            self.resize(slots / 2);
        } else {
            self.keys.fill(Keys([K::ONES; BUCKET]));
        }
        self.len = 0;
        self.ones = 0;
        self.carried.clear();
        (self.low, self.high) = (low, None);
    }

    /// The first key that was given up for lack of memory, if any was.
    pub(crate) fn high(&self) -> Option<K> {
        self.high
    }

    /// Whether no key has come since the table was begun, and none was given up.
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0 && self.ones == 0 && self.high.is_none()
    }

    /// So many different keys are held before any is given up.
    pub(crate) fn most(&self) -> usize {
        self.max_slots * Self::LOAD_OF_8 / 8
    }

    fn slots(&self) -> usize {
        self.keys.len() * BUCKET
    }

    fn resize(&mut self, slots: usize) {
        self.keys = vec![Keys([K::ONES; BUCKET]); slots / BUCKET];
        self.counts = vec![Counts([0; BUCKET]); slots / BUCKET];
        self.shift = 64 - (slots / BUCKET).trailing_zeros();
        self.limit = slots * Self::LOAD_OF_8 / 8;
        self.len = 0;
    }

    /// Adds `weight` occurrences of `key`.
    #[inline(always)]
    pub(crate) fn add(&mut self, key: K, weight: u32) {
        if self.low.is_some() || self.high.is_some() {
            let below = self.low.is_some_and(|low| key < low);
            if below || self.high.is_some_and(|high| key >= high) {
                return;
            }
        }
        self.buckets().add(key, weight);
        if self.len > self.limit {
            self.relieve();
        }
    }

    /// Makes room for `more` keys by doubling; `false` if [`Self::add`] must take each, as some are refused.
    pub(crate) fn make_room(&mut self, more: usize) -> bool {
        if self.low.is_some() || self.high.is_some() {
            return false;
        }
        while self.len + more > self.limit {
            if self.slots() >= self.max_slots {
                return false;
            }
            self.relieve();
        }
        true
    }

    /// The buckets, for as many keys as there is room for.
    #[inline(always)]
    pub(crate) fn buckets(&mut self) -> Buckets<'_, K> {
        Buckets {
            keys: &mut self.keys,
            counts: &mut self.counts,
            shift: self.shift,
            new: 0,
            len: &mut self.len,
            ones: &mut self.ones,
            carried: &mut self.carried,
        }
    }

    /// Doubles the table, or drops the upper half of its keys.
    #[cold]
    #[inline(never)]
    fn relieve(&mut self) {
        if self.slots() < self.max_slots {
            self.double();
        } else {
            self.drop_upper_half();
        }
    }

    fn double(&mut self) {
        let keys = std::mem::take(&mut self.keys);
        let counts = std::mem::take(&mut self.counts);
        self.resize(2 * keys.len() * BUCKET);
        let mut buckets = self.buckets();
        for (key, count) in taken(&keys, &counts) {
            buckets.add(key, count);
        }
    }

    /// Gives up the keys from the median on. The table stays where it is: beside a second one, it would need more than
    /// [`Self::PEAK_BYTES_PER_SLOT`], and memory that is given back and taken again time after time does not stay in one
    /// piece.
    fn drop_upper_half(&mut self) {
        let median = {
            let mut keys = Vec::with_capacity(self.len);
            keys.extend(taken(&self.keys, &self.counts).map(|(key, _)| key));
            let middle = keys.len() / 2;
            *keys.select_nth_unstable(middle).1
        };
        let mut lower = Vec::with_capacity(self.len / 2 + 1);
        lower.extend(taken(&self.keys, &self.counts).filter(|&(key, _)| key < median));
        self.high = Some(median);
        self.carried.retain(|&key, _| key < median);
        // The key of all ones is above every median.
        self.ones = 0;
        self.len = 0;
        self.keys.fill(Keys([K::ONES; BUCKET]));
        let mut buckets = self.buckets();
        for (key, count) in lower {
            buckets.add(key, count);
        }
    }

    /// Puts every key with its count into `entries`, in no order, in place of what it holds.
    pub(crate) fn collect(&self, entries: &mut Vec<(K, u64)>) {
        // Room for one bucket more, so that every place can be written and only those that
        // are taken counted: whether one is cannot be predicted.
        entries.resize(self.len + BUCKET + 1, (K::default(), 0));
        let mut len = 0;
        for (keys, counts) in self.keys.iter().zip(&self.counts) {
            let Some(out) = entries[len..].first_chunk_mut::<BUCKET>() else {
                break;
            };
            for ((entry, &key), &count) in out.iter_mut().zip(&keys.0).zip(&counts.0) {
                *entry = (key, u64::from(count));
            }
            // Buckets fill from the left.
            len += keys
                .0
                .iter()
                .map(|&key| usize::from(key != K::ONES))
                .sum::<usize>();
        }
        entries.truncate(len);
        if !self.carried.is_empty() {
            for entry in entries.iter_mut() {
                entry.1 += self.carried.get(&entry.0).copied().unwrap_or(0);
            }
        }
        if self.ones > 0 {
            entries.push((K::ONES, self.ones));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Counts `keys` in passes through a table of `slots`, as the engine does.
    fn passes(keys: &[(u64, u32)], slots: usize) -> (Vec<(u64, u64)>, usize) {
        let mut table = Table::<u64>::new(slots);
        let (mut low, mut all, mut passes) = (None, Vec::new(), 0);
        loop {
            table.begin(low);
            for &(key, weight) in keys {
                table.add(key, weight);
            }
            let mut entries = Vec::new();
            table.collect(&mut entries);
            entries.sort_unstable();
            all.extend(entries);
            passes += 1;
            match table.high() {
                Some(high) => low = Some(high),
                None => return (all, passes),
            }
        }
    }

    fn keys(number: u64) -> Vec<(u64, u32)> {
        (0..number)
            .map(|i| {
                (
                    i.wrapping_mul(i).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                    (i % 7 + 1) as u32,
                )
            })
            .chain([(u64::MAX, 3), (0, 1), (u64::MAX, 4)])
            .collect()
    }

    #[test]
    fn any_size_of_table_gives_the_same_counts() {
        let keys = keys(20_000);
        let mut expected = BTreeMap::new();
        for &(key, weight) in &keys {
            *expected.entry(key).or_insert(0u64) += u64::from(weight);
        }
        let expected: Vec<_> = expected.into_iter().collect();
        for (slots, at_least) in [(1 << 20, 1), (1 << 12, 5), (1, 20)] {
            let (all, passes) = passes(&keys, slots);
            assert!(
                all == expected && passes >= at_least,
                "{slots} slots, {passes} passes"
            );
        }
        assert_eq!(self::passes(&keys, 1 << 20).1, 1);
    }

    #[test]
    fn counts_go_beyond_32_bits() {
        let keys: Vec<_> = (0..10).map(|_| (5, u32::MAX)).chain(keys(2000)).collect();
        for slots in [1 << 20, 1] {
            let (all, _) = passes(&keys, slots);
            let count = all
                .iter()
                .find(|entry| entry.0 == 5)
                .expect("it was added")
                .1;
            assert_eq!(count, 10 * u64::from(u32::MAX));
        }
    }
}
