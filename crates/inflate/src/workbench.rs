//! The tables of all lanes of a loop, side by side.

use core::mem::MaybeUninit;

use crate::MAX_LANES;
use crate::tables::{FastTables, Tables};

/// Scratch space for [`decode`](crate::decode): copies of the lanes' tables at constant distances, so that
/// the loop over several lanes finds all of them from one register.
///
/// Owned by whoever calls [`decode`](crate::decode) again and again, one for each thread. It takes 40 KiB,
/// but only from the first call with several lanes on. It never holds more than copies: any workbench
/// serves any lanes at any time, but one that served the same lanes last spares the copying.
#[derive(Debug, Default)]
pub struct Workbench(Option<Box<Places>>);

#[derive(Debug)]
struct Places {
    tables: [MaybeUninit<FastTables>; MAX_LANES],
    /// [`Tables::stamp`] of what lies at each place; 0 is nobody's.
    stamps: [u64; MAX_LANES],
}

impl Workbench {
    /// A workbench with nothing on it.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Have the tables of a lane at a place.
    #[inline(always)]
    pub(crate) fn put(&mut self, place: usize, tables: &Tables) {
        let places = self.0.get_or_insert_with(|| {
            Box::new(Places {
                tables: [const { MaybeUninit::uninit() }; MAX_LANES],
                stamps: [0; MAX_LANES],
            })
        });
        // Tables that nobody built would pass for those that lie at a place where none do.
        debug_assert_ne!(tables.stamp, 0, "tables are built before they are used");
        if places.stamps[place] != tables.stamp {
            places.tables[place].write(tables.fast);
            places.stamps[place] = tables.stamp;
        }
    }

    /// The tables of all places, as far as they were ever put there; null if none were.
    #[inline(always)]
    pub(crate) fn tables(&self) -> *const FastTables {
        self.0
            .as_ref()
            .map_or(core::ptr::null(), |places| places.tables.as_ptr().cast())
    }
}
