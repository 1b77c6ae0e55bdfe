//! Numbers of one width, one behind another, least significant bit first; and ascending numbers as a bitmap.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512;

use super::bits::BitWriter;

/// Appends the low `width` bits, at most 64, of every value.
#[inline(always)]
pub(super) fn pack(values: &[u64], width: u32, out: &mut Vec<u8>) {
    let mask = u64::MAX.checked_shr(64 - width).unwrap_or(0);
    let mut fields = BitWriter::new(out);
    for &value in values {
        fields.push(value & mask, width);
    }
    fields.finish();
}

/// Appends the low `width` bits, more than 64 and at most 128, of every number of two words.
///
/// No branch asks how many words a number fills: that is another one each time.
#[inline(always)]
pub(super) fn pack_two_words(firsts: &[u64], seconds: &[u64], width: u32, out: &mut Vec<u8>) {
    let mask = u64::MAX >> (128 - width);
    let start = out.len();
    let bytes = (firsts.len() * width as usize).div_ceil(8);
    // Three words are written each time, from where the last number ends.
    out.resize(start + bytes + 24, 0);
    let (mut at, mut bits, mut pending) = (start, 0, 0);
    for (&first, &second) in firsts.iter().zip(seconds) {
        // What does not fit into the word before; all of it where that has no room, but a shift by 64 would be none.
        let beyond = |word: u64| word >> 1 >> (63 - bits);
        let second = second & mask;
        let words = [
            pending | first << bits,
            beyond(first) | second << bits,
            beyond(second),
        ];
        if let Some(room) = out[at..].first_chunk_mut() {
            *room = bytemuck::cast::<_, [u8; 24]>(words.map(u64::to_le));
        }
        bits += width;
        pending = if bits < 128 { words[1] } else { words[2] };
        at += bits as usize / 64 * 8;
        bits %= 64;
    }
    out.truncate(start + bytes);
}

/// Appends words in which the bits `highs[i] + i` are set; `highs` ascend, and may be equal.
#[inline(always)]
pub(super) fn bitmap(highs: &[u64], out: &mut Vec<u8>) {
    let mut words = Words::new(out);
    for (i, &high) in (0..).zip(highs) {
        words.set(high + i);
    }
    words.finish();
}

/// Words of a bitmap, of which one is in the making.
struct Words<'a> {
    out: &'a mut Vec<u8>,
    word: u64,
    /// Number of its first bit.
    first: u64,
}

impl<'a> Words<'a> {
    #[inline(always)]
    fn new(out: &'a mut Vec<u8>) -> Self {
        Words {
            out,
            word: 0,
            first: 0,
        }
    }

    /// No bit before it is set any more.
    #[inline(always)]
    fn set(&mut self, bit: u64) {
        while bit - self.first >= 64 {
            self.go_on(0);
        }
        self.word |= 1 << (bit - self.first);
    }

    /// Goes on to the next word, whose bits so far are `next`.
    #[inline(always)]
    fn go_on(&mut self, next: u64) {
        self.out.extend_from_slice(&self.word.to_le_bytes());
        self.word = next;
        self.first += 64;
    }

    #[inline(always)]
    fn finish(self) {
        self.out.extend_from_slice(&self.word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any numbers, always the same ones.
    pub(super) fn numbers() -> impl Iterator<Item = u64> {
        let next = |state: &u64| {
            let product = state.wrapping_mul(6_364_136_223_846_793_005);
            Some(product.wrapping_add(99))
        };
        std::iter::successors(Some(1u64), next).map(|state| state ^ state >> 31)
    }

    #[test]
    fn two_words_are_packed_as_two_fields() {
        let words: Vec<u64> = numbers().take(600).collect();
        for width in 65..=128 {
            for number in [0, 1, 2, 63, 64, 300] {
                let (firsts, seconds) = (&words[..number], &words[300..300 + number]);
                let (mut expected, mut packed) = (vec![7], vec![7]);
                let mut fields = BitWriter::new(&mut expected);
                for (&first, &second) in firsts.iter().zip(seconds) {
                    fields.push(first, 64);
                    fields.push(second & (u64::MAX >> (128 - width)), width - 64);
                }
                fields.finish();
                pack_two_words(firsts, seconds, width, &mut packed);
                assert_eq!(packed, expected, "{number} of {width} bits");
            }
        }
    }
}
