//! A hash of all bases of a read or pair.

/// 64 bits that stand for all bases of a read, or of both mates of a pair.
///
/// Equal bases have equal fingerprints, on every machine. Of n different reads about
/// n² / 2⁶⁵ share theirs by chance: one in 3,700 runs of a hundred million.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub(super) u64);

/// Odd numbers without pattern: fractional parts of the square roots of 2, 3, 5, 7.
const KEYS: [u64; 4] = [
    0x6A09_E667_F3BC_C909,
    0xBB67_AE85_84CA_A73B,
    0x3C6E_F372_FE94_F82B,
    0xA54F_F53A_5F1D_36F1,
];

impl Fingerprint {
    /// The fingerprint of a single read.
    #[inline]
    pub fn of_read(bases: &[u8]) -> Self {
        Fingerprint(absorb(KEYS[2], bases))
    }

    /// The fingerprint of a pair; which bases belong to which mate makes a difference.
    #[inline]
    pub fn of_pair(first: &[u8], second: &[u8]) -> Self {
        // Neither waits for the other.
        let (first, second) = (absorb(KEYS[2], first), absorb(KEYS[1], second));
        Fingerprint(fold(first ^ KEYS[0], second.rotate_left(32) ^ KEYS[3]))
    }
}

/// Take in some bytes and their number.
#[inline]
fn absorb(state: u64, bytes: &[u8]) -> u64 {
    let (mut left, mut right) = (state, state ^ KEYS[3]);
    // Two chains, so that the multiplications of one wait while the other's are done.
    let (blocks, _) = bytes.as_chunks::<32>();
    for block in blocks {
        left = step(left, &block[..16]);
        right = step(right, &block[16..]);
    }
    // What is left and what is before it, as it stands: to copy bytes whose number is not known takes a call.
    let last = bytes.last_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; 32];
        padded[..bytes.len()].copy_from_slice(bytes);
        padded
    });
    left = step(left, &last[..16]);
    right = step(right, &last[16..]);
    fold(left ^ KEYS[0], right ^ KEYS[1] ^ bytes.len() as u64)
}

/// Take in sixteen bytes.
#[inline(always)]
fn step(state: u64, bytes: &[u8]) -> u64 {
    let mut halves = [0; 16];
    halves.copy_from_slice(bytes);
    let both = u128::from_le_bytes(halves);
    fold(state ^ both as u64 ^ KEYS[0], (both >> 64) as u64 ^ KEYS[1]) ^ state.rotate_left(23)
}

/// Both halves of the product, so that every bit depends on every bit.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn differ_for_all_reads_one_change_apart() {
        let read: Vec<u8> = b"GATTACA".iter().copied().cycle().take(150).collect();
        let mut seen = HashSet::from([Fingerprint::of_read(&read)]);
        for place in 0..read.len() {
            for base in *b"ACGTN" {
                let mut changed = read.clone();
                changed[place] = base;
                if changed != read {
                    assert!(seen.insert(Fingerprint::of_read(&changed)));
                }
            }
            assert!(seen.insert(Fingerprint::of_read(&read[..place])));
            assert!(seen.insert(Fingerprint::of_pair(&read[..place], &read[place..])));
        }
        // Runs of one base differ in nothing but their length.
        for length in 1..300 {
            assert!(seen.insert(Fingerprint::of_read(&vec![b'C'; length])));
            assert!(seen.insert(Fingerprint::of_pair(&vec![b'C'; length], b"")));
        }
    }

    #[test]
    fn bits_are_even() {
        let mut ones = [0_u32; 64];
        for number in 0..20_000_u32 {
            let read: Vec<u8> = (0..12)
                .map(|i| b"ACGT"[(number >> (2 * i) & 3) as usize])
                .collect();
            let Fingerprint(bits) = Fingerprint::of_read(&read);
            for (bit, count) in ones.iter_mut().enumerate() {
                *count += (bits >> bit & 1) as u32;
            }
        }
        // Six standard deviations of 70.7.
        for count in ones {
            assert!((9_576..10_424).contains(&count), "{ones:?}");
        }
    }

    #[test]
    fn is_the_same_on_every_machine() {
        // What is sampled, and with it an estimate, depends on it.
        let pair = Fingerprint::of_pair(b"ACGTACGTTGCA", b"TTTTGGGG");
        assert_eq!(pair, Fingerprint(17_007_372_161_178_340_855));
        assert_ne!(pair, Fingerprint::of_pair(b"TTTTGGGG", b"ACGTACGTTGCA"));
    }
}
