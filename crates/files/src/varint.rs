//! Integers of variable length (LEB128): seven bits per byte, lowest first, the high bit set on all bytes but the last.

/// Bytes that the longest one takes.
const LONGEST: u32 = 10;

/// Why there is no integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VarintError {
    /// The bytes end before it does.
    #[error("is cut short")]
    CutShort,
    /// Its tenth byte has more than the highest bit of 64.
    #[error("an integer does not fit 64 bits")]
    TooLarge,
    /// Its tenth byte is not its last.
    #[error("an integer is longer than ten bytes")]
    TooLong,
}

/// Appends an integer: one byte up to 127, ten for the largest.
#[inline]
pub fn write_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Takes an integer off the front of `bytes`. Zeros above its highest bit are no error.
///
/// # Errors
/// What is wrong; the bytes that were looked at are taken off all the same.
#[inline]
pub fn read_varint(bytes: &mut &[u8]) -> Result<u64, VarintError> {
    let mut value = 0;
    for shift in (0..7 * LONGEST).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(VarintError::CutShort)?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            return Err(VarintError::TooLarge);
        }
        value |= part << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(VarintError::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_read_back() {
        let ends = (0..64).flat_map(|bit| [1 << bit, (1 << bit) - 1, u64::MAX >> bit]);
        for value in ends.chain([300, 0x5555_5555_5555_5555]) {
            let mut bytes = Vec::new();
            write_varint(&mut bytes, value);
            assert_eq!(
                bytes.len() as u32,
                (64 - value.leading_zeros()).div_ceil(7).max(1)
            );
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!(read_varint(&mut rest), Ok(value));
            assert_eq!(rest, [7]);
        }
    }

    #[test]
    fn bad_varints_are_refused() {
        for (bytes, error, left) in [
            (&[][..], VarintError::CutShort, 0),
            (&[0x80], VarintError::CutShort, 0),
            (&[0xff; 9], VarintError::CutShort, 0),
            (&[0xff; 11], VarintError::TooLarge, 1),
            (&[0x80; 12], VarintError::TooLong, 2),
        ] {
            let mut rest = bytes;
            assert_eq!(read_varint(&mut rest), Err(error), "{bytes:x?}");
            assert_eq!(rest.len(), left, "{bytes:x?}");
        }
    }
}
