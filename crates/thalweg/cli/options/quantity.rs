//! Numbers with units, as people write and read them.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;

use thalweg::Budget;
pub(crate) use thalweg::Shard;
pub(crate) use thalweg::files::thousands;
use thalweg::write::Level;

/// Parse a number of bytes: `512`, `32M`, `1.5G`, `64Mi`. K, M, G and T are
/// powers of 1000; Ki, Mi, Gi and Ti of 1024. A final `B` may follow.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err("must be more than 0".to_owned());
    }
    let unit_at = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let factor: u64 = match unit.trim_end_matches(['B', 'b']) {
        "" => 1,
        "K" | "k" => 1000,
        "M" | "m" => 1_000_000,
        "G" | "g" => 1_000_000_000,
        "T" | "t" => 1_000_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        _ => {
            return Err(format!(
                "unknown unit '{unit}': use K, M, G, T or Ki, Mi, Gi, Ti"
            ));
        }
    };
    let bytes = match number.parse::<u64>() {
        Ok(number) => number.checked_mul(factor),
        Err(_) => number
            .parse::<f64>()
            .ok()
            .map(|number| number * factor as f64)
            .filter(|bytes| bytes.is_finite() && *bytes < 2_f64.powi(63))
            .map(|bytes| bytes.round() as u64),
    };
    match bytes {
        Some(0) => Err("must be more than 0".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err("expected a number such as 512M or 2G".to_owned()),
    }
}

/// A number of bytes without a unit that is smaller is a slip: no process has so little.
const LEAST_MEMORY: u64 = 1_000_000;

/// Parse bytes of memory, as [`parse_size`]; a small number without a unit is refused.
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    let bytes = parse_size(text)?;
    match text
        .trim()
        .ends_with(|letter: char| letter.is_ascii_digit())
        && bytes < LEAST_MEMORY
    {
        true => Err(format!(
            "a number without a unit means bytes: use {0}G for {0} gigabytes, or {0}M",
            text.trim()
        )),
        false => Ok(bytes),
    }
}

/// Parse a length of k-mers; whether they can be so long is asked later.
pub(crate) fn parse_k(text: &str) -> Result<usize, String> {
    let k = text.trim().parse();
    k.map_err(|_| "expected a number of bases, such as 31".to_owned())
}

/// Parts: each is an open file until all are whole.
const MOST_PARTS: usize = 1024;

/// Parse a number of threads: more than any machine has cores are a slip of the keyboard.
pub(crate) fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    parse_count(text, Budget::MOST_THREADS)
}

/// How hard to compress.
pub(crate) fn parse_level(text: &str) -> Result<Level, String> {
    let known = text.parse().ok().and_then(Level::new);
    known.ok_or_else(|| {
        let levels = "levels are 1 (fastest) to 12 (smallest)";
        match text {
            "0" => format!("{levels}; not to compress, name the output without .gz"),
            _ => levels.to_owned(),
        }
    })
}

/// Parse a number of parts.
pub(crate) fn parse_parts(text: &str) -> Result<NonZeroUsize, String> {
    parse_count(text, MOST_PARTS)
}

fn parse_count(text: &str, most: usize) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|count: &NonZeroUsize| count.get() <= most)
        .ok_or(format!("expected a number from 1 to {most}"))
}

/// Parses whole numbers of a range; a range that ends with the greatest number of all has no end worth telling.
pub(crate) fn whole<N: Whole>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| match (range.start(), range.end()) {
            (least, most) if *most == N::MAX => {
                format!("expected a whole number of at least {least}")
            }
            (least, most) => format!("expected a whole number from {least} to {most}"),
        })
    }
}

/// As [`whole`], but that a number beyond the end of the range stands for it.
pub(crate) fn at_most<N: Whole>(
    range: RangeInclusive<N>,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static {
    move |text| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number: &N| number <= range.end());
        match (number, is_number) {
            (None, true) => Ok(*range.end()),
            _ => whole(range.clone())(text),
        }
    }
}

/// What [`whole`] parses.
pub(crate) trait Whole:
    FromStr + PartialOrd + Display + Copy + Send + Sync + 'static
{
    /// The greatest of its kind.
    const MAX: Self;
}

impl Whole for u8 {
    const MAX: Self = u8::MAX;
}

impl Whole for u32 {
    const MAX: Self = u32::MAX;
}

impl Whole for u64 {
    const MAX: Self = u64::MAX;
}

impl Whole for usize {
    const MAX: Self = usize::MAX;
}

/// Ranks of records: `A..B` is from A (counted from 0) up to but without B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranks {
    pub(crate) start: u64,
    /// `None`: up to the end.
    pub(crate) end: Option<u64>,
}

/// Parse `A..B`, `A..`, `..B`.
pub(crate) fn parse_ranks(text: &str) -> Result<Ranks, String> {
    let bound = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| format!("'{text}' is not a number; expected A..B, A.. or ..B"))
    };
    let (start, end) = text
        .split_once("..")
        .ok_or("expected A..B, A.. or ..B, counted from 0; B is not included")?;
    let start = if start.is_empty() { 0 } else { bound(start)? };
    let end = if end.is_empty() {
        None
    } else {
        Some(bound(end)?)
    };
    if end.is_some_and(|end| end < start) {
        return Err(format!("{text} ends before it starts"));
    }
    Ok(Ranks { start, end })
}

/// Parse `I/N` with 1 <= I <= N.
pub(crate) fn parse_shard(text: &str) -> Result<Shard, String> {
    let fault = "expected I/N with I from 1 to N, such as 3/8";
    let (number, of) = text.split_once('/').ok_or(fault)?;
    let shard = Shard {
        number: number.parse().map_err(|_| fault)?,
        of: of.parse().map_err(|_| fault)?,
    };
    let Range { start, end } = 1..shard.of.saturating_add(1);
    if !(start..end).contains(&shard.number) {
        return Err(fault.to_owned());
    }
    Ok(shard)
}

/// Bytes with three digits or so: `512 B`, `32.0 MB`, `1.25 GB`.
pub(crate) fn bytes(number: u64) -> String {
    let units = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if number < 1000 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = match value {
        _ if value < 9.995 => 2,
        _ if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_and_binary_units() {
        assert_eq!(parse_size("32M"), Ok(32_000_000));
        assert_eq!(parse_size("1.5G"), Ok(1_500_000_000));
        assert_eq!(parse_size("64Mi"), Ok(64 << 20));
        assert_eq!(parse_size("64MiB"), Ok(64 << 20));
        assert_eq!(parse_size("17"), Ok(17));
        for wrong in [
            "",
            "0",
            "M",
            "12X",
            "-1",
            "1..2",
            "99999999999999999T",
            "1e9",
        ] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn memory_has_a_unit() {
        assert_eq!(parse_memory("4G"), Ok(4_000_000_000));
        assert_eq!(parse_memory("100k"), Ok(100_000));
        assert_eq!(parse_memory("4000000000"), Ok(4_000_000_000));
        for slip in ["4", "4.5", " 512 "] {
            let told = parse_memory(slip).unwrap_err();
            assert!(told.contains(&format!("use {}G", slip.trim())), "{told}");
        }
        assert!(parse_memory("0").is_err() && parse_memory("-4").is_err());
    }

    #[test]
    fn ranks_are_half_open() {
        let ranks = |start, end| Ok(Ranks { start, end });
        assert_eq!(parse_ranks("3..8"), ranks(3, Some(8)));
        assert_eq!(parse_ranks("3.."), ranks(3, None));
        assert_eq!(parse_ranks("..8"), ranks(0, Some(8)));
        for wrong in ["8..3", "3", "a..b", "-1..3", "3...8"] {
            assert!(parse_ranks(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn shards_count_from_one() {
        assert_eq!(parse_shard("8/8"), Ok(Shard { number: 8, of: 8 }));
        for wrong in ["0/8", "9/8", "1/0", "1", "/", "1/18446744073709551616"] {
            assert!(parse_shard(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(thousands(0_u64), "0");
        assert_eq!(thousands(999_u64), "999");
        assert_eq!(thousands(1_234_567_u64), "1,234,567");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(32_000_000), "32.0 MB");
        assert_eq!(bytes(999_999), "1.00 MB");
    }
}
