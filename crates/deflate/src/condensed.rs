//! Lines of qualities as a `Coder` condenses them: letters, and two names for each run of the letter before.
//!
//! ```text
//! first name  = 64 + symbol of the length (257 on)
//! second name = 128 + extra bits of the length below a leading 1, less 1
//! ```
//! So the word of a first name is that of a length, and the word of a second name are the extra bits and the word of
//! distance 1. Both are as short as that of a letter, nearly: words of all three are looked up together.

use thalweg_scan::{
    ValueCounts,
    coder::{self, Coder, NEAR, RunNames, SHORTEST_RUN},
};

use crate::{
    codes::Word,
    lengths::{DISTANCE_LIMIT, LITERAL_LIMIT},
    parse::Parser,
    symbols::{DISTANCES, LENGTHS, LITERALS, length_symbol},
    tokens::Part,
    units,
};

/// The first name of the shortest run.
const FIRST: usize = coder::LETTERS;
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
        let begun = condensed.len();
        if !coder.condense(&self.text[self.at - 1..end], &NAMES, condensed) {
            return false;
        }
        let part = Part::Condensed(begun, condensed.len());
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

/// Add how often each symbol of condensed lines is used.
pub(crate) fn add_counts(
    condensed: &[u8],
    coder: Coder,
    literals: &mut [u32; LITERALS],
    distances: &mut [u32; DISTANCES],
) {
    // Letters, and first names of runs: of each, there is a second one with distance 1.
    const ROWS: usize = (FIRST + LENGTHS).div_ceil(8);
    let mut counts = ValueCounts::<ROWS>::new();
    coder.value_counter().count(condensed, 0, &mut counts);
    let letters = &mut literals[usize::from(units::FIRST)..][..units::LETTERS];
    for (letter, count) in letters.iter_mut().zip(counts.iter()) {
        *letter += count as u32;
    }
    for (length, count) in literals[257..].iter_mut().zip(counts.iter().skip(FIRST)) {
        *length += count as u32;
        distances[0] += count as u32;
    }
}
