//! Numbers of tags as SAM writes them.

use std::io::Write;

/// Each byte as a number behind a comma, in the lowest five bytes, and how long that is, in the highest.
type Texts = [u64; 256];

static OF_UNSIGNED: Texts = texts(false);
static OF_SIGNED: Texts = texts(true);

/// Bytes of the longest number with its comma: `,-128`.
const LONGEST: usize = 5;

const fn texts(signed: bool) -> Texts {
    let mut texts = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let is_negative = signed && byte > 127;
        let number = if is_negative { 256 - byte } else { byte };
        let mut text = [b',', 0, 0, 0, 0, 0, 0, 0];
        let mut length = 1;
        if is_negative {
            text[length] = b'-';
            length += 1;
        }
        let mut unit = 100;
        while unit > 0 {
            if number >= unit || unit == 1 {
                text[length] = b'0' + (number / unit % 10) as u8;
                length += 1;
            }
            unit /= 10;
        }
        text[7] = length as u8;
        texts[byte] = u64::from_le_bytes(text);
        byte += 1;
    }
    texts
}

/// Append the numbers of an array, each behind a comma. `values` are whole numbers of this type.
pub(super) fn write_array(kind: u8, values: &[u8], line: &mut Vec<u8>) {
    match kind {
        b'c' => write_bytes(&OF_SIGNED, values, line),
        b'C' => write_bytes(&OF_UNSIGNED, values, line),
        b's' | b'S' => write_each(kind, 2, values, line),
        _ => write_each(kind, 4, values, line),
    }
}

fn write_each(kind: u8, size: usize, values: &[u8], line: &mut Vec<u8>) {
    for value in values.chunks_exact(size) {
        line.push(b',');
        write(kind, value, line);
    }
}

/// Values of an array of bytes that are written at once.
const BLOCK: usize = 64;

/// Arrays of bytes are the long ones: one for each base, or more.
fn write_bytes(texts: &Texts, values: &[u8], line: &mut Vec<u8>) {
    let (blocks, rest) = values.as_chunks::<BLOCK>();
    for block in blocks {
        let highest = (block.iter()).fold(0, |highest, &value| u8::max(highest, value));
        match highest {
            // As a basecaller's moves are.
            0..=9 => write_digits(block, line),
            _ => write_any(texts, block, line),
        }
    }
    write_any(texts, rest, line);
}

fn write_digits(values: &[u8; BLOCK], line: &mut Vec<u8>) {
    let mut text = [[b',', 0]; BLOCK];
    for (pair, value) in text.iter_mut().zip(values) {
        pair[1] = b'0' + value;
    }
    line.extend_from_slice(text.as_flattened());
}

/// At most [`BLOCK`] values.
fn write_any(texts: &Texts, values: &[u8], line: &mut Vec<u8>) {
    let mut text = [0; LONGEST * BLOCK + 8];
    let mut end = 0;
    for &value in values {
        let written = texts[usize::from(value)].to_le_bytes();
        // Whole, as a copy of known length is fast; the next number covers what is too much.
        text[end..end + 8].copy_from_slice(&written);
        end += usize::from(written[7]);
    }
    line.extend_from_slice(&text[..end]);
}

/// The whole number of this type that `value` is; `None` of other types.
#[inline]
pub(super) fn integer(kind: u8, value: &[u8]) -> Option<i64> {
    Some(match (kind, value) {
        (b'c', [a]) => i64::from(*a as i8),
        (b'C', [a]) => i64::from(*a),
        (b's', [a, b]) => i64::from(i16::from_le_bytes([*a, *b])),
        (b'S', [a, b]) => i64::from(u16::from_le_bytes([*a, *b])),
        (b'i', [a, b, c, d]) => i64::from(i32::from_le_bytes([*a, *b, *c, *d])),
        (b'I', [a, b, c, d]) => i64::from(u32::from_le_bytes([*a, *b, *c, *d])),
        _ => return None,
    })
}

/// The fraction of this type that `value` is; `None` of other types.
#[inline]
pub(super) fn fraction(kind: u8, value: &[u8]) -> Option<f64> {
    match (kind, value) {
        (b'f', [a, b, c, d]) => Some(f64::from(f32::from_le_bytes([*a, *b, *c, *d]))),
        (b'd', value) => Some(f64::from_le_bytes(*value.first_chunk()?)),
        _ => None,
    }
}

/// Append the number of this type that `value` is.
pub(super) fn write(kind: u8, value: &[u8], line: &mut Vec<u8>) {
    if let Some(number) = integer(kind, value) {
        write_integer(number, line);
    } else if let Some(number) = fraction(kind, value) {
        write_fraction(number, line);
    } else {
        // Whoever cuts tags out of a record gives each type the bytes that it has: `split` of `tags`.
        unreachable!("a number of another size than its type");
    }
}

fn write_integer(number: i64, line: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        line.push(b'-');
    }
    line.extend_from_slice(&digits[start..]);
}

/// Digits of a fraction in all, as C's `%g` has them.
const DIGITS: i32 = 6;

/// Append what C's `%g` prints of a number.
fn write_fraction(number: f64, line: &mut Vec<u8>) {
    if !number.is_finite() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        let name = if number.is_nan() { "nan" } else { "inf" };
        line.extend_from_slice(sign.as_bytes());
        line.extend_from_slice(name.as_bytes());
        return;
    }
    // Rounded to so many digits, which may make it one longer.
    let rounded = format!("{number:.*e}", DIGITS as usize - 1);
    let (digits, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Writing to memory does not fail.
    if (-4..DIGITS).contains(&exponent) {
        let places = (DIGITS - 1 - exponent) as usize;
        line.extend_from_slice(without_zeros(&format!("{number:.places$}")).as_bytes());
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let digits = without_zeros(digits);
        let _ = write!(line, "{digits}e{sign}{:02}", exponent.abs());
    }
}

/// A fraction without the zeros that it ends with.
fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(number: f64) -> String {
        let mut line = Vec::new();
        write_fraction(number, &mut line);
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn fractions_are_as_c_prints_them() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (-2.0, "-2"),
            (100_000.0, "100000"),
            (999_999.5, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (0.000_1, "0.0001"),
            (0.000_012_345, "1.2345e-05"),
            (f64::from(0.1_f32), "0.1"),
            (3e10, "3e+10"),
            (1e-300, "1e-300"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(fraction(number), text);
        }
    }

    #[test]
    fn numbers_of_arrays_are_those_of_one() {
        for (kind, size) in [
            (b'c', 1),
            (b'C', 1),
            (b's', 2),
            (b'S', 2),
            (b'i', 4),
            (b'I', 4),
        ] {
            // Short ones, long ones, and some in a row that have one digit each.
            let digits = (0..300).map(|at: u32| (at % 10) as u8);
            let values = (0..=255).chain(digits).chain([0xff; 4]);
            let values: Vec<u8> = values.chain([0, 0, 0, 0x80]).collect();
            let (mut array, mut each) = (Vec::new(), Vec::new());
            write_array(kind, &values, &mut array);
            for value in values.chunks(size) {
                each.push(b',');
                write(kind, value, &mut each);
            }
            assert_eq!(array, each);
            let mut wide = [0; 8];
            let last = &values[values.len() - size..];
            wide[..size].copy_from_slice(last);
            let shift = 64 - 8 * size as u32;
            let expected = match kind.is_ascii_lowercase() {
                true => (i64::from_le_bytes(wide) << shift >> shift).to_string(),
                false => u64::from_le_bytes(wide).to_string(),
            };
            assert!(array.ends_with(format!(",{expected}").as_bytes()));
        }
    }
}
