//! The fast loops: what they need to know, and which instructions they may use.
//!
//! * `one`: a single stream, with a bit buffer.
//! * `literals`: one or two streams in blocks that are mostly literals.
//! * `two`, `many`: two, and three or four streams side by side.
//! * `slow`: the tokens of a stream that neither does by itself.
//! * `copy`: matches that are long or overlap themselves.
//!
//! Bounds are checked for many rounds at once, as a number of rounds that every lane can do whatever its
//! data are (the budget): see [`budget`].

mod choice;
mod copy;
mod literals;
mod many;
mod one;
mod portable;
mod slow;
mod two;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use choice::{Kernel, active_kernel};

use crate::codes::Word;
use crate::job::Job;
use crate::symbol::{Symbol, between};
use crate::tables::{DISTANCE_BITS, LITLEN_BITS, Tables};
use crate::workbench::Workbench;
use crate::{MAX_LANES, WINDOW};

/// What the fast loops know of a lane. Valid only while they run.
#[derive(Debug, Clone, Copy)]
struct Hot<S> {
    /// Start of the input.
    input: *const u8,
    /// The next bit, counted from `input`.
    bit: u64,
    /// Where the next symbol of output goes.
    output: *mut S,
    /// The first symbol that matches may refer to.
    floor: *const S,
    tables: *const Tables,
    /// Bits of the input.
    input_bits: u64,
    /// The end of the output.
    output_end: *const S,
    /// Set when the next token is not for the fast loops.
    event: bool,
}

impl<S> Hot<S> {
    const NONE: Self = Self {
        input: core::ptr::null(),
        bit: 0,
        output: core::ptr::null_mut(),
        floor: core::ptr::null(),
        tables: core::ptr::null(),
        input_bits: 0,
        output_end: core::ptr::null(),
        event: false,
    };
}

/// Bits that one step takes at most: an entry of `litlen` and a distance found without a subtable, which
/// has up to 13 extra bits.
const STEP_BITS: usize = LITLEN_BITS + DISTANCE_BITS + 13;
/// The widest copy that a step makes, in symbols, whether there is a match or not.
const COPY: usize = 64;
/// Rounds that a step costs in which there was a longer match, or a token for `slow`: at most
/// 2 + 258 symbols and 48 bits. Each round stands for 2 + [`Copies::WIDTH`] symbols.
const EXTRA: isize = 8;
const _: () = assert!(EXTRA as usize * (2 + 32) >= 260 && EXTRA as usize * STEP_BITS >= 48);
/// Symbols of room that are never part of the budget: a lane may write 2 + 258 in its last round and in
/// the step that it finishes behind it, and its copies up to 2 * COPY too many.
const SPARE_SYMBOLS: usize = 2 * 260 + 2 * COPY;
/// Bits of input that are never part of the budget. The last round and the step behind it may take 48 each,
/// and loads reach up to 16 bytes past the next bit.
///
/// A single lane reads at most 8 bytes ahead of the next bit, and must be before its limit at the start.
const SPARE_BITS: u64 = 2 * 48 + (8 + INPUT_LIMIT as u64) * 8;
/// Bytes between the limit of a single lane and the end of its input: a step goes on by at most 6
/// bytes, then reads 8.
const INPUT_LIMIT: usize = 16;
/// The end of the addresses whose bits have addresses, too.
const HIGHEST_ADDRESS: u64 = u64::MAX / 8;

/// Whether a lane with so much input and room left can do at least one round.
#[inline(always)]
pub(crate) fn has_room(bits: u64, symbols: usize) -> bool {
    budget(bits, symbols, COPY) > 0
}

/// Rounds that a lane can surely do, if copies are of `width` symbols.
///
/// The loops keep this true at the start of each round: input and room left are at least budget *
/// step + spare. A round takes 1 from the budget, and [`EXTRA`] for each step that may exceed
/// 2 + `width` symbols or [`STEP_BITS`].
#[inline(always)]
fn budget(bits: u64, symbols: usize, width: usize) -> isize {
    let by_input = bits.saturating_sub(SPARE_BITS) / STEP_BITS as u64;
    let by_output = symbols.saturating_sub(SPARE_SYMBOLS) / (2 + width);
    // Both are far below isize::MAX: they count symbols of slices.
    (by_input as usize).min(by_output) as isize
}

/// Rounds that all lanes can surely do. Of each, `bits` of the input are done, and `to` is where the next
/// symbol of output goes.
#[inline(always)]
fn rounds_for<S, const N: usize>(
    lanes: &[Hot<S>; N],
    bits: [u64; N],
    to: [*mut S; N],
    width: usize,
) -> isize {
    (0..N).fold(isize::MAX, |rounds, k| {
        let bits = lanes[k].input_bits - bits[k];
        let symbols = between(to[k], lanes[k].output_end);
        rounds.min(budget(bits, symbols, width))
    })
}

/// Below every number of rounds, however much was charged to it in one.
const STOP: isize = isize::MIN / 2;

/// Decode tokens in all `jobs` (at most [`MAX_LANES`], all within a block and with room, see
/// [`has_room`]) until one comes near an end of its input or output or meets a token that is not for
/// the fast loops. `floors[i]` is the first symbol of output that matches of job i may refer to.
///
/// # Panics
///
/// If this machine cannot run `kernel`.
pub(crate) fn run<S: Symbol>(
    kernel: Kernel,
    jobs: &mut [Option<&mut Job<'_, S>>],
    floors: &[usize; MAX_LANES],
    workbench: &mut Workbench,
) {
    let is_literal = |job: &Option<&mut Job<'_, S>>| {
        job.as_ref()
            .is_some_and(|job| job.lane.tables.is_mostly_literals)
    };
    if jobs.len() == 1 || !jobs.iter().any(is_literal) {
        return run_together(kernel, jobs, floors, workbench);
    }
    // Blocks of literals go by twos, the others alone: that is faster than all in a loop that expects matches.
    let mut rest = jobs;
    let mut floors = &floors[..];
    while !rest.is_empty() {
        let are_literal = rest.len() > 1 && rest[..2].iter().all(is_literal);
        let (now, later) = rest.split_at_mut(1 + usize::from(are_literal));
        run_together(kernel, now, floors, workbench);
        rest = later;
        floors = &floors[now.len()..];
    }
}

/// Does what [`run`] does, in one loop.
fn run_together<S: Symbol>(
    kernel: Kernel,
    jobs: &mut [Option<&mut Job<'_, S>>],
    floors: &[usize],
    workbench: &mut Workbench,
) {
    assert!(kernel.is_available(), "instructions that are not there");
    let mut lanes = [Hot::NONE; MAX_LANES];
    let mut checked = false;
    let mut count = 0;
    let mut wide = false;
    let mut literals = false;
    // Where addresses of bits are too large for 64-bit numbers, as with tagged pointers, lanes run alone.
    let together = if jobs.iter().flatten().all(|job| has_low_address(job.input)) {
        jobs.len()
    } else {
        1
    };
    for (job, &floor) in jobs.iter_mut().flatten().zip(floors).take(together) {
        if together > 1 && !job.lane.tables.is_mostly_literals {
            workbench.put(count, &job.lane.tables);
            job.input.as_ptr().expose_provenance();
        }
        wide |= job.lane.tables.has_long_matches;
        literals |= job.lane.tables.is_mostly_literals;
        let input_bits = job.input.len() as u64 * 8;
        let room = &mut job.output[floor..];
        let at = job.output_at - floor;
        let length = room.len();
        if !has_room(input_bits.saturating_sub(job.input_bit), length - at) {
            return;
        }
        checked |= at < WINDOW;
        let start = room.as_mut_ptr();
        lanes[count] = Hot {
            input: job.input.as_ptr(),
            bit: job.input_bit,
            output: start.wrapping_add(at),
            floor: start,
            tables: &raw const job.lane.tables,
            input_bits,
            output_end: start.wrapping_add(length),
            event: false,
        };
        count += 1;
    }
    // SAFETY: every lane has room. Inputs are
    // only read; outputs are distinct slices, as each job borrows its own. If not `checked`, each
    // lane has WINDOW symbols of the same slice before `output`. The kernel is available.
    unsafe {
        dispatch(
            kernel,
            &mut lanes,
            workbench,
            Variant {
                count,
                checked,
                wide,
                literals,
            },
        )
    };
    for (job, lane) in jobs.iter_mut().flatten().zip(&lanes[..count]) {
        job.input_bit = lane.bit;
        job.output_at = between(job.output.as_ptr(), lane.output);
        job.lane.event = lane.event;
    }
}

/// [`join`](crate::join::join) in the widest vectors of this machine. Not a matter of [`Kernel`]: it is the
/// same safe code each time.
pub(crate) fn join(
    plain: &[u32; 1 << LITLEN_BITS],
    litlen: &mut [u32; 1 << LITLEN_BITS],
    shortest: usize,
) {
    #[cfg(target_arch = "x86_64")]
    if x86::has_avx512() {
        // SAFETY: the instructions are there.
        return unsafe { x86::join_avx512(plain, litlen, shortest) };
    } else if x86::has_avx2() {
        // SAFETY: the instructions are there.
        return unsafe { x86::join_avx2(plain, litlen, shortest) };
    }
    crate::join::join(plain, litlen, shortest);
}

/// Runs [`pack`](crate::pack::pack) in the widest vectors of this machine, as [`join`] does.
pub(crate) fn pack(words: &[Word], entries: &mut [u64; 1 << LITLEN_BITS]) {
    #[cfg(target_arch = "x86_64")]
    if x86::has_avx512() {
        // SAFETY: the instructions are there.
        return unsafe { x86::pack_avx512(words, entries) };
    } else if x86::has_avx2() {
        // SAFETY: the instructions are there.
        return unsafe { x86::pack_avx2(words, entries) };
    }
    crate::pack::pack(words, entries);
}

/// Whether the addresses of all bits of `input` are 64-bit numbers.
#[inline(always)]
fn has_low_address(input: &[u8]) -> bool {
    let end = input.as_ptr().addr() as u64 + input.len() as u64;
    end < HIGHEST_ADDRESS
}

/// Which of the loops.
#[derive(Clone, Copy)]
struct Variant {
    /// How many lanes.
    count: usize,
    /// A lane may not have its window yet, so that distances must be compared with it.
    checked: bool,
    /// Long matches are frequent.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for vector kernels")
    )]
    wide: bool,
    /// One lane or two whose blocks are mostly literals.
    literals: bool,
}

/// # Safety
///
/// As [`generic`]; `kernel` is available.
#[inline(always)]
unsafe fn dispatch<S: Symbol>(
    kernel: Kernel,
    lanes: &mut [Hot<S>; MAX_LANES],
    workbench: &Workbench,
    variant: Variant,
) {
    debug_assert!(kernel.is_available());
    // SAFETY: the caller's promise.
    unsafe {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 if variant.count == 1 => x86::run_avx512(first(lanes), variant),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 | Kernel::Avx2 => x86::run_avx2(lanes, workbench, variant),
            _ => generic::<S, portable::Portable>(lanes, workbench, variant),
        }
    }
}

/// The loop for `variant.count` lanes.
///
/// # Safety
///
/// For each of these lanes:
/// * [`has_room`] is true of the bits from `bit` to `input_bits` and the symbols from `output` to `output_end`;
/// * `input` is valid for reads of `input_bits` bits;
/// * `output` is valid for writes up to `output_end`, nothing else refers to what is there, and `floor`
///   begins the same slice;
/// * unless `variant.checked`, `output` is at least WINDOW symbols past `floor`;
/// * `tables` are those of a block; if there are several lanes, place i of `workbench` has a copy of its
///   own, `input` is exposed and its address below [`HIGHEST_ADDRESS`].
/// * The machine has the instructions `I`.
#[inline(always)]
unsafe fn generic<S: Symbol, I: Copies<S>>(
    lanes: &mut [Hot<S>; MAX_LANES],
    workbench: &Workbench,
    variant: Variant,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match (variant.count, variant.checked) {
            (1, false) if variant.literals => literals::run::<S, I, 1, false>(first(lanes)),
            (1, true) if variant.literals => literals::run::<S, I, 1, true>(first(lanes)),
            (2, false) if variant.literals => literals::run::<S, I, 2, false>(first(lanes)),
            (2, true) if variant.literals => literals::run::<S, I, 2, true>(first(lanes)),
            (1, false) => one::run::<S, I, false>(&mut lanes[0]),
            (1, true) => one::run::<S, I, true>(&mut lanes[0]),
            (2, false) => two::run::<S, I, false>(first(lanes), workbench),
            (2, true) => two::run::<S, I, true>(first(lanes), workbench),
            (3, false) => many::run::<S, I, 3, false>(first(lanes), workbench),
            (3, true) => many::run::<S, I, 3, true>(first(lanes), workbench),
            (4, false) => many::run::<S, I, 4, false>(first(lanes), workbench),
            (4, true) => many::run::<S, I, 4, true>(first(lanes), workbench),
            _ => {}
        }
    }
}

#[inline(always)]
fn first<S, const N: usize>(lanes: &mut [Hot<S>; MAX_LANES]) -> &mut [Hot<S>; N] {
    lanes.first_chunk_mut().expect("N <= MAX_LANES")
}

/// What the fast loops do in different ways on different machines.
trait Instructions {
    /// The lowest bits of a word, as many as the lowest byte of `count` says: at most 63.
    ///
    /// # Safety
    ///
    /// The machine has the instructions.
    unsafe fn low(word: u64, count: u32) -> u64;

    /// The distance entry of a step: `found` if the `litlen` entry has a match, else [`NO_MATCH`]. This
    /// must not be a branch: whether a match follows cannot be predicted.
    fn distance_entry(entry: u32, found: u32) -> u32;
}

/// How symbols are copied.
trait Copies<S>: Instructions {
    /// Symbols that [`Copies::copy`] copies: at least 32, at most [`COPY`].
    const WIDTH: usize;
    /// Whether it repeats a match that overlaps itself.
    const REPEATS: bool;

    /// Write `WIDTH` symbols `to` from what is `distance` symbols before it: as a match does if `REPEATS`
    /// (then `distance >= 1`), else as they are before the call.
    ///
    /// # Safety
    ///
    /// `to` is valid for writes of `WIDTH` symbols, and for reads from `distance` symbols before on; the
    /// machine has the instructions.
    unsafe fn copy(to: *mut S, distance: usize);
}

/// The distance that an entry says, with its extra bits from `word`, which begins behind the length.
///
/// # Safety
///
/// The machine has the instructions `I`.
#[inline(always)]
unsafe fn resolve<I: Instructions>(found: u32, word: u64) -> usize {
    // SAFETY: the caller's promise.
    let extra = unsafe { I::low(word, found) } >> (found >> 8 & 63);
    (found >> 16) as usize + extra as usize
}

/// Write what a step says, its literals and its match, and return where the next symbol goes; or only
/// the literals, if the rest is for `slow`.
///
/// # Safety
///
/// `to` has a budget of one round; the window before it is there, or if `CHECKED`, what is there of it begins
/// at `floor`. The machine has the instructions `I`.
#[inline(always)]
unsafe fn write<S: Symbol, I: Copies<S>, const CHECKED: bool>(
    to: *mut S,
    step: u32,
    distance: usize,
    floor: *const S,
) -> Option<*mut S> {
    let length = (step >> 8 & 0xff) as usize;
    // SAFETY: the budget covers two literals and COPY symbols.
    let start = unsafe {
        to.cast::<[S; 2]>()
            .write_unaligned(S::pair((step >> 16) as u16));
        to.add((step >> 6 & 3) as usize)
    };
    let from = start.wrapping_sub(distance);
    let is_far = CHECKED && from.cast_const() < floor;
    if !is_far {
        // SAFETY: as above; `from` is within the window before `start`, which is there or has been
        // checked.
        unsafe { I::copy(start, distance) };
    }
    // An exception has the length 255, or the distance 0.
    let overlaps = match I::REPEATS {
        true => distance == 0,
        false => distance < length,
    };
    if length > I::WIDTH || overlaps || is_far && length > 0 {
        None
    } else {
        Some(start.wrapping_add(length))
    }
}

/// The distance entry of a step without a match: it takes no bits, and its copy, of length 0, is from
/// 1024 symbols back. That is where no store is in flight any more. From distance 0 the load would meet the
/// literals and the junk that were just stored, and wait for them.
const NO_MATCH: u32 = 1024 << 16;

/// The lowest `count < 64` bits.
#[inline(always)]
fn low(word: u64, count: u32) -> u64 {
    word & ((1 << (count & 63)) - 1)
}

/// 8 bytes, the first one lowest.
///
/// # Safety
///
/// `from` is valid for reads of 8 bytes.
#[inline(always)]
unsafe fn load(from: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    u64::from_le_bytes(unsafe { from.cast::<[u8; 8]>().read_unaligned() })
}
