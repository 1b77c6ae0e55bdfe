//! A single stream.
//!
//! ```text
//! while input and output are before their limits:
//!     take the bits of the entry; look up a distance                     (a match or not: no branch)
//!     take the bits of the distance; look up the next entry
//!     refill the bit buffer
//!     resolve the distance; store two literals, copy a match of up to WIDTH symbols
//! ```
//!
//! The steps are those of `many`. Each waits for the one before through two shifts and two lookups, about
//! 15 cycles; everything else (refilling, the copy) is beside that path. The bit buffer keeps the
//! refill off it; `many` loads the bits anew in every step instead, which takes fewer registers but has
//! the load on the path.
//!
//! docs/design/inflate.md has how fast that is beside other decoders.

use super::{Copies, Hot, INPUT_LIMIT, SPARE_SYMBOLS, load, low, resolve, slow, write};
use crate::WINDOW;
use crate::symbol::Symbol;
use crate::tables::{DISTANCE_BITS, LITLEN_BITS};

/// Decode up to the limits; stop early before a token that is not for the fast loops.
///
/// # Safety
///
/// As [`generic`](super::generic), for one lane.
#[inline(always)]
pub(super) unsafe fn run<S: Symbol, I: Copies<S>, const CHECKED: bool>(lane: &mut Hot<S>) {
    // SAFETY: `tables` is valid; only the addresses of its fields are taken.
    let (litlen, distances) = unsafe {
        (
            (&raw const (*lane.tables).fast.litlen).cast::<u32>(),
            (&raw const (*lane.tables).fast.distance).cast::<u32>(),
        )
    };
    let input = lane.input;
    let mut to = lane.output;

    // The buffer holds `held` bits surely, and above them bits that are right but may come again.
    let mut next;
    let mut buffer;
    let mut held: u64;
    macro_rules! seek {
        ($bit:expr) => {
            let bit: u64 = $bit;
            next = input.wrapping_add((bit >> 3) as usize);
            // SAFETY: SPARE_BITS of input are behind the next bit.
            buffer = unsafe { load(next) } >> (bit & 7);
            held = 56 - (bit & 7);
            next = next.wrapping_add(7);
        };
    }
    macro_rules! place {
        () => {
            (next.addr() - input.addr()) as u64 * 8 - held
        };
    }
    macro_rules! look_up {
        () => {
            // SAFETY: the index is masked to the table's size.
            unsafe { *litlen.add(low(buffer, LITLEN_BITS as u32) as usize) }
        };
    }
    seek!(lane.bit);
    let mut entry = look_up!();

    // Not before the starts: there is room.
    let input_limit = input
        .wrapping_add((lane.input_bits / 8) as usize)
        .wrapping_sub(INPUT_LIMIT);
    let mut output_limit = lane.output_end.wrapping_sub(SPARE_SYMBOLS);
    if CHECKED {
        // From there on nothing need be checked, which is for another call.
        output_limit = output_limit.min(lane.floor.wrapping_add(WINDOW));
    }

    while next < input_limit && to.cast_const() < output_limit {
        let after_litlen = buffer >> (entry & 63);
        // SAFETY: the index is masked to the table's size.
        let found = unsafe { *distances.add(low(after_litlen, DISTANCE_BITS as u32) as usize) };
        // Without a match: no bits, and a distance at which an exception is not.
        let found = I::distance_entry(entry, found);
        // SAFETY: the caller's promise.
        let distance = unsafe { resolve::<I>(found, after_litlen) };
        let taken = u64::from(entry.wrapping_add(found) & 63); // at most 33
        let step = entry;
        buffer = after_litlen >> (found & 63);
        // At least 49 - 33 bits are left, enough to look up the next entry.
        held -= taken;
        entry = look_up!();
        // SAFETY: at least 8 bytes are between `input_limit` and the end of the input.
        buffer |= unsafe { load(next) } << held;
        next = next.wrapping_add(7).wrapping_sub((held >> 3) as usize);
        held |= 56;

        // SAFETY: before the limits, there is room; the window before `to` is there or `floor` is checked.
        let Some(end) = (unsafe { write::<S, I, CHECKED>(to, step, distance, lane.floor) }) else {
            let after = place!();
            let before = after - taken;
            // SAFETY: before the limits but for literals, which stay or are written anew.
            let (bit, end) = unsafe { slow::finish(lane, before, taken, to, step, distance) };
            to = end;
            if bit != after || bit == before {
                seek!(bit);
                if bit == before {
                    lane.event = true;
                    break;
                }
                entry = look_up!();
            }
            continue;
        };
        to = end;
    }
    lane.bit = place!();
    lane.output = to;
}
