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

use std::sync::Arc;

use thalweg_inflate::{ByteSet, Job, Lane, Status, WINDOW, Workbench, decode, decode_symbols};

use super::codes::{Codes, UNKNOWN, text};
use super::leg::{Buffers, Leg, Part};
use super::strip::Strip;

/// Bytes of text before which it is not worth looking whether there are codes for all that is unknown.
const FIRST_LOOK: usize = 128 << 10;
/// Bytes of text from one look to the next.
const NEXT_LOOK: usize = 64 << 10;
/// Bytes of text with codes after which to look whether half of them would do, and again after twice as many: what has few codes
/// is sooner put into bytes.
const LOOK_FOR_FEWER: usize = 512 << 10;
/// By so many symbols a part grows.
const GROWTH: usize = 1 << 20;
/// Parts of one leg. Beyond that somebody means to make work.
const MOST_PARTS: usize = 32;

/// A leg that is being decoded.
pub(super) struct Making {
    lane: Box<Lane>,
    /// The strip that it begins in, and the next one, if there is one.
    strips: (Arc<Strip>, Option<Arc<Strip>>),
    /// Whether it has come to the next strip.
    is_in_next: bool,
    /// The next bit, from the start of the strip.
    bit: u64,
    /// The bit from the start of the file at which the next leg begins, if one does in the next strip.
    goal: Option<u64>,
    leg: Leg,
    /// Place of the next symbol in the last part.
    at: usize,
    /// Bytes of text in the parts before, and the most of all.
    before: usize,
    most: usize,
    /// Place in the last part at which to look whether there are codes, or whether fewer would do.
    look: usize,
    /// Where codes were last given, if blocks went on from there.
    coded_at: Option<u64>,
    is_done: bool,
}

impl Making {
    /// A leg of at most `most` bytes of text from `start` on, the first block of `strip`.
    pub(super) fn new(
        lane: Box<Lane>,
        start: u64,
        strip: Arc<Strip>,
        next: Option<Arc<Strip>>,
        most: usize,
        buffers: &Arc<Buffers>,
    ) -> Self {
        let goal = next.as_ref().and_then(|next| next.start);
        let bit = start - strip.offset * 8;
        let mut making = Self {
            lane,
            strips: (strip, next),
            is_in_next: false,
            bit,
            goal,
            leg: Leg {
                start,
                end: start,
                is_stream_end: false,
                parts: Vec::new(),
                buffers: Arc::clone(buffers),
            },
            at: WINDOW,
            before: 0,
            most,
            look: WINDOW + FIRST_LOOK,
            coded_at: None,
            is_done: false,
        };
        making.lane.start(WINDOW);
        making.lane.stop_at_blocks(true);
        let unknown: Vec<u16> = (UNKNOWN..).take(WINDOW).collect();
        making.begin_wide(&unknown);
        making
    }

    /// The leg, as far as it came, and the lane for another one.
    pub(super) fn finish(self) -> (Leg, Box<Lane>) {
        (self.leg, self.lane)
    }

    fn part(&mut self) -> &mut Part {
        self.leg.parts.last_mut().expect("begun with a part")
    }

    fn is_running(&self, wide: bool) -> bool {
        let is_wide = self.leg.parts.last().is_some_and(Part::is_wide);
        !self.is_done && is_wide == wide
    }

    fn strip(&self) -> &Arc<Strip> {
        match &self.strips.1 {
            Some(next) if self.is_in_next => next,
            _ => &self.strips.0,
        }
    }

    /// The next bit, from the start of the file.
    fn position(&self) -> u64 {
        self.strip().offset * 8 + self.bit
    }

    fn settle(&mut self, status: Result<Status, thalweg_inflate::Error>) {
        match status {
            Ok(Status::NeedInput) => self.go_to_next_strip(),
            Ok(Status::OutputFull) => self.grow(),
            Ok(Status::BlockEnd) => {
                self.end_block();
                if self.goal.is_some_and(|goal| self.position() >= goal) {
                    self.is_done = true;
                } else {
                    self.look_for_codes();
                }
            }
            Ok(Status::Reserved) => self.change_codes(),
            Ok(Status::StreamEnd) => {
                self.bit = self.bit.next_multiple_of(8);
                self.end_block();
                self.leg.is_stream_end = true;
                self.is_done = true;
            }
            // Whoever comes here in order meets the fault.
            Err(_) => self.is_done = true,
        }
    }

    /// All up to here is whole.
    fn end_block(&mut self) {
        let at = self.at;
        *self.part().end() = at;
        self.leg.end = self.position();
    }

    fn go_to_next_strip(&mut self) {
        let position = self.position();
        let next = self.strips.1.as_ref().filter(|_| !self.is_in_next);
        match next.and_then(|next| position.checked_sub(next.offset * 8)) {
            Some(bit) => {
                self.is_in_next = true;
                self.bit = bit;
            }
            None => self.is_done = true,
        }
    }

    fn grow(&mut self) {
        if self.before + self.at - WINDOW >= self.most {
            self.is_done = true;
            return;
        }
        match self.part() {
            Part::Wide { symbols, .. } => symbols.resize(symbols.len() + GROWTH, 0),
            Part::Coded { bytes, .. } => bytes.resize(bytes.len() + GROWTH, 0),
        }
    }

    /// At a block's start: whether there are enough codes now, or fewer would do.
    fn look_for_codes(&mut self) {
        if self.at < self.look {
            return;
        }
        let (most, next_look) = match self.part() {
            Part::Wide { end, .. } => (usize::MAX, *end + NEXT_LOOK),
            Part::Coded { end, codes, .. } => (codes.codes().len() / 2, *end * 2),
        };
        self.look = next_look;
        let window = self.part().window();
        if let Some(codes) = Codes::for_window(&window, self.likely())
            && codes.codes().len() <= most
            && self.leg.parts.len() < MOST_PARTS
        {
            self.begin_coded(&window, codes);
        }
    }

    /// At the start of a block that could make a code otherwise than by a copy: other codes, or symbols again.
    fn change_codes(&mut self) {
        let window = self.part().window();
        let position = Some(self.position());
        if self.leg.parts.len() >= MOST_PARTS {
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
        text().union(self.lane.literals())
    }

    fn begin_wide(&mut self, window: &[u16]) {
        self.lane.reserve(ByteSet::EMPTY);
        let mut symbols = self.leg.buffers.wide();
        if symbols.len() < WINDOW + GROWTH {
            symbols.resize(WINDOW + GROWTH, 0);
        }
        symbols[..WINDOW].copy_from_slice(window);
        self.begin(Part::Wide {
            symbols,
            end: WINDOW,
        });
        if self.leg.parts.len() > 1 {
            self.look = WINDOW + NEXT_LOOK;
        }
    }

    fn begin_coded(&mut self, window: &[u16], codes: Codes) {
        self.lane.reserve(codes.codes());
        let codes_left = codes.codes().len();
        let mut bytes = self.leg.buffers.bytes();
        if bytes.len() < WINDOW + GROWTH {
            bytes.resize(WINDOW + GROWTH, 0);
        }
        codes.code(window, &mut bytes[..WINDOW]);
        self.begin(Part::Coded {
            bytes,
            end: WINDOW,
            codes: Box::new(codes),
        });
        self.look = match codes_left {
            0 => usize::MAX,
            _ => WINDOW + LOOK_FOR_FEWER,
        };
    }

    fn begin(&mut self, part: Part) {
        self.before += self.at - WINDOW;
        self.leg.parts.push(part);
        self.at = WINDOW;
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
            true => run_wide(workbench, &mut running),
            false => run_coded(workbench, &mut running),
        };
        for (making, (bit, at, status)) in running.into_iter().zip(outcomes) {
            (making.bit, making.at) = (bit, at);
            if let Some(status) = status {
                making.settle(status);
            }
        }
    }
}

/// What came of a job: the next bit, the place of the next symbol, and the status.
type Outcome = (u64, usize, Option<Result<Status, thalweg_inflate::Error>>);

fn run_wide(workbench: &mut Workbench, running: &mut [&mut Making]) -> Vec<Outcome> {
    let jobs = running.iter_mut().filter_map(|making| {
        let strip = Arc::as_ref(match &making.strips.1 {
            Some(next) if making.is_in_next => next,
            _ => &making.strips.0,
        });
        let Some(Part::Wide { symbols, .. }) = making.leg.parts.last_mut() else {
            return None;
        };
        Some(job(&mut making.lane, strip, making.bit, symbols, making.at))
    });
    let mut jobs: Vec<Job<'_, u16>> = jobs.collect();
    decode_symbols(workbench, &mut jobs);
    jobs.iter().map(outcome).collect()
}

fn run_coded(workbench: &mut Workbench, running: &mut [&mut Making]) -> Vec<Outcome> {
    let jobs = running.iter_mut().filter_map(|making| {
        let strip = Arc::as_ref(match &making.strips.1 {
            Some(next) if making.is_in_next => next,
            _ => &making.strips.0,
        });
        let Some(Part::Coded { bytes, .. }) = making.leg.parts.last_mut() else {
            return None;
        };
        Some(job(&mut making.lane, strip, making.bit, bytes, making.at))
    });
    let mut jobs: Vec<Job<'_>> = jobs.collect();
    decode(workbench, &mut jobs);
    jobs.iter().map(outcome).collect()
}

fn job<'a, S>(
    lane: &'a mut Lane,
    strip: &'a Strip,
    input_bit: u64,
    output: &'a mut [S],
    output_at: usize,
) -> Job<'a, S> {
    Job {
        lane,
        input: &strip.bytes,
        input_bit,
        input_is_last: strip.is_last,
        output,
        output_at,
        status: None,
    }
}

fn outcome<S>(job: &Job<'_, S>) -> Outcome {
    (job.input_bit, job.output_at, job.status)
}
