//! One block of sequences to bits: stored, with the fixed codes, or with its own.

use crate::{
    bits::{Bits, ROOM, Rest},
    codes::{self, Word},
    header::Header,
    quads,
    symbols::{
        DISTANCES, END_OF_BLOCK, LITERALS, LONGEST, Sequence, distance_extra, distance_symbol,
        length_extra, length_symbol,
    },
};

/// Four literals and what a flush leaves (7 bits) fit a word of 64 bits.
const LITERAL_LIMIT: usize = 14;
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

/// Append the block of `text`, which the sequences cover; `rest` is what the block before left.
pub(crate) fn write(
    text: &[u8],
    sequences: &[Sequence],
    is_last: bool,
    rest: Rest,
    out: &mut Vec<u8>,
) -> Rest {
    let (literals, distances) = count(text, sequences);
    let mut own = Lengths {
        literals: [0; LITERALS],
        distances: [0; DISTANCES],
    };
    codes::lengths(&literals, LITERAL_LIMIT, &mut own.literals);
    codes::lengths(&distances, DISTANCE_LIMIT, &mut own.distances);
    let header = Header::new(&own.literals, &own.distances);

    let own_size = header.size() + own.size(&literals, &distances);
    let fixed_size = FIXED.size(&literals, &distances);
    // Up to 7 bits to the boundary, and two lengths.
    let stored_size = 7 + 32 + 8 * text.len();

    let size = own_size.min(fixed_size).min(stored_size);
    let start = out.len();
    out.resize(start + (rest.count() + 3 + size).div_ceil(8) + ROOM, 0);
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
        Words::new(&FIXED).write(text, sequences, &mut bits);
    } else {
        bits.add(0b10, 2);
        header.write(&mut bits);
        Words::new(&own).write(text, sequences, &mut bits);
    }
    let (whole, rest) = bits.finish();
    out.truncate(start + whole);
    rest
}

/// How often each symbol is used.
fn count(text: &[u8], sequences: &[Sequence]) -> ([u32; LITERALS], [u32; DISTANCES]) {
    let mut literals = [0; LITERALS];
    let mut distances = [0; DISTANCES];
    let mut quads = [0_u32; 256];
    // A second table: equal letters follow each other, and an addition waits for the one before.
    let mut others = [0_u32; 256];
    let mut rest = text;
    for sequence in sequences {
        let (now, later) = rest.split_at(sequence.literals());
        let (fours, single) = now.as_chunks::<4>();
        for &four in fours {
            let letters = u32::from_le_bytes(four);
            let number = quads::number(letters);
            if quads::LETTERS[number] == letters {
                quads[number] += 1;
            } else {
                literals[usize::from(four[0])] += 1;
                others[usize::from(four[1])] += 1;
                literals[usize::from(four[2])] += 1;
                others[usize::from(four[3])] += 1;
            }
        }
        for &letter in single {
            others[usize::from(letter)] += 1;
        }
        let length = sequence.length();
        if length > 0 {
            literals[length_symbol(length).0] += 1;
            distances[distance_symbol(sequence.distance_less_one()).0] += 1;
        }
        rest = &later[length..];
    }
    for (&letters, &count) in quads::LETTERS.iter().zip(&quads) {
        for letter in letters.to_le_bytes() {
            literals[usize::from(letter)] += count;
        }
    }
    for (literal, other) in literals.iter_mut().zip(others) {
        *literal += other;
    }
    literals[END_OF_BLOCK] += 1;
    (literals, distances)
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

/// What stands for each literal, length, distance and four bases.
struct Words {
    literals: [Word; 256],
    end: Word,
    /// By length: word and extra bits (24 bits), their number above.
    lengths: [u32; LONGEST + 1],
    distances: [Word; DISTANCES],
    /// The letters (32 bits), their words (26 bits), the number of these bits above.
    quads: [u64; 256],
}

/// Bits of four words in [`Words::quads`].
const QUAD: u32 = 26;

impl Words {
    fn new(lengths: &Lengths) -> Self {
        let mut all = [Word::default(); LITERALS];
        codes::words(&lengths.literals, &mut all);
        let mut words = Self {
            literals: [Word::default(); 256],
            end: all[END_OF_BLOCK],
            lengths: [0; LONGEST + 1],
            distances: [Word::default(); DISTANCES],
            quads: [0; 256],
        };
        words.literals.copy_from_slice(&all[..256]);
        codes::words(&lengths.distances, &mut words.distances);
        for length in 3..=LONGEST {
            let (symbol, extra, value) = length_symbol(length);
            let word = all[symbol];
            let count = u32::from(word.length) + extra;
            let bits = u32::from(word.bits) | value << word.length;
            words.lengths[length] = bits | count << 24;
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

    fn write(&self, text: &[u8], sequences: &[Sequence], bits: &mut Bits<'_>) {
        bits.flush();
        let mut rest = text;
        for sequence in sequences {
            let (now, later) = rest.split_at(sequence.literals());
            self.write_literals(now, bits);
            let length = sequence.length();
            if length > 0 {
                let entry = self.lengths[length];
                bits.add((entry & 0xff_ffff).into(), entry >> 24);
                let (symbol, extra, value) = distance_symbol(sequence.distance_less_one());
                let word = self.distances[symbol];
                bits.add(word.bits.into(), word.length.into());
                bits.add(value.into(), extra);
                bits.flush();
            }
            rest = &later[length..];
        }
        bits.add(self.end.bits.into(), self.end.length.into());
        bits.flush();
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
        let word = self.literals[usize::from(letter)];
        bits.add(word.bits.into(), word.length.into());
    }
}
