//! Batches of several files, each of which can only be decoded in order: where the order of batches does not matter.
//!
//! ```text
//! one after the other (sequential):  a a a a a a b b b b     one worker decodes at a time
//! abreast:                           a a a a a a             another worker for each file,
//!                                    b b b b                 or one worker several in one loop
//! ```
//! Of several faults, the first in the order of the files is told: files before the one with a fault are read to their
//! ends, that one and those behind it no further.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use thalweg_flow::{Made, Relay};
use thalweg_gzip::{LANES, Workbench};

use crate::batch::{Batch, BufferPool};
use crate::checks::Checks;
use crate::section::Section;
use crate::sequential::Decoded;
use crate::task::{Task, work};
use crate::{Error, ErrorKind};

/// Tickets that one file may have: more than a file has batches, of 256 KiB most often.
const TICKETS: u64 = 1 << 40;

/// Files of sections that follow each other.
pub(crate) struct Abreast {
    sections: Range<usize>,
    /// They are gzip: of two or more, one thread decodes more in one loop than by turns, if no other one waits for that: of
    /// two files and two threads, one thread that decodes both leaves the other idle.
    in_lanes: bool,
    relay: Relay<Stream, Decoded>,
    checks: Arc<Checks>,
}

/// What is left of one file.
struct Stream {
    /// Nothing is left of it behind its end, or behind a fault.
    task: Option<Task>,
    tickets: u64,
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
        let streams = run.iter().map(Section::take_sequential);
        Self {
            sections,
            in_lanes: run[0].is_gzip(),
            relay: Relay::of(streams.map(|task| Stream { task, tickets: 0 })),
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
                let next = *number as u64 * TICKETS + stream.tickets;
                stream.task.is_none() || self.checks.has_fault_before(next)
            };
            // So all others have their tasks.
            if let Some(over) = streams.iter().position(is_over) {
                streams.swap(over, streams.len() - 1);
                return Made::End;
            }
            let mut tasks = streams
                .iter_mut()
                .filter_map(|(_, stream)| stream.task.as_mut());
            let (position, outcome) = match tasks.position(|task| task.is_ready()) {
                Some(position) => {
                    let (number, stream) = &mut streams[position];
                    let section = self.sections.start + *number;
                    let batch = stream.cut(&sections[section], pool);
                    (
                        position,
                        batch.map(|batch| batch.of_set(sections[section].set)),
                    )
                }
                None => {
                    let tasks = streams
                        .iter_mut()
                        .filter_map(|(_, stream)| stream.task.as_mut());
                    match work(workbench, tasks) {
                        Ok(()) => continue,
                        Err((position, error)) => (position, Err(error)),
                    }
                }
            };
            let (number, stream) = &mut streams[position];
            if outcome.is_err() {
                stream.task = None;
            }
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
        let Some(task) = &mut self.task else {
            return Err(Error::new(ErrorKind::Stopped));
        };
        let batch = task.cut(pool)?;
        if task.is_finished() {
            section.keep_index(task)?;
            self.task = None;
        }
        Ok(batch)
    }
}
