//! All published adapters looked for in a read at once.
//!
//! Where an adapter is found, at most one of each 16 bases compared differs. So of `n` mismatches that are allowed
//! and `n + 1` words of eight bases, side by side from the adapter's beginning, one word is whole: they fit, as
//! `8 (n + 1) <= 16 n` of the bases compared, or as the first word if none is allowed. The words of a read are looked
//! up, and adapters compared only where one of theirs occurs.

use super::fastp_adapters::Adapter;

/// Bases of a published adapter that a read must have, and one more.
const REQUIRED: usize = 8;

/// One mismatch is allowed for so many bases.
const BASES_PER_MISMATCH: usize = 16;

/// Bases of a word.
const WORD: usize = 8;

/// Bases by their code: bits 1 and 2 of their letters.
const BASES: [u8; 4] = *b"ACTG";

/// An adapter and where in it a word begins.
type Place = (usize, usize);

/// The words of all published adapters.
pub(super) struct KnownSearch<'a> {
    adapters: &'a [Adapter],
    /// For each word, which of `places` it has.
    numbers: Vec<u16>,
    /// Of words that no adapter has, then of each that one has.
    places: Vec<Vec<Place>>,
}

/// Where an adapter was found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    position: usize,
    pub(super) mismatches: usize,
}

impl<'a> KnownSearch<'a> {
    pub(super) fn new(adapters: &'a [Adapter]) -> Self {
        let mut search = Self {
            adapters,
            numbers: vec![0; 1 << (2 * WORD)],
            places: vec![Vec::new()],
        };
        for (adapter, (sequence, _)) in adapters.iter().enumerate() {
            let words = 1 + sequence.len() / BASES_PER_MISMATCH;
            for (number, letters) in sequence.chunks_exact(WORD).take(words).enumerate() {
                let word = letters.iter().fold(0, |word, &base| append(word, base));
                if search.numbers[word] == 0 {
                    search.numbers[word] = search.places.len() as u16;
                    search.places.push(Vec::new());
                }
                let places = &mut search.places[usize::from(search.numbers[word])];
                places.push((adapter, number * WORD));
            }
        }
        search
    }

    /// Room for what is found.
    pub(super) fn nothing(&self) -> Vec<Option<Found>> {
        vec![None; self.adapters.len()]
    }

    /// For each adapter, the first place at which the read has it.
    ///
    /// Some three instructions for each base, and an adapter's length for each of its words that occurs.
    pub(super) fn find(&self, read: &[u8], found: &mut [Option<Found>]) {
        found.fill(None);
        let (mut word, mut bases) = (0, 0);
        for (end, &base) in (1..).zip(read) {
            word = append(word, base);
            bases = if base == BASES[code(base)] {
                bases + 1
            } else {
                0
            };
            let number = self.numbers[word];
            if number == 0 || bases < WORD {
                continue;
            }
            for &(adapter, offset) in &self.places[usize::from(number)] {
                let Some(position) = (end - WORD).checked_sub(offset) else {
                    continue;
                };
                let is_first = found[adapter].is_none_or(|other| position < other.position);
                if is_first
                    && let Some(mismatches) = compare(self.adapters[adapter].0, read, position)
                {
                    found[adapter] = Some(Found {
                        position,
                        mismatches,
                    });
                }
            }
        }
    }
}

fn code(base: u8) -> usize {
    usize::from(base >> 1 & 3)
}

/// The word that ends in `base`.
fn append(word: usize, base: u8) -> usize {
    (word << 2 | code(base)) & ((1 << (2 * WORD)) - 1)
}

/// Mismatches of an adapter at a place of a read, if it has it there.
fn compare(adapter: &[u8], read: &[u8], position: usize) -> Option<usize> {
    let rest = &read[position..];
    if rest.len() <= REQUIRED {
        return None;
    }
    let allowed = rest.len().min(adapter.len()) / BASES_PER_MISMATCH;
    let mut mismatches = 0;
    for (a, b) in adapter.iter().zip(rest) {
        mismatches += usize::from(a != b);
        if mismatches > allowed {
            return None;
        }
    }
    Some(mismatches)
}

#[cfg(test)]
mod tests {
    use super::super::fastp_adapters::known_to;
    use super::super::known_adapters::KNOWN;
    use super::*;
    use crate::FastpVersion;

    #[test]
    fn words_miss_nothing() {
        miss_nothing(&KNOWN);
        miss_nothing(&known_to(FastpVersion::V1_3));
    }

    fn miss_nothing(adapters: &[Adapter]) {
        let search = KnownSearch::new(adapters);
        let mut found = search.nothing();
        let mut state = 5u64;
        let mut step = |below: usize| {
            state = (state.wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut hits = [0; 9];
        for round in 0..20_000 {
            let mut read: Vec<u8> = (0..step(60)).map(|_| BASES[step(4)]).collect();
            // One adapter or two, whole or cut, with some letters changed, also to none of a base.
            for _ in 0..1 + round % 2 {
                let adapter = adapters[step(adapters.len())].0;
                let end = if step(3) == 0 {
                    adapter.len()
                } else {
                    1 + step(adapter.len())
                };
                read.extend(&adapter[..end]);
            }
            for _ in 0..step(5) {
                let at = step(read.len());
                read[at] = b"ACGTNacgt"[step(9)];
            }
            search.find(&read, &mut found);
            for ((adapter, _), found) in adapters.iter().zip(&found) {
                let found = found.map(|found| found.mismatches);
                let expected = (0..read.len()).find_map(|at| compare(adapter, &read, at));
                assert_eq!(found, expected, "{}", String::from_utf8_lossy(&read));
                hits[expected.map_or(8, |mismatches| mismatches)] += 1;
            }
        }
        let seen = [hits[0], hits[1], hits[2], hits[8]];
        assert!(seen.iter().all(|&number| number > 500), "{hits:?}");
    }
}
