//! Where an error happened.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where an error happened; what is not known is `None`. The same for the errors of all crates.
///
/// What is told first stays: whoever hands an error on adds what it knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, as the user named it.
    pub path: Option<PathBuf>,
    /// 0-based rank of the record in its file.
    pub record: Option<u64>,
    /// Byte in the file as it lies on disk (compressed, if it is).
    pub offset: Option<u64>,
    /// Byte in the uncompressed data.
    pub text_offset: Option<u64>,
}

impl Location {
    /// Somewhere in the file `path`.
    pub fn of_file(path: &Path) -> Self {
        Self::default().in_file(path)
    }

    /// In the file `path`.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// At the record of 0-based rank `record`.
    #[must_use]
    pub fn at_record(mut self, record: Option<u64>) -> Self {
        self.record = self.record.or(record);
        self
    }

    /// At `offset` of the file on disk.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.offset.get_or_insert(offset);
        self
    }

    /// At `offset` of the uncompressed data.
    #[must_use]
    pub fn at_text_offset(mut self, offset: u64) -> Self {
        self.text_offset.get_or_insert(offset);
        self
    }

    /// The start of a message that names the file: `FILE: `, or nothing.
    pub fn head(&self) -> impl fmt::Display + '_ {
        Head(self)
    }

    /// The end of a message, with the place in the file: ` (record 1, byte 0 of the file)`, or nothing.
    pub fn tail(&self) -> impl fmt::Display + '_ {
        Tail(self)
    }
}

struct Head<'a>(&'a Location);

impl fmt::Display for Head<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.path {
            Some(path) => write!(f, "{}: ", path.display()),
            None => Ok(()),
        }
    }
}

struct Tail<'a>(&'a Location);

impl fmt::Display for Tail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location {
            record,
            text_offset,
            offset,
            ..
        } = self.0;
        let mut places = Vec::new();
        // People count records from 1, as in "the first record".
        places.extend(record.map(|record| format!("record {}", record + 1)));
        places.extend(text_offset.map(|byte| format!("byte {byte} of the uncompressed data")));
        places.extend(offset.map(|byte| format!("byte {byte} of the file")));
        match places.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", places.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(location: &Location) -> String {
        format!("{}what{}", location.head(), location.tail())
    }

    #[test]
    fn all_that_is_known_is_told() {
        let location = Location::default();
        assert_eq!(told(&location), "what");
        let location = Location::of_file(Path::new("a.fq"));
        assert_eq!(told(&location), "a.fq: what");
        let location = location.at_record(Some(0)).at_offset(7);
        assert_eq!(told(&location), "a.fq: what (record 1, byte 7 of the file)");
        let expected = "a.fq: what (record 1, byte 9 of the uncompressed data, byte 7 of the file)";
        assert_eq!(told(&location.at_text_offset(9)), expected);
    }

    #[test]
    fn what_was_told_first_stays() {
        let first = Location::of_file(Path::new("a")).at_record(Some(1));
        let first = first.at_offset(2).at_text_offset(3);
        let again = first.clone().in_file(Path::new("b")).at_record(Some(5));
        assert_eq!(again.at_offset(6).at_text_offset(7), first);
    }
}
