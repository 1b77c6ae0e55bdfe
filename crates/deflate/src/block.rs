//! One block of tokens to bits: stored, with the fixed codes, or with its own.

use crate::{
    bits::{Bits, ROOM, Rest},
    codes::{self, Word},
    header::Header,
    pairs, quads,
    symbols::{
        DISTANCES, END_OF_BLOCK, LITERALS, LONGEST, distance_extra, length_extra, length_symbol,
    },
    tokens::{self, LENGTHS, PAIRS, Tokens, VALUES},
};

/// Four literals and what a flush leaves (7 bits) fit a word of 64 bits.
const LITERAL_LIMIT: usize = 13;
const DISTANCE_LIMIT: usize = 15;

/// Lengths of the words of both codes.
struct Lengths {
    literals: [u8; LITERALS],
    distances: [u8; DISTANCES],
}

/// Section 3.2.6.
const FIXED: Lengths = {
    let mut literals = [8; LITERALS];
    let mut symbol = 144;
    while symbol < 280 {
        literals[symbol] = if symbol < 256 { 9 } else { 7 };
        symbol += 1;
    }
    Lengths {
        literals,
        distances: [5; DISTANCES],
    }
};

/// Append the block of `text` from `start` on, which the tokens cover; `rest` is what the block
/// before left.
pub(crate) fn write(
    whole: &[u8],
    start: usize,
    tokens: &Tokens,
    is_last: bool,
    rest: Rest,
    out: &mut Vec<u8>,
) -> Rest {
    let text = &whole[start..];
    let (literals, distances) = tokens.counts();
    let mut own = Lengths {
        literals: [0; LITERALS],
        distances: [0; DISTANCES],
    };
    codes::lengths(&literals, LITERAL_LIMIT, &mut own.literals);
    codes::lengths(&distances, DISTANCE_LIMIT, &mut own.distances);
    let header = Header::new(&own.literals, &own.distances);

    let own_size = header.size() + own.size(&literals, &distances);
    let fixed_size = FIXED.size(&literals, &distances);
    // Behind 3 bits: to the boundary, and two lengths.
    let header_end = rest.count() + 3;
    let stored_size = header_end.next_multiple_of(8) - header_end + 32 + 8 * text.len();

    let size = own_size.min(fixed_size).min(stored_size);
    let start = out.len();
    out.resize(start + (header_end + size).div_ceil(8) + ROOM, 0);
    let mut bits = Bits::new(&mut out[start..], rest);
    bits.add(is_last.into(), 1);
    if size == stored_size {
        bits.add(0b00, 2);
        bits.align();
        // Blocks are shorter than 64 KiB.
        let length = text.len() as u16;
        bits.bytes(&length.to_le_bytes());
        bits.bytes(&(!length).to_le_bytes());
        bits.bytes(text);
    } else if size == fixed_size {
        bits.add(0b01, 2);
        Words::new(&FIXED).write(whole, tokens, &mut bits);
    } else {
        bits.add(0b10, 2);
        header.write(&mut bits);
        Words::new(&own).write(whole, tokens, &mut bits);
    }
    let (whole, rest) = bits.finish();
    out.truncate(start + whole);
    rest
}

impl Lengths {
    /// Bits that so many symbols take.
    fn size(&self, literals: &[u32; LITERALS], distances: &[u32; DISTANCES]) -> usize {
        let literals = literals.iter().zip(&self.literals).enumerate();
        let literals = literals.map(|(symbol, (&count, &length))| {
            let extra = symbol.checked_sub(257).map_or(0, length_extra);
            count as usize * (usize::from(length) + extra as usize)
        });
        let distances = distances.iter().zip(&self.distances).enumerate();
        let distances = distances.map(|(symbol, (&count, &length))| {
            count as usize * (usize::from(length) + distance_extra(symbol) as usize)
        });
        literals.sum::<usize>() + distances.sum::<usize>()
    }
}

/// What stands for each token, and for four bases.
struct Words {
    /// Of literals, lengths and pairs: words and extra bits ([`VALUE`] bits), their number above.
    values: [u32; VALUES],
    end: Word,
    /// Word (16 bits), its length (8), and with the extra bits (8).
    distances: [u32; 32],
    /// The letters (32 bits), their words (26 bits), the number of these bits above.
    quads: [u64; 256],
}

/// Bits of two words, or of one and the extra bits of a length, in [`Words::values`].
const VALUE: u32 = 27;

/// Bits of four words in [`Words::quads`].
const QUAD: u32 = 26;

impl Words {
    fn new(lengths: &Lengths) -> Self {
        let mut all = [Word::default(); LITERALS];
        codes::words(&lengths.literals, &mut all);
        let mut words = Self {
            values: [0; VALUES],
            end: all[END_OF_BLOCK],
            distances: [0; 32],
            quads: [0; 256],
        };
        for (entry, word) in words.values.iter_mut().zip(&all[..256]) {
            *entry = u32::from(word.bits) | u32::from(word.length) << VALUE;
        }
        for (length, entry) in (3..=LONGEST).zip(&mut words.values[LENGTHS..PAIRS]) {
            let (symbol, extra, value) = length_symbol(length);
            let word = all[symbol];
            let count = u32::from(word.length) + extra;
            *entry = u32::from(word.bits) | value << word.length | count << VALUE;
        }
        let mut distances = [Word::default(); DISTANCES];
        codes::words(&lengths.distances, &mut distances);
        let paired = &all[usize::from(pairs::FIRST)..][..pairs::LETTERS];
        let (rows, _) = words.values[PAIRS..].as_chunks_mut::<{ pairs::LETTERS }>();
        for (row, two) in rows
            .iter_mut()
            .zip(paired)
            .filter(|(_, two)| two.length > 0)
        {
            for (entry, one) in row.iter_mut().zip(paired) {
                let count = u32::from(one.length + two.length);
                *entry = u32::from(one.bits) | u32::from(two.bits) << one.length | count << VALUE;
            }
        }
        for (symbol, (entry, word)) in words.distances.iter_mut().zip(distances).enumerate() {
            let length = u32::from(word.length);
            *entry = u32::from(word.bits) | length << 16 | (length + distance_extra(symbol)) << 24;
        }
        for (number, (entry, letters)) in words.quads.iter_mut().zip(quads::LETTERS).enumerate() {
            let (mut bits, mut count) = (0_u64, 0);
            for letter in letters.to_le_bytes() {
                let word = all[usize::from(letter)];
                bits |= u64::from(word.bits) << count;
                count += u32::from(word.length);
            }
            *entry = if count <= QUAD {
                u64::from(letters) | bits << 32 | u64::from(count) << (32 + QUAD)
            } else if number == 0 {
                // Letters that have another number: this one is never met.
                0xffff_ffff
            } else {
                0
            };
        }
        words
    }

    #[inline(never)]
    fn write(&self, text: &[u8], tokens: &Tokens, bits: &mut Bits<'_>) {
        bits.flush();
        let mut done = 0;
        for run in &tokens.runs {
            self.write_tokens(&tokens.list[done..run.before], bits);
            self.write_literals(&text[run.start..run.end], bits);
            done = run.before;
        }
        self.write_tokens(&tokens.list[done..tokens.used], bits);
        bits.add(self.end.bits.into(), self.end.length.into());
        bits.flush();
    }

    #[inline(always)]
    fn write_tokens(&self, tokens: &[u32], bits: &mut Bits<'_>) {
        let (fours, single) = tokens.as_chunks::<4>();
        for four in fours {
            // Together where they fit: each flush waits for the one before.
            let [a, b, c, d] = four.map(|token| self.token(token));
            let (one, two) = (a.1 + b.1, c.1 + d.1);
            if one + two <= 56 {
                let first = a.0 | b.0 << a.1;
                let second = c.0 | d.0 << c.1;
                bits.add(first | second << one, one + two);
                bits.flush();
            } else {
                for (word, count) in [a, b, c, d] {
                    bits.add(word, count);
                    bits.flush();
                }
            }
        }
        for &token in single {
            let (word, count) = self.token(token);
            bits.add(word, count);
            bits.flush();
        }
    }

    /// The bits of a token that is no run, at most 13 + 5 + 15 + 13, and their number.
    #[inline(always)]
    fn token(&self, token: u32) -> (u64, u32) {
        let value = self.values[tokens::value(token)];
        let (symbol, extra) = tokens::distance(token);
        let distance = self.distances[symbol];
        let extra = extra << (distance >> 16 & 0xff);
        let count = value >> VALUE;
        let distance_bits = u64::from(distance & 0xffff | extra) << count;
        (
            u64::from(value & ((1 << VALUE) - 1)) | distance_bits,
            count + (distance >> 24),
        )
    }

    #[inline(always)]
    fn write_literals(&self, literals: &[u8], bits: &mut Bits<'_>) {
        let (fours, single) = literals.as_chunks::<4>();
        for &four in fours {
            let letters = u32::from_le_bytes(four);
            let entry = self.quads[quads::number(letters)];
            if entry as u32 == letters {
                let words = (entry >> 32) & ((1 << QUAD) - 1);
                bits.add(words, (entry >> (32 + QUAD)) as u32);
            } else {
                for letter in four {
                    self.add(letter, bits);
                }
            }
            bits.flush();
        }
        for &letter in single {
            self.add(letter, bits);
        }
        bits.flush();
    }

    #[inline(always)]
    fn add(&self, letter: u8, bits: &mut Bits<'_>) {
        let value = self.values[usize::from(letter)];
        bits.add((value & ((1 << VALUE) - 1)).into(), value >> VALUE);
    }
}
