//! Where records of FASTA start, in data that come in pieces and are not kept.

use crate::{FormatError, FormatErrorKind};

/// Bytes of a header that are kept for a message: more than it shows.
const KEPT: usize = 64;

/// Looks for `>` at the start of a line, and for headers that no newline ends.
pub(super) struct FastaFinder {
    /// The last byte before the data to come.
    last: u8,
    /// The header that has begun, and not ended.
    header: Option<Header>,
}

/// What is known of a header.
#[derive(Default)]
struct Header {
    /// Bytes of it in pieces before this one.
    before: usize,
    /// The first ones of all.
    kept: Vec<u8>,
}

impl FastaFinder {
    pub(super) fn new() -> Self {
        Self {
            last: b'\n',
            header: None,
        }
    }

    /// Call `start` with the place in `bytes` of each record that starts there.
    ///
    /// # Errors
    /// A line that ends with a carriage return alone, and where it begins: before `bytes`, if that is negative.
    pub(super) fn data(
        &mut self,
        bytes: &[u8],
        mut start: impl FnMut(usize),
    ) -> Result<(), (FormatError, i64)> {
        let mut at = 0;
        while at < bytes.len() {
            if self.header.is_some() {
                at = self.pass_header(bytes, at)?;
                continue;
            }
            let Some(length) = memchr::memchr(b'>', &bytes[at..]) else {
                break;
            };
            at += length;
            match at.checked_sub(1).map_or(self.last, |before| bytes[before]) {
                b'\n' => {
                    start(at);
                    self.header = Some(Header::default());
                }
                b'\r' => {
                    let error = FormatError::new(FormatErrorKind::LoneReturn, 0, 0, b"\r>");
                    return Err((error, at as i64 - 1));
                }
                _ => at += 1,
            }
        }
        self.last = bytes.last().copied().unwrap_or(self.last);
        Ok(())
    }

    /// Go behind the header of which `bytes[at..]` begins with what is left, as far as it is there.
    fn pass_header(&mut self, bytes: &[u8], at: usize) -> Result<usize, (FormatError, i64)> {
        let Some(header) = &mut self.header else {
            return Ok(at);
        };
        let mut next = at;
        // The carriage return before this place, if there is one, ends the line with a newline only.
        let mut is_behind_return = header.before > 0 && at == 0 && self.last == b'\r';
        let end = loop {
            match bytes.get(next) {
                None => break None,
                Some(b'\n') => break Some(next + 1),
                Some(b'\r') => is_behind_return = true,
                Some(_) if is_behind_return => {
                    header.keep(&bytes[at..=next]);
                    let begin = at as i64 - header.before as i64;
                    let kind = FormatErrorKind::LoneReturn;
                    return Err((FormatError::new(kind, 0, 0, &header.kept), begin));
                }
                Some(_) => {}
            }
            next += match is_behind_return {
                true => 1,
                false => {
                    memchr::memchr2(b'\n', b'\r', &bytes[next..]).unwrap_or(bytes.len() - next)
                }
            };
        };
        match end {
            Some(_) => self.header = None,
            None => {
                header.keep(&bytes[at..]);
                header.before += bytes.len() - at;
            }
        }
        Ok(end.unwrap_or(bytes.len()))
    }
}

impl Header {
    fn keep(&mut self, more: &[u8]) {
        let room = KEPT - self.kept.len();
        self.kept.extend_from_slice(&more[..more.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where records start in `text`, given in pieces of `length`; or the start of the line at fault.
    fn starts(text: &str, length: usize) -> Result<Vec<usize>, (String, usize)> {
        let mut finder = FastaFinder::new();
        let mut found = Vec::new();
        for (number, piece) in text.as_bytes().chunks(length).enumerate() {
            let base = number * length;
            finder
                .data(piece, |at| found.push(base + at))
                .map_err(|(error, at)| {
                    (error.found, base.checked_add_signed(at as isize).unwrap())
                })?;
        }
        Ok(found)
    }

    #[test]
    fn records_are_found_in_pieces_of_every_length() {
        let text = ">a\nAC>\n>b\r\nA\r\n>c>\r\r\n>d\r";
        for length in 1..=text.len() {
            assert_eq!(starts(text, length), Ok(vec![0, 7, 14, 20]), "{length}");
        }
    }

    #[test]
    fn a_carriage_return_alone_is_found_in_pieces_of_every_length() {
        let long = format!(">a\nA\n>b {}\rACGT\n", "x".repeat(100));
        let shown = format!("\">b {}\"...", "x".repeat(37));
        let cases = [
            (">a\nAC\n>b c\rACGT\n>d\n", "\">b c\\r\"", 6),
            (">a\rAC\r>b\rAC\r", "\">a\\r\"", 0),
            (">a\nAC\r>b\nAC\n", "\"\\r\"", 5),
            (&long, &shown, 5),
        ];
        for (text, found, line) in cases {
            for length in 1..=text.len() {
                let expected = Err((found.to_owned(), line));
                assert_eq!(starts(text, length), expected, "{length}");
            }
        }
    }
}
