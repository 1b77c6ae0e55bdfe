//! Tails of A that messenger RNA has.
//!
//! Read 1 ends in it, behind the insert and before the adapter. Read 2, of the other
//! strand, begins with as many T. (Where read 1 is of the other strand, its head of T
//! can be cut as an adapter at the 5' end: of so many T as there may be, an end is found.)
//!
//! Each A makes a tail better by one and each other base worse by two; the best tail is cut,
//! if at most one base in five is another one: the rule by which Cutadapt does it.

use crate::counts::PolyACounts;
use crate::{Options, Read};

/// Cuts tails of A from first and single reads, and heads of T from second ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolyATrim {
    /// The least number of bases that make a tail.
    pub(crate) minimum: usize,
}

/// By how much another base makes a tail worse. An A makes it better by 1.
const PENALTY: isize = 2;

/// One base in so many may be another one.
const BASES_PER_MISMATCH: usize = 5;

impl PolyATrim {
    /// If it is asked for.
    pub(crate) fn new(options: &Options) -> Option<Self> {
        options.trim_poly_a.then_some(Self {
            minimum: options.poly_a_min_len,
        })
    }

    /// Cut the tail of read `mate` (0 or 1).
    #[inline]
    pub(crate) fn apply(&self, read: &mut Read<'_>, mate: usize, counts: &mut PolyACounts) {
        let tail = match mate {
            0 => tail(read.bases().iter().rev(), b'A'),
            _ => tail(read.bases().iter(), b'T'),
        };
        if tail == 0 || tail < self.minimum {
            return;
        }
        match mate {
            0 => read.truncate(read.len() - tail),
            _ => read.skip(tail),
        }
        counts.reads[mate] += 1;
        counts.bases[mate] += tail as u64;
    }
}

/// How long the best tail is, of those that the bases begin with; of equals the shortest.
fn tail<'b>(bases: impl ExactSizeIterator<Item = &'b u8>, wanted: u8) -> usize {
    // More than so many are too many, however long it is.
    let most_others = bases.len() / BASES_PER_MISMATCH;
    let (mut best, mut score, mut best_score, mut others) = (0, 0, 0, 0);
    for (length, &base) in (1..).zip(bases) {
        if base == wanted {
            score += 1;
        } else {
            score -= PENALTY;
            others += 1;
            if others > most_others {
                break;
            }
        }
        if score > best_score && others * BASES_PER_MISMATCH <= length {
            (best, best_score) = (length, score);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_best_tail_is_found() {
        for (bases, length) in [
            ("", 0),
            ("C", 0),
            ("A", 1),
            ("ACGTA", 1),
            ("CGTAAAAAAAAAA", 10),
            ("CGTAAAAAAAAAAC", 11),
            ("CGTAAAAAAAAAACA", 12),
            ("CGTAAAAAACAAAAA", 12),
            ("CGTAAACAAAAA", 9),
            ("CGTAACAAAAA", 5),
            ("GTCAAAAAAAAAACGAAAAAA", 18),
        ] {
            assert_eq!(tail(bases.as_bytes().iter().rev(), b'A'), length, "{bases}");
        }
    }

    /// Every tail, counted anew.
    fn naive(bases: &[u8]) -> usize {
        let score = |length: &usize| {
            let tail = &bases[bases.len() - length..];
            let wanted = tail.iter().filter(|&&base| base == b'A').count() as isize;
            let others = *length as isize - wanted;
            (others * 5 <= *length as isize).then_some(wanted - 2 * others)
        };
        let best = (0..=bases.len()).filter_map(|length| score(&length)).max();
        (0..=bases.len())
            .find(|length| score(length) == best)
            .unwrap_or(0)
    }

    proptest! {
        #[test]
        fn all_tails_agree(bases in proptest::collection::vec(
            prop_oneof![4 => Just(b'A'), 1 => Just(b'C'), 1 => Just(b'N')], 0..120,
        )) {
            prop_assert_eq!(tail(bases.iter().rev(), b'A'), naive(&bases));
        }
    }
}
