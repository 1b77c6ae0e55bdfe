//! Counting the places where two sequences differ.

/// In how many places `first` and `second` differ, as far as both go.
#[inline]
pub(crate) fn mismatches(first: &[u8], second: &[u8]) -> usize {
    let length = first.len().min(second.len());
    let (first, second) = (&first[..length], &second[..length]);
    // Counts of bytes in lanes of bytes, which the compiler turns into comparisons
    // of 16 or 32 at once; 128 of them do not overflow.
    let (blocks, rest) = first.as_chunks::<16>();
    let (other_blocks, other_rest) = second.as_chunks::<16>();
    let mut sum = 0;
    for (blocks, others) in blocks.chunks(8).zip(other_blocks.chunks(8)) {
        let mut lanes = [0u8; 16];
        for (block, other) in blocks.iter().zip(others) {
            for lane in 0..16 {
                lanes[lane] += u8::from(block[lane] != other[lane]);
            }
        }
        sum += lanes.iter().map(|&lane| usize::from(lane)).sum::<usize>();
    }
    sum + rest.iter().zip(other_rest).filter(|(a, b)| a != b).count()
}

#[cfg(test)]
mod tests {
    use super::mismatches;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_and_letters_agree(
            first in proptest::collection::vec(0u8..4, 0..400),
            second in proptest::collection::vec(0u8..4, 0..400),
        ) {
            let expected = first.iter().zip(&second).filter(|(a, b)| a != b).count();
            prop_assert_eq!(mismatches(&first, &second), expected);
        }
    }
}
