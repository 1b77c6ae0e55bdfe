//! The kernels in plain Rust, for machines without AVX2 or NEON.
//!
//! The loops over bytes keep their counts in a `u8`, so that the compiler can use whatever vectors
//! the target's baseline has (SSE2, say), 16 bytes at a time.

use crate::{OFFSETS, PROBE, Qualities, Within};

/// Bytes per block: a `u8` counts no further than 255. 192 is a multiple of every vector width.
const BLOCK: usize = 192;

pub(crate) fn newlines(bytes: &[u8], base: u32, ends: &mut Vec<u32>) {
    // The caller has checked that every position fits.
    ends.extend(memchr::memchr_iter(b'\n', bytes).map(|position| base + position as u32));
}

pub(crate) use crate::bases::complement_words as reverse_complement;
pub(crate) use crate::bases::pack_words as pack;
pub(crate) use crate::columns::add as add_columns;
pub(crate) use crate::columns::count as count_columns;
pub(crate) use crate::repeats::find_plainly as repeats;

pub(crate) fn offsets_of(letters: &[u8; PROBE], least: u8, text: &[u8; OFFSETS + PROBE]) -> u128 {
    let matches = crate::bases::count_matches(letters, text);
    // Most often there is none, which vectors see.
    if matches.iter().fold(0, |most, &lane| lane.max(most)) < least {
        return 0;
    }
    let bits = (0..).zip(matches);
    bits.fold(0, |offsets, (bit, lane)| {
        offsets | u128::from(lane >= least) << bit
    })
}

pub(crate) fn count_equal(bytes: &[u8], byte: u8) -> usize {
    count_all(bytes, |other| other == byte)
}

pub(crate) fn count_at_least(bytes: &[u8], least: u8) -> usize {
    count_all(bytes, |byte| byte >= least)
}

pub(crate) fn count_values(bytes: &[u8], values: &[u8], counts: &mut [u64]) -> u64 {
    for (&value, count) in values.iter().zip(&mut *counts) {
        *count = count_equal(bytes, value) as u64;
    }
    counts.iter().sum()
}

pub(crate) fn are_all_within<'a, const FIRST: u8, const LAST: u8>(
    mut lines: impl Iterator<Item = &'a [u8]>,
    _: Within<FIRST, LAST>,
) -> bool {
    let is_within = |byte: u8| byte.wrapping_sub(FIRST) <= LAST - FIRST;
    lines.all(|line| count_all(line, is_within) == line.len())
}

pub(crate) fn are_bases(bytes: &[u8]) -> bool {
    let is_base = |byte| (byte == b'A') | (byte == b'C') | (byte == b'G') | (byte == b'T');
    count_all(bytes, is_base) == bytes.len()
}

pub(crate) fn letters<'a>(lines: impl Iterator<Item = &'a [u8]>, counts: &mut [u64; 256]) {
    for line in lines {
        for block in line.chunks(BLOCK) {
            let usual = *b"ACGTN";
            let found = usual.map(|letter| count(block, |byte| byte == letter));
            let sum: usize = found.iter().map(|&number| usize::from(number)).sum();
            if sum == block.len() {
                for (letter, number) in usual.into_iter().zip(found) {
                    counts[usize::from(letter)] += u64::from(number);
                }
            } else {
                for &byte in block {
                    counts[usize::from(byte)] += 1;
                }
            }
        }
    }
}

pub(crate) fn letters_in_lines(body: &[u8], counts: &mut [u64; 256]) -> usize {
    let mut start = 0;
    let mut counted = 0;
    for end in memchr::memchr_iter(b'\n', body).chain([body.len()]) {
        let line = &body[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        letters(std::iter::once(line), counts);
        counted += line.len();
        start = end + 1;
    }
    counted
}

pub(crate) fn qualities<'a>(lines: impl Iterator<Item = &'a [u8]>, totals: &mut Qualities) {
    for line in lines {
        let mut sum = 0u64;
        for block in line.chunks(BLOCK) {
            // 192 bytes of at most 255 fit 16 bits.
            sum += u64::from(block.iter().map(|&byte| u16::from(byte)).sum::<u16>());
            totals.q20 += u64::from(count(block, |byte| byte >= crate::qualities::Q20));
            totals.q30 += u64::from(count(block, |byte| byte >= crate::qualities::Q30));
        }
        totals.add_line(sum, line.len());
    }
}

/// How many bytes satisfy `test`.
#[inline(always)]
fn count_all(bytes: &[u8], test: impl Fn(u8) -> bool) -> usize {
    let blocks = bytes.chunks(BLOCK);
    blocks.map(|block| usize::from(count(block, &test))).sum()
}

/// How many bytes of a block satisfy `test`.
#[inline(always)]
fn count(block: &[u8], test: impl Fn(u8) -> bool) -> u8 {
    debug_assert!(block.len() <= BLOCK);
    block
        .iter()
        .fold(0u8, |number, &byte| number + u8::from(test(byte)))
}
