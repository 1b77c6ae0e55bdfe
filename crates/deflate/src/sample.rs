//! How the qualities of a text are searched at `Level::Small`, by what some of its lines are like.

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
