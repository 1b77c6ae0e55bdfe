//! The k-mers of one partition in order.
//!
//! ```text
//! two passes of a stable counting sort by the upper 2 x 11 bits (2 x 8 for few entries)
//! then every run of equal upper bits by insertion, or by comparison if it is long
//! ```
//!
//! With 16,000 to 90,000 entries in a partition the upper 22 bits leave runs of one or two.
//! A partition's k-mers share a minimizer and hence often their beginning
//! (satellites): long runs are sorted by the library, so that nothing is quadratic.
//!
//! One pass into bins of two entries and insertion for the rest was tried, too: of 78 M k-mers in
//! 2048 partitions it took 1.3 s of processor instead of 0.9, as nobody predicts how far an entry
//! has to move.

use crate::kmer::Kmer;

/// Below this many entries the library's sort is as fast.
const FEW: usize = 256;

/// Longest run that insertion sorts.
const SHORT_RUN: usize = 24;

/// Sorts `entries` by k-mer; `scratch` is used up to the same length, and what it held is lost.
pub(crate) fn sort<K: Kmer>(entries: &mut [(K, u64)], scratch: &mut Vec<(K, u64)>, k: usize) {
    if k < 11 {
        entries.sort_unstable_by_key(|entry| entry.0);
        return;
    }
    sort_by_upper(entries, scratch, |kmer, bits| kmer.upper(bits, k) as usize);
}

/// As [`sort`]: `upper(kmer, bits)` is a number of `bits` bits that does not fall when the k-mer rises.
#[inline(always)]
pub(crate) fn sort_by_upper<K: Kmer>(
    entries: &mut [(K, u64)],
    scratch: &mut Vec<(K, u64)>,
    upper: impl Fn(K, usize) -> usize,
) {
    if entries.len() < FEW {
        entries.sort_unstable_by_key(|entry| entry.0);
        return;
    }
    let digit = if entries.len() < 1 << 14 { 8 } else { 11 };
    // No new zeros where there is an old length: all of it is written.
    if scratch.len() < entries.len() {
        scratch.resize(entries.len(), (K::default(), 0));
    }
    let scratch = &mut scratch[..entries.len()];
    let upper = |entry: &(K, u64)| upper(entry.0, 2 * digit);
    let mask = (1usize << digit) - 1;
    let mut low = [0u32; 1 << 11];
    let mut high = [0u32; 1 << 11];
    for entry in entries.iter() {
        let upper = upper(entry);
        low[upper & mask] += 1;
        high[upper >> digit] += 1;
    }
    for counts in [&mut low, &mut high] {
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
    }
    for entry in entries.iter() {
        let place = &mut low[upper(entry) & mask];
        scratch[*place as usize] = *entry;
        *place += 1;
    }
    for entry in scratch.iter() {
        let place = &mut high[upper(entry) >> digit];
        entries[*place as usize] = *entry;
        *place += 1;
    }
    sort_runs(entries, upper);
}

fn sort_runs<K: Kmer>(entries: &mut [(K, u64)], upper: impl Fn(&(K, u64)) -> usize) {
    let mut start = 0;
    while start < entries.len() {
        let value = upper(&entries[start]);
        let mut end = start + 1;
        while end < entries.len() && upper(&entries[end]) == value {
            end += 1;
        }
        let run = &mut entries[start..end];
        if run.len() > SHORT_RUN {
            run.sort_unstable_by_key(|entry| entry.0);
        } else {
            for i in 1..run.len() {
                let mut j = i;
                while j > 0 && run[j - 1].0 > run[j].0 {
                    run.swap(j - 1, j);
                    j -= 1;
                }
            }
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::Wide;

    fn check<K: Kmer>(k: usize, number: usize, spread: u64) {
        let mut state = 1u64;
        let mut entries: Vec<(K, u64)> = (0..number)
            .map(|i| {
                let mut kmer = K::default();
                for _ in 0..k {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(99);
                    kmer = kmer.append(((state >> 40) % spread / 3 % 4) as u8, k);
                }
                (kmer, i as u64)
            })
            .collect();
        let mut expected = entries.clone();
        expected.sort_by_key(|entry| entry.0);
        expected.dedup_by_key(|entry| entry.0);
        entries.sort_by_key(|entry| entry.0);
        entries.dedup_by_key(|entry| entry.0);
        // Unsorted again, the same way each time.
        entries.sort_by_key(|entry| entry.1.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        sort(&mut entries, &mut Vec::new(), k);
        assert!(entries == expected, "k = {k}, {number} entries");
    }

    #[test]
    fn any_spread_is_sorted() {
        for spread in [4, 5, 12] {
            check::<u64>(5, 1000, spread);
            for number in [0, 1, 255, 256, 3000, 40_000] {
                check::<u64>(11, number, spread);
                check::<u64>(31, number, spread);
                check::<u64>(32, number, spread);
                check::<u128>(33, number, spread);
            }
            check::<u128>(64, 3000, spread);
            check::<Wide<4>>(128, 3000, spread);
            check::<Wide<8>>(255, 20_000, spread);
        }
    }
}
