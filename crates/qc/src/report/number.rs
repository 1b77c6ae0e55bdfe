//! Numbers as text.

use std::fmt::{self, Display, Formatter};

/// Six significant digits, as C's `%g` and C++'s streams write them.
pub(super) struct SixDigits(pub(super) f64);

impl Display for SixDigits {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match rounded(self.0) {
            Some((digits, decimals)) => fraction(digits, decimals, formatter),
            None => formatter.write_str(&exact(self.0)),
        }
    }
}

/// Powers of ten from the least that is written without an exponent.
const POWERS: [f64; 10] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5];

/// Six digits, and how many of them and of zeros before them are behind the point, where a multiplication tells them: a
/// report of long reads has millions of numbers.
fn rounded(value: f64) -> Option<(u32, usize)> {
    let power = POWERS.iter().rposition(|&power| power <= value)?;
    let decimals = POWERS.len() - 1 - power;
    // Exact powers; the product is wrong by less than 10⁶ · 2⁻⁵³.
    let scaled = value * [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9][decimals];
    let is_clear = (scaled.fract() - 0.5).abs() > 1e-9;
    let digits = scaled.round();
    (is_clear && (1e5..1e6).contains(&digits)).then_some((digits as u32, decimals))
}

/// Write `digits` · 10^-`decimals` without zeros at its end.
fn fraction(mut digits: u32, mut decimals: usize, formatter: &mut Formatter<'_>) -> fmt::Result {
    while decimals > 0 && digits.is_multiple_of(10) {
        digits /= 10;
        decimals -= 1;
    }
    let unit = 10_u32.pow(decimals as u32);
    write!(formatter, "{}", digits / unit)?;
    match decimals {
        0 => Ok(()),
        _ => write!(formatter, ".{:0decimals$}", digits % unit),
    }
}

fn exact(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return String::from("0");
    }
    // Rounding may carry into a further digit, so the exponent comes from the rounded text.
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        return without_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_zeros(digits), exponent.abs())
}

fn without_zeros(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn six_digits_are_those_of_printf() {
        // Each from `printf %g`.
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.956297, "0.956297"),
            (0.94491, "0.94491"),
            (33.333_333, "33.3333"),
            (0.000_407_830_12, "0.00040783"),
            (0.000_040_783_012, "4.0783e-05"),
            (0.000_1, "0.0001"),
            (999_999.4, "999999"),
            (999_999.5, "1e+06"),
            (123_456_789.0, "1.23457e+08"),
            (0.099_999_96, "0.1"),
            (-2.5, "-2.5"),
            (1e-100, "1e-100"),
        ] {
            assert_eq!(SixDigits(value).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn a_multiplication_tells_what_exact_arithmetic_does(
            part in 0u64..1 << 40,
            whole in 1u64..1 << 40,
            number in 0u32..100_000_000,
        ) {
            // Means and shares; the middle between two texts; what is short.
            let middle = f64::from(number) / 128.0;
            let short = f64::from(number) / 1e4;
            for value in [part as f64 / whole as f64, middle, short, short / 1e4, short + 5e-5] {
                prop_assert_eq!(SixDigits(value).to_string(), exact(value), "{}", value);
            }
        }
    }
}
