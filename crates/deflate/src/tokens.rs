//! What a parse consists of, and how often each symbol occurs in it.
//!
//! ```text
//! token = literal, length or two qualities (13 bits), distance symbol (5 bits), extra bits of the distance
//! ```
//! A literal has a distance symbol that takes no bits, so that literals and matches are written
//! by the same instructions: whether the next token is the one or the other cannot be foretold in
//! qualities, and a wrong guess costs more than the work. Runs of bases, which can be foretold,
//! have one token and stay in the text. Symbols are counted when they are found, where it is
//! known anyway what they are.

use crate::{
    pairs, quads,
    symbols::{DISTANCES, END_OF_BLOCK, LITERALS, LONGEST, distance_symbol, length_symbol},
};

/// Bits of a literal (0 to 255), a length (256 to 511, less 3) or two qualities (from 512 on).
const VALUE_BITS: u32 = 13;
const EXTRA: u32 = VALUE_BITS + 5;
pub(crate) const LENGTHS: usize = 256;
pub(crate) const PAIRS: usize = 512;
/// Literals, lengths and pairs.
pub(crate) const VALUES: usize = PAIRS + pairs::COUNT;
/// The distance symbol of a literal.
const NONE: u32 = 30;

/// Literals left in the text.
pub(crate) struct Run {
    /// How many tokens come before.
    pub(crate) before: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Tokens of one block, of less than 64 KiB.
pub(crate) struct Tokens {
    pub(crate) list: Box<[u32; 1 << 16]>,
    pub(crate) used: usize,
    pub(crate) values: Box<[u32; VALUES]>,
    pub(crate) distances: [u32; 32],
    pub(crate) runs: Vec<Run>,
    quads: [u32; 256],
}

/// `distance` is 1 to 32768, `length` 3 to 258.
#[inline(always)]
pub(crate) fn match_token(length: usize, distance: usize) -> u32 {
    debug_assert!((3..=LONGEST).contains(&length));
    let (symbol, _, extra) = distance_symbol(distance as u32 - 1);
    (LENGTHS as u32 + length as u32 - 3) | (symbol as u32) << VALUE_BITS | extra << EXTRA
}

#[inline(always)]
pub(crate) fn literal_token(byte: u8) -> u32 {
    u32::from(byte) | NONE << VALUE_BITS
}

/// The token of two literals by their number.
#[inline(always)]
pub(crate) fn pair_token(number: usize) -> u32 {
    (PAIRS + number) as u32 | NONE << VALUE_BITS
}

/// Index of the literal, length or pair.
#[inline(always)]
pub(crate) fn value(token: u32) -> usize {
    token as usize & ((1 << VALUE_BITS) - 1)
}

/// Symbol of the distance, and its extra bits.
#[inline(always)]
pub(crate) fn distance(token: u32) -> (usize, u32) {
    ((token >> VALUE_BITS) as usize & 31, token >> EXTRA)
}

impl Tokens {
    pub(crate) fn new() -> Self {
        Self {
            list: vec![0; 1 << 16].try_into().expect("its size"),
            used: 0,
            values: vec![0; VALUES].try_into().expect("its size"),
            distances: [0; 32],
            runs: Vec::new(),
            quads: [0; 256],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.values.fill(0);
        self.distances.fill(0);
        self.runs.clear();
        self.quads.fill(0);
    }

    /// A literal or a match.
    #[inline(always)]
    pub(crate) fn push(&mut self, token: u32) {
        self.list[self.used] = token;
        self.used += 1;
        self.values[value(token)] += 1;
        self.distances[distance(token).0] += 1;
    }

    /// Literals from `start` to `end` of the text, bases if possible.
    pub(crate) fn push_run(&mut self, text: &[u8], start: usize, end: usize) {
        if start >= end {
            return;
        }
        self.runs.push(Run {
            before: self.used,
            start,
            end,
        });
        let (fours, single) = text[start..end].as_chunks::<4>();
        for &four in fours {
            let letters = u32::from_le_bytes(four);
            let number = quads::number(letters);
            if quads::LETTERS[number] == letters {
                self.quads[number] += 1;
            } else {
                for letter in four {
                    self.values[usize::from(letter)] += 1;
                }
            }
        }
        for &letter in single {
            self.values[usize::from(letter)] += 1;
        }
    }

    /// How often each symbol is used.
    pub(crate) fn counts(&self) -> ([u32; LITERALS], [u32; DISTANCES]) {
        let mut literals = [0; LITERALS];
        literals[..256].copy_from_slice(&self.values[..256]);
        for (letters, &count) in quads::LETTERS.iter().zip(&self.quads) {
            for letter in letters.to_le_bytes() {
                literals[usize::from(letter)] += count;
            }
        }
        for (length, &count) in (3..).zip(&self.values[LENGTHS..PAIRS]) {
            literals[length_symbol(length).0] += count;
        }
        for counts in pairs::letter_counts(&self.values[PAIRS..]) {
            let letters = &mut literals[usize::from(pairs::FIRST)..];
            for (letter, count) in letters.iter_mut().zip(counts) {
                *letter += count;
            }
        }
        literals[END_OF_BLOCK] += 1;
        let mut distances = [0; DISTANCES];
        distances.copy_from_slice(&self.distances[..DISTANCES]);
        (literals, distances)
    }
}
