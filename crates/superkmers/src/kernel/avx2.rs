//! The hot loops for processors with AVX2 and BMI2.
//!
//! As [`avx512`](super::avx512) with half the width, and without its instructions for
//! funnel shifts, bit matrices and masks:
//!
//! - m-mers and their minima are the plain code, which the compiler turns into vectors when it may
//!   use these instructions; only where the minimum changes is found by hand.
#![allow(unsafe_code)]

/// A function with the instructions of [`Instructions::Avx2`](crate::kernel::Instructions::Avx2): whoever calls it from
/// outside of such functions must hold a [`Kernel`](crate::kernel::Kernel) of them.
#[macro_export]
macro_rules! avx2_kernel {
    ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => {
        $(#[$meta])*
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        $vis fn $($rest)*
    };
}

use crate::{
    avx2_kernel as kernel,
    cut::{self, Cuts, Ends, Segment},
    encode::Encoded,
    error::Result,
    kmer::Kmer,
    minimizer::{Minimizers, single},
    partition::{BlockSink, Store},
};
use std::arch::x86_64::*;

/// Whether this processor has all that this module uses.
pub fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

kernel! {
    /// A vector of plain numbers.
    ///
    /// # Safety
    ///
    /// The processor must have the instructions of this module, where the caller is not compiled for them.
    #[inline]
    pub fn load<T: bytemuck::Pod, const L: usize>(array: &[T; L]) -> __m256i {
        const { assert!(size_of::<T>() * L == 32) };
        // SAFETY: the reference covers the 32 bytes that are read, of a type of plain numbers.
        unsafe { _mm256_loadu_si256(std::ptr::from_ref(array).cast()) }
    }
}

kernel! {
    /// As [`single::find_classes`], which compilers make vectors of.
    pub(super) fn classes<K: Kmer>(kmers: &[K], k: usize, m: usize, classes: &mut Vec<u32>) {
        single::find_classes(kmers, k, m, classes);
    }
}

kernel! {
    /// As [`Encoded::encode`] followed by [`Encoded::complement`].
    pub(super) fn encode(encoded: &mut Encoded, letters: &[u8], quality: &[u8], minimum: u8) {
        encoded.prepare(letters.len());
        let u = encoded.alphabet.u();
        let mut any = 0;
        let (whole, rest) = letters.as_chunks::<64>();
        let mut last = [b'A'; 64];
        last[..rest.len()].copy_from_slice(rest);
        let tail = (!rest.is_empty()).then_some(&last);
        for (i, chunk) in whole.iter().chain(tail).enumerate() {
            let mut invalid = 0;
            // Two arrays of 32 are what one of 64 is made of.
            for (half, letters) in chunk.as_chunks::<32>().0.iter().enumerate() {
                let (word, bad) = pack(letters, u);
                encoded.packed[2 * i + half] = word;
                invalid |= u64::from(bad) << (32 * half);
            }
            encoded.invalid[i] = invalid;
            any |= invalid;
        }
        encoded.set_any_other_letter(any != 0);
        encoded.mask_quality(quality, minimum);
        encoded.complement();
    }
}

kernel! {
    /// 32 letters in two bits each, zero where the bit of the second number says that it is no base.
    #[inline]
    fn pack(letters: &[u8; 32], u: i8) -> (u64, u32) {
        // By low nibble: A = 0x41, C = 0x43, G = 0x47, T = 0x54, U = 0x55 or none.
        const NONE: i8 = -1;
        let expected = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            NONE, 0x41, NONE, 0x43, 0x54, u, NONE, 0x47, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
        ));
        let codes = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 1, 3, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0));
        let letter = load(letters);
        let upper = _mm256_and_si256(letter, _mm256_set1_epi8(!0x20));
        let good = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(expected, letter), upper);
        let code = _mm256_and_si256(good, _mm256_shuffle_epi8(codes, letter));
        let four = _mm256_maddubs_epi16(code, _mm256_set1_epi16(0x0401));
        let sixteen = _mm256_madd_epi16(four, _mm256_set1_epi32(0x0010_0001));
        // The low byte of every 32 bits, four in each half.
        let low = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 4, 8, 12, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
        ));
        let bytes = _mm256_shuffle_epi8(sixteen, low);
        let first = _mm256_extract_epi32::<0>(bytes) as u32;
        let second = _mm256_extract_epi32::<4>(bytes) as u32;
        let word = u64::from(first) | u64::from(second) << 32;
        (word, !(_mm256_movemask_epi8(good) as u32))
    }
}

kernel! {
    /// As [`cut::cut`]: the plain code with the shifts of these processors.
    pub(super) fn cut<const N: usize, S: BlockSink>(segment: Segment, ends: &mut Ends, store: &mut Store<S>) -> Result<Cuts> {
        cut::cut::<N, S>(segment, ends, store, cut::list_plainly)
    }
}

kernel! {
    /// As [`Minimizers::find`].
    pub(super) fn minimizers(found: &mut Minimizers, packed: &[u64], bases: usize, k: usize, m: usize) {
        found.find_least(packed, bases, k, m);
        find_changes(found);
    }
}

kernel! {
    /// As [`Minimizers::find_exact`].
    pub(super) fn exact_minimizers(found: &mut Minimizers, packed: &[u64], bases: usize, k: usize, m: usize) {
        found.find_exact_least(packed, bases, k, m);
        find_changes(found);
        let (classes, bits) = found.places.narrow();
        let own = classes.own.as_chunks::<8>().0;
        let (greatest, rest) = classes.greatest.as_chunks::<8>();
        for (i, (own, greatest)) in own.iter().zip(greatest).enumerate() {
            let equal = _mm256_cmpeq_epi32(load(own), load(greatest));
            bits[i / 8] |= (_mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u64 & 0xff) << (8 * (i % 8));
        }
        let start = classes.greatest.len() - rest.len();
        for (i, (own, greatest)) in classes.own[start..].iter().zip(rest).enumerate() {
            bits[(start + i) / 64] |= u64::from(own == greatest) << ((start + i) % 64);
        }
    }
}

kernel! {
    /// As [`Minimizers::find_changes`].
    #[inline]
    fn find_changes(found: &mut Minimizers) {
        for i in 0..found.least.len().saturating_sub(8) / 8 {
            let both = found.least[8 * i..].first_chunk::<8>().zip(found.least[8 * i + 1..].first_chunk::<8>());
            let Some((least, next)) = both else { break };
            let equal = _mm256_cmpeq_epi32(load(least), load(next));
            let differ = !_mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u64 & 0xff;
            found.changes[i / 8] |= differ << (8 * (i % 8));
        }
        found.find_changes(found.least.len().saturating_sub(8) / 8 * 8);
    }
}
