//! Blocks that are mostly literals, made by hand: compressors whose blocks are rarely are.

use super::Numbers;

/// A last block of `tokens` tokens, one in ten of which is a match, and the text with it behind `before`.
///
/// Its code is a random one, in which no literal has less than two bits and seven eighths of all code words begin
/// those of literals.
pub fn mostly_literals(seed: u64, before: &[u8], tokens: usize) -> (Vec<u8>, Vec<u8>) {
    let mut numbers = Numbers(seed);
    let mut litlen = [0; 286];
    let mut bytes: Vec<usize> = (0..256).collect();
    let count = [5, 30, 100][numbers.below(3)];
    for length in leaves(&mut numbers, &[2, 2, 2, 3], count) {
        let byte = bytes.swap_remove(numbers.below(bytes.len()));
        litlen[byte] = length;
    }
    for (symbol, length) in (256..).zip(leaves(&mut numbers, &[3], 30)) {
        litlen[symbol] = length;
    }
    let mut distances = [0; 30];
    distances.copy_from_slice(&leaves(&mut numbers, &[0], 30));

    let mut bits = Bits::default();
    bits.put(0b101, 3);
    bits.put(29, 5);
    bits.put(29, 5);
    bits.put(15, 4);
    // Code lengths 0 to 15 have four bits each, in the order of RFC 1951, section 3.2.7; repetitions have none.
    for number in 0..19 {
        bits.put(if number < 3 { 0 } else { 4 }, 3);
    }
    for &length in litlen.iter().chain(&distances) {
        bits.put_mirrored(length.into(), 4);
    }
    let (words, distance_words) = (canonical(&litlen), canonical(&distances));
    let literals: Vec<usize> = (0..256).filter(|&byte| litlen[byte] > 0).collect();
    let mut text = before.to_vec();
    for _ in 0..tokens {
        if numbers.below(10) > 0 || text.is_empty() {
            // Short code words more often than long ones, to have many of them in an entry.
            let one = literals[numbers.below(literals.len())];
            let other = literals[numbers.below(literals.len())];
            let byte = if litlen[one] < litlen[other] {
                one
            } else {
                other
            };
            bits.put_mirrored(words[byte], litlen[byte].into());
            text.push(byte as u8);
            continue;
        }
        let number = numbers.below(29);
        let (base, extra) = match number {
            28 => (258, 0),
            _ => based(number, 2, 3),
        };
        // The last length of symbol 284 has a symbol of its own.
        let more = numbers.below(1 << extra).min(257 - base.min(257));
        bits.put_mirrored(words[257 + number], litlen[257 + number].into());
        bits.put(more as u64, extra);
        let length = base + more;

        let known = text.len().min(1 << 15);
        let number = loop {
            let number = numbers.below(30) * numbers.below(2);
            if based(number, 1, 1).0 <= known {
                break number;
            }
        };
        let (base, extra) = based(number, 1, 1);
        let more = numbers.below((1 << extra).min(known - base + 1));
        bits.put_mirrored(distance_words[number], distances[number].into());
        bits.put(more as u64, extra);
        for _ in 0..length {
            text.push(text[text.len() - base - more]);
        }
    }
    bits.put_mirrored(words[256], litlen[256].into());
    bits.put(0, 7);
    (bits.stream, text)
}

/// Depths of the leaves of a tree that grew from `leaves` by random splits, of at most 15.
fn leaves(numbers: &mut Numbers, leaves: &[u8], count: usize) -> Vec<u8> {
    let mut leaves = leaves.to_vec();
    while leaves.len() < count {
        let at = numbers.below(leaves.len());
        if leaves[at] < 15 {
            leaves[at] += 1;
            leaves.push(leaves[at]);
        }
    }
    leaves
}

/// RFC 1951, section 3.2.5: base and number of extra bits of a symbol, where 2^`shared` symbols share a number.
fn based(symbol: usize, shared: u32, first: usize) -> (usize, u32) {
    let extra = (symbol as u32 >> shared).saturating_sub(1);
    let groups = symbol - ((extra as usize) << shared);
    (first + (groups << extra), extra)
}

/// RFC 1951, section 3.2.2: the code words of such lengths.
fn canonical(lengths: &[u8]) -> Vec<u64> {
    let mut words = vec![0; lengths.len()];
    let mut next = 0;
    for length in 1..=15 {
        next <<= 1;
        for (word, _) in words
            .iter_mut()
            .zip(lengths)
            .filter(|(_, have)| **have == length)
        {
            *word = next;
            next += 1;
        }
    }
    words
}

#[derive(Default)]
struct Bits {
    stream: Vec<u8>,
    word: u64,
    held: u32,
}

impl Bits {
    fn put(&mut self, value: u64, count: u32) {
        self.word |= value << self.held;
        self.held += count;
        while self.held >= 8 {
            self.stream.push(self.word as u8);
            self.word >>= 8;
            self.held -= 8;
        }
    }

    /// A code word: the first bit is its highest one.
    fn put_mirrored(&mut self, value: u64, count: u32) {
        self.put(value.reverse_bits() >> (64 - count), count);
    }
}
