//! The other strand.
//!
//! Eight letters at a time in one word: reversed by a byte swap, complemented by
//! exclusive or. A (0x41) and T (0x54) differ in 0x15, C (0x43) and G (0x47) in
//! 0x04, and bit 1 of a letter tells the two pairs apart, in either case of it.

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
    let from = output.len();
    // Blocks for which the compiler makes vector instructions.
    let is_plain = bases.chunks(64).all(|block| {
        block.iter().fold(true, |all, base| {
            all & matches!(base, b'A' | b'C' | b'G' | b'T')
        })
    });
    if is_plain {
        let (head, words) = bases.as_rchunks::<8>();
        output.resize(from + bases.len(), 0);
        let (out, tail) = output[from..].as_chunks_mut::<8>();
        for (out, word) in out.iter_mut().zip(words.iter().rev()) {
            let word = u64::from_le_bytes(*word);
            let is_c_or_g = (word >> 1) & 0x0101_0101_0101_0101;
            let other = word ^ (0x1515_1515_1515_1515 ^ (is_c_or_g * 0x11));
            *out = other.swap_bytes().to_le_bytes();
        }
        for (out, &base) in tail.iter_mut().zip(head.iter().rev()) {
            *out = complement(base);
        }
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
