//! The k-mers of a sequence, one after the other.

use crate::kmer::{Alphabet, INVALID, Kmer};

/// An iterator over (offset, k-mer) of a sequence, 0-based offsets ascending.
///
/// Windows with another letter than ACGTacgt are left out; with [`SequenceKmers::with_alphabet`], U may be T. k-mers are as they read: not made canonical.
///
/// ```
/// use thalweg_kmers::{Kmer, database::SequenceKmers};
///
/// let kmers: Vec<_> = SequenceKmers::<u64>::new(b"ACGTNAAC", 3)
///     .map(|(offset, kmer)| (offset, String::from_utf8(kmer.to_letters(3)).expect("letters")))
///     .collect();
/// assert_eq!(kmers, [(0, "ACG".into()), (1, "CGT".into()), (5, "AAC".into())]);
/// ```
#[derive(Clone, Debug)]
pub struct SequenceKmers<'a, K> {
    sequence: &'a [u8],
    alphabet: Alphabet,
    k: usize,
    next: usize,
    filled: usize,
    kmer: K,
}

impl<'a, K: Kmer> SequenceKmers<'a, K> {
    /// The k-mers of `sequence`; none if k is 0 or more than `K` holds.
    pub fn new(sequence: &'a [u8], k: usize) -> SequenceKmers<'a, K> {
        let sequence = if (1..=K::MAX_K).contains(&k) {
            sequence
        } else {
            &[]
        };
        SequenceKmers {
            sequence,
            alphabet: Alphabet::Acgt,
            k,
            next: 0,
            filled: 0,
            kmer: K::default(),
        }
    }

    /// The k-mers of the same sequence, of letters of `alphabet`.
    pub fn with_alphabet(self, alphabet: Alphabet) -> SequenceKmers<'a, K> {
        SequenceKmers { alphabet, ..self }
    }
}

impl<K: Kmer> Iterator for SequenceKmers<'_, K> {
    type Item = (usize, K);

    fn next(&mut self) -> Option<(usize, K)> {
        while let Some(&letter) = self.sequence.get(self.next) {
            self.next += 1;
            let code = self.alphabet.code(letter);
            if code == INVALID {
                self.filled = 0;
                continue;
            }
            self.kmer = self.kmer.append(code, self.k);
            self.filled += 1;
            if self.filled >= self.k {
                return Some((self.next - self.k, self.kmer));
            }
        }
        None
    }
}
