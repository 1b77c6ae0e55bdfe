//! One thread's way through the claims of its process.

use std::ops::Range;
use std::sync::Arc;

use super::{ClaimReport, ClaimSource, SharedReader};
use crate::Error;
use crate::batch::Batch;
use crate::reader::{Reader, Worker};

/// Gives the batches of what one thread has claimed, in any order.
pub struct SharedWorker {
    shared: Arc<SharedReader>,
    number: usize,
    current: Option<Current>,
    /// Claimed, and of another set than the current one.
    next: Option<u64>,
    /// There is nothing more to claim.
    is_dry: bool,
}

/// The set that the worker reads of.
struct Current {
    set: usize,
    worker: Worker,
    part: Part,
}

/// Which part of a set.
enum Part {
    /// Claims, the first of which has this number.
    Claims { first: u64 },
    /// What the one who has this claim does not read.
    Whole { claim: u64 },
}

/// Claims of one set, as its worker asks for them.
pub(crate) struct OutsideClaims {
    source: Arc<dyn ClaimSource>,
    /// The numbers of all claims of the set.
    claims: Range<u64>,
    /// Claimed, and not begun yet.
    first: Option<u64>,
    /// Claimed, and of another set.
    next: Option<u64>,
    is_dry: bool,
}

impl OutsideClaims {
    /// The next claim of the set, counted from its first.
    pub(crate) fn claim(&mut self) -> Option<u64> {
        if self.next.is_some() || self.is_dry {
            return None;
        }
        let Some(claim) = self.first.take().or_else(|| self.source.claim()) else {
            self.is_dry = true;
            return None;
        };
        match self.claims.contains(&claim) {
            true => Some(claim - self.claims.start),
            false => {
                self.next = Some(claim);
                None
            }
        }
    }

    /// About how many claims are left for this process.
    pub(crate) fn left(&self) -> u64 {
        self.source.left()
    }
}

impl SharedWorker {
    pub(super) fn new(shared: Arc<SharedReader>, number: usize) -> Self {
        Self {
            shared,
            number,
            current: None,
            next: None,
            is_dry: false,
        }
    }

    /// The next batch for this worker; `None` when there are no more. [`Batch::set`] is the number of its set in the table.
    ///
    /// # Errors
    /// As [`Worker::next_batch`], and those of opening the files of a claim; [`ErrorKind::Changed`](crate::ErrorKind::Changed)
    /// if they are not those of the table.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, Error> {
        loop {
            if let Some(current) = &mut self.current {
                if let Some(batch) = current.worker.next_batch()? {
                    return Ok(Some(batch.of_set(current.set)));
                }
                if current.worker.has_failed() {
                    // Another worker tells why.
                    return Ok(None);
                }
                self.end_set();
            }
            if !self.begin_set()? {
                return Ok(None);
            }
        }
    }

    /// Go on with the set of another claim, or with one that others read; `false` if there is nothing left to do.
    fn begin_set(&mut self) -> Result<bool, Error> {
        let source = self.shared.source();
        let claim = self.next.take();
        let claim = claim.or_else(|| if self.is_dry { None } else { source.claim() });
        let Some(claim) = claim else {
            self.is_dry = true;
            return self.help();
        };
        let (set, claims) = self.shared.set_of(claim)?;
        let reader = self.shared.open(set)?;
        let (worker, part) = if reader.is_divided() {
            let first = claims.start;
            let worker = reader.worker_of_claims(OutsideClaims {
                source: Arc::clone(source),
                claims,
                first: Some(claim),
                next: None,
                is_dry: false,
            });
            (worker, Part::Claims { first })
        } else {
            self.shared.begin_whole(claim, &reader);
            (self.worker_of(&reader), Part::Whole { claim })
        };
        self.current = Some(Current { set, worker, part });
        Ok(true)
    }

    /// Read on where others read a set as a whole: one of them decodes, and all take what is decoded.
    fn help(&mut self) -> Result<bool, Error> {
        let Some((claim, reader)) = self.shared.whole_to_help() else {
            return Ok(false);
        };
        let (set, _) = self.shared.set_of(claim)?;
        self.current = Some(Current {
            set,
            worker: self.worker_of(&reader),
            part: Part::Whole { claim },
        });
        Ok(true)
    }

    fn worker_of(&self, reader: &Arc<Reader>) -> Worker {
        reader.worker_in_any_order(self.number)
    }

    /// Nothing is left of the current set for this worker.
    fn end_set(&mut self) {
        let Some(mut current) = self.current.take() else {
            return;
        };
        match current.part {
            Part::Whole { claim } => self.shared.leave_whole(claim),
            Part::Claims { first } => {
                let finished = current.worker.take_finished();
                self.shared.report(finished.map(|report| ClaimReport {
                    claim: first + report.claim,
                    ..report
                }));
                if let Some(outside) = current.worker.take_outside() {
                    self.next = outside.next;
                    self.is_dry = outside.is_dry;
                }
            }
        }
    }
}
