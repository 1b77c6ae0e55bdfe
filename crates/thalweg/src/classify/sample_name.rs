//! Names that samples may have.

/// Refuses a name of a sample that cannot begin the names of its files, or that would break a table or a terminal.
///
/// # Errors
/// What is wrong with it, for a message that begins with the name.
pub fn check_sample_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("an empty name")
    } else if name.contains('/') {
        Err("a name with a slash")
    } else if name == "." || name == ".." {
        Err("the name of a directory")
    } else if name.starts_with('-') {
        Err("a name that begins with a dash, as options do")
    } else if name.contains(char::is_control) {
        Err("a name with a control character")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["a", "a b", "S1.2", "..a", "a-b", "β", "#1", "~"] {
            assert_eq!(check_sample_name(name), Ok(()), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "-",
            "-o",
            "--",
            "a/b",
            "/a",
            "a\tb",
            "a\nb",
            "a\r",
            "\x1b[31ma",
            "a\0",
            "a\u{7f}",
            "a\u{9b}",
        ] {
            assert!(check_sample_name(name).is_err(), "{name:?}");
        }
    }
}
