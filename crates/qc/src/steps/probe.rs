//! Rejecting wrong offsets, many at once.
//!
//! All offsets of a stretch of the read are judged together: see [`offsets_of`].

use thalweg_scan::{OFFSETS, PROBE, offsets_of};

/// The letters to look for, and how many of them must be met.
pub(crate) struct Probe<'a> {
    letters: &'a [u8; PROBE],
    least: u8,
}

impl<'a> Probe<'a> {
    /// Look for these letters with at most `limit` mismatches.
    pub(crate) fn new(letters: &'a [u8; PROBE], limit: usize) -> Self {
        Probe {
            letters,
            least: PROBE.saturating_sub(limit) as u8,
        }
    }

    /// Calls `each` for the offsets in `text`, in ascending order, at which it has the
    /// letters, until it returns something.
    #[inline]
    pub(crate) fn find<T>(
        &self,
        text: &[u8; OFFSETS + PROBE],
        mut each: impl FnMut(usize) -> Option<T>,
    ) -> Option<T> {
        // Most often there is none.
        let mut offsets = offsets_of(self.letters, self.least, text);
        while offsets != 0 {
            let found = each(offsets.trailing_zeros() as usize);
            if found.is_some() {
                return found;
            }
            offsets &= offsets - 1;
        }
        None
    }
}
