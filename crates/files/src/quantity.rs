/// Formats a number with commas: `1234567` as `1,234,567`. Sums of counts have more than 64 bits.
pub fn thousands(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of things, with an `s` unless it is one: `1 sequence`, `1,234 sequences`.
pub fn counted(number: u64, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {what}{s}", thousands(number))
}

/// Formats a part of a whole as a percentage with two decimals: `33.33%`. Only nothing is `0%`, and only all of it `100%`.
pub fn percent(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return String::from("0%");
    }
    let share = 100.0 * part as f64 / whole as f64;
    match share {
        _ if part == whole => String::from("100%"),
        ..0.005 => String::from("<0.01%"),
        99.995.. if part < whole => String::from(">99.99%"),
        _ => format!("{share:.2}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_things_an_s() {
        for (number, text) in [
            (0, "0 reads"),
            (1, "1 read"),
            (999, "999 reads"),
            (1_234_567, "1,234,567 reads"),
        ] {
            assert_eq!(counted(number, "read"), text);
        }
    }

    #[test]
    fn all_and_nothing_are_said_of_no_others() {
        for (part, whole, said) in [
            (0, 0, "0%"),
            (0, 7, "0%"),
            (1, 100_000, "<0.01%"),
            (1, 20_001, "<0.01%"),
            (1, 20_000, "0.01%"),
            (1, 3, "33.33%"),
            (1, 2, "50.00%"),
            (99_994, 100_000, "99.99%"),
            (19_999, 20_000, ">99.99%"),
            (99_998, 100_000, ">99.99%"),
            (u64::MAX - 1, u64::MAX, ">99.99%"),
            (7, 7, "100%"),
        ] {
            assert_eq!(percent(part, whole), said, "{part} of {whole}");
        }
        for part in 0..30_000 {
            let said = percent(part, 30_000);
            assert_eq!(said == "0%", part == 0, "{part}");
            assert!(said != "0.00%" && said != "100.00%", "{part}");
        }
    }
}
