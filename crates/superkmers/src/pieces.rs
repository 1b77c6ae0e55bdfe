//! A sequence on many lines, in pieces: it is never joined as a whole.
//!
//! ```text
//! lines     ACGTAC|GTTGCA|ACG             step 4, overlap 2 (k = 3)
//! pieces    ACGTAC
//!               ACGTTG
//!                   TGCAAC
//!                       ACG               each k-mer is in one of them
//! ```

/// Calls `each` with the pieces of the sequence that `lines` make, in their order: `step` and `overlap` letters, of
/// which `overlap` are those that the piece before ended with; the last is shorter. A sequence of no more than
/// `overlap` letters has none. Returns the number of letters of the sequence.
///
/// `letters` is a buffer, whose content means nothing before. Of a sequence that has no piece, it holds all letters after.
///
/// # Errors
/// The first of `each`, at which it ends.
pub fn for_each_piece<'a, E>(
    lines: impl IntoIterator<Item = &'a [u8]>,
    step: usize,
    overlap: usize,
    letters: &mut Vec<u8>,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<u64, E> {
    let full = step + overlap;
    let mut length = 0;
    letters.clear();
    for mut line in lines {
        length += line.len() as u64;
        while !line.is_empty() {
            let (now, later) = line.split_at(line.len().min(full - letters.len()));
            letters.extend_from_slice(now);
            line = later;
            if letters.len() == full {
                each(letters)?;
                letters.copy_within(step.., 0);
                letters.truncate(overlap);
            }
        }
    }
    // More than what a piece before had.
    if letters.len() > overlap {
        each(letters)?;
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_is_in_one_piece() {
        let sequence: Vec<u8> = (0..100).collect();
        for length in 0..sequence.len() {
            let sequence = &sequence[..length];
            for (step, overlap, width) in
                [(1, 0, 7), (4, 2, 6), (8, 3, 1), (16, 15, 50), (99, 1, 3)]
            {
                let mut found = Vec::new();
                let mut letters = b"left from before".to_vec();
                // Empty lines between all others.
                let lines = sequence.chunks(width).flat_map(|line| [line, &[]]);
                let counted = for_each_piece(lines, step, overlap, &mut letters, |piece| {
                    assert!(piece.len() <= step + overlap);
                    found.extend(piece.windows(overlap + 1).map(<[u8]>::to_vec));
                    Ok::<(), ()>(())
                });
                assert_eq!(counted, Ok(length as u64));
                let expected: Vec<_> = sequence.windows(overlap + 1).map(<[u8]>::to_vec).collect();
                assert_eq!(found, expected, "{length} {step} {overlap} {width}");
            }
        }
    }

    #[test]
    fn it_ends_at_the_first_fault() {
        let mut calls = 0;
        let outcome = for_each_piece([&[1; 10][..]], 2, 1, &mut Vec::new(), |_| {
            calls += 1;
            Err(calls)
        });
        assert_eq!(outcome, Err(1));
    }
}
