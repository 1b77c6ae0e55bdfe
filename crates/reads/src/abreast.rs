//! Batches of several files, each of which can only be decoded in order: where the order of batches does not matter.
//!
//! ```text
//! one after the other (sequential):  a a a a a a b b b b     one worker decodes at a time
//! abreast:                           a a a a a a             another worker for each file,
//!                                    b b b b                 or one worker several in one loop
//! fewer files left than workers:     a a a a a a             those that find nothing to take decode legs of it
//! ```
//! Of several faults, the first in the order of the files is told: files before the one with a fault are read to their
//! ends, that one and those behind it no further.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thalweg_flow::{Budget, Made, Relay};
use thalweg_gzip::{Helper, LANES, Legs, Workbench};

use crate::batch::{Batch, BufferPool};
use crate::checks::Checks;
use crate::legs::decode_in_legs;
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
    /// Files that have not ended.
    left: AtomicUsize,
    /// Of those that are under way.
    legs: Mutex<Vec<Arc<Legs>>>,
}

/// What is left of one file.
struct Stream {
    /// Nothing is left of it behind its end, or behind a fault.
    task: Option<Task>,
    tickets: u64,
    /// What other workers decode of it, since there are fewer files than workers; none if it is not worth it.
    legs: Option<Vec<Arc<Legs>>>,
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
            relay: Relay::of(streams.map(|task| Stream {
                task,
                tickets: 0,
                legs: None,
            })),
            checks: Arc::default(),
            left: AtomicUsize::new(run.len()),
            legs: Mutex::default(),
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
        budget: Budget,
        ahead: u64,
        (workbench, helper): (&mut Workbench, &mut Helper),
        pool: &Arc<BufferPool>,
    ) -> Option<Decoded> {
        let at_once = match self.in_lanes && self.left() >= budget.threads() {
            true => (self.sections.len().div_ceil(budget.threads())).clamp(2, LANES),
            false => 1,
        };
        let meanwhile = || {
            let legs = self.lock_legs().clone();
            legs.iter().any(|legs| legs.help(helper))
        };
        let make = |streams: &mut [(usize, Stream)], _: bool| {
            self.share(streams, budget);
            Ok::<_, Infallible>(self.make(streams, sections, workbench, pool))
        };
        let Ok(next) = self.relay.next_of_or(ahead, at_once, make, meanwhile);
        next
    }

    /// Have other workers decode what is left of `streams`, too, if there are not enough files for all.
    fn share(&self, streams: &mut [(usize, Stream)], budget: Budget) {
        let left = self.left();
        if left >= budget.threads() {
            return;
        }
        for (_, stream) in streams {
            if let (Some(task), None) = (&mut stream.task, &stream.legs) {
                let legs = decode_in_legs(&mut task.feeds, left, budget);
                self.lock_legs().extend_from_slice(&legs);
                stream.legs = Some(legs);
            }
        }
    }

    /// A stream has ended.
    fn end(&self, stream: &mut Stream) {
        self.left.fetch_sub(1, Ordering::Relaxed);
        for legs in stream.legs.take().unwrap_or_default() {
            legs.close();
            self.lock_legs().retain(|other| !Arc::ptr_eq(other, &legs));
        }
    }

    fn left(&self) -> usize {
        self.left.load(Ordering::Relaxed)
    }

    fn lock_legs(&self) -> MutexGuard<'_, Vec<Arc<Legs>>> {
        self.legs.lock().unwrap_or_else(PoisonError::into_inner)
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
                self.end(&mut streams[over].1);
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::{IndexUse, ReaderOptions};

    /// With as many files as workers each worker has one; with fewer, or once one of them has ended, legs of the others are decoded.
    #[test]
    fn legs_are_decoded_when_there_are_fewer_files_than_workers() {
        let place = tempfile::tempdir().unwrap();
        let mut state = 1_u64;
        let mut letter = |letters: &[u8]| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            letters[(state >> 33) as usize % letters.len()]
        };
        let files = [("a", 10), ("b", 36_000), ("c", 45_000)].map(|(name, count)| {
            let path = place.path().join(name);
            let mut file = GzEncoder::new(Vec::new(), Compression::new(6));
            for _ in 0..count {
                let bases: Vec<u8> = (0..100).map(|_| letter(b"ACGT")).collect();
                let qualities: Vec<u8> = (0..100).map(|_| letter(b"#-6;AEFFFIII")).collect();
                for line in [&b"@r"[..], &bases, b"+", &qualities] {
                    file.write_all(line)
                        .and_then(|()| file.write_all(b"\n"))
                        .unwrap();
                }
            }
            std::fs::write(&path, file.finish().unwrap()).unwrap();
            path
        });
        let most_legs = |files: &[std::path::PathBuf], threads: usize| {
            let options = files.iter().fold(ReaderOptions::new(), ReaderOptions::file);
            let options = options.index(IndexUse::Never).budget(Budget::new(threads));
            let reader = Arc::new(options.open().unwrap());
            let mut worker = reader.worker_in_any_order(0);
            let mut most = 0;
            while worker.next_batch().unwrap().is_some() {
                let abreast = reader.abreast_from(0, true).unwrap();
                most = most.max(abreast.lock_legs().len());
            }
            let abreast = reader.abreast_from(0, true).unwrap();
            assert_eq!((abreast.lock_legs().len(), abreast.left()), (0, 0));
            most
        };
        assert_eq!(most_legs(&files[1..], 1), 0);
        assert_eq!(
            most_legs(&files[1..], 4),
            1,
            "one worker alone has one file after the other"
        );
        assert_eq!(most_legs(&files, 3), 1, "the small one has ended");
    }
}
