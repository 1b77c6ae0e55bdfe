//! A block: up to 1024 records of one partition, in ascending order, on their own.
//!
//! ```text
//! encode(first < ... < last, n of them):
//!     gap[i] = key[i] - first
//!     low = about log2(gap[n-1] / n)             # l, the bits that look random
//!     low bits of each gap, packed               # n * l bits
//!     a bitmap: bit (gap[i] >> l) + i is set     # n + (gap[n-1] >> l) bits: about 2.5 per key
//!     counts less the smallest, packed with w bits; what needs more is listed behind
//!     CRC-32
//! ```
//!
//! That is Elias and Fano's code, within half a bit per key of the least that a sorted set of
//! random numbers can be stored in. It was chosen before
//! - deltas in whole bytes: 7.7 bytes per k-mer, as the study found, against 7.2 here (k = 31, 16,000
//!   keys per partition), because a delta of 49 bits needs 7 bytes and a length;
//! - packed deltas with one width per block: one large gap widens all others, and canonical
//!   k-mers have large gaps;
//! - a general compressor behind either: the bits are random, there is nothing to find.

use super::bits::{
    add_parts, bit_length, high_bits, read_bits, read_kmer_bits, read_varint, subtract,
    write_varint,
};
use super::gaps::Gaps;
use super::pack;
use crate::{
    clamped::{COUNTS, Clamped},
    database::Totals,
    kmer::Kmer,
};

/// Most records in a block. One query reads one block, some 7 KB at k = 31; the 24 bytes that the index has for
/// each are 0.3 % of it.
pub(super) const BLOCK: usize = 1024;

// Those of a block are clamped together.
const _: () = assert!(BLOCK <= COUNTS);

/// The fewest bytes of a block: six fields of a byte, a byte of bitmap, the checksum.
pub(super) const SHORTEST: usize = 11;

/// Totals of what was encoded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) distinct: u64,
    pub(super) total: u128,
    pub(super) unique: u64,
    pub(super) max_count: u64,
}

impl Sums {
    pub(super) fn add(&mut self, other: Sums) {
        self.distinct += other.distinct;
        self.total += other.total;
        self.unique += other.unique;
        self.max_count = self.max_count.max(other.max_count);
    }

    pub(super) fn totals(self) -> Totals {
        Totals {
            distinct: self.distinct,
            total: self.total,
            unique: self.unique,
            max_count: self.max_count,
        }
    }

    #[inline(always)]
    fn of(counts: &[u64]) -> Sums {
        let max_count = counts.iter().copied().max().unwrap_or(0);
        let total = if max_count <= u64::MAX / BLOCK as u64 {
            u128::from(counts.iter().sum::<u64>())
        } else {
            counts.iter().map(|&count| u128::from(count)).sum()
        };
        Sums {
            distinct: counts.len() as u64,
            total,
            unique: counts.iter().map(|&count| u64::from(count == 1)).sum(),
            max_count,
        }
    }
}

/// What a block is made of; used again for the next one.
#[derive(Debug, Default)]
pub(super) struct Parts {
    gaps: Gaps,
    counts: Vec<u64>,
}

/// Appends the block of `records`, which are at least one and at most [`BLOCK`]; `parts` is used. `None`, and nothing is
/// appended, if their k-mers do not ascend strictly.
#[must_use]
pub(super) fn encode<K: Kmer>(
    records: &[(K, u64)],
    parts: &mut Parts,
    out: &mut Vec<u8>,
) -> Option<Sums> {
    #[cfg(target_arch = "x86_64")]
    if pack::avx512::is_available() {
        // SAFETY: the processor has the instructions.
        #[allow(unsafe_code)]
        return unsafe { encode_avx512(records, parts, out) };
    }
    let pack_two_words = pack::pack_two_words;
    encode_by(
        records,
        parts,
        out,
        pack::pack,
        pack_two_words,
        pack::bitmap,
    )
}

#[cfg(target_arch = "x86_64")]
pack::avx512::kernel! {
    fn encode_avx512<K: Kmer>(records: &[(K, u64)], parts: &mut Parts, out: &mut Vec<u8>) -> Option<Sums> {
        encode_by(
            records,
            parts,
            out,
            |values, width, out| pack::avx512::pack(values, width, out),
            |firsts, seconds, width, out| pack::avx512::pack_two_words(firsts, seconds, width, out),
            |highs, out| pack::avx512::bitmap(highs, out),
        )
    }
}

/// [`encode`] with ways to pack numbers of one word and of two, and one to make the bitmap.
#[inline(always)]
fn encode_by<K: Kmer>(
    records: &[(K, u64)],
    parts: &mut Parts,
    out: &mut Vec<u8>,
    pack: impl Fn(&[u64], u32, &mut Vec<u8>),
    pack_two_words: impl Fn(&[u64], &[u64], u32, &mut Vec<u8>),
    bitmap: impl Fn(&[u64], &mut Vec<u8>),
) -> Option<Sums> {
    debug_assert!((1..=BLOCK).contains(&records.len()));
    let start = out.len();
    let n = records.len();
    let (first, last) = (records[0].0, records[n - 1].0);
    if last < first {
        return None;
    }
    let span = subtract(last, first);
    let low = low_bits(span, n);
    let bitmap_bits = n + high_bits(span, low) as usize;
    let Parts { gaps, counts } = parts;
    if !gaps.take(records, low) {
        return None;
    }
    counts.resize(n, 0);
    for (count, record) in counts.iter_mut().zip(records) {
        *count = record.1;
    }
    let smallest = counts.iter().copied().min().unwrap_or(0);
    let sums = Sums::of(counts);
    for count in counts.iter_mut() {
        *count -= smallest;
    }
    let clamped = Clamped::of(counts.iter().copied());
    let (width, exceptions) = count_width(counts, &clamped);

    for field in [
        n as u64,
        u64::from(low),
        bitmap_bits.div_ceil(8) as u64,
        u64::from(width),
        exceptions as u64,
        smallest,
    ] {
        write_varint(field, out);
    }

    out.reserve((n * low as usize + bitmap_bits + n * width as usize) / 8 + 128);
    gaps.pack_lows(records, &pack, pack_two_words, out);

    let end = out.len() + bitmap_bits.div_ceil(8);
    bitmap(gaps.highs(), out);
    out.truncate(end);

    let mut listed = [0; BLOCK];
    let listed = &mut listed[..exceptions];
    take_exceptions(counts, &clamped, width, listed);
    pack(counts, width, out);
    for &place in &*listed {
        out.extend_from_slice(&place.to_le_bytes());
        write_varint(records[usize::from(place)].1 - smallest, out);
    }
    let crc = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&crc.to_le_bytes());
    Some(sums)
}

/// How many low bits of each gap are stored as they are, so that the block becomes shortest.
fn low_bits<K: Kmer>(span: K, n: usize) -> u32 {
    let bits = n.ilog2() + 1;
    // The highest parts are then below 2^bits, at most 2n; one bit more halves them and costs n bits.
    let low = bit_length(span).saturating_sub(bits);
    let cost = |low: u32| n as u64 * u64::from(low) + high_bits(span, low);
    if cost(low + 1) < cost(low) {
        low + 1
    } else {
        low
    }
}

/// The width of a packed count, so that the block becomes shortest, and how many counts need more.
#[inline(always)]
fn count_width(counts: &[u64], clamped: &Clamped) -> (u32, usize) {
    let lengths = lengths(counts, clamped);
    let (mut best, mut best_cost) = ((64, 0), usize::MAX);
    let (mut exceptions, mut exception_bits) = (0, 0);
    for width in (0..=64).rev() {
        let cost = counts.len() * width + exception_bits;
        if cost < best_cost {
            (best, best_cost) = ((width as u32, exceptions), cost);
        }
        exceptions += lengths[width];
        exception_bits += lengths[width] * (16 + 8 * width.div_ceil(7).max(1));
    }
    best
}

/// How many counts have how many bits.
#[inline(always)]
fn lengths(counts: &[u64], clamped: &Clamped) -> [usize; 65] {
    let mut lengths = [0; 65];
    let mut shorter = 0;
    for (bits, length) in lengths[..8].iter_mut().enumerate() {
        let up_to = clamped.below(1 << bits);
        *length = up_to - shorter;
        shorter = up_to;
        if shorter == counts.len() {
            return lengths;
        }
    }
    clamped.longer(7, |place| {
        lengths[64 - counts[place].leading_zeros() as usize] += 1;
    });
    lengths
}

/// Sets all counts to 0 that have more bits than `width`, and lists their places, of which there are as many as `listed` has
/// room for.
#[inline(always)]
fn take_exceptions(counts: &mut [u64], clamped: &Clamped, width: u32, listed: &mut [u16]) {
    if listed.is_empty() {
        return;
    }
    let mut places = listed.iter_mut();
    let mut take = |place: usize, counts: &mut [u64]| {
        if let Some(listed) = places.next() {
            *listed = place as u16;
            counts[place] = 0;
        }
    };
    if width < 8 {
        clamped.longer(width, |place| take(place, counts));
        return;
    }
    for place in 0..counts.len() {
        if counts[place]
            .checked_shr(width)
            .is_some_and(|beyond| beyond > 0)
        {
            take(place, counts);
        }
    }
}

/// Clears `records` and fills it with those of a block whose first k-mer is `first`.
///
/// # Errors
/// What is wrong with the block.
pub(super) fn decode<K: Kmer>(
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
    let mut field = || read_varint(&mut rest).ok_or("ends in its first fields");
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
        let position = rest.split_off(..2).ok_or("is cut short")?;
        let position = usize::from(position[0]) | usize::from(position[1]) << 8;
        let count = read_varint(&mut rest).ok_or("is cut short")?;
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
    *rest = whole.get(bytes..).ok_or("is cut short")?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::Wide;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn check<K: Kmer>(records: &[(K, u64)], k: usize) {
        let mut block = vec![];
        let sums = encode(records, &mut Parts::default(), &mut block).unwrap();
        let counts = || records.iter().map(|record| record.1);
        assert_eq!(sums.distinct, records.len() as u64);
        assert_eq!(sums.total, counts().map(u128::from).sum::<u128>());
        assert_eq!(
            sums.unique,
            counts().filter(|&count| count == 1).count() as u64
        );
        assert_eq!(Some(sums.max_count), counts().max());
        assert!(block.len() >= SHORTEST);
        let mut back = vec![];
        decode(&block, records[0].0, k, &mut back).unwrap();
        assert_eq!(back, records);
        for cut in 0..block.len() {
            assert!(decode(&block[..cut], records[0].0, k, &mut back).is_err());
        }
    }

    fn count() -> impl Strategy<Value = u64> {
        prop_oneof![4 => 1u64..4, 2 => 1u64..300, 1 => any::<u64>()]
    }

    proptest! {
        #[test]
        fn one_word(records in prop::collection::btree_map(any::<u64>(), count(), 1..200)) {
            check(&records.into_iter().collect::<Vec<_>>(), 32);
        }

        #[test]
        fn short_kmers(records in prop::collection::btree_map(0u64..4096, count(), 1..200)) {
            check(&records.into_iter().collect::<Vec<_>>(), 6);
        }

        #[test]
        fn two_words(records in prop::collection::btree_map(any::<u128>(), count(), 1..50)) {
            check(&records.into_iter().collect::<Vec<_>>(), 64);
        }

        #[test]
        fn eight_words(records in prop::collection::btree_map(any::<[u64; 8]>(), count(), 1..50)) {
            let records: BTreeMap<Wide<8>, u64> = records
                .into_iter()
                .map(|(mut words, count)| { words[7] >>= 2; (Wide::<8>::from_words(&words), count) })
                .collect();
            check(&records.into_iter().collect::<Vec<_>>(), 255);
        }

        /// With a checksum that fits, so that the checks behind it are reached.
        #[test]
        fn no_garbage_makes_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), first: u64, k in 1usize..=32) {
            let crc = crc32fast::hash(&bytes);
            bytes.extend_from_slice(&crc.to_le_bytes());
            let _ = decode::<u64>(&bytes, first, k, &mut vec![]);
        }

        #[test]
        fn no_change_makes_it_panic(
            records in prop::collection::btree_map(any::<u64>(), count(), 1..40),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let records: Vec<_> = records.into_iter().collect();
            let mut block = vec![];
            encode(&records, &mut Parts::default(), &mut block).unwrap();
            block.truncate(block.len() - 4);
            for (index, byte) in changes {
                let index = index.index(block.len());
                block[index] = byte;
            }
            let crc = crc32fast::hash(&block);
            block.extend_from_slice(&crc.to_le_bytes());
            let mut back = vec![];
            if decode(&block, records[0].0, 32, &mut back).is_ok() {
                prop_assert!(back.is_sorted_by(|a, b| a.0 < b.0));
            }
        }
    }

    #[test]
    fn what_does_not_ascend_is_no_block() {
        fn check<K: Kmer>(spread: u64, words: usize) {
            for n in [2, 3, 8, 9, 64, 65, BLOCK as u64] {
                // In each word on its own, so that all others are equal.
                let kmer = |i: u64, word: usize| {
                    let mut words = [3, 3, 3, 3, 3, 3, 3, 0];
                    words[word] = 5 + i * spread;
                    (K::from_words(&words), 1)
                };
                for word in 0..words {
                    let sound: Vec<_> = (0..n).map(|i| kmer(i, word)).collect();
                    let (mut parts, mut out) = (Parts::default(), vec![7]);
                    assert!(encode(&sound, &mut parts, &mut out).is_some());
                    out.truncate(1);
                    for (one, other) in [(0, 1), (n / 2 - 1, n / 2), (n - 2, n - 1), (0, n - 1)] {
                        for (one, other) in [(one, other), (other, one)] {
                            let mut records = sound.clone();
                            records[one as usize] = sound[other as usize];
                            assert!(encode(&records, &mut parts, &mut out).is_none());
                        }
                        let mut records = sound.clone();
                        records.swap(one as usize, other as usize);
                        assert!(encode(&records, &mut parts, &mut out).is_none());
                    }
                    // Below the first one, behind which all gaps go around.
                    let mut records = sound.clone();
                    records[n as usize - 1] = kmer(0, word);
                    records[0] = kmer(1, word);
                    assert!(encode(&records, &mut parts, &mut out).is_none());
                    assert_eq!(out, [7]);
                }
            }
        }
        for spread in [1, 7 << 40] {
            check::<u64>(spread, 1);
            check::<u128>(spread, 2);
            check::<Wide<4>>(spread, 4);
        }
    }

    #[test]
    fn the_largest_counts_are_summed() {
        let most = u64::MAX / BLOCK as u64;
        for count in [most, most + 1, u64::MAX] {
            let records: Vec<_> = (0..BLOCK as u64).map(|kmer| (kmer, count)).collect();
            let sums = encode(&records, &mut Parts::default(), &mut vec![]).unwrap();
            assert_eq!(sums.total, BLOCK as u128 * u128::from(count));
        }
    }

    #[test]
    fn counts_have_the_width_that_makes_the_block_shortest() {
        let outlier = (0..99).map(|i| if i == 50 { u64::MAX } else { i % 3 });
        let grown = (0..64).map(|bits| 1 << bits);
        let lists: [Vec<u64>; 5] = [
            vec![0],
            vec![u64::MAX],
            vec![7; 1024],
            outlier.collect(),
            grown.collect(),
        ];
        for counts in lists {
            let length = |count: u64| 64 - count.leading_zeros() as usize;
            let cost = |width: usize| {
                let listed = counts.iter().filter(|count| length(**count) > width);
                let listed = listed.map(|&count| 16 + 8 * length(count).div_ceil(7));
                counts.len() * width + listed.sum::<usize>()
            };
            let clamped = Clamped::of(counts.iter().copied());
            let (width, exceptions) = count_width(&counts, &clamped);
            assert_eq!(Some(cost(width as usize)), (0..=64).map(cost).min());
            let listed = counts
                .iter()
                .filter(|count| length(**count) > width as usize);
            assert_eq!(exceptions, listed.count());
        }
    }

    #[test]
    fn a_full_block_of_random_keys_takes_little_more_than_its_entropy() {
        // 1024 keys 2^48 apart on average, as in a partition of 2^14 keys at k = 31.
        let mut state = 1u64;
        let mut kmer = 0u64;
        let records: Vec<_> = (0..1024u64)
            .map(|i| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                kmer += 1 + (state >> 15);
                (kmer, 1 + i % 60)
            })
            .collect();
        let mut block = vec![];
        encode(&records, &mut Parts::default(), &mut block).unwrap();
        // 48 bits and two and a half, and six bits of count.
        assert!(block.len() * 8 < 1024 * 57 + 200, "{}", block.len());
    }
}
