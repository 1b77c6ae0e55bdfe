//! A range of k-mers only: for jobs that each make a part of what databases become.

use std::ops::RangeInclusive;

use crate::count::Sink;
use crate::database::{KmerRecords, Totals};
use crate::error::Result;
use crate::kmer::Kmer;

/// Hands those k-mers of `records`, which ascend, to `sink` that are in the `number`th (from 1 on) of `of` ranges: as partition
/// `number - 1`. k-mers whose count is not in `kept` are left out. Returns the totals of what was handed on.
///
/// Ranges are of nearly equal size, if k-mers are as good as random; canonical ones are more often small. Records are read up
/// to the end of the range.
///
/// # Errors
/// Those of the records and of the sink.
pub fn hand_on_range<K: Kmer>(
    mut records: KmerRecords<K>,
    k: usize,
    kept: RangeInclusive<u64>,
    (number, of): (u64, u64),
    canonical: bool,
    sink: &impl Sink<K>,
) -> Result<Totals> {
    let [start, end] = [number - 1, number].map(|number| bound(number, of, canonical));
    let partition = (number - 1) as usize;
    let (mut totals, mut batch) = (Totals::default(), Vec::new());
    loop {
        let records_at_hand = records.at_hand()?;
        let Some(last) = records_at_hand.last() else {
            break;
        };
        let is_last = number < of && position(last.0, k) >= end;
        batch.clear();
        batch.extend(records_at_hand.iter().filter(|(kmer, count)| {
            let position = position(*kmer, k);
            kept.contains(count) && position >= start && (position < end || number == of)
        }));
        for &(_, count) in &batch {
            totals.add(count);
        }
        sink.accept(partition, &batch)?;
        if is_last {
            break;
        }
        records.advance(usize::MAX);
    }
    sink.end(partition)?;
    Ok(totals)
}

/// The place of a k-mer among all of its length: its upper 64 bits, as if it had so many or more.
fn position<K: Kmer>(kmer: K, k: usize) -> u64 {
    let (words, bits) = (kmer.to_words(), 2 * k as u32);
    if bits <= 64 {
        return words[0] << (64 - bits);
    }
    let (word, shift) = (((bits - 64) / 64) as usize, (bits - 64) % 64);
    let upper = words.get(word + 1).copied().unwrap_or(0);
    match shift {
        0 => words[word],
        shift => words[word] >> shift | upper << (64 - shift),
    }
}

/// Where the range behind the first `number` of `of` begins. The same on every machine: square roots are exact to the bit.
fn bound(number: u64, of: u64, canonical: bool) -> u64 {
    let share = number as f64 / of as f64;
    // The smaller of two random numbers is above x with probability (1 - x)^2.
    let place = match canonical {
        true => 1.0 - (1.0 - share).max(0.0).sqrt(),
        false => share,
    };
    (place * 2f64.powi(64)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::Wide;

    #[test]
    fn positions_ascend_with_k_mers() {
        assert_eq!(position(0b11_u64, 1), 3 << 62);
        assert_eq!(position(u64::MAX, 32), u64::MAX);
        assert_eq!(position(1_u64 << 61, 31), 1 << 63);
        assert_eq!(position(1_u128 << 65, 33), 1 << 63);
        assert_eq!(position(u128::MAX, 64), u64::MAX);
        let wide = Wide::<4>::from_words(&[0, 0, 0, 1 << 61, 0, 0, 0, 0]);
        assert_eq!(position(wide, 127), 1 << 63);
        let middle = Wide::<4>::from_words(&[0, 1 << 63, 0, 0, 0, 0, 0, 0]);
        assert_eq!(position(middle, 64), 1 << 63);
    }

    #[test]
    fn bounds_ascend_and_shares_are_equal() {
        for canonical in [false, true] {
            for of in [1, 2, 3, 7, 1000] {
                let bounds: Vec<u64> = (0..=of)
                    .map(|number| bound(number, of, canonical))
                    .collect();
                assert!(bounds.is_sorted());
                assert_eq!((bounds[0], bounds[of as usize]), (0, u64::MAX));
            }
        }
        // Three quarters of canonical k-mers are in the lower half.
        assert_eq!(bound(3, 4, true), 1 << 63);
        assert_eq!(bound(2, 4, false), 1 << 63);
    }
}
