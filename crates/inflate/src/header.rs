//! Block headers (RFC 1951, sections 3.2.3 - 3.2.7).

use crate::bits::Bits;
use crate::error::ErrorKind;
use crate::tables::{DISTANCE_SYMBOLS, END_OF_BLOCK, LITLEN_SYMBOLS, Tables};

/// What follows a block header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// So many bytes as they are.
    Stored(usize),
    /// Tokens in the fixed code.
    Fixed,
    /// Tokens in a code of its own, for which the tables are now made.
    Dynamic,
}

/// Why a header could not be read.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The input ends before the header does.
    Short,
    /// The header is wrong.
    Wrong(ErrorKind),
}

/// The order in which the lengths of the code length code come (section 3.2.7).
const ORDER: [u8; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// Read a block header; returns whether the block is the last one, and its kind.
///
/// Nothing but `tables` and `bits` is changed, so that after [`Trouble::Short`] the caller can
/// begin anew with more input.
pub(crate) fn read(bits: &mut Bits<'_>, tables: &mut Tables) -> Result<(bool, Block), Trouble> {
    if bits.left() < 3 {
        return Err(Trouble::Short);
    }
    let last = bits.take(1) == 1;
    let block = match bits.take(2) {
        0 => stored(bits)?,
        1 => Block::Fixed,
        2 => dynamic(bits, tables)?,
        _ => return Err(Trouble::Wrong(ErrorKind::InvalidBlockType)),
    };
    Ok((last, block))
}

/// The code lengths of the fixed code (section 3.2.6).
pub(crate) fn build_fixed(tables: &mut Tables) {
    let mut litlen = [8; LITLEN_SYMBOLS];
    litlen[144..256].fill(9);
    litlen[256..280].fill(7);
    tables
        .build(&litlen, &[5; DISTANCE_SYMBOLS])
        .expect("the fixed code is complete");
}

fn stored(bits: &mut Bits<'_>) -> Result<Block, Trouble> {
    bits.align();
    if bits.left() < 32 {
        return Err(Trouble::Short);
    }
    let length = bits.take(16);
    let complement = bits.take(16);
    if length != complement ^ 0xffff {
        return Err(Trouble::Wrong(ErrorKind::StoredLengthMismatch));
    }
    Ok(Block::Stored(length as usize))
}

fn dynamic(bits: &mut Bits<'_>, tables: &mut Tables) -> Result<Block, Trouble> {
    let lengths = Lengths::read(bits)?;
    tables
        .build(lengths.litlen(), lengths.distance())
        .map_err(|_| Trouble::Wrong(ErrorKind::InvalidCodeLengths))?;
    Ok(Block::Dynamic)
}

/// The code lengths of a dynamic block. The longest repetition may write past the end of them before that is noticed.
pub(crate) struct Lengths {
    all: [u8; 286 + 30 + 138],
    litlen_count: usize,
    total: usize,
}

impl Lengths {
    /// Of every literal/length symbol.
    #[inline(always)]
    pub(crate) fn litlen(&self) -> &[u8] {
        &self.all[..self.litlen_count]
    }

    /// Of every distance symbol.
    #[inline(always)]
    pub(crate) fn distance(&self) -> &[u8] {
        &self.all[self.litlen_count..self.total]
    }

    /// Read them behind the three bits that say that the block is a dynamic one.
    #[inline(always)]
    pub(crate) fn read(bits: &mut Bits<'_>) -> Result<Self, Trouble> {
        if bits.left() < 14 {
            return Err(Trouble::Short);
        }
        let litlen_count = bits.take(5) as usize + 257;
        let distance_count = bits.take(5) as usize + 1;
        let code_count = bits.take(4) as usize + 4;
        // Five bits can say more than the 286 and 30 symbols that have a meaning.
        if litlen_count > 286 || distance_count > 30 {
            return Err(Trouble::Wrong(ErrorKind::TooManySymbols));
        }

        let mut code_lengths = [0; 19];
        for &symbol in &ORDER[..code_count] {
            code_lengths[usize::from(symbol)] = bits.take(3) as u8;
        }
        // What was read past the end of the input is not the data's fault.
        let wrong = |bits: &Bits<'_>| {
            if bits.overrun() {
                Trouble::Short
            } else {
                Trouble::Wrong(ErrorKind::InvalidCodeLengths)
            }
        };
        let code = length_code(&code_lengths).ok_or_else(|| wrong(bits))?;

        // Both sets of lengths are one sequence: a repetition may cross from one to the other.
        let total = litlen_count + distance_count;
        let mut lengths = [0; _];
        let mut filled = 0;
        while filled < total {
            let word = bits.peek();
            let entry = code[(word & 127) as usize];
            let symbol = entry >> 3;
            let code_bits = u32::from(entry & 7);
            let word = (word >> code_bits) as usize;
            let (value, count, extra) = match symbol {
                0..=15 => (symbol, 1, 0),
                16 if filled == 0 => {
                    // It may be made of bits that are not there yet.
                    bits.skip(code_bits);
                    return Err(wrong(bits));
                }
                16 => (lengths[filled - 1], 3 + (word & 3), 2),
                17 => (0, 3 + (word & 7), 3),
                _ => (0, 11 + (word & 127), 7),
            };
            lengths[filled..filled + count].fill(value);
            filled += count;
            bits.skip(code_bits + extra);
            if bits.overrun() {
                return Err(Trouble::Short);
            }
        }
        // Without its last symbol the block has no end.
        if filled > total || lengths[END_OF_BLOCK] == 0 {
            return Err(wrong(bits));
        }
        Ok(Self {
            all: lengths,
            litlen_count,
            total,
        })
    }
}

/// Table of the code length code by 7 bits: symbol * 8 + length of its code word. `None` unless the
/// code is complete.
fn length_code(lengths: &[u8; 19]) -> Option<[u8; 128]> {
    let mut table = [0; 128];
    // Counting in reading order; the index is mirrored.
    let mut word = 0;
    for length in 1..=7_u8 {
        for (symbol, _) in lengths
            .iter()
            .enumerate()
            .filter(|(_, have)| **have == length)
        {
            if word >= 128 {
                return None;
            }
            let first = usize::from((word as u8).reverse_bits() >> 1);
            for slot in table[first..].iter_mut().step_by(1 << length) {
                *slot = (symbol as u8) << 3 | length;
            }
            word += 128_usize >> length;
        }
    }
    (word == 128).then_some(table)
}
