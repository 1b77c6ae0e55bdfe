//! A single stream, in a block that is mostly literals.
//!
//! ```text
//! while input and output are before their limits:
//!     up to three times, or until there is a match:
//!         take the bits of the entry; store up to five literals; look up the next entry
//!     if there is a match:
//!         look up a distance, take its bits, resolve it
//!         refill the bit buffer; look up the next entry
//!         copy a match of up to WIDTH symbols, or repeat the last symbol
//!     else refill the bit buffer
//! ```
//!
//! In `one` every step looks up a distance, as nobody can say whether it has a match. Where bases are literals, there
//! are dozens of steps without one in a row, which a branch foretells. Then only shifts and lookups of entries are on the
//! path from one to the next, about 7 cycles, and an entry has room for more literals.
//!
//! Matches of such blocks are runs of one quality, often: they overlap themselves, and are done here.
//!
//! docs/design/deflate.md has what each of these gave.

use super::{Copies, Hot, SPARE_BITS, SPARE_SYMBOLS, copy, load, low, resolve, slow};
use crate::WINDOW;
use crate::symbol::{Symbol, between};
use crate::tables::{DISTANCE_BITS, LITLEN_BITS, packed};

/// Entries that are taken in a row.
const ENTRIES: usize = 3;
/// Bits that are held behind a refill.
const HELD: usize = 56;
/// Bits of a distance found without a subtable.
const DISTANCE: usize = DISTANCE_BITS + 13;
const _: () = assert!(ENTRIES * LITLEN_BITS + DISTANCE <= HELD);
const _: () = assert!((ENTRIES + 1) * LITLEN_BITS <= HELD);
const _: () = assert!(ENTRIES * packed::MOST + 8 + 260 + 64 <= SPARE_SYMBOLS);
/// Bytes between the limit of the input and its end: a turn goes on by at most 7 bytes, a token for `slow` by 6, and behind
/// them up to 15 are read.
const INPUT_LIMIT: usize = 28;
const _: () = assert!(INPUT_LIMIT + 8 <= SPARE_BITS as usize / 8);
/// Symbols that a run is written by.
const RUN: usize = 32;

/// Decode up to the limits; stop early before a token that is not for the fast loops.
///
/// # Safety
///
/// As [`generic`](super::generic), for one lane whose block is mostly literals.
#[inline(always)]
pub(super) unsafe fn run<S: Symbol, I: Copies<S>, const CHECKED: bool>(lane: &mut Hot<S>) {
    // SAFETY: `tables` is valid; only the addresses of its fields are taken.
    let (entries, distances) = unsafe {
        (
            (&raw const (*lane.tables).packed).cast::<u64>(),
            (&raw const (*lane.tables).fast.distance).cast::<u32>(),
        )
    };
    let input = lane.input;
    let mut to = lane.output;

    // The buffer holds as many bits as the lowest six of `held` say, and above them bits that are right but may come again.
    let mut next;
    let mut buffer;
    let mut held: u64;
    macro_rules! refill {
        () => {
            // SAFETY: at least 8 bytes are between `input_limit` and the end of the input.
            buffer |= unsafe { load(next) } << (held & 63);
            next = next.wrapping_add(7).wrapping_sub((held >> 3 & 7) as usize);
            held |= 56;
        };
    }
    macro_rules! seek {
        ($bit:expr) => {
            let bit: u64 = $bit;
            next = input.wrapping_add((bit >> 3) as usize);
            // SAFETY: SPARE_BITS of input are behind the next bit.
            buffer = unsafe { load(next) } >> (bit & 7);
            held = 56 - (bit & 7);
            next = next.wrapping_add(7);
            // Now the lookups before the next refill have their bits, too.
            refill!();
        };
    }
    macro_rules! place {
        () => {
            (next.addr() - input.addr()) as u64 * 8 - (held & 63)
        };
    }
    macro_rules! look_up {
        () => {
            // SAFETY: the index is masked to the table's size.
            unsafe { *entries.add(low(buffer, LITLEN_BITS as u32) as usize) }
        };
    }
    macro_rules! take {
        ($step:expr) => {
            // Above the bits that count there is no carry from.
            buffer >>= packed::bits($step);
            held = held.wrapping_sub($step);
            // SAFETY: before the limits, there is room.
            unsafe {
                to.cast::<[S; 8]>()
                    .write_unaligned(S::eight($step >> packed::FIRST));
                to = to.add(packed::count($step));
            }
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
        let mut step = entry;
        take!(step);
        if step & packed::LENGTH == 0 {
            step = look_up!();
            take!(step);
            if step & packed::LENGTH == 0 {
                step = look_up!();
                take!(step);
                if step & packed::LENGTH == 0 {
                    entry = look_up!();
                    refill!();
                    continue;
                }
            }
        }
        // SAFETY: the index is masked to the table's size.
        let found = unsafe { *distances.add(low(buffer, DISTANCE_BITS as u32) as usize) };
        // SAFETY: the caller's promise.
        let distance = unsafe { resolve::<I>(found, buffer) };
        buffer >>= found & 63;
        held = held.wrapping_sub(found.into());
        refill!();
        entry = look_up!();

        let length = packed::length(step);
        let from = to.wrapping_sub(distance).cast_const();
        let is_none = step == packed::EXCEPTION || distance == 0;
        if is_none || CHECKED && distance > between(lane.floor, to) {
            let after = place!();
            let before = after - packed::bits(step) - u64::from(found & 63);
            let start = to.wrapping_sub(packed::count(step));
            // SAFETY: before the limits but for literals, which are written anew.
            let (bit, end) = unsafe { slow::anew(lane, before, start) };
            to = end;
            seek!(bit);
            if bit == before {
                lane.event = true;
                break;
            }
            entry = look_up!();
            continue;
        }
        // SAFETY: before the limits, there is room; `from` is within the window before `to`, which is there or has been
        // checked.
        unsafe {
            if distance == 1 {
                let run = [*from; RUN];
                let mut done = 0;
                while done < length {
                    to.add(done).cast::<[S; RUN]>().write_unaligned(run);
                    done += RUN;
                }
            } else if length <= I::WIDTH && (I::REPEATS || distance >= length) {
                I::copy(to, distance);
            } else {
                copy::any(to, distance, length);
            }
        }
        to = to.wrapping_add(length);
    }
    lane.bit = place!();
    lane.output = to;
}
