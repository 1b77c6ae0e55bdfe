//! Bounded reading of little-endian fields and variable-length integers.

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

    /// An integer of seven bits per byte, lowest first, high bit set on all bytes but the last; at most ten bytes.
    pub(super) fn varint(&mut self) -> Result<u64, IndexError> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(self.damaged("an integer does not fit 64 bits"));
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.damaged("an integer is longer than ten bytes"))
    }

    pub(super) fn finish(&self) -> Result<(), IndexError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.damaged(format!("{} bytes too many", self.rest.len())))
        }
    }
}

/// Appends an integer in the form that [`Cursor::varint`] reads.
pub(super) fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip_and_refuse_overflow() {
        for value in [0, 1, 127, 128, 300, u64::MAX >> 1, u64::MAX] {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, value);
            let mut cursor = Cursor::new(&bytes, "test", 0);
            assert_eq!(cursor.varint().unwrap(), value);
            cursor.finish().unwrap();
        }
        assert!(Cursor::new(&[0xff; 9], "test", 0).varint().is_err());
        assert!(Cursor::new(&[0xff; 10], "test", 0).varint().is_err());
        assert!(Cursor::new(&[0x80; 11], "test", 0).varint().is_err());
    }
}
