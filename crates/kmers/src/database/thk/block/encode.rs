//! Making a block.

use thalweg_files::write_varint;

use super::{BLOCK, totals_of};
use crate::{
    clamped::Clamped,
    database::{
        Totals,
        thk::{
            bits::{bit_length, high_bits, subtract},
            gaps::Gaps,
            pack,
        },
    },
    kmer::Kmer,
};

/// What a block is made of; used again for the next one.
#[derive(Debug, Default)]
pub(in crate::database::thk) struct Parts {
    gaps: Gaps,
    counts: Vec<u64>,
}

/// Appends the block of `records`, which are at least one and at most [`BLOCK`]; `parts` is used. `None`, and nothing is
/// appended, if their k-mers do not ascend strictly.
#[must_use]
pub(in crate::database::thk) fn encode<K: Kmer>(
    records: &[(K, u64)],
    parts: &mut Parts,
    out: &mut Vec<u8>,
) -> Option<Totals> {
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
    fn encode_avx512<K: Kmer>(records: &[(K, u64)], parts: &mut Parts, out: &mut Vec<u8>) -> Option<Totals> {
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
) -> Option<Totals> {
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
    let first = counts.first().map_or(0, |&count| count);
    let smallest = counts.iter().fold(first, |least, &count| least.min(count));
    let totals = totals_of(counts);
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
        write_varint(out, field);
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
        write_varint(out, records[usize::from(place)].1 - smallest);
    }
    let crc = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&crc.to_le_bytes());
    Some(totals)
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
#[cfg(test)]
mod tests {
    use super::*;

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
}
