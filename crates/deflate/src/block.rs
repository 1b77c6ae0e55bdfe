//! One block of tokens to bits: stored, with the fixed codes, or with its own.

use crate::{
    bits::{Bits, ROOM, Rest},
    codes,
    header::Header,
    lengths::{DISTANCE_LIMIT, FIXED, LITERAL_LIMIT, Lengths},
    symbols::{DISTANCES, LITERALS},
    tokens::Tokens,
    words::Words,
};

/// Append the block of `text` from `start` on, which the tokens cover; `rest` is what the block
/// before left.
pub(crate) fn write(
    whole: &[u8],
    start: usize,
    tokens: &Tokens,
    is_last: bool,
    rest: Rest,
    words: &mut Words,
    out: &mut Vec<u8>,
) -> Rest {
    let text = &whole[start..];
    let (literals, distances, paired) = tokens.counts(words.coder);
    let mut own = Lengths {
        literals: [0; LITERALS],
        distances: [0; DISTANCES],
    };
    codes::lengths(&literals, LITERAL_LIMIT, &mut own.literals);
    codes::lengths(&distances, DISTANCE_LIMIT, &mut own.distances);
    let header = Header::new(&own.literals, &own.distances);

    let own_size = header.size() + own.size(&literals, &distances);
    let fixed_size = FIXED.size(&literals, &distances);
    // Behind 3 bits: to the boundary, and two lengths.
    let header_end = rest.count() + 3;
    let stored_size = header_end.next_multiple_of(8) - header_end + 32 + 8 * text.len();

    let size = own_size.min(fixed_size).min(stored_size);
    let start = out.len();
    out.resize(start + (header_end + size).div_ceil(8) + ROOM, 0);
    let mut bits = Bits::new(&mut out[start..], rest);
    bits.add(is_last.into(), 1);
    if size == stored_size {
        bits.add(0b00, 2);
        bits.align();
        // Blocks are shorter than 64 KiB.
        let length = text.len() as u16;
        bits.bytes(&length.to_le_bytes());
        bits.bytes(&(!length).to_le_bytes());
        bits.bytes(text);
    } else if size == fixed_size {
        bits.add(0b01, 2);
        words.make(&FIXED, paired, tokens.have_letters());
        words.write(whole, tokens, &mut bits);
    } else {
        bits.add(0b10, 2);
        header.write(&mut bits);
        words.make(&own, paired, tokens.have_letters());
        words.write(whole, tokens, &mut bits);
    }
    let (whole, rest) = bits.finish();
    out.truncate(start + whole);
    rest
}
