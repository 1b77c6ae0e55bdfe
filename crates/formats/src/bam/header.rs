//! The way over the header of BAM, which may be longer than memory.

use crate::{FormatError, FormatErrorKind, HeaderReader, HeaderStep};

/// What a file begins with.
pub(super) const MAGIC: &[u8; 4] = b"BAM\x01";

/// How far the header is known.
#[derive(Debug, Default)]
pub(super) enum Header {
    /// The magic bytes and the length of the text come next.
    #[default]
    Text,
    /// The number of references.
    Count,
    /// So many references.
    References(u32),
}

impl HeaderReader for Header {
    fn step(&mut self, data: &[u8], _: bool) -> Result<HeaderStep, FormatError> {
        match self {
            Self::Text => {
                let Some((magic, [a, b, c, d])) = data
                    .first_chunk::<8>()
                    .and_then(|start| start.split_first_chunk::<4>())
                else {
                    return Ok(HeaderStep::NeedMore);
                };
                if magic != MAGIC {
                    return Err(fault("it does not begin as BAM does", 0, data));
                }
                let Some(length) = number([*a, *b, *c, *d]) else {
                    return Err(fault("its text has a length below 0", 4, data));
                };
                *self = Self::Count;
                Ok(HeaderStep::Skip(8 + u64::from(length)))
            }
            Self::Count => {
                let Some(count) = data.first_chunk::<4>() else {
                    return Ok(HeaderStep::NeedMore);
                };
                let Some(count) = number(*count) else {
                    return Err(fault("it has less than 0 references", 0, data));
                };
                *self = Self::References(count);
                Ok(HeaderStep::Skip(4))
            }
            Self::References(0) => Ok(HeaderStep::End),
            Self::References(left) => references(left, data),
        }
    }
}

/// Pass over the references of which `data` have the lengths; the last of them may be longer.
fn references(left: &mut u32, data: &[u8]) -> Result<HeaderStep, FormatError> {
    let mut passed = 0;
    while *left > 0
        && let Some(length) = data.get(passed..).and_then(<[u8]>::first_chunk::<4>)
    {
        let Some(length) = number(*length).filter(|&length| length > 0) else {
            return Err(fault("a reference has no name", passed, data));
        };
        passed += 4 + length as usize + 4;
        *left -= 1;
    }
    Ok(match passed {
        0 => HeaderStep::NeedMore,
        _ => HeaderStep::Skip(passed as u64),
    })
}

/// A length or a number of things, which is not negative.
fn number(bytes: [u8; 4]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes)).filter(|&number| number <= i32::MAX as u32)
}

fn fault(what: &'static str, offset: usize, data: &[u8]) -> FormatError {
    FormatError::new(FormatErrorKind::MalformedHeader(what), 0, offset, data)
}
