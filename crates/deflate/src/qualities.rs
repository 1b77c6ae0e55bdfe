//! Qualities, for `Level::Fast` and for some texts at `Level::Small`: runs of one letter, and pairs of letters.
//!
//! ```text
//! FFFFF:FF,,:  ->  F, 4 times the same; :F, F,; ,:
//! ```
//! A machine that can does 64 letters at a time (`condensed`), the others do what is here. Nothing else that occurred before is looked for: see "Rejected" in `lib.rs`. Where letters equal
//! the one before is found for all of a line at once, so that there is work for each run, not for each letter.

use thalweg_scan as scan;

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
        if !self.condense(end) {
            self.units(end);
        }
    }

    fn units(&mut self, end: usize) {
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
        let masks = &mut self.tables.repeat_masks;
        scan::repeats(&text[self.at - 1..end], masks);
        for (number, &repeats) in masks.iter().enumerate() {
            let at = self.at + 64 * number;
            if line.done >= at + 64 {
                continue;
            }
            let next = masks.get(number + 1).copied().unwrap_or(0);
            let mut starts = run_starts(repeats, next) & u64::MAX << line.done.saturating_sub(at);
            while starts != 0 {
                let place = starts.trailing_zeros();
                let length = (repeats >> place).trailing_ones();
                line.literals(at + place as usize);
                if place + length == u64::BITS {
                    line.long_run(end);
                    break;
                }
                line.run(length as usize);
                starts &= u64::MAX << (place + length);
            }
        }
        line.literals(end);
        let used = line.used;
        self.tokens.units.close(used);
        let units = Part::Units(begun, self.tokens.units.used);
        self.tokens.parts.push((self.tokens.used, units));
        self.at = end;
    }
}

/// Where runs of at least three begin, or go on, by bits for bytes that equal the one before: 64 of them, and the next.
#[inline(always)]
pub(crate) fn run_starts(repeats: u64, next: u64) -> u64 {
    repeats & (repeats >> 1 | next << 63) & (repeats >> 2 | next << 62)
}
