//! `jellyfish mem`: what Jellyfish's table would take, for scripts that ask before they choose a size.
//!
//! A count here needs no such table, and no size: the answer is about the program whose name is used.

use super::arguments::MemoryArguments;
use crate::jobs::kmers::Fault;
use crate::output;
use crate::process::exit::Failure;

/// Jellyfish's default: so many times another slot is tried.
const REPROBES: u64 = 126;

/// Jellyfish's default: bits of a count.
const COUNTER: u64 = 7;

/// What Jellyfish 2.3.0 has beside the slots, whatever their number.
const OVERHEAD: u128 = 24_816;

/// Logarithm of the largest table that is tried.
const LARGEST: u32 = 62;

pub(super) fn run(arguments: &MemoryArguments) -> Result<(), Fault> {
    let ignored = &arguments.count.ignored;
    let table = Table {
        k: arguments.count.mer_len as u64,
        reprobes: ignored.reprobes.unwrap_or(REPROBES),
        counter: ignored
            .counter_len
            .unwrap_or(COUNTER)
            .min(u64::from(u64::BITS)),
    };
    let text = match (arguments.count.size, arguments.mem) {
        (Some(size), None) => {
            // The number of bits that a slot's number has: a size is rounded up to a power of two.
            let logarithm = u64::BITS - size.saturating_sub(1).leading_zeros();
            shortened(table.bytes(logarithm.min(LARGEST)), 1024)
        }
        (None, Some(memory)) => {
            let fits = (0..LARGEST)
                .rev()
                .find(|&logarithm| table.bytes(logarithm) <= u128::from(memory));
            // As Jellyfish, whose smallest table has one slot.
            shortened(1 << fits.unwrap_or(0), 1000)
        }
        _ => {
            return Err(Failure::usage(
                "one of --size and --mem is needed",
                "`jellyfish mem --help` lists what is answered to each",
            )
            .into());
        }
    };
    Ok(output::print(&text)?)
}

/// Jellyfish's table: slots in blocks of words of 64 bits, each field behind the other.
struct Table {
    k: u64,
    /// How many times another slot is tried.
    reprobes: u64,
    /// Bits of a count.
    counter: u64,
}

impl Table {
    /// What the table of 2^`logarithm` slots takes.
    fn bytes(&self, logarithm: u32) -> u128 {
        let slots = 1_u128 << logarithm;
        // The i-th slot that is tried is i * (i + 1) / 2 further on, which is to be within the table.
        let way = |reprobes: u64| u128::from(reprobes) * (u128::from(reprobes) + 1) / 2;
        // What this leaves is at most one too many.
        let most = u64::try_from((2 * slots).isqrt()).unwrap_or(u64::MAX);
        let mut reprobes = self.reprobes.min(most);
        while reprobes > 0 && way(reprobes) >= slots {
            reprobes -= 1;
        }
        let length = |number: u64| u64::from(u64::BITS - number.leading_zeros());
        // What the number of the slot does not tell of the k-mer, how often another one was tried, and a mark.
        let key = (2 * self.k).saturating_sub(u64::from(logarithm)) + length(reprobes + 1) + 1;
        let (in_block, words) = block(key, self.counter);
        OVERHEAD + 8 * u128::from(words) * slots.div_ceil(u128::from(in_block))
    }
}

/// How many slots a block has, and words, if a key and a count have so many bits.
fn block(key: u64, counter: u64) -> (u64, u64) {
    const WORD: u64 = u64::BITS as u64;
    // Words that are full, and bits of the next one.
    let (mut words, mut bits) = (0, 0);
    let mut slots = 0;
    loop {
        slots += 1;
        let room = WORD - bits;
        if key <= room {
            bits += key;
        } else {
            // In each word that a key is in with others, one bit says that this part of it is there.
            let rest = key - (room - 1);
            let further = (rest - 1) / (WORD - 1);
            words += 1 + further;
            bits = rest - further * (WORD - 1) + 1;
        }
        // Counts lie across two words without a mark.
        bits += counter;
        words += bits / WORD;
        bits %= WORD;
        // Two bits are too few for the next key; and a block has no more slots than a word has bits.
        if bits == 0 || WORD - bits <= 2 || slots == WORD {
            return (slots, words + u64::from(bits > 0));
        }
    }
}

/// `859018288 (819M)`, cut to whole units of powers of `base`.
fn shortened(number: u128, base: u128) -> String {
    let mut short = number;
    let mut units = ["", "k", "M", "G", "T", "P", "E"].iter();
    let mut unit = units.next();
    while short >= base
        && let Some(next) = units.next()
    {
        short /= base;
        unit = Some(next);
    }
    format!("{number} ({short}{})\n", unit.unwrap_or(&""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shortened() {
        for (number, base, text) in [
            (859_018_288, 1024, "859018288 (819M)\n"),
            (1 << 30, 1000, "1073741824 (1G)\n"),
            (999, 1000, "999 (999)\n"),
            (1024, 1024, "1024 (1k)\n"),
            (0, 1024, "0 (0)\n"),
        ] {
            assert_eq!(shortened(number, base), text);
        }
    }
}
