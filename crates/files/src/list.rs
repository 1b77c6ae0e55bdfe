//! Lists and tables that people write: an entry on each line.
//!
//! Spreadsheets and editors of Windows put a byte order mark before the text, and end lines with CR LF. Neither belongs to an
//! entry, nor do blanks at its end. Text in UTF-16, and lines that end with CR alone, are refused: they would be read as
//! something else.

use std::io;
use std::path::Path;

/// A byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Byte order marks of other encodings. That of UTF-32 in little-endian order begins with that of UTF-16.
const OTHER_MARKS: [(&[u8], &str); 4] = [
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
];

/// Why a list is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListTextError {
    /// Another encoding than ASCII or UTF-8, by its byte order mark.
    #[error("text in {encoding}, by its byte order mark, and not in UTF-8")]
    Encoding {
        /// Its name.
        encoding: &'static str,
    },
    /// Lines that end with a carriage return alone.
    #[error("line {line}: a carriage return without a newline")]
    LoneReturn {
        /// The first one, counted from 1 by newlines.
        line: u64,
    },
}

impl ListTextError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Encoding { .. } => {
                "convert it: `iconv -f UTF-16 -t UTF-8 FILE >NEW`; or save it as UTF-8 (Notepad: Encoding; Excel: \"Text (Tab delimited)\")"
            }
            Self::LoneReturn { .. } => {
                "make newlines of carriage returns: `sed 's/\\r$//' FILE | tr '\\r' '\\n' >FIXED`"
            }
        }
    }

    /// The one in an error of the system, if it is one.
    pub fn of_io(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<ListTextError> for io::Error {
    fn from(error: ListTextError) -> Self {
        Self::new(io::ErrorKind::InvalidData, error)
    }
}

/// Returns text without its byte order mark. The first line of a text will do.
///
/// # Errors
/// [`ListTextError::Encoding`].
pub fn without_mark(text: &[u8]) -> Result<&[u8], ListTextError> {
    if let Some(text) = text.strip_prefix(MARK) {
        return Ok(text);
    }
    let other = OTHER_MARKS.iter().find(|(mark, _)| text.starts_with(mark));
    other.map_or(Ok(text), |(_, encoding)| {
        Err(ListTextError::Encoding { encoding })
    })
}

/// Returns the text of a list without its byte order mark. In one with NUL bytes these end entries, which may then have carriage
/// returns.
///
/// # Errors
/// [`ListTextError`].
pub fn list_text(mut text: Vec<u8>) -> Result<Vec<u8>, ListTextError> {
    let mark = text.len() - without_mark(&text)?.len();
    text.drain(..mark);
    if !text.contains(&0) {
        for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
            check_returns(line, number)?;
        }
    }
    Ok(text)
}

/// Refuses a line with a carriage return that other than blanks follow.
///
/// # Errors
/// [`ListTextError::LoneReturn`], in the line of this `number`.
pub fn check_returns(line: &[u8], number: u64) -> Result<(), ListTextError> {
    if line.trim_ascii_end().contains(&b'\r') {
        return Err(ListTextError::LoneReturn { line: number });
    }
    Ok(())
}

/// Reads a list from a file.
///
/// # Errors
/// What the system says; a [`ListTextError`], of the kind [`InvalidData`](io::ErrorKind::InvalidData).
pub fn read_list(path: &Path) -> io::Result<Vec<u8>> {
    Ok(list_text(std::fs::read(path)?)?)
}

/// Reads a list in UTF-8.
///
/// # Errors
/// Those of [`read_list`]; that it is no UTF-8, of the same kind.
pub fn read_text_list(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_list(path)?);
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Returns the lines of a text, without blanks and carriage returns at their ends, with their numbers from 1. Empty ones are
/// skipped. A line may begin with any byte, also with `#`: so do names of reads.
pub fn list_lines(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let lines = (1..).zip(text.split(|&byte| byte == b'\n'));
    let lines = lines.map(|(number, line)| (number, line.trim_ascii_end()));
    lines.filter(|(_, line)| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_neither_marks_nor_ends() {
        for text in [
            &b"a b\n#c\n\n d\n"[..],
            b"a b\r\n#c\r\n\r\n d",
            b"\xef\xbb\xbfa b \t\r\n#c\n \r\n d\n",
        ] {
            let text = list_text(text.to_vec()).unwrap();
            let lines = Vec::from_iter(list_lines(&text));
            assert_eq!(lines, [(1, &b"a b"[..]), (2, b"#c"), (4, b" d")]);
        }
        assert_eq!(list_text(b"\xef\xbb\xbf".to_vec()).unwrap(), b"");
        // Only one mark is none of the text, and only at its start.
        let twice = b"\xef\xbb\xbf\xef\xbb\xbfa".to_vec();
        assert_eq!(list_text(twice).unwrap(), b"\xef\xbb\xbfa");
        assert_eq!(list_text(b"a\rb\0".to_vec()).unwrap(), b"a\rb\0");
    }

    #[test]
    fn other_encodings_and_lone_returns_are_refused() {
        for (text, encoding) in [
            (&b"\xff\xfea\0"[..], "UTF-16"),
            (b"\xfe\xff\0a", "UTF-16"),
            (b"\xff\xfe\0\0a\0\0\0", "UTF-32"),
            (b"\0\0\xfe\xff\0\0\0a", "UTF-32"),
        ] {
            let error = list_text(text.to_vec()).unwrap_err();
            assert_eq!(error, ListTextError::Encoding { encoding });
            assert!(error.hint().contains("UTF-8"));
        }
        let error = list_text(b"a\r\nb\rc\r".to_vec()).unwrap_err();
        assert_eq!(error, ListTextError::LoneReturn { line: 2 });
        let error = io::Error::from(error);
        assert_eq!(
            error.to_string(),
            "line 2: a carriage return without a newline"
        );
        assert!(ListTextError::of_io(&error).is_some());
    }
}
