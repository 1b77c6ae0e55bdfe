//! Minimizers of single k-mers, many at a time: for who has k-mers and no sequences.
//!
//! Only of m-mers that have no middle. There are no syncmers among these, and the least one is found by a few operations for each
//! m-mer, which are the same for all k-mers: as many as fit are one vector.

use super::{ODD, inner_side};
use crate::kmer::Kmer;

/// k-mers that are looked at together: their words are two vectors of 512 bits on each strand.
const TOGETHER: usize = 16;

/// Which m-mer the least value of a window stands for, whichever strand it is on.
///
/// Equal for equal k-mers and for their reverse complements; a few m-mers have one in common.
#[inline(always)]
pub fn class_of(least: u32) -> u32 {
    least >> 1
}

/// The length of the m-mers, without a middle, that tell most k-mers of `k` bases apart: an even number of up to 16, or
/// up to 10 bases all of the k-mer.
pub fn telling_length(k: usize) -> usize {
    match k {
        0..=10 => k,
        _ => k.min(16) & !1,
    }
}

/// Sets `classes` to those of the k-mers' minimizers; see [`class_of`].
#[inline(always)]
pub(crate) fn find_classes<K: Kmer>(kmers: &[K], k: usize, m: usize, classes: &mut Vec<u32>) {
    debug_assert!((1..=16).contains(&m) && m <= k && k <= K::MAX_K && inner_side(m) == 0);
    classes.clear();
    for kmers in kmers.chunks(TOGETHER) {
        let classes_of = match K::WORDS {
            1 => classes_of_words(kmers, k, m),
            _ => classes_of_many_words(kmers, k, m),
        };
        classes.extend_from_slice(&classes_of[..kmers.len()]);
    }
}

/// The place of an m-mer among all, from both of its numbers; without what tells its strand.
#[inline(always)]
fn order(forward: u32, backward: u32) -> u32 {
    forward.min(backward).wrapping_mul(ODD).wrapping_sub(1)
}

#[inline(always)]
fn classes_of_words<K: Kmer>(kmers: &[K], k: usize, m: usize) -> [u32; TOGETHER] {
    // The last m-mer of one strand is the first of the other.
    let (mut forward, mut backward) = ([0u64; TOGETHER], [0u64; TOGETHER]);
    for (words, kmer) in forward.iter_mut().zip(&mut backward).zip(kmers) {
        *words.0 = kmer.to_words()[0];
        *words.1 = kmer.reverse_complement(k).to_words()[0] << (64 - 2 * k);
    }
    let (mask, top) = (u32::MAX >> (32 - 2 * m), 64 - 2 * m);
    let mut least = [u32::MAX; TOGETHER];
    for _ in 0..=k - m {
        for ((least, forward), backward) in least.iter_mut().zip(&mut forward).zip(&mut backward) {
            *least = (*least).min(order(*forward as u32 & mask, (*backward >> top) as u32));
            *forward >>= 2;
            *backward <<= 2;
        }
    }
    least.map(|least| least >> 2)
}

fn classes_of_many_words<K: Kmer>(kmers: &[K], k: usize, m: usize) -> [u32; TOGETHER] {
    let mask = u32::MAX >> (32 - 2 * m);
    let cut = |words: &[u64; 8], bit: usize| {
        let next = words.get(bit / 64 + 1).copied().unwrap_or(0);
        (words[bit / 64] >> (bit % 64) | next << 1 << (63 - bit % 64)) as u32 & mask
    };
    let mut classes = [0; TOGETHER];
    for (class, kmer) in classes.iter_mut().zip(kmers) {
        let (forward, backward) = (kmer.to_words(), kmer.reverse_complement(k).to_words());
        let of = |place| {
            order(
                cut(&forward, 2 * place),
                cut(&backward, 2 * (k - m - place)),
            )
        };
        *class = (0..=k - m).map(of).min().unwrap_or(u32::MAX) >> 2;
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kernel;
    use crate::encode::Encoded;
    use crate::kmer::{Alphabet, Wide};
    use crate::minimizer::Minimizers;

    /// As every kernel finds them in a sequence; the same for either strand.
    fn check<K: Kmer>(k: usize) {
        let m = telling_length(k);
        let mut state = k as u64;
        let mut letter = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            b"ACGT"[(state >> 62) as usize]
        };
        let mut letters: Vec<u8> = (0..400).map(|_| letter()).collect();
        letters.extend([b'A'; 40].iter().chain(&b"AT".repeat(30)));
        let kmer = |letters| K::from_letters(letters).unwrap();
        let kmers: Vec<K> = letters.windows(k).map(kmer).collect();
        let others: Vec<K> = (kmers.iter().map(|kmer| kmer.reverse_complement(k))).collect();
        for kernel in Kernel::all() {
            let mut encoded = Encoded::new(Alphabet::Acgt);
            let mut minimizers = Minimizers::default();
            kernel.encode(&mut encoded, &letters, b"", 0);
            kernel.minimizers(&mut minimizers, &encoded, k, m);
            let least = &minimizers.least()[..kmers.len()];
            let expected: Vec<u32> = least.iter().map(|&least| class_of(least)).collect();
            let mut found = vec![7];
            kernel.classes(&kmers, k, m, &mut found);
            assert_eq!(found, expected, "{}, k = {k}", kernel.name());
            kernel.classes(&others, k, m, &mut found);
            assert_eq!(found, expected, "{}, k = {k}", kernel.name());
            kernel.classes::<K>(&[], k, m, &mut found);
            assert!(found.is_empty());
        }
    }

    #[test]
    fn single_k_mers_have_the_minimizers_of_windows() {
        for k in [1, 2, 5, 10, 11, 12, 13, 15, 16, 17, 21, 31, 32] {
            check::<u64>(k);
        }
        for k in [33, 55, 64] {
            check::<u128>(k);
        }
        check::<Wide<4>>(101);
        check::<Wide<8>>(255);
    }
}
