//! How often each 5-mer occurs.
//!
//! Four bases make a byte of two-bit codes. Two such bytes hold the 6-mers that start at
//! the first and the third base of the first one, and a 6-mer two 5-mers. So there is one
//! increment for two bases, in a table of 4,096 that is taken apart only when it is
//! emptied.
//!
//! Tried instead: 8-mers at every fourth base. Half the increments, but in a table of
//! 256 KiB: with one of them faster, with six, as two mates need them, slower than this (`docs/design/cleaning.md`).

use thalweg_scan::pack;

/// Bytes of codes that are made at a time.
const BLOCK: usize = 64;

/// Bases of a k-mer.
const LENGTH: usize = 5;

/// Counters of 6-mers at every second base, and of the 5-mers that these leave out.
pub(super) struct KmerCounters {
    sixes: Box<[u16; 1 << 12]>,
    fives: Box<[u64; 1024]>,
    /// Increments since the table was last emptied, at most.
    counted: usize,
}

impl KmerCounters {
    pub(super) fn new() -> Self {
        let sixes = vec![0; 1 << 12].into_boxed_slice();
        KmerCounters {
            sixes: sixes
                .try_into()
                .unwrap_or_else(|_| unreachable!("as many as asked for")),
            fives: Box::new([0; 1024]),
            counted: 0,
        }
    }

    /// Count the 5-mers of letters that are A, C, G or T, or their lower case.
    #[inline]
    pub(super) fn add_clean(&mut self, sequence: &[u8], wide: &mut [u64; 1024]) {
        let (fours, last) = sequence.as_chunks::<4>();
        if fours.is_empty() {
            return;
        }
        // The last byte of one block stands before those of the next. Behind them there are always eight to look at.
        let (mut codes, mut start) = ([0; 1 + BLOCK + 8], 1);
        for block in fours.chunks(BLOCK) {
            self.counted += 2 * block.len();
            if self.counted > usize::from(u16::MAX) {
                self.drain_into(wide);
                self.counted = 2 * block.len();
            }
            pack(block, &mut codes[1..=block.len()]);
            // Where the table is does not change with what is stored in it.
            let sixes = &mut *self.sixes;
            let mut add = |six: u64| {
                let count = &mut sixes[six as usize & 4095];
                *count = count.wrapping_add(1);
            };
            let eight = |at: usize| {
                let eight = codes[at..].first_chunk().expect("room behind the codes");
                u64::from_le_bytes(*eight)
            };
            let mut at = start;
            // Those that start in the first six of eight bytes at once: it takes half the time.
            while at + 6 <= block.len() {
                let eight = eight(at);
                (0..12).for_each(|place| add(eight >> (4 * place)));
                at += 6;
            }
            let eight = eight(at);
            (0..2 * (block.len() - at)).for_each(|place| add(eight >> (4 * place)));
            codes[0] = codes[block.len()];
            start = 0;
        }
        // The last whole byte, and up to three bases: as many 5-mers as such bases.
        let mut rest = usize::from(codes[0]);
        for (index, base) in last.iter().enumerate() {
            rest |= two_bits(*base) << (8 + 2 * index);
        }
        for index in 0..last.len() {
            self.fives[rest >> (2 * index) & 1023] += 1;
        }
    }

    /// Count the 5-mers of a read in which the bases at some places are other letters;
    /// 5-mers with these are left out.
    pub(super) fn add_between(
        &mut self,
        sequence: &[u8],
        others: impl Iterator<Item = usize>,
        wide: &mut [u64; 1024],
    ) {
        let mut start = 0;
        for place in others {
            self.add_clean(&sequence[start..place], wide);
            start = place + 1;
        }
        self.add_clean(&sequence[start..], wide);
    }

    /// Empty the counters into wide ones.
    pub(super) fn drain_into(&mut self, wide: &mut [u64; 1024]) {
        if self.counted != 0 {
            let sum = |sixes: [u16; 4]| sixes.map(u64::from).iter().sum::<u64>();
            let (by_second, _) = self.sixes.as_chunks::<4>();
            for (code, wide) in wide.iter_mut().enumerate() {
                // Its first five bases are the 5-mer, or its last five.
                let firsts = [0, 1024, 2048, 3072].map(|last| self.sixes[last + code]);
                *wide += sum(firsts) + sum(by_second[code]);
            }
            self.sixes.fill(0);
            self.counted = 0;
        }
        for (wide, count) in wide.iter_mut().zip(self.fives.iter_mut()) {
            *wide += std::mem::take(count);
        }
    }
}

/// The place of a 5-mer in the tables.
pub(super) fn code(kmer: &[u8]) -> Option<usize> {
    let valid = kmer.len() == LENGTH && kmer.iter().all(|base| b"ACGT".contains(base));
    valid.then(|| {
        kmer.iter()
            .rev()
            .fold(0, |code, base| code << 2 | two_bits(*base))
    })
}

/// Bits 1 and 2 of the ASCII letters: A 0, C 1, T 2, G 3.
#[inline(always)]
fn two_bits(base: u8) -> usize {
    usize::from(base >> 1 & 3)
}
