//! Fragments too short for the overlap of their mates to tell.
//!
//! Where a fragment has fewer bases than an overlap needs, its mates are mostly
//! adapter. The adapters of both mates begin alike in the common kits (TruSeq: 13
//! bases, Nextera: 19, MGI: 8), and at the same position. So the mates are compared
//! *in the direction in which they were read*: where six letters in a row agree, which
//! they do in one of a hundred other pairs, each length of the fragment is tried.

use super::known_adapters::PAIRS;
use super::mismatches::mismatches;

/// Letters in a row that agree.
const RUN: u32 = 6;

/// Letters of an adapter that are compared.
const COMPARED: usize = 20;

/// One mismatch is allowed for so many letters.
const BASES_PER_MISMATCH: usize = 8;

/// Letters of adapters and fragment that must be there to be compared: a chance of one
/// in 4^17 (with the allowed mismatches) for each length that is tried.
const LEAST: usize = 20;

/// Letters of adapters that are not published, and how many of them must agree.
const UNKNOWN: usize = 13;
const UNKNOWN_AGREEING: usize = 12;

/// The least bases of a fragment that tell where adapters that are not published begin.
const UNKNOWN_FRAGMENT: usize = 10;

/// How many bases of two mates overlap, if those are fewer than `limit`.
///
/// `first` and `second` are the mates as they were read, without the first bases, so
/// that the adapters begin at the same position of both. That is the number of bases
/// that `overlap` is asked about: it tells their mismatches.
pub(crate) fn find_short_overlap(
    first: &[u8],
    second: &[u8],
    limit: usize,
    overlap: impl Fn(usize) -> Option<usize>,
) -> Option<usize> {
    let agreeing = agreement(first, second);
    let mut runs = agreeing & (agreeing >> 1);
    runs &= runs >> 2;
    runs &= runs >> (RUN - 4);
    if runs == 0 {
        return None;
    }
    let longest = limit.min(first.len().min(second.len()) + 1);
    let mut best: Option<(usize, usize)> = None;
    for length in 0..longest {
        let tails = (&first[length..], &second[length..]);
        let Some(wrong) = overlap(length) else {
            continue;
        };
        let known = PAIRS
            .iter()
            .filter_map(|adapters| score(tails, adapters, length, wrong))
            .max();
        let score = known.or_else(|| unknown_score(tails, length, wrong));
        if let Some(score) = score
            && best.is_none_or(|(most, _)| score > most)
        {
            best = Some((score, length));
        }
    }
    best.map(|(_, length)| length)
}

/// Letters that agree, if these tails are these adapters.
fn score(
    (first, second): (&[u8], &[u8]),
    adapters: &[&[u8]; 2],
    length: usize,
    wrong: usize,
) -> Option<usize> {
    let one = first.len().min(COMPARED).min(adapters[0].len());
    let other = second.len().min(COMPARED).min(adapters[1].len());
    let all = one + other + length;
    let wrong = wrong
        + mismatches(&first[..one], &adapters[0][..one])
        + mismatches(&second[..other], &adapters[1][..other]);
    (all >= LEAST && wrong <= all / BASES_PER_MISMATCH).then(|| all - wrong)
}

/// Letters that agree, if these tails are some adapter, the same of both.
fn unknown_score((first, second): (&[u8], &[u8]), length: usize, wrong: usize) -> Option<usize> {
    let first = first.get(..UNKNOWN)?;
    let second = second.get(..UNKNOWN)?;
    let agreeing = UNKNOWN - mismatches(first, second);
    (length >= UNKNOWN_FRAGMENT
        && agreeing >= UNKNOWN_AGREEING
        && wrong <= length / BASES_PER_MISMATCH)
        .then(|| agreeing + length - wrong)
}

/// Bit `i` tells whether letter `i` is the same, for the first 64.
fn agreement(first: &[u8], second: &[u8]) -> u64 {
    let (Some(first), Some(second)) = (first.first_chunk::<64>(), second.first_chunk::<64>())
    else {
        let pairs = first.iter().zip(second).take(64).enumerate();
        return pairs.fold(0, |bits, (at, (a, b))| bits | (u64::from(a == b) << at));
    };
    let mut agrees = [0u8; 64];
    for at in 0..64 {
        agrees[at] = u8::from(first[at] == second[at]);
    }
    let (words, _) = agrees.as_chunks::<8>();
    words.iter().enumerate().fold(0, |bits, (number, word)| {
        // Moves the lowest bit of each byte to the highest byte, in order.
        let gathered = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits | (gathered << (8 * number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gathered_bits_are_those_of_single_letters(
            first in proptest::collection::vec(0u8..2, 0..100),
            second in proptest::collection::vec(0u8..2, 0..100),
        ) {
            let mut expected = 0;
            for at in 0..first.len().min(second.len()).min(64) {
                expected |= u64::from(first[at] == second[at]) << at;
            }
            prop_assert_eq!(agreement(&first, &second), expected);
        }
    }

    #[test]
    fn adapters_are_found_right_behind_short_fragments() {
        let fragment = b"ACGTTGCATTAGCCATGACCATTGCAAC";
        let mut reverse = Vec::new();
        super::super::reverse_complement(fragment, &mut reverse);
        for adapters in PAIRS {
            for length in 0..fragment.len() {
                let first = [&fragment[..length], adapters[0]].concat();
                let second = [&reverse[fragment.len() - length..], adapters[1]].concat();
                let found = find_short_overlap(&first, &second, 30, |_| Some(0));
                assert_eq!(found, Some(length));
            }
        }
    }

    #[test]
    fn other_mates_have_none() {
        let first = b"ACGTTGCATTAGCCATGACCATTGCAACGGATTAGCTTTGACCAGTTTACCATG";
        let second = b"TTGACCGTATTGCCGATTCCATAGTCCAGGTTTGCCAATGGACTGATTTGACGG";
        assert_eq!(find_short_overlap(first, second, 30, |_| Some(0)), None);
    }
}
