//! Which reads are copies of earlier ones.

use super::Fingerprint;
use super::shard::warm;

/// Reads whose slots are fetched at once.
const WARM: usize = 64;

/// Remembers every read (or pair) and recognises its copies.
///
/// What is the first of several is decided by the order of the calls, so these must be
/// in the order of the input: workers take the fingerprints of their batches in any
/// order, and hand them in by turns. A call costs one access to memory for each read.
///
/// Takes 11 to 22 bytes for each different read, three halves of that while it grows.
#[derive(Clone, Debug)]
pub struct Deduplicator {
    /// Fingerprints in open addressing; 0 is free. A power of two.
    slots: Vec<u64>,
    held: usize,
    /// Whether the fingerprint 0, which no slot can hold, has come.
    zero: bool,
}

impl Deduplicator {
    /// No read has come.
    pub fn new() -> Self {
        Deduplicator {
            slots: vec![0; 1 << 10],
            held: 0,
            zero: false,
        }
    }

    /// Whether an equal read came before; from now on one has.
    #[inline]
    pub fn is_copy(&mut self, fingerprint: Fingerprint) -> bool {
        let key = fingerprint.0;
        if key == 0 {
            return std::mem::replace(&mut self.zero, true);
        }
        let slot = find(&mut self.slots, key);
        if *slot == key {
            return true;
        }
        *slot = key;
        self.held += 1;
        if self.held > self.slots.len() / 4 * 3 {
            self.grow();
        }
        false
    }

    /// Mark the copies among reads that come next in the input.
    pub fn mark(&mut self, fingerprints: &[Fingerprint], copies: &mut Vec<bool>) {
        copies.clear();
        for some in fingerprints.chunks(WARM) {
            let mask = self.slots.len() - 1;
            warm(some.iter().map(|read| self.slots[read.0 as usize & mask]));
            copies.extend(some.iter().map(|&read| self.is_copy(read)));
        }
    }

    /// Different reads so far.
    pub fn distinct(&self) -> usize {
        self.held + usize::from(self.zero)
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.slots.len() * size_of::<u64>()
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; old.len() * 2];
        for key in old.into_iter().filter(|&key| key != 0) {
            *find(&mut self.slots, key) = key;
        }
    }
}

impl Default for Deduplicator {
    fn default() -> Self {
        Self::new()
    }
}

/// The place of a key, or the free one where it would go. There is one.
#[inline]
fn find(slots: &mut [u64], key: u64) -> &mut u64 {
    let mask = slots.len() - 1;
    let mut place = key as usize & mask;
    while slots[place] != 0 && slots[place] != key {
        place = (place + 1) & mask;
    }
    &mut slots[place]
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn marks_what_a_set_of_sequences_has_seen() {
        let mut deduplicator = Deduplicator::new();
        let (mut seen, mut copies) = (HashSet::new(), Vec::new());
        let mut state = 1_u64;
        for _ in 0..50 {
            let mut batch = Vec::new();
            let mut expected = Vec::new();
            for _ in 0..200 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let read = (state >> 33) % 5_000;
                batch.push(Fingerprint::of_read(&read.to_le_bytes()));
                expected.push(!seen.insert(read));
            }
            deduplicator.mark(&batch, &mut copies);
            assert_eq!(copies, expected);
        }
        assert_eq!(deduplicator.distinct(), seen.len());
    }

    #[test]
    fn no_fingerprint_is_special() {
        let mut deduplicator = Deduplicator::new();
        for bits in [0, 1, u64::MAX] {
            assert!(!deduplicator.is_copy(Fingerprint(bits)));
            assert!(deduplicator.is_copy(Fingerprint(bits)));
        }
        assert_eq!(deduplicator.distinct(), 3);
    }
}
