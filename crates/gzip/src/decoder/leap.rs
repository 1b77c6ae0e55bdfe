//! Legs of a file that others have decoded, taken instead of decoding.

use std::sync::Arc;

use thalweg_files::ReadFrom;
use thalweg_inflate::WINDOW;

use super::{Checksum, Decoder, Event, Goal, Start, State};
use crate::error::Error;
use crate::index::References;
use crate::legs::{Helper, LegText, Legs};
use crate::slab::Slab;

/// What others have decoded of a file, and the leg that is being taken.
pub(super) struct Leaps {
    legs: Arc<Legs>,
    helper: Helper,
    text: Option<Box<LegText>>,
    /// The bit, from the start of the file, of the block of the leg that began last.
    block: u64,
    /// Bytes of text taken.
    taken: u64,
    watch: Option<Watch>,
}

/// What the text behind a block refers to, found by another decoder.
struct Watch {
    decoder: Box<Decoder>,
    /// Uncompressed bytes from the start to the end of what is watched.
    end: u64,
}

impl Decoder {
    /// Take what `legs`, of the same file, has of it, instead of decoding that. All else stays the same.
    ///
    /// Of a decoder that has begun at the start of the file, with no goal but its end. If somebody watches windows, before anything is decoded.
    pub fn with_legs(&mut self, legs: &Arc<Legs>) {
        legs.begin_behind(self.input.position());
        self.lane.stop_at_blocks(true);
        self.leaps = Some(Leaps {
            legs: Arc::clone(legs),
            helper: Helper::default(),
            text: None,
            block: 0,
            taken: 0,
            watch: None,
        });
    }

    /// The same for a source that can only be read in order, and is read ahead from now on: so that others can decode what has come.
    /// Strips and legs are those of [`Legs::new`]. None if the source has ended.
    ///
    /// `is_ready` says whether a read of the source would give something, or its end, at once; it may wait for a moment to see that.
    /// Only the decoder waits for longer, as it would alone. Of a decoder that nobody watches.
    pub fn with_legs_of_stream(
        &mut self,
        is_ready: impl Fn() -> bool + Send + Sync + 'static,
        strip: usize,
        most: usize,
    ) -> Option<Arc<Legs>> {
        let (stream, offset) = self.input.take_source()?;
        let legs = Legs::of_stream(stream, offset, Box::new(is_ready), strip, most);
        self.input.set_source(legs.in_order(offset));
        let legs = Arc::new(legs);
        self.with_legs(&legs);
        Some(legs)
    }

    /// Uncompressed bytes that came from legs.
    pub fn leapt(&self) -> u64 {
        self.leaps.as_ref().map_or(0, |leaps| leaps.taken)
    }

    /// Next bit to read, from the start of the compressed file. In a leg, the start of a block before that.
    pub fn position(&self) -> u64 {
        match &self.leaps {
            Some(leaps) if self.state == State::Leap => leaps.block,
            _ => self.input.position(),
        }
    }

    /// Begin to record which bytes of the present window later matches refer to. Where a block begins. Not with legs of a stream: those of it are
    /// never known.
    pub fn watch_window(&mut self) {
        let (bit, output) = (self.position(), self.output());
        let history = self.history();
        let window = self.slab.window();
        let Some(leaps) = &mut self.leaps else {
            self.lane.watch_window();
            return;
        };
        // Legs do not note what they refer to: so little is decoded once more.
        let offset = bit / 8;
        let Some(file) = leaps.legs.file() else {
            return;
        };
        let source = Box::new(ReadFrom::new(Arc::clone(file), offset));
        let start = Start::Block {
            skip: (bit % 8) as u8,
            window: &window[WINDOW - history..],
        };
        let decoder = match leaps.watch.take() {
            Some(mut watch) => {
                watch
                    .decoder
                    .restart(source, offset, start, Goal::EndOfFile);
                watch.decoder
            }
            None => {
                let slab = Slab::new(WATCHED);
                Box::new(Decoder::new(source, offset, start, Goal::EndOfFile, slab))
            }
        };
        let mut watch = Watch {
            decoder,
            end: output + WINDOW as u64,
        };
        watch.decoder.lane.watch_window();
        leaps.watch = Some(watch);
    }

    /// See [`Lane::take_references`](thalweg_inflate::Lane::take_references).
    pub fn take_references(&mut self, force: bool) -> Option<Box<References>> {
        let output = self.output();
        let Some(leaps) = &mut self.leaps else {
            return self.lane.take_references(force);
        };
        let watch = leaps.watch.as_mut()?;
        if !force && output < watch.end {
            return None;
        }
        // A fault is one of this decoder, too.
        while watch.decoder.output() < WATCHED as u64
            && watch.decoder.advance().is_ok()
            && watch.decoder.event().is_none()
        {}
        watch.decoder.lane.take_references(force)
    }

    /// At a block's start: whether a leg begins here.
    pub(super) fn look_for_leg(&mut self) {
        let (bit, history) = (self.input.position(), self.history());
        let Some(leaps) = &mut self.leaps else {
            return;
        };
        if let Some(mut text) = leaps.text.take()
            && text.begin_member(bit)
        {
            leaps.text = Some(text);
            leaps.block = bit;
            self.state = State::Leap;
            return;
        }
        let window = self.slab.window().first_chunk().expect("a whole window");
        if let Some(leg) = leaps.legs.take(bit, window, history, &mut leaps.helper) {
            leaps.text = Some(Box::new(LegText::new(leg, window)));
            leaps.block = bit;
            self.state = State::Leap;
        }
    }

    /// Take some of a leg, up to the start of a block in it if these are to be told.
    pub(super) fn leap(&mut self) -> Result<(), Error> {
        // What comes next may have been summed.
        self.sum_up();
        let limit = self.limit_left();
        let Some(leaps) = &mut self.leaps else {
            return Ok(());
        };
        let Some(text) = &mut leaps.text else {
            return self.land();
        };
        let next_block = match self.report_blocks {
            true => text.next_block(),
            false => None,
        };
        let member_end = text.next_member_end();
        if let Some((member, 0)) = member_end
            && next_block.is_none_or(|(_, before)| before > 0)
        {
            // The rest of the leg waits until that has been passed.
            let legs = Arc::clone(&leaps.legs);
            self.go_to_trailer(&legs, member.trailer);
            return Ok(());
        }
        let (output, at) = self.slab.output(limit);
        let before = [next_block.map(|next| next.1), member_end.map(|end| end.1)];
        let before = before.into_iter().flatten().min();
        let room = before.map_or(output.len(), |before| {
            output.len().min(at + before as usize)
        });
        let room = &mut output[at..room];
        let has_room = !room.is_empty();
        let taken = text.read(room);
        // At the end of the leg nothing comes although there is room.
        let is_over = taken.length == 0 && has_room;
        let is_at_block = next_block.is_some_and(|(_, before)| before == taken.length as u64);
        if let (Some((bit, _)), true) = (next_block, is_at_block) {
            text.begin_block();
            leaps.block = bit;
            self.event = Some(Event::Block);
        }
        leaps.taken += taken.length as u64;
        self.slab.extend(taken.length);
        if taken.is_summed {
            self.summed = self.slab.end();
            for sum in self.member.iter_mut().chain(&mut self.chunk) {
                sum.pass(taken.length, taken.sum);
            }
        }
        if is_over {
            return self.land();
        }
        if self.event.is_none() && (self.slab.room() == 0 || self.limit_left() == 0) {
            self.event = Some(Event::Full);
        }
        Ok(())
    }

    /// Go on behind a leg.
    fn land(&mut self) -> Result<(), Error> {
        let text = self.leaps.as_mut().and_then(|leaps| {
            let legs = Arc::clone(&leaps.legs);
            Some((legs, leaps.text.take()?))
        });
        let Some((legs, text)) = text else {
            return Ok(());
        };
        if text.is_stream_end() {
            self.go_to_trailer(&legs, text.end());
            return Ok(());
        }
        let (offset, skip) = (text.end() / 8, (text.end() % 8) as u8);
        self.input.restart(legs.in_order(offset), offset, skip);
        self.lane.start(self.history());
        self.state = State::Deflate;
        self.block_begins()
    }

    /// Go on at the trailer of a member, whose first bit is this one from the start of the file.
    fn go_to_trailer(&mut self, legs: &Legs, bit: u64) {
        let offset = bit / 8;
        self.input.restart(legs.in_order(offset), offset, 0);
        self.state = State::Trailer;
    }
}

/// Bytes of text that another decoder makes to see what they refer to: a window, and the rest of a match.
const WATCHED: usize = WINDOW + 512;

impl Checksum {
    /// Go on behind `length` bytes that were summed with others, and at the end of these take their CRC32 and their number.
    fn pass(&mut self, length: usize, sum: Option<(u32, u64)>) {
        self.length += length as u64;
        if let Some((crc32, length)) = sum {
            let others = crc32fast::Hasher::new_with_initial_len(crc32, length);
            self.hasher.combine(&others);
        }
    }
}
