//! Batches of several files, each of which can only be decoded in order: where the order of batches does not matter.
//!
//! ```text
//! one after the other (sequential):  a a a a a a b b b b     one worker decodes at a time
//! abreast:                           a a a a a a             another worker for each file,
//!                                    b b b b                 or one worker several in one loop
//! ```
//! Of several faults, the first in the order of the files is told: files before the one with a fault are read to their
//! ends, those behind it no further.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use thalweg_flow::{Made, Relay};
use thalweg_gzip::{LANES, Workbench};

use crate::Error;
use crate::batch::{Batch, BufferPool};
use crate::checks::Checks;
use crate::section::Section;
use crate::sequential::Decoded;
use crate::task::{Task, work};

/// Tickets that one file may have: more than a file has batches, of 256 KiB most often.
const TICKETS: u64 = 1 << 40;

/// Files of sections that follow each other.
pub(crate) struct Abreast {
    sections: Range<usize>,
    /// They are gzip: of two or more, one thread decodes more in one loop than by turns. At 96x, k = 31, two threads count two
    /// or four files so in 0.92 of the time that they take with a file each, and in 0.84 of that of one file after the other.
    in_lanes: bool,
    relay: Relay<Stream, Decoded>,
    checks: Arc<Checks>,
}

/// What is left of one file.
struct Stream {
    task: Task,
    tickets: u64,
    has_ended: bool,
}

impl Abreast {
    /// All such files of which there are at least two behind each other; their sections have nothing left then.
    pub(crate) fn of(sections: &[Section]) -> Vec<Self> {
        let mut all = Vec::new();
        let mut start = 0;
        let together = |a: &Section, b: &Section| {
            a.goes_abreast() && b.goes_abreast() && a.is_gzip() == b.is_gzip()
        };
        for run in sections.chunk_by(together) {
            let end = start + run.len();
            if run.len() > 1 {
                all.push(Self::new(start..end, run));
            }
            start = end;
        }
        all
    }

    fn new(sections: Range<usize>, run: &[Section]) -> Self {
        let streams = run.iter().filter_map(Section::take_sequential);
        Self {
            sections,
            in_lanes: run[0].is_gzip(),
            relay: Relay::of(streams.map(|task| Stream {
                task,
                tickets: 0,
                has_ended: false,
            })),
            checks: Arc::default(),
        }
    }

    /// The sections whose files these are.
    pub(crate) fn sections(&self) -> Range<usize> {
        self.sections.clone()
    }

    /// The checks of what has been decoded.
    pub(crate) fn checks(&self) -> &Checks {
        &self.checks
    }

    /// The section whose batch or fault has this ticket.
    pub(crate) fn section_of(&self, ticket: u64) -> usize {
        self.sections.start + (ticket / TICKETS) as usize
    }

    /// What comes next of any file; `None` behind all ends.
    ///
    /// Up to `ahead` bytes of batches lie ready. `sections` are all of the reader.
    pub(crate) fn next(
        &self,
        sections: &[Section],
        threads: usize,
        ahead: u64,
        workbench: &mut Workbench,
        pool: &Arc<BufferPool>,
    ) -> Option<Decoded> {
        let at_once = match self.in_lanes {
            true => self.sections.len().div_ceil(threads).clamp(2, LANES),
            false => 1,
        };
        let make = |streams: &mut [(usize, Stream)], _: bool| {
            Ok::<_, Infallible>(self.make(streams, sections, workbench, pool))
        };
        let Ok(next) = self.relay.next_of(ahead, at_once, make);
        next
    }

    /// The next batch of one of `streams`, or its fault.
    fn make(
        &self,
        streams: &mut [(usize, Stream)],
        sections: &[Section],
        workbench: &mut Workbench,
        pool: &Arc<BufferPool>,
    ) -> Made<Decoded> {
        loop {
            let is_over = |(number, stream): &(usize, Stream)| {
                stream.has_ended || self.checks.has_fault_before(*number as u64 * TICKETS)
            };
            if let Some(over) = streams.iter().position(is_over) {
                streams.swap(over, streams.len() - 1);
                return Made::End;
            }
            let ready = streams
                .iter()
                .position(|(_, stream)| stream.task.is_ready());
            let (position, outcome) = match ready {
                Some(position) => {
                    let (number, stream) = &mut streams[position];
                    let section = &sections[self.sections.start + *number];
                    (position, stream.cut(section, pool))
                }
                None => match work(workbench, streams.iter_mut().map(|(_, it)| &mut it.task)) {
                    Ok(()) => continue,
                    Err((position, error)) => (position, Err(error)),
                },
            };
            let (number, stream) = &mut streams[position];
            stream.has_ended |= outcome.is_err();
            let ticket = *number as u64 * TICKETS + stream.tickets;
            stream.tickets += 1;
            let weight = outcome.as_ref().map_or(0, Batch::memory);
            let check = self.checks.begin(ticket);
            let item = Decoded { check, outcome };
            return Made::Item { item, weight };
        }
    }
}

impl Stream {
    fn cut(&mut self, section: &Section, pool: &Arc<BufferPool>) -> Result<Batch, Error> {
        let batch = self.task.cut(pool)?;
        if self.task.is_finished() {
            self.has_ended = true;
            section.keep_index(&mut self.task)?;
        }
        Ok(batch)
    }
}
