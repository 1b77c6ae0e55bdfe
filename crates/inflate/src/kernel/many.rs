//! Three or four streams, step by step in one loop.
//!
//! ```text
//! while every lane has room for some rounds, that many times:
//!     for each lane:
//!         finish the step looked up in the round before:
//!             resolve the distance; store two literals, copy a match of up to WIDTH symbols; advance
//!         look up the next step:
//!             load bits; look up literals and length; look up a distance   (a match or not: no branch)
//!             advance by all their bits
//! ```
//!
//! A step is what one `litlen` entry holds: up to two literals and then a match. Each lookup waits for the
//! one before it: load bits, entry, distance, and again, about 24 cycles a step. The lanes fill each
//! other's waiting time, as far as the core sees their instructions: those that wait stay in its scheduler,
//! which holds some 100. Therefore a step is finished one round late, when all that it needs is there, so
//! that only lookups ever wait. A position is one 64-bit number, the address of the bit, and what is rare
//! (long codes, matches that are long or overlap themselves, the end of a block) is a branch and a call,
//! so that a lane needs few registers.
//!
//! Tried, and slower: finishing each step at once, lane by lane, or stage by stage through all lanes.
//! docs/design/inflate.md has what was measured.

use super::{
    COPY, Copies, EXTRA, Hot, Instructions, NO_MATCH, STOP, load, low, resolve, rounds_for, slow,
    write,
};
use crate::WINDOW;
use crate::symbol::{Symbol, between};
use crate::tables::{DISTANCE_BITS, FastTables, LITLEN_BITS};
use crate::workbench::Workbench;

/// A step that is looked up and not yet finished.
#[derive(Clone, Copy)]
struct Step {
    /// The bits behind the entry.
    word: u64,
    /// Literals and length.
    entry: u32,
    /// The distance's entry.
    found: u32,
}

impl Step {
    /// Nothing to do.
    const NONE: Self = Self {
        word: 0,
        entry: 0,
        found: NO_MATCH,
    };

    /// All its bits: at most 33.
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.entry.wrapping_add(self.found) & 63)
    }
}

/// Decode until a lane comes near an end of its input or output, or to a token that is not for the fast
/// loops.
///
/// # Safety
///
/// As [`generic`](super::generic), for `N` lanes; their inputs lie at exposed addresses below
/// [`HIGHEST_ADDRESS`](super::HIGHEST_ADDRESS).
#[inline(always)]
pub(super) unsafe fn run<S: Symbol, I: Copies<S>, const N: usize, const CHECKED: bool>(
    lanes: &mut [Hot<S>; N],
    workbench: &Workbench,
) {
    const { assert!(I::WIDTH >= 32 && I::WIDTH <= COPY) }
    // The address of the input's first bit, of the next bit to look up, and of the next symbol of output.
    let mut base = [0_u64; N];
    let mut bit = [0_u64; N];
    let mut to = [core::ptr::null_mut::<S>(); N];
    let mut pending = [Step::NONE; N];
    for k in 0..N {
        base[k] = lanes[k].input.addr() as u64 * 8;
        bit[k] = base[k] + lanes[k].bit;
        to[k] = lanes[k].output;
    }
    let tables = workbench.tables();
    let mut rounds;

    macro_rules! finish {
        ($k:expr) => {
            let step = pending[$k];
            // SAFETY: the caller's promise.
            let distance = unsafe { resolve::<I>(step.found, step.word) };
            // SAFETY: the budget covers a step; the window before `to` is there or `floor` is checked.
            match unsafe { write::<S, I, CHECKED>(to[$k], step.entry, distance, lanes[$k].floor) } {
                Some(end) => to[$k] = end,
                None => {
                    let before = bit[$k] - step.bits();
                    // SAFETY: this round's budget is not yet used but for literals, which stay or are
                    // written anew.
                    let (after, end) = unsafe {
                        slow::finish(&lanes[$k], before - base[$k], step.bits(), to[$k], step.entry, distance)
                    };
                    rounds -= EXTRA;
                    bit[$k] = base[$k] + after;
                    to[$k] = end;
                    if bit[$k] == before {
                        lanes[$k].event = true;
                        rounds = STOP;
                    }
                }
            }
        };
    }

    macro_rules! step {
        ($k:expr) => {
            if $k < N {
                finish!($k);
                // SAFETY: SPARE_BITS of input are behind the next bit; the workbench has the lane's tables.
                pending[$k] = unsafe { look_up::<I>(tables.add($k), bit[$k]) };
                bit[$k] += pending[$k].bits();
            }
        };
    }

    loop {
        // How far the lanes come is seldom as far as the budget allows for, so there are some dozens of
        // budgets until one is near an end. Each costs less than leaving the loop would.
        rounds = rounds_for(
            lanes,
            core::array::from_fn(|k| bit[k] - base[k]),
            to,
            I::WIDTH,
        );
        // Once every lane has a whole window, nothing need be checked, which is for another call.
        let is_checked_in_vain =
            CHECKED && (0..N).all(|k| between(lanes[k].floor, to[k]) >= WINDOW);
        if rounds <= 0 || is_checked_in_vain {
            break;
        }
        while rounds > 0 {
            rounds -= 1;
            // Unrolled by hand: from a loop the compiler makes a worse use of registers.
            step!(0);
            step!(1);
            step!(2);
            step!(3);
        }
        if rounds < STOP / 2 {
            break;
        }
    }
    for k in 0..N {
        if lanes[k].event {
            // What was looked up behind the event is looked up again later.
            bit[k] -= pending[k].bits();
        } else {
            finish!(k);
        }
        lanes[k].bit = bit[k] - base[k];
        lanes[k].output = to[k];
    }
    let _ = rounds; // which the last steps were charged to
}

/// Look up the step at the address `bit`.
///
/// # Safety
///
/// `tables` are those of a block; the 15 bytes from `bit` on are exposed and may be read.
#[inline(always)]
unsafe fn look_up<I: Instructions>(tables: *const FastTables, bit: u64) -> Step {
    // SAFETY: the caller's promise; the indexes are masked to the tables' sizes.
    unsafe {
        let word = load(core::ptr::with_exposed_provenance((bit >> 3) as usize)) >> (bit & 7);
        let entry = *(&raw const (*tables).litlen)
            .cast::<u32>()
            .add(low(word, LITLEN_BITS as u32) as usize);
        let word = word >> (entry & 63);
        let found = *(&raw const (*tables).distance)
            .cast::<u32>()
            .add(low(word, DISTANCE_BITS as u32) as usize);
        Step {
            word,
            entry,
            found: I::distance_entry(entry, found),
        }
    }
}
