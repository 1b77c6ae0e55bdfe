use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use thalweg_flow::{Crew, Failure, Sequencer, Stop};
use thalweg_reads::{Batch, Error, ErrorKind, Reader, Worker};

use crate::Workers;
use crate::workers::{all_came_out, unless_stopped};

/// The batches of some files in the order of the input.
///
/// Dropping it early stops the threads behind it. After an error there are no
/// more batches.
pub struct Batches {
    reader: Arc<Reader>,
    source: Source,
}

enum Source {
    /// One thread: the caller's own.
    Inline {
        worker: Worker,
        sequencer: Arc<Sequencer<Batch>>,
        ready: VecDeque<Batch>,
    },
    Threads {
        batches: Receiver<Batch>,
        sequencer: Arc<Sequencer<Batch>>,
        crew: Option<Crew<(), Error>>,
    },
    Done,
}

impl Batches {
    pub(crate) fn new(workers: &Workers) -> Self {
        if workers.threads() > 1 {
            return Self::beside(workers);
        }
        let sequencer = Arc::new(Sequencer::new(workers.ahead()));
        let reader = Arc::clone(workers.reader());
        let worker = reader.worker(0, Some(Arc::clone(sequencer.gate())));
        Self {
            reader,
            source: Source::Inline {
                worker,
                sequencer,
                ready: VecDeque::new(),
            },
        }
    }

    /// All work is done by threads beside the caller, also if it is one.
    pub(crate) fn beside(workers: &Workers) -> Self {
        let sequencer = Arc::new(Sequencer::new(workers.ahead()));
        let reader = Arc::clone(workers.reader());
        let threads = workers.threads();
        // Two per thread: one in the consumer's hands, one on the way.
        let (sender, batches) = sync_channel(2 * threads);
        let shared = Arc::clone(&sequencer);
        let read_by = Arc::clone(&reader);
        let work = move |number, stop: &Stop| {
            let mut worker = read_by.worker(number, Some(Arc::clone(shared.gate())));
            let send = |batch| sender.send(batch);
            while let Some(batch) = unless_stopped(worker.next_batch())?
                && !stop.is_stopped()
            {
                // Fails if the consumer left, or another worker failed.
                if shared.commit(batch.place(), batch, send).is_err() {
                    break;
                }
            }
            Ok(())
        };
        let closer = Arc::clone(&sequencer);
        let crew = Crew::start(threads, work, move || closer.close());
        Self {
            reader,
            source: Source::Threads {
                batches,
                sequencer,
                crew: Some(crew),
            },
        }
    }
}

impl Batches {
    /// As [`next`](Iterator::next), for a caller with other things to look at: `None` if no batch has come within `time`.
    ///
    /// Where the caller does the work itself, it takes as long as it takes.
    pub fn next_within(&mut self, time: Duration) -> Option<Option<Result<Batch, Error>>> {
        if let Source::Threads { batches, .. } = &self.source {
            match batches.recv_timeout(time) {
                Ok(batch) => return Some(Some(Ok(batch))),
                Err(RecvTimeoutError::Timeout) => return None,
                // `next` tells why there are no more.
                Err(RecvTimeoutError::Disconnected) => {}
            }
        }
        Some(self.next())
    }

    /// Have the threads stop without waiting until they do, as dropping would: one that waits for a pipe ends when
    /// something comes of that.
    pub fn leave(mut self) {
        if let Source::Threads {
            sequencer, crew, ..
        } = &mut self.source
        {
            sequencer.close();
            if let Some(crew) = crew.take() {
                crew.leave();
            }
        }
    }
}

impl Iterator for Batches {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let outcome = match &mut self.source {
            Source::Inline {
                worker,
                sequencer,
                ready,
            } => match next_inline(worker, sequencer, ready).transpose() {
                None => all_came_out(sequencer, self.reader.tickets())
                    .err()
                    .map(Err),
                outcome => outcome,
            },
            Source::Threads {
                batches,
                sequencer,
                crew,
            } => match batches.recv() {
                Ok(batch) => Some(Ok(batch)),
                Err(_) => crew.take().and_then(|crew| match crew.join() {
                    Ok(_) => all_came_out(sequencer, self.reader.tickets())
                        .err()
                        .map(Err),
                    Err(Failure::Failed(error)) => Some(Err(error)),
                    Err(Failure::NoThread(reason)) => {
                        Some(Err(Error::new(ErrorKind::NoThread(reason))))
                    }
                    Err(Failure::Panicked(what)) => {
                        Some(Err(Error::new(ErrorKind::Panicked(what))))
                    }
                }),
            },
            Source::Done => None,
        };
        if !matches!(outcome, Some(Ok(_))) {
            self.source = Source::Done;
        }
        outcome
    }
}

fn next_inline(
    worker: &mut Worker,
    sequencer: &Sequencer<Batch>,
    ready: &mut VecDeque<Batch>,
) -> Result<Option<Batch>, Error> {
    while ready.is_empty() {
        let Some(batch) = worker.next_batch()? else {
            return Ok(None);
        };
        let outcome = sequencer.commit(batch.place(), batch, |batch| {
            ready.push_back(batch);
            Ok::<(), Error>(())
        });
        if outcome.is_err() {
            return Err(Error::new(ErrorKind::Stopped));
        }
    }
    Ok(ready.pop_front())
}

impl Drop for Batches {
    fn drop(&mut self) {
        if let Source::Threads { sequencer, .. } = &self.source {
            // Workers that wait at the gate, or for room in the channel, go home;
            // the receiver and then the crew are dropped after this.
            sequencer.close();
        }
    }
}
