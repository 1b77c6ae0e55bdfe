//! How positions of reads are counted: each for itself, and far from the start a thousand as one.
//!
//! FastQC keeps all counters of each position of the longest read, of which long reads have millions. Here they are exact up
//! to a length that few reads have; a row of the report has more than a thousand positions then.

/// So many positions from the start are told apart.
pub(crate) const EXACT: usize = 65_999;

/// So many are one behind that: groups of positions begin at multiples of it, counted from 1.
pub(crate) const BIN: usize = 1000;

/// How many counters `length` positions need.
pub(crate) fn slots(length: usize) -> usize {
    match length.checked_sub(EXACT) {
        None => length,
        Some(far) => EXACT + far.div_ceil(BIN),
    }
}

/// How many positions from `position` on, counted from 1, are one.
pub(crate) fn width_at(position: usize) -> usize {
    match position > EXACT {
        true => BIN - position % BIN,
        false => 1,
    }
}

/// The counters of positions, counted from 1, from `lower` to `upper`, and how many of these positions each has.
pub(crate) fn slots_between(lower: usize, upper: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut next = lower;
    std::iter::from_fn(move || {
        if next > upper {
            return None;
        }
        let width = width_at(next).min(upper + 1 - next);
        let slot = slots(next) - 1;
        next += width;
        Some((slot, width))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_has_one_slot() {
        assert!((EXACT + 1).is_multiple_of(BIN));
        let length = EXACT + 2500;
        let all: Vec<_> = slots_between(1, length).collect();
        assert_eq!(all.len(), slots(length));
        assert!(all.iter().map(|&(slot, _)| slot).eq(0..slots(length)));
        assert_eq!(all.iter().map(|&(_, width)| width).sum::<usize>(), length);
        assert_eq!(
            all[EXACT..],
            [(EXACT, 1000), (EXACT + 1, 1000), (EXACT + 2, 500)]
        );
        assert_eq!(slots_between(3, 2).count(), 0);
    }
}
