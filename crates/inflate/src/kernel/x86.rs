//! The fast loops with BMI (shifts by any register, bit fields) and wide copies.

use core::arch::asm;
use core::arch::x86_64::{
    _bzhi_u64, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_loadu_si512,
    _mm512_permutexvar_epi8, _mm512_storeu_si512,
};

use super::{Copies, Hot, Instructions, NO_MATCH, Variant, generic, literals, one};
use crate::MAX_LANES;
use crate::codes::Word;
use crate::symbol::Symbol;
use crate::tables::LITLEN_BITS;
use crate::workbench::Workbench;

/// Whether this machine has what [`run_avx2`] needs.
#[inline(always)]
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
}

/// Whether this machine has what [`run_avx512`] needs.
#[inline(always)]
pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
        && has_avx2()
}

/// # Safety
///
/// As [`generic`], and [`has_avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) unsafe fn run_avx2<S: Symbol>(
    lanes: &mut [Hot<S>; MAX_LANES],
    workbench: &Workbench,
    variant: Variant,
) {
    // SAFETY: the caller's promise.
    unsafe {
        if variant.wide || variant.literals {
            generic::<S, Avx2<64>>(lanes, workbench, variant);
        } else {
            generic::<S, Avx2<32>>(lanes, workbench, variant);
        }
    }
}

/// # Safety
///
/// As [`generic`] for one lane, and [`has_avx512`].
#[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vbmi,avx512vl,avx512bw")]
pub(super) unsafe fn run_avx512<S: Symbol>(lane: &mut [Hot<S>; 1], variant: Variant) {
    // SAFETY: the caller's promise.
    unsafe {
        match (variant.literals, variant.checked) {
            (false, false) => one::run::<S, Avx512, false>(&mut lane[0]),
            (false, true) => one::run::<S, Avx512, true>(&mut lane[0]),
            (true, false) => literals::run::<S, Avx512, 1, false>(lane),
            (true, true) => literals::run::<S, Avx512, 1, true>(lane),
        }
    }
}

/// [`join`](crate::join::join) in vectors of 32 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn join_avx2(
    plain: &[u32; 1 << LITLEN_BITS],
    litlen: &mut [u32; 1 << LITLEN_BITS],
    shortest: usize,
) {
    crate::join::join(plain, litlen, shortest);
}

/// [`join`](crate::join::join) in vectors of 64 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vbmi,avx512vl,avx512bw")]
pub(super) fn join_avx512(
    plain: &[u32; 1 << LITLEN_BITS],
    litlen: &mut [u32; 1 << LITLEN_BITS],
    shortest: usize,
) {
    crate::join::join(plain, litlen, shortest);
}

/// [`pack`](crate::pack::pack) in vectors of 32 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(super) fn pack_avx2(words: &[Word], entries: &mut [u64; 1 << LITLEN_BITS]) {
    crate::pack::pack(words, entries);
}

/// [`pack`](crate::pack::pack) in vectors of 64 bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512vbmi,avx512vl,avx512bw")]
pub(super) fn pack_avx512(words: &[Word], entries: &mut [u64; 1 << LITLEN_BITS]) {
    crate::pack::pack(words, entries);
}

/// [`Instructions::distance_entry`]. `select_unpredictable` became a branch again in all lanes but one
/// (LLVM 21), which cost much of the speed.
#[inline(always)]
fn select(entry: u32, mut found: u32) -> u32 {
    // SAFETY: computes on registers alone.
    unsafe {
        asm!(
            "test {entry:e}, 0xff00",
            "cmovz {found:e}, {none:e}",
            entry = in(reg) entry,
            found = inout(reg) found,
            none = in(reg) NO_MATCH,
            options(pure, nomem, nostack),
        );
    }
    found
}

/// The lower of a distance and 64, without a branch: see [`select`].
#[inline(always)]
fn at_most_64(mut distance: usize) -> usize {
    // SAFETY: computes on registers alone.
    unsafe {
        asm!(
            "cmp {distance}, {most}",
            "cmovae {distance}, {most}",
            distance = inout(reg) distance,
            most = in(reg) 64_usize,
            options(pure, nomem, nostack),
        );
    }
    distance
}

/// With copies of `WIDTH` symbols.
struct Avx2<const WIDTH: usize>;

impl<const WIDTH: usize> Instructions for Avx2<WIDTH> {
    #[inline(always)]
    unsafe fn low(word: u64, count: u32) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { _bzhi_u64(word, count) }
    }

    #[inline(always)]
    fn distance_entry(entry: u32, found: u32) -> u32 {
        select(entry, found)
    }
}

impl<S: Symbol, const WIDTH: usize> Copies<S> for Avx2<WIDTH> {
    const WIDTH: usize = WIDTH;
    const REPEATS: bool = false;

    #[inline(always)]
    unsafe fn copy(to: *mut S, distance: usize) {
        const { assert!(WIDTH == 32 || WIDTH == 64) }
        let from = to.wrapping_sub(distance).cast::<u8>();
        let to = to.cast::<u8>();
        let bytes = WIDTH * size_of::<S>(); // 32, 64 or 128
        // SAFETY: the caller's promise.
        unsafe {
            let first = _mm256_loadu_si256(from.cast());
            if bytes > 64 {
                let third = _mm256_loadu_si256(from.add(64).cast());
                let fourth = _mm256_loadu_si256(from.add(96).cast());
                _mm256_storeu_si256(to.add(96).cast(), fourth);
                _mm256_storeu_si256(to.add(64).cast(), third);
            }
            if bytes > 32 {
                let second = _mm256_loadu_si256(from.add(32).cast());
                _mm256_storeu_si256(to.add(32).cast(), second);
            }
            _mm256_storeu_si256(to.cast(), first);
        }
    }
}

/// For one lane. A match that overlaps itself is a pattern: one permutation of the bytes before it makes 64
/// of its bytes. 2 to 6 % of the matches in FASTQ do (runs of one quality); without it each is a branch
/// that cannot be predicted. With four lanes it does not pay: loads of 64 bytes meet stores in flight more often
/// (docs/design/inflate.md).
struct Avx512;

/// Row `distance`: where each of 64 bytes comes from. From 64 on nothing repeats.
#[repr(C, align(64))]
struct Patterns([[u8; 64]; 65]);

static PATTERNS: Patterns = {
    let mut rows = [[0; 64]; 65];
    let mut distance = 1;
    while distance <= 64 {
        let mut byte = 0;
        while byte < 64 {
            rows[distance][byte] = (byte % distance) as u8;
            byte += 1;
        }
        distance += 1;
    }
    Patterns(rows)
};

impl Instructions for Avx512 {
    #[inline(always)]
    unsafe fn low(word: u64, count: u32) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { _bzhi_u64(word, count) }
    }

    #[inline(always)]
    fn distance_entry(entry: u32, found: u32) -> u32 {
        select(entry, found)
    }
}

impl<S: Symbol> Copies<S> for Avx512 {
    const WIDTH: usize = 64 / size_of::<S>();
    const REPEATS: bool = true;

    #[inline(always)]
    unsafe fn copy(to: *mut S, distance: usize) {
        // Of wider symbols whole ones repeat when their bytes do.
        let row = at_most_64(distance * size_of::<S>());
        // SAFETY: the caller's promise; there are 65 rows.
        unsafe {
            let bytes = _mm512_loadu_si512(to.wrapping_sub(distance).cast());
            let pattern = _mm512_loadu_si512(PATTERNS.0.as_ptr().add(row).cast());
            _mm512_storeu_si512(to.cast(), _mm512_permutexvar_epi8(pattern, bytes));
        }
    }
}
