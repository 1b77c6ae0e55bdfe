//! Comparing sequences of which one has a letter more.

use super::mismatches::mismatches;

/// The fewest mismatches of `normal` with `inserted`, which has one letter more than
/// `length` somewhere between its first and its last. `None` if a sequence is too short.
pub(crate) fn mismatches_with_insertion(
    inserted: &[u8],
    normal: &[u8],
    length: usize,
) -> Option<usize> {
    if length == 0 || inserted.len() <= length || normal.len() < length {
        return None;
    }
    // With the inserted letter before position i, what is left of i is compared as it
    // stands, what is right of it one letter on.
    let shifted = &inserted[1..=length];
    let mut left = 0;
    let mut right = mismatches(shifted, &normal[..length]);
    let mut fewest = None;
    for at in 0..length {
        if at > 0 {
            let sum = left + right;
            if fewest.is_none_or(|fewest| sum < fewest) {
                fewest = Some(sum);
            }
        }
        left += usize::from(inserted[at] != normal[at]);
        right -= usize::from(shifted[at] != normal[at]);
    }
    fewest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_place_for_an_insertion_is_found(
            normal in proptest::collection::vec(0u8..3, 1..30),
            inserted in proptest::collection::vec(0u8..3, 2..31),
        ) {
            let length = normal.len().min(inserted.len() - 1);
            let expected = (1..length)
                .map(|at| {
                    mismatches(&inserted[..at], &normal[..at])
                        + mismatches(&inserted[at + 1..=length], &normal[at..length])
                })
                .min();
            prop_assert_eq!(mismatches_with_insertion(&inserted, &normal, length), expected);
        }
    }
}
