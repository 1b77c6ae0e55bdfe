//! The tables of all lanes of a loop, side by side.

use core::mem::MaybeUninit;

use crate::MAX_LANES;
use crate::tables::FastTables;

/// A work bench on the stack: copies of the lanes' tables at constant distances, so that the loop over
/// several lanes finds all of them from one register. The copy of 10 KiB per block and call pays for
/// itself: two pointers per lane would not fit the registers and be loaded again in every step.
pub(crate) struct Bench {
    tables: [MaybeUninit<FastTables>; MAX_LANES],
}

impl Bench {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            tables: [const { MaybeUninit::uninit() }; MAX_LANES],
        }
    }

    pub(super) fn put(&mut self, place: usize, tables: &FastTables) {
        self.tables[place].write(*tables);
    }

    /// Where the tables of a place are, if they were ever put there.
    #[inline(always)]
    pub(super) fn at(&self, place: usize) -> *const FastTables {
        self.tables[place].as_ptr()
    }
}
