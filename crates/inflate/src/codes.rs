//! From code lengths to decoding tables (RFC 1951, section 3.2.2).

use crate::tables::{LITLEN_SYMBOLS, MAX_CODE};

/// The code lengths of a block contradict each other.
#[derive(Debug)]
pub(crate) struct InvalidLengths;

/// What differs between the two codes.
pub(crate) struct Shape<'a, F> {
    /// Width of the index.
    pub(crate) bits: usize,
    /// Entry of each symbol, without the length of its code word.
    pub(crate) symbols: &'a [u32],
    /// What one bit of the code word's length adds to an entry.
    pub(crate) unit: u32,
    /// Entry for bits that are no code word.
    pub(crate) invalid: u32,
    /// Entry for a subtable at a place in the long table, of a width.
    pub(crate) subtable: F,
}

/// A code word that fits the index, and what it stands for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Word {
    /// The first index that begins with it.
    pub(crate) first: u16,
    pub(crate) entry: u32,
}

/// The code words of a block that fit the index, by their length.
pub(crate) struct Words {
    list: [Word; LITLEN_SYMBOLS],
    used: usize,
}

impl Words {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            list: [Word::default(); _],
            used: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, word: Word) {
        self.list[self.used] = word;
        self.used += 1;
    }

    #[inline(always)]
    pub(crate) fn all(&self) -> &[Word] {
        &self.list[..self.used]
    }
}

/// Fill `short` (2^bits entries), and `long` with its subtables, from code lengths. Those words that fit the index are
/// `seen`, by their length, if the code is complete.
///
/// Code words of one length count upwards, and those of the next length go on where they ended
/// (RFC 1951, section 3.2.2). Code words stand with their first bit highest, but the stream has the first bit
/// lowest, so counting happens in mirrored order: the highest zero bit is set, the ones above cleared.
/// The table grows with the code length: a table for words up to n bits, put behind itself, is the
/// table for n + 1.
pub(crate) fn fill(
    shape: Shape<'_, impl Fn(usize, usize) -> u32>,
    lengths: &[u8],
    short: &mut [u32],
    long: &mut [u32],
    mut seen: impl FnMut(Word),
) -> Result<(), InvalidLengths> {
    let Shape {
        bits,
        symbols,
        unit,
        invalid,
        subtable,
    } = shape;
    debug_assert!(lengths.len() <= symbols.len() && short.len() == 1 << bits);

    let mut counts = [0_usize; MAX_CODE + 1];
    for &length in lengths {
        counts[usize::from(length) & MAX_CODE] += 1;
    }
    counts[0] = 0;
    let longest = counts.iter().rposition(|&count| count > 0).unwrap_or(0);

    // How much of the code space is left, in words of the longest length.
    let mut left = 1_isize;
    for &count in &counts[1..] {
        left = left * 2 - count as isize;
        if left < 0 {
            return Err(InvalidLengths);
        }
    }
    if left > 0 {
        // zlib's rule: incomplete only if there is no code word, or one of one bit.
        if longest > 1 {
            return Err(InvalidLengths);
        }
        short.fill(invalid + unit);
        if let Some(symbol) = lengths.iter().position(|&length| length == 1) {
            for entry in short.iter_mut().step_by(2) {
                *entry = symbols[symbol] + unit;
            }
        }
        return Ok(());
    }

    // The symbols in order of their code words.
    let mut places = [0_usize; MAX_CODE + 2];
    for length in 1..=MAX_CODE {
        places[length + 1] = places[length] + counts[length];
    }
    let mut sorted = [0_u16; LITLEN_SYMBOLS];
    for (symbol, &length) in lengths.iter().enumerate() {
        if length > 0 {
            let place = &mut places[usize::from(length) & MAX_CODE];
            sorted[*place] = symbol as u16;
            *place += 1;
        }
    }

    let mut next = sorted.iter().map(|&symbol| symbols[usize::from(symbol)]);
    let mut word = 0_usize;
    let mut size = 2;
    for (length, &count) in counts
        .iter()
        .enumerate()
        .take(longest.min(bits) + 1)
        .skip(1)
    {
        size = 1 << length;
        for entry in next.by_ref().take(count) {
            let entry = entry + unit * length as u32;
            short[word] = entry;
            seen(Word {
                first: word as u16,
                entry,
            });
            word = following(word, length);
        }
        if length < bits {
            short.copy_within(..size, size);
        }
    }
    while size < 1 << bits {
        short.copy_within(..size, size);
        size *= 2;
    }

    // Code words that share their first `bits` bits share a subtable, as wide as its longest word.
    let mut free = 0;
    let mut open: Option<(usize, usize, usize)> = None; // prefix, place, width
    for length in bits + 1..=longest {
        for used in 0..counts[length] {
            let prefix = word & ((1 << bits) - 1);
            let (place, width) = match open {
                Some((same, place, width)) if same == prefix => (place, width),
                _ => {
                    // Wide enough when the words that are left fill it.
                    let mut width = length - bits;
                    let mut space = counts[length] - used;
                    while space < 1 << width {
                        width += 1;
                        space = space * 2 + counts.get(bits + width).ok_or(InvalidLengths)?;
                    }
                    let place = free;
                    free += 1 << width;
                    if free > long.len() {
                        return Err(InvalidLengths); // does not happen, see LITLEN_LONG
                    }
                    short[prefix] = subtable(place, width);
                    open = Some((prefix, place, width));
                    (place, width)
                }
            };
            let entry = next.next().unwrap_or(invalid) + unit * length as u32;
            let table = &mut long[place..place + (1 << width)];
            for slot in table[word >> bits..]
                .iter_mut()
                .step_by(1 << (length - bits))
            {
                *slot = entry;
            }
            word = following(word, length);
        }
    }
    Ok(())
}

/// The code word after `word` in mirrored order; 0 after the last.
#[inline(always)]
fn following(word: usize, length: usize) -> usize {
    let zeros = word ^ ((1 << length) - 1);
    if zeros == 0 {
        return 0;
    }
    let highest = 1 << zeros.ilog2();
    word & (highest - 1) | highest
}
