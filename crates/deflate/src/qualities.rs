//! Qualities, for `Level::Fast`: runs of one letter, and pairs of letters.
//!
//! ```text
//! FFFFF:FF,,:  ->  F, 4 times the same; :F, F,; ,:
//! ```
//! Nothing else that occurred before is looked for: see "Rejected" in `lib.rs`. Where letters equal
//! the one before is found for 64 of them at once, so that there is work for each run, not for each letter.

use crate::{line::Line, parse::Parser, tokens::Part, units};

impl Parser<'_> {
    /// A line of qualities, up to `end`.
    #[inline(never)]
    pub(crate) fn runs(&mut self, end: usize) {
        if self.at >= end {
            return;
        }
        if self.at == 0 {
            self.literal();
        }
        let text = self.text;
        let begun = self.tokens.units.used;
        let mut line = Line {
            text,
            done: self.at,
            are_paired: units::fit_pairs(&text[self.at..end]),
            used: begun,
            list: &mut self.tokens.units.list,
        };
        self.tokens.units.has_pairs |= line.are_paired;
        let mut at = line.done;
        'windows: while at < end {
            let mut repeats = repeats(text, at);
            if end - at < 64 {
                repeats &= (1 << (end - at)) - 1;
            }
            let mut starts = repeats & repeats >> 1 & repeats >> 2;
            while starts != 0 {
                let skip = starts.trailing_zeros();
                let length = (repeats >> skip).trailing_ones();
                line.literals(at + skip as usize);
                if skip + length == u64::BITS {
                    at = line.long_run(end);
                    continue 'windows;
                }
                line.run(length as usize);
                starts &= u64::MAX << (skip + length);
            }
            // Less than three repeats at the end may go on behind it.
            at += 64 - repeats.leading_ones() as usize;
        }
        line.literals(end);
        let used = line.used;
        self.tokens.units.close(used);
        let units = Part::Units(begun, self.tokens.units.used);
        self.tokens.parts.push((self.tokens.used, units));
        self.at = end;
    }
}

/// Which of the 64 bytes from `at` on equal the byte before, the first one lowest; none behind
/// the end of the text.
#[inline(always)]
pub(crate) fn repeats(text: &[u8], at: usize) -> u64 {
    match text[at - 1..].first_chunk::<65>() {
        Some(bytes) => repeats_in(bytes),
        None => {
            let rest = &text[at - 1..];
            let mut bytes = [0; 65];
            bytes[..rest.len()].copy_from_slice(rest);
            repeats_in(&bytes) & ((1 << (rest.len() - 1)) - 1)
        }
    }
}

#[inline(always)]
fn repeats_in(bytes: &[u8; 65]) -> u64 {
    const SEVEN: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    // Bit k of byte j: of byte 8 k + j.
    let columns = (0..8).fold(0, |columns, place| {
        let difference = word(8 * place) ^ word(8 * place + 1);
        let is_other = ((difference & SEVEN) + SEVEN) | difference;
        columns | (!is_other & !SEVEN) >> (7 - place)
    });
    transposed(columns)
}

/// Eight rows of eight bits, the columns of the argument.
#[inline(always)]
pub(crate) fn transposed(mut bits: u64) -> u64 {
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let change = (bits ^ bits >> shift) & mask;
        bits ^= change ^ change << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_bytes_that_equal_the_one_before() {
        let mut state = 1_u32;
        let text: Vec<u8> = (0..3000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b"FF:\xff\0"[(state >> 16) as usize % 5]
            })
            .collect();
        for at in 1..text.len() {
            let expected = (0..64).filter(|&place| {
                text.get(at + place) == text.get(at + place - 1) && at + place < text.len()
            });
            let expected = expected.fold(0, |all, place| all | 1_u64 << place);
            assert_eq!(repeats(&text, at), expected, "{at}");
        }
    }
}
