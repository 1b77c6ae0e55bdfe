//! A table of fingerprints with counts that samples when it is full.

/// Bits of the key; the rest of a slot is the count.
const KEY_BITS: u32 = 48;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;

/// The largest count; counts stay there.
pub(super) const MOST: u64 = (1 << (64 - KEY_BITS)) - 1;

/// Slots of a new table: those of all shards hold a million and a half of reads before anything is moved. Memory is taken as
/// they are filled.
const FIRST_SLOTS: usize = 1 << 15;

/// Different keys, with how often they came, in open addressing.
///
/// What the table holds depends only on which keys came how often, not on the
/// order: the keys in the sample of the largest size that fits.
#[derive(Clone, Debug)]
pub(super) struct Shard {
    /// Key in the high bits, count in the low ones; 0 is free. A power of two.
    slots: Vec<u64>,
    most_slots: usize,
    held: usize,
    /// Only keys whose [`rarity`] is at least this are kept: one of 2^level.
    level: u32,
}

impl Shard {
    /// An empty table that grows to so many slots, a power of two.
    pub(super) fn new(most_slots: usize) -> Self {
        Shard {
            slots: vec![0; FIRST_SLOTS.min(most_slots)],
            most_slots,
            held: 0,
            level: 0,
        }
    }

    /// Count fingerprints, of which 48 bits matter.
    pub(super) fn add(&mut self, fingerprints: &[u64]) {
        let mask = self.slots.len() - 1;
        warm(
            fingerprints
                .iter()
                .map(|&key| self.slots[key as usize & mask]),
        );
        for fingerprint in fingerprints {
            let key = fingerprint & KEY_MASK;
            if rarity(key) >= self.level {
                self.add_key(key, 1);
            }
        }
    }

    #[inline]
    fn add_key(&mut self, key: u64, count: u64) {
        let slot = self.slot(key);
        let is_new = *slot == 0;
        let sum = (*slot & MOST).saturating_add(count).min(MOST);
        *slot = key << (64 - KEY_BITS) | sum;
        self.held += usize::from(is_new);
        while self.held > self.slots.len() / 4 * 3 {
            if self.slots.len() < self.most_slots {
                self.rebuild(self.slots.len() * 2);
            } else {
                self.level += 1;
                self.rebuild(self.slots.len());
            }
        }
    }

    /// The place of a key, or the free one where it would go.
    #[inline]
    fn slot(&mut self, key: u64) -> &mut u64 {
        let mask = self.slots.len() - 1;
        let mut place = key as usize & mask;
        // A quarter of the slots is free, so the walk ends.
        while self.slots[place] != 0 && self.slots[place] >> (64 - KEY_BITS) != key {
            place = (place + 1) & mask;
        }
        &mut self.slots[place]
    }

    /// Move what is in the sample to a table of so many slots.
    fn rebuild(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![0; slots]);
        self.held = 0;
        for entry in old.into_iter().filter(|&entry| entry != 0) {
            let key = entry >> (64 - KEY_BITS);
            if rarity(key) >= self.level {
                *self.slot(key) = entry;
                self.held += 1;
            }
        }
    }

    /// Add what another shard of the same fingerprints counted.
    pub(super) fn merge(&mut self, other: &Shard) {
        if other.level > self.level {
            self.level = other.level;
            self.rebuild(self.slots.len());
        }
        for (key, count) in other.entries() {
            if rarity(key) >= self.level {
                self.add_key(key, count);
            }
        }
    }

    /// How many different fingerprints there were: exact at level 0, else estimated.
    pub(super) fn distinct(&self) -> f64 {
        self.held as f64 * self.weight()
    }

    /// How many fingerprints each one that is held stands for.
    pub(super) fn weight(&self) -> f64 {
        2_f64.powi(self.level as i32)
    }

    /// The keys that are held, with their counts.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let used = self.slots.iter().filter(|&&entry| entry != 0);
        used.map(|&entry| (entry >> (64 - KEY_BITS), entry & MOST))
    }
}

/// At least n for one key of 2^n, whatever its low bits, which say where it is stored.
#[inline]
fn rarity(key: u64) -> u32 {
    // The golden ratio's fraction; the upper bits of the product depend on all of the key.
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15).leading_zeros()
}

/// Read values that will be wanted soon, so that the memory fetches them all at once.
///
/// What is then done with them branches on each; had it to wait for each one as well, it
/// would take five times as long.
pub(super) fn warm(values: impl Iterator<Item = u64>) {
    std::hint::black_box(values.fold(0, |all, value| all ^ value));
}
