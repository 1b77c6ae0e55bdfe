//! Letters and their qualities, column by column of reads that lie on each other.

use crate::kernel::dispatch;

/// The number of columns is a multiple of this, so that vectors leave no rest.
pub const COLUMNS: usize = 32;

/// For each of two reads, in each column where it has `letter`: add 1 to the count, and its quality byte to the sum.
///
/// Behind the end of a read stand bytes that are no letter, such as 0. All that is added wraps around: the caller
/// empties counts and sums in time, and gives quality bytes below 128, of which two fit into a byte.
///
/// # Panics
/// If a slice is shorter than `counts`, or the length of that is no multiple of [`COLUMNS`].
#[inline]
pub fn add_columns(
    letter: u8,
    bases: [&[u8]; 2],
    qualities: [&[u8]; 2],
    counts: &mut [u8],
    sums: &mut [u16],
) {
    assert!(counts.len().is_multiple_of(COLUMNS));
    dispatch!(add_columns(letter, bases, qualities, counts, sums))
}

/// For each of two reads, in each column where it has one of `letters`: add 1 to the count of that letter.
///
/// Behind the end of a read stand bytes that are none of them, such as 0. What is added wraps around: the caller empties
/// counts in time.
///
/// # Panics
/// If a slice is shorter than the first of `counts`, or the length of that is no multiple of [`COLUMNS`].
#[inline]
pub fn count_columns(letters: [u8; 4], bases: [&[u8]; 2], counts: [&mut [u8]; 4]) {
    assert!(counts[0].len().is_multiple_of(COLUMNS));
    dispatch!(count_columns(letters, bases, counts))
}

#[inline(always)]
pub(crate) fn count(letters: [u8; 4], bases: [&[u8]; 2], counts: [&mut [u8]; 4]) {
    let columns = counts[0].len();
    let [first, second] = bases.map(|bases| &bases[..columns]);
    for (letter, counts) in letters.into_iter().zip(counts) {
        let counts = &mut counts[..columns];
        for column in 0..columns {
            let both = u8::from(first[column] == letter) + u8::from(second[column] == letter);
            counts[column] = counts[column].wrapping_add(both);
        }
    }
}

#[inline(always)]
pub(crate) fn add(
    letter: u8,
    bases: [&[u8]; 2],
    qualities: [&[u8]; 2],
    counts: &mut [u8],
    sums: &mut [u16],
) {
    let columns = counts.len();
    let [first, second] = bases.map(|bases| &bases[..columns]);
    let [first_quality, second_quality] = qualities.map(|qualities| &qualities[..columns]);
    let sums = &mut sums[..columns];
    for column in 0..columns {
        // 255 or 0.
        let equal = u8::from(first[column] == letter).wrapping_neg();
        let second_equal = u8::from(second[column] == letter).wrapping_neg();
        counts[column] = counts[column].wrapping_sub(equal.wrapping_add(second_equal));
        let both =
            (first_quality[column] & equal).wrapping_add(second_quality[column] & second_equal);
        sums[column] = sums[column].wrapping_add(u16::from(both));
    }
}
