use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use thalweg_flow::Gate;
use thalweg_gzip::{Helper, Workbench};

use super::Reader;
use crate::abreast::Abreast;
use crate::batch::{Batch, Block};
use crate::claims::OutsideClaims;
use crate::cutter::Cutter;
use crate::pipes::Pipes;
use crate::plan::Plan;
use crate::section::Section;
use crate::sequential::{Decoded, Sequential};
use crate::task::{self, Task};
use crate::{ClaimReport, Error, ErrorKind};

/// One thread's way through the records.
pub struct Worker {
    reader: Arc<Reader>,
    number: usize,
    section: usize,
    tasks: Vec<Task>,
    /// A piece of work that is claimed and waits at the gate.
    pending: Option<u64>,
    /// Claims taken from a contiguous interval.
    taken: u64,
    gate: Option<Arc<Gate>>,
    /// Batches may come in any order.
    any_order: bool,
    failed: bool,
    workbench: Workbench,
    helper: Helper,
    /// Who gives claims out, if it is not the section.
    outside: Option<OutsideClaims>,
    /// What became of the claims from outside, counted from the first of the section.
    finished: Vec<ClaimReport>,
}

impl Worker {
    pub(super) fn new(
        reader: Arc<Reader>,
        number: usize,
        gate: Option<Arc<Gate>>,
        any_order: bool,
    ) -> Self {
        Self {
            reader,
            number,
            section: 0,
            tasks: Vec::new(),
            pending: None,
            taken: 0,
            gate,
            any_order,
            failed: false,
            workbench: Workbench::new(),
            helper: Helper::default(),
            outside: None,
            finished: Vec::new(),
        }
    }

    /// Read what `claims` gives, of the only section.
    pub(crate) fn of_claims(mut self, claims: OutsideClaims) -> Self {
        self.outside = Some(claims);
        self
    }

    /// Where claims came from, to go on with those of other sections.
    pub(crate) fn take_outside(&mut self) -> Option<OutsideClaims> {
        self.outside.take()
    }

    /// What became of the claims from outside that are done.
    pub(crate) fn take_finished(&mut self) -> impl Iterator<Item = ClaimReport> {
        std::mem::take(&mut self.finished).into_iter()
    }

    /// Whether it has ended before the end, for a fault that it or another worker tells.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// The next batch for this worker; `None` when there are no more.
    ///
    /// The batches of all workers together hold every record once. After an
    /// error the worker has no more batches.
    ///
    /// # Errors
    /// The first fault that this worker meets; of files that are decoded at the
    /// same time, the first of all. [`ErrorKind::Stopped`] if the
    /// gate was closed.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, Error> {
        if self.failed {
            return Ok(None);
        }
        let reader = Arc::clone(&self.reader);
        if reader.is_cancelled() {
            self.failed = true;
            return Err(Error::new(ErrorKind::Cancelled));
        }
        let outcome = self.step(&reader);
        let outcome = outcome.map_err(|error| match reader.sections.get(self.section) {
            Some(section) => section.through_index(reader.diagnose(section, error)),
            None => error,
        });
        self.failed |= outcome.is_err();
        if let Ok(Some(batch)) = &outcome {
            let records = batch.blocks().first().map_or(0, Block::ending);
            reader.given.fetch_add(records, Ordering::Relaxed);
        }
        outcome
    }

    fn step(&mut self, reader: &Reader) -> Result<Option<Batch>, Error> {
        while let Some(section) = reader.sections.get(self.section) {
            if let Some(abreast) = reader.abreast_from(self.section, self.any_order) {
                let batch = self.next_abreast(reader, abreast)?;
                if batch.is_some() || self.failed {
                    return Ok(batch);
                }
                self.go_behind(reader, abreast.sections())?;
                continue;
            }
            let batch = match &section.plan {
                Plan::Sequential(state) => self.next_sequential(reader, section, state)?,
                Plan::InStep(cutter) => self.next_cut(cutter, reader, section)?,
                Plan::Pipes(pipes) => self.next_of_pipes(reader, section, pipes)?,
                _ => self.next_parallel(reader, section)?,
            };
            if let Some(mut batch) = batch {
                // What is read in order has been checked.
                if !matches!(section.plan, Plan::Sequential(_) | Plan::Pipes(_)) {
                    reader.check(section, &mut batch)?;
                }
                return Ok(Some(match section.plan {
                    Plan::Pipes(_) => batch,
                    _ => batch.of_set(section.set),
                }));
            }
            if section.wait_for_fault() {
                // The worker that has the first fault tells it; nobody goes on behind it.
                self.failed = true;
                return Ok(None);
            }
            self.go_behind(reader, self.section..self.section + 1)?;
        }
        Ok(None)
    }

    /// Nothing is left of these sections for this worker.
    fn go_behind(&mut self, reader: &Reader, sections: Range<usize>) -> Result<(), Error> {
        let done = &reader.sections[sections.clone()];
        for file in done.iter().flat_map(|section| &section.files) {
            file.file.check_unchanged()?;
        }
        self.section = sections.end;
        self.taken = 0;
        if let (Some(next), Some(last)) = (reader.sections.get(self.section), done.last()) {
            next.begin_behind(last);
        }
        Ok(())
    }

    /// The next batch of any of several files that are decoded at the same time.
    ///
    /// `None` also if one has a fault, which another worker tells.
    fn next_abreast(&mut self, reader: &Reader, abreast: &Abreast) -> Result<Option<Batch>, Error> {
        let (sections, budget, ahead) = (&reader.sections, reader.budget, reader.ahead());
        let (workbench, helper, pool) = (&mut self.workbench, &mut self.helper, &reader.pool);
        while let Some(Decoded { check, outcome }) =
            abreast.next(sections, budget, ahead, (workbench, helper), pool)
        {
            let checked = outcome.and_then(|mut batch| {
                reader.check(section_of(sections, &batch), &mut batch)?;
                Ok(batch)
            });
            match checked {
                Ok(batch) => return Ok(Some(batch)),
                Err(fault) => check.note(fault),
            }
        }
        let Some((ticket, fault)) = abreast.checks().noted() else {
            return Ok(None);
        };
        self.failed = true;
        self.section = abreast.section_of(ticket);
        fault.map_or(Ok(None), Err)
    }

    fn next_parallel(
        &mut self,
        reader: &Reader,
        section: &Section,
    ) -> Result<Option<Batch>, Error> {
        loop {
            self.begin_tasks(reader, section)?;
            if self.tasks.is_empty() {
                return Ok(None);
            }
            if let Some(position) = self.tasks.iter().position(Task::is_ready) {
                let batch = self.tasks[position].cut(&reader.pool)?;
                if self.tasks[position].is_finished() {
                    self.finish_task(section, position)?;
                }
                return Ok(Some(batch));
            }
            task::work(&mut self.workbench, self.tasks.iter_mut()).map_err(|(_, error)| error)?;
        }
    }

    /// The next batch of a part that this worker has to itself.
    fn next_cut(
        &mut self,
        cutter: &Mutex<Cutter>,
        reader: &Reader,
        section: &Section,
    ) -> Result<Option<Batch>, Error> {
        if self.tasks.is_empty() {
            let Some(task) = section.next_cut(cutter, reader.group, &reader.pool)? else {
                return Ok(None);
            };
            if let Some(gate) = &self.gate {
                gate.wait(task.ticket)
                    .map_err(|_| Error::new(ErrorKind::Stopped))?;
            }
            self.tasks.push(task);
        }
        let batch = self.tasks[0].next_in_step(&mut self.workbench, &reader.pool)?;
        if self.tasks[0].is_finished() {
            self.tasks.clear();
        }
        Ok(Some(batch))
    }

    fn finish_task(&mut self, section: &Section, position: usize) -> Result<(), Error> {
        let mut task = self.tasks.swap_remove(position);
        section.keep_index(&mut task)?;
        section
            .in_flight
            .fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        let claim = task.ticket - section.ticket(0);
        let seam = task.feeds[0].seam();
        if self.outside.is_some() {
            let records = task.records_given();
            let is_inspected = matches!(section.plan, Plan::Parts { .. });
            let seam = Some(seam).filter(|_| is_inspected);
            self.finished.push(ClaimReport {
                claim,
                records,
                seam,
            });
        }
        section.close_part(claim, seam)
    }

    /// Claim work until this worker has its share.
    fn begin_tasks(&mut self, reader: &Reader, section: &Section) -> Result<(), Error> {
        loop {
            if self.pending.is_none() {
                let threads = reader.budget.threads();
                let left = self.outside.as_ref().map(OutsideClaims::left);
                if self.tasks.len() >= section.tasks_wanted(threads, left) {
                    return Ok(());
                }
                self.pending = self.claim(reader, section);
            }
            let Some(claim) = self.pending else {
                return Ok(());
            };
            if let Some(gate) = &self.gate {
                let ticket = section.ticket(claim);
                let stopped = |_| Error::new(ErrorKind::Stopped);
                if self.tasks.is_empty() {
                    gate.wait(ticket).map_err(stopped)?;
                } else if !gate.admits(ticket).map_err(stopped)? {
                    return Ok(());
                }
            }
            self.pending = None;
            self.tasks
                .push(section.task(claim, reader.group, &reader.pool)?);
        }
    }

    fn claim(&mut self, reader: &Reader, section: &Section) -> Option<u64> {
        let (Plan::Indexed { claims, .. } | Plan::Parts { claims, .. }) = &section.plan else {
            return None;
        };
        let claim = if let Some(outside) = &mut self.outside {
            outside.claim()
        } else if reader.intervals {
            let threads = reader.budget.threads() as u64;
            let bound = |worker: u64| claims.len() * worker / threads;
            let next = bound(self.number as u64) + self.taken;
            self.taken += 1;
            Some(next).filter(|next| *next < bound(self.number as u64 + 1))
        } else {
            claims.claim()
        };
        if claim.is_some() {
            section
                .in_flight
                .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        claim
    }

    /// The next batch of several pipes. Whatever order it was asked for, it is the one in which data come.
    fn next_of_pipes(
        &mut self,
        reader: &Reader,
        section: &Section,
        pipes: &Pipes,
    ) -> Result<Option<Batch>, Error> {
        let (first_ticket, ahead) = (section.ticket(0), reader.ahead());
        let next = pipes.next(first_ticket, ahead, &mut self.workbench, &reader.pool)?;
        let Some(Decoded { check, outcome }) = next else {
            return Ok(None);
        };
        let checked =
            outcome.and_then(|mut batch| reader.check(section, &mut batch).map(|()| batch));
        match checked {
            Ok(batch) => Ok(Some(batch)),
            Err(error) if check.fails_first() => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// The next batch of what one worker at a time decodes, checked while others decode.
    ///
    /// `None` also if it has a fault, but one before it has one too.
    fn next_sequential(
        &mut self,
        reader: &Reader,
        section: &Section,
        state: &Sequential,
    ) -> Result<Option<Batch>, Error> {
        state.share(reader.budget);
        let (workbench, helper) = (&mut self.workbench, &mut self.helper);
        let decode = |task: &mut Task| {
            let batch = task.next_in_step(workbench, &reader.pool)?;
            if task.is_finished() {
                section.keep_index(task)?;
            }
            Ok(batch)
        };
        let gate = self.gate.as_deref();
        let next = state.next(section.ticket(0), reader.ahead(), gate, helper, decode)?;
        let Some(Decoded { check, outcome }) = next else {
            return Ok(None);
        };
        let checked =
            outcome.and_then(|mut batch| reader.check(section, &mut batch).map(|()| batch));
        match checked {
            Ok(batch) => Ok(Some(batch)),
            Err(error) if check.fails_first() => Err(error),
            Err(_) => Ok(None),
        }
    }
}

/// The section of one file that a batch is from.
fn section_of<'a>(sections: &'a [Section], batch: &Batch) -> &'a Section {
    let behind = sections.partition_point(|section| section.set <= batch.set());
    &sections[behind - 1]
}
