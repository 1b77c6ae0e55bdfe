//! Letters that are no bases: which there were, and how many.

use crate::encode::Encoded;
use crate::kmer::INVALID;

/// How many letters of each kind are no bases, so that no k-mer with one of them was counted.
///
/// Upper and lower case are one kind. A letter counts once, however many k-mers it is in, and also in sequences that are
/// shorter than k.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherLetters {
    /// By byte; there is none until the first.
    counts: Option<Box<[u64; 256]>>,
}

impl OtherLetters {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// Each letter, in upper case, and its number, the most frequent first.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u64)> {
        let counts = self.counts.iter().flat_map(|counts| counts.iter());
        let mut all: Vec<(u8, u64)> = (0..=u8::MAX)
            .zip(counts.copied())
            .filter(|(_, count)| *count > 0)
            .collect();
        all.sort_by_key(|&(letter, count)| (std::cmp::Reverse(count), letter));
        all.into_iter()
    }

    /// Notes those of `letters`, which `encoded` was made of; the first `known` were noted before.
    #[inline(always)]
    pub fn note(&mut self, encoded: &Encoded, letters: &[u8], known: usize) {
        if encoded.has_other_letters() {
            self.note_some(encoded, letters, known);
        }
    }

    #[cold]
    fn note_some(&mut self, encoded: &Encoded, letters: &[u8], known: usize) {
        let codes = encoded.alphabet.codes();
        let counts = self.counts.get_or_insert_with(|| Box::new([0; 256]));
        // Bases of low quality are among them.
        for place in encoded.invalid_places(known) {
            let letter = letters[place];
            if codes[usize::from(letter)] == INVALID {
                counts[usize::from(letter.to_ascii_uppercase())] += 1;
            }
        }
    }

    /// Adds `number` of a letter.
    pub fn add(&mut self, letter: u8, number: u64) {
        if number > 0 {
            let counts = self.counts.get_or_insert_with(|| Box::new([0; 256]));
            let count = &mut counts[usize::from(letter.to_ascii_uppercase())];
            *count = count.saturating_add(number);
        }
    }

    /// Adds those of another worker.
    pub fn merge(&mut self, other: &Self) {
        let Some(others) = &other.counts else {
            return;
        };
        let counts = self.counts.get_or_insert_with(|| Box::new([0; 256]));
        for (count, more) in counts.iter_mut().zip(others.iter()) {
            *count = count.saturating_add(*more);
        }
    }
}
