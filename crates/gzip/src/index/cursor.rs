//! Bounded reading of little-endian fields and variable-length integers.

use thalweg_files::{VarintError, read_varint};

use super::IndexError;

/// Reads fields from a slice that is part of a section; every read past the end is an error that names the place.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    section: &'static str,
    offset: u64,
}

impl<'a> Cursor<'a> {
    /// `offset` is where `bytes` begin in the index file, for messages only.
    pub(super) fn new(bytes: &'a [u8], section: &'static str, offset: u64) -> Cursor<'a> {
        Cursor {
            rest: bytes,
            section,
            offset,
        }
    }

    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn damaged(&self, reason: impl Into<String>) -> IndexError {
        IndexError::damaged(self.section, self.offset, reason)
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], IndexError> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.damaged(format!("ends {} bytes early", count - self.rest.len())));
        };
        self.rest = rest;
        self.offset += count as u64;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], IndexError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, IndexError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u32(&mut self) -> Result<u32, IndexError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, IndexError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// An integer of variable length; at most ten bytes.
    pub(super) fn varint(&mut self) -> Result<u64, IndexError> {
        let before = self.rest.len();
        let value = read_varint(&mut self.rest);
        self.offset += (before - self.rest.len()) as u64;
        value.map_err(|error| match error {
            VarintError::CutShort => self.damaged("ends 1 bytes early"),
            error => self.damaged(error.to_string()),
        })
    }

    pub(super) fn finish(&self) -> Result<(), IndexError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.damaged(format!("{} bytes too many", self.rest.len())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_tell_where_they_were_noticed() {
        for (bytes, told) in [
            (&[0xff; 9][..], "byte 14: ends 1 bytes early"),
            (&[0xff; 10], "byte 15: an integer does not fit 64 bits"),
            (&[0x80; 11], "byte 15: an integer is longer than ten bytes"),
        ] {
            let error = Cursor::new(bytes, "test", 5).varint().unwrap_err();
            assert!(error.to_string().ends_with(told), "{error}");
        }
        let mut cursor = Cursor::new(&[0xac, 2], "test", 5);
        assert_eq!(cursor.varint().unwrap(), 300);
        cursor.finish().unwrap();
    }
}
