//! Which instructions do the work: chosen once, at run time.
//!
//! Those who stand on this crate have hot loops of their own. They match on [`Kernel::instructions`], and write their
//! functions with `avx2_kernel!` and `avx512_kernel!`, which name the very instructions that were looked for.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;

use crate::{
    cut::{self, Cuts, Ends, Segment},
    encode::Encoded,
    error::Result,
    kmer::Kmer,
    minimizer::{MAX_M, Minimizers, single},
    partition::{BlockSink, Store},
};

/// A set of instructions that the hot loops are written for, and that this processor has.
///
/// One that it lacks cannot be had: so who holds a kernel may call the functions of its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Instructions);

/// The sets of instructions that the hot loops are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instructions {
    /// Plain code for any processor and any k; the oracle of the others.
    Scalar,
    /// See [`avx512`].
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// See [`avx2`].
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernel {
    /// Plain code, which any processor can run.
    pub const SCALAR: Self = Self(Instructions::Scalar);

    /// The kernels that this processor can run, the best first.
    pub fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let vectors = [
            avx512::is_available().then_some(Self(Instructions::Avx512)),
            avx2::is_available().then_some(Self(Instructions::Avx2)),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let vectors: [Option<Self>; 0] = [];
        vectors.into_iter().flatten().chain([Self::SCALAR])
    }

    /// The names of the kernels that this processor can run, the best first.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::all().map(Self::name)
    }

    /// The best kernel of this processor.
    pub fn best() -> Self {
        Self::all().next().unwrap_or(Self::SCALAR)
    }

    /// The best kernel of this processor, or the one with this name.
    pub fn choose(name: Option<&str>) -> Option<Self> {
        Self::all().find(|kernel| name.is_none_or(|name| kernel.name() == name))
    }

    /// Its instructions, all of which this processor has.
    #[inline]
    pub fn instructions(self) -> Instructions {
        self.0
    }

    /// "avx512", "avx2" or "scalar".
    pub fn name(self) -> &'static str {
        match self.0 {
            Instructions::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
        }
    }

    /// Encodes both strands of `letters`; bases with a quality byte below `minimum` are invalid.
    ///
    /// `quality` is as long as `letters`, or empty if qualities do not matter.
    #[inline]
    pub fn encode(self, encoded: &mut Encoded, letters: &[u8], quality: &[u8], minimum: u8) {
        match self.0 {
            Instructions::Scalar => {
                encoded.encode(letters, quality, minimum);
                encoded.complement();
            }
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Instructions::Avx512 => unsafe { avx512::encode(encoded, letters, quality, minimum) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { avx2::encode(encoded, letters, quality, minimum) },
        }
    }

    /// Finds the minimizers, of `m` bases, of all windows of `k` bases.
    ///
    /// # Panics
    ///
    /// Unless `1 <= m <= k` and `m <=` [`MAX_WIDE_M`](crate::minimizer::MAX_WIDE_M).
    #[inline]
    pub fn minimizers(self, minimizers: &mut Minimizers, encoded: &Encoded, k: usize, m: usize) {
        let (packed, bases) = (&encoded.packed, encoded.bases);
        if m > MAX_M {
            return minimizers.find_wide(packed, bases, k, m);
        }
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 if k - m < avx512::MAX_WINDOW => {
                // SAFETY: `all` has made this value, so the processor has the instructions.
                unsafe { avx512::minimizers(minimizers, packed, bases, k, m) }
            }
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above; those with AVX-512 have AVX2.
            Instructions::Avx512 | Instructions::Avx2 => unsafe {
                avx2::minimizers(minimizers, packed, bases, k, m)
            },
            Instructions::Scalar => minimizers.find(packed, bases, k, m),
        }
    }

    /// Sets `classes` to which minimizers single k-mers have, without the strands of these: to
    /// [`class_of`](crate::minimizer::single::class_of) what [`minimizers`](Self::minimizers) finds for their windows.
    ///
    /// # Panics
    ///
    /// Unless `1 <= m <= k`, `m <=` [`MAX_M`], and m-mers have no middle
    /// ([`telling_length`](crate::minimizer::single::telling_length)); in builds with checks.
    #[inline]
    pub fn classes<K: Kmer>(self, kmers: &[K], k: usize, m: usize, classes: &mut Vec<u32>) {
        match self.0 {
            Instructions::Scalar => single::find_classes(kmers, k, m, classes),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Instructions::Avx512 => unsafe { avx512::classes(kmers, k, m, classes) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { avx2::classes(kmers, k, m, classes) },
        }
    }

    /// As [`minimizers`](Self::minimizers), and which m-mers they are.
    #[inline]
    pub(crate) fn exact_minimizers(
        self,
        minimizers: &mut Minimizers,
        encoded: &Encoded,
        k: usize,
        m: usize,
    ) {
        let (packed, bases) = (&encoded.packed, encoded.bases);
        if m > MAX_M {
            return minimizers.find_exact_wide(packed, bases, k, m);
        }
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has AVX2, with AVX-512 too.
            Instructions::Avx512 | Instructions::Avx2 => unsafe {
                avx2::exact_minimizers(minimizers, packed, bases, k, m)
            },
            Instructions::Scalar => minimizers.find_exact(packed, bases, k, m),
        }
    }

    /// Cuts the records of a segment and pushes them to `store`, whose records have `N` words.
    ///
    /// # Errors
    ///
    /// Those of the temporary file, or of another sink; the segment is in part in the store then.
    #[inline]
    pub fn cut<const N: usize, S: BlockSink>(
        self,
        segment: Segment,
        ends: &mut Ends,
        store: &mut Store<S>,
    ) -> Result<Cuts> {
        match self.0 {
            Instructions::Scalar => cut::cut::<N, S>(segment, ends, store, cut::list_plainly),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `all` has made this value, so the processor has the instructions.
            Instructions::Avx512 => unsafe { avx512::cut::<N, S>(segment, ends, store) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { avx2::cut::<N, S>(segment, ends, store) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::Alphabet;
    use crate::minimizer::minimizer_length;

    fn letters(len: usize, mut state: u64) -> Vec<u8> {
        let step = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            let rare = state >> 56 == 0;
            if rare {
                (state >> 40) as u8
            } else {
                b"ACGTacguACGTUcgt"[(state >> 60) as usize]
            }
        };
        (0..len).map(step).collect()
    }

    #[test]
    fn encoding_and_minimizers_agree_with_the_plain_code() {
        for kernel in Kernel::all() {
            for alphabet in [Alphabet::Acgtu, Alphabet::Acgt] {
                agrees_with_the_plain_code(kernel, alphabet);
            }
        }
    }

    fn agrees_with_the_plain_code(kernel: Kernel, alphabet: Alphabet) {
        let (mut plain, mut fast) = (Encoded::new(alphabet), Encoded::new(alphabet));
        let (mut expected, mut found) = (Minimizers::default(), Minimizers::default());
        // At last shorter ones: nothing of a longer one may remain.
        for len in (0..200).chain([255, 256, 257, 511, 2078, 2300, 33, 0, 257, 1]) {
            let text = letters(len, len as u64);
            let quality: Vec<u8> = text
                .iter()
                .rev()
                .map(|letter| letter.wrapping_mul(37))
                .collect();
            for (quality, minimum) in [(&b""[..], 0), (&quality, 50), (&quality, 200)] {
                plain.encode(&text, quality, minimum);
                plain.complement();
                kernel.encode(&mut fast, &text, quality, minimum);
                let words = plain.words();
                for strand in [0..words, words + Encoded::GAP..2 * words + Encoded::GAP] {
                    assert_eq!(
                        fast.packed[strand.clone()],
                        plain.packed[strand],
                        "{kernel:?}, {len} letters"
                    );
                }
                assert_eq!(fast.invalid, plain.invalid);
                assert_eq!(fast.has_other_letters(), plain.has_other_letters());
            }
            for k in [1, 2, 11, 12, 13, 14, 21, 26, 27, 31, 32, 33, 40, 55, 64, 78] {
                // That of a count, and one that a file may have.
                for m in [minimizer_length(k), 1 + len % MAX_M.min(k)] {
                    expected.find(&plain.packed, len, k, m);
                    kernel.minimizers(&mut found, &plain, k, m);
                    let windows = (len + 1).saturating_sub(k);
                    assert_eq!(
                        found.least[..windows],
                        expected.least[..windows],
                        "{kernel:?}, k = {k}, m = {m}, {len} letters"
                    );
                    for i in 1..windows {
                        let bit = |changes: &[u64]| changes[(i - 1) / 64] >> ((i - 1) % 64) & 1;
                        assert_eq!(
                            bit(&found.changes),
                            bit(&expected.changes),
                            "k = {k}, m = {m}, {len}, {i}"
                        );
                    }
                }
            }
        }
    }
}
