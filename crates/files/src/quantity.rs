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
}
