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

mod advance;
mod frame;
mod leap;
mod members;
mod whole;

use std::io::Read;

use thalweg_inflate::{self as inflate, Lane, Workbench};

pub use self::advance::advance;
use self::leap::Leaps;
pub use self::members::{ChunkMembers, MemberPart, Trailer};
use self::whole::WholeBlocks;
use crate::error::{Error, ErrorKind};
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
    /// In a leg that others have decoded.
    Leap,
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
    /// Of the member, if the decoder saw its start.
    member: Option<Checksum>,
    /// Of the chunk, if its goal asks for it, or what is reported of members.
    chunk: Option<Checksum>,
    /// No member has ended since the chunk began.
    in_head: bool,
    /// What the chunk has of members, if that is to be reported.
    members: Option<ChunkMembers>,
    members_seen: u64,
    /// Uncompressed bytes from the start whose checksum was right.
    verified: u64,
    is_bgzf: bool,
    report_blocks: bool,
    event: Option<Event>,
    /// What others have decoded of the file.
    leaps: Option<Leaps>,
    /// Of BGZF, decodes what it can as a whole.
    whole_blocks: Option<Box<WholeBlocks>>,
    /// What went wrong while another one's failure was told.
    failure: Option<Error>,
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
            chunk: None,
            in_head: true,
            members: None,
            members_seen: 0,
            verified: 0,
            is_bgzf: true,
            report_blocks: false,
            event: None,
            leaps: None,
            whole_blocks: None,
            failure: None,
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
        self.begin_chunk(goal);
        self.passed = 0;
        self.limit = u64::MAX;
        self.summed = self.slab.end();
        self.member = None;
        self.members_seen = 0;
        self.verified = 0;
        self.is_bgzf = true;
        self.event = None;
        self.leaps = None;
        if let Some(blocks) = &mut self.whole_blocks {
            blocks.restart();
        }
        self.failure = None;
    }

    fn begin_chunk(&mut self, goal: Goal) {
        let is_summed = goal.crc32().is_some() || self.members.is_some();
        self.chunk = is_summed.then(Checksum::default);
        self.in_head = true;
        if let Some(members) = &mut self.members {
            *members = ChunkMembers::default();
        }
        self.goal = Some(goal);
    }

    /// Stop with [`Event::Block`] wherever a block begins.
    pub fn report_blocks(&mut self) {
        self.report_blocks = true;
        self.lane.stop_at_blocks(true);
    }

    /// Note what chunks have of members, for [`take_members`](Self::take_members). Before anything is decoded.
    ///
    /// Where goals have a CRC32 this costs nothing, else one of the bytes up to the first trailer of each chunk.
    pub fn report_members(&mut self) {
        self.members = Some(ChunkMembers::default());
        self.chunk.get_or_insert_default();
    }

    /// What the chunk has of members, after [`Event::ChunkEnd`]; nothing, if it was not to be reported.
    pub fn take_members(&mut self) -> ChunkMembers {
        self.members
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
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

    /// Uncompressed bytes since the start that belong to members, or to chunks, whose checksum was right.
    /// Those behind them are not known to be sound yet.
    pub fn verified(&self) -> u64 {
        self.verified
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

    /// Write `bytes` over the first of the data, which somebody has no use for. The last 32 KiB must stay what they are.
    ///
    /// # Panics
    /// If there are not that many data.
    pub fn overwrite(&mut self, bytes: &[u8]) {
        // Those that are overwritten count for checksums.
        self.sum_up();
        self.slab.overwrite(bytes);
    }

    /// Make room behind data of which nothing can be taken yet. See [`Slab::make_room`].
    pub fn make_room(&mut self) {
        self.sum_up();
        self.slab.make_room();
        self.summed = self.slab.end();
        if self.event == Some(Event::Full) {
            self.event = None;
        }
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
        self.begin_chunk(goal);
        let stops = self.report_blocks || matches!(goal, Goal::Checkpoint { .. });
        self.lane.stop_at_blocks(stops);
    }

    /// Stop with [`Event::Full`] when `limit` uncompressed bytes have come,
    /// counted from the start, although the slab has more room.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
        if self.event == Some(Event::Full) && self.slab.room() >= self.room_wanted() {
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

    fn refill(&mut self) -> Result<usize, Error> {
        self.input
            .refill()
            .map_err(|error| Error::new(ErrorKind::Io(error), self.input.offset()))
    }

    fn fail<T>(&self, kind: ErrorKind) -> Result<T, Error> {
        Err(Error::new(kind, self.input.offset()))
    }
}
