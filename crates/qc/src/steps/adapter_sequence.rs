//! An adapter, known by its sequence, at the 3' end of a read.

use thalweg_scan::{OFFSETS, PROBE};

use super::gap::mismatches_with_insertion;
use super::iupac::{base, bases_of};
use super::probe::Probe;
use crate::{FastpVersion, Mode};

/// One mismatch is allowed for so many bases.
const BASES_PER_MISMATCH: usize = 8;

/// An adapter to search for.
#[derive(Clone, Debug)]
pub(crate) struct AdapterSequence {
    sequence: Vec<u8>,
    /// Whether some letters stand for several bases; never where fastp is followed, to
    /// which they are letters like others.
    is_ambiguous: bool,
    mode: Mode,
}

/// Where an adapter begins: in the read, or so many bases before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begin(pub(crate) isize);

impl AdapterSequence {
    pub(crate) fn new(sequence: &[u8], mode: Mode) -> Self {
        let is_base = |letter: &u8| matches!(letter, b'A' | b'C' | b'G' | b'T');
        let sequence = match mode {
            Mode::Correct => sequence.to_ascii_uppercase(),
            Mode::Fastp(_) => sequence.to_vec(),
        };
        AdapterSequence {
            is_ambiguous: mode.is_correct() && !sequence.iter().all(is_base),
            sequence,
            mode,
        }
    }

    pub(crate) fn sequence(&self) -> &[u8] {
        &self.sequence
    }

    /// Where the adapter begins in a read, of which it must cover more than `required`
    /// bases. `padded` is a buffer of the caller.
    pub(crate) fn find(&self, read: &[u8], required: usize, padded: &mut Vec<u8>) -> Option<Begin> {
        if self.sequence.len() < required {
            return None;
        }
        self.before(read, required)
            .or_else(|| self.inside(read, required, padded))
            .or_else(|| self.with_gap(read, required))
    }

    /// A long adapter may lack its first bases.
    fn before(&self, read: &[u8], required: usize) -> Option<Begin> {
        let most: usize = match self.sequence.len() {
            16.. => 4,
            12.. => 3,
            8.. => 2,
            _ => 0,
        };
        (1..=most).rev().find_map(|lacking| {
            if read.len() + lacking <= required {
                return None;
            }
            // As many letters are compared as there are behind the read's end, too.
            let compared = (read.len() + lacking).min(self.sequence.len());
            let allowed = compared / BASES_PER_MISMATCH;
            let adapter = self.sequence.get(lacking..compared)?;
            self.agrees(adapter, read, allowed)
                .then_some(Begin(-(lacking as isize)))
        })
    }

    fn inside(&self, read: &[u8], required: usize, padded: &mut Vec<u8>) -> Option<Begin> {
        let positions = read.len().saturating_sub(required);
        let mut from = 0;
        if let Some(letters) = self.sequence.first_chunk()
            && !self.is_ambiguous
        {
            padded.clear();
            padded.extend_from_slice(read);
            padded.resize(read.len() + OFFSETS + PROBE, 0);
            let probed = positions.min((read.len() + 1).saturating_sub(PROBE));
            let limit = self.sequence.len() / BASES_PER_MISMATCH;
            let probe = Probe::new(letters, limit);
            while from < probed {
                let found = probe.find(padded[from..].first_chunk()?, |lane| {
                    let position = from + lane;
                    let is_found = position < probed && self.is_at(read, position);
                    is_found.then_some(Begin(position as isize))
                });
                if found.is_some() {
                    return found;
                }
                from += OFFSETS;
            }
            from = probed;
        }
        (from..positions)
            .find(|&position| self.is_at(read, position))
            .map(|position| Begin(position as isize))
    }

    fn is_at(&self, read: &[u8], position: usize) -> bool {
        let rest = &read[position..];
        let compared = rest.len().min(self.sequence.len());
        let allowed = compared / BASES_PER_MISMATCH;
        self.agrees(&self.sequence, rest, allowed)
    }

    /// Whether a read agrees with (a part of) the adapter but for `allowed` places.
    fn agrees(&self, adapter: &[u8], read: &[u8], allowed: usize) -> bool {
        match self.is_ambiguous {
            false => differs_in_at_most(adapter, read, allowed, |a, b| a == b),
            true => differs_in_at_most(adapter, read, allowed, |letter, read| {
                bases_of(letter) & base(read) != 0
            }),
        }
    }

    /// One base too many in the read or in the adapter, as fastp 1.3 looks for it: it
    /// compares the adapter with the beginning of the read at every position, so the
    /// result depends on how many bases are compared and on nothing else.
    fn with_gap(&self, read: &[u8], required: usize) -> Option<Begin> {
        if self.mode != Mode::Fastp(FastpVersion::V1_3) {
            return None;
        }
        let search = |inserted: &[u8], normal: &[u8], less_read: usize, less_adapter: usize| {
            let positions = read.len().saturating_sub(required + less_read);
            let mut last = None;
            (0..positions).find(|&position| {
                let compared =
                    (read.len() - position - less_read).min(self.sequence.len() - less_adapter);
                // The same comparison has failed before.
                if last.replace(compared) == Some(compared) {
                    return false;
                }
                let Some(allowed) = (compared / BASES_PER_MISMATCH).checked_sub(1) else {
                    return false;
                };
                mismatches_with_insertion(inserted, normal, compared)
                    .is_some_and(|mismatches| mismatches <= allowed)
            })
        };
        search(read, &self.sequence, 1, 0)
            .or_else(|| search(&self.sequence, read, 0, 1))
            .map(|position| Begin(position as isize))
    }
}

/// Whether two sequences differ in at most `allowed` places, as far as both go.
#[inline]
fn differs_in_at_most(
    first: &[u8],
    second: &[u8],
    allowed: usize,
    is_same: impl Fn(u8, u8) -> bool,
) -> bool {
    let mut mismatches = 0;
    for (&a, &b) in first.iter().zip(second) {
        mismatches += usize::from(!is_same(a, b));
        if mismatches > allowed {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ambiguous_letters_stand_for_several_bases() {
        let find = |adapter: &[u8], read: &[u8], mode| {
            let adapter = AdapterSequence::new(adapter, mode);
            adapter.find(read, 4, &mut Vec::new()).map(|begin| begin.0)
        };
        let read = b"TTTTTTTTTTGATCAGCATTAGGC";
        assert_eq!(find(b"GANNRGCAWTAGGY", read, Mode::Correct), Some(10));
        assert_eq!(find(b"ganNRgcaWTAGGY", read, Mode::Correct), Some(10));
        assert_eq!(find(b"GANNYGCAWTAGRC", read, Mode::Correct), Some(10));
        assert_eq!(find(b"GANNYGCASTAGGC", read, Mode::Correct), None);
        let mode = Mode::Fastp(FastpVersion::V1_3);
        assert_eq!(find(b"GANNRGCAWTAGGY", read, mode), None);
    }

    /// Position by position, letter by letter.
    fn naive(adapter: &[u8], read: &[u8], required: usize) -> Option<isize> {
        if adapter.len() < required {
            return None;
        }
        let start = match adapter.len() {
            16.. => -4,
            12.. => -3,
            8.. => -2,
            _ => 0,
        };
        (start..read.len() as isize - required as isize).find(|&position| {
            let compared = (read.len() as isize - position).min(adapter.len() as isize);
            let mismatches = ((-position).max(0)..compared)
                .filter(|&at| adapter[at as usize] != read[(at + position) as usize])
                .count();
            mismatches <= compared as usize / 8
        })
    }

    proptest! {
        #[test]
        fn lanes_and_letters_agree(
            adapter in proptest::collection::vec(0u8..4, 4..40),
            read in proptest::collection::vec(0u8..4, 0..160),
            insert in prop_oneof![0usize..12, 0usize..160],
            shorter in prop_oneof![Just(usize::MAX), 0usize..8],
            errors in proptest::collection::vec(any::<usize>(), 0..5),
            required in 4usize..7,
        ) {
            let mut read = read;
            let length = read.len();
            read.truncate(insert);
            read.extend_from_slice(&adapter);
            read.truncate(length.max(insert).min(shorter));
            for error in errors {
                if !read.is_empty() {
                    let at = error % read.len();
                    read[at] = 9;
                }
            }
            let sequence = AdapterSequence::new(&adapter, Mode::Fastp(FastpVersion::V0_23));
            let found = sequence.find(&read, required, &mut Vec::new());
            prop_assert_eq!(found.map(|begin| begin.0), naive(&adapter, &read, required));
        }
    }
}
