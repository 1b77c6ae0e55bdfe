//! A line of qualities in units: the list of them, and how far the line is parsed.

use crate::{
    matches::common,
    symbols::LONGEST,
    tokens::unit_token,
    units::{self, RUNS},
};

/// Shorter repeats are no match in DEFLATE.
pub(crate) const LEAST: usize = 3;

/// What a list of units consists of.
pub(crate) trait Entry: Copy {
    fn of(unit: u16) -> Self;
}

/// Nothing but units.
impl Entry for u16 {
    #[inline(always)]
    fn of(unit: u16) -> Self {
        unit
    }
}

/// Tokens, some of which are units.
impl Entry for u32 {
    #[inline(always)]
    fn of(unit: u16) -> Self {
        unit_token(unit)
    }
}

pub(crate) struct Line<'a, E> {
    pub(crate) text: &'a [u8],
    /// The first byte that is in no entry yet.
    pub(crate) done: usize,
    /// Whether the letters may be in pairs.
    pub(crate) are_paired: bool,
    pub(crate) used: usize,
    pub(crate) list: &'a mut [E; 1 << 16],
}

impl<E: Entry> Line<'_, E> {
    #[inline(always)]
    pub(crate) fn push(&mut self, entry: E) {
        self.list[self.used] = entry;
        self.used += 1;
    }

    /// Literals up to `end`.
    #[inline(always)]
    pub(crate) fn literals(&mut self, end: usize) {
        if !self.are_paired {
            for &letter in &self.text[self.done..end] {
                self.list[self.used] = E::of(letter.into());
                self.used += 1;
            }
            self.done = end;
            return;
        }
        loop {
            // How many of the sixteen count is not asked, not even whether any: nobody can
            // foretell it.
            let words = match self.text[self.done..].first_chunk::<16>() {
                Some(letters) => words(letters),
                None => words(&last(self.text, self.done)),
            };
            let count = (end - self.done).min(16);
            let room: &mut [E; 8] = self.list[self.used..].first_chunk_mut().expect("room");
            room[..4].copy_from_slice(&units::pairs(words[0]).map(E::of));
            room[4..].copy_from_slice(&units::pairs(words[1]).map(E::of));
            // Overwritten if it is no odd one.
            self.list[self.used + count / 2] = E::of(self.text[self.done + count - 1].into());
            self.used += count.div_ceil(2);
            self.done += count;
            if self.done == end {
                return;
            }
        }
    }

    /// So many times the letter before, at most [`LONGEST`].
    #[inline(always)]
    pub(crate) fn run(&mut self, length: usize) {
        self.push(E::of((RUNS + length - LEAST) as u16));
        self.done += length;
    }

    /// All of the run from here on; where it ends.
    pub(crate) fn long_run(&mut self, end: usize) -> usize {
        loop {
            let length = common(&self.text[..end], self.done - 1, self.done);
            if length < LEAST {
                return self.done;
            }
            self.run(length);
            if length < LONGEST {
                return self.done;
            }
        }
    }
}

#[inline(always)]
fn words(bytes: &[u8; 16]) -> [u64; 2] {
    [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes")))
}

/// What is left of the text, less than sixteen bytes, with zeros above.
#[cold]
fn last(text: &[u8], at: usize) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..text.len() - at].copy_from_slice(&text[at..]);
    bytes
}
