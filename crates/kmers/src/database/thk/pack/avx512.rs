//! The same by vectors of eight numbers.
#![allow(unsafe_code)]

use super::{BitWriter, Words};
use std::arch::x86_64::*;

/// Whether this processor has what this module uses.
#[inline]
pub(in super::super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
}

macro_rules! kernel {
    ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => {
        $(#[$meta])*
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt")]
        $vis fn $($rest)*
    };
}
pub(in super::super) use kernel;

kernel! {
    /// As [`pack`](super::pack).
    pub(in super::super) fn pack(values: &[u64], width: u32, out: &mut Vec<u8>) {
        match width {
            0..=8 => pack_narrow(values, width, out),
            32..=64 => pack_wide(values, width, out),
            _ => super::pack(values, width, out),
        }
    }
}

kernel! {
    fn load(array: &[u64; 8]) -> __m512i {
        // SAFETY: the reference covers the 64 bytes that are read, of a type of plain numbers.
        unsafe { _mm512_loadu_si512(std::ptr::from_ref(array).cast()) }
    }
}

kernel! {
    /// As [`bitmap`](super::bitmap): the bits of eight numbers at once, most often in two words.
    pub(in super::super) fn bitmap(highs: &[u64], out: &mut Vec<u8>) {
        let (eights, rest) = highs.as_chunks::<8>();
        let lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
        let (one, word) = (_mm512_set1_epi64(1), _mm512_set1_epi64(64));
        let mut words = Words::new(out);
        for (i, eight) in (0..).step_by(8).zip(eights) {
            if eight[7] + i + 7 - words.first >= 128 {
                for (i, &high) in (i..).zip(eight) {
                    words.set(high + i);
                }
                continue;
            }
            let from = _mm512_set1_epi64((i as i64).wrapping_sub(words.first as i64));
            let bits = _mm512_add_epi64(_mm512_add_epi64(load(eight), lanes), from);
            // A shift by 64 and more, as of bits of the other word, gives 0.
            words.word |= _mm512_reduce_or_epi64(_mm512_sllv_epi64(one, bits)) as u64;
            if eight[7] + i + 7 - words.first >= 64 {
                let bits = _mm512_sub_epi64(bits, word);
                words.go_on(_mm512_reduce_or_epi64(_mm512_sllv_epi64(one, bits)) as u64);
            }
        }
        for (i, &high) in (8 * eights.len() as u64..).zip(rest) {
            words.set(high + i);
        }
        words.finish();
    }
}

kernel! {
    /// Eight values at once: a byte of each, and of each byte its lowest bits.
    fn pack_narrow(values: &[u64], width: u32, out: &mut Vec<u8>) {
        let (eights, rest) = values.as_chunks::<8>();
        let of_byte = (1u64 << width) - 1;
        let wanted = of_byte * 0x0101_0101_0101_0101;
        let mut fields = BitWriter::new(out);
        for eight in eights {
            let bytes = _mm_cvtsi128_si64(_mm512_cvtepi64_epi8(load(eight))) as u64;
            fields.push(_pext_u64(bytes, wanted), 8 * width);
        }
        for value in rest {
            fields.push(value & of_byte, width);
        }
        fields.finish();
    }
}

kernel! {
    /// Eight values at once: of each 64 bits that they become, the bits of up to three values, moved to their
    /// places.
    fn pack_wide(values: &[u64], width: u32, out: &mut Vec<u8>) {
        let places = Places::of(0, width);
        let mask = _mm512_set1_epi64((u64::MAX >> (64 - width)) as i64);
        let zero = _mm512_setzero_si512();
        let mut room = Groups::new(values.len(), width, out);
        let (eights, rest) = values.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let tail = (!rest.is_empty()).then_some(&last);
        for (i, eight) in eights.iter().chain(tail).enumerate() {
            let values = _mm512_and_si512(load(eight), mask);
            let part = |places| _mm512_permutex2var_epi64(values, places, zero);
            let parts = _mm512_or_si512(
                _mm512_srlv_epi64(part(places.first), places.right),
                _mm512_or_si512(
                    _mm512_sllv_epi64(part(places.second), places.left_2),
                    _mm512_sllv_epi64(part(places.third), places.left_3),
                ),
            );
            room.write(i, 0, parts);
        }
        room.finish();
    }
}

kernel! {
    /// As [`pack_two_words`](super::pack_two_words), eight numbers at once: of each 64 bits that they become, the bits of one or
    /// two numbers, moved to their places.
    pub(in super::super) fn pack_two_words(firsts: &[u64], seconds: &[u64], width: u32, out: &mut Vec<u8>) {
        // Eight numbers fill up to sixteen words.
        let halves = [Places::of(0, width), Places::of(8, width)];
        let mask = _mm512_set1_epi64((u64::MAX >> (128 - width)) as i64);
        let (zero, word) = (_mm512_setzero_si512(), _mm512_set1_epi64(64));
        let mut room = Groups::new(firsts.len(), width, out);
        let (firsts, first_rest) = firsts.as_chunks::<8>();
        let (seconds, second_rest) = seconds.as_chunks::<8>();
        let mut last = [[0; 8]; 2];
        for (last, rest) in last.iter_mut().zip([first_rest, second_rest]) {
            last[..rest.len()].copy_from_slice(rest);
        }
        let [last_firsts, last_seconds] = &last;
        let tail = (!first_rest.is_empty()).then_some((last_firsts, last_seconds));
        for (i, (firsts, seconds)) in firsts.iter().zip(seconds).chain(tail).enumerate() {
            let (firsts, seconds) = (load(firsts), _mm512_and_si512(load(seconds), mask));
            for (half, places) in halves.iter().enumerate() {
                let first = _mm512_permutex2var_epi64(firsts, places.first, zero);
                let second = _mm512_permutex2var_epi64(seconds, places.first, zero);
                let next = _mm512_permutex2var_epi64(firsts, places.second, zero);
                // Of the shifts of `second`, one is by 64 bits or more, or by less than none, and leaves nothing.
                let parts = _mm512_or_si512(
                    _mm512_or_si512(
                        _mm512_srlv_epi64(first, places.right),
                        _mm512_sllv_epi64(second, _mm512_sub_epi64(word, places.right)),
                    ),
                    _mm512_or_si512(
                        _mm512_srlv_epi64(second, _mm512_sub_epi64(places.right, word)),
                        _mm512_sllv_epi64(next, places.left_2),
                    ),
                );
                room.write(i, 64 * half, parts);
            }
        }
        room.finish();
    }
}

/// Where what lies in the words that eight numbers become comes from.
///
/// A shift by 64 or more leaves nothing; neither does an index beyond the eight numbers, where zeros are.
struct Places {
    /// The number that each word begins with, and those behind it.
    first: __m512i,
    second: __m512i,
    third: __m512i,
    /// Bits of the first number that are in the words before.
    right: __m512i,
    /// Bits of this word before the second number, and before the third.
    left_2: __m512i,
    left_3: __m512i,
}

impl Places {
    kernel! {
        /// Of the eight words from `word` on.
        fn of(word: usize, width: u32) -> Self {
            let bits = width as usize;
            let (mut first, mut right) = ([8u64; 8], [64u64; 8]);
            for (lane, (first, right)) in first.iter_mut().zip(&mut right).enumerate() {
                let begun = 64 * (word + lane);
                // Behind the last number there is nothing.
                if begun < 8 * bits {
                    (*first, *right) = ((begun / bits) as u64, (begun % bits) as u64);
                }
            }
            let (one, width) = (_mm512_set1_epi64(1), _mm512_set1_epi64(i64::from(width)));
            let (first, right) = (load(&first), load(&right));
            let second = _mm512_add_epi64(first, one);
            let left_2 = _mm512_sub_epi64(width, right);
            Self {
                first,
                second,
                third: _mm512_add_epi64(second, one),
                right,
                left_2,
                left_3: _mm512_add_epi64(left_2, width),
            }
        }
    }
}

/// Room behind some bytes for groups of eight numbers, each of as many bytes as a number has bits.
struct Groups<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    /// Bytes of a group.
    bytes: usize,
    end: usize,
}

impl<'a> Groups<'a> {
    fn new(numbers: usize, width: u32, out: &'a mut Vec<u8>) -> Self {
        let (start, bytes) = (out.len(), width as usize);
        // Whole vectors are written, up to two for each group.
        out.resize(start + numbers.div_ceil(8) * bytes + 128, 0);
        let end = start + (numbers * bytes).div_ceil(8);
        Self {
            out,
            start,
            bytes,
            end,
        }
    }

    kernel! {
        /// Writes words of a group, from its byte `at` on; what is too much is written over by the next group.
        fn write(&mut self, group: usize, at: usize, words: __m512i) {
            if let Some(place) = self.out[self.start + group * self.bytes + at..].first_chunk_mut::<64>() {
                // SAFETY: the reference covers the 64 bytes that are written; any bits are numbers.
                unsafe { _mm512_storeu_si512(std::ptr::from_mut(place).cast(), words) }
            }
        }
    }

    fn finish(self) {
        self.out.truncate(self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::numbers;
    use super::*;

    #[test]
    fn any_width_is_packed_as_by_the_plain_code() {
        if !is_available() {
            println!("not tested: this processor has no AVX-512");
            return;
        }
        let values: Vec<u64> = numbers().take(1024).collect();
        for width in 0..=64 {
            for number in [0, 1, 7, 8, 9, 63, 64, 1023, 1024] {
                let (mut expected, mut packed) = (vec![7], vec![7]);
                super::super::pack(&values[..number], width, &mut expected);
                // SAFETY: the processor has the instructions.
                unsafe { pack(&values[..number], width, &mut packed) };
                assert_eq!(packed, expected, "{number} of {width} bits");
            }
        }
    }

    #[test]
    fn two_words_are_packed_as_by_the_plain_code() {
        if !is_available() {
            println!("not tested: this processor has no AVX-512");
            return;
        }
        let words: Vec<u64> = numbers().take(2048).collect();
        let (firsts, seconds) = words.split_at(1024);
        for width in 65..=128 {
            for number in [0, 1, 7, 8, 9, 63, 64, 1023, 1024] {
                let (firsts, seconds) = (&firsts[..number], &seconds[..number]);
                let (mut expected, mut packed) = (vec![7], vec![7]);
                super::super::pack_two_words(firsts, seconds, width, &mut expected);
                // SAFETY: the processor has the instructions.
                unsafe { pack_two_words(firsts, seconds, width, &mut packed) };
                assert_eq!(packed, expected, "{number} of {width} bits");
            }
        }
    }

    #[test]
    fn any_bitmap_is_made_as_by_the_plain_code() {
        if !is_available() {
            println!("not tested: this processor has no AVX-512");
            return;
        }
        let mut numbers = numbers();
        // Dense ones, usual ones, and with whole words empty.
        for spread in [1, 4, 40, 400] {
            for number in [0, 1, 7, 8, 9, 63, 64, 1024] {
                let mut high = 0;
                let highs = numbers.by_ref().take(number).map(|step| {
                    high += step % spread;
                    high
                });
                let highs: Vec<u64> = highs.collect();
                let (mut plain, mut fast) = (vec![7], vec![7]);
                super::super::bitmap(&highs, &mut plain);
                // SAFETY: the processor has the instructions.
                unsafe { bitmap(&highs, &mut fast) };
                assert_eq!(fast, plain, "{number} of {spread}");
                let bits = highs.iter().zip(0..).map(|(high, i)| (high + i) as usize);
                let set = |bit: usize| plain[1 + bit / 8] >> (bit % 8) & 1;
                assert!(bits.map(set).all(|bit| bit == 1));
                let ones: u32 = plain[1..].iter().map(|byte| byte.count_ones()).sum();
                assert_eq!(ones as usize, number);
            }
        }
    }
}
