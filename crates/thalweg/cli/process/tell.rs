//! What is said beside results.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::LazyLock;

use thalweg::files::escape_controls;

/// As `eprintln`, but that names cannot do anything to a terminal, and that on one the first word has a colour. When nobody
/// can be told, as with a closed pipe or a full disk behind the standard error, the work goes on: its result says how it went.
macro_rules! tell {
    ($($argument:tt)*) => {
        $crate::process::tell::say(&format!($($argument)*))
    };
}

/// What [`tell!`] does with its text.
pub(crate) fn say(text: &str) {
    let mut text = harmless(text);
    if *IS_COLOURED {
        text = Cow::Owned(coloured(&text));
    }
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Whether there is a terminal that shows colours, and nobody asked for none (no-color.org).
static IS_COLOURED: LazyLock<bool> = LazyLock::new(|| {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|kind| kind == "dumb");
    io::stderr().is_terminal() && !is_set("NO_COLOR") && !is_dumb
});

/// A text for a person, with control characters as `\x1b`: names of files and reads may hold what moves the cursor, or worse.
/// Line ends and tabs stay.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    escape_controls(text, |letter| letter != '\n' && letter != '\t')
}

/// What lines begin with, and the colour that it has then.
const COLOURS: [(&str, &str); 4] = [
    ("error:", "\x1b[1;31m"),
    ("warning:", "\x1b[1;33m"),
    ("note:", "\x1b[1m"),
    ("hint:", "\x1b[1;36m"),
];

/// The same with colours; they are all that a line may begin with besides the name of the program.
fn coloured(text: &str) -> String {
    let line = |line: &str| {
        let (name, rest) = match line.strip_prefix(NAME) {
            Some(rest) => (NAME, rest),
            None => ("", line),
        };
        for (word, colour) in COLOURS {
            if let Some(rest) = rest.strip_prefix(word) {
                return format!("{name}{colour}{word}\x1b[0m{rest}");
            }
        }
        line.to_owned()
    };
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\n")
}

const NAME: &str = "thalweg: ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(harmless("a.fq: β\tb\nc"), "a.fq: β\tb\nc");
        assert_eq!(
            harmless("\x1b[2J\r\u{7f}\u{9b}a"),
            "\\x1b[2J\\x0d\\x7f\\x9ba"
        );
    }

    #[test]
    fn first_words_have_colours() {
        let told = coloured("thalweg: error: a: no hint: here\nhint: look\n  note: no");
        assert_eq!(
            told,
            "thalweg: \x1b[1;31merror:\x1b[0m a: no hint: here\n\x1b[1;36mhint:\x1b[0m look\n  note: no"
        );
    }
}
