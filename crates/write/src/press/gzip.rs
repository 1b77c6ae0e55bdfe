//! gzip members, RFC 1952.
//!
//! ```text
//! member = 1f 8b 08 00, time (4) = 0, 00, ff, DEFLATE stream, CRC32 (4), length of the text (4)
//! ```

use libdeflater::Crc;

use super::{PressError, deflate::Deflate};

/// No time, no flags, no system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Append one member.
pub(super) fn press(
    deflate: &mut Deflate,
    text: &[u8],
    into: &mut Vec<u8>,
) -> Result<(), PressError> {
    into.extend_from_slice(&HEADER);
    deflate.press(text, into)?;
    let mut crc = Crc::new();
    crc.update(text);
    into.extend_from_slice(&crc.sum().to_le_bytes());
    // RFC 1952, 2.3.1: modulo 2^32.
    into.extend_from_slice(&(text.len() as u32).to_le_bytes());
    Ok(())
}
