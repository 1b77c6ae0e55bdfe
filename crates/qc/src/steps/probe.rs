//! Rejecting wrong offsets, many at once.
//!
//! Counts of matches live in lanes of bytes, one for each offset: a letter of the
//! probe is compared with as many neighbouring letters of the text as there are lanes.
//! Plain loops over slices of bytes, four letters at a time so that the counts are
//! loaded and stored less often: the compiler makes vector instructions of them. (With
//! 16 or 32 lanes instead it unrolls the loop first, and makes a mess of it: three
//! to seven times as many instructions.)

/// Letters of the probe.
pub(crate) const PROBE: usize = 16;

/// Offsets that are probed at once: all of a read of 150 bases that leave an overlap
/// of 30.
pub(crate) const LANES: usize = 128;

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
        text: &[u8; LANES + PROBE],
        mut each: impl FnMut(usize) -> Option<T>,
    ) -> Option<T> {
        let lanes = self.matches(text);
        let most = |lanes: &[u8]| lanes.iter().fold(0, |most, &lane| lane.max(most));
        // Most often no lane passes, so that is asked first, and then of 16 at a time.
        if most(&lanes) < self.least {
            return None;
        }
        let (blocks, _) = lanes.as_chunks::<16>();
        for (number, block) in blocks.iter().enumerate() {
            if most(block) < self.least {
                continue;
            }
            for (lane, &matches) in block.iter().enumerate() {
                if matches >= self.least
                    && let Some(found) = each(16 * number + lane)
                {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Matches at each offset.
    #[inline]
    fn matches(&self, text: &[u8; LANES + PROBE]) -> [u8; LANES] {
        let mut lanes = [0u8; LANES];
        let (quartets, _) = self.letters.as_chunks::<4>();
        for (number, &[a, b, c, d]) in quartets.iter().enumerate() {
            let at = 4 * number;
            let first = &text[at..at + LANES];
            let second = &text[at + 1..at + 1 + LANES];
            let third = &text[at + 2..at + 2 + LANES];
            let fourth = &text[at + 3..at + 3 + LANES];
            for lane in 0..LANES {
                lanes[lane] += u8::from(first[lane] == a)
                    + u8::from(second[lane] == b)
                    + u8::from(third[lane] == c)
                    + u8::from(fourth[lane] == d);
            }
        }
        lanes
    }
}
