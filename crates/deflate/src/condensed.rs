//! Lines of qualities as a `Coder` condenses them: letters, and two names for each run of the letter before.
//!
//! ```text
//! first name  = 64 + symbol of the length (257 on)
//! second name = 128 + extra bits of the length below a leading 1, less 1
//! ```
//! So the word of a first name is that of a length, and the word of a second name are the extra bits and the word of
//! distance 1. Both are as short as that of a letter, nearly: words of all three are looked up together.

use thalweg_scan::coder::{self, Condensed, NEAR, RunNames, SHORTEST_RUN};

use crate::{
    codes::Word,
    lengths::{DISTANCE_LIMIT, LITERAL_LIMIT},
    parse::Parser,
    symbols::{DISTANCES, LITERALS, length_symbol},
    tokens::Part,
    units,
};

/// The first name of the shortest run.
const FIRST: usize = coder::LETTERS;
/// Symbols of lengths.
const LENGTHS: usize = 29;
/// Extra bits of a length, at most.
const EXTRA: usize = 5;

const _: () = assert!(coder::LOWEST == units::FIRST && coder::LETTERS == units::LETTERS);
const _: () = assert!(FIRST + LENGTHS <= NEAR && (2 << EXTRA) - 1 <= coder::FAR);
const _: () = assert!(LITERAL_LIMIT <= coder::LONGEST_WORD as usize);
const _: () = assert!(EXTRA + DISTANCE_LIMIT <= coder::LONGEST_WORD as usize);

/// Of all runs.
pub(crate) static NAMES: RunNames = {
    let (mut first, mut second) = ([0; 256], [0; 256]);
    let mut number = 0;
    while number < 256 {
        let (symbol, extra, value) = length_symbol(number + SHORTEST_RUN);
        first[number] = (FIRST + symbol - 257) as u8;
        second[number] = (NEAR + (1 << extra) - 1 + value as usize) as u8;
        number += 1;
    }
    RunNames { first, second }
};

impl Parser<'_> {
    /// A line of qualities, up to `end`, which is behind what is parsed; `false` if that cannot be, or not here.
    pub(crate) fn condense(&mut self, end: usize) -> bool {
        let Some(coder) = self.tables.coder else {
            return false;
        };
        let condensed = &mut self.tokens.condensed;
        let begun = condensed.kept.len();
        if !coder.condense(&self.text[self.at - 1..end], &NAMES, condensed) {
            return false;
        }
        let part = Part::Condensed(begun, condensed.kept.len());
        self.tokens.parts.push((self.tokens.used, part));
        self.at = end;
        true
    }
}

/// Words for a code whose literals and lengths are `all`; `same` is that of distance 1.
pub(crate) fn make_words(all: &[Word; LITERALS], same: Word, words: &mut coder::Words) {
    for (value, word) in all[usize::from(units::FIRST)..][..units::LETTERS]
        .iter()
        .enumerate()
    {
        words.set(value, word.bits, word.length);
    }
    for (number, word) in all[257..][..LENGTHS].iter().enumerate() {
        words.set(FIRST + number, word.bits, word.length);
    }
    for extra in 0..=EXTRA {
        for value in 0..1 << extra {
            let bits = value as u16 | same.bits << extra;
            words.set(
                NEAR + (1 << extra) - 1 + value,
                bits,
                extra as u16 + same.length,
            );
        }
    }
}

/// Add how often each symbol is used.
pub(crate) fn add_counts(
    condensed: &Condensed,
    literals: &mut [u32; LITERALS],
    distances: &mut [u32; DISTANCES],
) {
    if condensed.kept.is_empty() {
        return;
    }
    // Pairs of letters: half the work, and 16 KiB.
    let mut pairs = [0_u32; units::LETTERS * units::LETTERS];
    let (eights, rest) = condensed.letters.as_chunks::<8>();
    for eight in eights {
        let letters = u64::from_le_bytes(*eight);
        const LOW: u64 = 0x003f_003f_003f_003f;
        let each = letters & LOW | letters >> 2 & LOW << 6;
        for shift in [0, 16, 32, 48] {
            pairs[(each >> shift) as usize & (pairs.len() - 1)] += 1;
        }
    }
    let literals_here = &mut literals[usize::from(units::FIRST)..][..units::LETTERS];
    for &letter in rest {
        literals_here[usize::from(letter)] += 1;
    }
    for (second, row) in pairs.as_chunks::<{ units::LETTERS }>().0.iter().enumerate() {
        literals_here[second] += row.iter().sum::<u32>();
        for (first, count) in literals_here.iter_mut().zip(row) {
            *first += count;
        }
    }
    for &run in &condensed.runs {
        literals[length_symbol(usize::from(run) + SHORTEST_RUN).0] += 1;
    }
    distances[0] += condensed.runs.len() as u32;
}
