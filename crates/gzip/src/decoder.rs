//! One stream of compressed bytes to uncompressed slabs: the framing around
//! the DEFLATE kernel.
//!
//! ```text
//! member header ──► DEFLATE blocks ──► trailer (CRC32, length) ──► next member …
//!       ▲                 ▲
//!  start of file     a checkpoint may put the decoder here
//! ```
//! A decoder never blocks on another one; [`advance`] runs several in one loop
//! on one core, which is where the speed comes from.

use std::io::Read;

use thalweg_inflate::{self as inflate, Job, Lane, Status, Workbench};

use crate::error::{Error, ErrorKind};
use crate::header::{self, Parsed, TRAILER};
use crate::input::Input;
use crate::slab::Slab;

/// Where a decoder begins.
pub enum Start<'a> {
    /// At a gzip member's header.
    Member,
    /// At a DEFLATE block, `skip` (0..8) bits into the first byte of the
    /// source, with the bytes that precede it.
    Block {
        /// Bits of the first byte that belong to what came before.
        skip: u8,
        /// At most 32 KiB, oldest first.
        window: &'a [u8],
    },
}

/// Where a chunk ends, and how the decoder checks that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// At the end of the file.
    EndOfFile,
    /// At the end of the file, after exactly this many uncompressed bytes, with
    /// this checksum, as the index says.
    EndOfIndexedFile {
        /// Uncompressed bytes from the decoder's start to the end.
        length: u64,
        /// CRC32 of the last chunk, if the index knows it.
        crc32: Option<u32>,
    },
    /// At the next checkpoint.
    Checkpoint {
        /// Its bit, from the start of the compressed file.
        bit: u64,
        /// Uncompressed bytes from the decoder's start to it.
        length: u64,
        /// CRC32 of the last chunk, if the index knows it.
        crc32: Option<u32>,
    },
    /// At the first member that starts at or after this byte of the file.
    MemberFrom(u64),
}

impl Goal {
    fn crc32(self) -> Option<u32> {
        match self {
            Goal::Checkpoint { crc32, .. } | Goal::EndOfIndexedFile { crc32, .. } => crc32,
            Goal::EndOfFile | Goal::MemberFrom(_) => None,
        }
    }
}

/// Why a decoder stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The slab has no room, or the limit is reached: take the data.
    Full,
    /// A block begins here (only after [`Decoder::report_blocks`]).
    Block,
    /// The goal is reached and what was decoded is verified. The decoder can
    /// go on behind it if asked with [`Decoder::go_on`].
    ChunkEnd,
    /// The compressed file has ended.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    Deflate,
    Trailer,
    Between,
    Ended,
}

/// A running CRC32 and the number of bytes in it.
#[derive(Clone, Default)]
struct Checksum {
    hasher: crc32fast::Hasher,
    length: u64,
}

impl Checksum {
    fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
    }

    fn value(&self) -> u32 {
        self.hasher.clone().finalize()
    }
}

/// The bytes of one member within one chunk, as a verifier wants to know them:
/// it puts the parts of a member that several chunks share together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberPart {
    /// CRC32 of the part.
    pub crc32: u32,
    /// Length of the part in uncompressed bytes.
    pub length: u64,
    /// CRC32 and length (modulo 2^32) that the member's trailer states, if the
    /// member ends here and not at the end of the chunk.
    pub trailer: Option<(u32, u32)>,
}

/// Decodes one stream, slab by slab.
pub struct Decoder {
    lane: Box<Lane>,
    input: Input,
    slab: Slab,
    state: State,
    goal: Option<Goal>,
    /// Uncompressed bytes in slabs that were handed on.
    passed: u64,
    /// Uncompressed bytes at which to stop for the owner.
    limit: u64,
    /// Up to here (in the slab) the checksums have seen the data.
    summed: usize,
    /// Of the member, if the decoder saw its start or is to report its parts.
    member: Option<Checksum>,
    /// The decoder saw the start of the member.
    member_is_whole: bool,
    /// Of the chunk, if its goal asks for it.
    chunk: Option<Checksum>,
    members_seen: u64,
    is_bgzf: bool,
    ends_with_bgzf_marker: bool,
    report_blocks: bool,
    member_parts: Option<Vec<MemberPart>>,
    event: Option<Event>,
}

impl Decoder {
    /// A decoder of `source`, whose first byte lies at `offset` of its file.
    pub fn new(
        source: Box<dyn Read + Send>,
        offset: u64,
        start: Start<'_>,
        goal: Goal,
        slab: Slab,
    ) -> Self {
        let mut decoder = Self {
            lane: Box::new(Lane::new()),
            input: Input::new(Box::new(std::io::empty()), 0, 0),
            slab,
            state: State::Ended,
            goal: None,
            passed: 0,
            limit: u64::MAX,
            summed: 0,
            member: None,
            member_is_whole: false,
            chunk: None,
            members_seen: 0,
            is_bgzf: true,
            ends_with_bgzf_marker: false,
            report_blocks: false,
            member_parts: None,
            event: None,
        };
        decoder.restart(source, offset, start, goal);
        decoder
    }

    /// The same buffers for another chunk.
    pub fn restart(
        &mut self,
        source: Box<dyn Read + Send>,
        offset: u64,
        start: Start<'_>,
        goal: Goal,
    ) {
        let (skip, window): (u8, &[u8]) = match start {
            Start::Member => (0, &[]),
            Start::Block { skip, window } => (skip, window),
        };
        self.input.restart(source, offset, skip);
        self.slab.restart(window);
        self.lane.start(window.len());
        // Without a stop at each block, a checkpoint could be passed by.
        let stops = self.report_blocks || matches!(goal, Goal::Checkpoint { .. });
        self.lane.stop_at_blocks(stops);
        self.state = match start {
            Start::Member => State::Header,
            Start::Block { .. } => State::Deflate,
        };
        self.chunk = goal.crc32().map(|_| Checksum::default());
        self.goal = Some(goal);
        self.passed = 0;
        self.limit = u64::MAX;
        self.summed = self.slab.end();
        self.member = self.member_parts.as_ref().map(|_| Checksum::default());
        self.member_is_whole = false;
        self.members_seen = 0;
        self.is_bgzf = true;
        self.ends_with_bgzf_marker = false;
        self.event = None;
        if let Some(parts) = &mut self.member_parts {
            parts.clear();
        }
    }

    /// Stop with [`Event::Block`] wherever a block begins.
    pub fn report_blocks(&mut self) {
        self.report_blocks = true;
        self.lane.stop_at_blocks(true);
    }

    /// Report the parts of members in the chunk, for
    /// [`take_member_parts`](Self::take_member_parts). Before anything is decoded.
    pub fn report_members(&mut self) {
        self.member_parts = Some(Vec::new());
        self.member.get_or_insert_default();
    }

    /// The parts of members since the last call, in order; after
    /// [`Event::ChunkEnd`] they add up to the chunk.
    pub fn take_member_parts(&mut self) -> Vec<MemberPart> {
        self.member_parts
            .as_mut()
            .map_or_else(Vec::new, std::mem::take)
    }

    /// Why it stopped; `None` while it wants to go on.
    pub fn event(&self) -> Option<Event> {
        self.event
    }

    /// Uncompressed bytes that nobody has taken yet.
    pub fn data(&self) -> &[u8] {
        self.slab.data()
    }

    /// Uncompressed bytes since the start, taken or not.
    pub fn output(&self) -> u64 {
        self.passed + self.slab.len() as u64
    }

    /// Next bit to read, from the start of the compressed file.
    pub fn position(&self) -> u64 {
        self.input.position()
    }

    /// The last 32 KiB of output; the lane knows how many of them count.
    pub fn window(&self) -> &[u8] {
        self.slab.window()
    }

    /// Whether the next block is the first of its member: it needs no window.
    pub fn at_member_start(&self) -> bool {
        self.state == State::Deflate
            && self.member.as_ref().is_some_and(|sum| sum.length == 0)
            && self.summed == self.slab.end()
    }

    /// How many bytes before the present place belong to the same member: at
    /// most 32 KiB. Only for decoders that saw the member's start.
    pub fn history(&self) -> usize {
        let unsummed = self.slab.since(self.summed).len() as u64;
        let length = self.member.as_ref().map_or(0, |member| member.length) + unsummed;
        length.min(inflate::WINDOW as u64) as usize
    }

    /// Whether all members so far had the BGZF field.
    pub fn is_bgzf(&self) -> bool {
        self.is_bgzf && self.members_seen > 0
    }

    /// Whether the last member was empty: a BGZF file that is whole ends so.
    pub fn ends_with_bgzf_marker(&self) -> bool {
        self.ends_with_bgzf_marker
    }

    /// Begin to record which bytes of the present window later matches refer to.
    pub fn watch_window(&mut self) {
        self.lane.watch_window();
    }

    /// See [`Lane::take_references`].
    pub fn take_references(&mut self, force: bool) -> Option<Box<[u64; inflate::WINDOW / 64]>> {
        self.lane.take_references(force)
    }

    /// Hand out the slab with its first `taken` bytes of data, and carry the
    /// stream on in `fresh` with the rest.
    pub fn take(&mut self, taken: usize, mut fresh: Slab) -> Slab {
        self.sum_up();
        self.slab.carry_over(taken, inflate::WINDOW, &mut fresh);
        self.passed += taken as u64;
        self.summed = fresh.end();
        if self.event == Some(Event::Full) {
            self.event = None;
        }
        std::mem::replace(&mut self.slab, fresh)
    }

    /// Leave the first `bytes` bytes of data out.
    pub fn skip(&mut self, bytes: usize) {
        self.slab.skip(bytes);
        self.passed += bytes as u64;
    }

    /// Go on after [`Event::Block`], or after [`Event::ChunkEnd`] without a
    /// goal: until the file ends.
    pub fn go_on(&mut self) {
        match self.event {
            Some(Event::End) => return,
            Some(Event::ChunkEnd) => {
                self.goal = None;
                self.chunk = None;
            }
            _ => {}
        }
        self.event = None;
    }

    /// Go on after [`Event::ChunkEnd`] to the end of the next chunk, whose
    /// `length` counts from where this decoder started.
    pub fn go_on_to(&mut self, goal: Goal) {
        self.go_on();
        self.chunk = goal.crc32().map(|_| Checksum::default());
        self.goal = Some(goal);
        let stops = self.report_blocks || matches!(goal, Goal::Checkpoint { .. });
        self.lane.stop_at_blocks(stops);
    }

    /// Stop with [`Event::Full`] when `limit` uncompressed bytes have come,
    /// counted from the start, although the slab has more room.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
        if self.event == Some(Event::Full) && self.slab.room() > 0 {
            self.event = None;
        }
    }

    /// Run this one alone until it has an event or has read more input. Without effect if it has one.
    ///
    /// # Errors
    /// As [`advance`].
    pub fn advance(&mut self) -> Result<(), Error> {
        advance(&mut Workbench::new(), &mut [self]).map_err(|(_, error)| error)
    }

    /// Bytes that may still come before the limit.
    fn limit_left(&self) -> u64 {
        self.limit.saturating_sub(self.output())
    }

    /// Do what needs no kernel, until the kernel is needed or there is an event.
    fn prepare(&mut self) -> Result<(), Error> {
        while self.event.is_none() {
            match self.state {
                State::Header => self.read_header()?,
                State::Trailer => self.read_trailer()?,
                State::Between => self.look_for_member()?,
                State::Ended => self.event = Some(Event::End),
                State::Deflate => {
                    if self.slab.room() == 0 || self.limit_left() == 0 {
                        self.event = Some(Event::Full);
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn refill(&mut self) -> Result<usize, Error> {
        self.input
            .refill()
            .map_err(|error| Error::new(ErrorKind::Io(error), self.input.offset()))
    }

    fn fail<T>(&self, kind: ErrorKind) -> Result<T, Error> {
        Err(Error::new(kind, self.input.offset()))
    }

    fn read_header(&mut self) -> Result<(), Error> {
        match header::parse(self.input.unread()) {
            Parsed::Header(header) => {
                self.input.consume(header.length);
                self.is_bgzf &= header.block_size.is_some();
                self.lane.start(0);
                self.state = State::Deflate;
                self.member = Some(Checksum::default());
                self.member_is_whole = true;
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
            Parsed::Incomplete => self.fail(ErrorKind::BadHeader("longer than 96 KiB")),
            Parsed::NotGzip if self.members_seen > 0 => self.fail(ErrorKind::TrailingGarbage),
            Parsed::NotGzip => self.fail(ErrorKind::NotGzip),
            Parsed::Malformed(what) => self.fail(ErrorKind::BadHeader(what)),
        }
    }

    fn read_trailer(&mut self) -> Result<(), Error> {
        let unread = self.input.unread();
        if unread.len() < TRAILER {
            if self.refill()? == 0 && self.input.at_end() {
                return self.fail(ErrorKind::Truncated);
            }
            return Ok(());
        }
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| unread[at + byte]));
        let (expected, expected_length) = (word(0), word(4));
        self.sum_up();
        self.report_part(Some((expected, expected_length)));
        if let Some(member) = self.member.take().filter(|_| self.member_is_whole) {
            let found = member.value();
            if found != expected {
                return self.fail(ErrorKind::MemberChecksum { expected, found });
            }
            let found = member.length as u32;
            if found != expected_length {
                let expected = expected_length;
                return self.fail(ErrorKind::MemberLength { expected, found });
            }
            self.ends_with_bgzf_marker = self.is_bgzf && member.length == 0;
        }
        self.input.consume(TRAILER);
        self.state = State::Between;
        Ok(())
    }

    fn look_for_member(&mut self) -> Result<(), Error> {
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
                self.fail(ErrorKind::TrailingGarbage)
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
    fn block_begins(&mut self) -> Result<(), Error> {
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
        Ok(())
    }

    fn chunk_ends(&mut self) -> Result<(), Error> {
        self.sum_up();
        if self.member.as_ref().is_some_and(|member| member.length > 0) {
            self.report_part(None);
        }
        if let Some(
            Goal::Checkpoint { length, crc32, .. } | Goal::EndOfIndexedFile { length, crc32 },
        ) = self.goal
        {
            if self.output() != length {
                return self.fail(ErrorKind::IndexMismatch("a chunk's length differs"));
            }
            if let (Some(expected), Some(chunk)) = (crc32, &self.chunk)
                && chunk.value() != expected
            {
                return self.fail(ErrorKind::IndexMismatch("a chunk's CRC32 differs"));
            }
        }
        self.event = Some(Event::ChunkEnd);
        Ok(())
    }

    fn file_ends(&mut self) -> Result<(), Error> {
        match self.goal {
            Some(Goal::Checkpoint { .. }) => self.fail(ErrorKind::IndexMismatch(
                "the file ends before a checkpoint",
            )),
            Some(Goal::EndOfIndexedFile { .. } | Goal::MemberFrom(_)) => self.chunk_ends(),
            Some(Goal::EndOfFile) | None => Ok(()),
        }
    }

    fn report_part(&mut self, trailer: Option<(u32, u32)>) {
        if let (Some(parts), Some(member)) = (&mut self.member_parts, &self.member) {
            parts.push(MemberPart {
                crc32: member.value(),
                length: member.length,
                trailer,
            });
            if trailer.is_none() {
                self.member = Some(Checksum::default());
                self.member_is_whole = false;
            }
        }
    }

    /// Let the checksums see what is new in the slab.
    fn sum_up(&mut self) {
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

    /// Take in what the kernel did.
    fn settle(
        &mut self,
        bit: u64,
        written: usize,
        status: Result<Status, inflate::Error>,
    ) -> Result<(), Error> {
        self.input.bit = bit;
        self.slab.extend(written);
        match status {
            Ok(Status::NeedInput) => {
                self.refill()?;
                Ok(())
            }
            Ok(Status::OutputFull) => {
                if let Some(Goal::Checkpoint { length, .. } | Goal::EndOfIndexedFile { length, .. }) =
                    self.goal
                    && self.output() > length
                {
                    return self.fail(ErrorKind::IndexMismatch("a chunk is longer than stated"));
                }
                self.event = Some(Event::Full);
                Ok(())
            }
            Ok(Status::BlockEnd) => self.block_begins(),
            Ok(Status::StreamEnd) => {
                self.input.align();
                self.state = State::Trailer;
                Ok(())
            }
            Err(error) => {
                let offset = self.input.offset_of(error.bit);
                let kind = match error.kind {
                    inflate::ErrorKind::UnexpectedEnd => ErrorKind::Truncated,
                    kind => ErrorKind::Deflate(kind),
                };
                Err(Error::new(kind, offset))
            }
        }
    }
}

/// Run those of `decoders` that have no event, in one loop on this core, until
/// at least one of them has an event or has read more input.
///
/// # Errors
/// The position in `decoders` of the one that failed, and its error. That
/// decoder must not be used again before [`Decoder::restart`].
pub fn advance(
    workbench: &mut Workbench,
    decoders: &mut [&mut Decoder],
) -> Result<(), (usize, Error)> {
    for (index, decoder) in decoders.iter_mut().enumerate() {
        decoder.prepare().map_err(|error| (index, error))?;
    }
    let mut jobs = Vec::with_capacity(decoders.len());
    let mut places = Vec::with_capacity(decoders.len());
    for (index, decoder) in decoders.iter_mut().enumerate() {
        if decoder.event.is_some() {
            continue;
        }
        let limit = decoder.limit_left();
        let Decoder {
            lane, input, slab, ..
        } = &mut **decoder;
        let (output, output_at) = slab.output(limit);
        places.push((index, output_at));
        jobs.push(Job {
            lane,
            input: input.bytes(),
            input_bit: input.bit,
            input_is_last: input.at_end(),
            output,
            output_at,
            status: None,
        });
    }
    if jobs.is_empty() {
        return Ok(());
    }
    inflate::decode(workbench, &mut jobs);
    let done: Vec<_> = jobs
        .into_iter()
        .zip(places)
        .map(|(job, (index, before))| (index, job.input_bit, job.output_at - before, job.status))
        .collect();
    for (index, bit, written, status) in done {
        let decoder = &mut decoders[index];
        match status {
            Some(status) => decoder
                .settle(bit, written, status)
                .map_err(|error| (index, error))?,
            None => {
                decoder.input.bit = bit;
                decoder.slab.extend(written);
            }
        }
    }
    Ok(())
}
