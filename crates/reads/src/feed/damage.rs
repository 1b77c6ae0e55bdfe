//! Whether a fault of records comes from compressed data that are damaged.
//!
//! ```text
//! member        |----------------x-----------------| CRC32
//! records       |....|....|....|.x  fault            known here only
//! ```
//! Records are looked at before the checksum of their member, or chunk, is known. Where they have a fault, decoding
//! goes on to that checksum: if it is wrong, so may be any byte before it, and the fault is what was seen of that.
//! Nothing of this happens while there is no fault.
//!
//! A record that reaches from chunk s into chunk d of an indexed file is seen by the feed of s, the end of d by that
//! of d. What the latter tells of damage in d is what the former does, if it is the one that notices it first:
//! ```text
//! chunks        |--- s ---|--- d ---|
//! feed of s     ...|....|...x           looks at the record, then goes on to the checksum of d
//! feed of d               ..|....|..|   the checksum is wrong: decodes s again, as the feed of s did
//! ```

use thalweg_gzip::{Decoder, Event};

use super::Feed;
use crate::batch::take_buffers;
use crate::bytes::Bytes;
use crate::error::is_wait;
use crate::runs::Stretch;
use crate::{Error, ErrorKind, FormatErrorKind};

/// Compressed bytes of a stream that are read on for a checksum: its producer may never end.
const MOST_OF_STREAM: u64 = 16 << 20;

/// Uncompressed bytes likewise: more than reads are compressed, so that only other data, as of a program that repeats
/// a line for ever, reach it first.
const MOST_DATA_OF_STREAM: u64 = 16 * MOST_OF_STREAM;

impl Feed {
    /// What to tell where `fault` was found: the damage that it comes from, or else itself.
    pub(crate) fn cause_of(&mut self, fault: Error) -> Error {
        let may_be_damage = match fault.kind() {
            ErrorKind::Format(error) => error.kind != FormatErrorKind::TooLong,
            ErrorKind::OtherFile(_) => true,
            _ => false,
        };
        if !may_be_damage || self.is_in_verified(&fault) {
            return fault;
        }
        let bounds = match self.file.regular() {
            Some(_) => (u64::MAX, u64::MAX),
            None => (MOST_OF_STREAM, MOST_DATA_OF_STREAM),
        };
        match self.damage_before_here(bounds) {
            Some(damage) => self.as_seen_before(damage.seen_as(fault)),
            None => fault,
        }
    }

    /// The damage that names which do not agree may come from.
    ///
    /// Most often they come from a file that is not the mate's: nobody wants to wait until all of a large file has been
    /// decoded to be told so.
    pub(crate) fn damage_of_names(&mut self) -> Option<Error> {
        self.damage_before_here((MOST_OF_STREAM, MOST_DATA_OF_STREAM))
    }

    /// Damage of what has been decoded, if reading on to its checksum, within `bounds`, shows it.
    fn damage_before_here(&mut self, bounds: (u64, u64)) -> Option<Error> {
        // The writer of several streams may be waiting for us at another of them.
        if self.file.regular().is_none() && (!self.alone || self.beside_pipes) {
            return None;
        }
        let Bytes::Gzip(decoder) = &mut self.bytes else {
            return None;
        };
        let spare = take_buffers(&self.pool).slab;
        let error = verify_on(decoder, spare, bounds).err()?;
        error.is_damage().then(|| self.compressed_error(error))
    }

    /// What to tell where the decoder has failed with `error`.
    ///
    /// What came before may hold a fault of its own, in members whose checksums were right, or before the file was
    /// cut off: that is the one to tell. Records before it count for the message.
    pub(crate) fn decoder_failed(&mut self, error: thalweg_gzip::Error) -> Error {
        if is_wait(&error) {
            return self.compressed_error(error);
        }
        let damage = match self.look().and_then(|()| self.check_letters()) {
            Ok(()) => self.compressed_error(error),
            Err(fault) if !error.is_damage() || self.is_in_verified(&fault) => return fault,
            Err(fault) => self.compressed_error(error).seen_as(fault),
        };
        self.as_seen_before(damage)
    }

    /// Of `damage` in the chunk that is being decoded, what the feed of the record that reaches into it tells, if that
    /// notices it: the same, whoever comes first.
    fn as_seen_before(&self, damage: Error) -> Error {
        let Some(before) = self.feed_before() else {
            return damage;
        };
        before.read_for_damage(self.chunk).unwrap_or(damage)
    }

    /// A feed of the chunk in which the record begins that reaches into the one that is being decoded, if this feed
    /// has not seen it itself.
    fn feed_before(&self) -> Option<Self> {
        let index = self.index.as_ref().filter(|_| !self.text)?;
        let checkpoints = &index.checkpoints;
        let checkpoint = checkpoints.get(self.chunk)?;
        let next = checkpoint.record_rank;
        let before = checkpoints.partition_point(|checkpoint| checkpoint.record_rank < next);
        let chunk = before.checked_sub(1)?;
        if chunk >= self.first_chunk || checkpoint.record_offset == checkpoint.output_offset {
            return None;
        }
        let stretch = Stretch::of_chunk(index, chunk);
        let before = Self::ranked(&self.file, index, self.format, &self.pool, stretch).ok()?;
        let mut before = before.with_letters(self.letters);
        // It does not look back itself: where many chunks are damaged, that would have no end.
        before.first_chunk = 0;
        Some(before)
    }

    /// Read all records, and tell what there is to tell of damage of chunk `chunk`.
    fn read_for_damage(mut self, chunk: usize) -> Option<Error> {
        let error = loop {
            if let Err(fault) = self.check_letters() {
                break self.cause_of(fault);
            }
            if self.has_some() {
                self.cut(self.available());
            }
            if self.is_finished() {
                return None;
            }
            let Bytes::Gzip(decoder) = &mut self.bytes else {
                return None;
            };
            if let Err(error) = decoder.advance() {
                break self.decoder_failed(error);
            }
            if let Err(error) = self.absorb() {
                break error;
            }
        };
        (error.is_damage() && self.chunk == chunk).then_some(error)
    }

    /// Whether `fault`, at which looking for records stopped or which is of letters, is in data whose checksum was right.
    fn is_in_verified(&self, fault: &Error) -> bool {
        let Bytes::Gzip(decoder) = &self.bytes else {
            return true;
        };
        if let Some(place) = fault.stray_place() {
            let verified = self.text_start.unwrap_or(0) + decoder.verified();
            let line = fault.location().text_offset;
            return line.is_some_and(|line| line + (place as u64) < verified);
        }
        if let ErrorKind::OtherFile(_) = fault.kind() {
            // Of where the records end.
            return self.scanned_to() <= decoder.verified();
        }
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
        let mut scanner = crate::Scanner::new(self.format);
        from <= verified
            && scanner
                .scan(&data[..verified], from, at_end, usize::MAX, &mut Vec::new())
                .is_err()
    }
}

/// Decode on, and keep nothing, until all that had come before is verified, or cannot be; at most so many compressed
/// and uncompressed bytes as `bounds` says, or a little more.
fn verify_on(
    decoder: &mut Decoder,
    mut spare: thalweg_gzip::Slab,
    bounds: (u64, u64),
) -> Result<(), thalweg_gzip::Error> {
    let (wanted, start) = (decoder.output(), decoder.position() / 8);
    decoder.set_limit(u64::MAX);
    while decoder.verified() < wanted {
        let read = (decoder.position() / 8).saturating_sub(start);
        if read > bounds.0 || decoder.output() - wanted > bounds.1 {
            break;
        }
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
