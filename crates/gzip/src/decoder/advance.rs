//! Several decoders in one loop.

use thalweg_inflate::{self as inflate, Job, Status, Workbench};

use super::{Decoder, Event, Goal, State};
use crate::error::{Error, ErrorKind};

impl Decoder {
    /// Do what needs no kernel, until the kernel is needed or there is an event.
    fn prepare(&mut self) -> Result<(), Error> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        while self.event.is_none() {
            match self.state {
                State::Header => self.read_header()?,
                State::Trailer => self.read_trailer()?,
                State::Between => self.look_for_member()?,
                State::Leap => self.leap()?,
                State::Ended => self.event = Some(Event::End),
                State::Deflate => {
                    if self.decode_block() {
                        continue;
                    }
                    if self.slab.room() == 0 || self.limit_left() == 0 {
                        self.event = Some(Event::Full);
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
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
            // Nothing is reserved here.
            Ok(Status::BlockEnd | Status::Reserved) => self.block_begins(),
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
/// The position in `decoders` of one that failed, and its error. That
/// decoder must not be used again before [`Decoder::restart`]. None of the
/// others is harmed; if more than one fails at once, each tells it when its
/// turn comes.
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
    let mut failed = None;
    for (index, bit, written, status) in done {
        let decoder = &mut decoders[index];
        let outcome = match status {
            Some(status) => decoder.settle(bit, written, status),
            None => {
                decoder.input.bit = bit;
                decoder.slab.extend(written);
                Ok(())
            }
        };
        match outcome {
            Err(error) if failed.is_none() => failed = Some((index, error)),
            Err(error) => decoder.failure = Some(error),
            Ok(()) => {}
        }
    }
    failed.map_or(Ok(()), Err)
}
