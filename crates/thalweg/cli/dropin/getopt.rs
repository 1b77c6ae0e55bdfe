//! Command lines of programs that are written in Perl.

use std::ffi::OsString;

/// The words as Perl's Getopt takes them: options may begin with one dash, and have capitals.
pub(crate) fn as_getopt(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut are_options = true;
    let word = |word: OsString| {
        are_options &= word != "--";
        let text = word.to_str().filter(|_| are_options);
        let option = text.and_then(|text| text.strip_prefix('-'));
        let option = option.map(|option| option.strip_prefix('-').unwrap_or(option));
        let is_word = |option: &&str| {
            option.len() > 1 && option.starts_with(|first: char| first.is_ascii_alphabetic())
        };
        let Some(option) = option.filter(is_word) else {
            return word;
        };
        let (name, value) = option.split_at(option.find('=').unwrap_or(option.len()));
        format!("--{}{value}", name.to_ascii_lowercase()).into()
    };
    words.map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_getopt() {
        for (given, taken) in [
            ("-db", "--db"),
            ("-Report=A-B", "--report=A-B"),
            ("--DB", "--db"),
            ("-", "-"),
            ("-h", "-h"),
            ("-7", "-7"),
            ("a-B", "a-B"),
            ("", ""),
        ] {
            let words = ["kraken2", given, "--", given];
            let words = as_getopt(words.into_iter().map(OsString::from));
            assert_eq!(words, ["kraken2", taken, "--", given]);
        }
    }
}
