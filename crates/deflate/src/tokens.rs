//! What a parse consists of, and how often each symbol occurs in it.
//!
//! ```text
//! token = unit or length (13 bits), distance symbol (5 bits), extra bits of the distance
//! ```
//! A literal has a distance symbol that takes no bits, so that literals and matches are written
//! by the same instructions: whether the next token is the one or the other cannot be foretold, and a
//! wrong guess costs more than the work. Between tokens are parts that are known to be all of one
//! kind: bases, which stay in the text, and qualities (`units`). Symbols are counted when they are
//! found, where it is known anyway what they are.

use thalweg_scan::{self as scan, coder::Coder};

use crate::{
    condensed,
    symbols::{DISTANCES, END_OF_BLOCK, LITERALS, LONGEST, distance_symbol},
    units::{COUNT, LENGTHS, Units},
};

/// The distance symbol of a literal.
const NONE: u32 = 30;

/// Letters that are counted all at once.
const BASES: &[u8] = b"ACGTN";

/// What is no tokens: from where to where.
pub(crate) enum Part {
    /// Literals, left in the text.
    Letters(usize, usize),
    /// The same, all A, C, G or T.
    Bases(usize, usize),
    /// Groups of the list of units.
    Units(usize, usize),
    /// Values of condensed lines.
    Condensed(usize, usize),
}

/// Tokens of one block, of less than 64 KiB.
pub(crate) struct Tokens {
    pub(crate) list: Box<[u32; 1 << 16]>,
    pub(crate) used: usize,
    pub(crate) distances: [u32; 32],
    /// Between tokens, how many of which come before.
    pub(crate) parts: Vec<(usize, Part)>,
    /// What the qualities among the parts consist of.
    pub(crate) units: Units,
    /// Or these, of a machine that has a coder.
    pub(crate) condensed: Vec<u8>,
    /// How often each of [`BASES`] occurs, in those parts of letters that hold nothing else.
    bases: [u32; BASES.len()],
}

/// `distance` is 1 to 32768, `length` 3 to 258.
#[inline(always)]
pub(crate) fn match_token(length: usize, distance: usize) -> u32 {
    debug_assert!((3..=LONGEST).contains(&length));
    let (symbol, _, extra) = distance_symbol(distance as u32 - 1);
    (LENGTHS + length - 3) as u32 | (symbol as u32) << 13 | extra << 18
}

#[inline(always)]
pub(crate) fn literal_token(byte: u8) -> u32 {
    unit_token(byte.into())
}

/// A unit that has no distance, or has it in it.
#[inline(always)]
pub(crate) fn unit_token(unit: u16) -> u32 {
    u32::from(unit) | NONE << 13
}

/// Index of the unit or length.
#[inline(always)]
pub(crate) fn value(token: u32) -> usize {
    token as usize & (COUNT - 1)
}

/// Symbol of the distance, and its extra bits.
#[inline(always)]
pub(crate) fn distance(token: u32) -> (usize, u32) {
    ((token >> 13) as usize & 31, token >> 18)
}

impl Tokens {
    pub(crate) fn new() -> Self {
        Self {
            list: vec![0; 1 << 16].try_into().expect("its size"),
            used: 0,
            distances: [0; 32],
            parts: Vec::new(),
            units: Units::new(),
            condensed: Vec::new(),
            bases: [0; BASES.len()],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.distances.fill(0);
        self.parts.clear();
        self.units.clear();
        self.condensed.clear();
        self.bases.fill(0);
    }

    /// A literal or a match.
    #[inline(always)]
    pub(crate) fn push(&mut self, token: u32) {
        self.list[self.used] = token;
        self.used += 1;
        self.units.counts[value(token)] += 1;
        self.distances[distance(token).0] += 1;
    }

    /// Literals from `start` to `end` of the text, bases if possible.
    pub(crate) fn push_run(&mut self, text: &[u8], start: usize, end: usize) {
        if start >= end {
            return;
        }
        let mut counts = [0; BASES.len()];
        let known = scan::count_values(&text[start..end], BASES, &mut counts);
        let length = (end - start) as u64;
        let part = if known - counts[BASES.len() - 1] == length {
            Part::Bases(start, end)
        } else {
            Part::Letters(start, end)
        };
        self.parts.push((self.used, part));
        if known == length {
            for (sum, count) in self.bases.iter_mut().zip(counts) {
                *sum += count as u32;
            }
        } else {
            for &letter in &text[start..end] {
                self.units.counts[usize::from(letter)] += 1;
            }
        }
    }

    /// Whether parts of letters are among these.
    pub(crate) fn have_letters(&self) -> bool {
        let is_letters = |(_, part): &(usize, Part)| matches!(part, Part::Letters(..));
        self.parts.iter().any(is_letters)
    }

    /// How often each symbol is used, and which letters are in pairs, as [`Units::add_counts`] has
    /// them. `coder` is that which condensed lines.
    pub(crate) fn counts(&self, coder: Option<Coder>) -> ([u32; LITERALS], [u32; DISTANCES], u64) {
        let mut literals = [0; LITERALS];
        for (&letter, count) in BASES.iter().zip(self.bases) {
            literals[usize::from(letter)] = count;
        }
        literals[END_OF_BLOCK] += 1;
        let mut distances = [0; DISTANCES];
        distances.copy_from_slice(&self.distances[..DISTANCES]);
        let paired = self.units.add_counts(&mut literals, &mut distances);
        if let Some(coder) = coder {
            condensed::add_counts(&self.condensed, coder, &mut literals, &mut distances);
        }
        (literals, distances, paired)
    }
}
