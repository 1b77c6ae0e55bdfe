//! Which k-mers of a database were seen, a bit each.

use std::sync::atomic::{AtomicU64, Ordering};

use thalweg_superkmers::prefetch::prefetch;

use crate::{Error, ErrorKind, Result};

/// Bits that all threads set. Which thread was the first to set one depends on chance; how many were set does not.
#[derive(Debug)]
pub(super) struct KmersSeen {
    words: Vec<AtomicU64>,
}

impl KmersSeen {
    /// For numbers below `end`; none was seen.
    pub(super) fn new(end: u64) -> Result<Self> {
        let mut words = Vec::new();
        let needed = usize::try_from(end.div_ceil(64)).unwrap_or(usize::MAX);
        (words.try_reserve_exact(needed)).map_err(|_| {
            let bytes = end.div_ceil(8);
            Error::new(ErrorKind::NoRoom { bytes })
        })?;
        words.resize_with(needed, AtomicU64::default);
        Ok(Self { words })
    }

    /// Asks for what [`insert`](Self::insert) needs.
    #[inline]
    pub(super) fn prefetch(&self, number: u64) {
        prefetch(&self.words[(number / 64) as usize]);
    }

    /// Marks a k-mer as seen: whether it was not before.
    #[inline]
    pub(super) fn insert(&self, number: u64) -> bool {
        let bit = 1 << (number % 64);
        let word = &self.words[(number / 64) as usize];
        // Most are seen again and again: reading them leaves the cache line with all threads. No other memory depends on a
        // bit, so that no order is needed.
        word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_new_once() {
        let seen = KmersSeen::new(130).unwrap();
        for number in [0, 63, 64, 129] {
            assert!(seen.insert(number));
            assert!(!seen.insert(number));
        }
        assert!(seen.insert(1));
        assert!(KmersSeen::new(0).unwrap().words.is_empty());
        assert!(matches!(
            KmersSeen::new(u64::MAX).unwrap_err().kind(),
            ErrorKind::NoRoom { .. }
        ));
    }
}
