//! Reading a block.

use thalweg_files::read_varint;

use super::BLOCK;
use crate::{
    database::thk::bits::{add_parts, bit_length, read_bits, read_kmer_bits},
    kmer::Kmer,
};

/// Clears `records` and fills it with those of a block whose first k-mer is `first`.
///
/// # Errors
/// What is wrong with the block.
pub(in crate::database::thk) fn decode<K: Kmer>(
    block: &[u8],
    first: K,
    k: usize,
    records: &mut Vec<(K, u64)>,
) -> Result<(), &'static str> {
    records.clear();
    let (body, crc) = block
        .split_last_chunk::<4>()
        .ok_or("is shorter than its checksum")?;
    if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
        return Err("does not match its checksum");
    }
    let mut rest = body;
    let mut field = || read_varint(&mut rest).map_err(|_| "ends in its first fields");
    let (n, low, bitmap_bytes) = (field()?, field()?, field()?);
    let (width, exceptions, smallest) = (field()?, field()?, field()?);
    if n == 0 || n > BLOCK as u64 || low > 2 * k as u64 || width > 64 || exceptions > n {
        return Err("has impossible sizes");
    }
    let (n, low, width) = (n as usize, low as u32, width as u32);
    // Up to the end of the block, so that eight bytes can be read at the end of the fields, too.
    let lows = rest_of(&mut rest, (n as u64 * u64::from(low)).div_ceil(8))?;
    let bitmap = &rest_of(&mut rest, bitmap_bytes)?[..bitmap_bytes as usize];
    let counts = rest_of(&mut rest, (n as u64 * u64::from(width)).div_ceil(8))?;

    records.resize(n, (K::default(), 0));
    decode_kmers(lows, bitmap, low, first, k, records)?;
    let largest = u64::MAX.checked_shr(64 - width).unwrap_or(0);
    if smallest.checked_add(largest).is_some() {
        for (i, record) in records.iter_mut().enumerate() {
            record.1 = smallest + read_bits(counts, i * width as usize, width);
        }
    } else {
        for (i, record) in records.iter_mut().enumerate() {
            let count = smallest.checked_add(read_bits(counts, i * width as usize, width));
            record.1 = count.ok_or("has a count beyond 2^64")?;
        }
    }
    for _ in 0..exceptions {
        let position = rest.split_off(..2).ok_or("is truncated")?;
        let position = usize::from(position[0]) | usize::from(position[1]) << 8;
        let count = read_varint(&mut rest).map_err(|_| "is truncated")?;
        let record = records
            .get_mut(position)
            .ok_or("has a count without a k-mer")?;
        record.1 = smallest
            .checked_add(count)
            .ok_or("has a count beyond 2^64")?;
    }
    if !rest.is_empty() {
        return Err("has bytes left over");
    }
    Ok(())
}

/// Takes `bytes` bytes off the front; returns them and all behind them.
fn rest_of<'a>(rest: &mut &'a [u8], bytes: u64) -> Result<&'a [u8], &'static str> {
    let whole = *rest;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    *rest = whole.get(bytes..).ok_or("is truncated")?;
    Ok(whole)
}

/// Fills in the k-mers of `records`, of which there must be as many as bits are set in `bitmap`.
fn decode_kmers<K: Kmer>(
    lows: &[u8],
    bitmap: &[u8],
    low: u32,
    first: K,
    k: usize,
    records: &mut [(K, u64)],
) -> Result<(), &'static str> {
    let bits = 2 * k as u32;
    let n = records.len();
    // No high part is above this. If a gap of one word cannot overflow, neither can what it is added to without
    // being seen: the sum would be less than the k-mer before.
    let highest = 8 * bitmap.len() as u64;
    let narrow = K::MAX_K <= 32 && low + 64 - highest.leading_zeros() <= 63;
    let mut i = 0;
    let mut previous = first;
    let mut sorted = true;
    for (index, part) in bitmap.chunks(8).enumerate() {
        let mut word = match part.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => {
                let mut word = [0; 8];
                word[..part.len()].copy_from_slice(part);
                u64::from_le_bytes(word)
            }
        };
        while word != 0 {
            let Some(record) = records.get_mut(i) else {
                return Err("has more k-mers than it says");
            };
            // Each of the i set bits before this one came with a record, so the difference is not negative.
            let high = (64 * index + word.trailing_zeros() as usize - i) as u64;
            word &= word - 1;
            let kmer = if narrow {
                let gap = high << low | read_bits(lows, i * low as usize, low);
                let sum = first.to_words()[0].wrapping_add(gap);
                K::from_words(&[sum, 0, 0, 0, 0, 0, 0, 0])
            } else {
                let rest = read_kmer_bits::<K>(lows, i * low as usize, low);
                add_parts(first, high, rest, low, bits).ok_or("has a k-mer beyond 4^k")?
            };
            sorted &= kmer > previous || i == 0;
            previous = kmer;
            record.0 = kmer;
            i += 1;
        }
    }
    if i != n {
        return Err("has fewer k-mers than it says");
    }
    if !sorted {
        return Err("is not sorted");
    }
    if records[0].0 != first {
        return Err("begins with another k-mer than the index says");
    }
    if bit_length(previous) > bits {
        return Err("has a k-mer beyond 4^k");
    }
    Ok(())
}
