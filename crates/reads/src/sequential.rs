//! Batches of what can only be decoded in order: by one worker at a time, for all of them.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use thalweg_flow::{Budget, Gate, Made, Relay};
use thalweg_gzip::{Helper, Legs};

use crate::batch::Batch;
use crate::checks::{Check, Checks};
use crate::legs::decode_in_legs;
use crate::task::Task;
use crate::{Error, ErrorKind};

/// The records of one file, or of several in step, as one worker after the other decodes them.
pub(crate) struct Sequential {
    relay: Relay<Decoding, Decoded>,
    /// Records that are wanted, if not all are.
    wanted: Mutex<Option<u64>>,
    /// Of what has been decoded; by all workers at a time.
    checks: Arc<Checks>,
    /// What workers decode that find nothing to take.
    legs: OnceLock<Vec<Arc<Legs>>>,
}

/// What the worker has that decodes.
struct Decoding {
    /// Nothing is left of it behind its end, or behind a fault.
    task: Option<Task>,
    tickets: u64,
    /// Records that are wanted and were not given yet, if not all are.
    left: Option<u64>,
}

/// What came next; not checked yet.
pub(crate) struct Decoded {
    pub(crate) check: Check,
    pub(crate) outcome: Result<Batch, Error>,
}

impl Sequential {
    pub(crate) fn new(task: Task, wanted: Option<u64>) -> Self {
        Self {
            relay: Relay::new(Decoding {
                task: Some(task),
                tickets: 0,
                left: wanted,
            }),
            wanted: Mutex::new(wanted),
            checks: Arc::default(),
            legs: OnceLock::new(),
        }
    }

    /// Have other workers decode, too, if that is worth it. Before the first batch.
    pub(crate) fn share(&self, budget: Budget) {
        self.legs.get_or_init(|| {
            let shared = |decoding: &mut Decoding| match (&mut decoding.task, decoding.left) {
                (Some(task), None) => {
                    let files = task.feeds.len();
                    decode_in_legs(&mut task.feeds, files, budget)
                }
                _ => Vec::new(),
            };
            self.relay.at_home(shared).unwrap_or_default()
        });
    }

    /// Want no more than `records` of each file, before the first is decoded. Of none, nothing is read.
    pub(crate) fn limit(&self, records: u64) {
        self.relay.at_home(|decoding| {
            if let (0, Some(task)) = (decoding.tickets, &mut decoding.task) {
                *self.lock_wanted() = Some(records);
                decoding.left = Some(records);
                task.feeds.iter_mut().for_each(|feed| feed.limit(records));
                if records == 0 {
                    decoding.task = None;
                }
            }
        });
    }

    /// Whether nothing has been decoded, and there is something to decode.
    pub(crate) fn is_unbegun(&self) -> bool {
        let unbegun = |decoding: &mut Decoding| decoding.tickets == 0 && decoding.task.is_some();
        self.relay.at_home(unbegun).unwrap_or(false)
    }

    /// The task, if nothing of it has been decoded; nothing is left here then.
    pub(crate) fn take(&self) -> Option<Task> {
        let taken = |decoding: &mut Decoding| decoding.task.take_if(|_| decoding.tickets == 0);
        self.relay.at_home(taken).flatten()
    }

    /// Records that are wanted, if not all are.
    pub(crate) fn wanted(&self) -> Option<u64> {
        *self.lock_wanted()
    }

    /// Those of them that were not given, once all are decoded that there are.
    pub(crate) fn left(&self) -> Option<u64> {
        self.relay.at_home(|decoding| decoding.left).flatten()
    }

    /// Batches, once all are decoded.
    pub(crate) fn tickets(&self) -> u64 {
        self.relay.at_home(|decoding| decoding.tickets).unwrap_or(0)
    }

    /// The checks of what has been decoded.
    pub(crate) fn checks(&self) -> &Arc<Checks> {
        &self.checks
    }

    /// What comes next, or the fault in its place; `None` behind the end, and behind a fault.
    ///
    /// A worker that finds nothing to take decodes ahead, with `helper`, where that is [shared](Self::share).
    ///
    /// Tickets count from `first_ticket`. `decode` gives the next batch of the task; up to `ahead` bytes of batches lie
    /// ready.
    ///
    /// # Errors
    /// [`ErrorKind::Stopped`] if the gate was closed.
    pub(crate) fn next(
        &self,
        first_ticket: u64,
        ahead: u64,
        gate: Option<&Gate>,
        helper: &mut Helper,
        mut decode: impl FnMut(&mut Task) -> Result<Batch, Error>,
    ) -> Result<Option<Decoded>, Error> {
        let legs = self.legs.get().map_or(&[][..], Vec::as_slice);
        let meanwhile = || !self.checks.has_fault() && legs.iter().any(|legs| legs.help(helper));
        let make = |decoding: &mut Decoding, some_are_ready: bool| {
            if decoding.task.is_none() || self.checks.has_fault() {
                return Ok(Made::End);
            }
            let ticket = first_ticket + decoding.tickets;
            if let Some(gate) = gate {
                let stopped = |_| Error::new(ErrorKind::Stopped);
                // Nobody may wait for those that lie ready: it could be everybody.
                if some_are_ready && !gate.admits(ticket).map_err(stopped)? {
                    return Ok(Made::NotNow);
                }
                gate.wait(ticket).map_err(stopped)?;
            }
            let check = self.checks.begin(ticket);
            let outcome = decoding.next(ticket, &mut decode);
            let weight = outcome.as_ref().map_or(0, Batch::memory);
            let item = Decoded { check, outcome };
            Ok(Made::Item { item, weight })
        };
        self.relay.next_or(ahead, make, meanwhile)
    }

    fn lock_wanted(&self) -> MutexGuard<'_, Option<u64>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Decoding {
    /// The next batch, as `ticket`.
    fn next(
        &mut self,
        ticket: u64,
        decode: impl FnOnce(&mut Task) -> Result<Batch, Error>,
    ) -> Result<Batch, Error> {
        self.tickets += 1;
        // Nobody can go on behind a fault.
        let Some(mut task) = self.task.take() else {
            return Err(Error::new(ErrorKind::Stopped));
        };
        let mut batch = decode(&mut task)?;
        if !task.is_finished() {
            self.task = Some(task);
        }
        if let Some(left) = &mut self.left {
            *left -= batch.blocks()[0].ending();
        }
        batch.place.ticket = ticket;
        batch.place.piece = 0;
        batch.place.last = true;
        Ok(batch)
    }
}
