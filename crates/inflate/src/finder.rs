//! Where a block may begin in the middle of a stream.
//!
//! ```text
//! for 48 bits at a time, all at once:
//!     keep those behind which "not the last block, dynamic" stands, and numbers of symbols that a block of text has
//! for each bit that is left, most often none or one:
//!     is the code of the code lengths complete?       five lookups; one in 400 is
//!     are the lengths those of two complete codes, with an end of the block?
//!     are all literals text?
//! ```
//!
//! Of the bits of compressed FASTQ one in 90 passes the first step, one in 40,000 the second, and only true headers
//! passed the third in what was measured (docs/design/first-pass.md); but whatever is compressed can hold one, such as a
//! gzip file inside of another. So what is found is a guess, which holds if the block before ends there.
//!
//! Blocks that are stored, of the fixed code or the last ones of their streams are not looked for: their headers
//! say too little.

use crate::bits::Bits;
use crate::header::Lengths;
use crate::tables::END_OF_BLOCK;

/// No header of a block is longer, in bytes: 17 bits, 19 lengths of 3 bits, and 316 lengths of at most 7 + 7 bits.
pub const LONGEST_HEADER: usize = (17 + 19 * 3 + 316 * 14_usize).div_ceil(8);

/// Bits that are looked at together. Behind each, 16 more must be known of the 64 that are loaded.
const TOGETHER: u32 = 48;

/// The first bit, at or after bit `from` of `input` and before bit `to`, at which the header of a block of text seems to
/// stand, a dynamic block that is not the last of its stream.
///
/// Headers are looked for as far as `input` holds them whole: it should go on behind `to` for [`LONGEST_HEADER`] bytes,
/// unless the data end before.
pub fn find_block(input: &[u8], from: u64, to: u64) -> Option<u64> {
    let to = to.min(input.len() as u64 * 8);
    let mut byte = from / 8;
    let mut wanted = u64::MAX << (from % 8);
    while byte * 8 < to {
        let mut bits = headers(Bits::new(input, byte * 8).peek()) & wanted;
        wanted = u64::MAX;
        while bits != 0 {
            let bit = byte * 8 + u64::from(bits.trailing_zeros());
            bits &= bits - 1;
            if bit < to && is_header(input, bit) {
                return Some(bit);
            }
        }
        byte += u64::from(TOGETHER / 8);
    }
    None
}

/// At which of the lower 48 bits of `word` a header may begin (RFC 1951, section 3.2.7).
#[inline(always)]
fn headers(word: u64) -> u64 {
    let at = |bit: u32| word >> bit;
    // One bit: not the last block. Two bits, the lower one first: 2, dynamic.
    let is_dynamic = !at(0) & !at(1) & at(2);
    // Five bits: 257 to 286 literal/length codes, which 30 and 31 are too many for.
    let few_lengths = !(at(4) & at(5) & at(6) & at(7));
    // Five bits: 1 to 30 distance codes. Blocks of text refer to more than 4 KiB before: 25 codes at least.
    let some_distances = at(11) & at(12) & !(at(9) & at(10));
    // Four bits: 4 to 19 code lengths. Codes for text have lengths of 3 to 9 or so: 12 of them at least.
    let some_code_lengths = at(16);
    is_dynamic & few_lengths & some_distances & some_code_lengths & ((1 << TOGETHER) - 1)
}

/// Whether the header at a bit is one of a block of text. Its first 17 bits have been looked at.
fn is_header(input: &[u8], bit: u64) -> bool {
    if !has_complete_code(input, bit) {
        return false;
    }
    let Ok(lengths) = Lengths::read(&mut Bits::new(input, bit + 3)) else {
        return false;
    };
    // `Lengths` has a code word for the end of the block.
    let (literals, _) = lengths.litlen().split_at(END_OF_BLOCK);
    is_complete(lengths.litlen()) && is_complete(lengths.distance()) && is_text(literals)
}

/// Whether the code lengths' own code is complete: the sum of 2^-length is 1.
#[inline(always)]
fn has_complete_code(input: &[u8], bit: u64) -> bool {
    let count = Bits::new(input, bit + 13).peek() as u32 & 15;
    let lengths = Bits::new(input, bit + 17).peek() & ((1 << (3 * (count + 4))) - 1);
    let sum = (0..5).map(|part| SHARES[(lengths >> (12 * part) & 0xfff) as usize]);
    sum.sum::<u16>() == 128
}

/// What four lengths of three bits take of 128.
static SHARES: [u16; 1 << 12] = {
    let mut shares = [0; 1 << 12];
    let mut lengths = 0;
    while lengths < shares.len() {
        let mut part = 0;
        while part < 4 {
            let length = lengths >> (3 * part) & 7;
            if length > 0 {
                shares[lengths] += 128 >> length;
            }
            part += 1;
        }
        lengths += 1;
    }
    shares
};

/// Whether a code of these lengths is complete.
fn is_complete(lengths: &[u8]) -> bool {
    let words = lengths.iter().filter(|&&length| length > 0);
    words.map(|&length| 1_u32 << (15 - length)).sum::<u32>() == 1 << 15
}

/// Whether only bytes of text have a code word: printable ASCII, tabulators and line ends.
fn is_text(literals: &[u8]) -> bool {
    let mut bytes = (0..=u8::MAX)
        .zip(literals)
        .filter(|&(_, &length)| length > 0);
    bytes.all(|(byte, _)| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'))
}
