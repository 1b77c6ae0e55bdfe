//! Legs while they are decoded, several in one loop.
//!
//! ```text
//! symbols of 16 bits, the unknown window before them
//!     at the end of a block, once there are enough bytes that no text has:
//! bytes, of which some are codes
//!     before a block that could make a code other than by a copy:
//! bytes with other codes, or symbols again
//!     where a block ends at the start of the next leg, or beyond it, or the stream does; or there is a fault, or too much:
//! what came up to the end of the last whole block
//! ```
//! Behind the end of a member, the next one is bytes from its first one on: nothing before it is referred to.

use std::collections::VecDeque;
use std::sync::Arc;

use thalweg_inflate::{ByteSet, Job, Lane, Status, WINDOW, Workbench, decode, decode_symbols};

use super::buffers::{Buffers, Room};
use super::codes::{Codes, UNKNOWN, text};
use super::leg::{BlockStart, Leg, MemberEnd, Part};
use super::source::Source;
use crate::header::{self, Parsed, TRAILER};
use crate::input::Input;

/// Bytes of text before which it is not worth looking whether there are codes for all that is unknown.
const FIRST_LOOK: usize = 128 << 10;
/// Bytes of text from one look to the next.
const NEXT_LOOK: usize = 64 << 10;
/// Bytes of text with codes after which to look whether half of them would do, and again after twice as many: what has few codes
/// is sooner put into bytes.
const LOOK_FOR_FEWER: usize = 512 << 10;
/// Bytes of text of a member behind which a leg goes on in the next one, as a part of its own: of shorter ones, most of the memory of parts
/// would be unused. The first member of a leg may be shorter.
const LONG_MEMBER: u64 = 1 << 20;
/// Changes of codes in one leg. Beyond that somebody means to make work.
const MOST_CHANGES: usize = 32;

/// What one leg at a time is decoded with.
pub(super) struct Bench {
    lane: Box<Lane>,
    input: Input,
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            lane: Box::default(),
            input: Input::new(Box::new(std::io::empty()), 0, 0),
        }
    }
}

/// Where a leg begins, and how far it may go.
pub(super) struct Plan {
    /// Its first bit, from the start of the file.
    pub(super) start: u64,
    /// It ends with the first block that ends at this bit or behind it: where the next leg begins.
    pub(super) goal: u64,
    /// Bytes of text that are enough.
    pub(super) most: usize,
    /// What is before it, if that is known.
    pub(super) window: Option<Box<[u8; WINDOW]>>,
}

/// A leg that is being decoded.
pub(super) struct Making {
    bench: Bench,
    plan: Plan,
    leg: Leg,
    /// Place of the next symbol in the last part.
    at: usize,
    /// Bytes of text in the parts before.
    before: usize,
    /// What is whole, up to the end of a block: parts, and the place in the last of them.
    whole: (usize, usize),
    /// Bytes of text at which to look whether there are codes, or whether fewer would do.
    look: usize,
    /// Bytes of text at which the codes, or symbols, began; and how often they changed.
    begun: usize,
    changes: usize,
    /// Bytes of text before the block that was noted last.
    noted: u64,
    /// Where codes were last given, if blocks went on from there.
    coded_at: Option<u64>,
    is_done: bool,
}

impl Making {
    /// A leg of `source`.
    pub(super) fn new(
        mut bench: Bench,
        source: &Source,
        mut plan: Plan,
        buffers: &Arc<Buffers>,
    ) -> Self {
        let (offset, skip) = (plan.start / 8, (plan.start % 8) as u8);
        bench.input.restart(source.reader(offset), offset, skip);
        bench.lane.start(WINDOW);
        bench.lane.stop_at_blocks(true);
        bench.lane.reserve(ByteSet::EMPTY);
        let known = plan.window.take();
        let mut making = Self {
            bench,
            leg: Leg {
                start: plan.start,
                end: plan.start,
                is_stream_end: false,
                parts: VecDeque::new(),
                blocks: VecDeque::new(),
                members: VecDeque::new(),
                buffers: Arc::clone(buffers),
            },
            plan,
            at: WINDOW,
            before: 0,
            whole: (0, WINDOW),
            look: FIRST_LOOK,
            begun: 0,
            changes: 0,
            noted: 0,
            coded_at: None,
            is_done: false,
        };
        match known {
            Some(window) => making.begin_text(&window[..]),
            None => making.begin_wide(&(UNKNOWN..).take(WINDOW).collect::<Vec<u16>>()),
        }
        making
    }

    /// The leg, as far as it came, and what it was decoded with.
    pub(super) fn finish(mut self) -> (Leg, Bench) {
        let (parts, end) = self.whole;
        for part in self.leg.parts.drain(parts..) {
            self.leg.buffers.give(part);
        }
        if let Some(part) = self.leg.parts.back_mut() {
            *part.end() = end;
        }
        // No block of the last member is whole.
        let end = self.leg.end;
        if (self.leg.members.back()).is_some_and(|member| member.trailer == end) {
            self.leg.members.pop_back();
            self.leg.is_stream_end = true;
        }
        (self.leg, self.bench)
    }

    fn part(&mut self) -> &mut Part {
        self.leg.parts.back_mut().expect("begun with a part")
    }

    fn is_running(&self, wide: bool) -> bool {
        let is_wide = self.leg.parts.back().is_some_and(Part::is_wide);
        !self.is_done && is_wide == wide
    }

    /// Bytes of text.
    fn length(&self) -> usize {
        self.before + self.at - WINDOW
    }

    fn settle(&mut self, status: Result<Status, thalweg_inflate::Error>) {
        match status {
            // Whoever comes here in order meets the fault.
            Ok(Status::NeedInput) => self.is_done = self.bench.input.refill().is_err(),
            Ok(Status::OutputFull) => self.grow(),
            Ok(Status::BlockEnd) => {
                self.end_block();
                if self.leg.end >= self.plan.goal {
                    self.is_done = true;
                } else {
                    self.note_block();
                    self.look_for_codes();
                }
            }
            Ok(Status::Reserved) => self.change_codes(),
            Ok(Status::StreamEnd) => {
                self.bench.input.align();
                self.end_block();
                if !self.begin_next_member() {
                    self.leg.is_stream_end = true;
                    self.is_done = true;
                }
            }
            Err(_) => self.is_done = true,
        }
    }

    /// All up to here is whole.
    fn end_block(&mut self) {
        let at = self.at;
        *self.part().end() = at;
        self.leg.end = self.bench.input.position();
        self.whole = (self.leg.parts.len(), at);
    }

    fn note_block(&mut self) {
        let text = self.length() as u64;
        if text > self.noted {
            let bit = self.leg.end;
            self.leg.blocks.push_back(BlockStart { bit, text });
            self.noted = text;
        }
    }

    /// At the end of a member: whether the next one follows at once, and it is worth going on in that. Whoever takes the leg checks both.
    fn begin_next_member(&mut self) -> bool {
        let (text, trailer) = (self.length() as u64, self.leg.end);
        let is_short = |last: &MemberEnd| text - last.text < LONG_MEMBER;
        if trailer >= self.plan.goal || self.leg.members.back().is_some_and(is_short) {
            return false;
        }
        let Some(header) = self.read_header() else {
            return false;
        };
        self.bench.input.consume(header);
        self.bench.lane.start(0);
        self.bench.lane.reserve(ByteSet::EMPTY);
        let next = self.bench.input.position();
        self.leg.members.push_back(MemberEnd {
            text,
            trailer,
            next,
        });
        // The block there is told by whoever decodes in order.
        self.noted = text;
        self.begin_text(&[0; WINDOW]);
        true
    }

    /// At a trailer: bytes of that and of the header behind it, if there is one, of no BGZF.
    fn read_header(&mut self) -> Option<usize> {
        loop {
            let unread = self.bench.input.unread();
            match unread.get(TRAILER..).map(header::parse) {
                Some(Parsed::Header(header)) => {
                    let length = TRAILER + header.length;
                    return header.block_size.is_none().then_some(length);
                }
                None | Some(Parsed::Incomplete) => {}
                Some(_) => return None,
            }
            let read = self.bench.input.refill();
            read.ok().filter(|read| *read > 0)?;
        }
    }

    /// Go on in a part of the same kind.
    fn grow(&mut self) {
        if self.length() >= self.plan.most {
            self.is_done = true;
            return;
        }
        let (at, buffers) = (self.at, Arc::clone(&self.leg.buffers));
        let last = self.part();
        *last.end() = at;
        let next = match last {
            Part::Wide { symbols: last, .. } => {
                let mut symbols = buffers.wide();
                symbols[..WINDOW].copy_from_slice(&last[at - WINDOW..at]);
                let end = WINDOW;
                Part::Wide { symbols, end }
            }
            Part::Coded {
                bytes: last, codes, ..
            } => {
                let mut bytes = buffers.bytes();
                bytes[..WINDOW].copy_from_slice(&last[at - WINDOW..at]);
                let codes = Arc::clone(codes);
                let end = WINDOW;
                Part::Coded { bytes, end, codes }
            }
            Part::Text { bytes: last, .. } => {
                let mut bytes = buffers.bytes();
                bytes[..WINDOW].copy_from_slice(&last[at - WINDOW..at]);
                text_part(bytes)
            }
        };
        self.push(next);
    }

    /// At a block's start: whether there are enough codes now, or fewer would do.
    fn look_for_codes(&mut self) {
        let length = self.length();
        if length < self.look {
            return;
        }
        let (begun, likely) = (self.begun, self.likely());
        if self.changes >= MOST_CHANGES {
            return;
        }
        let (next_look, codes) = match self.part() {
            Part::Wide { symbols, end } => {
                let codes = Codes::for_window(&symbols[*end - WINDOW..*end], likely);
                (length + NEXT_LOOK, codes)
            }
            Part::Coded { bytes, end, codes } => {
                let left = codes.count_in(&bytes[*end - WINDOW..*end]);
                let are_few = left <= codes.codes().len() / 2;
                let fewer = are_few.then(|| Codes::for_window(&self.part().window(), likely));
                (begun + 2 * (length - begun), fewer.flatten())
            }
            Part::Text { .. } => return,
        };
        self.look = next_look;
        if let Some(codes) = codes {
            let window = self.part().window();
            self.begin_coded(&window, codes);
        }
    }

    /// At the start of a block that could make a code otherwise than by a copy: other codes, or symbols again.
    fn change_codes(&mut self) {
        let window = self.part().window();
        let position = Some(self.bench.input.position());
        if self.changes >= MOST_CHANGES {
            self.is_done = true;
            return;
        }
        let is_another_place = self.coded_at != position;
        match Codes::for_window(&window, self.likely()).filter(|_| is_another_place) {
            Some(codes) => self.begin_coded(&window, codes),
            None => self.begin_wide(&window),
        }
        self.coded_at = position;
    }

    /// Bytes that are likely to be literals: those of text, and of this block or the one before.
    fn likely(&self) -> ByteSet {
        text().union(self.bench.lane.literals())
    }

    fn begin_wide(&mut self, window: &[u16]) {
        self.bench.lane.reserve(ByteSet::EMPTY);
        let mut symbols = self.leg.buffers.wide();
        symbols[..WINDOW].copy_from_slice(window);
        let is_first = self.leg.parts.is_empty();
        self.begin(Part::Wide {
            symbols,
            end: WINDOW,
        });
        self.look = self.begun + if is_first { FIRST_LOOK } else { NEXT_LOOK };
    }

    fn begin_coded(&mut self, window: &[u16], codes: Codes) {
        self.bench.lane.reserve(codes.codes());
        let codes_left = codes.codes().len();
        let mut bytes = self.leg.buffers.bytes();
        codes.code(window, &mut bytes[..WINDOW]);
        if codes_left == 0 {
            self.begin(text_part(bytes));
            return;
        }
        self.begin(Part::Coded {
            bytes,
            end: WINDOW,
            codes: Arc::new(codes),
        });
        self.look = self.begun + LOOK_FOR_FEWER;
    }

    fn begin_text(&mut self, window: &[u8]) {
        let mut bytes = self.leg.buffers.bytes();
        bytes[..WINDOW].copy_from_slice(window);
        self.begin(text_part(bytes));
    }

    /// Go on in a part of another kind, at a block's start.
    fn begin(&mut self, part: Part) {
        self.push(part);
        self.begun = self.before;
        self.changes += 1;
    }

    fn push(&mut self, part: Part) {
        self.before += self.at - WINDOW;
        self.leg.parts.push_back(part);
        self.at = WINDOW;
    }

    /// What is left to do, in bytes or in symbols.
    fn job<S>(&mut self, room: impl FnOnce(&mut Part) -> Option<&mut [S]>) -> Option<Job<'_, S>> {
        let Bench { lane, input } = &mut self.bench;
        Some(Job {
            lane,
            input: input.bytes(),
            input_bit: input.bit,
            input_is_last: input.at_end(),
            output: room(self.leg.parts.back_mut()?)?,
            output_at: self.at,
            status: None,
        })
    }
}

/// No text yet behind the window that `bytes` begin with.
fn text_part(bytes: Room<u8>) -> Part {
    Part::Text {
        bytes,
        begin: WINDOW,
        end: WINDOW,
        crc32: None,
    }
}

/// Decode all to their ends.
pub(super) fn run(workbench: &mut Workbench, makings: &mut [Making]) {
    loop {
        // Those that are bytes wait until the others are, too: they are most of the work, and best done together.
        let wide = makings.iter().any(|making| making.is_running(true));
        let mut running: Vec<&mut Making> =
            (makings.iter_mut().filter(|making| making.is_running(wide))).collect();
        if running.is_empty() {
            return;
        }
        let outcomes = match wide {
            true => {
                let jobs = running.iter_mut().filter_map(|making| {
                    making.job(|part| match part {
                        Part::Wide { symbols, .. } => Some(&mut symbols[..]),
                        Part::Coded { .. } | Part::Text { .. } => None,
                    })
                });
                let mut jobs: Vec<Job<'_, u16>> = jobs.collect();
                decode_symbols(workbench, &mut jobs);
                outcomes(&jobs)
            }
            false => {
                let jobs = running.iter_mut().filter_map(|making| {
                    making.job(|part| match part {
                        Part::Coded { bytes, .. } | Part::Text { bytes, .. } => {
                            Some(&mut bytes[..])
                        }
                        Part::Wide { .. } => None,
                    })
                });
                let mut jobs: Vec<Job<'_>> = jobs.collect();
                decode(workbench, &mut jobs);
                outcomes(&jobs)
            }
        };
        for (making, (bit, at, status)) in running.into_iter().zip(outcomes) {
            making.bench.input.bit = bit;
            making.at = at;
            if let Some(status) = status {
                making.settle(status);
            }
        }
    }
}

/// What came of a job: the next bit, the place of the next symbol, and the status.
type Outcome = (u64, usize, Option<Result<Status, thalweg_inflate::Error>>);

fn outcomes<S>(jobs: &[Job<'_, S>]) -> Vec<Outcome> {
    let outcome = |job: &Job<'_, S>| (job.input_bit, job.output_at, job.status);
    jobs.iter().map(outcome).collect()
}
