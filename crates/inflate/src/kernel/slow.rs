//! What is rare: tokens that the tables of the fast loops do not hold (a long code word, a length that
//! does not fit its entry), and matches that one copy does not do.

use super::{Hot, copy, load, low};
use crate::symbol::{Symbol, between};
use crate::tables::{DISTANCE_BITS, EXCEPTION, LITLEN_BITS, distance, plain};

/// Decode one token at `bit`, and return the place after it in input and output. The same place means
/// that the token ends the block or is wrong, and nothing was written.
///
/// # Safety
///
/// Input and output have a budget of one round, see [`budget`](super::budget); `bit` and `output` are
/// the lane's.
#[inline]
unsafe fn step<S: Symbol>(lane: &Hot<S>, bit: u64, output: *mut S) -> (u64, *mut S) {
    // SAFETY: `tables` outlive the loop and are not changed by it.
    let tables = unsafe { &*lane.tables };
    // SAFETY: the budget covers 16 bytes from the next bit on.
    let word = unsafe { load(lane.input.wrapping_add((bit >> 3) as usize)) } >> (bit & 7);

    let mut entry = tables.plain[low(word, LITLEN_BITS as u32) as usize];
    if plain::kind(entry) == plain::SUBTABLE {
        let place = u64::from(plain::value(entry)) + low(word >> LITLEN_BITS, plain::extra(entry));
        entry = tables.plain[place as usize];
    }
    let used = plain::bits(entry);
    if plain::kind(entry) == plain::LITERAL {
        // SAFETY: the budget covers 260 symbols.
        unsafe { output.write(S::from(plain::value(entry) as u8)) };
        return (bit + u64::from(used), output.wrapping_add(1));
    }
    if plain::kind(entry) != plain::LENGTH {
        return (bit, output);
    }
    let extra = plain::extra(entry);
    let length = plain::value(entry) as usize + low(word >> used, extra) as usize;
    let used = used + extra;
    // At most 20 bits are gone and 28 follow, of 57 at hand.
    let word = word >> used;

    let mut entry = tables.distance_plain[low(word, DISTANCE_BITS as u32) as usize];
    if distance::is_subtable(entry) {
        let place =
            u64::from(distance::place(entry)) + low(word >> DISTANCE_BITS, distance::bits(entry));
        entry = tables.distance_plain[place as usize];
    }
    if distance::is_none(entry) {
        return (bit, output);
    }
    let distance = distance::value(entry) as usize
        + (low(word, distance::bits(entry)) >> distance::code_bits(entry)) as usize;
    let used = used + distance::bits(entry);
    if distance > between(lane.floor, output) {
        return (bit, output);
    }
    // SAFETY: the budget covers 260 symbols and two copies more; the distance stays above `floor`.
    unsafe { copy::any(output, distance, length) };
    (bit + u64::from(used), output.wrapping_add(length))
}

/// Does [`step`] for a loop that seldom needs it.
///
/// # Safety
///
/// As [`step`].
#[cold]
#[inline(never)]
pub(super) unsafe fn anew<S: Symbol>(lane: &Hot<S>, bit: u64, output: *mut S) -> (u64, *mut S) {
    // SAFETY: the caller's promise.
    unsafe { step(lane, bit, output) }
}

/// Do what is left of a step whose literals are written: a match that is long or overlaps itself; or
/// if its entries are exceptions or it is no match that can be done here, do its first token anew.
///
/// `bit` and `output` are the lane's before the step, which takes `bits`. Returns as [`step`].
///
/// # Safety
///
/// As [`step`].
#[cold]
#[inline(never)]
pub(super) unsafe fn finish<S: Symbol>(
    lane: &Hot<S>,
    bit: u64,
    bits: u64,
    output: *mut S,
    entry: u32,
    distance: usize,
) -> (u64, *mut S) {
    let length = (entry >> 8 & 0xff) as usize;
    let to = output.wrapping_add((entry >> 6 & 3) as usize);
    if entry == EXCEPTION || distance == 0 || distance > between(lane.floor, to) {
        // SAFETY: the caller's promise.
        return unsafe { step(lane, bit, output) };
    }
    // SAFETY: the budget covers 260 symbols and two copies more; the distance stays above `floor`.
    unsafe { copy::any(to, distance, length) };
    (bit + bits, to.wrapping_add(length))
}
