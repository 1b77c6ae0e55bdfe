//! Packing literals: the table of a block that is mostly literals, from its code words.

use crate::codes::Word;
use crate::tables::{LITLEN_BITS, packed, plain};

/// The shortest code word of a literal with which five literals are the most that an index holds.
pub(crate) const SHORTEST: usize = 2;
/// The widest index behind a literal.
const BEHIND: usize = LITLEN_BITS - SHORTEST;
const _: () = assert!(LITLEN_BITS / SHORTEST <= packed::MOST);

/// Makes `entries`, see [`tables`](crate::tables), from code words that go by their length. No literal has one of fewer
/// than [`SHORTEST`] bits.
///
/// What an index holds is its first symbol, and then what the bits behind it hold as a narrower index. So the tables of
/// narrower indexes are made first. They lie in one, that of n bits from 2^n on.
#[inline(always)]
pub(crate) fn pack(words: &[Word], entries: &mut [u64; 1 << LITLEN_BITS]) {
    let mut all = [0; 2 << BEHIND];
    for bits in SHORTEST..=BEHIND {
        let (narrower, rest) = all.split_at_mut(1 << bits);
        fill(words, bits, narrower, &mut rest[..1 << bits]);
    }
    entries.fill(packed::EXCEPTION);
    fill(words, LITLEN_BITS, &all, entries);
}

/// Makes the table of an index of `width` bits; entries that hold no symbol whole stay as they are.
#[inline(always)]
fn fill(words: &[Word], width: usize, narrower: &[u64], entries: &mut [u64]) {
    for &Word { first, entry } in words {
        let bits = plain::bits(entry) as usize;
        if bits > width {
            break;
        }
        let first = usize::from(first);
        let value = plain::value(entry);
        let extra = plain::extra(entry);
        if plain::kind(entry) == plain::LITERAL {
            let literal = u64::from(value) << packed::FIRST | packed::ONE | bits as u64;
            let behind = &narrower[1 << (width - bits)..2 << (width - bits)];
            for (index, &next) in behind.iter().enumerate() {
                let literals = next & packed::LITERALS;
                entries[first + (index << bits)] = (literals << 8) + (next ^ literals) + literal;
            }
        } else if plain::kind(entry) == plain::LENGTH && bits + extra as usize <= width {
            for index in 0..1 << (width - bits) {
                let length = value + (index as u32 & ((1 << extra) - 1));
                if length <= packed::LONGEST {
                    entries[first + (index << bits)] =
                        u64::from(length << 8) | (bits as u64 + u64::from(extra));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{END_OF_BLOCK, Tables};

    /// The lengths of all code words.
    fn lengths(literals: &[(u8, u8)], others: &[(usize, u8)]) -> [u8; 286] {
        let mut all = [0; 286];
        for &(literal, length) in literals {
            all[usize::from(literal)] = length;
        }
        for &(symbol, length) in others {
            all[symbol] = length;
        }
        all
    }

    /// Looks up what an index holds, symbol by symbol: literals, the length of a match, bits.
    fn walked(tables: &Tables, index: usize) -> (Vec<u8>, usize, usize) {
        let (mut literals, mut taken) = (Vec::new(), 0);
        loop {
            let first = tables.plain[index >> taken];
            let bits = plain::bits(first) as usize;
            let extra = plain::extra(first) as usize;
            let value = plain::value(first) as usize;
            let left = LITLEN_BITS - taken;
            match plain::kind(first) {
                plain::LITERAL if bits <= left => literals.push(value as u8),
                plain::LENGTH if bits + extra <= left => {
                    let length = value + (index >> taken >> bits & ((1 << extra) - 1));
                    if length <= 255 {
                        return (literals, length, taken + bits + extra);
                    }
                    return (literals, 0, taken);
                }
                _ => return (literals, 0, taken),
            }
            taken += bits;
        }
    }

    #[test]
    fn an_entry_is_what_its_bits_say_one_by_one() {
        let bases = [(b'A', 2), (b'C', 2), (b'G', 2), (b'T', 3)];
        let few = lengths(
            &bases,
            &[(END_OF_BLOCK, 5), (257, 5), (270, 6), (284, 6), (285, 5)],
        );
        // Down to words that are longer than the index.
        let mut deep = bases.to_vec();
        deep[3] = (b'T', 4);
        deep.extend((5..15).map(|length| (length, length)));
        deep.extend([(15, 15), (16, 15)]);
        let deep = lengths(&deep, &[(END_OF_BLOCK, 5), (258, 5), (266, 5), (281, 5)]);
        for lengths in [few, deep] {
            let mut tables = Tables::new();
            tables.build(&lengths, &[1, 1]).unwrap();
            assert!(tables.is_mostly_literals);
            let mut most = 0;
            for (index, &entry) in tables.packed.iter().enumerate() {
                let (literals, length, bits) = walked(&tables, index);
                if bits == 0 {
                    assert_eq!(entry, packed::EXCEPTION, "{index}");
                    continue;
                }
                assert_eq!(packed::count(entry), literals.len(), "{index}");
                let bytes = (entry >> packed::FIRST).to_le_bytes();
                assert_eq!(bytes[..literals.len()], literals, "{index}");
                assert_eq!(packed::length(entry), length, "{index}");
                assert_eq!(packed::bits(entry), bits as u64, "{index}");
                most = most.max(literals.len());
            }
            assert_eq!(most, packed::MOST);
        }
    }

    #[test]
    fn a_block_with_matches_or_a_literal_of_one_bit_is_no_block_of_literals() {
        let end = (END_OF_BLOCK, 3);
        for (literals, others) in [
            (&[(b'A', 2), (b'C', 2), (b'G', 2)][..], &[end, (257, 3)][..]),
            (&[(b'A', 1), (b'C', 2), (b'G', 3)], &[end]),
        ] {
            let mut tables = Tables::new();
            tables.build(&lengths(literals, others), &[1, 1]).unwrap();
            assert!(!tables.is_mostly_literals);
        }
    }
}
