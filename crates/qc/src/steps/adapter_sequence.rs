//! An adapter, known by its sequence, at the 3' end of a read.

use thalweg_scan::{OFFSETS, PROBE};

use super::gap::mismatches_with_insertion;
use super::iupac::{base, bases_of};
use super::probe::Probe;
use crate::letters::usual;
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
    /// Whether a read may have the whole adapter at two places, of which one is up to half an
    /// adapter behind the other.
    resembles_itself: bool,
    mode: Mode,
}

/// Where an adapter begins: in the read, or so many bases before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Begin(pub(crate) isize);

impl AdapterSequence {
    pub(crate) fn new(sequence: &[u8], mode: Mode) -> Self {
        let is_base = |letter: &u8| matches!(letter, b'A' | b'C' | b'G' | b'T');
        let sequence = match mode {
            Mode::Correct => sequence.iter().copied().map(usual).collect(),
            Mode::Fastp(_) => sequence.to_vec(),
        };
        let is_ambiguous = mode.is_correct() && !sequence.iter().all(is_base);
        AdapterSequence {
            is_ambiguous,
            resembles_itself: is_ambiguous || resembles_itself(&sequence),
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
        let first = self
            .before(read, required)
            .or_else(|| self.inside(read, required, padded));
        match (first, self.mode) {
            (Some(first), Mode::Correct) => Some(self.best_near(first, read, required)),
            (first, _) => first.or_else(|| self.with_gap(read, required)),
        }
    }

    /// The best place near the first one.
    ///
    /// An adapter that resembles itself a few bases on, as repeats do, is met a few bases too early, with the mismatches
    /// that are allowed. As Cutadapt does it, a place up to half an adapter behind is taken instead if it scores higher:
    /// 1 for each letter that agrees, -1 for each that does not.
    fn best_near(&self, first: Begin, read: &[u8], required: usize) -> Begin {
        let is_whole = first.0 >= 0 && read.len() - first.0 as usize >= self.sequence.len();
        if is_whole && !self.resembles_itself {
            return first;
        }
        let Some((mut score, 1..)) = self.judge_at(read, first) else {
            return first;
        };
        let end = read.len() as isize - required as isize;
        let reach = (self.sequence.len() / 2) as isize;
        let (mut best, mut position) = (first, first.0 + 1);
        while position < end.min(best.0 + reach + 1) {
            if let Some((other, _)) = self.judge_at(read, Begin(position))
                && other > score
            {
                (best, score) = (Begin(position), other);
            }
            position += 1;
        }
        best
    }

    /// The score and the mismatches of an adapter that begins there, if so many may be.
    fn judge_at(&self, read: &[u8], begin: Begin) -> Option<(isize, usize)> {
        let lacking = begin.0.min(0).unsigned_abs();
        let rest = &read[begin.0.max(0) as usize..];
        let compared = (rest.len() + lacking).min(self.sequence.len());
        let adapter = self.sequence.get(lacking..compared)?;
        // Most often it is seen soon that it does not.
        if !self.agrees(adapter, rest, compared / BASES_PER_MISMATCH) {
            return None;
        }
        let mismatches = adapter
            .iter()
            .zip(rest)
            .filter(|&(&letter, &read)| !self.is_same(letter, read))
            .count();
        Some((adapter.len() as isize - 2 * mismatches as isize, mismatches))
    }

    fn is_same(&self, letter: u8, read: u8) -> bool {
        match self.is_ambiguous {
            false => letter == read,
            true => bases_of(letter) & base(read) != 0,
        }
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
                self.is_same(letter, read)
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

/// Whether a sequence is like itself some letters on. What a read has at two places differs from it
/// there in no more places than the read does at both.
fn resembles_itself(sequence: &[u8]) -> bool {
    let allowed = 2 * (sequence.len() / BASES_PER_MISMATCH);
    (1..=sequence.len() / 2)
        .any(|shift| differs_in_at_most(&sequence[shift..], sequence, allowed, |a, b| a == b))
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
        assert_eq!(find(b"gaucagcauuaggc", read, Mode::Correct), Some(10));
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

    /// What is left before an adapter of repeats: the read as it was made, and as Cutadapt 5 cuts it
    /// (`-e 0.125 -O 5 --no-indels`), which looks for no adapter that lacks its first letters.
    #[test]
    fn an_adapter_of_repeats_is_not_cut_too_early() {
        let a = |count: usize| "A".repeat(count);
        let at = |count: usize| "AT".repeat(count);
        for (adapter, read, begin) in [
            (a(10), format!("CCGTC{}", a(10)), Some(5)),
            (a(10), format!("CCGTC{}CC", a(10)), Some(5)),
            (a(10), format!("CCGTC{}", a(25)), Some(5)),
            (a(10), format!("CCGTC{}", a(9)), Some(5)),
            (a(10), format!("CCGTC{}", a(6)), Some(5)),
            (a(10), format!("CCCCCAC{}", a(12)), Some(7)),
            (a(10), format!("CCG{}C{}CC", a(7), a(14)), Some(3)),
            (a(10), format!("CCGTC{}G{}CC", a(4), a(5)), Some(5)),
            (a(20), format!("CCGTCCGT{}GTCC{}", a(17), a(25)), Some(29)),
            (at(8), format!("CCGTCC{}CC", at(8)), Some(6)),
            (at(8), format!("CCGTCC{}", at(5)), Some(6)),
            // Where the read begins, an adapter may lack its first letters, but here it does not.
            (a(10), format!("C{}CCGT", a(10)), Some(1)),
            (a(16), format!("CG{}", a(12)), Some(2)),
            (a(10), format!("{}CCGT", a(8)), Some(-2)),
        ] {
            let sequence = AdapterSequence::new(adapter.as_bytes(), Mode::Correct);
            let found = sequence.find(read.as_bytes(), 4, &mut Vec::new());
            assert_eq!(found.map(|begin| begin.0), begin, "{adapter} in {read}");
        }
        // fastp takes the first place.
        let fastp = AdapterSequence::new(a(10).as_bytes(), Mode::Fastp(FastpVersion::V1_3));
        let read = format!("CCGTC{}", a(10));
        let found = fastp.find(read.as_bytes(), 4, &mut Vec::new());
        assert_eq!(found, Some(Begin(4)));
    }

    proptest! {
        /// Where only adapters that resemble themselves are looked for again, nothing is overlooked.
        #[test]
        fn no_better_place_is_passed_over(
            unit in proptest::collection::vec(prop::sample::select(b"ACGT".to_vec()), 1..30),
            length in 4usize..40,
            insert in proptest::collection::vec(prop::sample::select(b"ACGT".to_vec()), 0..40),
            errors in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
            kept in 0usize..90,
        ) {
            let adapter: Vec<u8> = unit.iter().copied().cycle().take(length).collect();
            let mut read = [&insert[..], &adapter, &unit].concat();
            read.truncate(kept);
            for error in errors {
                if !read.is_empty() {
                    let at = error.index(read.len());
                    read[at] = b'C';
                }
            }
            let quick = AdapterSequence::new(&adapter, Mode::Correct);
            let slow = AdapterSequence { resembles_itself: true, ..quick.clone() };
            let find = |sequence: &AdapterSequence| sequence.find(&read, 4, &mut Vec::new());
            prop_assert_eq!(find(&quick), find(&slow));
        }

        /// Whatever the adapter is, it begins where it was put, if the bases before it are no part of one.
        #[test]
        fn an_adapter_begins_where_it_was_put(
            unit in proptest::collection::vec(prop::sample::select(b"ACG".to_vec()), 1..6),
            length in 8usize..40,
            insert in 0usize..60,
            behind in 0usize..12,
        ) {
            let adapter: Vec<u8> = unit.iter().copied().cycle().take(length).collect();
            let read = [&b"T".repeat(insert)[..], &adapter, &b"T".repeat(behind)].concat();
            let sequence = AdapterSequence::new(&adapter, Mode::Correct);
            let found = sequence.find(&read, 4, &mut Vec::new());
            // Where the read begins, it may lack its first letters.
            let found = found.map(|begin| begin.0.max(0) as usize);
            prop_assert_eq!(found, Some(insert));
        }

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
