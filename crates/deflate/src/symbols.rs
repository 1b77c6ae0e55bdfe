//! Symbols of lengths and distances (RFC 1951, section 3.2.5).

/// Literals, the end, lengths, and two that only have a place in the fixed code.
pub(crate) const LITERALS: usize = 288;
/// Symbols of lengths, from 257 on.
pub(crate) const LENGTHS: usize = 29;
pub(crate) const DISTANCES: usize = 30;
pub(crate) const END_OF_BLOCK: usize = 256;
pub(crate) const LONGEST: usize = 258;
/// Distances of a match reach so far.
pub(crate) const WINDOW: usize = 32 * 1024;

/// Symbol - 257 of each length, counted from 3.
const LENGTH_SYMBOLS: [u8; 256] = {
    let mut symbols = [0; 256];
    let mut length = 0;
    while length < 256 {
        symbols[length] = if length < 8 {
            length as u8
        } else if length == 255 {
            28
        } else {
            // Four symbols for each power of two.
            let log = length.ilog2() as usize;
            (4 * (log - 1) + ((length >> (log - 2)) & 3)) as u8
        };
        length += 1;
    }
    symbols
};

/// Symbol, number of extra bits and extra bits of a length (3 to 258).
#[inline(always)]
pub(crate) const fn length_symbol(length: usize) -> (usize, u32, u32) {
    let offset = (length - 3) & 255;
    let symbol = LENGTH_SYMBOLS[offset] as usize;
    let extra = length_extra(symbol);
    (257 + symbol, extra, offset as u32 & ((1 << extra) - 1))
}

/// Lengths, counted from 3, of each symbol from 257 on.
pub(crate) fn lengths_by_symbol() -> impl Iterator<Item = std::ops::Range<usize>> {
    FIRST_LENGTHS.windows(2).map(|both| both[0]..both[1])
}

/// The first length, counted from 3, of each symbol from 257 on, and what is behind all.
const FIRST_LENGTHS: [usize; LENGTHS + 1] = {
    let mut firsts = [256; LENGTHS + 1];
    let mut length = 256;
    while length > 0 {
        length -= 1;
        firsts[LENGTH_SYMBOLS[length] as usize] = length;
    }
    firsts
};

/// Extra bits of length symbol 257 + `symbol`.
pub(crate) const fn length_extra(symbol: usize) -> u32 {
    if symbol < 8 || symbol == 28 {
        0
    } else {
        symbol as u32 / 4 - 1
    }
}

/// Symbol, number of extra bits and extra bits of a distance less 1 (0 to 32767).
#[inline(always)]
pub(crate) fn distance_symbol(less: u32) -> (usize, u32, u32) {
    if less < 4 {
        return (less as usize, 0, 0);
    }
    // Two symbols for each power of two.
    let log = less.ilog2();
    let extra = log - 1;
    let symbol = 2 * log + ((less >> extra) & 1);
    (symbol as usize, extra, less & ((1 << extra) - 1))
}

/// Extra bits of a distance symbol.
pub(crate) fn distance_extra(symbol: usize) -> u32 {
    (symbol as u32 / 2).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_follow_the_tables_of_the_rfc() {
        for (length, expected) in [
            (3, (257, 0, 0)),
            (10, (264, 0, 0)),
            (11, (265, 1, 0)),
            (12, (265, 1, 1)),
            (13, (266, 1, 0)),
            (18, (268, 1, 1)),
            (19, (269, 2, 0)),
            (114, (279, 4, 15)),
            (115, (280, 4, 0)),
            (131, (281, 5, 0)),
            (257, (284, 5, 30)),
            (258, (285, 0, 0)),
        ] {
            assert_eq!(length_symbol(length), expected, "{length}");
        }
        for (distance, expected) in [
            (1, (0, 0, 0)),
            (4, (3, 0, 0)),
            (5, (4, 1, 0)),
            (8, (5, 1, 1)),
            (9, (6, 2, 0)),
            (24_577, (29, 13, 0)),
            (32_768, (29, 13, 8191)),
        ] {
            assert_eq!(distance_symbol(distance - 1), expected, "{distance}");
            assert_eq!(distance_extra(expected.0), expected.1);
        }
    }

    #[test]
    fn each_length_is_among_those_of_its_symbol() {
        let mut all = vec![];
        for (symbol, lengths) in lengths_by_symbol().enumerate() {
            for (value, length) in lengths.enumerate() {
                let expected = (257 + symbol, length_extra(symbol), value as u32);
                assert_eq!(length_symbol(length + 3), expected);
                all.push(length);
            }
        }
        assert_eq!(all, (0..256).collect::<Vec<_>>());
    }
}
