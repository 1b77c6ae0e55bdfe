//! A hash of short sequences, for tables that no adversary fills.

use std::hash::Hasher;

/// Folds eight bytes at a time into one word by multiplication.
///
/// The tables that use it are bounded, so what a hostile file could do by
/// collisions is make a bounded table slow.
#[derive(Clone, Copy, Debug, Default)]
pub struct SequenceHasher {
    state: u64,
}

impl SequenceHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        // The fractional part of the golden ratio in 64 bits: odd, no pattern.
        const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(self.state ^ word) * u128::from(MULTIPLIER);
        self.state = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for SequenceHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last));
    }

    #[inline]
    fn write_usize(&mut self, length: usize) {
        self.add(length as u64 + 1);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state ^ (self.state >> 32)
    }
}
