//! The rule by which a counted k-mer finds its partition.

use crate::kmer::Kmer;
use thalweg_superkmers::minimizer::{Minimizers, partition};

/// Words of the longest k-mer, and the one more that [`Minimizers::find`] wants.
const WORDS: usize = 9;

/// Minimizers of so many bases, so many partitions.
#[derive(Debug)]
pub(crate) struct MinimizerRule {
    length: usize,
    bits: u32,
    minimizers: Box<Minimizers>,
}

impl MinimizerRule {
    pub(crate) fn new(length: u8, partitions: u32) -> MinimizerRule {
        MinimizerRule {
            length: usize::from(length),
            bits: partitions.trailing_zeros(),
            minimizers: Box::default(),
        }
    }

    /// Bases of a minimizer.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Binary logarithm of the number of partitions.
    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// The partition of a k-mer, the same for its reverse complement.
    pub(crate) fn partition<K: Kmer>(&mut self, kmer: K, k: usize) -> usize {
        let words = kmer.to_words();
        let mut packed = [0u64; WORDS];
        for base in 0..k {
            let bit = 2 * (k - 1 - base);
            packed[base / 32] |= (words[bit / 64] >> (bit % 64) & 3) << (2 * (base % 32));
        }
        self.minimizers.find(&packed, k, k, self.length);
        partition(self.minimizers.least()[0], self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, files that were written before cannot be searched any more: the rule that changed needs
    /// another number in the header.
    #[test]
    fn the_rule_stays_what_it_was() {
        let mut rule = MinimizerRule::new(11, 1024);
        let letters = b"ACGTTGCATGCCGATTAGACCAGTTACAGGA";
        let kmer = u64::from_letters(letters).unwrap();
        let found = rule.partition(kmer, 31);
        assert_eq!(rule.partition(kmer.reverse_complement(31), 31), found);
        assert_eq!(found, slowly(letters, 11, 10));
        let mut rule = MinimizerRule::new(15, 64);
        let letters = letters.repeat(4);
        let kmer = crate::kmer::Wide::<4>::from_letters(&letters).unwrap();
        assert_eq!(rule.partition(kmer, 124), slowly(&letters, 15, 6));
    }

    /// As docs/formats/kmers.md has it.
    fn slowly(letters: &[u8], m: usize, bits: u32) -> usize {
        let code = |letter: &u8| u32::from(crate::kmer::code(*letter));
        let least = letters
            .windows(m)
            .map(|window| {
                let forward = window.iter().fold(0, |x, letter| x << 2 | code(letter));
                let backward = window
                    .iter()
                    .rev()
                    .fold(0, |x, letter| x << 2 | (3 - code(letter)));
                let order = forward
                    .min(backward)
                    .wrapping_mul(0x9e37_79b1_u32)
                    .wrapping_sub(1);
                let inner: Vec<u32> = (0..m - 4)
                    .map(|place| {
                        let five = |x: u32, behind: usize| x >> (2 * behind);
                        let cut = |five: u32| five & 0xf | five >> 2 & 0xf0;
                        let number = cut(five(forward, m - 5 - place));
                        number.min(cut(five(backward, place))) ^ 0xcd
                    })
                    .collect();
                let middle = inner[inner.len() / 2];
                let is_open = inner.iter().filter(|&&other| other <= middle).count() == 1;
                order >> 1 | 1 | u32::from(!is_open) << 31
            })
            .min()
            .unwrap();
        (u64::from(least.wrapping_mul(0x85eb_ca6b)) >> (32 - bits)) as usize
    }
}
