//! Whether a fault of records comes from compressed data that are damaged.
//!
//! ```text
//! member        |----------------x-----------------| CRC32
//! records       |....|....|....|.x  fault            known here only
//! ```
//! Records are looked at before the checksum of their member, or chunk, is known. Where they have a fault, decoding
//! goes on to that checksum: if it is wrong, so may be any byte before it, and the fault is what was seen of that.
//! Nothing of this happens while there is no fault.

use thalweg_gzip::{Decoder, Event};

use super::Feed;
use crate::batch::take_buffers;
use crate::bytes::Bytes;
use crate::{Error, ErrorKind};

impl Feed {
    /// What to tell where `fault` was found: the damage that it comes from, or else itself.
    pub(super) fn cause_of(&mut self, fault: Error) -> Error {
        if !matches!(fault.kind(), ErrorKind::Format(_)) || self.is_in_verified() {
            return fault;
        }
        let Bytes::Gzip(decoder) = &mut self.bytes else {
            return fault;
        };
        let spare = take_buffers(&self.pool).slab;
        match verify_on(decoder, spare) {
            Err(error) if error.is_damage() => self.compressed_error(error).seen_as(fault),
            _ => fault,
        }
    }

    /// What to tell where the decoder has failed with `error`.
    ///
    /// What came before may hold a fault of its own, in members whose checksums were right, or before the file was
    /// cut off: that is the one to tell. Records before it count for the message.
    pub(crate) fn decoder_failed(&mut self, error: thalweg_gzip::Error) -> Error {
        match self.look() {
            Ok(()) => self.compressed_error(error),
            Err(fault) if !error.is_damage() || self.is_in_verified() => fault,
            Err(fault) => self.compressed_error(error).seen_as(fault),
        }
    }

    /// Whether the fault at which looking for records stopped is in data whose checksum was right.
    fn is_in_verified(&self) -> bool {
        let Bytes::Gzip(decoder) = &self.bytes else {
            return true;
        };
        let data = decoder.data();
        let unverified = decoder.output().saturating_sub(decoder.verified());
        let Some(verified) = usize::try_from(unverified)
            .ok()
            .and_then(|unverified| data.len().checked_sub(unverified))
        else {
            return false;
        };
        let at_end = verified == data.len() && decoder.event() == Some(Event::End);
        // Afresh from where whole records ended the last time: the scanner may remember the fault.
        let from = self.scanned;
        let mut scanner = crate::record::Scanner::new(self.format);
        from <= verified
            && scanner
                .scan(&data[..verified], from, at_end, usize::MAX, &mut Vec::new())
                .is_err()
    }
}

/// Decode on, and keep nothing, until all that had come before is verified, or cannot be.
fn verify_on(
    decoder: &mut Decoder,
    mut spare: thalweg_gzip::Slab,
) -> Result<(), thalweg_gzip::Error> {
    let wanted = decoder.output();
    decoder.set_limit(u64::MAX);
    while decoder.verified() < wanted {
        match decoder.event() {
            None => decoder.advance()?,
            Some(Event::Block) => decoder.go_on(),
            Some(Event::Full) => {
                spare = decoder.take(decoder.data().len(), spare);
                spare.clear();
            }
            Some(Event::ChunkEnd | Event::End) => break,
        }
    }
    Ok(())
}
