//! Tags of a record of BAM: what is known of a read beside its letters.
//!
//! ```text
//! tag     two letters | type | value
//! A c C   one byte      s S  two bytes      i I f  four bytes      d  eight bytes
//! Z H     text, NUL     B    type of each | u32 number of them | values
//! ```

use std::iter::FusedIterator;

use super::number;

/// A tag, as a view of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BamTag<'a> {
    name: [u8; 2],
    kind: u8,
    /// Without the NUL behind a text.
    value: &'a [u8],
}

/// The tags of a record, in their order.
#[derive(Clone, Copy, Debug)]
pub struct BamTags<'a> {
    rest: &'a [u8],
}

const DAMAGED: &str = "its tags are damaged";

impl<'a> BamTags<'a> {
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }
}

impl<'a> Iterator for BamTags<'a> {
    /// The last is an error where no tag can be told from what comes.
    type Item = Result<BamTag<'a>, &'static str>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        match split(self.rest) {
            Some((tag, rest)) => {
                self.rest = rest;
                Some(Ok(tag))
            }
            None => {
                self.rest = &[];
                Some(Err(DAMAGED))
            }
        }
    }
}

impl FusedIterator for BamTags<'_> {}

/// The first tag, and what follows it.
#[inline]
fn split(bytes: &[u8]) -> Option<(BamTag<'_>, &[u8])> {
    let [a, b, kind, bytes @ ..] = bytes else {
        return None;
    };
    let (length, end) = match kind {
        b'Z' | b'H' => (memchr::memchr(0, bytes)?, 1),
        b'B' => {
            let [of, count @ ..] = bytes.first_chunk::<5>()?;
            let count = u32::from_le_bytes(*count) as usize;
            (count.checked_mul(size_of_number(*of)?)?.checked_add(5)?, 0)
        }
        b'A' => (1, 0),
        b'd' => (8, 0),
        _ => (size_of_number(*kind)?, 0),
    };
    let (value, rest) = bytes.split_at_checked(length)?;
    let tag = BamTag {
        name: [*a, *b],
        kind: *kind,
        value,
    };
    // Letters, which also tell tags from what is none.
    let is_name = a.is_ascii_graphic() && b.is_ascii_graphic();
    is_name.then_some((tag, &rest[end..]))
}

/// Bytes of a number of this type, which may stand in an array.
#[inline]
fn size_of_number(kind: u8) -> Option<usize> {
    match kind {
        b'c' | b'C' => Some(1),
        b's' | b'S' => Some(2),
        b'i' | b'I' | b'f' => Some(4),
        _ => None,
    }
}

impl<'a> BamTag<'a> {
    /// Its two letters.
    #[inline]
    pub fn name(self) -> [u8; 2] {
        self.name
    }

    /// The text, if it is one (`Z`).
    #[inline]
    pub fn text(self) -> Option<&'a [u8]> {
        (self.kind == b'Z').then_some(self.value)
    }

    /// The whole number, if it is one.
    #[inline]
    pub fn integer(self) -> Option<i64> {
        number::integer(self.kind, self.value)
    }

    /// The fraction, if it is one; those of four bytes are exact.
    #[inline]
    pub fn fraction(self) -> Option<f64> {
        number::fraction(self.kind, self.value)
    }

    /// Append it as SAM has it: `RX:Z:ACGT`, `NM:i:3`, `ML:B:C,200,17`.
    ///
    /// # Errors
    /// A text with a line end, which no line can hold.
    pub fn write(self, line: &mut Vec<u8>) -> Result<(), &'static str> {
        let kind = match self.kind {
            b'A' | b'Z' | b'H' => {
                if memchr::memchr3(b'\n', b'\r', 0, self.value).is_some() {
                    return Err("the text of a tag has a line end");
                }
                self.kind
            }
            b'f' | b'd' | b'B' => self.kind,
            _ => b'i',
        };
        line.extend_from_slice(&self.name);
        line.extend_from_slice(&[b':', kind, b':']);
        self.write_value(line);
        Ok(())
    }

    /// Append only what is behind name and type: `ACGT`, `3`, `C,200,17`. A text is appended as it is.
    pub fn write_value(self, text: &mut Vec<u8>) {
        match self.kind {
            b'A' | b'Z' | b'H' => text.extend_from_slice(self.value),
            b'B' => {
                // An array has at least its type and its length: `split` has seen to it.
                let (head, values) = self.value.split_at(5);
                text.push(head[0]);
                number::write_array(head[0], values, text);
            }
            kind => number::write(kind, self.value, text),
        }
    }
}
