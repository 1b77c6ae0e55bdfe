//! Qualities, for `Level::Small`: how a text's are searched; and the usual way, for runs, what occurred before, and pairs of letters.
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

/// What qualities are searched for at this level.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// Runs alone, as at `Level::Fast`.
    Runs,
    /// All that occurred before, at every place that is in no match.
    Lazy,
    /// Runs and what occurred before, 64 places at once.
    Mixed,
}

/// What some lines of qualities of a text are like.
#[derive(Default)]
pub(crate) struct Sample {
    lines: usize,
    letters: usize,
    /// Those that equal the one before.
    repeats: usize,
    /// A bit for each value.
    values: u128,
}

impl Sample {
    /// What is best for a text, as far as is known with this line.
    pub(crate) fn search(&mut self, line: &[u8]) -> Search {
        /// The first lines are counted, and one in so many of the others.
        const FIRST: usize = 8;
        const EACH: usize = 32;
        if self.lines < FIRST || self.lines.is_multiple_of(EACH) {
            self.letters += line.len();
            let pairs = line.iter().zip(line.get(1..).unwrap_or(&[]));
            self.repeats += pairs.filter(|(one, next)| one == next).count();
            let bits = line.iter().map(|letter| 1 << (letter & 127));
            self.values |= bits.fold(0, |all, bit: u128| all | bit);
        }
        self.lines += 1;
        match self.values.count_ones() {
            // Binned, as those of a HiSeq X: between runs, the letters of a match take no more bits than it does. With four values,
            // matches are longer; with many, letters are.
            6..=8 => Search::Runs,
            // Jumps over runs, where that at each place looks into them.
            _ if 4 * self.repeats > 3 * self.letters => Search::Lazy,
            _ => Search::Mixed,
        }
    }
}

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
        // Taken out while it is read: 1.06 times the speed of a loop over a reference to it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_depends_on_all_lines_that_count() {
        let few = b"FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:";
        let many = b"FFFFFFFFFFFFFFFFFFF:FFFFFFFFFFFFFFFFFFF:";
        assert_eq!(Sample::default().search(few), Search::Mixed);
        assert_eq!(Sample::default().search(many), Search::Lazy);
        let mut sample = Sample::default();
        assert_eq!(sample.search(few), Search::Mixed);
        assert_eq!(sample.search(many), Search::Mixed);
        assert!((0..30).all(|_| sample.search(few) == Search::Mixed));
        assert!((0..300).any(|_| sample.search(many) == Search::Lazy));
        // Eight values, and then ten.
        assert!((0..300).any(|_| sample.search(b"#(-27<FF") == Search::Runs));
        assert!((0..300).any(|_| sample.search(b"AKFFFFFFFFFFFFFFFFFF") == Search::Lazy));
        for values in 1..12 {
            let line: Vec<u8> = (0..80).map(|i| b'#' + i % values).collect();
            let runs = Sample::default().search(&line) == Search::Runs;
            assert_eq!(runs, (6..=8).contains(&values), "{values} values");
        }
    }
}
