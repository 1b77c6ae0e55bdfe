//! Which bytes of a window later data refer to.
//!
//! An index that lets decoding start in the middle must keep the 32 KiB before that place, but
//! matches only ever refer to part of them; the rest can be stored as zeros.

use crate::WINDOW;

/// Words of 64 bits in the record.
pub(crate) const WORDS: usize = WINDOW / 64;

/// A record in the making: bit i stands for byte i of the window, 0 the oldest.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    used: Box<[u64; WORDS]>,
    /// Bytes of output since the mark. Past [`WINDOW`] nothing can refer to the window any more.
    passed: usize,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self {
            used: Box::new([0; WORDS]),
            passed: 0,
        }
    }

    /// Whether the record is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.passed >= WINDOW
    }

    /// Note `count` bytes of output that refer to nothing.
    pub(crate) fn pass(&mut self, count: usize) {
        self.passed = self.passed.saturating_add(count);
    }

    /// Note a match, before or after its bytes are written. `1 <= distance <= WINDOW`.
    pub(crate) fn refer(&mut self, distance: usize, length: usize) {
        // What a match repeats of itself (length > distance) is no reference to the window.
        let reach = distance.saturating_sub(self.passed);
        let first = WINDOW - reach.min(WINDOW);
        let end = (first + length.min(reach)).min(WINDOW);
        for byte in first..end {
            self.used[byte / 64] |= 1 << (byte % 64);
        }
        self.pass(length);
    }

    pub(crate) fn into_record(self) -> Box<[u64; WORDS]> {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(watch: Watch) -> Vec<usize> {
        let record = watch.into_record();
        (0..WINDOW)
            .filter(|byte| record[byte / 64] >> (byte % 64) & 1 == 1)
            .collect()
    }

    #[test]
    fn notes_the_window_only() {
        let mut watch = Watch::new();
        watch.refer(3, 10); // the last three bytes, then itself
        watch.pass(5);
        watch.refer(16, 4); // 15 bytes have passed: the last byte of the window
        watch.refer(19, 4); // 19 have passed: nothing of it
        assert_eq!(bytes(watch), [WINDOW - 3, WINDOW - 2, WINDOW - 1]);
    }

    #[test]
    fn reaches_the_oldest_byte() {
        let mut watch = Watch::new();
        watch.refer(WINDOW, 258);
        watch.pass(WINDOW - 259);
        assert!(!watch.is_complete());
        watch.pass(1);
        assert!(watch.is_complete());
        assert_eq!(bytes(watch), (0..258).collect::<Vec<_>>());
    }
}
