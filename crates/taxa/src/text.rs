//! Lines of text with their numbers, and what stands in their fields.

use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::{Error, ErrorKind, Result, Taxid};

/// Far more than a line of any table has; less than hurts if a file is something else.
const LONGEST_LINE: usize = 1 << 20;

/// The lines of one file, without a byte order mark, their ends (LF or CR LF) and lines of blanks.
pub(crate) struct Lines<'a, R> {
    input: R,
    pub(crate) place: Place<'a>,
    buffer: Vec<u8>,
}

/// A line of a file, for messages.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    path: &'a Path,
    line: u64,
}

impl<'a, R: BufRead> Lines<'a, R> {
    pub(crate) fn new(input: R, path: &'a Path) -> Self {
        Self {
            input,
            place: Place { path, line: 0 },
            buffer: Vec::new(),
        }
    }

    /// The next line that has other bytes than blanks; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(&[u8], Place<'a>)>> {
        loop {
            self.buffer.clear();
            self.place.line += 1;
            // One byte more for the newline.
            let mut bounded = (&mut self.input).take(LONGEST_LINE as u64 + 1);
            let read = bounded.read_until(b'\n', &mut self.buffer);
            let read = read.map_err(|error| Error::io(self.place.path, error))?;
            if read == 0 {
                return Ok(None);
            }
            if self.buffer.pop_if(|last| *last == b'\n').is_some() {
                self.buffer.pop_if(|last| *last == b'\r');
            } else if read > LONGEST_LINE {
                return Err(self.place.error(ErrorKind::LongLine {
                    limit: LONGEST_LINE,
                }));
            }
            if self.place.line == 1 {
                let text = thalweg_files::without_mark(&self.buffer);
                let text = text.map_err(|error| self.place.error(ErrorKind::List(error)))?;
                let mark = self.buffer.len() - text.len();
                self.buffer.drain(..mark);
            }
            if !self.buffer.trim_ascii().is_empty() {
                return Ok(Some((&self.buffer, self.place)));
            }
        }
    }
}

impl Place<'_> {
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// `kind`, found here.
    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind).in_file(self.path).at_line(self.line)
    }

    pub(crate) fn taxid(&self, field: &[u8]) -> Result<Taxid> {
        parse_taxid(field).ok_or_else(|| {
            self.error(ErrorKind::BadTaxid {
                found: shown(field),
            })
        })
    }

    /// The text of a field. `what` it is, for messages.
    pub(crate) fn text<'f>(&self, field: &'f [u8], what: &'static str) -> Result<&'f str> {
        self.text_but(field, what, has_control_characters)
    }

    /// The text of several fields with tabs between them.
    pub(crate) fn text_with_tabs<'f>(
        &self,
        fields: &'f [u8],
        what: &'static str,
    ) -> Result<&'f str> {
        self.text_but(fields, what, |text| {
            text.split('\t').any(has_control_characters)
        })
    }

    fn text_but<'f>(
        &self,
        field: &'f [u8],
        what: &'static str,
        is_bad: impl Fn(&str) -> bool,
    ) -> Result<&'f str> {
        match std::str::from_utf8(field) {
            Ok(text) if !is_bad(text) => Ok(text),
            _ => Err(self.error(ErrorKind::BadText {
                what,
                found: shown(field),
            })),
        }
    }
}

/// Whether a name or a rank would break lines and columns of reports.
pub(crate) fn has_control_characters(text: &str) -> bool {
    // Most texts are printable ASCII, which is seen faster than what letters are.
    let may_be = text.bytes().any(|byte| !(b' '..0x7f).contains(&byte));
    may_be && text.chars().any(char::is_control)
}

/// A taxid in decimal digits, from 1 to 2^32 - 1.
pub(crate) fn parse_taxid(field: &[u8]) -> Option<Taxid> {
    match parse_number(field) {
        Some(0) | None => None,
        Some(number) => Some(Taxid(number)),
    }
}

/// Decimal digits and nothing else, below 2^32.
pub(crate) fn parse_number(field: &[u8]) -> Option<u32> {
    if field.is_empty() {
        return None;
    }
    field.iter().try_fold(0_u32, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// What stands in a field, for messages: not more than its beginning.
pub(crate) fn shown(field: &[u8]) -> String {
    const MOST: usize = 80;
    match field.get(..MOST) {
        Some(start) => format!("{}…", String::from_utf8_lossy(start)),
        None => String::from_utf8_lossy(field).into_owned(),
    }
}

/// Turns what the system says on writing to `path` into an error.
pub(crate) fn written(result: io::Result<()>, path: &Path) -> Result<()> {
    result.map_err(|error| Error::io(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Result<Vec<(String, u64)>> {
        let mut lines = Lines::new(text, Path::new("x"));
        let mut all = Vec::new();
        while let Some((line, place)) = lines.next()? {
            all.push((String::from_utf8_lossy(line).into_owned(), place.line()));
        }
        Ok(all)
    }

    #[test]
    fn lines_have_their_numbers() {
        let all = lines(b"a\r\n\n\r\nb\tc\nd").unwrap();
        let told: Vec<_> = all
            .iter()
            .map(|(text, line)| (text.as_str(), *line))
            .collect();
        assert_eq!(told, [("a", 1), ("b\tc", 4), ("d", 5)]);
        assert!(lines(b"").unwrap().is_empty());
        assert!(lines(b"\xef\xbb\xbf\r\n \t\n").unwrap().is_empty());
        let marked = lines(b"\xef\xbb\xbfa\t1\r\n\xef\xbb\xbfb").unwrap();
        assert_eq!(marked[0], ("a\t1".to_owned(), 1));
        assert_eq!(marked[1], ("\u{feff}b".to_owned(), 2));
        let error = lines(b"\xff\xfea\0\n\0").unwrap_err();
        assert_eq!(
            error.to_string(),
            "x: line 1: text in UTF-16, by its byte order mark, and not in UTF-8"
        );
        assert!(error.is_data() && error.hint().is_some());
    }

    #[test]
    fn a_line_has_an_end() {
        let mut text = vec![b'a'; LONGEST_LINE];
        assert_eq!(lines(&text).unwrap().len(), 1);
        text.push(b'\n');
        assert_eq!(lines(&text).unwrap().len(), 1);
        text.insert(0, b'a');
        let error = lines(&text).unwrap_err();
        assert_eq!(
            error.to_string(),
            "x: line 1: a line of more than 1048576 bytes"
        );
    }

    #[test]
    fn taxids_are_numbers() {
        assert_eq!(parse_taxid(b"4294967295"), Some(Taxid(u32::MAX)));
        assert_eq!(parse_taxid(b"0009"), Some(Taxid(9)));
        for bad in [
            "",
            "0",
            "00",
            "4294967296",
            "99999999999999999999",
            "+1",
            "-1",
            "1 ",
            "x",
        ] {
            assert_eq!(parse_taxid(bad.as_bytes()), None, "{bad:?}");
        }
    }
}
