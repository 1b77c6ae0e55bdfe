//! Bases in two bits each, that more can be appended to, and how far they equal others.

use crate::{count::record::word_at, kmer::reverse_pairs};

/// Bases that a word which begins at any base holds at least: seven bytes of them.
const STEP: usize = 28;

/// Words before the first base, and behind the last one: those of the longest record and one more may be read there.
const BEFORE: usize = 1;
const BEHIND: usize = 18;

/// Bases, the first of them at [`Text::FIRST`]. What is before and behind them are zeroes.
#[derive(Debug)]
pub(crate) struct Text {
    words: Vec<u64>,
    end: usize,
}

impl Text {
    /// Where the first base is: a whole word before it may be read.
    pub(crate) const FIRST: usize = 32 * BEFORE;

    /// No bases, and room for so many.
    pub(super) fn with_room(bases: usize) -> Self {
        let mut words = Vec::with_capacity(bases.div_ceil(32) + BEFORE + BEHIND);
        words.resize(BEFORE + BEHIND, 0);
        Self {
            words,
            end: Self::FIRST,
        }
    }

    /// The place behind the last base.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// The words: base `i` lies in bits `2 (i % 32)` of word `i / 32`.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Appends bases, of which there must be room for a few words.
    pub(super) fn push(&mut self, bases: Bases) {
        let end = self.end + bases.len();
        self.words.resize(end.div_ceil(32) + BEHIND, 0);
        for (some, bases) in bases.steps() {
            let (word, shift) = (self.end / 32, 2 * (self.end % 32));
            self.words[word] |= bases << shift;
            // Two shifts, as one by 64 is not one by zero.
            self.words[word + 1] |= bases >> 1 >> (63 - shift);
            self.end += some;
        }
    }

    /// Whether the last bases are these.
    pub(super) fn ends_with(&self, bases: Bases) -> bool {
        let mut at = self.end - bases.len();
        bases.steps().all(|(some, bases)| {
            let here = bases_at(&self.words, at) & (1 << (2 * some)) - 1;
            at += some;
            here == bases
        })
    }

    /// How many bases from `place` of `packed` on, up to `end` there, equal those from `at` on here.
    #[inline(always)]
    pub(super) fn equal_from(&self, at: usize, packed: &[u64], place: usize, end: usize) -> usize {
        let limit = (end - place).min(self.end - at);
        let mut equal = 0;
        while equal < limit {
            let differ = bases_at(&self.words, at + equal) ^ bases_at(packed, place + equal);
            // Eight bits may be of no base.
            let differ = differ << 8;
            if differ != 0 {
                return limit.min(equal + (differ.trailing_zeros() as usize - 8) / 2);
            }
            equal += STEP;
        }
        limit
    }

    /// How many bases before `place` of `packed`, from `start` there on, equal those before `at` here.
    #[inline(always)]
    pub(super) fn equal_before(
        &self,
        at: usize,
        packed: &[u64],
        place: usize,
        start: usize,
    ) -> usize {
        let limit = (place - start).min(at - Self::FIRST);
        let mut equal = 0;
        while equal < limit {
            let differ =
                bases_before(&self.words, at - equal) ^ bases_before(packed, place - equal);
            if differ != 0 {
                return limit.min(equal + differ.leading_zeros() as usize / 2);
            }
            equal += STEP;
        }
        limit
    }
}

/// Some bases of words, on either strand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bases<'a> {
    pub(super) words: &'a [u64],
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it is their reverse complement.
    pub(super) is_reverse: bool,
}

impl<'a> Bases<'a> {
    /// Bases `start..end` as they are.
    pub(super) fn new(words: &'a [u64], start: usize, end: usize) -> Self {
        Self {
            words,
            start,
            end,
            is_reverse: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    /// The first `number` of them, on their strand.
    pub(super) fn first(self, number: usize) -> Self {
        match self.is_reverse {
            false => Self {
                end: self.start + number,
                ..self
            },
            true => Self {
                start: self.end - number,
                ..self
            },
        }
    }

    /// All but the first `number` of them.
    pub(super) fn without(self, number: usize) -> Self {
        match self.is_reverse {
            false => Self {
                start: self.start + number,
                ..self
            },
            true => Self {
                end: self.end - number,
                ..self
            },
        }
    }

    /// Up to [`STEP`] of them at a time: how many, and they, the first in the lowest bits.
    pub(super) fn steps(self) -> impl Iterator<Item = (usize, u64)> {
        let len = self.len();
        (0..len).step_by(STEP).map(move |done| {
            let some = STEP.min(len - done);
            let bases = match self.is_reverse {
                false => bases_at(self.words, self.start + done) & (1 << (2 * some)) - 1,
                true => {
                    reverse_pairs(!bases_at(self.words, self.end - done - some)) >> (64 - 2 * some)
                }
            };
            (some, bases)
        })
    }
}

/// At least [`STEP`] bases from `base` on, the first in the lowest bits.
#[inline(always)]
pub(super) fn bases_at(words: &[u64], base: usize) -> u64 {
    word_at(words, base / 4) >> (2 * (base % 4))
}

/// The [`STEP`] bases before `base`, the last of them in the highest bits; where there are fewer, no bases are below them.
#[inline(always)]
fn bases_before(words: &[u64], base: usize) -> u64 {
    match base.checked_sub(STEP) {
        Some(start) => bases_at(words, start) << 8,
        None => bases_at(words, 0) << (8 + 2 * (STEP - base)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(words: &[u64], i: usize) -> u64 {
        words[i / 32] >> (2 * (i % 32)) & 3
    }

    fn random(words: usize) -> Vec<u64> {
        let mut state = 5u64;
        let mut word = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            state ^ state >> 29
        };
        (0..words).map(|_| word()).collect()
    }

    #[test]
    fn what_is_appended_is_there() {
        let packed = random(40);
        let mut text = Text::with_room(0);
        let mut expected = Vec::new();
        for i in 0..120 {
            let (start, number) = (i * 7 % 100, i * i % 301);
            text.push(Bases::new(&packed, start, start + number));
            expected.extend((start..start + number).map(|i| base(&packed, i)));
        }
        let bases = (Text::FIRST..text.end()).map(|i| base(text.words(), i));
        assert!(bases.eq(expected));
        let behind = (text.end()..32 * text.words().len()).map(|i| base(text.words(), i));
        assert!(behind.sum::<u64>() == 0 && text.words().len() >= text.end().div_ceil(32) + 17);
    }

    #[test]
    fn equal_bases_are_counted_both_ways() {
        let mut packed = random(24);
        for start in [0, 1, 5, 30, 32, 33, 61] {
            for number in [1, 27, 28, 29, 56, 57, 150, 300] {
                let mut text = Text::with_room(1000);
                text.push(Bases::new(&random(9)[4..], 3, 3 + start % 40));
                let first = text.end();
                text.push(Bases::new(&packed, start, start + number));
                for differing in [None, Some(0), Some(number / 2), Some(number - 1)] {
                    let flip = |packed: &mut Vec<u64>| {
                        if let Some(at) = differing.map(|at| start + at) {
                            packed[at / 32] ^= 2 << (2 * (at % 32));
                        }
                    };
                    flip(&mut packed);
                    for middle in [0, number / 3, number * 2 / 3, number] {
                        let behind =
                            differing.filter(|&at| at >= middle).unwrap_or(number) - middle;
                        let (at, place) = (first + middle, start + middle);
                        assert_eq!(text.equal_from(at, &packed, place, start + number), behind);
                        // No farther than either goes.
                        assert_eq!(
                            text.equal_from(at, &packed, place, place + behind / 2),
                            behind / 2
                        );
                        let before = match differing {
                            Some(at) if at < middle => middle - at - 1,
                            _ => middle,
                        };
                        assert_eq!(text.equal_before(at, &packed, place, start), before);
                        assert_eq!(
                            text.equal_before(at, &packed, place, place - before / 2),
                            before / 2
                        );
                    }
                    flip(&mut packed);
                }
            }
        }
    }
}
