//! What lies around and between the DEFLATE streams: headers, trailers, goals that are reached.

use super::{Checksum, Decoder, Event, Goal, State, Trailer};
use crate::error::{Error, ErrorKind, Limit};
use crate::header::{self, Parsed, TRAILER};

/// A name or a comment may be of any length, but none is that long.
const LONG_HEADER: Limit = Limit {
    what: "a gzip header is longer than 96 KiB, and not read here",
    way_out: "if `gzip -t FILE` finds no fault, read it through a pipe: `gzip -dc FILE | thalweg ... -`",
};

impl Decoder {
    pub(super) fn read_header(&mut self) -> Result<(), Error> {
        match header::parse(self.input.unread()) {
            Parsed::Header(header) if self.wants_block(&header) => self.refill().map(drop),
            Parsed::Header(header) => {
                self.note_block(&header);
                self.input.consume(header.length);
                self.is_bgzf &= header.block_size.is_some();
                self.lane.start(0);
                self.state = State::Deflate;
                self.member = Some(Checksum::default());
                self.summed = self.slab.end();
                self.members_seen += 1;
                self.block_begins()
            }
            Parsed::Incomplete if self.refill()? > 0 => Ok(()),
            Parsed::Incomplete if self.input.unread().is_empty() && self.members_seen == 0 => {
                self.state = State::Ended;
                self.file_ends()
            }
            Parsed::Incomplete if self.input.at_end() => self.fail(ErrorKind::Truncated),
            Parsed::Incomplete | Parsed::TooLong => self.fail(ErrorKind::Limit(LONG_HEADER)),
            Parsed::NotGzip if self.members_seen > 0 => self.fail(ErrorKind::TrailingGarbage),
            Parsed::NotGzip => self.fail(ErrorKind::NotGzip),
            Parsed::Malformed(what) => self.fail(ErrorKind::BadHeader(what)),
        }
    }

    pub(super) fn read_trailer(&mut self) -> Result<(), Error> {
        let unread = self.input.unread();
        if unread.len() < TRAILER {
            if self.refill()? == 0 && self.input.at_end() {
                return self.fail(ErrorKind::Truncated);
            }
            return Ok(());
        }
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| unread[at + byte]));
        let trailer = Trailer {
            crc32: word(0),
            length: word(4),
            offset: self.input.offset(),
        };
        self.sum_up();
        self.note_trailer(trailer);
        if let Some(member) = self.member.take() {
            trailer.check(member.value(), member.length)?;
            // What came before the member may be of one whose start was not seen.
            if self.verified + member.length >= self.output() {
                self.verified = self.output();
            }
        }
        self.input.consume(TRAILER);
        self.state = State::Between;
        Ok(())
    }

    pub(super) fn look_for_member(&mut self) -> Result<(), Error> {
        match self.input.unread().first() {
            None => {
                if self.refill()? == 0 && self.input.at_end() {
                    self.state = State::Ended;
                    return self.file_ends();
                }
                Ok(())
            }
            // Padding, as tapes and some archives add it.
            Some(0) => {
                let zeros = self.input.unread().iter().take_while(|b| **b == 0).count();
                self.input.consume(zeros);
                if self.input.unread().is_empty() {
                    if self.refill()? == 0 && self.input.at_end() {
                        self.state = State::Ended;
                        return self.file_ends();
                    }
                    return Ok(());
                }
                if self.input.unread()[0] == 0 {
                    return Ok(());
                }
                let next = self.input.offset();
                self.fail(match header::parse(self.input.unread()) {
                    Parsed::Header(_) | Parsed::Incomplete => ErrorKind::Gap {
                        is_hole: true,
                        next,
                    },
                    _ => ErrorKind::TrailingGarbage,
                })
            }
            Some(_) => {
                self.state = State::Header;
                match self.goal {
                    Some(Goal::MemberFrom(offset)) if self.input.offset() >= offset => {
                        self.chunk_ends()
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// At the first bit of a block's header.
    pub(super) fn block_begins(&mut self) -> Result<(), Error> {
        if let Some(Goal::Checkpoint { bit, length, .. }) = self.goal {
            if self.input.position() == bit {
                return self.chunk_ends();
            }
            if self.input.position() > bit {
                return self.fail(ErrorKind::IndexMismatch("no block begins at a checkpoint"));
            }
            if self.output() > length {
                return self.fail(ErrorKind::IndexMismatch("a chunk is longer than stated"));
            }
        }
        if self.report_blocks {
            self.event = Some(Event::Block);
        }
        self.look_for_leg();
        Ok(())
    }

    pub(super) fn chunk_ends(&mut self) -> Result<(), Error> {
        self.sum_up();
        self.note_chunk_end();
        if let Some(
            Goal::Checkpoint { length, crc32, .. } | Goal::EndOfIndexedFile { length, crc32 },
        ) = self.goal
        {
            if self.output() != length {
                return self.fail(ErrorKind::IndexMismatch("a chunk's length differs"));
            }
            if let (Some(expected), Some(chunk)) = (crc32, &self.chunk) {
                if chunk.value() != expected {
                    return self.fail(ErrorKind::IndexMismatch("a chunk's CRC32 differs"));
                }
                self.verified = self.output();
            }
        }
        self.event = Some(Event::ChunkEnd);
        Ok(())
    }

    pub(super) fn file_ends(&mut self) -> Result<(), Error> {
        match self.goal {
            Some(Goal::Checkpoint { .. }) => self.fail(ErrorKind::IndexMismatch(
                "the file ends before a checkpoint",
            )),
            Some(Goal::EndOfIndexedFile { .. } | Goal::MemberFrom(_)) => self.chunk_ends(),
            Some(Goal::EndOfFile) | None => Ok(()),
        }
    }

    /// Let the checksums see what is new in the slab.
    pub(super) fn sum_up(&mut self) {
        let new = self.slab.since(self.summed);
        if !new.is_empty() {
            if let Some(member) = &mut self.member {
                member.update(new);
            }
            if let Some(chunk) = &mut self.chunk {
                chunk.update(new);
            }
            self.summed = self.slab.end();
        }
    }
}
