//! How many threads there are.

use std::num::NonZeroUsize;

use thalweg::Budget;

/// As many threads as were asked for, or one for each core.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> usize {
    asked.map_or_else(|| Budget::all_cores().threads(), usize::from)
}
