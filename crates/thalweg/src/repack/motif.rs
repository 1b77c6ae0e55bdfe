//! Motifs in sequences, with mismatches.
//!
//! The search is Shift-And (Baeza-Yates and Gonnet, 1992; with mismatches Wu and Manber, 1992). Bit i of a state says
//! that the letters so far end with the first i + 1 letters of the motif. Of each number of mismatches there is a state:
//!
//! ```text
//! for each letter c:
//!     next[0] = ((state[0] << 1) | starts) & mask[c]
//!     next[j] = ((state[j] << 1) | starts) & mask[c]      this letter matches
//!             | ((state[j - 1] << 1) | starts)            or is one more mismatch
//!     found if next[most] & ends
//! ```
//!
//! Several motifs, such as both strands, stand behind one another in a word as long as they fit. What is shifted out of one
//! falls on the first bit of the next, which `starts` sets anyway.

use std::fmt;

use thalweg_reads::Record;

/// The longest motif, as a state is a word.
const MOST_LETTERS: usize = 64;

/// As many states as there are mismatches, and one more, stay in registers.
const MOST_MISMATCHES: usize = 8;

/// Sequences that are wanted where they occur.
#[derive(Clone, Debug)]
pub struct Motif {
    words: Vec<Word>,
    mismatches: usize,
}

/// Motifs that share a word.
#[derive(Clone)]
struct Word {
    /// Of each byte, the places of the motif that it matches.
    masks: [u64; 256],
    starts: u64,
    ends: u64,
    /// Bits that are taken.
    length: usize,
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Word")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

/// Why a motif cannot be looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MotifError {
    /// It has no letters.
    Empty,
    /// A letter is none of IUPAC's for bases.
    Letter {
        /// Which.
        letter: u8,
    },
    /// It is too long.
    TooLong {
        /// How long it is.
        letters: usize,
    },
    /// There may be too many mismatches.
    TooManyMismatches {
        /// How many were asked for.
        mismatches: usize,
    },
    /// Whatever is as long would match.
    Everywhere {
        /// How many were asked for.
        mismatches: usize,
        /// Letters that are not N.
        specific: usize,
    },
}

impl fmt::Display for MotifError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the motif is empty"),
            Self::Letter { letter } => write!(
                f,
                "'{}' in the motif is not an IUPAC base (A, C, G, T, U, R, Y, S, W, K, M, B, D, H, V or N)",
                letter.escape_ascii()
            ),
            Self::TooLong { letters } => {
                write!(
                    f,
                    "the motif has {letters} letters, of {MOST_LETTERS} at most"
                )
            }
            Self::TooManyMismatches { mismatches } => {
                write!(f, "{mismatches} mismatches, of {MOST_MISMATCHES} at most")
            }
            Self::Everywhere {
                mismatches,
                specific,
            } => write!(
                f,
                "with {mismatches} mismatches the motif matches everywhere: it has {specific} letters that are not N"
            ),
        }
    }
}

impl std::error::Error for MotifError {}

impl Motif {
    /// A motif of letters of IUPAC, upper or lower case, that may differ in up to `mismatches` letters (no insertions).
    /// With `both_strands` its reverse complement is looked for, too.
    ///
    /// A letter of a read matches one that stands for all bases that it stands for: an N of the motif matches every letter of
    /// IUPAC, an N of a read only that. U is T. Case makes no difference. Any other byte is a mismatch.
    ///
    /// # Errors
    /// [`MotifError`].
    pub fn new(motif: &[u8], mismatches: usize, both_strands: bool) -> Result<Self, MotifError> {
        let bases = motif.iter().map(|&letter| match bases(letter) {
            0 => Err(MotifError::Letter { letter }),
            bases => Ok(bases),
        });
        let forward = bases.collect::<Result<Vec<u8>, _>>()?;
        if forward.is_empty() {
            return Err(MotifError::Empty);
        }
        if forward.len() > MOST_LETTERS {
            let letters = forward.len();
            return Err(MotifError::TooLong { letters });
        }
        if mismatches > MOST_MISMATCHES {
            return Err(MotifError::TooManyMismatches { mismatches });
        }
        let specific = forward.iter().filter(|&&bases| bases != ANY).count();
        if mismatches > 0 && mismatches >= specific {
            return Err(MotifError::Everywhere {
                mismatches,
                specific,
            });
        }
        let mut motif = Self {
            words: Vec::new(),
            mismatches,
        };
        motif.add(&forward);
        if both_strands {
            let reverse: Vec<u8> = forward
                .iter()
                .rev()
                .map(|&bases| complement(bases))
                .collect();
            if reverse != forward {
                motif.add(&reverse);
            }
        }
        Ok(motif)
    }

    /// Whether it is in the sequence of a record. Linear in its letters, whatever the motif.
    #[inline]
    pub fn is_in(&self, record: &Record<'_>) -> bool {
        self.is_in_lines(|| record.sequence_lines())
    }

    /// The same of a sequence on several lines.
    fn is_in_lines<'a, L: Iterator<Item = &'a [u8]>>(&self, lines: impl Fn() -> L) -> bool {
        self.words.iter().any(|word| {
            let lines = lines();
            match self.mismatches {
                0 => word.is_in::<1>(lines),
                1 => word.is_in::<2>(lines),
                2 => word.is_in::<3>(lines),
                3 => word.is_in::<4>(lines),
                4 => word.is_in::<5>(lines),
                5 => word.is_in::<6>(lines),
                6 => word.is_in::<7>(lines),
                7 => word.is_in::<8>(lines),
                _ => word.is_in::<9>(lines),
            }
        })
    }

    fn add(&mut self, bases: &[u8]) {
        match self.words.last_mut() {
            Some(word) if word.length + bases.len() <= MOST_LETTERS => word.add(bases),
            _ => {
                let mut word = Word {
                    masks: [0; 256],
                    starts: 0,
                    ends: 0,
                    length: 0,
                };
                word.add(bases);
                self.words.push(word);
            }
        }
    }
}

impl Word {
    fn add(&mut self, motif: &[u8]) {
        self.starts |= 1 << self.length;
        for &wanted in motif {
            let bit = 1 << self.length;
            for (letter, mask) in (0..=u8::MAX).zip(&mut self.masks) {
                let found = bases(letter);
                if found != 0 && found & !wanted == 0 {
                    *mask |= bit;
                }
            }
            self.length += 1;
        }
        self.ends |= 1 << (self.length - 1);
    }

    fn is_in<'a, const STATES: usize>(&self, lines: impl Iterator<Item = &'a [u8]>) -> bool {
        let mut states = [0_u64; STATES];
        for line in lines {
            for &letter in line {
                let mask = self.masks[usize::from(letter)];
                let mut fewer = 0;
                for state in &mut states {
                    let next = (*state << 1) | self.starts;
                    *state = (next & mask) | fewer;
                    fewer = next;
                }
                if states[STATES - 1] & self.ends != 0 {
                    return true;
                }
            }
        }
        false
    }
}

const ANY: u8 = 0b1111;

/// The bases that a letter stands for: A is bit 0, C 1, G 2, T 3. None of what is no letter of a base.
fn bases(letter: u8) -> u8 {
    match letter.to_ascii_uppercase() {
        b'A' => 0b0001,
        b'C' => 0b0010,
        b'G' => 0b0100,
        b'T' | b'U' => 0b1000,
        b'R' => 0b0101,
        b'Y' => 0b1010,
        b'S' => 0b0110,
        b'W' => 0b1001,
        b'K' => 0b1100,
        b'M' => 0b0011,
        b'B' => 0b1110,
        b'D' => 0b1101,
        b'H' => 0b1011,
        b'V' => 0b0111,
        b'N' => ANY,
        _ => 0,
    }
}

/// The bases opposite: bits 0 to 3 in the other order.
fn complement(bases: u8) -> u8 {
    bases.reverse_bits() >> 4
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By the letters that stand for each, one window after the other.
    fn slow(sequence: &[u8], motif: &[u8], mismatches: usize) -> bool {
        let stands_for = |letter: u8| match letter.to_ascii_uppercase() {
            b'A' => "A",
            b'C' => "C",
            b'G' => "G",
            b'T' | b'U' => "T",
            b'R' => "AG",
            b'Y' => "CT",
            b'S' => "CG",
            b'W' => "AT",
            b'K' => "GT",
            b'M' => "AC",
            b'B' => "CGT",
            b'D' => "AGT",
            b'H' => "ACT",
            b'V' => "ACG",
            b'N' => "ACGT",
            _ => "",
        };
        sequence.windows(motif.len()).any(|window| {
            let differ = |(&read, &wanted): (&u8, &u8)| {
                let read = stands_for(read);
                let wanted = stands_for(wanted);
                read.is_empty() || !read.chars().all(|base| wanted.contains(base))
            };
            window
                .iter()
                .zip(motif)
                .filter(|&pair| differ(pair))
                .count()
                <= mismatches
        })
    }

    fn turned(motif: &[u8]) -> Vec<u8> {
        let opposite = |&letter: &u8| {
            let at = b"ACGTURYSWKMBDHVN"
                .iter()
                .position(|&other| other == letter);
            b"TGCAAYRSWMKVHDBN"[at.unwrap()]
        };
        motif.iter().rev().map(opposite).collect()
    }

    fn letters(of: &'static [u8], size: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(of), size)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn it_is_found_where_windows_tell(
            sequence in letters(b"ACGTACGTACGTNacgtRU.-", 0..200),
            motif in letters(b"ACGTACGTACGTURYSWKMBDHVN", 1..65),
            part in any::<prop::sample::Index>(),
            from_sequence in any::<bool>(),
            mismatches in 0..9_usize,
            both in any::<bool>(),
            at in any::<prop::sample::Index>(),
        ) {
            // Long motifs would never be found by chance.
            let motif = match (from_sequence, &sequence[..]) {
                (true, [_, ..]) => {
                    let start = part.index(sequence.len());
                    let end = sequence.len().min(start + motif.len());
                    let copied = sequence[start..end].to_ascii_uppercase();
                    let no_letter = |&byte: &u8| bases(byte) != 0;
                    copied.into_iter().filter(no_letter).collect()
                }
                _ => motif,
            };
            let Ok(known) = Motif::new(&motif, mismatches, both) else {
                return Ok(());
            };
            let wanted = slow(&sequence, &motif, mismatches)
                || both && slow(&sequence, &turned(&motif), mismatches);
            prop_assert_eq!(known.is_in_lines(|| [&sequence[..]].into_iter()), wanted);
            // On several lines.
            let (one, two) = sequence.split_at(at.index(sequence.len() + 1));
            prop_assert_eq!(known.is_in_lines(|| [one, &[], two].into_iter()), wanted);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let new = |motif: &str, mismatches| Motif::new(motif.as_bytes(), mismatches, true).err();
        assert_eq!(new("", 0), Some(MotifError::Empty));
        assert_eq!(new("ACGX", 0), Some(MotifError::Letter { letter: b'X' }));
        assert_eq!(
            new(&"A".repeat(65), 0),
            Some(MotifError::TooLong { letters: 65 })
        );
        assert_eq!(
            new(&"A".repeat(64), 9),
            Some(MotifError::TooManyMismatches { mismatches: 9 })
        );
        let everywhere = |mismatches, specific| {
            Some(MotifError::Everywhere {
                mismatches,
                specific,
            })
        };
        assert_eq!(new("ACG", 3), everywhere(3, 3));
        assert_eq!(new("NNACNN", 2), everywhere(2, 2));
        assert_eq!(new("NNACNN", 1), None);
        assert_eq!(new("NNN", 0), None);
        assert_eq!(new(&"a".repeat(64), 8), None);
    }
}
