//! The sets of a database, as calls need them.

use std::ops::Range;

use super::Sets;
use crate::database;
use crate::set::Species;

/// The sets of a database, with the leaves of its species.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// Which species are in a set, and which of their leaves, by place.
    pub sets: &'a database::StoredSets,
    /// Which leaf has which place.
    pub species: &'a Species,
}

impl Sets for Stored<'_> {
    fn number(&self) -> usize {
        self.sets.len() + 1
    }

    #[inline]
    fn species(&self, set: u32) -> &[u32] {
        self.sets.species(set)
    }

    fn visit_leaves(&self, set: u32, species: u32, mut each: impl FnMut(Range<u32>)) -> bool {
        let leaves = self.species.leaves_of(species);
        if let [only] = *leaves {
            each(only..only + 1);
            return true;
        }
        let Some(places) = self.sets.places(set, species) else {
            return false;
        };
        let mut last: Option<Range<u32>> = None;
        for leaf in places.filter_map(|place| leaves.get(place as usize).copied()) {
            match &mut last {
                Some(range) if range.end == leaf => range.end += 1,
                _ => {
                    if let Some(range) = last.replace(leaf..leaf + 1) {
                        each(range);
                    }
                }
            }
        }
        if let Some(range) = last {
            each(range);
        }
        true
    }
}
