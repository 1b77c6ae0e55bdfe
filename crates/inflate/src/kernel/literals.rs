//! One or two streams, in blocks that are mostly literals.
//!
//! ```text
//! while input and output of each lane are before their limits, for each lane:
//!     up to three times, or until there is a match:
//!         take the bits of the entry; store up to five literals; look up the next entry
//!     if there is a match:
//!         look up a distance, take its bits, resolve it
//!         refill the bit buffer; look up the next entry
//!         copy a match of up to WIDTH symbols, or repeat the last symbol
//!     else refill the bit buffer
//! ```
//!
//! In `one` every step looks up a distance, as nobody can say whether it has a match. Where bases are literals, dozens of
//! steps in a row have none, which a branch foretells. Then only shifts and lookups of entries are on the path from one to
//! the next, and an entry has room for more literals.
//!
//! Matches of such blocks are often runs of one quality: they overlap themselves, and are done here.
//!
//! docs/design/deflate.md has what each of these gave, and what was not taken.

use core::array;

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

/// Decodes until a lane comes to a limit; stops early before a token that is not for the fast loops.
///
/// # Safety
///
/// As [`generic`](super::generic), for `N` lanes whose blocks are mostly literals; `tables` of the lanes are used, not
/// their copies.
#[inline(always)]
pub(super) unsafe fn run<S: Symbol, I: Copies<S>, const N: usize, const CHECKED: bool>(
    lanes: &mut [Hot<S>; N],
) {
    // SAFETY: `tables` are valid; only the addresses of their fields are taken.
    let entries: [_; N] =
        array::from_fn(|k| unsafe { &raw const (*lanes[k].tables).packed }.cast::<u64>());
    // SAFETY: likewise.
    let distances: [_; N] =
        array::from_fn(|k| unsafe { &raw const (*lanes[k].tables).fast.distance }.cast::<u32>());
    let mut to: [*mut S; N] = array::from_fn(|k| lanes[k].output);

    // A buffer holds as many bits as the lowest six of `held` say, and above them bits that are right but may come again.
    let mut next = [core::ptr::null::<u8>(); N];
    let mut buffer = [0_u64; N];
    let mut held = [0_u64; N];
    let mut entry = [packed::EXCEPTION; N];
    macro_rules! refill {
        ($k:expr) => {
            // SAFETY: at least 8 bytes are between the limit and the end of the input.
            buffer[$k] |= unsafe { load(next[$k]) } << (held[$k] & 63);
            next[$k] = next[$k]
                .wrapping_add(7)
                .wrapping_sub((held[$k] >> 3 & 7) as usize);
            held[$k] |= 56;
        };
    }
    macro_rules! look_up {
        ($k:expr) => {
            // SAFETY: the index is masked to the table's size.
            unsafe { *entries[$k].add(low(buffer[$k], LITLEN_BITS as u32) as usize) }
        };
    }
    macro_rules! seek {
        ($k:expr, $bit:expr) => {
            let bit: u64 = $bit;
            next[$k] = lanes[$k].input.wrapping_add((bit >> 3) as usize);
            // SAFETY: SPARE_BITS of input are behind the next bit.
            buffer[$k] = unsafe { load(next[$k]) } >> (bit & 7);
            held[$k] = 56 - (bit & 7);
            next[$k] = next[$k].wrapping_add(7);
            // Now the lookups before the next refill have their bits, too.
            refill!($k);
            entry[$k] = look_up!($k);
        };
    }
    macro_rules! place {
        ($k:expr) => {
            (next[$k].addr() - lanes[$k].input.addr()) as u64 * 8 - (held[$k] & 63)
        };
    }
    macro_rules! take {
        ($k:expr, $step:expr) => {
            buffer[$k] >>= packed::bits($step);
            held[$k] = held[$k].wrapping_sub($step);
            // SAFETY: before the limits, there is room.
            unsafe {
                to[$k]
                    .cast::<[S; 8]>()
                    .write_unaligned(S::eight($step >> packed::FIRST));
                to[$k] = to[$k].add(packed::count($step));
            }
        };
    }
    macro_rules! turn {
        ($k:expr, $turns:lifetime) => {
            'turn: {
                let mut step = entry[$k];
                take!($k, step);
                if step & packed::LENGTH == 0 {
                    step = look_up!($k);
                    take!($k, step);
                    if step & packed::LENGTH == 0 {
                        step = look_up!($k);
                        take!($k, step);
                        if step & packed::LENGTH == 0 {
                            entry[$k] = look_up!($k);
                            refill!($k);
                            break 'turn;
                        }
                    }
                }
                // SAFETY: the index is masked to the table's size.
                let found = unsafe { *distances[$k].add(low(buffer[$k], DISTANCE_BITS as u32) as usize) };
                // SAFETY: the caller's promise.
                let distance = unsafe { resolve::<I>(found, buffer[$k]) };
                buffer[$k] >>= found & 63;
                held[$k] = held[$k].wrapping_sub(found.into());
                refill!($k);
                entry[$k] = look_up!($k);

                let length = packed::length(step);
                let end = to[$k];
                let is_none = step == packed::EXCEPTION || distance == 0;
                if is_none || CHECKED && distance > between(lanes[$k].floor, end) {
                    let before = place!($k) - packed::bits(step) - u64::from(found & 63);
                    let start = end.wrapping_sub(packed::count(step));
                    // SAFETY: before the limits but for literals, which are written anew.
                    let (bit, end) = unsafe { slow::anew(&lanes[$k], before, start) };
                    to[$k] = end;
                    seek!($k, bit);
                    if bit == before {
                        lanes[$k].event = true;
                        break $turns;
                    }
                    break 'turn;
                }
                // SAFETY: before the limits, there is room; `distance` symbols before `end` are within the window, which
                // is there or has been checked.
                unsafe {
                    if distance == 1 {
                        let run = [*end.sub(1); RUN];
                        let mut done = 0;
                        while done < length {
                            end.add(done).cast::<[S; RUN]>().write_unaligned(run);
                            done += RUN;
                        }
                    } else if length <= I::WIDTH && (I::REPEATS || distance >= length) {
                        I::copy(end, distance);
                    } else {
                        copy::any(end, distance, length);
                    }
                }
                to[$k] = end.wrapping_add(length);
            }
        };
    }

    // None is before its start: there is room.
    let mut input_limit = [core::ptr::null::<u8>(); N];
    let mut output_limit = [core::ptr::null::<S>(); N];
    for k in 0..N {
        seek!(k, lanes[k].bit);
        input_limit[k] = lanes[k]
            .input
            .wrapping_add((lanes[k].input_bits / 8) as usize)
            .wrapping_sub(INPUT_LIMIT);
        output_limit[k] = lanes[k].output_end.wrapping_sub(SPARE_SYMBOLS);
        let whole = lanes[k].floor.wrapping_add(WINDOW);
        if CHECKED && to[k].cast_const() < whole {
            // From there on nothing of this lane need be checked, which is for another call.
            output_limit[k] = output_limit[k].min(whole);
        }
    }

    'turns: while (0..N).all(|k| next[k] < input_limit[k] && to[k].cast_const() < output_limit[k]) {
        turn!(0, 'turns);
        if N > 1 {
            turn!(1 % N, 'turns);
        }
    }
    for k in 0..N {
        lanes[k].bit = place!(k);
        lanes[k].output = to[k];
    }
}
