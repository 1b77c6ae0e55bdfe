//! Numbers as text.

/// Six significant digits, as C's `%g` and C++'s streams write them.
pub(super) fn six_digits(value: f64) -> String {
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

/// With a comma between every three digits.
pub(super) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A part of a whole in percent.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let value = super::ratio(part, whole) * 100.0;
    match part {
        0 => String::from("0%"),
        // Not "0.00%" or "100%" for what is not nothing or everything.
        _ if value < 0.01 => String::from("<0.01%"),
        _ if part < whole && value > 99.99 => String::from(">99.99%"),
        _ => format!("{}%", without_zeros(&format!("{value:.2}"))),
    }
}

#[cfg(test)]
mod tests {
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
            assert_eq!(six_digits(value), text);
        }
    }

    #[test]
    fn thousands_are_separated() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(value), text);
        }
    }

    #[test]
    fn little_is_not_nothing() {
        assert_eq!(percent(0, 0), "0%");
        assert_eq!(percent(1, 1_000_000), "<0.01%");
        assert_eq!(percent(999_999, 1_000_000), ">99.99%");
        assert_eq!(percent(1, 3), "33.33%");
        assert_eq!(percent(1, 1), "100%");
    }
}
