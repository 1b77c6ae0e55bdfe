//! Super-k-mers as fixed-size records.
//!
//! A record is `N` words, 1 to 16: base `i` in bits `2i` and `2i + 1`, then one
//! set bit (the end mark), then zeros. So its length is the place of its highest bit,
//! records are equal when their words are, none is all zeros, and any of up to
//! `32 N - 1` bases fits.

use crate::kmer::Kmer;
use crate::minimizer::minimizer_length;

/// A super-k-mer of up to `32 N - 1` bases.
pub type Record<const N: usize> = [u64; N];

/// Words of a record that holds `bases` bases.
pub fn words_for(bases: usize) -> usize {
    (bases + 1).div_ceil(32).next_power_of_two()
}

/// Bytes of a record of `bases` bases up to the one with the end mark.
#[inline(always)]
pub fn bytes_for(bases: usize) -> usize {
    bases / 4 + 1
}

/// k-mers of a record, at most: they have their minimizer in common.
pub fn most_kmers(k: usize) -> usize {
    k + 1 - minimizer_length(k)
}

/// The record of `len` bases that begin at bit `bit` of `packed`, which has `N` words more.
#[inline(always)]
pub fn cut<const N: usize>(packed: &[u64], bit: usize, len: usize) -> Record<N> {
    debug_assert!(len < 32 * N);
    let source = &packed[bit / 64..][..N + 1];
    let (byte, shift) = (bit % 64 / 8, bit % 8);
    let mut record = [0; N];
    for (i, word) in record.iter_mut().enumerate() {
        // Two words that begin in neighbouring bytes, of which the shift leaves 57 bits or more. Bits of two neighbouring
        // words would be an instruction for both, which AMD's processors take apart into six.
        let low = word_at(source, 8 * i + byte) >> shift;
        let high = word_at(source, 8 * i + byte + 1) >> shift;
        *word = low | high << 8;
    }
    let end = 2 * len;
    for (i, word) in record.iter_mut().enumerate() {
        // Of the words before the one with the end mark all is kept, of those behind it nothing.
        let is_marked = N == 1 || i == end / 64;
        let mark = if is_marked { 1 << (end % 64) } else { 0 };
        let kept = u64::wrapping_sub(mark, u64::from(N == 1 || i <= end / 64));
        *word = *word & kept | mark;
    }
    record
}

/// The word that begins at byte `byte` of `words`, where bytes of a word are counted from its least significant one.
#[inline(always)]
fn word_at(words: &[u64], byte: usize) -> u64 {
    if cfg!(target_endian = "big") {
        return word_from(words, 8 * byte);
    }
    let bytes: &[u8] = bytemuck::cast_slice(words);
    debug_assert!(byte + 8 <= bytes.len());
    (bytes[byte..].first_chunk()).map_or(0, |word| u64::from_ne_bytes(*word))
}

/// The word that begins at bit `bit` of `words`, behind which are zeroes.
#[inline(always)]
fn word_from(words: &[u64], bit: usize) -> u64 {
    let (word, shift) = (bit / 64, bit % 64);
    let word_of = |i: usize| words.get(i).copied().unwrap_or(0);
    // Two shifts, as a shift by 64 is not one by zero.
    word_of(word) >> shift | word_of(word + 1) << 1 << (63 - shift)
}

/// Number of bases of a record.
#[inline(always)]
pub fn len<const N: usize>(record: &Record<N>) -> usize {
    for i in (0..N).rev() {
        if record[i] != 0 {
            return 32 * i + (63 - record[i].leading_zeros() as usize) / 2;
        }
    }
    // No record is zero; an empty one yields no k-mer.
    0
}

/// The `number` bases from base `start` on, all in the record, at most 32 of them.
#[inline(always)]
pub fn bases<const N: usize>(record: &Record<N>, start: usize, number: usize) -> u64 {
    word_from(record, 2 * start) & u64::MAX >> (64 - 2 * number)
}

/// Whether `record` of `len` bases begins another one.
#[inline(always)]
pub fn begins<const N: usize>(record: &Record<N>, len: usize, other: &Record<N>) -> bool {
    let mut differ = 0;
    for i in 0..N {
        let bits = (2 * len).saturating_sub(64 * i).min(64);
        let mask = u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0);
        differ |= (record[i] ^ other[i]) & mask;
    }
    differ == 0
}

/// The record without its first `bases` bases.
#[inline(always)]
pub fn without<const N: usize>(record: &Record<N>, bases: usize) -> Record<N> {
    std::array::from_fn(|i| word_from(record, 64 * i + 2 * bases))
}

/// Calls `each` with every k-mer of the record, canonical or as written.
#[inline(always)]
pub fn for_each_kmer<K: Kmer, const N: usize>(
    record: &Record<N>,
    k: usize,
    canonical: bool,
    mut each: impl FnMut(K),
) {
    let len = len(record);
    if len < k {
        return;
    }
    // The first k-mer at once: the record's words are it with its first base at the bottom, so their
    // complement is its reverse complement. Building it base by base would cost k steps for
    // the k - m + 1 k-mers of a record at most.
    let mut words = [0; 8];
    for (i, (to, from)) in words.iter_mut().zip(record).enumerate() {
        let bits = (2 * k).saturating_sub(64 * i).min(64);
        if bits > 0 {
            *to = !from & u64::MAX >> (64 - bits);
        }
    }
    let mut backward = K::from_words(&words);
    let mut forward = backward.reverse_complement(k);
    each(if canonical {
        forward.min(backward)
    } else {
        forward
    });
    for i in k..len {
        let code = (record[i / 32] >> (2 * (i % 32)) & 3) as u8;
        forward = forward.append(code, k);
        if canonical {
            backward = backward.prepend(3 - code, k);
        }
        each(if canonical {
            forward.min(backward)
        } else {
            forward
        });
    }
}

/// A mixture of all words of a record.
#[inline(always)]
pub fn mix<const N: usize>(record: &Record<N>) -> u64 {
    let mut mixed = 0u64;
    for &word in record {
        mixed = (mixed.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::{LETTERS, code};

    fn check<const N: usize>() {
        let letters: Vec<u8> = (0..700u32)
            .map(|i| LETTERS[(i.wrapping_mul(2_654_435_761) >> 30) as usize])
            .collect();
        let mut packed = vec![0u64; 700 / 32 + 20];
        for (i, &letter) in letters.iter().enumerate() {
            packed[i / 32] |= u64::from(code(letter)) << (2 * (i % 32));
        }
        for start in [0, 1, 31, 32, 77] {
            for bases in 1..32 * N {
                let record = cut::<N>(&packed, 2 * start, bases);
                assert_eq!(len(&record), bases);
                let mut seen = Vec::new();
                for_each_kmer::<u64, N>(&record, 1, false, |kmer| {
                    seen.push(LETTERS[kmer as usize])
                });
                assert_eq!(seen, letters[start..start + bases]);
                for part in [1, bases.div_ceil(2), bases] {
                    let begins = cut::<N>(&packed, 2 * start, part);
                    assert!(super::begins(&begins, part, &record));
                    let mut other = record;
                    other[(part - 1) / 32] ^= 1 << (2 * ((part - 1) % 32));
                    assert!(!super::begins(&begins, part, &other));
                    let rest = cut::<N>(&packed, 2 * (start + part), bases - part);
                    assert_eq!(without(&record, part), rest);
                    let number = part.min(32);
                    let expected = cut::<2>(&packed, 2 * (start + bases - number), number);
                    let mark = if number < 32 { 1 << (2 * number) } else { 0 };
                    let word = super::bases(&record, bases - number, number);
                    assert_eq!(word | mark, expected[0]);
                    let word = super::bases(&record, 0, number);
                    assert_eq!(word | mark, cut::<2>(&packed, 2 * start, number)[0]);
                }
                if bases >= 31 {
                    let mut kmers = Vec::new();
                    for_each_kmer::<u64, N>(&record, 31, true, |kmer| kmers.push(kmer));
                    let expected: Vec<u64> = letters[start..start + bases]
                        .windows(31)
                        .map(|w| u64::from_letters(w).expect("bases").canonical(31))
                        .collect();
                    assert_eq!(kmers, expected);
                }
            }
        }
    }

    #[test]
    fn records_hold_what_was_cut() {
        check::<1>();
        check::<2>();
        check::<4>();
        check::<8>();
        check::<16>();
        assert_eq!(
            [words_for(31), words_for(32), words_for(51), words_for(495)],
            [1, 2, 2, 16]
        );
    }
}
