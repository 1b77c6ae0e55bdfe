//! Legs of a file that others have decoded, taken instead of decoding.

use std::sync::Arc;

use thalweg_files::ReadFrom;
use thalweg_inflate::WINDOW;

use super::{Decoder, Event, State};
use crate::error::Error;
use crate::legs::{Helper, LegText, Legs};

/// What others have decoded of a file, and the leg that is being taken.
pub(super) struct Leaps {
    legs: Arc<Legs>,
    helper: Helper,
    text: Option<Box<LegText>>,
    /// Bytes of text taken.
    taken: u64,
}

impl Decoder {
    /// Take what `legs`, of the same file, has of it, instead of decoding that. All else stays the same.
    ///
    /// Of a decoder that begins at the start of the file, with no goal but its end, before anything is decoded.
    pub fn with_legs(&mut self, legs: &Arc<Legs>) {
        self.lane.stop_at_blocks(true);
        self.leaps = Some(Leaps {
            legs: Arc::clone(legs),
            helper: Helper::default(),
            text: None,
            taken: 0,
        });
    }

    /// Uncompressed bytes that came from legs.
    pub fn leapt(&self) -> u64 {
        self.leaps.as_ref().map_or(0, |leaps| leaps.taken)
    }

    /// At a block's start: whether a leg begins here.
    pub(super) fn look_for_leg(&mut self) {
        let (bit, history) = (self.input.position(), self.history());
        let Some(leaps) = &mut self.leaps else {
            return;
        };
        let Some(leg) = leaps.legs.take(bit, &mut leaps.helper) else {
            return;
        };
        // Whoever decodes it in order meets the fault.
        if history < WINDOW && leg.reaches_behind(history) {
            return;
        }
        let window = self.slab.window().first_chunk().expect("a whole window");
        leaps.text = Some(Box::new(LegText::new(leg, window)));
        self.state = State::Leap;
    }

    /// Take some of a leg.
    pub(super) fn leap(&mut self) -> Result<(), Error> {
        let limit = self.limit_left();
        let Some(leaps) = &mut self.leaps else {
            return Ok(());
        };
        if let Some(text) = &mut leaps.text {
            let (output, at) = self.slab.output(limit);
            let room = &mut output[at..];
            let has_room = !room.is_empty();
            let written = text.read(room);
            self.slab.extend(written);
            leaps.taken += written as u64;
            // At the end of the leg nothing comes although there is room.
            if written > 0 || !has_room {
                if self.slab.room() == 0 || self.limit_left() == 0 {
                    self.event = Some(Event::Full);
                }
                return Ok(());
            }
        }
        self.land()
    }

    /// Go on behind a leg.
    fn land(&mut self) -> Result<(), Error> {
        let text = self.leaps.as_mut().and_then(|leaps| {
            let file = Arc::clone(leaps.legs.file());
            Some((file, leaps.text.take()?))
        });
        let Some((file, text)) = text else {
            return Ok(());
        };
        let (offset, skip) = (text.end() / 8, (text.end() % 8) as u8);
        let source = Box::new(ReadFrom::new(file, offset));
        self.input.restart(source, offset, skip);
        if text.is_stream_end() {
            self.state = State::Trailer;
            return Ok(());
        }
        self.lane.start(self.history());
        self.state = State::Deflate;
        self.block_begins()
    }
}
