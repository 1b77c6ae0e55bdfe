//! Whether what two mates agree on is a fragment shorter than they are, or a repeat.
//!
//! A fragment that ends like the reverse complement of its beginning (an inverted
//! repeat) makes mates that overlap as if it were shorter. What tells the two apart is
//! what follows: adapters, or more of the genome. Adapters that are not published cannot
//! be told from the genome; then the mates must not contradict each other where both
//! are sure.

use super::known_adapters::KNOWN;
use super::mismatches::mismatches;
use super::reverse_complement::complement;

/// Letters behind the overlap that are compared with adapters.
const COMPARED: usize = 16;

/// One in so many of them may differ.
const LETTERS_PER_MISMATCH: usize = 4;

/// With fewer letters behind it, an overlap is as good as the whole reads.
const LEAST: usize = 6;

/// A base of at least this quality (Q30) is sure.
const SURE: u8 = 30 + 33;

/// One contradiction is let pass, and another one for so many bases: at Q30 there is one
/// in 500.
const BASES_PER_CONTRADICTION: usize = 100;

/// A mate: bases and qualities.
pub(crate) type Letters<'a> = (&'a [u8], &'a [u8]);

/// Whether the first `length` bases of both mates, on which they agree, are likely to end
/// where a fragment ends. One of the mates may end there, too.
pub(crate) fn is_whole_fragment(first: Letters<'_>, second: Letters<'_>, length: usize) -> bool {
    let tails = (
        first.0.get(length..).unwrap_or_default(),
        second.0.get(length..).unwrap_or_default(),
    );
    let has_adapter = match (tails.0.len() < LEAST, tails.1.len() < LEAST) {
        (true, true) => true,
        (false, true) => is_adapter(tails.0),
        (true, false) => is_adapter(tails.1),
        (false, false) => {
            are_alike(tails.0, tails.1) || (is_adapter(tails.0) && is_adapter(tails.1))
        }
    };
    if has_adapter {
        return true;
    }
    contradictions(first, second, length) <= 1 + length / BASES_PER_CONTRADICTION
}

fn is_adapter(tail: &[u8]) -> bool {
    KNOWN.iter().any(|(sequence, _)| are_alike(tail, sequence))
}

/// Whether two sequences begin alike.
fn are_alike(first: &[u8], second: &[u8]) -> bool {
    // The adapters of mates differ behind the first 13 letters in the most common kit.
    let compared = first
        .len()
        .min(second.len())
        .min(COMPARED - LETTERS_PER_MISMATCH);
    mismatches(&first[..compared], &second[..compared]) <= compared / LETTERS_PER_MISMATCH
}

/// Places where both mates are sure of different bases.
fn contradictions(first: Letters<'_>, second: Letters<'_>, length: usize) -> usize {
    let length = length.min(first.0.len()).min(second.0.len());
    let one = first.0[..length].iter().zip(&first.1[..length]);
    let other = second.0[..length].iter().zip(&second.1[..length]).rev();
    one.zip(other)
        .filter(|((base, quality), (other, other_quality))| {
            **base != complement(**other) && **quality >= SURE && **other_quality >= SURE
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::reverse_complement;

    /// Mates of a fragment, with what follows it.
    fn check(fragment: &[u8], tails: [&[u8]; 2], wrong: usize, quality: u8) -> bool {
        let mut reverse = Vec::new();
        reverse_complement(fragment, &mut reverse);
        let mut first = [fragment, tails[0]].concat();
        let second = [&reverse[..], tails[1]].concat();
        for base in first.iter_mut().take(wrong) {
            *base = complement(*base);
        }
        let qualities = vec![quality; first.len().max(second.len())];
        let first = (&first[..], &qualities[..first.len()]);
        let second = (&second[..], &qualities[..second.len()]);
        is_whole_fragment(first, second, fragment.len())
    }

    #[test]
    fn adapters_outweigh_errors_and_contradictions_do_not_pass_without() {
        let fragment = b"ACGTTGCATTAGCCATGACCATTGCAACTTGACCAGT";
        let adapters = [KNOWN[0].0, KNOWN[1].0];
        let genome: [&[u8]; 2] = [b"TTGACCATTTGGACACATGG", b"GGCATTAGCCATATTGACAA"];
        assert!(check(fragment, adapters, 5, b'I'));
        assert!(check(fragment, genome, 1, b'I'));
        assert!(check(fragment, genome, 5, b'#'));
        assert!(!check(fragment, genome, 5, b'I'));
        // Too little behind it to say anything, or behind one mate only.
        assert!(check(fragment, [b"TTG", b"GGC"], 5, b'I'));
        assert!(check(fragment, [adapters[0], b""], 5, b'I'));
        assert!(check(fragment, [b"", adapters[1]], 5, b'I'));
        assert!(check(fragment, [genome[0], b""], 1, b'I'));
        assert!(!check(fragment, [genome[0], b""], 5, b'I'));
        assert!(!check(fragment, [b"", genome[1]], 5, b'I'));
    }
}
