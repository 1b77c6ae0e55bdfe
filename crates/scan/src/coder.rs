//! Letters on their way into a prefix code, 64 at a time: runs left out, and words joined.
//!
//! ```text
//! condense   FFFFF:FF,,:     ->  F, [4 times the same], :FF,,:     letters and names of runs
//! join       F [4] : F F     ->  eight words in 64 bits, and how many bits these are
//! ```
//! No question is asked for a letter: runs are found, named and put between the letters by masks, and words are looked
//! up in registers. This takes a [`ValueCounter`] and VBMI2 (Ice Lake, Zen 4 and later); where there is none, there is no
//! [`Coder`], and an encoder goes its own way.

#[cfg(target_arch = "x86_64")]
mod condense;
#[cfg(target_arch = "x86_64")]
mod join;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

use crate::values::ValueCounter;

/// The lowest letter that [`Coder::condense`] takes: quality 0.
pub const LOWEST: u8 = b'!';
/// Letters that it takes, from [`LOWEST`] on: qualities 0 to 63.
pub const LETTERS: usize = 64;
/// The longest run that has a name.
pub const LONGEST_RUN: usize = 258;
/// The shortest.
pub const SHORTEST_RUN: usize = 3;
/// Values of what is kept that may stand for letters and first names of runs.
pub const NEAR: usize = 128;
/// Values from [`NEAR`] on that may be second names of runs.
pub const FAR: usize = 64;
/// Bits that a [`Sink`] takes at a time.
const TOGETHER: u16 = 56;
/// Bits of the longest word of [`Words`]: four are written together.
pub const LONGEST_WORD: u16 = 14;

/// What a run is called, by its length less [`SHORTEST_RUN`]: two values.
pub struct RunNames {
    /// Below [`NEAR`].
    pub first: [u8; 256],
    /// From [`NEAR`] on, below [`NEAR`] + [`FAR`].
    pub second: [u8; 256],
}

/// The word of each value that may be kept: its low byte, its high byte and how many bits it has.
pub struct Words {
    low: [u8; NEAR + FAR],
    high: [u8; NEAR + FAR],
    count: [u8; NEAR + FAR],
}

impl Words {
    /// Of no bits each.
    pub fn new() -> Self {
        Words {
            low: [0; NEAR + FAR],
            high: [0; NEAR + FAR],
            count: [0; NEAR + FAR],
        }
    }

    /// The word of `value`: the `count` lowest of `bits`, those above are 0.
    pub fn set(&mut self, value: usize, bits: u16, count: u16) {
        debug_assert!(count <= LONGEST_WORD && bits >> count == 0);
        [self.low[value], self.high[value]] = bits.to_le_bytes();
        self.count[value] = count as u8;
    }
}

impl Default for Words {
    fn default() -> Self {
        Self::new()
    }
}

/// The words of A, C, G and T, by the lowest four bits of the letter: each of at most [`BaseWords::LONGEST`] bits.
#[derive(Clone, Copy, Default)]
pub struct BaseWords {
    bits: [u8; 16],
    count: [u8; 16],
    /// None is longer than [`BaseWords::SHORT`].
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for vector kernels")
    )]
    are_short: bool,
}

impl BaseWords {
    /// Bits of the longest word.
    pub const LONGEST: u16 = 6;
    /// Any sixteen words that are no longer than this are written together.
    const SHORT: u16 = TOGETHER / 16;

    /// `None` if a word is too long. In the order of A, C, G, T: bits and how many these are.
    pub fn new(words: [(u16, u16); 4]) -> Option<Self> {
        let mut all = BaseWords {
            are_short: words.iter().all(|&(_, count)| count <= Self::SHORT),
            ..BaseWords::default()
        };
        for (letter, (bits, count)) in b"ACGT".iter().zip(words) {
            if count > Self::LONGEST {
                return None;
            }
            let place = usize::from(letter & 15);
            (all.bits[place], all.count[place]) = (bits as u8, count as u8);
        }
        Some(all)
    }
}

/// Takes words.
pub trait Sink {
    /// Some words together: their bits, the first word lowest, and how many these are, at most 56; those above are 0.
    fn write(&mut self, bits: u64, count: u32);
}

/// Shows that this machine can do what its methods do.
#[derive(Clone, Copy, Debug)]
pub struct Coder(ValueCounter);

impl Coder {
    /// Such a machine has this, too.
    pub fn value_counter(self) -> ValueCounter {
        self.0
    }
}

#[cfg(target_arch = "x86_64")]
impl Coder {
    /// A coder, if this machine can have one.
    pub fn new() -> Option<Self> {
        let counter = ValueCounter::new()?;
        is_x86_feature_detected!("avx512vbmi2").then_some(Coder(counter))
    }

    /// Append what `line` consists of behind its first letter, which is that before the line: letters less [`LOWEST`], and
    /// between them two names for each run. `false` if there are other letters than [`LETTERS`] of them, and then `out` is
    /// as it was.
    ///
    /// Letters that equal the one before are runs where there are [`SHORTEST_RUN`] of them or more; runs are as long as can
    /// be, up to [`LONGEST_RUN`].
    #[inline]
    pub fn condense(self, line: &[u8], names: &RunNames, out: &mut Vec<u8>) -> bool {
        // SAFETY: a coder was made after all features were found that the function enables.
        unsafe { condense::condense(line, names, out) }
    }

    /// Give the words of `kept` to a sink, some together. It is given back: what it counts stays in registers meanwhile.
    #[inline]
    pub fn join<S: Sink>(self, kept: &[u8], words: &Words, sink: S) -> S {
        // SAFETY: as above.
        unsafe { join::join(kept, words, sink) }
    }

    /// The same for letters that are all A, C, G or T.
    #[inline]
    pub fn join_bases<S: Sink>(self, bases: &[u8], words: &BaseWords, sink: S) -> S {
        // SAFETY: as above.
        unsafe { join::join_bases(bases, words, sink) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Coder {
    /// No coder: there is none for this machine.
    pub fn new() -> Option<Self> {
        None
    }

    /// Never called.
    pub fn condense(self, _: &[u8], _: &RunNames, _: &mut Vec<u8>) -> bool {
        match self.0.0 {}
    }

    /// Never called.
    pub fn join<S: Sink>(self, _: &[u8], _: &Words, _: S) -> S {
        match self.0.0 {}
    }

    /// Never called.
    pub fn join_bases<S: Sink>(self, _: &[u8], _: &BaseWords, _: S) -> S {
        match self.0.0 {}
    }
}
