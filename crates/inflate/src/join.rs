//! Joining symbols: the table of whole steps from the table of single symbols.

use crate::tables::{EXCEPTION, LITLEN_BITS, plain};

/// Entries of both tables.
const SIZE: usize = 1 << LITLEN_BITS;

/// Make `litlen` from `plain`, see [`tables`](crate::tables). No literal has a code word of fewer than
/// `shortest` bits.
///
/// Backwards through the step: entries that are a length alone, then a literal put before each of
/// them, then another. An entry for the index shifted right has zeros for the bits not known; it
/// may be used if it takes no more than the known ones. Behind a literal, whose code word has at
/// least `shortest` bits, only the first entries are looked at.
///
/// Every loop is free of branches and of bounds, so that the compiler makes vectors and gathers of it.
#[inline(always)]
pub(crate) fn join(plain: &[u32; SIZE], litlen: &mut [u32; SIZE], shortest: usize) {
    let mut one = [0; SIZE];
    for index in 0..SIZE {
        one[index] = length_alone(plain[index], index as u32);
    }
    let mut two = [0; SIZE];
    for index in 0..SIZE >> shortest.min(LITLEN_BITS) {
        let first = plain[index];
        let next = one[index >> (first & 15)];
        two[index] = put_before(first, next, one[index]);
    }
    for index in 0..SIZE {
        let first = plain[index];
        let next = two[index >> (first & 15)];
        let entry = put_before(first, next, one[index]);
        litlen[index] = if entry == 0 { EXCEPTION } else { entry };
    }
}

/// The entry for a length that fits the index together with its extra bits, or 0.
#[inline(always)]
fn length_alone(first: u32, index: u32) -> u32 {
    let extra = plain::extra(first) & 31;
    let bits = plain::bits(first) & 31;
    let length = plain::value(first) + (index >> bits & ((1 << extra) - 1));
    let fits =
        plain::kind(first) == plain::LENGTH && bits + extra <= LITLEN_BITS as u32 && length <= 255;
    if fits {
        length << 8 | (bits + extra)
    } else {
        0
    }
}

/// The entry for a literal and, as far as it fits, what follows; `otherwise` if it is no literal.
#[inline(always)]
fn put_before(first: u32, next: u32, otherwise: u32) -> u32 {
    let bits = plain::bits(first) & 31;
    let literal = plain::value(first);
    // Take what follows only if the index holds it whole and if its literal has 7 bits.
    let fits = bits + (next & 63) <= LITLEN_BITS as u32 && next >> 23 & 1 == 0;
    let next = if fits { next } else { 0 };
    // The literal behind, if any, moves up to the second place.
    let joined = (next & 0x00ff_0000) << 8
        | literal << 16
        | (next & 0xff00)
        | ((next & 0xff) + bits + (1 << 6));
    if plain::kind(first) == plain::LITERAL {
        joined
    } else {
        otherwise
    }
}
