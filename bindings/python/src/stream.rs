//! An iteration under way: threads that read, and what they give in the order of the input.

use std::process;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use thalweg::{Batches, Reads};

use crate::errors;
use crate::waiting::HEARS_AFTER;

/// Batches of some reads, or what is made of them, in order; with it end its threads.
pub(crate) struct Stream<T: Send + 'static = thalweg::Batch> {
    /// Never waited for: the lock is there because Python may look at an iteration from any thread.
    batches: Option<Mutex<Batches<T>>>,
    /// That of the process that has the threads.
    process: u32,
    /// Something may have to be waited for without end.
    waits: bool,
}

impl Stream {
    /// Of open reads. `waits`: not all of them are regular files.
    pub(crate) fn new(reads: Reads, waits: bool) -> Self {
        let workers = reads.all_workers();
        let batches = match waits {
            true => workers.beside(),
            false => workers.into_iter(),
        };
        Self::of(batches, waits)
    }
}

impl<T: Send + 'static> Stream<T> {
    fn of(batches: Batches<T>, waits: bool) -> Self {
        Self {
            batches: Some(Mutex::new(batches)),
            process: process::id(),
            waits,
        }
    }

    /// What `add` makes of batches, as of [`thalweg::Workers::made_in_order`].
    pub(crate) fn made(
        reads: Reads,
        waits: bool,
        add: impl Fn(&mut Option<T>, thalweg::Batch) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::of(reads.all_workers().made_in_order(waits, add), waits)
    }

    /// The next batch. Others may use the interpreter meanwhile.
    ///
    /// # Errors
    /// A fault of the reads, what a handler of signals raises, or that the process is not the one that began. There
    /// are no more batches then.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Option<T>> {
        if self.process != process::id() {
            return Err(errors::of_fork());
        }
        let Some(batches) = &mut self.batches else {
            return Ok(None);
        };
        let batches = batches.get_mut().unwrap_or_else(PoisonError::into_inner);
        let outcome = loop {
            let next = py.detach(|| batches.next_within(HEARS_AFTER));
            if let Err(interrupt) = py.check_signals() {
                break Err(interrupt);
            }
            match next {
                None => {}
                Some(Some(Ok(batch))) => return Ok(Some(batch)),
                Some(Some(Err(error))) => break Err(errors::of_reads(py, &error)),
                Some(None) => break Ok(None),
            }
        };
        py.detach(|| self.close());
        outcome
    }

    /// Stop, and have no more batches.
    pub(crate) fn close(&mut self) {
        let Some(batches) = self.batches.take() else {
            return;
        };
        if self.process != process::id() {
            // Threads that are not there cannot be waited for.
            std::mem::forget(batches);
        } else if self.waits {
            let batches = batches.into_inner();
            batches.unwrap_or_else(PoisonError::into_inner).leave();
        }
    }
}

impl<T: Send + 'static> Drop for Stream<T> {
    fn drop(&mut self) {
        if self.batches.is_none() {
            return;
        }
        // Others use the interpreter while threads end. Where there is none any more, nobody is held up.
        if Python::try_attach(|py| py.detach(|| self.close())).is_none() {
            self.close();
        }
    }
}
