//! Equal k-mers of a sorted group to one entry each.
//!
//! ```text
//! sums  = weights added up from the first key on                     (three doubling steps, eight keys at a time)
//! ends  = keys that the next one differs from: their k-mers and sums move to the front
//! count = the sum at an end less that at the end before
//! ```

use super::{load, store_u64};
use std::arch::x86_64::*;

kernel! {
    /// As [`sum_group`](super::super::bins::sum_group) for the first `len` of `keys`.
    #[inline]
    pub(super) fn sum_group(keys: &[u64; 64], len: usize, weight_bits: u32, entries: &mut [(u64, u64); 64]) -> usize {
        let zero = _mm512_setzero_si512();
        let one = _mm512_set1_epi64(1);
        let shift = _mm_cvtsi32_si128(weight_bits as i32);
        let weight = _mm512_set1_epi64((1 << weight_bits) - 1);
        let (mut kmers, mut counts) = ([0; 64], [0; 64]);
        let mut len_found = 0;
        // Of the keys before these, in every lane: their weights, and those up to the last end.
        let (mut sum, mut ended) = (zero, zero);
        let wanted = u64::MAX.checked_shr(64 - len as u32).unwrap_or(0);
        let last = wanted & !(wanted >> 1);
        for (i, row) in keys.as_chunks::<8>().0.iter().enumerate() {
            let key = load(row);
            let next = match keys[8 * i + 1..].first_chunk::<8>() {
                Some(next) => load(next),
                // The last key of all ends in any case.
                None => _mm512_alignr_epi64::<1>(key, key),
            };
            let kmer = _mm512_srl_epi64(key, shift);
            let differs = _mm512_cmpneq_epi64_mask(kmer, _mm512_srl_epi64(next, shift));
            let ends = (differs | (last >> (8 * i)) as u8) & (wanted >> (8 * i)) as u8;

            let mut sums = _mm512_add_epi64(_mm512_and_si512(key, weight), one);
            sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<7>(sums, zero));
            sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<6>(sums, zero));
            sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<4>(sums, zero));
            sums = _mm512_add_epi64(sums, sum);
            sum = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sums);

            let at_ends = _mm512_maskz_compress_epi64(ends, sums);
            let before = _mm512_alignr_epi64::<7>(at_ends, ended);
            let number = ends.count_ones();
            // No more than eight come of each row, so there is always room.
            if let Some(out) = kmers[len_found..].first_chunk_mut() {
                store_u64(out, _mm512_maskz_compress_epi64(ends, kmer));
            }
            if let Some(out) = counts[len_found..].first_chunk_mut() {
                store_u64(out, _mm512_sub_epi64(at_ends, before));
            }
            let has_end = if number > 0 { u8::MAX } else { 0 };
            let end = _mm512_set1_epi64(i64::from(number) - 1);
            ended = _mm512_mask_permutexvar_epi64(ended, has_end, end, at_ends);
            len_found += number as usize;
        }
        for ((entry, kmer), count) in entries.iter_mut().zip(kmers).zip(counts) {
            *entry = (kmer, count);
        }
        len_found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::bins;

    #[test]
    fn any_group_is_summed_as_plainly() {
        if !super::super::is_available() {
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
                        let found = unsafe { sum_group(&keys, len, weight_bits, &mut fast) };
                        assert_eq!(fast[..found], plain[..expected], "{len} of {kmers}");
                    }
                }
            }
        }
    }
}
