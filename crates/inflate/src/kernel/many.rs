//! Several streams, step by step in one loop.
//!
//! ```text
//! while every lane has room for some rounds, that many times:
//!     for each lane: take the bits of the entry; look up a distance       (a match or not: no branch)
//!     for each lane: resolve the distance; advance; look up the next entry
//!     for each lane: store two literals, copy a match of up to WIDTH bytes; advance
//! ```
//!
//! A step is what one `litlen` entry holds: up to two literals and then a match. All lanes do each stage
//! before the next one begins, so that the lookups of one wait beside those of the others; the next
//! entry is looked up before the copy, which nothing waits for. What is rare (long codes, matches that are
//! long or overlap themselves, the end of a block) is one branch per step and a call.
//!
//! What was measured, as a part of libdeflate's speed, with four lanes on HiSeq-like FASTQ by gzip -6
//! (Sapphire Rapids):
//! * this loop 1.63, on long nanopore reads 2.2;
//! * "no match" as a copy from distance 0: 1.35. Each such load meets the literals and the junk just
//!   stored and waits for them; see `NO_MATCH`;
//! * `select_unpredictable` instead of two lines of assembly for the distance entry: 1.20. LLVM makes it a
//!   branch again in all lanes but the first;
//! * no copies at all (wrong output): 1.87, the limit of the lookups;
//! * before that was found: 10 instead of 11 bits for `litlen`, and copies of 16 bytes, were equal.

use super::{Bench, COPY, EXTRA, Hot, Instructions, budget, load, low, slow};
use crate::WINDOW;
use crate::tables::{DISTANCE_BITS, LITLEN_BITS};

/// Below every budget, however much was charged to it in one round.
const STOP: isize = isize::MIN / 2;

/// Decode until a lane comes near an end of its input or output, or to a token that is not for the fast
/// loops.
///
/// # Safety
///
/// As [`generic`](super::generic), for `N` lanes.
#[inline(always)]
pub(super) unsafe fn run<I: Instructions, const N: usize, const CHECKED: bool>(
    lanes: &mut [Hot; N],
    bench: &Bench,
) {
    const { assert!(I::WIDTH >= 32 && I::WIDTH <= COPY) }
    let mut bit = [0_u64; N];
    let mut to = [core::ptr::null_mut::<u8>(); N];
    let mut input = [core::ptr::null::<u8>(); N];
    for k in 0..N {
        bit[k] = lanes[k].bit;
        to[k] = lanes[k].output;
        input[k] = lanes[k].input;
    }
    let mut word = [0_u64; N];
    let mut entry = [0_u32; N];

    macro_rules! next_word {
        ($k:expr) => {
            // SAFETY: SPARE_BITS of input are behind the next bit; the index is masked to the
            // table's size.
            unsafe {
                word[$k] = load(input[$k].wrapping_add((bit[$k] >> 3) as usize)) >> (bit[$k] & 7);
                entry[$k] =
                    *(&raw const (*bench.at($k)).litlen)
                        .cast::<u32>()
                        .add(low(word[$k], LITLEN_BITS as u32) as usize);
            }
        };
    }
    for k in 0..N {
        next_word!(k);
    }

    loop {
        // How far the lanes come is seldom as far as the budget allows for, so there are some dozens of
        // budgets until one is near an end. Each costs less than leaving the loop would.
        let mut rounds = isize::MAX;
        for k in 0..N {
            rounds = rounds.min(budget(
                lanes[k].input_bits - bit[k],
                lanes[k].output_end.addr() - to[k].addr(),
                I::WIDTH,
            ));
        }
        // Once every lane has a whole window, nothing need be checked, which is for another call.
        let is_checked_in_vain =
            CHECKED && (0..N).all(|k| to[k].addr() - lanes[k].floor.addr() >= WINDOW);
        if rounds <= 0 || is_checked_in_vain {
            break;
        }
        while rounds > 0 {
            rounds -= 1;
            let mut found = [0_u32; N];
            for k in 0..N {
                word[k] >>= entry[k] & 63;
                // SAFETY: the index is masked to the table's size.
                found[k] = unsafe {
                    let table = (&raw const (*bench.at(k)).distance).cast::<u32>();
                    *table.add(low(word[k], DISTANCE_BITS as u32) as usize)
                };
                // Without a match: no bits, and a distance at which an exception is not.
                found[k] = I::distance_entry(entry[k], found[k]);
            }
            let mut distance = [0_usize; N];
            let mut step = [0_u32; N];
            let mut taken = [0_u64; N];
            for k in 0..N {
                // SAFETY: the caller's promise.
                let offset = unsafe { I::low(word[k], found[k]) } >> (found[k] >> 8 & 63);
                distance[k] = (found[k] >> 16) as usize + offset as usize;
                taken[k] = u64::from(entry[k].wrapping_add(found[k]) & 63); // at most 33
                step[k] = entry[k];
                if taken[k] == 0 {
                    // The entry is an exception: nothing to write but junk in this round.
                    // SAFETY: this round's budget is not yet used.
                    let (after, end) = unsafe { slow::step(&lanes[k], bit[k], to[k]) };
                    if after == bit[k] {
                        lanes[k].event = true;
                        rounds = STOP;
                    }
                    rounds -= EXTRA;
                    bit[k] = after;
                    to[k] = end;
                }
                bit[k] += taken[k];
                next_word!(k);
            }
            for k in 0..N {
                let length = (step[k] >> 8 & 0xff) as usize;
                // SAFETY: the budget covers two literals and COPY bytes.
                let start = unsafe {
                    to[k]
                        .cast::<[u8; 2]>()
                        .write_unaligned(((step[k] >> 16) as u16).to_le_bytes());
                    to[k].add((step[k] >> 6 & 3) as usize)
                };
                let from = start.wrapping_sub(distance[k]);
                let is_far = CHECKED && from.cast_const() < lanes[k].floor;
                if !is_far {
                    // SAFETY: as above; `from` is within the window before `start`, which is there or has
                    // been checked.
                    unsafe { I::copy(start, distance[k]) };
                }
                if length > I::WIDTH
                    || (if I::REPEATS {
                        distance[k] == 0
                    } else {
                        distance[k] < length
                    })
                    || is_far && length > 0
                {
                    // SAFETY: this round's budget is not yet used but for literals, which stay or are
                    // written anew.
                    let (after, end) = unsafe {
                        slow::finish(
                            &lanes[k],
                            bit[k] - taken[k],
                            bit[k],
                            to[k],
                            step[k],
                            distance[k],
                        )
                    };
                    to[k] = end;
                    rounds -= EXTRA;
                    if after != bit[k] {
                        if after == bit[k] - taken[k] {
                            lanes[k].event = true;
                            rounds = STOP;
                        }
                        bit[k] = after;
                        next_word!(k);
                    }
                } else {
                    to[k] = start.wrapping_add(length);
                }
            }
        }
        if rounds < STOP / 2 {
            break;
        }
    }
    for k in 0..N {
        lanes[k].bit = bit[k];
        lanes[k].output = to[k];
    }
}
