//! Two streams, step by step in one loop.
//!
//! ```text
//! while both lanes have room for some rounds, that many times:
//!     for each lane, its next entry looked up before:
//!         load bits; look up a distance in the bits that the step before left over
//!                                                                        (a match or not: no branch)
//!         take the bits of the entry and the distance; look up the next entry
//!         resolve the distance; store two literals, copy a match of up to WIDTH symbols
//! ```
//!
//! The steps are those of `many`. There a lane loads its bits before each lookup of an entry, and waits some 24
//! cycles a step; four lanes hide that, two do not. Here both lookups are made in bits that are at hand,
//! and the load is only there in time to be shifted by what the lookups found: some 13 cycles a step. What
//! `one` keeps in a bit buffer and its fill is the position alone, so that two lanes nearly fit the registers.
//!
//! With three and four lanes it gains little, and there a core with a smaller scheduler needs what `many` does
//! for it. Tried: the bits loaded at the end of the step before and kept, which is slower; one pattern for matches
//! that overlap themselves, as `one` has it, which is as fast (docs/design/inflate.md).

use super::{
    COPY, Copies, EXTRA, Hot, STEP_BITS, STOP, load, low, resolve, rounds_for, slow, write,
};
use crate::WINDOW;
use crate::symbol::{Symbol, between};
use crate::tables::{DISTANCE_BITS, LITLEN_BITS};
use crate::workbench::Workbench;

/// A load gives at least so many bits from the next one on. What a step leaves of them is enough for the
/// lookups of the next one.
const LOADED: usize = 57;
const _: () = assert!(LOADED - STEP_BITS >= LITLEN_BITS + DISTANCE_BITS);

/// Decode until a lane comes near an end of its input or output, or to a token that is not for the fast
/// loops.
///
/// # Safety
///
/// As [`generic`](super::generic), for two lanes; their inputs lie at exposed addresses below
/// [`HIGHEST_ADDRESS`](super::HIGHEST_ADDRESS).
#[inline(always)]
pub(super) unsafe fn run<S: Symbol, I: Copies<S>, const CHECKED: bool>(
    lanes: &mut [Hot<S>; 2],
    workbench: &Workbench,
) {
    const { assert!(I::WIDTH >= 32 && I::WIDTH <= COPY) }
    let tables = workbench.tables();
    // The address of the input's first bit, and of the next one; some bits from there on, and their entry;
    // the next symbol of output.
    let base = [0, 1].map(|k: usize| lanes[k].input.addr() as u64 * 8);
    let mut bit = [0, 1].map(|k: usize| base[k] + lanes[k].bit);
    let mut ahead = [0_u64; 2];
    let mut entry = [0_u32; 2];
    let mut to = [0, 1].map(|k: usize| lanes[k].output);
    let mut rounds;

    macro_rules! load {
        ($k:expr) => {
            // SAFETY: SPARE_BITS of input are behind the next bit.
            unsafe { load(core::ptr::with_exposed_provenance((bit[$k] >> 3) as usize)) }
                >> (bit[$k] & 7)
        };
    }
    macro_rules! look_up {
        ($k:expr, $table:ident, $word:expr, $bits:expr) => {
            // SAFETY: the workbench has the lane's tables; the index is masked to the table's size.
            unsafe {
                *(&raw const (*tables.add($k)).$table)
                    .cast::<u32>()
                    .add(low($word, $bits as u32) as usize)
            }
        };
    }
    macro_rules! begin {
        ($k:expr) => {
            ahead[$k] = load!($k);
            entry[$k] = look_up!($k, litlen, ahead[$k], LITLEN_BITS);
        };
    }
    macro_rules! step {
        ($k:expr) => {
            let step = entry[$k];
            let word = load!($k) >> (step & 63);
            let found = look_up!($k, distance, ahead[$k] >> (step & 63), DISTANCE_BITS);
            let found = I::distance_entry(step, found);
            let taken = u64::from(step.wrapping_add(found) & 63); // at most STEP_BITS
            bit[$k] += taken;
            ahead[$k] = word >> (found & 63);
            entry[$k] = look_up!($k, litlen, ahead[$k], LITLEN_BITS);

            // SAFETY: the caller's promise.
            let distance = unsafe { resolve::<I>(found, word) };
            // SAFETY: the budget covers a step; the window before `to` is there or `floor` is checked.
            match unsafe { write::<S, I, CHECKED>(to[$k], step, distance, lanes[$k].floor) } {
                Some(end) => to[$k] = end,
                None => {
                    let (first, before) = (base[$k], bit[$k] - taken);
                    // SAFETY: this round's budget is not yet used but for literals, which stay or are
                    // written anew.
                    let (after, end) = unsafe {
                        slow::finish(&lanes[$k], before - first, taken, to[$k], step, distance)
                    };
                    rounds -= EXTRA;
                    to[$k] = end;
                    if first + after != bit[$k] {
                        bit[$k] = first + after;
                        begin!($k);
                    }
                    if bit[$k] == before {
                        lanes[$k].event = true;
                        rounds = STOP;
                    }
                }
            }
        };
    }

    begin!(0);
    begin!(1);
    loop {
        rounds = rounds_for(lanes, [0, 1].map(|k: usize| bit[k] - base[k]), to, I::WIDTH);
        // Once both lanes have a whole window, nothing need be checked, which is for another call.
        let is_checked_in_vain =
            CHECKED && (0..2).all(|k| between(lanes[k].floor, to[k]) >= WINDOW);
        if rounds <= 0 || is_checked_in_vain {
            break;
        }
        while rounds > 0 {
            rounds -= 1;
            step!(0);
            step!(1);
        }
        if rounds < STOP / 2 {
            break;
        }
    }
    for k in 0..2 {
        lanes[k].bit = bit[k] - base[k];
        lanes[k].output = to[k];
    }
}
