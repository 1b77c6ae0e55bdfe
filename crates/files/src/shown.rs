//! Names as a person reads them.

use std::borrow::Cow;
use std::path::Path;

/// The name of a file for a line or a cell of a table: every control character as `\x1b`, line ends and tabs too.
///
/// A name may hold any byte but a slash and zero. Bytes that are no UTF-8 become U+FFFD.
pub fn one_line(path: &Path) -> String {
    escape_controls(&path.to_string_lossy(), char::is_control).into_owned()
}

/// The text with each control character that `is_harmful` as `\x` and two hexadecimal digits.
pub fn escape_controls(text: &str, is_harmful: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_shown = |letter: char| letter.is_control() && is_harmful(letter);
    if !text.contains(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_shown(letter) {
            shown.push_str(&format!("\\x{:02x}", u32::from(letter)));
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_on_a_line() {
        for (name, shown) in [
            ("a b β.fq", "a b β.fq"),
            ("a\tb\nc\r.fq", "a\\x09b\\x0ac\\x0d.fq"),
            ("\x1b[2J\u{7f}\u{9b}", "\\x1b[2J\\x7f\\x9b"),
        ] {
            assert_eq!(one_line(Path::new(name)), shown);
        }
        let keeps_lines = escape_controls("a\n\x07", |letter| letter != '\n');
        assert_eq!(keeps_lines, "a\n\\x07");
    }
}
