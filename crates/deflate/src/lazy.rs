//! The slower search, for `Level::Small`: all but most qualities.
//!
//! ```text
//! at each byte: the two latest places with the same hash, and the byte before (a run)
//! take the longest, unless the next byte has a longer one: then that byte is a literal
//! ```

use crate::{
    matches::{common, word},
    parse::Parser,
    symbols::{LONGEST, WINDOW},
    tokens::match_token,
};

/// Matches of this length are taken without a look at the next byte. A larger number would save little, for much of the
/// time.
const ENOUGH: usize = 8;

/// Bytes that are hashed.
const HASHED: u32 = 5;
/// Shorter matches are not taken, but for runs.
const LEAST: usize = 5;

/// Bits of a hash.
pub(crate) const BITS: u32 = 13;

/// The two latest places of each hash, the last one first.
pub(crate) type Places = Vec<[u32; 2]>;

impl Parser<'_> {
    /// Any text, up to `end`.
    #[inline(never)]
    pub(crate) fn search_lazily(&mut self, places: &mut Places, end: usize) {
        if self.at == 0 && end > 0 {
            self.literal();
        }
        while self.at < end {
            let (mut length, mut distance) = self.longest(places, self.at);
            if length < 3 {
                self.literal();
                continue;
            }
            let mut seen = self.at + 1;
            while length < ENOUGH && self.at + 1 < end {
                let (next_length, next_distance) = self.longest(places, self.at + 1);
                seen = self.at + 2;
                if next_length <= length {
                    break;
                }
                self.literal();
                (length, distance) = (next_length, next_distance);
            }
            self.push(match_token(length, distance));
            self.at += length;
            for at in seen..self.at.min(seen + ENOUGH) {
                self.note(places, at);
            }
        }
    }

    #[inline(always)]
    fn note(&self, places: &mut Places, at: usize) {
        if let Some(here) = word(self.text, at) {
            let entry = &mut places[slot(here)];
            *entry = [(self.first() + at) as u32, entry[0]];
        }
    }

    /// Note this place; tell the best match from here as length and distance, 0 if there is none.
    #[inline(always)]
    fn longest(&self, places: &mut Places, at: usize) -> (usize, usize) {
        let text = self.text;
        let Some(here) = word(text, at) else {
            return (0, 0);
        };
        let place = self.first() + at;
        let entry = &mut places[slot(here)];
        let candidates = *entry;
        *entry = [place as u32, candidates[0]];

        let run = here ^ (here << 8 | u64::from(text[at - 1]));
        let mut best = ((run.trailing_zeros() / 8) as usize, 1);
        if best.0 == 8 {
            best.0 = common(text, at - 1, at);
        } else if best.0 < 3 {
            best.0 = 0;
        }
        for candidate in candidates {
            let distance = place - candidate as usize;
            if distance > WINDOW {
                break;
            }
            let old = at - distance;
            let difference = word(text, old).unwrap_or(0) ^ here;
            let mut length = (difference.trailing_zeros() / 8) as usize;
            if length == 8 {
                length = (8 + common(text, old + 8, at + 8)).min(LONGEST);
            }
            if length >= LEAST && length > best.0 {
                best = (length, distance);
            }
        }
        best
    }
}

#[inline(always)]
fn slot(here: u64) -> usize {
    let hashed = here << (64 - 8 * HASHED);
    (hashed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}
