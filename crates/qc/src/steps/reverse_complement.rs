//! The other strand.

use thalweg_scan::are_bases;

/// The complement of each letter, in upper case; N for whatever is no base.
const COMPLEMENT: [u8; 256] = {
    let mut table = [b'N'; 256];
    let pairs = [(b'A', b'T'), (b'C', b'G'), (b'G', b'C'), (b'T', b'A')];
    let mut pair = 0;
    while pair < 4 {
        let (base, other) = pairs[pair];
        table[base as usize] = other;
        table[base.to_ascii_lowercase() as usize] = other;
        pair += 1;
    }
    table
};

/// The complement of one letter.
#[inline]
pub(crate) fn complement(base: u8) -> u8 {
    COMPLEMENT[base as usize]
}

/// Append the reverse complement of `bases` to `output`.
pub(crate) fn reverse_complement(bases: &[u8], output: &mut Vec<u8>) {
    if are_bases(bases) {
        let from = output.len();
        output.resize(from + bases.len(), 0);
        thalweg_scan::reverse_complement(bases, &mut output[from..]);
    } else {
        output.extend(bases.iter().rev().map(|&base| complement(base)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_and_letters_agree(bases in "[ACGT]{0,80}|[ACGTNacgtn.]{0,40}", prefix in "[A]{0,3}") {
            let mut output = prefix.clone().into_bytes();
            reverse_complement(bases.as_bytes(), &mut output);
            let mut expected = prefix;
            for base in bases.chars().rev() {
                expected.push(match base.to_ascii_uppercase() {
                    'A' => 'T',
                    'C' => 'G',
                    'G' => 'C',
                    'T' => 'A',
                    _ => 'N',
                });
            }
            prop_assert_eq!(output, expected.into_bytes());
        }
    }
}
