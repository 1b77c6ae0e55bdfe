//! Words for what a block consists of, and writing it in them.

use thalweg_scan::coder::{self, BaseWords, Coder, Sink};

use crate::{
    bits::Bits,
    codes::{self, Word},
    condensed,
    lengths::{DISTANCE_LIMIT, LITERAL_LIMIT, Lengths},
    quads,
    symbols::{DISTANCES, END_OF_BLOCK, LITERALS, distance_extra, length_extra, lengths_by_symbol},
    tokens::{self, Part, Tokens},
    units,
};

/// What stands for each token, and for four bases.
pub(crate) struct Words {
    end: Word,
    /// Of units: words and extra bits ([`UNIT`] bits), their number above.
    units: [u32; units::COUNT],
    /// Word (16 bits), its length (8), and with the extra bits (8).
    distances: [u32; 32],
    /// The letters (32 bits), their words (26 bits), the number of these bits above.
    quads: [u64; 256],
    pub(crate) coder: Option<Coder>,
    /// Of condensed lines.
    condensed: coder::Words,
    /// None if one of them is too long.
    bases: Option<BaseWords>,
}

/// Bits of the longest unit: a length, its extra bits and the word of distance 1; or two letters.
const UNIT: u32 = LITERAL_LIMIT as u32 + 5 + DISTANCE_LIMIT as u32;

/// Bits of four words in [`Words::quads`].
const QUAD: u32 = 26;

impl Words {
    /// Nothing has a word yet.
    pub(crate) fn new(coder: Option<Coder>) -> Box<Self> {
        Box::new(Self {
            end: Word::default(),
            units: [0; units::COUNT],
            distances: [0; 32],
            quads: [0; 256],
            coder,
            condensed: coder::Words::new(),
            bases: None,
        })
    }

    /// For the code with such lengths; `paired` letters, as [`Tokens::counts`] has them, are in
    /// pairs.
    ///
    /// Other pairs, and lengths that have no word, keep the words they had: no block with this code has them. So do fours of bases,
    /// unless the block `has_letters` among its parts, or its bases are written by fours.
    pub(crate) fn make(&mut self, lengths: &Lengths, paired: u64, has_letters: bool) {
        let mut all = [Word::default(); LITERALS];
        codes::words(&lengths.literals, &mut all);
        self.end = all[END_OF_BLOCK];
        let mut distances = [Word::default(); DISTANCES];
        codes::words(&lengths.distances, &mut distances);
        for (symbol, (entry, word)) in self.distances.iter_mut().zip(&distances).enumerate() {
            let length = u32::from(word.length);
            *entry = u32::from(word.bits) | length << 16 | (length + distance_extra(symbol)) << 24;
        }
        self.make_units(&all, distances[0], paired);
        if self.coder.is_some() {
            condensed::make_words(&all, distances[0], &mut self.condensed);
            let words = [b'A', b'C', b'G', b'T'].map(|base| all[usize::from(base)]);
            self.bases = BaseWords::new(words.map(|word| (word.bits, word.length)));
        }
        if has_letters || self.bases.is_none() {
            self.make_quads(&all);
        }
    }

    fn make_quads(&mut self, all: &[Word; LITERALS]) {
        let pairs: [_; 16] = std::array::from_fn(|number| {
            let [one, two, ..] = quads::LETTERS[number].to_le_bytes();
            let (one, two) = (all[usize::from(one)], all[usize::from(two)]);
            let bits = u64::from(one.bits) | u64::from(two.bits) << one.length;
            (bits, u32::from(one.length + two.length))
        });
        for (number, (entry, letters)) in self.quads.iter_mut().zip(quads::LETTERS).enumerate() {
            let ((bits, count), (more, more_count)) = (pairs[number % 16], pairs[number / 16]);
            let (bits, count) = (bits | more << count, count + more_count);
            *entry = if count <= QUAD {
                u64::from(letters) | bits << 32 | u64::from(count) << (32 + QUAD)
            } else if number == 0 {
                // Letters that have another number: this one is never met.
                0xffff_ffff
            } else {
                0
            };
        }
    }

    fn make_units(&mut self, all: &[Word; LITERALS], same: Word, paired: u64) {
        for (unit, word) in self.units.iter_mut().zip(&all[..256]) {
            *unit = u32::from(word.bits) | u32::from(word.length) << UNIT;
        }
        for (symbol, lengths) in lengths_by_symbol().enumerate() {
            let word = all[257 + symbol];
            if word.length == 0 {
                continue;
            }
            let bits = u32::from(word.bits);
            let count = u32::from(word.length) + length_extra(symbol);
            let (as_match, as_run) = (
                bits | count << UNIT,
                bits | u32::from(same.bits) << count | (count + u32::from(same.length)) << UNIT,
            );
            for (value, length) in (0_u32..).zip(lengths) {
                let extra = value << word.length;
                self.units[units::LENGTHS + length] = as_match | extra;
                self.units[units::RUNS + length] = as_run | extra;
            }
        }
        let mut words = [(0, Word::default()); units::LETTERS];
        let mut used = 0;
        for (number, &word) in all[usize::from(units::FIRST)..][..units::LETTERS]
            .iter()
            .enumerate()
        {
            if paired >> number & 1 == 1 {
                words[used] = (number, word);
                used += 1;
            }
        }
        for &(second, two) in &words[..used] {
            for &(first, one) in &words[..used] {
                let count = u32::from(one.length + two.length);
                self.units[units::PAIRS + first + units::LETTERS * second] =
                    u32::from(one.bits) | u32::from(two.bits) << one.length | count << UNIT;
            }
        }
    }

    /// All tokens and parts, and the end of the block.
    #[inline(never)]
    pub(crate) fn write(&self, text: &[u8], tokens: &Tokens, bits: &mut Bits<'_>) {
        bits.flush();
        bits.lend(|mut bits| {
            let mut done = 0;
            for &(before, ref part) in &tokens.parts {
                self.write_tokens(&tokens.list[done..before], &mut bits);
                done = before;
                self.write_part(text, tokens, part, &mut bits);
            }
            self.write_tokens(&tokens.list[done..tokens.used], &mut bits);
            bits.write(self.end.bits.into(), self.end.length.into());
            bits
        });
    }

    #[inline(always)]
    fn write_part(&self, text: &[u8], tokens: &Tokens, part: &Part, bits: &mut Bits<'_>) {
        match *part {
            Part::Letters(start, end) => self.write_literals(&text[start..end], bits),
            Part::Bases(start, end) => self.write_bases(&text[start..end], bits),
            Part::Units(start, end) => self.write_units(&tokens.units.list[start..end], bits),
            Part::Condensed(start, end) => {
                self.write_condensed(&tokens.condensed[start..end], bits);
            }
        }
    }

    /// Only a coder condenses lines.
    #[inline(always)]
    fn write_condensed(&self, kept: &[u8], bits: &mut Bits<'_>) {
        if let Some(coder) = self.coder {
            bits.lend(|bits| coder.join(kept, &self.condensed, bits));
        }
    }

    #[inline(always)]
    fn write_bases(&self, bases: &[u8], bits: &mut Bits<'_>) {
        if let (Some(coder), Some(words)) = (self.coder, &self.bases) {
            bits.lend(|bits| coder.join_bases(bases, words, bits));
        } else {
            self.write_literals(bases, bits);
        }
    }

    #[inline(always)]
    fn write_units(&self, units: &[u16], bits: &mut Bits<'_>) {
        let (groups, _) = units.as_chunks::<{ units::GROUP }>();
        for group in groups {
            let [a, b, c, d] = group.map(|unit| {
                let entry = self.units[units::index(unit)];
                (u64::from(entry & ((1 << UNIT) - 1)), entry >> UNIT)
            });
            // At most 54 bits.
            let one = (a.0 | b.0 << a.1, a.1 + b.1);
            let two = (c.0 | d.0 << c.1, c.1 + d.1);
            // Together where they fit: each flush waits for the one before.
            if one.1 + two.1 <= 56 {
                bits.add(one.0 | two.0 << one.1, one.1 + two.1);
            } else {
                bits.add(one.0, one.1);
                bits.flush();
                bits.add(two.0, two.1);
            }
            bits.flush();
        }
    }

    #[inline(always)]
    fn write_tokens(&self, mut list: &[u32], bits: &mut Bits<'_>) {
        while let &[token, ref others @ ..] = list {
            list = others;
            let (word, count) = self.token(token);
            // Two at a time where they fit.
            if let &[second, ref others @ ..] = list {
                let (second_word, second_count) = self.token(second);
                if count + second_count <= 56 {
                    list = others;
                    bits.add(word | second_word << count, count + second_count);
                    bits.flush();
                    continue;
                }
            }
            bits.add(word, count);
            bits.flush();
        }
    }

    /// The bits of a token, at most 13 + 5 + 9 + 13, and their number.
    #[inline(always)]
    fn token(&self, token: u32) -> (u64, u32) {
        let value = self.units[tokens::value(token)];
        let (symbol, extra) = tokens::distance(token);
        let distance = self.distances[symbol];
        let extra = extra << (distance >> 16 & 0xff);
        let count = value >> UNIT;
        let distance_bits = u64::from(distance & 0xffff | extra) << count;
        (
            u64::from(value & ((1 << UNIT) - 1)) | distance_bits,
            count + (distance >> 24),
        )
    }

    #[inline(always)]
    fn write_literals(&self, literals: &[u8], bits: &mut Bits<'_>) {
        let (sixteens, rest) = literals.as_chunks::<16>();
        for sixteen in sixteens {
            let letters = u128::from_le_bytes(*sixteen);
            let (one, two) = (
                self.eight(letters as u64),
                self.eight((letters >> 64) as u64),
            );
            let is_known = one.is_known & two.is_known;
            let count = one.count + two.count;
            // Together where they fit: each flush waits for the one before.
            if is_known && count <= 56 {
                bits.add(one.words | two.words << one.count, count);
                bits.flush();
            } else if is_known {
                bits.add(one.words, one.count);
                bits.flush();
                bits.add(two.words, two.count);
                bits.flush();
            } else {
                self.write_fours(sixteen, bits);
            }
        }
        self.write_fours(rest, bits);
    }

    /// The words of eight letters, the first one lowest, if these are bases of short words.
    #[inline(always)]
    fn eight(&self, letters: u64) -> Eight {
        let halves = [letters as u32, (letters >> 32) as u32];
        let [one, two] = halves.map(|letters| self.quads[quads::number(letters)]);
        let (words, count) = quad(one);
        let (more, more_count) = quad(two);
        Eight {
            is_known: u64::from(one as u32) | two << 32 == letters,
            words: words | more << count,
            count: count + more_count,
        }
    }

    /// As many letters as there are, by fours where they are bases.
    #[inline(always)]
    fn write_fours(&self, literals: &[u8], bits: &mut Bits<'_>) {
        let (fours, single) = literals.as_chunks::<4>();
        for &four in fours {
            let letters = u32::from_le_bytes(four);
            let entry = self.quads[quads::number(letters)];
            if entry as u32 == letters {
                let (words, count) = quad(entry);
                bits.add(words, count);
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
        let value = self.units[usize::from(letter)];
        bits.add((value & ((1 << UNIT) - 1)).into(), value >> UNIT);
    }
}

/// Two entries of [`Words::quads`].
struct Eight {
    /// Whether they are for these letters.
    is_known: bool,
    /// At most 52 bits.
    words: u64,
    count: u32,
}

/// The words of an entry of [`Words::quads`], and how many bits they are.
#[inline(always)]
fn quad(entry: u64) -> (u64, u32) {
    (
        entry >> 32 & ((1 << QUAD) - 1),
        (entry >> (32 + QUAD)) as u32,
    )
}
