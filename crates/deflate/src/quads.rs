//! Four bases at a time.
//!
//! Most literals are bases. Bits 1 and 2 tell A, C, G and T apart, so four letters have a number
//! of 8 bits, found by one multiplication; a comparison with the four bases of that number
//! tells whether they were any.

/// The four letters of each number, the first one lowest.
pub(crate) const LETTERS: [u32; 256] = {
    let mut all = [0; 256];
    let mut number = 0;
    while number < 256 {
        let mut place = 0;
        while place < 4 {
            let letter = b"ACTG"[(number >> (2 * place)) & 3];
            all[number] |= (letter as u32) << (8 * place);
            place += 1;
        }
        number += 1;
    }
    all
};

/// The number of four bases; of other letters, any.
#[inline(always)]
pub(crate) fn number(letters: u32) -> usize {
    // Bits 1, 9, 17 and 25 go to 24, 26, 28 and 30; nothing else reaches the highest byte.
    const GATHER: u32 = 1 << 23 | 1 << 17 | 1 << 11 | 1 << 5;
    ((letters & 0x0606_0606).wrapping_mul(GATHER) >> 24) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_their_number() {
        for (expected, &letters) in LETTERS.iter().enumerate() {
            assert_eq!(number(letters), expected);
        }
    }
}
