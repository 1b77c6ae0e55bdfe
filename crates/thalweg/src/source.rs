use thalweg_reads::{Batch, Error, Worker};

use crate::workers::unless_stopped;

/// One thread's share of the batches, one after the other.
pub struct Source {
    worker: Worker,
}

impl Source {
    pub(crate) fn new(worker: Worker) -> Self {
        Self { worker }
    }

    /// The next batch of this thread; `None` when there are no more, or the gate was
    /// closed. Waits at the gate before it begins a piece of work.
    ///
    /// # Errors
    /// The first fault that this thread meets.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, Error> {
        unless_stopped(self.worker.next_batch())
    }
}
