//! Letters to two bits each, and where the letters are bases at all.

use crate::kmer::{Alphabet, INVALID, Kmer};

/// A stretch of sequence in two bits per base, both strands, and its valid runs.
///
/// Base `i` lies in bits `2 (i % 32)` of word `i / 32` of the forward strand. The
/// reverse complement is the words in reverse order with their pairs reversed
/// and complemented: its first base follows the padding of the last word, which
/// costs nothing to skip and would cost a pass to remove. Both lie in one
/// buffer, so that the choice of a strand is the choice of a bit number.
#[derive(Debug, Default)]
pub struct Encoded {
    /// Forward words, a gap of [`Self::GAP`] words, reverse words, a gap. What the gaps hold,
    /// and the end of the last word, means nothing: records that reach into them are cut.
    pub(crate) packed: Vec<u64>,
    /// Bit `i` is set where letter `i` is no base, or of too low a quality.
    pub(crate) invalid: Vec<u64>,
    /// Number of letters.
    pub(crate) bases: usize,
    /// Which letters are bases.
    pub(crate) alphabet: Alphabet,
    any_invalid: bool,
    any_other_letter: bool,
}

impl Encoded {
    /// Words between the strands and behind them that may be read: those of the widest record and one more, and
    /// that may be written by kernels that always write 8.
    pub const GAP: usize = 20;

    /// Nothing yet, for letters of `alphabet`.
    pub fn new(alphabet: Alphabet) -> Self {
        Self {
            alphabet,
            ..Self::default()
        }
    }

    /// The bases of both strands, see [`Self`]: the forward one from word 0 on, the reverse one before bit
    /// [`Self::reverse_end`]. Behind the end of either, 20 words or more may be read.
    #[inline]
    pub fn packed(&self) -> &[u64] {
        &self.packed
    }

    /// Number of letters.
    #[inline]
    pub fn bases(&self) -> usize {
        self.bases
    }

    /// Words that hold the bases of one strand.
    #[inline]
    pub fn words(&self) -> usize {
        self.bases.div_ceil(32)
    }

    /// Number of the bit behind the reverse strand, which ends with base 0 at the end of its last word: the reverse complement of
    /// `bases[start..end]` begins `2 * end` bits before it.
    #[inline(always)]
    pub fn reverse_end(&self) -> usize {
        2 * 32 * (2 * self.words() + Self::GAP)
    }

    /// Encodes `letters`; bases with a quality byte below `minimum` are invalid.
    ///
    /// `quality` is as long as `letters`, or empty if qualities do not matter.
    pub(crate) fn encode(&mut self, letters: &[u8], quality: &[u8], minimum: u8) {
        self.prepare(letters.len());
        let codes = self.alphabet.codes();
        let mut any = 0;
        for (i, chunk) in letters.chunks(64).enumerate() {
            let (mut words, mut invalid) = ([0u64; 2], 0u64);
            for (j, &letter) in chunk.iter().enumerate() {
                let code = codes[usize::from(letter)];
                invalid |= u64::from(code == INVALID) << j;
                words[j / 32] |= u64::from(code & 3) << (2 * (j % 32));
            }
            self.packed[2 * i] = words[0];
            // The second word may belong to the gap.
            self.packed[2 * i + 1] = words[1];
            self.invalid[i] = invalid;
            any |= invalid;
        }
        self.set_any_other_letter(any != 0);
        self.mask_quality(quality, minimum);
    }

    /// Makes room for `bases` letters.
    pub(crate) fn prepare(&mut self, bases: usize) {
        self.bases = bases;
        let words = self.words();
        let total = 2 * (words + Self::GAP);
        if self.packed.len() < total {
            self.packed.resize(total, 0);
        }
        self.invalid.resize(bases.div_ceil(64), 0);
    }

    /// Says whether any letter is no base; qualities come behind that.
    pub(crate) fn set_any_other_letter(&mut self, any: bool) {
        self.any_other_letter = any;
        self.any_invalid = any;
    }

    /// Says whether any base is invalid, when another path has marked those of low quality.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn set_any_invalid(&mut self, any: bool) {
        self.any_invalid = any;
    }

    /// Whether any letter is no base, whatever its quality.
    #[inline(always)]
    pub fn has_other_letters(&self) -> bool {
        self.any_other_letter
    }

    /// The places that are invalid, from `from` on, ascending.
    pub fn invalid_places(&self, from: usize) -> impl Iterator<Item = usize> {
        let first = from / 64;
        let words = self.invalid.iter().enumerate().skip(first);
        words.flat_map(move |(i, &word)| {
            let mut left = match i == first {
                true => word & u64::MAX << (from % 64),
                false => word,
            };
            std::iter::from_fn(move || {
                let place = (left != 0).then(|| 64 * i + left.trailing_zeros() as usize);
                left &= left.wrapping_sub(1);
                place
            })
        })
    }

    /// Marks bases of low quality as invalid.
    #[inline(always)]
    pub(crate) fn mask_quality(&mut self, quality: &[u8], minimum: u8) {
        for (invalid, chunk) in self.invalid.iter_mut().zip(quality.chunks(64)) {
            for (j, &byte) in chunk.iter().enumerate() {
                *invalid |= u64::from(byte < minimum) << j;
            }
            self.any_invalid |= *invalid != 0;
        }
    }

    /// Fills in the reverse complement.
    #[inline(always)]
    pub(crate) fn complement(&mut self) {
        let words = self.words();
        let (forward, rest) = self.packed.split_at_mut(words);
        let reverse = &mut rest[Self::GAP..Self::GAP + words];
        for (to, from) in reverse.iter_mut().zip(forward.iter().rev()) {
            *to = crate::kmer::reverse_pairs(!*from);
        }
    }

    /// The k-mer that begins at base `start`, as it reads, whatever its letters were; and its reverse complement.
    ///
    /// # Panics
    ///
    /// If there are not so many bases, or more than `K` holds.
    #[inline]
    pub fn strands<K: Kmer>(&self, start: usize, k: usize) -> [K; 2] {
        assert!(start + k <= self.bases && k <= K::MAX_K);
        // The complement of either strand, whose first base is lowest, has the last base of the other one lowest.
        let backward = self.complement_of(2 * start, k);
        [
            self.complement_of(self.reverse_end() - 2 * (start + k), k),
            backward,
        ]
    }

    /// The complement of `k` bases from bit `bit` on, in the order in which they lie.
    #[inline(always)]
    fn complement_of<K: Kmer>(&self, bit: usize, k: usize) -> K {
        let (first, shift) = (bit / 64, bit % 64);
        let packed = &self.packed[first..=first + K::WORDS];
        let mut words = [0; 8];
        for (number, (word, pair)) in words.iter_mut().zip(packed.windows(2)).enumerate() {
            let bits = !(pair[0] >> shift | pair[1] << 1 << (63 - shift));
            *word = match (2 * k).saturating_sub(64 * number) {
                0 => 0,
                used @ 1..64 => bits & u64::MAX >> (64 - used),
                _ => bits,
            };
        }
        K::from_words(&words)
    }

    /// Start and end of the first longest run of at least `k` valid bases from `from` on.
    #[inline(always)]
    pub fn next_run(&self, from: usize, k: usize) -> Option<(usize, usize)> {
        let mut start = from;
        while start + k <= self.bases {
            let end = self.next_invalid(start);
            if start + k <= end {
                return Some((start, end));
            }
            start = end + 1;
        }
        None
    }

    /// The first invalid letter from `from` on, or the end.
    #[inline(always)]
    fn next_invalid(&self, from: usize) -> usize {
        if !self.any_invalid {
            return self.bases;
        }
        let mut mask = u64::MAX << (from % 64);
        for (i, word) in self.invalid.iter().enumerate().skip(from / 64) {
            if word & mask != 0 {
                return 64 * i + (word & mask).trailing_zeros() as usize;
            }
            mask = u64::MAX;
        }
        self.bases
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::code;

    fn base(encoded: &Encoded, bit: usize) -> u8 {
        (encoded.packed[bit / 64] >> (bit % 64) & 3) as u8
    }

    #[test]
    fn both_strands_can_be_read_back() {
        for len in [0, 1, 31, 32, 33, 63, 64, 65, 150, 200] {
            let letters: Vec<u8> = (0..len).map(|i| b"ACGTTGCaacgt"[i * 7 % 12]).collect();
            let mut encoded = Encoded::default();
            // A longer one before: nothing of it may remain.
            encoded.encode(&[b'T'; 400], b"", 0);
            encoded.encode(&letters, b"", 0);
            encoded.complement();
            for (i, &letter) in letters.iter().enumerate() {
                assert_eq!(base(&encoded, 2 * i), code(letter));
                let bit = encoded.reverse_end() - 2 * (i + 1);
                assert_eq!(base(&encoded, bit), 3 - code(letter), "{len} {i}");
            }
        }
    }

    #[test]
    fn runs_end_at_other_letters_and_low_quality() {
        let mut encoded = Encoded::default();
        let mut letters = [b'A'; 140];
        letters[0] = b'N';
        letters[10] = b'-';
        letters[64] = b'n';
        let mut quality = [b'I'; 140];
        quality[100] = b'#';
        encoded.encode(&letters, &quality, b'$');
        let runs = |k| {
            let next = |from| encoded.next_run(from, k);
            let runs = std::iter::successors(next(0), |run| next(run.1));
            runs.collect::<Vec<_>>()
        };
        assert_eq!(runs(9), [(1, 10), (11, 64), (65, 100), (101, 140)]);
        assert_eq!(runs(10), [(11, 64), (65, 100), (101, 140)]);
        assert_eq!(runs(54), []);
        let places: Vec<usize> = encoded.invalid_places(0).collect();
        assert_eq!(places, [0, 10, 64, 100]);
        assert_eq!(encoded.invalid_places(11).collect::<Vec<_>>(), [64, 100]);
        assert_eq!(encoded.invalid_places(101).count(), 0);
    }

    fn check_strands<K: Kmer>(k: usize) {
        let letters: Vec<u8> = (0..400).map(|i| b"ACGTTGCaacgt"[i * i % 11]).collect();
        let mut encoded = Encoded::default();
        encoded.encode(&letters, b"", 0);
        encoded.complement();
        for start in 0..=letters.len() - k {
            let kmer = K::from_letters(&letters[start..start + k]).unwrap();
            let expected = [kmer, kmer.reverse_complement(k)];
            assert_eq!(encoded.strands::<K>(start, k), expected, "{k} {start}");
        }
    }

    #[test]
    fn k_mers_are_cut_as_they_are_read() {
        for k in [1, 15, 31, 32] {
            check_strands::<u64>(k);
        }
        for k in [33, 64] {
            check_strands::<u128>(k);
        }
        for k in [65, 101, 128] {
            check_strands::<crate::kmer::Wide<4>>(k);
        }
        for k in [129, 192, 255] {
            check_strands::<crate::kmer::Wide<8>>(k);
        }
    }

    /// What is of low quality is a base all the same.
    #[test]
    fn other_letters_are_told_from_low_quality() {
        let mut encoded = Encoded::default();
        encoded.encode(b"ACGTU", b"#IIII", b'$');
        assert!(!encoded.has_other_letters());
        assert_eq!(encoded.invalid_places(0).collect::<Vec<_>>(), [0]);
        let mut encoded = Encoded::new(Alphabet::Acgt);
        encoded.encode(b"ACGTU", b"IIIII", b'$');
        assert!(encoded.has_other_letters());
        assert_eq!(encoded.invalid_places(0).collect::<Vec<_>>(), [4]);
    }
}
