//! Numbers as Java writes them, and keys in the order in which its hash tables give them.
//!
//! FastQC is a Java program: its text has numbers in the form of `Double.toString`, and where it adds up what is in a
//! `HashMap`, or lists equals of it, the order of that shows in the text.

use std::fmt::{self, Display, Formatter};

/// A number in the form of Java's `Double.toString`: the fewest digits that tell it from its neighbours, a point in any case,
/// and an exponent below 0.001 and from ten millions on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Double(pub(crate) f64);

impl Display for Double {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value.is_nan() {
            return formatter.write_str("NaN");
        }
        if value.is_infinite() {
            return formatter.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
        }
        let magnitude = value.abs();
        if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
            // Rust's form of debugging has the shortest digits and a point.
            return write!(formatter, "{value:?}");
        }
        with_exponent(&format!("{value:e}"), formatter)
    }
}

/// Write a number, which Rust has written with an exponent.
fn with_exponent(text: &str, formatter: &mut Formatter<'_>) -> fmt::Result {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    match digits.contains('.') {
        true => write!(formatter, "{digits}E{exponent}"),
        false => write!(formatter, "{digits}.0E{exponent}"),
    }
}

/// The same of Java's `Float.toString`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Float(pub(crate) f32);

impl Display for Float {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let value = self.0;
        let magnitude = value.abs();
        if magnitude == 0.0 || (1e-3..1e7).contains(&magnitude) {
            return write!(formatter, "{value:?}");
        }
        with_exponent(&format!("{value:e}"), formatter)
    }
}

/// `String.hashCode` of ASCII text.
pub(crate) fn string_hash(text: &[u8]) -> u32 {
    text.iter().fold(0u32, |hash, &byte| {
        hash.wrapping_mul(31).wrapping_add(u32::from(byte))
    })
}

/// The order in which a `HashMap` gives keys of these hash codes, which were put into it one after the other: their numbers.
///
/// The table has a power of two of buckets, more than 4/3 of the keys; keys of a bucket stay in the order of their coming.
/// (Java makes a tree of a bucket of more than eight keys. Of so many keys as there are here, that is next to impossible.)
pub(crate) fn map_order(hashes: &[u32]) -> Vec<usize> {
    let mut buckets = 16;
    while hashes.len() * 4 > buckets * 3 {
        buckets *= 2;
    }
    let bucket = |number: &usize| {
        let hash = hashes[*number];
        (hash ^ hash >> 16) as usize & (buckets - 1)
    };
    let mut order: Vec<usize> = (0..hashes.len()).collect();
    order.sort_by_key(bucket);
    order
}

/// The same of a `Hashtable` that was made for so many entries.
///
/// Buckets are gone through from the last one; in a bucket, what came last is first. When the table is three quarters full, it
/// gets twice as many buckets and one, and is put there in the order in which it is gone through.
pub(crate) fn table_order(hashes: &[u32], mut capacity: usize) -> Vec<usize> {
    let bucket = |key: usize, capacity| (hashes[key] & 0x7fff_ffff) as usize % capacity;
    let all = |table: Vec<Vec<usize>>| {
        table
            .into_iter()
            .rev()
            .flat_map(|keys| keys.into_iter().rev())
    };
    let mut table = vec![Vec::new(); capacity];
    for key in 0..hashes.len() {
        if key >= capacity * 3 / 4 {
            capacity = capacity * 2 + 1;
            let old = std::mem::replace(&mut table, vec![Vec::new(); capacity]);
            for key in all(old) {
                table[bucket(key, capacity)].push(key);
            }
        }
        table[bucket(key, capacity)].push(key);
    }
    all(table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_java() {
        // Each from jshell.
        for (value, text) in [
            (0.0, "0.0"),
            (34.0, "34.0"),
            (500_000.0, "500000.0"),
            (9_999_999.5, "9999999.5"),
            (1e7, "1.0E7"),
            (12_345_678.0, "1.2345678E7"),
            (1e-3, "0.001"),
            (2e-4, "2.0E-4"),
            (5.912_612_600_543_96e-4, "5.91261260054396E-4"),
            (100.0 / 3.0, "33.333333333333336"),
            (-2.5, "-2.5"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
        ] {
            assert_eq!(Double(value).to_string(), text);
        }
    }

    #[test]
    fn hashes_and_orders_are_those_of_java() {
        assert_eq!(string_hash(b""), 0);
        assert_eq!(string_hash(b"ACGT"), 2_003_087);
        // Integers are their own hash codes: 12 of them fit 16 buckets, 13 do not.
        let twelve: Vec<u32> = (1..12).chain([17]).collect();
        assert_eq!(map_order(&twelve), [0, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        // Four buckets hold three; the fourth makes them nine.
        assert_eq!(table_order(&[1, 5, 2], 4), [2, 1, 0]);
        assert_eq!(table_order(&[1, 10, 2, 19], 4), [2, 3, 0, 1]);
        let thirteen: Vec<u32> = (1..13).chain([17]).collect();
        assert_eq!(map_order(&thirteen).last(), Some(&12));
    }
}
