//! The bytes of a section, taken one after the other; nothing is taken on trust.

use thalweg_files::{read_varint, write_varint};

use super::header::SectionName;
use crate::{Error, ErrorKind, Result};

/// What is left of a section.
pub(super) struct Input<'a> {
    rest: &'a [u8],
    section: SectionName,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8], section: SectionName) -> Self {
        Self {
            rest: bytes,
            section,
        }
    }

    /// The next integer.
    pub(super) fn number(&mut self) -> Result<u64> {
        read_varint(&mut self.rest).map_err(|error| self.fault(&format!("an integer {error}")))
    }

    /// The next integer, which must be below `end`, and this is no more than 2^32.
    pub(super) fn number_below(&mut self, end: usize, what: &str) -> Result<u32> {
        let number = self.number()?;
        match u32::try_from(number) {
            Ok(small) if number < end as u64 => Ok(small),
            _ => Err(self.fault(&format!("{what} {number} is not below {end}"))),
        }
    }

    /// The next text, which its length stands before.
    pub(super) fn text(&mut self) -> Result<&'a str> {
        let length = self.number()?;
        let bytes = (usize::try_from(length).ok())
            .and_then(|length| self.rest.split_at_checked(length))
            .map(|(bytes, rest)| {
                self.rest = rest;
                bytes
            });
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        text.ok_or_else(|| self.fault("a text is truncated, or is not UTF-8"))
    }

    /// What is left, of which whoever takes something takes it off.
    pub(super) fn rest(&mut self) -> &mut &'a [u8] {
        &mut self.rest
    }

    /// That nothing is left.
    pub(super) fn end(self) -> Result<()> {
        match self.rest {
            [] => Ok(()),
            _ => Err(self.fault("there are bytes after its end")),
        }
    }

    /// Damage of this section.
    pub(super) fn fault(&self, what: &str) -> Error {
        fault(self.section, what)
    }
}

/// Damage of a section.
pub(super) fn fault(section: SectionName, what: &str) -> Error {
    let what = format!("section {}: {what}", section.letters());
    Error::new(ErrorKind::DamagedDatabase { what })
}

/// Appends a text with its length before it.
pub(super) fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write_varint(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}
