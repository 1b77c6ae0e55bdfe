//! Counts clamped to a byte: nearly all of them are small, and 64 bytes are compared at once where there are vectors for it.
//!
//! ```text
//! byte[i]     = min(count[i], 255)
//! below(n)    = number of i with byte[i] < n                          (vectors)
//! longer(b)   = those i with byte[i] >> b != 0                        (eight at once; most eights hold none)
//! ```
//!
//! A table of how many have which length or value is slower, as most counts are alike: each of its additions waits for the
//! one before. It was a third of encoding a block.

/// Counts that are clamped together.
pub(crate) const COUNTS: usize = 1024;

/// Up to [`COUNTS`] clamped counts.
pub(crate) struct Clamped {
    /// 255 behind the end.
    bytes: [u8; COUNTS],
    len: usize,
}

impl Clamped {
    /// Of at most [`COUNTS`] counts.
    #[inline(always)]
    pub(crate) fn of(counts: impl ExactSizeIterator<Item = u64>) -> Self {
        let mut bytes = [u8::MAX; COUNTS];
        let len = counts.len();
        for (byte, count) in bytes.iter_mut().zip(counts) {
            *byte = count.min(u64::from(u8::MAX)) as u8;
        }
        Self { bytes, len }
    }

    /// How many counts are below `limit`.
    #[inline(always)]
    pub(crate) fn below(&self, limit: u8) -> usize {
        // A lane gets at most COUNTS / 64 of them, which a byte holds.
        let mut lanes = [0u8; 64];
        for bytes in self.bytes.as_chunks::<64>().0 {
            for (lane, &byte) in lanes.iter_mut().zip(bytes) {
                *lane += u8::from(byte < limit);
            }
        }
        lanes.iter().map(|&lane| usize::from(lane)).sum()
    }

    /// Shows the places of all counts of more than `bits` bits, which are at most 7, in ascending order.
    #[inline(always)]
    pub(crate) fn longer(&self, bits: u32, mut see: impl FnMut(usize)) {
        let beyond = u64::from_le_bytes([u8::MAX << bits; 8]);
        let eights = self.bytes[..self.len.next_multiple_of(8)]
            .as_chunks::<8>()
            .0;
        for (eight, bytes) in eights.iter().enumerate() {
            let mut left = u64::from_le_bytes(*bytes) & beyond;
            while left != 0 {
                let byte = left.trailing_zeros() as usize / 8;
                let place = 8 * eight + byte;
                if place == self.len {
                    return;
                }
                see(place);
                left &= !(0xff << (8 * byte));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_agrees_with_the_counts_themselves(
            counts in prop::collection::vec(prop_oneof![0u64..4, 0u64..300, any::<u64>()], 0..=COUNTS),
            limit in any::<u8>(),
            bits in 0u32..8,
        ) {
            let clamped = Clamped::of(counts.iter().copied());
            let below = counts.iter().filter(|&&count| count < u64::from(limit));
            prop_assert_eq!(clamped.below(limit), below.count());
            let mut longer = vec![];
            clamped.longer(bits, |place| longer.push(place));
            let expected: Vec<_> = (0..counts.len()).filter(|&i| counts[i] >> bits > 0).collect();
            prop_assert_eq!(longer, expected);
        }
    }

    #[test]
    fn alike_counts_fill_their_lanes() {
        for count in [0, 1, 254] {
            let clamped = Clamped::of([count; COUNTS].into_iter());
            assert_eq!(clamped.below(255), COUNTS);
        }
    }
}
