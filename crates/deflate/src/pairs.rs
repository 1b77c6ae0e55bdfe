//! Two qualities at a time.
//!
//! Qualities that are no runs are literals, of a few bits each: two have one token and one word.

/// The lowest letter in a pair: quality 0.
pub(crate) const FIRST: u8 = b'!';
/// Letters a pair may consist of: qualities 0 to 63.
pub(crate) const LETTERS: usize = 64;
/// Pairs of them.
pub(crate) const COUNT: usize = LETTERS * LETTERS;

/// Whether all these letters may be in pairs.
pub(crate) fn fit(letters: &[u8]) -> bool {
    // The two high bits of all, so that they are looked at many at a time.
    let all = letters
        .iter()
        .fold(0, |all, letter| all | letter.wrapping_sub(FIRST));
    usize::from(all) < LETTERS
}

/// Numbers of the four pairs in eight letters that [`fit`], in 16 bits each.
///
/// The first letter of a pair has the low 6 bits, the second one the 6 bits above.
#[inline(always)]
pub(crate) fn numbers(letters: u64) -> [usize; 4] {
    const LOW: u64 = 0x003f_003f_003f_003f;
    const HIGH: u64 = 0x0fc0_0fc0_0fc0_0fc0;
    const FIRSTS: u64 = 0x0101_0101_0101_0101 * FIRST as u64;
    let values = letters.wrapping_sub(FIRSTS);
    let numbers = values & LOW | values >> 2 & HIGH;
    [0, 16, 32, 48].map(|shift| (numbers >> shift) as usize & (COUNT - 1))
}

/// How often each letter is the first one of a pair, and how often the second one, of how often
/// each pair is used.
pub(crate) fn letter_counts(pairs: &[u32]) -> [[u32; LETTERS]; 2] {
    let mut counts = [[0; LETTERS]; 2];
    let [firsts, seconds] = &mut counts;
    let (rows, _) = pairs.as_chunks::<LETTERS>();
    for (second, row) in seconds.iter_mut().zip(rows) {
        *second = row.iter().sum();
        for (first, count) in firsts.iter_mut().zip(row) {
            *first += count;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_their_number() {
        for number in 0..COUNT {
            let [one, two] = [number % LETTERS, number / LETTERS].map(|value| value as u8 + FIRST);
            assert!(fit(&[one, two]));
            for place in 0..4 {
                let mut eight = [b'A'; 8];
                eight[2 * place..][..2].copy_from_slice(&[one, two]);
                assert_eq!(numbers(u64::from_le_bytes(eight))[place], number);
            }
        }
        for other in (0..FIRST).chain(97..=255) {
            assert!(!fit(&[b'A', other, b'A']));
        }
    }
}
