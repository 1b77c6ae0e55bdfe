//! The order of m-mers, and the least m-mer of every window.
//!
//! ```text
//! x         = m bases as a number whose FIRST base is the least significant,
//!             cut from the packed sequence by one shift
//! forward   = reverse_pairs(x)          the m-mer with its first base on top
//! backward  = !x                        its reverse complement, likewise
//! order     = min(forward, backward) * ODD - 1        (modulo 2^32)
//! inner[j]  = min(forward, backward) ^ INNER_ORDER    of the bases j, j + 1, j + 3 and j + 4 of x, for all j to m - 5
//! is_open   = inner[middle] < all other inner[j]
//! v         = order / 2, its lowest bit replaced by: backward < forward, its top bit by: !is_open
//! least[i]  = min(v[i .. i + w])        w = k - m + 1
//! ```
//!
//! No rolling: every position is computed on its own, so that 16 are one vector.
//! The multiplication permutes the numbers (ODD is odd), and poly-A = 0 becomes
//! the greatest, so that long runs of one letter attract nobody.
//! But for its lowest bit, v is the same on both strands, so equal
//! canonical k-mers meet in one partition; that bit says which strand the
//! minimizer is on, so that a super-k-mer can be stored as that strand reads.
//! Where two m-mers differ in the lost bits alone, only merging suffers.
//!
//! # Open syncmers first
//!
//! With m-mers in random order the minimizer changes 2 / (w + 1) times per base. Here those whose
//! least inner m-mer is the middle one come before all others: *open syncmers* (Edgar, "Syncmers are more sensitive
//! than conserved k-mers", PeerJ 2021). Two of them are at least (m - 3) / 2 bases apart, or the middle of either
//! would lie in the other; so those that are chosen are farther apart (Groot Koerkamp, Liu and Pibiri, "The
//! open-closed mod-minimizer algorithm", 2025). Changes per base, of 1.5 Mb of bacterial genomes:
//!
//! | k | m | random order | open syncmers first |
//! |---|---|---|---|
//! | 21 | 11 | 0.167 | 0.141 |
//! | 31 | 11 | 0.091 | 0.081 |
//! | 55 | 15 | 0.048 | 0.044 |
//!
//! The middle is the middle of the reverse complement, too, as m is odd. An inner m-mer as small as the middle one
//! makes the m-mer an ordinary one: short repeats are no syncmers. Of five bases the middle one is left out, so that
//! inner m-mers are bytes, 64 of which are one vector; with all five there would be hardly fewer changes.
//!
//! The minimum over `w` doubles: of 2, 4, 8, ... positions, at last of `w`, as
//! two overlapping halves. A monotone queue needs the same few operations per
//! position but cannot be a vector, and takes many times as long.

//!
//! # Longer minimizers
//!
//! m-mers of 17 to 19 bases do not fit 32 bits. They are found by plain code of 64 bits; what comes of them are the same
//! numbers of 32 bits, which decide the partition, while the minimum goes by all bits. [`exact`] says which m-mer it was.

pub mod exact;
mod places;
pub mod single;
mod syncmers;

pub(crate) use places::Places;

use std::ops::Range;

use exact::{NOT_OPEN_WIDE, folded, wide_value};
#[cfg(target_arch = "x86_64")]
pub(crate) use syncmers::INNER_ORDER;
use syncmers::Syncmers;
pub(crate) use syncmers::{NOT_OPEN, inner_side};

/// Odd, and its multiples are well spread: the golden ratio's fraction.
pub(crate) const ODD: u32 = 0x9e37_79b1;

/// Odd, for the choice of the partition: a minimum is a small number, its
/// partition must not be.
const PARTITION_ODD: u32 = 0x85eb_ca6b;

/// The greatest m of the vectors: an m-mer and its hash fit 32 bits.
pub const MAX_M: usize = 16;

/// The greatest m of all: longer ones than [`MAX_M`] are found with 64 bits.
pub const MAX_WIDE_M: usize = 19;

/// The length of minimizers for a k.
///
/// 11 for one-word k-mers: with 9 the partitions become uneven and records
/// hold no more at k = 21, with 13 there are 8 % more super-k-mers at k = 31.
/// Longer k-mers afford 15. Odd, so that no m-mer is its own reverse complement and
/// each has a middle (short k-mers excepted, where nothing is lost).
pub fn minimizer_length(k: usize) -> usize {
    match k {
        0..=32 => k.min(11),
        33..=40 => 13,
        _ => 15,
    }
}

/// The partition of a window whose least value is `least`, of `1 << bits` partitions.
#[inline(always)]
pub fn partition(least: u32, bits: u32) -> usize {
    // The strand bit must not matter. A shift by 32 cannot happen for 0 bits: u64.
    (u64::from((least | 1).wrapping_mul(PARTITION_ODD)) >> (32 - bits)) as usize
}

/// The value of the m-mer in the low `2m` bits of `window` as if it were an open syncmer.
#[inline(always)]
fn value(window: u32, m: u32) -> u32 {
    let shift = 32 - 2 * m;
    let mask = u32::MAX >> shift;
    let bytes = window.swap_bytes();
    let nibbles = (bytes >> 4 & 0x0f0f_0f0f) | (bytes & 0x0f0f_0f0f) << 4;
    let forward = ((nibbles >> 2 & 0x3333_3333) | (nibbles & 0x3333_3333) << 2) >> shift;
    let backward = !window & mask;
    let order = forward.min(backward).wrapping_mul(ODD).wrapping_sub(1);
    order >> 1 & !1 | u32::from(backward < forward)
}

/// The 32 bases from base `at` on, the first one lowest; behind the last of `packed` are zeroes.
#[inline(always)]
pub(crate) fn window(packed: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 32, 2 * (at % 32));
    let word_of = |i: usize| packed.get(i).copied().unwrap_or(0);
    // Two shifts, as a shift by 64 is not one by zero.
    word_of(word) >> shift | word_of(word + 1) << 1 << (63 - shift)
}

/// Scratch space and results of [`Minimizers::find`].
#[derive(Debug, Default)]
pub struct Minimizers {
    /// The least value of each window; what follows the last window means nothing.
    pub(crate) least: Vec<u32>,
    /// Bit `i` is set if `least[i + 1]` differs from `least[i]`.
    pub(crate) changes: Vec<u64>,
    scratch: Vec<u32>,
    /// Of m-mers that do not fit 32 bits, the least value of each window.
    pub(crate) wide: Vec<u64>,
    wide_scratch: Vec<u64>,
    syncmers: Syncmers,
    /// For a vector kernel, which has no use for those: bit `i` is set if the m-mer at `i` is an open syncmer.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for vector kernels")
    )]
    pub(crate) open: Vec<u64>,
    /// What [`Kernel::exact_minimizers`](crate::Kernel::exact_minimizers) finds besides.
    pub(crate) places: Places,
}

/// Sets each value to the least of the `width` values from there on; as many as have them remain.
///
/// Loops over what is there: a vector that is extended by an iterator is not extended by vectors.
#[inline(always)]
fn minima<T: Copy + Ord + Default>(values: &mut Vec<T>, scratch: &mut Vec<T>, width: usize) {
    let mut covered = 1;
    while covered < width {
        let step = covered.min(width - covered);
        scratch.resize(values.len().saturating_sub(step), T::default());
        // A slice, as what skips is a call for each value where no optimisation crosses the units of a crate.
        let pairs = values.iter().zip(values.get(step..).unwrap_or_default());
        for (least, (&one, &other)) in scratch.iter_mut().zip(pairs) {
            *least = one.min(other);
        }
        std::mem::swap(values, scratch);
        covered += step;
    }
}

impl Minimizers {
    /// The least value of each window; what follows the last window means nothing.
    ///
    /// Its lowest bit is the strand that the minimizer is on. [`partition`] takes it.
    #[inline]
    pub fn least(&self) -> &[u32] {
        &self.least
    }

    /// Sets `least[i]` to the least value in the window of `k` bases that begins at `i`,
    /// for all windows of the first `bases` bases of `packed`, whatever their letters were.
    ///
    /// `packed` holds 32 bases per word, base `i` in bits `2 (i % 32)` of word `i / 32`, and
    /// one word more than the bases need.
    pub fn find(&mut self, packed: &[u64], bases: usize, k: usize, m: usize) {
        if m > MAX_M {
            return self.find_wide(packed, bases, k, m);
        }
        self.find_least(packed, bases, k, m);
        self.find_changes(0);
    }

    /// As [`find`](Self::find), and which m-mers are the least ones.
    pub(crate) fn find_exact(&mut self, packed: &[u64], bases: usize, k: usize, m: usize) {
        self.find_exact_least(packed, bases, k, m);
        self.find_changes(0);
        self.places.list(0);
    }

    /// [`Self::find`] for m-mers of more than [`MAX_M`] bases.
    pub(crate) fn find_wide(&mut self, packed: &[u64], bases: usize, k: usize, m: usize) {
        self.find_wide_values(packed, bases, k, m);
        self.find_wide_least(bases, k, m);
    }

    /// [`Self::find_exact`] for m-mers of more than [`MAX_M`] bases.
    pub(crate) fn find_exact_wide(&mut self, packed: &[u64], bases: usize, k: usize, m: usize) {
        self.find_wide_values(packed, bases, k, m);
        self.places.keep_wide(&self.wide);
        self.find_wide_least(bases, k, m);
        let windows = (bases + 1).saturating_sub(k);
        self.places.find_wide(&self.wide[..windows], k - m + 1);
    }

    fn find_wide_values(&mut self, packed: &[u64], bases: usize, k: usize, m: usize) {
        debug_assert!(m <= MAX_WIDE_M && m <= k && packed.len() > bases.div_ceil(32));
        self.prepare(bases, k, m);
        self.changes.fill(0);
        self.wide.resize(self.least.len(), 0);
        for (i, value) in self.wide.iter_mut().enumerate() {
            *value = wide_value(window(packed, i), m);
        }
        if bases >= k {
            self.syncmers
                .put_first(&mut self.wide, NOT_OPEN_WIDE, packed, m);
        }
    }

    fn find_wide_least(&mut self, bases: usize, k: usize, m: usize) {
        if bases < k {
            return;
        }
        minima(&mut self.wide, &mut self.wide_scratch, k - m + 1);
        for (least, &wide) in self.least.iter_mut().zip(&self.wide) {
            *least = folded(wide);
        }
        let next = self.wide.get(1..).unwrap_or_default();
        let pairs = self.wide.iter().zip(next);
        for (i, (one, next)) in pairs.enumerate() {
            self.changes[i / 64] |= u64::from(one != next) << (i % 64);
        }
    }

    /// The first half of [`Self::find`].
    #[inline(always)]
    pub(crate) fn find_least(&mut self, packed: &[u64], bases: usize, k: usize, m: usize) {
        self.find_values(packed, bases, k, m);
        if bases >= k {
            minima(&mut self.least, &mut self.scratch, k - m + 1);
        }
    }

    /// The first half of [`Self::find_exact`].
    #[inline(always)]
    pub(crate) fn find_exact_least(&mut self, packed: &[u64], bases: usize, k: usize, m: usize) {
        self.find_values(packed, bases, k, m);
        self.places.keep(&self.least);
        if bases >= k {
            minima(&mut self.least, &mut self.scratch, k - m + 1);
            self.places.find(&self.least[..bases + 1 - k], k - m + 1);
        }
    }

    /// The value of each m-mer, where its window is to be.
    #[inline(always)]
    fn find_values(&mut self, packed: &[u64], bases: usize, k: usize, m: usize) {
        debug_assert!(m <= MAX_M && m <= k && packed.len() > bases.div_ceil(32));
        self.prepare(bases, k, m);
        self.changes.fill(0);
        if bases < k {
            return;
        }
        for (group, values) in self.least.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            // 16 m-mers of up to 16 bases lie in the 32 bases from the group's first on.
            let (word, odd) = (group / 2, group % 2 == 1);
            let window = if odd {
                packed[word] >> 32 | packed[word + 1] << 32
            } else {
                packed[word]
            };
            for (i, v) in values.iter_mut().enumerate() {
                *v = value((window >> (2 * i)) as u32, m as u32);
            }
        }
        self.syncmers
            .put_first(&mut self.least, NOT_OPEN, packed, m);
    }

    /// The second half of [`Self::find`], from window `start` on.
    #[inline(always)]
    pub(crate) fn find_changes(&mut self, start: usize) {
        let least = self.least.get(start..).unwrap_or_default();
        let mut at = start;
        let mut word = 0;
        for (one, next) in least.iter().zip(least.get(1..).unwrap_or_default()) {
            word |= u64::from(one != next) << (at % 64);
            at += 1;
            if at.is_multiple_of(64) {
                self.changes[at / 64 - 1] |= std::mem::take(&mut word);
            }
        }
        if word != 0 {
            self.changes[at / 64] |= word;
        }
    }

    /// The first window behind `window` whose least value is another than that before it; or some number behind the last
    /// window.
    #[inline]
    pub(crate) fn next_change(&self, window: usize) -> usize {
        let mut bits = self.changes[window / 64] & u64::MAX << (window % 64);
        let mut word = window / 64;
        while bits == 0 {
            word += 1;
            match self.changes.get(word) {
                Some(&next) => bits = next,
                None => return usize::MAX,
            }
        }
        64 * word + bits.trailing_zeros() as usize + 1
    }

    /// The stretches of the windows `windows`, each with the least value that all of its windows have, for the
    /// minimizers that were found last. Neighbours may have the same value but for the strand.
    #[inline]
    pub fn stretches(&self, windows: Range<usize>) -> impl Iterator<Item = (Range<usize>, u32)> {
        let mut first = windows.start;
        std::iter::from_fn(move || {
            if first >= windows.end {
                return None;
            }
            let end = self.next_change(first).min(windows.end);
            let stretch = first..end;
            first = end;
            Some((stretch.clone(), self.least[stretch.start]))
        })
    }

    /// Makes room for whole groups of 16 m-mers, and for the inner ones of the last; what is there is to be written.
    pub(crate) fn prepare(&mut self, bases: usize, k: usize, m: usize) {
        let positions = if bases < k {
            0
        } else {
            (bases - m + 1 + 2 * inner_side(m)).next_multiple_of(16)
        };
        self.least.resize(positions, 0);
        self.changes.resize(positions.div_ceil(64), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::syncmers::INNER_ORDER;
    use super::*;
    use crate::kmer::Kmer;

    /// The packed form of `letters`, with room behind.
    fn pack(letters: &[u8]) -> Vec<u64> {
        let mut packed = vec![0u64; letters.len() / 32 + 2];
        for (i, &letter) in letters.iter().enumerate() {
            packed[i / 32] |= u64::from(crate::kmer::code(letter)) << (2 * (i % 32));
        }
        packed
    }

    fn letters(len: usize, mut state: u64) -> Vec<u8> {
        let step = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            b"ACGT"[(state >> 62) as usize]
        };
        (0..len).map(step).collect()
    }

    /// Whether the least inner m-mer is the middle one, of m-mers that have a middle.
    fn is_open(mer: &[u8]) -> bool {
        if mer.len() < 11 || mer.len().is_multiple_of(2) {
            return true;
        }
        let inner = |letters: &[u8]| {
            let four = [&letters[..2], &letters[3..]].concat();
            let forward = u64::from_letters(&four).expect("bases");
            forward.canonical(4) ^ u64::from(INNER_ORDER)
        };
        let all: Vec<u64> = mer.windows(5).map(inner).collect();
        let middle = all[all.len() / 2];
        all.iter().filter(|&&other| other <= middle).count() == 1
    }

    /// By the definition: canonical m-mers as k-mers, every window walked.
    fn oracle(letters: &[u8], k: usize, m: usize) -> Vec<u32> {
        let values: Vec<u32> = letters
            .windows(m)
            .map(|mer| {
                let forward = u64::from_letters(mer).expect("bases");
                let canonical = forward.canonical(m);
                let order = (canonical as u32).wrapping_mul(ODD).wrapping_sub(1);
                let value = order >> 1 & !1 | u32::from(canonical != forward);
                value | if is_open(mer) { 0 } else { NOT_OPEN }
            })
            .collect();
        values
            .windows(k - m + 1)
            .map(|window| *window.iter().min().expect("a window"))
            .collect()
    }

    /// Random bases, none but A and T, and short repeats, which are full of equal m-mers.
    fn texts(len: usize, seed: u64) -> [Vec<u8>; 3] {
        let text = letters(len, seed);
        let weak = text.iter().map(|letter| match letter {
            b'A' | b'C' => b'A',
            _ => b'T',
        });
        let period = 1 + seed as usize % 9;
        let repeat = text.iter().take(period).cycle().take(len).copied();
        [weak.collect(), repeat.collect(), text]
    }

    #[test]
    fn windows_agree_with_the_definition() {
        let mut found = Minimizers::default();
        for k in [1, 2, 5, 11, 12, 16, 21, 31, 32, 33, 55, 64, 255] {
            // Files may have any of them.
            for m in 1..=MAX_M.min(k) {
                for len in [0, k - 1, k, k + 1, 150, 300, 1000] {
                    for text in texts(len, (k * len + m) as u64) {
                        found.find(&pack(&text), len, k, m);
                        let expected = match len < k {
                            true => Vec::new(),
                            false => oracle(&text, k, m),
                        };
                        let found = &found.least[..expected.len()];
                        assert_eq!(found, expected, "k = {k}, m = {m}, {len} bases");
                    }
                }
            }
        }
    }

    #[test]
    fn both_strands_have_one_partition() {
        let (mut one, mut other) = (Minimizers::default(), Minimizers::default());
        for (k, m) in [
            (21, 11),
            (31, 11),
            (31, 12),
            (40, 13),
            (55, 15),
            (64, 16),
            (255, 15),
        ] {
            for text in texts(500, k as u64) {
                let partner = |&letter: &u8| b"TGCA"[usize::from(crate::kmer::code(letter))];
                let partner: Vec<u8> = text.iter().rev().map(partner).collect();
                one.find(&pack(&text), 500, k, m);
                other.find(&pack(&partner), 500, k, m);
                let windows = 500 - k + 1;
                let pairs = one.least[..windows]
                    .iter()
                    .zip(other.least[..windows].iter().rev());
                for (a, b) in pairs {
                    assert_eq!(a | 1, b | 1, "k = {k}, m = {m}");
                    assert_eq!(partition(*a, 10), partition(*b, 10));
                }
            }
        }
        assert_eq!(partition(u32::MAX, 0), 0);
    }
}
