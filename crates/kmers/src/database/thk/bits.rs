//! Fields of any number of bits in a row of bytes, least significant bit first; arithmetic on k-mers.

use crate::kmer::Kmer;

/// Appends fields to a byte buffer.
#[derive(Debug)]
pub(super) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    pending: u64,
    bits: u32,
}

impl<'a> BitWriter<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> BitWriter<'a> {
        BitWriter {
            out,
            pending: 0,
            bits: 0,
        }
    }

    /// Appends the low `width` bits of `value`, which has none above; `width <= 64`.
    #[inline(always)]
    pub(super) fn push(&mut self, value: u64, width: u32) {
        debug_assert!(width == 64 || value >> width == 0);
        self.pending |= value << self.bits;
        self.bits += width;
        if self.bits >= 64 {
            self.out.extend_from_slice(&self.pending.to_le_bytes());
            self.bits -= 64;
            // What did not fit: the upper `bits` of the value's `width`. None if bits is 0, where a shift by
            // up to 64 would be asked for.
            self.pending = if self.bits == 0 {
                0
            } else {
                value >> (width - self.bits)
            };
        }
    }

    /// Appends the low `width` bits of a k-mer's number.
    #[inline(always)]
    pub(super) fn push_kmer<K: Kmer>(&mut self, value: K, width: u32) {
        let value = value.to_words();
        let mut left = width;
        for word in &value[..K::WORDS] {
            let width = left.min(64);
            let mask = if width == 64 { !0 } else { (1 << width) - 1 };
            self.push(word & mask, width);
            left -= width;
        }
    }

    /// Fills the last byte with zero bits.
    pub(super) fn finish(self) {
        let bytes = self.bits.div_ceil(8) as usize;
        self.out
            .extend_from_slice(&self.pending.to_le_bytes()[..bytes]);
    }
}

/// The `width` (at most 64) bits from bit `position` on; bits behind the end of `bytes` are zero.
#[inline(always)]
pub(super) fn read_bits(bytes: &[u8], position: usize, width: u32) -> u64 {
    if width == 0 {
        return 0;
    }
    let (start, shift) = (position / 8, (position % 8) as u32);
    // Of eight bytes, at least 57 bits are behind the first one's odd bits.
    if width <= 57
        && let Some(Some(near)) = bytes.get(start..).map(<[u8]>::first_chunk)
    {
        return (u64::from_le_bytes(*near) >> shift) & ((1 << width) - 1);
    }
    read_wide_bits(bytes, start, shift, width)
}

#[inline(never)]
fn read_wide_bits(bytes: &[u8], start: usize, shift: u32, width: u32) -> u64 {
    let wide = match bytes.get(start..start + 16) {
        Some(wide) => u128::from_le_bytes(wide.try_into().expect("sixteen bytes")),
        None => {
            let mut wide = [0; 16];
            let rest = bytes.get(start..).unwrap_or(&[]);
            let length = rest.len().min(16);
            wide[..length].copy_from_slice(&rest[..length]);
            u128::from_le_bytes(wide)
        }
    };
    let value = (wide >> shift) as u64;
    if width == 64 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// As [`read_bits`], up to the width of a k-mer.
#[inline(always)]
pub(super) fn read_kmer_bits<K: Kmer>(bytes: &[u8], position: usize, width: u32) -> K {
    let mut value = [0; 8];
    let (mut position, mut left) = (position, width);
    for word in &mut value[..K::WORDS] {
        let width = left.min(64);
        *word = read_bits(bytes, position, width);
        position += width as usize;
        left -= width;
    }
    K::from_words(&value)
}

/// `a - b`, where `b <= a`.
#[inline(always)]
pub(super) fn subtract<K: Kmer>(a: K, b: K) -> K {
    if K::WORDS <= 2 {
        let difference = two_words(&a.to_words()).wrapping_sub(two_words(&b.to_words()));
        let (low, high) = (difference as u64, (difference >> 64) as u64);
        return K::from_words(&[low, high, 0, 0, 0, 0, 0, 0]);
    }
    let (mut a, b) = (a.to_words(), b.to_words());
    let mut borrow = false;
    for (a, b) in a.iter_mut().zip(b).take(K::WORDS) {
        let (difference, first) = a.overflowing_sub(b);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        *a = difference;
        borrow = first | second;
    }
    K::from_words(&a)
}

/// `a + (high << shift) + low`, where `low < 2^shift`; `None` if it does not fit in `bits` bits.
#[inline(always)]
pub(super) fn add_parts<K: Kmer>(a: K, high: u64, low: K, shift: u32, bits: u32) -> Option<K> {
    let (mut sum, low) = (a.to_words(), low.to_words());
    let length = K::WORDS;
    let (index, offset) = ((shift / 64) as usize, shift % 64);
    let high = u128::from(high) << offset;
    let parts = [high as u64, (high >> 64) as u64];
    let mut carry = false;
    for i in 0..length {
        // Bits of `high` and of `low` do not overlap.
        let part = low[i]
            | if i == index {
                parts[0]
            } else if i == index + 1 {
                parts[1]
            } else {
                0
            };
        let (value, first) = sum[i].overflowing_add(part);
        let (value, second) = value.overflowing_add(u64::from(carry));
        sum[i] = value;
        carry = first | second;
    }
    let lost = carry
        || index >= length && parts[0] != 0
        || index + 1 >= length && parts[1] != 0
        || bit_length_of(&sum[..length]) > bits;
    (!lost).then(|| K::from_words(&sum))
}

#[inline(always)]
fn two_words(words: &[u64; 8]) -> u128 {
    u128::from(words[0]) | u128::from(words[1]) << 64
}

/// Number of bits up to the highest set one; 0 for zero.
#[inline(always)]
pub(super) fn bit_length<K: Kmer>(value: K) -> u32 {
    bit_length_of(&value.to_words()[..K::WORDS])
}

#[inline(always)]
fn bit_length_of(words: &[u64]) -> u32 {
    (0..words.len())
        .rev()
        .find(|&i| words[i] != 0)
        .map_or(0, |i| 64 * i as u32 + 64 - words[i].leading_zeros())
}

/// Bits of `value` from bit `shift` on; they must fit into 64.
#[inline(always)]
pub(super) fn high_bits<K: Kmer>(value: K, shift: u32) -> u64 {
    let value = value.to_words();
    // An array that is indexed by a variable lies in memory: ten times slower than a shift.
    match K::WORDS {
        1 => return value[0].checked_shr(shift).unwrap_or(0),
        2 => return two_words(&value).checked_shr(shift).unwrap_or(0) as u64,
        _ => {}
    }
    let (index, offset) = ((shift / 64) as usize, shift % 64);
    let low = value.get(index).copied().unwrap_or(0);
    let high = value.get(index + 1).copied().unwrap_or(0);
    ((u128::from(low) | u128::from(high) << 64) >> offset) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kmer::Wide;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fields_read_back(fields in prop::collection::vec((any::<u64>(), 0u32..=64), 0..50)) {
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            let cut = |value: u64, width: u32| if width == 64 { value } else { value & ((1 << width) - 1) };
            for &(value, width) in &fields {
                writer.push(cut(value, width), width);
            }
            writer.finish();
            let mut position = 0;
            for &(value, width) in &fields {
                prop_assert_eq!(read_bits(&bytes, position, width), cut(value, width));
                position += width as usize;
            }
            prop_assert_eq!(bytes.len(), position.div_ceil(8));
        }

        #[test]
        fn differences_add_up_again(a in any::<[u64; 4]>(), b in any::<[u64; 4]>(), spare in 0u32..64) {
            let widen = |x: [u64; 4]| { let mut w = [0; 8]; w[..4].copy_from_slice(&x); w };
            let (a, b) = (Wide::<4>::from_words(&widen(a)), Wide::<4>::from_words(&widen(b)));
            let (low, high) = (a.min(b), a.max(b));
            let gap = subtract(high, low);
            // As few low bits as leave the rest in 64, or more.
            let shift = (bit_length(gap).saturating_sub(64) + spare).min(255);
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            writer.push_kmer(gap, shift);
            writer.finish();
            let rest = read_kmer_bits::<Wide<4>>(&bytes, 0, shift);
            prop_assert_eq!(add_parts(low, high_bits(gap, shift), rest, shift, 256), Some(high));
            prop_assert_eq!(add_parts(low, high_bits(gap, shift), rest, shift, bit_length(high).saturating_sub(1)).is_none(), high != Wide::<4>::default());
        }

        #[test]
        fn one_word_agrees_with_plain_arithmetic(a in any::<u64>(), b in any::<u64>()) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert_eq!(subtract(high, low), high - low);
            prop_assert_eq!(add_parts(a, b, 0u64, 0, 64), a.checked_add(b));
            prop_assert_eq!(bit_length(a), 64 - a.leading_zeros());
        }
    }
}
