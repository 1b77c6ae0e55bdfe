//! Tokens one by one, with every bound checked: near the ends of input and output, while a window is
//! watched, and for the tokens that the fast loops do not know.

use crate::bits::Bits;
use crate::error::ErrorKind;
use crate::lane::{Lane, Pending};
use crate::symbol::Symbol;
use crate::tables::{DISTANCE_BITS, LITLEN_BITS, distance, plain};

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The number of tokens asked for is done, or the window need no longer be watched.
    Pause,
    /// The block ended.
    BlockEnd,
    /// The input does not hold the next token whole.
    Short,
    /// The next token needs more room.
    Full,
}

/// Decode up to `tokens` tokens at `bits` into `output[*at..]`, which matches may refer to from
/// `floor` on. On an error or [`Turn::Short`], `bits` is before the token.
pub(crate) fn run<S: Symbol>(
    lane: &mut Lane,
    bits: &mut Bits<'_>,
    output: &mut [S],
    at: &mut usize,
    floor: usize,
    tokens: usize,
) -> Result<Turn, ErrorKind> {
    let watching = lane.is_watching();
    for _ in 0..tokens {
        if watching && !lane.is_watching() {
            break;
        }
        let word = bits.peek();
        let left = bits.left();
        let entry = litlen_entry(lane, word);
        let mut used = plain::bits(entry);
        if u64::from(used) > left {
            return Ok(Turn::Short);
        }
        match plain::kind(entry) {
            plain::LITERAL => {
                let Some(symbol) = output.get_mut(*at) else {
                    return Ok(Turn::Full);
                };
                *symbol = S::from(plain::value(entry) as u8);
                *at += 1;
                if let Some(watch) = &mut lane.watch {
                    watch.pass(1);
                }
            }
            plain::LENGTH => {
                let extra = plain::extra(entry);
                let length = plain::value(entry) + low(word >> used, extra);
                used += extra;
                // At most 15 + 5 bits are gone, and at most 15 + 13 follow: 48 of the 57 at hand.
                let word = word >> used;
                let entry = distance_entry(lane, word);
                if u64::from(used + distance::bits(entry)) > left {
                    return Ok(Turn::Short);
                }
                if distance::is_none(entry) {
                    return Err(ErrorKind::InvalidSymbol);
                }
                let distance = distance::value(entry)
                    + (low(word, distance::bits(entry)) >> distance::code_bits(entry));
                used += distance::bits(entry);
                if *at == output.len() {
                    return Ok(Turn::Full);
                }
                let (length, distance) = (length as usize, distance as usize);
                if distance > *at - floor {
                    return Err(ErrorKind::DistanceTooFar);
                }
                if let Some(watch) = &mut lane.watch {
                    watch.refer(distance, length);
                }
                lane.pending = Pending { length, distance };
                finish_match(lane, output, at);
                if lane.pending.length > 0 {
                    // The rest comes first when there is room again, whatever token follows.
                    bits.skip(used);
                    return Ok(Turn::Full);
                }
            }
            plain::END => {
                bits.skip(used);
                return Ok(Turn::BlockEnd);
            }
            _ => return Err(ErrorKind::InvalidSymbol),
        }
        bits.skip(used);
    }
    Ok(Turn::Pause)
}

/// Write as much of the pending match as there is room for.
pub(crate) fn finish_match<S: Copy>(lane: &mut Lane, output: &mut [S], at: &mut usize) {
    let Pending { length, distance } = lane.pending;
    let count = length.min(output.len() - *at);
    if distance >= count {
        let from = *at - distance;
        output.copy_within(from..from + count, *at);
    } else {
        for to in *at..*at + count {
            output[to] = output[to - distance];
        }
    }
    *at += count;
    lane.pending.length -= count;
}

#[inline(always)]
fn litlen_entry(lane: &Lane, word: u64) -> u32 {
    let table = &lane.tables.plain;
    let entry = table[low(word, LITLEN_BITS as u32) as usize];
    if plain::kind(entry) == plain::SUBTABLE {
        let place = plain::value(entry) + low(word >> LITLEN_BITS, plain::extra(entry));
        table[place as usize]
    } else {
        entry
    }
}

#[inline(always)]
fn distance_entry(lane: &Lane, word: u64) -> u32 {
    let entry = lane.tables.distance_plain[low(word, DISTANCE_BITS as u32) as usize];
    if distance::is_subtable(entry) {
        let place = distance::place(entry) + low(word >> DISTANCE_BITS, distance::bits(entry));
        lane.tables.distance_plain[place as usize]
    } else {
        entry
    }
}

/// The lowest `count < 32` bits.
#[inline(always)]
fn low(word: u64, count: u32) -> u32 {
    word as u32 & ((1 << (count & 31)) - 1)
}
