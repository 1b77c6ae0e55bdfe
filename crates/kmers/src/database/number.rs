//! k-mers as the bytes of files, fast.

use crate::kmer::{Kmer, byte_len};

/// Appends the `ceil(2k / 8)` bytes of the number, least significant first.
#[inline(always)]
pub(crate) fn write_number<K: Kmer>(kmer: K, k: usize, out: &mut Vec<u8>) {
    // Whole words, whose number is known: what is too much is taken back.
    let end = out.len() + byte_len(k);
    for word in &kmer.to_words()[..K::WORDS] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.truncate(end);
}

/// Appends pairs of a number of `number_bytes`, at most 16, and one of `count_bytes`, at most 8, all least significant first; the
/// numbers have no more bytes.
#[inline]
pub(crate) fn write_pairs(
    pairs: impl Iterator<Item = (u128, u64)>,
    number_bytes: usize,
    count_bytes: usize,
    out: &mut Vec<u8>,
) {
    // All 16 and 8 bytes of each are put behind those before.
    const REACH: usize = 16 + 8;
    let mut some = [0u8; 4096];
    let mut used = 0;
    for (number, count) in pairs {
        if used + REACH > some.len() {
            out.extend_from_slice(&some[..used]);
            used = 0;
        }
        some[used..][..16].copy_from_slice(&number.to_le_bytes());
        some[used + number_bytes..][..8].copy_from_slice(&count.to_le_bytes());
        used += number_bytes + count_bytes;
    }
    out.extend_from_slice(&some[..used]);
}

/// The number of a k-mer of up to 64 bases.
#[inline(always)]
pub(crate) fn two_words<K: Kmer>(kmer: K) -> u128 {
    debug_assert!(K::MAX_K <= 64);
    let [low, high, ..] = kmer.to_words();
    u128::from(low) | u128::from(high) << 64
}

/// The greatest number of so many bytes, at least one.
#[inline(always)]
pub(crate) fn largest_of(bytes: u8) -> u64 {
    u64::MAX >> (64 - 8 * u32::from(bytes))
}

/// The k-mer of `ceil(2k / 8)` bytes, least significant first; `None` if a bit above `2k` is set.
#[inline(always)]
pub(crate) fn read_number<K: Kmer>(bytes: &[u8], k: usize) -> Option<K> {
    debug_assert_eq!(bytes.len(), byte_len(k));
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(whole);
    }
    let used = 2 * k % 64;
    if used != 0 && words[2 * k / 64] >> used != 0 {
        return None;
    }
    Some(K::from_words(&words))
}

/// Appends the `k` letters.
#[inline]
pub(crate) fn write_letters<K: Kmer>(kmer: K, k: usize, out: &mut Vec<u8>) {
    let words = kmer.to_words();
    let byte = |i: usize| (words[i / 8] >> (8 * (i % 8))) as u8;
    // The first bases, as many as are not a whole byte; then four with each byte.
    let odd = k % 4;
    if odd > 0 {
        out.extend_from_slice(&FOUR_LETTERS[usize::from(byte(k / 4))][4 - odd..]);
    }
    for i in (0..k / 4).rev() {
        out.extend_from_slice(&FOUR_LETTERS[usize::from(byte(i))]);
    }
}

/// The letters of each byte.
static FOUR_LETTERS: [[u8; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut i = 0;
        while i < 4 {
            table[byte][i] = b"ACGT"[byte >> (6 - 2 * i) & 3];
            i += 1;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::{KmerTask, dispatch};

    #[test]
    fn all_agree_with_the_trait() {
        struct Task(usize);
        impl KmerTask for Task {
            type Output = ();
            fn run<K: Kmer>(self) {
                let k = self.0;
                let letters: Vec<u8> = (0..k).map(|i| b"ACGT"[(i * i + i / 3 + k) % 4]).collect();
                let kmer = K::from_letters(&letters).unwrap();
                let (mut bytes, mut expected) = (vec![], vec![]);
                write_number(kmer, k, &mut bytes);
                kmer.write_le_bytes(k, &mut expected);
                assert_eq!(bytes, expected);
                assert_eq!(read_number::<K>(&bytes, k), Some(kmer));
                let mut written = vec![];
                write_letters(kmer, k, &mut written);
                assert_eq!(written, letters);
                for i in 0..bytes.len() {
                    let mut spoilt = bytes.clone();
                    spoilt[i] ^= 0xc0;
                    assert_eq!(read_number::<K>(&spoilt, k), K::from_le_bytes(&spoilt, k));
                }
            }
        }
        for k in 1..=255 {
            dispatch(k, Task(k)).unwrap();
        }
    }
}
