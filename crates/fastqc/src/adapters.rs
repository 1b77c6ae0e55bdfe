//! Adapters that are looked for in every read, and where they begin.

use memchr::memmem::Finder;
use thalweg_scan::pack;

use crate::Named;

/// The first twelve letters of adapters that are used most, as Illumina publishes them, and of tails.
pub fn usual() -> Vec<Named> {
    [
        ("Illumina Universal Adapter", "AGATCGGAAGAG"),
        ("Illumina Small RNA 3' Adapter", "TGGAATTCTCGG"),
        ("Illumina Small RNA 5' Adapter", "GATCGTCGGACT"),
        ("Nextera Transposase Sequence", "CTGTCTCTTATA"),
        ("PolyA", "AAAAAAAAAAAA"),
        ("PolyG", "GGGGGGGGGGGG"),
    ]
    .map(|(name, sequence)| Named::new(name, sequence.as_bytes()))
    .into()
}

/// Letters that the filter looks at at once: two quartets.
const WINDOW: usize = 8;

/// The shortest adapter that has, wherever it begins, two whole quartets of the read.
const FILTERED: usize = WINDOW + 3;

/// Finds where adapters begin.
///
/// Reads are packed, four letters to a byte. Two neighbouring bytes are looked up in a table of those that some adapter has at
/// one of its first four letters. So only every fourth position is looked at, and of a hundred reads without an adapter about
/// one in full.
#[derive(Clone)]
pub(crate) struct AdapterSearch {
    finders: Vec<Finder<'static>>,
    /// A bit for each two bytes of packed letters.
    filter: Box<[u64; 1 << (2 * WINDOW - 6)]>,
    /// Some adapter cannot be found by the filter.
    looks_at_all: bool,
    codes: Vec<u8>,
}

impl AdapterSearch {
    pub(crate) fn new(adapters: &[Named]) -> Self {
        let mut filter = Box::new([0; 1 << (2 * WINDOW - 6)]);
        let mut looks_at_all = false;
        for adapter in adapters {
            let sequence = &adapter.sequence;
            let has_bases = sequence.iter().all(|letter| b"ACGT".contains(letter));
            if sequence.len() < FILTERED || !has_bases {
                looks_at_all = true;
                continue;
            }
            for start in 0..4 {
                let (quartets, _) = sequence[start..start + WINDOW].as_chunks::<4>();
                let mut codes = [0; 2];
                pack(quartets, &mut codes);
                let window = usize::from(u16::from_le_bytes(codes));
                filter[window / 64] |= 1 << (window % 64);
            }
        }
        let finder = |adapter: &Named| Finder::new(&adapter.sequence).into_owned();
        AdapterSearch {
            finders: adapters.iter().map(finder).collect(),
            filter,
            looks_at_all,
            codes: Vec::new(),
        }
    }

    /// Call `found` with the number of each adapter that is in `bases`, and where it begins first.
    #[inline]
    pub(crate) fn find(&mut self, bases: &[u8], found: impl FnMut(usize, usize)) {
        if self.looks_at_all || self.may_have_one(bases) {
            self.find_all(bases, found);
        }
    }

    #[inline]
    fn may_have_one(&mut self, bases: &[u8]) -> bool {
        let (quartets, _) = bases.as_chunks::<4>();
        if self.codes.len() < quartets.len() {
            self.codes.resize(quartets.len(), 0);
        }
        let codes = &mut self.codes[..quartets.len()];
        pack(quartets, codes);
        let mut seen = 0;
        for two in codes.windows(2) {
            let window = usize::from(u16::from_le_bytes([two[0], two[1]]));
            seen |= self.filter[window / 64] >> (window % 64);
        }
        seen & 1 != 0
    }

    #[inline(never)]
    fn find_all(&self, bases: &[u8], mut found: impl FnMut(usize, usize)) {
        for (number, finder) in self.finders.iter().enumerate() {
            if let Some(start) = finder.find(bases) {
                found(number, start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_plain_search_finds(
            parts in prop::collection::vec(prop_oneof![
                "[ACGT]{0,30}",
                "[ACGTN]{0,30}",
                prop::sample::select(usual()).prop_map(|adapter| String::from_utf8(adapter.sequence).unwrap_or_default()),
            ], 0..6),
            extra in proptest::option::of("[ACGTN]{1,14}"),
        ) {
            let bases = parts.concat().into_bytes();
            let mut adapters = usual();
            adapters.extend(extra.map(|extra| Named::new("other", extra.as_bytes())));
            let wanted: Vec<_> = adapters.iter().enumerate().filter_map(|(number, adapter)| {
                let mut windows = bases.windows(adapter.sequence.len());
                Some((number, windows.position(|window| window == adapter.sequence)?))
            }).collect();
            let mut seen = Vec::new();
            AdapterSearch::new(&adapters).find(&bases, |number, start| seen.push((number, start)));
            prop_assert_eq!(seen, wanted);
        }
    }
}
