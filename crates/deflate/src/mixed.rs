//! Qualities, for `Level::Small`: runs, what occurred before, and pairs of letters.
//!
//! ```text
//! where a run or a match begins: take the longer one; between them: pairs
//! ```

use thalweg_scan as scan;

use crate::{
    line::{self, Line},
    looks::{self, Latest, Looks, STRIDE},
    matches::{common, word},
    parse::Parser,
    qualities::run_starts,
    symbols::LONGEST,
    tokens::{self, match_token},
    units,
};

/// A match in a line.
#[derive(Clone, Copy)]
struct Match {
    from: usize,
    /// 0 if there is none.
    length: usize,
    distance: usize,
}

impl Parser<'_> {
    /// A line of qualities, up to `end`.
    #[inline(never)]
    pub(crate) fn runs_and_matches(&mut self, latest: &mut Latest, end: usize) {
        if self.at >= end {
            return;
        }
        if self.at == 0 {
            self.literal();
        }
        let text = self.text;
        let begun = self.tokens.used;
        let mut line = Line {
            text,
            done: self.at,
            are_paired: units::fit_pairs(&text[self.at..end]),
            used: begun,
            list: &mut self.tokens.list,
        };
        self.tokens.units.has_pairs |= line.are_paired;
        let distances = &mut self.tokens.distances;
        let mut looks = Looks::new();
        // Taken out while it is read: faster than a loop over a reference to it.
        let mut masks = std::mem::take(&mut self.tables.repeat_masks);
        scan::repeats(&text[self.at - 1..end], &mut masks);
        let mut at = line.done;
        let mut rest = masks.iter().copied();
        let mut next = rest.next().unwrap_or(0);
        while at < end {
            let ahead = at + 64;
            let inside = u64::MAX >> (64 - (end - at).min(64));
            let repeats = next;
            next = rest.next().unwrap_or(0);
            if line.done >= ahead {
                at = ahead;
                continue;
            }
            let runs = run_starts(repeats, next);
            looks.search(text, at, (end - at).min(64), latest);
            let found = looks.found() & inside;
            let mut starts = (runs | found) & u64::MAX << line.done.saturating_sub(at);
            while starts != 0 {
                let place = starts.trailing_zeros() as usize;
                let start = at + place;
                let mut run = (repeats >> place).trailing_ones() as usize;
                if place + run == 64 {
                    run = common(&text[..end], start - 1, start);
                }
                let found = find(text, at, place, end, &looks);
                if run < found.length {
                    let Match {
                        from,
                        length,
                        distance,
                    } = extended(text, line.done, found);
                    line.literals(from);
                    let token = match_token(length, distance);
                    line.push(token);
                    distances[tokens::distance(token).0] += 1;
                    line.done = from + length;
                } else if run >= line::LEAST {
                    line.literals(start);
                    line.run(run);
                } else {
                    starts &= starts - 1;
                    continue;
                }
                if line.done >= ahead {
                    break;
                }
                starts &= u64::MAX << (line.done - at);
            }
            at = ahead;
        }
        self.tables.repeat_masks = masks;
        line.literals(end);
        let used = line.used;
        for &token in &self.tokens.list[begun..used] {
            self.tokens.units.counts[tokens::value(token)] += 1;
        }
        self.tokens.used = used;
        self.at = end;
    }
}

/// The match at this place behind `at`, or at the next one that was looked up.
#[inline(always)]
fn find(text: &[u8], at: usize, place: usize, end: usize, looks: &Looks) -> Match {
    let place = place.next_multiple_of(STRIDE);
    let from = at + place;
    let distance = usize::from(looks.distances[place]);
    let old = from - distance;
    let mut length = usize::from(looks.lengths[place]);
    // A second word without asking: many matches end in it.
    let further = match (word(text, from + 8), word(text, old + 8)) {
        (Some(new), Some(old)) => ((new ^ old).trailing_zeros() / 8) as usize,
        _ => 0,
    };
    length += if length == 8 { further } else { 0 };
    if length == 16 {
        length = (16 + common(text, old + 16, from + 16)).min(LONGEST - STRIDE);
    }
    length = length.min(end.saturating_sub(from));
    if length < looks::LEAST || distance == 0 {
        length = 0;
    }
    Match {
        from,
        length,
        distance,
    }
}

/// With the letters before that are in common, if they are in no token yet.
#[inline(always)]
fn extended(text: &[u8], done: usize, found: Match) -> Match {
    let Match {
        from,
        length,
        distance,
    } = found;
    let new = word(text, from.wrapping_sub(8));
    let old = word(text, (from - distance).wrapping_sub(8));
    let before = match (new, old) {
        (Some(new), Some(old)) => ((new ^ old).leading_zeros() / 8) as usize,
        _ => 0,
    };
    let more = before.min(from - done).min(STRIDE);
    Match {
        from: from - more,
        length: length + more,
        distance,
    }
}
