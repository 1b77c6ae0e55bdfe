//! Letters of bases that are packed two to a byte.

/// The letter of each code: a bit each for A, C, G and T, and 0 for "as the reference".
pub(super) const LETTERS: &[u8; 16] = b"=ACMGRSVTWYHKDBN";

/// The letters of each byte, the upper half first.
static PAIRS: [[u8; 2]; 256] = pairs(false);

/// The letters of each byte on the other strand: the lower half first, and each base's complement.
static COMPLEMENTS: [[u8; 2]; 256] = pairs(true);

/// The code of the complement: the same bits in the opposite order.
const fn complement(code: u8) -> u8 {
    code.reverse_bits() >> 4
}

const fn pairs(turned: bool) -> [[u8; 2]; 256] {
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (upper, lower) = ((byte >> 4) as u8, (byte & 15) as u8);
        let codes = match turned {
            true => [complement(lower), complement(upper)],
            false => [upper, lower],
        };
        pairs[byte] = [LETTERS[codes[0] as usize], LETTERS[codes[1] as usize]];
        byte += 1;
    }
    pairs
}

/// Append the letters of `bases` bases; `packed` has a half byte for each.
pub(super) fn write(packed: &[u8], bases: usize, line: &mut Vec<u8>) {
    write_pairs(packed.iter(), &PAIRS, line);
    if !bases.is_multiple_of(2) {
        line.pop();
    }
}

/// The same of the other strand.
pub(super) fn write_complement(packed: &[u8], bases: usize, line: &mut Vec<u8>) {
    let mut packed = packed;
    if !bases.is_multiple_of(2)
        && let Some((&last, others)) = packed.split_last()
    {
        line.push(COMPLEMENTS[usize::from(last)][1]);
        packed = others;
    }
    write_pairs(packed.iter().rev(), &COMPLEMENTS, line);
}

fn write_pairs<'a>(
    packed: impl ExactSizeIterator<Item = &'a u8>,
    letters: &[[u8; 2]; 256],
    line: &mut Vec<u8>,
) {
    let start = line.len();
    line.resize(start + 2 * packed.len(), 0);
    let (pairs, _) = line[start..].as_chunks_mut::<2>();
    for (pair, &byte) in pairs.iter_mut().zip(packed) {
        *pair = letters[usize::from(byte)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base by base.
    fn slowly(codes: &[u8], turned: bool) -> Vec<u8> {
        let letters: Vec<u8> = codes.iter().map(|&code| LETTERS[code as usize]).collect();
        let other = |letter: &u8| {
            let pairs = b"AT CG MK RY WW SS VB HD NN ==";
            let pair = pairs
                .split(|&byte| byte == b' ')
                .find(|pair| pair.contains(letter));
            let pair = pair.unwrap();
            if pair[0] == *letter { pair[1] } else { pair[0] }
        };
        match turned {
            true => letters.iter().rev().map(other).collect(),
            false => letters,
        }
    }

    #[test]
    fn letters_are_those_of_base_by_base() {
        for length in 0..70 {
            let codes: Vec<u8> = (0..length).map(|at: u8| at.wrapping_mul(7) % 16).collect();
            let pack = |pair: &[u8]| pair[0] << 4 | pair.get(1).unwrap_or(&0);
            let packed: Vec<u8> = codes.chunks(2).map(pack).collect();
            let (mut forward, mut turned) = (Vec::new(), Vec::new());
            write(&packed, codes.len(), &mut forward);
            write_complement(&packed, codes.len(), &mut turned);
            assert_eq!(forward, slowly(&codes, false));
            assert_eq!(turned, slowly(&codes, true));
        }
    }
}
