//! Bases in words: the other strand, codes of two bits, and a few letters looked for at many offsets.
//!
//! Plain loops without a branch for each base, which the compiler makes vectors of: twice as wide, and more, where
//! it may use what the machine has.

use crate::kernel::dispatch;
use crate::vector::{Lanes, WIDTH};

/// Letters that [`offsets_of`] looks for.
pub const PROBE: usize = 16;

/// Offsets at which it looks: all of a read of 150 bases that leave an overlap of 30, and some more.
pub const OFFSETS: usize = 128;

/// Write the reverse complement of `bases`, which must be A, C, G and T; for others it is any letter.
///
/// # Panics
/// If `output` is not as long as `bases`.
#[inline]
pub fn reverse_complement(bases: &[u8], output: &mut [u8]) {
    assert_eq!(bases.len(), output.len());
    dispatch!(reverse_complement(bases, output))
}

/// Pack four bases into each byte, the first in the lowest bits: A 0, C 1, T 2, G 3, in either case; other letters
/// become one of these.
///
/// # Panics
/// If `codes` is not as long as `quartets`.
#[inline]
pub fn pack(quartets: &[[u8; 4]], codes: &mut [u8]) {
    assert_eq!(quartets.len(), codes.len());
    dispatch!(pack(quartets, codes))
}

/// The offsets from which on at least so many of `letters` stand in `text`: a bit for each, the first lowest.
#[inline]
pub fn offsets_of(letters: &[u8; PROBE], least: u8, text: &[u8; OFFSETS + PROBE]) -> u128 {
    dispatch!(offsets_of(letters, least, text))
}

/// Eight letters at a time in one word: reversed by a byte swap, complemented by exclusive or. A (0x41) and T (0x54)
/// differ in 0x15, C (0x43) and G (0x47) in 0x04, and bit 1 of a letter tells the two pairs apart.
#[inline(always)]
pub(crate) fn complement_words(bases: &[u8], output: &mut [u8]) {
    let (head, words) = bases.as_rchunks::<8>();
    let (out, tail) = output.as_chunks_mut::<8>();
    for (out, word) in out.iter_mut().zip(words.iter().rev()) {
        let word = u64::from_le_bytes(*word);
        let is_c_or_g = (word >> 1) & 0x0101_0101_0101_0101;
        let other = word ^ (0x1515_1515_1515_1515 ^ (is_c_or_g * 0x11));
        *out = other.swap_bytes().to_le_bytes();
    }
    for (out, &base) in tail.iter_mut().zip(head.iter().rev()) {
        *out = base ^ (0x15 ^ ((base >> 1 & 1) * 0x11));
    }
}

/// Two bits at 8 i go to 2 i: first those of neighbours together, then two and two.
#[inline(always)]
pub(crate) fn pack_words(quartets: &[[u8; 4]], codes: &mut [u8]) {
    for (code, bases) in codes.iter_mut().zip(quartets) {
        let bits = u32::from_le_bytes(*bases) >> 1 & 0x0303_0303;
        let pairs = bits | bits >> 6;
        *code = (pairs | pairs >> 12) as u8;
    }
}

/// How many of `letters` stand in `text` from each offset on.
///
/// A lane of bytes for each offset: a letter is compared with as many neighbouring letters of the text as there are
/// lanes, four letters at a time so that the counts are loaded and stored less often. (With 16 or 32 lanes instead the
/// compiler unrolls the loop first, and makes a mess of it: three to seven times as many instructions.)
#[inline(always)]
pub(crate) fn count_matches(letters: &[u8; PROBE], text: &[u8; OFFSETS + PROBE]) -> [u8; OFFSETS] {
    let mut lanes = [0u8; OFFSETS];
    let (quartets, _) = letters.as_chunks::<4>();
    for (number, &[a, b, c, d]) in quartets.iter().enumerate() {
        let at = 4 * number;
        let first = &text[at..at + OFFSETS];
        let second = &text[at + 1..at + 1 + OFFSETS];
        let third = &text[at + 2..at + 2 + OFFSETS];
        let fourth = &text[at + 3..at + 3 + OFFSETS];
        for lane in 0..OFFSETS {
            lanes[lane] += u8::from(first[lane] == a)
                + u8::from(second[lane] == b)
                + u8::from(third[lane] == c)
                + u8::from(fourth[lane] == d);
        }
    }
    lanes
}

/// # Safety
/// The CPU has the features of `L`.
#[inline(always)]
pub(crate) unsafe fn find_offsets<L: Lanes>(
    letters: &[u8; PROBE],
    least: u8,
    text: &[u8; OFFSETS + PROBE],
) -> u128 {
    let matches = count_matches(letters, text);
    let (low, high) = matches.split_at(WIDTH);
    // SAFETY: both halves have 64 bytes; the caller vouches for the CPU.
    let (low, high) = unsafe { (L::load(low).at_least(least), L::load(high).at_least(least)) };
    u128::from(low) | u128::from(high) << WIDTH
}
