//! Letters as the steps of the default mode compare them: lower case is upper case, U is T, and `.` is N.
//!
//! Reads are written with the letters that they came with. Almost no read has other letters than the usual ones. That it has
//! none is known of whole batches whose letters were checked anyway; only a read that has some is copied.

use std::borrow::Cow;

use thalweg_scan::{Within, are_all_within};

/// The letter that the steps compare in the place of `letter`.
#[inline]
pub(crate) fn usual(letter: u8) -> u8 {
    match letter.to_ascii_uppercase() {
        b'U' => b'T',
        b'.' => b'N',
        other => other,
    }
}

/// Letters as the steps of the default mode compare them, of the same number.
///
/// What compares reads before the steps (adapter detection, frequent sequences, duplicates) has to see the same letters.
pub fn usual_letters(bases: &[u8]) -> Cow<'_, [u8]> {
    match are_usual(bases) {
        true => Cow::Borrowed(bases),
        false => Cow::Owned(bases.iter().copied().map(usual).collect()),
    }
}

/// Whether no letter has to be taken for another one: all are A to T, as A, C, G, T and N are, and lower case, U and `.` are
/// not. A few letters that stand for several bases are not either; they are taken for themselves.
#[inline]
pub(crate) fn are_usual(bases: &[u8]) -> bool {
    are_all_within(std::iter::once(bases), Within::<b'A', b'T'>)
}

/// How a base is spelled that stands in the place of `old`: in its case, and T as U where `has_u` tells that reads have that.
pub(crate) fn spelled_as(base: u8, old: u8, has_u: bool) -> u8 {
    let base = match base {
        b'T' if has_u => b'U',
        other => other,
    };
    match old.is_ascii_lowercase() {
        true => base.to_ascii_lowercase(),
        false => base,
    }
}

/// Whether T is spelled U.
pub(crate) fn have_u(bases: &[u8]) -> bool {
    let has = |letter: u8| bases.iter().any(|base| base.eq_ignore_ascii_case(&letter));
    has(b'U') && !has(b'T')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_letter_is_compared_as_one_in_upper_case() {
        let from = b"ACGTUNacgtun.RYKM-*";
        assert_eq!(&*usual_letters(from), b"ACGTTNACGTTNNRYKM-*");
        let (wanted, pairs) = (b"acguACGURN", b"ACGTACGTRN");
        let spelled = pairs.iter().zip(wanted);
        let spelled = spelled.map(|(&base, &old)| spelled_as(base, old, true));
        assert_eq!(spelled.collect::<Vec<_>>(), wanted);
        assert_eq!(spelled_as(b'T', b'g', false), b't');
        assert!(have_u(b"ACGU") && have_u(b"acgu") && !have_u(b"ACG") && !have_u(b"ACGTU"));
    }

    proptest! {
        #[test]
        fn no_letter_is_overlooked(
            bases in "[ACGTN]{0,100}",
            other in proptest::option::of(prop::sample::select(b"acgtnuU.".to_vec())),
            place in any::<prop::sample::Index>(),
        ) {
            let mut bases = bases.into_bytes();
            if let Some(other) = other {
                bases.insert(place.index(bases.len() + 1), other);
            }
            prop_assert_eq!(are_usual(&bases), other.is_none());
            let usual = usual_letters(&bases);
            prop_assert!(usual.iter().all(|base| b"ACGTN".contains(base)));
            prop_assert_eq!(usual.len(), bases.len());
        }
    }
}
