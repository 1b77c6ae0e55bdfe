//! Decoding tables, built anew for every dynamic block.
//!
//! Five tables per lane. For single tokens:
//! * `plain`: one literal/length symbol per entry, with subtables for code words longer than
//!   [`LITLEN_BITS`];
//! * `distance_plain`: one distance symbol per entry, base and number of extra bits resolved, with
//!   subtables for code words longer than [`DISTANCE_BITS`].
//!
//! For the fast loops, the first two of which are made only if they are used:
//! * `packed`: in a block that is mostly literals, up to five literals and then a match length, made by `pack`;
//! * `litlen`: in others, several symbols per entry, made from `plain` by `join`: up to two literals and then a match
//!   length with its extra bits, as far as they fit [`LITLEN_BITS`] together. 95 % of the matches in
//!   FASTQ follow 0, 1 or 2 literals, so most entries are a whole step of output;
//! * `distance`: the first level of `distance_plain`, with [`NO_DISTANCE`] for what is no symbol.

use core::sync::atomic::{AtomicU64, Ordering};

use crate::bytes::ByteSet;
use crate::codes::{InvalidLengths, Shape, Words, fill};
use crate::kernel;
use crate::pack::SHORTEST;

/// Index width of `plain` and `litlen`. 10 bits save first-level cache, 11 bits save long codes and
/// join more symbols.
pub(crate) const LITLEN_BITS: usize = 11;
/// Index width of `distance`. 99.8 % of the distance codes in FASTQ are this short.
pub(crate) const DISTANCE_BITS: usize = 9;

/// Longest code word (RFC 1951, section 3.2.7: code lengths 0 - 15).
pub(crate) const MAX_CODE: usize = 15;
/// Literal/length symbols that a code is made for (section 3.2.6: 286 and 287 take part in it).
pub(crate) const LITLEN_SYMBOLS: usize = 288;
/// Distance symbols that a code is made for (30 and 31 take part in it).
pub(crate) const DISTANCE_SYMBOLS: usize = 32;
/// The symbol that ends a block.
pub(crate) const END_OF_BLOCK: usize = 256;

/// Room for the subtables behind a table of 2^11 for 288 symbols. A subtable of 2^w entries is made
/// only where it is filled by at least w + 1 long codes: 2^4 entries cost 5 symbols, so 288 symbols
/// never need more than 288 / 5 * 16 = 921.
const LITLEN_LONG: usize = 928;
/// The same behind 2^9 for 32 symbols: w <= 6, 64 entries cost 7 symbols, 32 / 7 * 64 < 320.
const DISTANCE_LONG: usize = 320;

/// What a `plain` entry stands for; see [`plain`].
pub(crate) mod plain {
    /// A literal: its byte is the value.
    pub(crate) const LITERAL: u32 = 0;
    /// A match: the value is the base of its length.
    pub(crate) const LENGTH: u32 = 1;
    /// The end of the block.
    pub(crate) const END: u32 = 2;
    /// The value is the place of a subtable in the same table, the extra bits its width.
    pub(crate) const SUBTABLE: u32 = 3;
    /// No symbol, or a reserved one.
    pub(crate) const INVALID: u32 = 4;

    /// Bits 0-7 length of the code word, 8-15 extra bits, 16-27 value, 28-30 kind.
    pub(crate) const fn entry(kind: u32, value: u32, extra: u32) -> u32 {
        kind << 28 | value << 16 | extra << 8
    }
    #[inline(always)]
    pub(crate) const fn kind(entry: u32) -> u32 {
        entry >> 28
    }
    #[inline(always)]
    pub(crate) const fn value(entry: u32) -> u32 {
        entry >> 16 & 0xfff
    }
    #[inline(always)]
    pub(crate) const fn extra(entry: u32) -> u32 {
        entry >> 8 & 0xff
    }
    #[inline(always)]
    pub(crate) const fn bits(entry: u32) -> u32 {
        entry & 0xff
    }
}

/// A `litlen` entry that the fast loops cannot use: it takes no bits, and is longer than any copy, by which
/// they notice.
///
/// Others: bits 0-5 all bits taken, at least one; 6-7 number of literals; 8-15 match length or 0; 16-23
/// first literal; 24-30 second literal (only those below 128). Lengths above 255 are exceptions.
pub(crate) const EXCEPTION: u32 = 0xff00;
/// A `distance` entry that the fast loops cannot use: it takes no bits and makes the distance 0, less than
/// any length.
pub(crate) const NO_DISTANCE: u32 = 0;

/// The parts of a `packed` entry: bits 0-7 all bits taken, 8-15 match length or 0, 16-55 up to five literals, 61-63
/// their number.
pub(crate) mod packed {
    /// An entry that the fast loop cannot use: it takes no bits, and has a length, to be no step of literals alone.
    pub(crate) const EXCEPTION: u64 = super::EXCEPTION as u64;
    /// The bits of the length of a match.
    pub(crate) const LENGTH: u64 = 0xff00;
    /// The longest match of an entry.
    pub(crate) const LONGEST: u32 = 255;
    /// The place of the first literal.
    pub(crate) const FIRST: u32 = 16;
    /// The most literals of an entry.
    pub(crate) const MOST: usize = 5;
    pub(crate) const LITERALS: u64 = ((1 << (8 * MOST)) - 1) << FIRST;
    /// One literal, as their number counts.
    pub(crate) const ONE: u64 = 1 << COUNT;
    const COUNT: u32 = 61;

    /// Bits taken.
    #[inline(always)]
    pub(crate) const fn bits(entry: u64) -> u64 {
        entry & 63
    }
    /// The length of the match, 0 if there is none.
    #[inline(always)]
    pub(crate) const fn length(entry: u64) -> usize {
        (entry >> 8 & 0xff) as usize
    }
    /// The number of literals.
    #[inline(always)]
    pub(crate) const fn count(entry: u64) -> usize {
        (entry >> COUNT) as usize
    }
}

/// What a `distance` or `distance_plain` entry stands for. Bits 0-7 length of code word and extra bits,
/// 8-15 length of the code word, 16-30 base. If bit 31 is set (only in `distance_plain`): no symbol, or
/// if bit 30 is set too a subtable: bits 0-7 its width, 16-29 its place in the same table.
pub(crate) mod distance {
    pub(crate) const INVALID: u32 = 1 << 31;
    const SUBTABLE: u32 = INVALID | 1 << 30;

    pub(crate) const fn entry(base: u32, extra: u32) -> u32 {
        base << 16 | extra
    }
    pub(crate) const fn subtable(place: u32, width: u32) -> u32 {
        SUBTABLE | place << 16 | width
    }
    /// No symbol, or a subtable.
    #[inline(always)]
    pub(crate) const fn is_none(entry: u32) -> bool {
        entry & INVALID != 0
    }
    #[inline(always)]
    pub(crate) const fn is_subtable(entry: u32) -> bool {
        entry & SUBTABLE == SUBTABLE
    }
    /// Where the subtable is.
    #[inline(always)]
    pub(crate) const fn place(entry: u32) -> u32 {
        entry >> 16 & 0x3fff
    }
    #[inline(always)]
    pub(crate) const fn value(entry: u32) -> u32 {
        entry >> 16 & 0x7fff
    }
    #[inline(always)]
    pub(crate) const fn bits(entry: u32) -> u32 {
        entry & 0xff
    }
    #[inline(always)]
    pub(crate) const fn code_bits(entry: u32) -> u32 {
        entry >> 8 & 0xff
    }
}

/// RFC 1951, section 3.2.5: symbols 257-285 as (base, extra bits) of the match length.
const fn litlen_symbols() -> [u32; LITLEN_SYMBOLS] {
    let mut symbols = [plain::entry(plain::INVALID, 0, 0); LITLEN_SYMBOLS];
    let mut literal = 0;
    while literal < 256 {
        symbols[literal] = plain::entry(plain::LITERAL, literal as u32, 0);
        literal += 1;
    }
    symbols[END_OF_BLOCK] = plain::entry(plain::END, 0, 0);
    // Groups of four symbols share a number of extra bits: none for the first two groups.
    let mut base = 3;
    let mut symbol = 257;
    while symbol < 285 {
        let group = (symbol - 257) as u32 / 4;
        let extra = group.saturating_sub(1);
        symbols[symbol] = plain::entry(plain::LENGTH, base, extra);
        base += 1 << extra;
        symbol += 1;
    }
    symbols[285] = plain::entry(plain::LENGTH, 258, 0);
    symbols
}

/// RFC 1951, section 3.2.5: symbols 0-29 as (base, extra bits) of the distance.
const fn distance_symbols() -> [u32; DISTANCE_SYMBOLS] {
    let mut symbols = [distance::INVALID; DISTANCE_SYMBOLS];
    // Groups of two symbols share a number of extra bits: none for the first two groups.
    let mut base = 1;
    let mut symbol = 0;
    while symbol < 30 {
        let extra = (symbol as u32 / 2).saturating_sub(1);
        symbols[symbol] = distance::entry(base, extra);
        base += 1 << extra;
        symbol += 1;
    }
    symbols
}

static LITLEN: [u32; LITLEN_SYMBOLS] = litlen_symbols();
static DISTANCE: [u32; DISTANCE_SYMBOLS] = distance_symbols();

/// The tables of the fast loops: 10 KiB.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct FastTables {
    pub(crate) litlen: [u32; 1 << LITLEN_BITS],
    pub(crate) distance: [u32; 1 << DISTANCE_BITS],
}

/// Counts all tables ever built, so that each has a number of its own.
static BUILT: AtomicU64 = AtomicU64::new(0);

/// The tables of one lane.
#[derive(Debug, Clone)]
pub(crate) struct Tables {
    /// A number that only tables with the same contents have; 0 before any were built.
    pub(crate) stamp: u64,
    /// Matches of more than 32 bytes are frequent.
    pub(crate) has_long_matches: bool,
    /// Nearly all symbols are literals: `packed` is made instead of `fast.litlen`.
    pub(crate) is_mostly_literals: bool,
    /// The length of the code word of each literal, 0 for none.
    literals: [u8; 256],
    pub(crate) fast: FastTables,
    pub(crate) packed: [u64; 1 << LITLEN_BITS],
    pub(crate) plain: [u32; (1 << LITLEN_BITS) + LITLEN_LONG],
    pub(crate) distance_plain: [u32; (1 << DISTANCE_BITS) + DISTANCE_LONG],
}

impl Tables {
    pub(crate) fn new() -> Self {
        Self {
            stamp: 0,
            has_long_matches: false,
            is_mostly_literals: false,
            literals: [0; _],
            fast: FastTables {
                litlen: [EXCEPTION; _],
                distance: [NO_DISTANCE; _],
            },
            packed: [packed::EXCEPTION; _],
            plain: [plain::entry(plain::INVALID, 0, 0); _],
            distance_plain: [distance::INVALID; _],
        }
    }

    /// Make all tables from the code length of every symbol, 0 for one without a code word.
    pub(crate) fn build(&mut self, litlen: &[u8], distance: &[u8]) -> Result<(), InvalidLengths> {
        self.stamp = BUILT.fetch_add(1, Ordering::Relaxed) + 1;
        self.has_long_matches = has_long_matches(litlen);
        let literals = litlen.first_chunk().ok_or(InvalidLengths)?;
        self.literals = *literals;
        let (short, long) = self.plain.split_at_mut(1 << LITLEN_BITS);
        let mut words = Words::new();
        fill(
            Shape {
                bits: LITLEN_BITS,
                symbols: &LITLEN,
                unit: 1,
                invalid: plain::entry(plain::INVALID, 0, 0),
                subtable: |place, width| {
                    plain::entry(
                        plain::SUBTABLE,
                        ((1 << LITLEN_BITS) + place) as u32,
                        width as u32,
                    )
                },
            },
            litlen,
            short,
            long,
            |word| words.push(word),
        )?;
        let (short, long) = self.distance_plain.split_at_mut(1 << DISTANCE_BITS);
        fill(
            Shape {
                bits: DISTANCE_BITS,
                symbols: &DISTANCE,
                unit: 0x101,
                invalid: distance::INVALID,
                subtable: |place, width| {
                    distance::subtable(((1 << DISTANCE_BITS) + place) as u32, width as u32)
                },
            },
            distance,
            short,
            long,
            |_| {},
        )?;
        for (fast, &plain) in self.fast.distance.iter_mut().zip(&*short) {
            *fast = if distance::is_none(plain) {
                NO_DISTANCE
            } else {
                plain
            };
        }
        // 0 for none, and none sorts last.
        let shortest = literals
            .iter()
            .fold(u8::MAX, |least, length| least.min(length.wrapping_sub(1)))
            .wrapping_add(1);
        self.is_mostly_literals = usize::from(shortest) >= SHORTEST && is_mostly_literals(litlen);
        if self.is_mostly_literals {
            kernel::pack(words.all(), &mut self.packed);
        } else {
            let plain = self.plain.first_chunk().expect("plain is longer");
            kernel::join(plain, &mut self.fast.litlen, usize::from(shortest));
        }
        Ok(())
    }

    /// The literals that have a code word.
    pub(crate) fn literals(&self) -> ByteSet {
        let bytes = 0..=u8::MAX;
        bytes
            .filter(|&byte| self.literals[usize::from(byte)] > 0)
            .collect()
    }
}

/// Returns whether at least seven symbols in eight are literals, as far as the code lengths tell.
///
/// So are blocks of FASTQ by compressors that write bases as literals and look for few matches in qualities.
fn is_mostly_literals(litlen: &[u8]) -> bool {
    let literals = litlen.get(..END_OF_BLOCK).unwrap_or_default();
    share(literals) >= (1 << MAX_CODE) / 8 * 7
}

/// Counts those of 2^[`MAX_CODE`] symbols that have such code lengths: a word of n bits stands for 2^-n of all symbols.
fn share(lengths: &[u8]) -> u32 {
    let used = lengths.iter().filter(|&&length| length > 0);
    used.map(|&length| (1 << MAX_CODE) >> length).sum()
}

/// Returns whether at least one in 64 matches is longer than 32 bytes, as far as the code lengths tell.
///
/// From there on copies of 64 bytes are faster, below it slower.
fn has_long_matches(litlen: &[u8]) -> bool {
    /// The first symbol whose lengths are all above 32.
    const LONG: usize = 273;
    let matches = litlen.get(END_OF_BLOCK + 1..).unwrap_or_default();
    let long = litlen.get(LONG..).unwrap_or_default();
    share(long) > share(matches) / 64
}
