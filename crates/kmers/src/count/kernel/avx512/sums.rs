//! Equal k-mers of a sorted group to one entry each.
//!
//! ```text
//! sums  = weights added up from the first key on                     (three doubling steps, eight keys at a time)
//! ends  = keys that the next one differs from: their k-mers and sums move to the front
//! count = the sum at an end less that at the end before
//! ```
//! Of keys of two words it is known which begin another k-mer, and one after the other is faster.

use super::{kernel, load, store_u64, store_u128};
use std::arch::x86_64::*;

kernel! {
    /// As [`sum_group`](crate::count::stage2::bins::sum_group) for the first `len` of `keys`.
    #[inline]
    pub(super) fn sum_group(
        keys: &[u64; 64],
        len: usize,
        weight_bits: u32,
        found: &mut Found,
        entries: &mut [(u64, u64); 64],
    ) -> usize {
        let shift = _mm_cvtsi32_si128(weight_bits as i32);
        let Found { kmers, counts } = found;
        let mut sums = Sums::new(len, weight_bits, counts);
        for (i, row) in keys.as_chunks::<8>().0.iter().enumerate() {
            let key = load(row);
            let next = match keys[8 * i + 1..].first_chunk::<8>() {
                Some(next) => load(next),
                // The last key of all ends in any case.
                None => _mm512_alignr_epi64::<1>(key, key),
            };
            let kmer = _mm512_srl_epi64(key, shift);
            let differs = _mm512_cmpneq_epi64_mask(kmer, _mm512_srl_epi64(next, shift));
            let ends = sums.ends(i, differs);
            // No more than eight come of each row, so there is always room.
            if let Some(out) = kmers[sums.len..].first_chunk_mut() {
                store_u64(out, _mm512_maskz_compress_epi64(ends, kmer));
            }
            sums.add(key, ends);
        }
        let len = sums.len;
        for ((entry, &kmer), &count) in entries.iter_mut().zip(&*kmers).zip(&*counts) {
            *entry = (kmer, count);
        }
        len
    }
}

kernel! {
    /// As [`sum_group`] for keys of two words, of which `differs` has a bit for each whose k-mer is another than the one before.
    ///
    /// Each key is written where the next entry belongs, with the sum so far; only behind the last of its k-mer does that move on.
    #[inline]
    pub(super) fn sum_wide_group(
        keys: &[u128; 64],
        differs: u64,
        len: usize,
        weight_bits: u32,
        entries: &mut [(u128, u64); 64],
    ) -> usize {
        let kmers = kmers_of(keys, weight_bits);
        let weight = (1 << weight_bits) - 1;
        // Behind the last key there is another one.
        let mut next_differs = differs >> 1 | u64::MAX << (len.max(1) - 1);
        let (mut found, mut sum) = (0, 0);
        for (&key, &kmer) in keys[..len].iter().zip(&kmers) {
            sum += (key as u64 & weight) + 1;
            entries[found % 64] = (kmer, sum);
            let is_last = next_differs & 1;
            found += is_last as usize;
            sum &= is_last.wrapping_sub(1);
            next_differs >>= 1;
        }
        found
    }
}

kernel! {
    /// As [`sum_wide_group`] for keys whose k-mers all differ.
    #[inline]
    pub(super) fn split_wide_group(
        keys: &[u128; 64],
        len: usize,
        weight_bits: u32,
        entries: &mut [(u128, u64); 64],
    ) -> usize {
        let kmers = kmers_of(keys, weight_bits);
        let weight = (1 << weight_bits) - 1;
        for ((entry, &key), kmer) in entries.iter_mut().zip(&keys[..len]).zip(kmers) {
            *entry = (kmer, (key as u64 & weight) + 1);
        }
        len
    }
}

kernel! {
    /// What is above the weights.
    #[inline]
    fn kmers_of(keys: &[u128; 64], weight_bits: u32) -> [u128; 64] {
        let mut kmers = [0; 64];
        let shift = _mm512_set1_epi64(i64::from(weight_bits));
        for (kmers, keys) in kmers.as_chunks_mut::<4>().0.iter_mut().zip(keys.as_chunks::<4>().0) {
            let keys = load(keys);
            let upper = _mm512_unpackhi_epi64(keys, keys);
            let lower = _mm512_shrdv_epi64(keys, upper, shift);
            store_u128(kmers, _mm512_mask_srlv_epi64(lower, 0b1010_1010, keys, shift));
        }
        kmers
    }
}

/// What is found in a group: k-mers, and counts. Whatever was there before is lost; it is not cleared for each.
pub(super) struct Found {
    kmers: [u64; 64],
    counts: [u64; 64],
}

impl Found {
    pub(super) fn new() -> Self {
        let [kmers, counts] = [[0; 64]; 2];
        Self { kmers, counts }
    }
}

/// The sums of all entries so far.
struct Sums<'a> {
    counts: &'a mut [u64; 64],
    len: usize,
    /// A bit for each key that is wanted, and the last of them.
    wanted: u64,
    last: u64,
    weight: __m512i,
    /// Of the keys before these, in every lane: their weights, and those up to the last end.
    sum: __m512i,
    ended: __m512i,
}

impl<'a> Sums<'a> {
    kernel! {
        /// Of `len` keys.
        #[inline]
        fn new(len: usize, weight_bits: u32, counts: &'a mut [u64; 64]) -> Self {
            let wanted = u64::MAX.checked_shr(64 - len as u32).unwrap_or(0);
            Self {
                counts,
                len: 0,
                wanted,
                last: wanted & !(wanted >> 1),
                weight: _mm512_set1_epi64((1 << weight_bits) - 1),
                sum: _mm512_setzero_si512(),
                ended: _mm512_setzero_si512(),
            }
        }
    }

    /// Which keys of row `i` are the last of their k-mer, by which differ from the next one.
    #[inline(always)]
    fn ends(&self, i: usize, differs: u8) -> u8 {
        (differs | (self.last >> (8 * i)) as u8) & (self.wanted >> (8 * i)) as u8
    }

    kernel! {
        /// Adds eight keys, whose weights are their lowest bits.
        #[inline]
        fn add(&mut self, keys: __m512i, ends: u8) {
            let zero = _mm512_setzero_si512();
            let mut sums = _mm512_add_epi64(_mm512_and_si512(keys, self.weight), _mm512_set1_epi64(1));
            sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<7>(sums, zero));
            sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<6>(sums, zero));
            sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<4>(sums, zero));
            sums = _mm512_add_epi64(sums, self.sum);
            self.sum = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sums);

            let at_ends = _mm512_maskz_compress_epi64(ends, sums);
            let before = _mm512_alignr_epi64::<7>(at_ends, self.ended);
            let number = ends.count_ones();
            if let Some(out) = self.counts[self.len..].first_chunk_mut() {
                store_u64(out, _mm512_sub_epi64(at_ends, before));
            }
            let has_end = if number > 0 { u8::MAX } else { 0 };
            let end = _mm512_set1_epi64(i64::from(number) - 1);
            self.ended = _mm512_mask_permutexvar_epi64(self.ended, has_end, end, at_ends);
            self.len += number as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::stage2::bins;

    #[test]
    fn any_group_is_summed_as_plainly() {
        if !thalweg_superkmers::kernel::avx512::is_available() {
            println!("not tested: this processor has no AVX-512");
            return;
        }
        let mut state = 1u64;
        let mut step = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            state >> 33
        };
        for weight_bits in [1, 2, 8] {
            // All equal, most equal, some equal, hardly any.
            for kmers in [1, 3, 40, 1 << 20] {
                // The last one is what lies behind the keys, too.
                for base in [0, u64::MAX << 30, u64::MAX] {
                    for len in 0..=64 {
                        let mut keys = [u64::MAX; 64];
                        for key in &mut keys[..len] {
                            let greatest = u64::MAX >> weight_bits;
                            let kmer = (base >> weight_bits)
                                .saturating_add(step() % kmers)
                                .min(greatest);
                            *key = kmer << weight_bits | step() & ((1 << weight_bits) - 1);
                        }
                        keys[..len].sort_unstable();
                        let (mut plain, mut fast) = ([(0, 0); 64], [(0, 0); 64]);
                        let expected = bins::sum_group(&keys[..len], weight_bits, &mut plain);
                        // SAFETY: the processor has the instructions.
                        let found = unsafe {
                            sum_group(&keys, len, weight_bits, &mut Found::new(), &mut fast)
                        };
                        assert_eq!(fast[..found], plain[..expected], "{len} of {kmers}");

                        // That differ in their upper words only, in their lower ones, or in both.
                        for (shift, other) in [(64, 7 << 30), (8, 7 << 100), (40, 0)] {
                            let mut keys = keys.map(|key| u128::from(key >> 8) << shift | other);
                            for key in &mut keys[..len] {
                                *key |= u128::from(step()) & ((1 << weight_bits) - 1);
                            }
                            keys[..len].sort_unstable();
                            let (mut plain, mut fast) = ([(0, 0); 64], [(0, 0); 64]);
                            let expected = bins::sum_group(&keys[..len], weight_bits, &mut plain);
                            let another = |i: usize| {
                                i == 0 || keys[i] >> weight_bits != keys[i - 1] >> weight_bits
                            };
                            let differs = (0..64).map(|i| u64::from(another(i)) << i).sum();
                            // SAFETY: as above.
                            let found = unsafe {
                                sum_wide_group(&keys, differs, len, weight_bits, &mut fast)
                            };
                            assert_eq!(fast[..found], plain[..expected], "{len} of {kmers}");
                        }
                    }
                }
            }
        }
    }
}
