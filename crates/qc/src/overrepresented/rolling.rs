//! A hash of every subsequence of one length.

/// Odd, without pattern: the fractional part of the golden ratio.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The hash of each subsequence of `length` bases (at least 1), from left to right.
///
/// The hash of bases b(0) to b(n - 1) is the sum of (b(i) + 1) m^(n - i) modulo 2^64; its
/// upper bits are good ones. Two multiplications per base, whatever the length.
pub(super) fn hashes(sequence: &[u8], length: usize) -> impl Iterator<Item = u64> + '_ {
    let highest = (0..length).fold(1_u64, |power, _| power.wrapping_mul(MULTIPLIER));
    let (first, later) = sequence.split_at_checked(length).unwrap_or_default();
    let fits = !first.is_empty();
    let first = first.iter().fold(0_u64, |hash, &base| push(hash, base));
    let rolled = later
        .iter()
        .zip(sequence)
        .scan(first, move |hash, (&new, &old)| {
            let kept = hash.wrapping_sub(value(old).wrapping_mul(highest));
            *hash = push(kept, new);
            Some(*hash)
        });
    fits.then_some(first).into_iter().chain(rolled)
}

#[inline(always)]
fn push(hash: u64, base: u8) -> u64 {
    hash.wrapping_add(value(base)).wrapping_mul(MULTIPLIER)
}

/// Powers of an odd number are unevenly spread in their upper bits if the values
/// are small and few; this spreads the letters first.
#[inline(always)]
fn value(base: u8) -> u64 {
    (u64::from(base) + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// The last subsequence of a read is not looked at, as in fastp.
pub(super) fn without_last(read: &[u8]) -> &[u8] {
    read.split_last().map_or(&[], |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_hash_of_the_subsequence_alone() {
        let sequence = b"GATTACAGATTACANNACGTTGCA";
        for length in 1..=sequence.len() + 1 {
            let rolled: Vec<u64> = hashes(sequence, length).collect();
            let alone: Vec<u64> = sequence
                .windows(length)
                .map(|window| hashes(window, length).next().unwrap())
                .collect();
            assert_eq!(rolled, alone, "{length}");
        }
        assert_eq!(hashes(b"", 10).count(), 0);
    }
}
