//! One block of tokens to bits: stored, with the fixed codes, or with its own.

use crate::{
    bits::{Bits, ROOM, Rest},
    codes,
    header::Header,
    symbols::{DISTANCES, LITERALS, distance_extra, length_extra},
    tokens::Tokens,
    words::{DISTANCE_LIMIT, LITERAL_LIMIT, Words},
};

/// Lengths of the words of both codes.
pub(crate) struct Lengths {
    pub(crate) literals: [u8; LITERALS],
    pub(crate) distances: [u8; DISTANCES],
}

/// Section 3.2.6.
const FIXED: Lengths = {
    let mut literals = [8; LITERALS];
    let mut symbol = 144;
    while symbol < 280 {
        literals[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    Lengths {
        literals,
        distances: [5; DISTANCES],
    }
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
    let (literals, distances, paired) = tokens.counts();
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
        words.make(&FIXED, paired);
        words.write(whole, tokens, &mut bits);
    } else {
        bits.add(0b10, 2);
        header.write(&mut bits);
        words.make(&own, paired);
        words.write(whole, tokens, &mut bits);
    }
    let (whole, rest) = bits.finish();
    out.truncate(start + whole);
    rest
}

impl Lengths {
    /// Bits that so many symbols take.
    fn size(&self, literals: &[u32; LITERALS], distances: &[u32; DISTANCES]) -> usize {
        let literals = literals.iter().zip(&self.literals).enumerate();
        let literals = literals.map(|(symbol, (&count, &length))| {
            let extra = symbol.checked_sub(257).map_or(0, length_extra);
            count as usize * (usize::from(length) + extra as usize)
        });
        let distances = distances.iter().zip(&self.distances).enumerate();
        let distances = distances.map(|(symbol, (&count, &length))| {
            count as usize * (usize::from(length) + distance_extra(symbol) as usize)
        });
        literals.sum::<usize>() + distances.sum::<usize>()
    }
}
