//! `jellyfish mem`: what Jellyfish's table would take, for scripts that ask before they choose a size.
//!
//! A count here needs no such table, and no size: the answer is about the program whose name is used.

use super::arguments::MemoryArguments;
use crate::exit::Failure;
use crate::kmers::Fault;
use crate::output;

/// Bits of a slot besides those of the k-mer, its count, and the way from where the k-mer belongs to where it is.
const MARK: u64 = 1;

/// Jellyfish's default: so many times another slot is tried.
const REPROBES: u64 = 126;

/// Jellyfish's default: bits of a count.
const COUNTER: u64 = 7;

/// Logarithm of the largest table that is tried.
const LARGEST: u32 = 62;

pub(super) fn run(arguments: &MemoryArguments) -> Result<(), Fault> {
    let ignored = &arguments.count.ignored;
    let reprobes = ignored.reprobes.unwrap_or(REPROBES);
    let counter = ignored.counter_len.unwrap_or(COUNTER).min(64);
    let bits = |logarithm: u32| {
        let k_mer = (2 * arguments.count.mer_len as u64).saturating_sub(u64::from(logarithm));
        let way = u64::from(u64::BITS - reprobes.leading_zeros());
        k_mer + way + counter + MARK
    };
    // Fields are not cut at the ends of words, which takes up to four percent more.
    let bytes = |logarithm: u32| (u128::from(bits(logarithm)) << logarithm) / 8;
    let text = match (arguments.count.size, arguments.mem) {
        (Some(size), None) => {
            // The number of bits that a slot's number has: a size is rounded up to a power of two.
            let logarithm = u64::BITS - size.saturating_sub(1).leading_zeros();
            shortened(bytes(logarithm.min(LARGEST)), 1024)
        }
        (None, Some(memory)) => {
            let fits = (0..LARGEST)
                .rev()
                .find(|&logarithm| bytes(logarithm) <= u128::from(memory));
            shortened(fits.map_or(0, |logarithm| 1 << logarithm), 1000)
        }
        _ => {
            return Err(Failure::usage(
                "one of --size and --mem is needed",
                "`jellyfish mem --help` tells what is answered to each",
            )
            .into());
        }
    };
    Ok(output::print(&text)?)
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
