//! Super-k-mers as bytes: how they wait between the stages, in memory and in temporary files.
//!
//! ```text
//! block of 256 bytes:    record, record, ... , zero                   (what is behind it means nothing)
//! record of n bases:     one byte: b = floor(n / 4) + 1
//!                        b bytes: the record's words, least significant byte first, up to the one with the end mark
//! ```
//! No record lies in two blocks. At k = 31 a record of 40 bases, which two words hold, takes 12 bytes; with what is lost
//! at the end of blocks, a k-mer takes 1.1 bytes instead of 1.5. Records of one word stay words, 32 of them in a block: the
//! byte of the length would cost what the others spare.
//!
//! # Markers
//!
//! All blocks of a store may begin with a marker, a number that holds for each of their records: whose they are, for
//! example. It takes 4 bytes; of blocks of words, the first word. Such blocks of words are always whole, with zeros behind
//! the records, as no record is zero.
//!
//! # Elsewhere
//!
//! [`block_bytes`] are what other machines get: words least significant byte first, all else as it is. Who gets them checks
//! them ([`check`]) before use.

use crate::{
    record::{Record, bytes_for},
    scheme::Scheme,
};
use std::borrow::Cow;

/// Bytes of a block: four cache lines.
pub const BLOCK: usize = 256;

/// Words of a block.
pub const BLOCK_WORDS: usize = BLOCK / 8;

/// Bytes of the longest record's words.
const LONGEST: usize = 8 * 16;

/// Words of a stage, of records of so many words: a block in the making, and whole lines behind it for all words of its
/// last record.
pub const fn stage_words(record_words: usize) -> usize {
    BLOCK_WORDS
        + match record_words {
            1 => 0,
            ..=8 => 8,
            _ => 16,
        }
}

/// Bytes of the marker of blocks of records of so many words.
pub const fn marker_bytes(record_words: usize) -> u8 {
    match record_words {
        1 => 8,
        _ => 4,
    }
}

/// Puts a marker to the beginning of a stage.
pub fn put_marker(stage: &mut [u64], marker: u32, record_words: usize) {
    match record_words {
        1 => stage[0] = marker.into(),
        _ => {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(stage);
            bytes[..4].copy_from_slice(&marker.to_le_bytes());
        }
    }
}

/// Fills up what begins with a marker to a whole block, and tells what is taken now.
pub(crate) fn pad(stage: &mut [u64], used: u8, record_words: usize) -> u8 {
    if record_words > 1 {
        return used;
    }
    stage[usize::from(used) / 8..BLOCK_WORDS].fill(0);
    0
}

/// Whether a record of so many `bytes` fits behind those that take the first `used` of a stage.
#[inline(always)]
pub fn has_room<const N: usize>(used: u8, bytes: usize) -> bool {
    // The zero needs a byte. A stage of words is emptied when it is full.
    N == 1 || usize::from(used) + 1 + bytes < BLOCK
}

/// Puts a record behind those that take the first `used` bytes of the stage, where there is room; `bytes` are what it has with
/// its end mark. Tells how many are taken now: of words, all are 0.
#[inline(always)]
pub fn push<const N: usize>(stage: &mut [u64], used: u8, record: &Record<N>, bytes: usize) -> u8 {
    debug_assert!(has_room::<N>(used, bytes) && bytes <= 8 * N);
    let (stage, at) = (&mut stage[..stage_words(N)], usize::from(used));
    if N == 1 {
        stage[at / 8] = record[0];
        return used.wrapping_add(8);
    }
    let stage: &mut [u8] = bytemuck::cast_slice_mut(stage);
    stage[at] = bytes as u8;
    for (i, word) in record.iter().enumerate() {
        stage[at + 1 + 8 * i..][..8].copy_from_slice(&word.to_le_bytes());
    }
    used + 1 + bytes as u8
}

/// The block of the records, of so many words each, that take the first `used` bytes of the stage; of words, 0 are all.
#[inline(always)]
pub fn block(stage: &mut [u64], used: u8, record_words: usize) -> &[u64] {
    let at = usize::from(used);
    if record_words == 1 {
        let words = if used == 0 { BLOCK_WORDS } else { at / 8 };
        return &stage[..words];
    }
    let stage = &mut stage[..BLOCK_WORDS];
    bytemuck::cast_slice_mut::<u64, u8>(stage)[at] = 0;
    stage
}

/// So many bytes with all bits set before its middle, and none behind it.
static SET: [u8; 2 * LONGEST] = {
    let mut set = [0; 2 * LONGEST];
    let mut i = 0;
    while i < LONGEST {
        set[i] = u8::MAX;
        i += 1;
    }
    set
};

/// Appends the records of packed blocks without markers to `records`, in any order; `None` if these are none.
#[inline]
pub fn unpack<const N: usize>(blocks: &[u64], records: &mut Vec<Record<N>>) -> Option<()> {
    let (blocks, []) = bytemuck::cast_slice::<u64, u8>(blocks).as_chunks::<BLOCK>() else {
        return None;
    };
    let [mut one, mut other] = [Unpacking::new(), Unpacking::new()];
    // Where a record begins is known when the length of the one before it has come: two blocks take turns, so that
    // both are waited for at once.
    for pair in blocks.chunks(2) {
        one.begin(&pair[0]);
        other.begin(pair.get(1).unwrap_or(&[0; BLOCK]));
        while let (Some(a), Some(b)) = (one.next_len(), other.next_len()) {
            records.push(one.take(a)?);
            records.push(other.take(b)?);
        }
        for rest in [&mut one, &mut other] {
            while let Some(len) = rest.next_len() {
                records.push(rest.take(len)?);
            }
        }
    }
    Some(())
}

/// Appends the records of one block that begins with a marker to `records`, in their order, and tells the marker;
/// `None` if it is no such block.
pub fn unpack_marked<const N: usize>(block: &[u64], records: &mut Vec<Record<N>>) -> Option<u32> {
    if N == 1 {
        let (&marker, words) = block.split_first()?;
        let words = words.iter().take_while(|&&word| word != 0);
        records.extend(words.map(|&word| [word; N]));
        return (block.len() == BLOCK_WORDS).then(|| u32::try_from(marker).ok())?;
    }
    let bytes: &[u8; BLOCK] = bytemuck::cast_slice::<u64, u8>(block).try_into().ok()?;
    let [a, b, c, d, ..] = *bytes;
    let mut unpacking = Unpacking::new();
    unpacking.begin(bytes);
    unpacking.at = marker_bytes(N).into();
    while let Some(len) = unpacking.next_len() {
        records.push(unpacking.take(len)?);
    }
    Some(u32::from_le_bytes([a, b, c, d]))
}

/// The bytes of a block of records of so many words, the same on every machine.
pub fn block_bytes(block: &[u64], record_words: usize) -> Cow<'_, [u8]> {
    match record_words {
        1 if cfg!(target_endian = "big") => block.iter().flat_map(|w| w.to_le_bytes()).collect(),
        _ => Cow::Borrowed(bytemuck::cast_slice(block)),
    }
}

/// Sets `words` to the blocks that these [`block_bytes`] were made of.
pub fn words_of(bytes: &[u8], record_words: usize, words: &mut Vec<u64>) {
    let number = match record_words {
        1 => u64::from_le_bytes,
        _ => u64::from_ne_bytes,
    };
    words.clear();
    words.extend(bytes.as_chunks().0.iter().map(|bytes| number(*bytes)));
}

/// Checks that `bytes` are blocks of records of `scheme`, one or several behind each other, and tells how many k-mers
/// these have.
///
/// Each record must be of a length that super-k-mers of the scheme have, and end in its block.
///
/// # Errors
///
/// What is wrong.
pub fn check(bytes: &[u8], scheme: &Scheme, marked: bool) -> Result<u64, &'static str> {
    let head = match marked {
        true => usize::from(marker_bytes(scheme.record_words())),
        false => 0,
    };
    let is_words = scheme.record_words() == 1;
    let size = match is_words && !marked {
        true => 8,
        false => BLOCK,
    };
    if !bytes.len().is_multiple_of(size) {
        return Err("it ends too early");
    }
    let mut kmers = 0;
    for block in bytes.chunks(BLOCK) {
        let records = &block[head..];
        kmers += match is_words {
            true => {
                if head > 0 && block[4..8] != [0; 4] {
                    return Err("its marker is too large");
                }
                check_words(records, scheme, marked)?
            }
            false => check_packed(records, scheme)?,
        };
    }
    Ok(kmers)
}

/// Of records that are words, up to a zero if there may be one.
fn check_words(records: &[u8], scheme: &Scheme, may_end: bool) -> Result<u64, &'static str> {
    let mut kmers = 0;
    for (i, bytes) in records.as_chunks::<8>().0.iter().enumerate() {
        if *bytes == [0; 8] && may_end {
            return match records[8 * i..].iter().all(|&byte| byte == 0) {
                true => Ok(kmers),
                false => Err("it has records after its end"),
            };
        }
        kmers += check_record(bytes, scheme)?;
    }
    Ok(kmers)
}

/// Of records with their lengths, up to a zero.
fn check_packed(records: &[u8], scheme: &Scheme) -> Result<u64, &'static str> {
    let (mut kmers, mut at) = (0, 0);
    loop {
        let Some(&len) = records.get(at) else {
            return Err("it has no end");
        };
        if len == 0 {
            return Ok(kmers);
        }
        let Some(bytes) = records[at + 1..].get(..len.into()) else {
            return Err("a record does not end in it");
        };
        kmers += check_record(bytes, scheme)?;
        if usize::from(len) > bytes_for(scheme.most_bases()) || bytes.last() == Some(&0) {
            return Err("a record is shorter than its bytes");
        }
        at += 1 + bytes.len();
    }
}

/// The k-mers of a record that ends in these bytes.
fn check_record(bytes: &[u8], scheme: &Scheme) -> Result<u64, &'static str> {
    let last = bytes.iter().rposition(|&byte| byte != 0);
    let Some(last) = last else {
        return Err("a record has no end mark");
    };
    let mark = bytes[last].ilog2() as usize;
    let bases = 4 * last + mark / 2;
    if !mark.is_multiple_of(2) {
        return Err("a record's end mark is between two bases");
    }
    if !(scheme.k()..=scheme.most_bases()).contains(&bases) {
        return Err("a record is of a length that none has");
    }
    Ok((bases + 1 - scheme.k()) as u64)
}

/// A block that is being unpacked.
struct Unpacking {
    /// It, and room behind it: all words of its last record are read.
    bytes: [u8; BLOCK + LONGEST],
    at: usize,
}

impl Unpacking {
    fn new() -> Self {
        Self {
            bytes: [0; BLOCK + LONGEST],
            at: 0,
        }
    }

    fn begin(&mut self, block: &[u8; BLOCK]) {
        self.bytes[..BLOCK].copy_from_slice(block);
        self.at = 0;
    }

    /// The bytes of the next record.
    #[inline(always)]
    fn next_len(&self) -> Option<usize> {
        let len = *self.bytes[..BLOCK].get(self.at)?;
        (len > 0).then_some(usize::from(len))
    }

    /// The next record, of which [`Self::next_len`] has said the bytes; `None` if it cannot have so many.
    #[inline(always)]
    fn take<const N: usize>(&mut self, len: usize) -> Option<Record<N>> {
        if len > 8 * N {
            return None;
        }
        // What is behind the record belongs to the next one.
        let (bytes, set) = (&self.bytes[self.at + 1..], &SET[LONGEST - len..]);
        self.at += 1 + len;
        Some(std::array::from_fn(|i| {
            word(&bytes[8 * i..]) & word(&set[8 * i..])
        }))
    }
}

/// The word that begins there.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk()
        .map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of all lengths, with the bytes that each has.
    fn records<const N: usize>() -> impl Iterator<Item = (Record<N>, usize)> {
        let mut state = 1u64;
        (0..20_000).map(move |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let bytes = 1 + (state >> 33) as usize % (8 * N);
            let mut record = [state | 1; N];
            for (i, word) in record.iter_mut().enumerate() {
                let bits = (8 * bytes).saturating_sub(64 * i).min(64) as u32;
                *word = word.rotate_left(i as u32) & u64::MAX.checked_shr(64 - bits).unwrap_or(0);
            }
            // The end mark is in the last byte.
            record[(bytes - 1) / 8] |= 1 << (8 * ((bytes - 1) % 8) + state as usize % 8);
            (record, bytes)
        })
    }

    fn check<const N: usize>() {
        let (mut stage, mut used) = (vec![0; stage_words(N)], 0);
        let (mut expected, mut blocks) = (Vec::new(), Vec::new());
        for (record, bytes) in records::<N>() {
            if !has_room::<N>(used, bytes) {
                blocks.extend_from_slice(block(&mut stage, used, N));
                used = 0;
            }
            used = push(&mut stage, used, &record, bytes);
            expected.push(record);
        }
        blocks.extend_from_slice(block(&mut stage, used, N));
        // All blocks at once, and one by one.
        expected.sort_unstable();
        for at_once in [blocks.len(), BLOCK_WORDS] {
            let mut found = Vec::new();
            for blocks in blocks.chunks(at_once) {
                unpack(blocks, &mut found).expect("blocks");
            }
            found.sort_unstable();
            assert!(found == expected, "{N} words, {at_once} at once");
        }
    }

    #[test]
    fn records_come_back() {
        check::<2>();
        check::<4>();
        check::<8>();
        check::<16>();
    }

    #[test]
    fn words_stay_words() {
        let mut stage = [0; stage_words(1)];
        let mut used = 0;
        for word in 1..=32 {
            used = push(&mut stage, used, &[word], 8);
            let words = block(&mut stage, used, 1);
            assert_eq!(words, (1..=word).collect::<Vec<_>>());
        }
        assert_eq!(used, 0);
    }

    #[test]
    fn what_is_no_block_is_refused() {
        let mut records: Vec<Record<2>> = Vec::new();
        assert!(unpack(&[17; BLOCK_WORDS], &mut records).is_none());
        assert!(unpack(&[16; BLOCK_WORDS + 1], &mut records).is_none());
        assert!(unpack(&[u64::MAX; BLOCK_WORDS], &mut records).is_none());
        assert!(records.is_empty());
        assert!(unpack(&[0; BLOCK_WORDS], &mut records).is_some() && records.is_empty());
    }
}
